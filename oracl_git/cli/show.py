"""git oracl show: everything known of one file."""

from __future__ import annotations

import argparse
import time

from ..graph.link import RESOLUTIONS
from ..graph.model import artifact_id
from ..graph.parameters import BUCKET_WEIGHTS
from ..recall.model import path_json
from ..service import Oracl, Shown
from . import output
from .parser import machine


def configure_show(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "path", metavar="PATH[#L10-40|#symbol]", help="a file, some of its lines, or a definition in it"
    )
    machine(parser)


def run_show(args: argparse.Namespace) -> int:
    """Print tags, the twelve priority terms, edges and the text."""
    with Oracl.at() as oracl:
        shown = oracl.show(args.path)
        output.note(oracl.notes)
        if args.json:
            output.emit(_data(shown))
        else:
            _print(shown)
    return 0


def _data(shown: Shown) -> dict[str, object]:
    node = shown.node
    return {
        **path_json(node.path),
        "id": artifact_id(node.path, node.blob, node.size),
        "blob": node.blob, "checksum": node.checksum, "size": node.size, "lines": node.lines, "language": node.language,
        "kind": node.role, "tags": node.tags,
        "priority": shown.priority, "priority_blended": shown.blended, "association": shown.association, "delta": shown.delta,
        "terms": {bucket: {"numerator": n, "denominator": d, "weight": BUCKET_WEIGHTS[bucket]} for bucket, (n, d) in shown.terms.items()},
        "multiplier": node.m, "degree": node.degree, "imports": dict(zip(RESOLUTIONS, node.resolutions, strict=False)),
        "commits": shown.commits, "last_commit_time": shown.last,
        "edges": [
            {"direction": "out" if away else "in", "other": other, "relation": link.relation, "weight": link.weight,
             "confidence": link.confidence, "source_fragment": link.source_fragment,
             "target_fragment": link.target_fragment, "partition": link.partition, "rank": link.rank}
            for link, other, away in shown.links
        ],
        "definitions": [{"name": n, "start": s, "end": e, "kind": k} for n, s, e, k in shown.definitions],
        "start": shown.start, "end": shown.end, "text": shown.text,
    }  # fmt: skip


def _print(shown: Shown) -> None:
    node, room = shown.node, output.width()
    print(
        f"{output.paint(output.plain(node.path), 'path')}  {node.language}, {output.plural(node.lines, 'line')}, blob {output.short(node.blob)}"
    )
    print(output.fit("  " + " ".join(f"{field}={value}" for field, value in node.tags.items() if value), max(room, 78)))
    since = time.strftime("%Y-%m-%d", time.gmtime(shown.last)) if shown.last else "never"
    print(
        f"  {output.plural(shown.commits, 'commit')}, last {since}; association {shown.association / 1e6:.3f}, δ {shown.delta / 1e6:+.3f}"
    )
    print(f"\npriority {shown.priority / 1e6:.3f}, with association {shown.blended / 1e6:.3f} (× {node.m / 1e6:.2f})")
    for bucket, (numerator, denominator) in shown.terms.items():
        value = numerator / denominator
        print(
            f"  {bucket:14} {BUCKET_WEIGHTS[bucket] / 1e6:.2f} × {value:.3f} = {BUCKET_WEIGHTS[bucket] / 1e6 * value:.4f}"
        )
    rows = sorted(shown.links, key=lambda row: (not row[2], -row[0].rank, row[1]))
    if rows:
        print("\nedges")
    for link, other, away in rows[:30]:
        place = f" at {link.source_fragment}" if link.source_fragment else ""
        symbol = f" {link.target_fragment}" if link.target_fragment else ""
        arrow = "→" if away else "←"
        print(
            output.fit(f"  {arrow} {link.relation}{symbol} {output.plain(other)}{place}  {link.weight / 1e6:.2f}", room)
        )
    if len(rows) > 30:
        print(f"  … {len(rows) - 30} more: --json has all")
    print()
    for number, line in enumerate(shown.text.splitlines(), shown.start):
        print(
            f"{output.paint(f'{number:5}', 'dim')}  {output.plain(line.replace(chr(9), '    '))}"[: max(room, 78) + 12]
        )
