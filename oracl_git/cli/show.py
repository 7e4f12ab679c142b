"""git oracl show: everything known of one file."""

from __future__ import annotations

import argparse
import time

from ..graph.link import RESOLUTIONS
from ..graph.model import artifact_id
from ..graph.parameters import BUCKET_WEIGHTS
from ..recall.model import path_json
from ..service import Oracl, Shown
from ..store.index import Link
from . import output
from .parser import machine, worktree

_EDGES = 30  # shown; --json has all


def configure_show(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "path", metavar="PATH[#L10-40|#symbol]", help="a file, some of its lines, or a definition in it"
    )
    worktree(parser)
    machine(parser)


def run_show(args: argparse.Namespace) -> int:
    """Print tags, the twelve priority terms, edges and the text."""
    with Oracl.at(worktree=args.worktree) as oracl:
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
        "kind": node.role, "unparsed": node.unparsed, "tags": node.tags,
        "priority": shown.priority, "priority_blended": shown.blended,
        "association": shown.association, "delta": shown.delta,
        "terms": {
            bucket: {"numerator": n, "denominator": d, "weight": BUCKET_WEIGHTS[bucket]}
            for bucket, (n, d) in shown.terms.items()
        },
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
        f"{output.paint(output.plain(node.path), 'path')}  {node.language},"
        f" {output.plural(node.lines, 'line')}, blob {output.short(node.blob)}"
        f"{f'; known by its text alone: {node.unparsed}' if node.unparsed else ''}"
    )
    print(f"  {_tags(node.tags, room)}")
    since = time.strftime("%Y-%m-%d", time.gmtime(shown.last)) if shown.last else "never"
    print(
        f"  {output.plural(shown.commits, 'commit')}, last {since};"
        f" association {shown.association / 1e6:.3f}, δ {shown.delta / 1e6:+.3f}"
    )
    print(f"\npriority {shown.priority / 1e6:.3f}, with association {shown.blended / 1e6:.3f} (× {node.m / 1e6:.2f})")
    for bucket, (numerator, denominator) in shown.terms.items():
        weight, value = BUCKET_WEIGHTS[bucket] / 1e6, numerator / denominator
        if value:
            print(f"  {bucket:14} {weight:.2f} × {value:.3f} = {weight * value:.4f}")
    _edges(shown, room)
    print()
    for number, line in enumerate(shown.text.split("\n") if shown.text else (), shown.start):
        text = output.cut(output.plain(line.replace("\t", "    ")), room - 7)
        print(f"{output.paint(f'{number:5}', 'dim')}  {text}".rstrip())


def _tags(tags: dict[str, str], room: int) -> str:
    """The tags in lines that fit."""
    rows = [""]
    for field, value in tags.items():
        word = output.cut(output.plain(f"{field}={value}"), room - 2)
        if value and rows[-1] and len(rows[-1]) + len(word) + 3 > room:
            rows.append("")
        if value:
            rows[-1] += (" " if rows[-1] else "") + word
    return "\n  ".join(rows)


def _edges(shown: Shown, room: int) -> None:
    """All that one file has to do with this in one way is a row; both directions have their share of the rows."""
    rows: dict[tuple[bool, str, str], list[Link]] = {}
    for link, other, away in sorted(shown.links, key=lambda row: (-row[0].rank, row[1])):
        rows.setdefault((away, link.relation, other), []).append(link)
    if rows:
        print("\nedges")
    sides = [[row for row in rows if row[0] is away] for away in (True, False)]
    fewer = min(_EDGES // 2, *map(len, sides))
    for away, relation, other in [row for side in sides for row in side[: max(fewer, _EDGES - fewer)]][:_EDGES]:
        links = rows[away, relation, other]
        places = list(dict.fromkeys(link.source_fragment for link in links if link.source_fragment))
        first = places[0] if places else ""
        where = f"{other} at {output.lines(first)}" if away and first else output.place(other, "" if away else first)
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        weight = f"{more}  {max(link.weight for link in links) / 1e6:.2f}"
        text = output.fit(f"  {'→' if away else '←'} {relation} {where}", room - len(weight)) + weight
        symbols = ", ".join(dict.fromkeys(output.plain(link.target_fragment) for link in links)).strip(", ")
        left = room - len(text) - 2
        print(f"{text}  {output.cut(symbols, left)}" if symbols and left > 5 else text)
    if len(rows) > _EDGES:
        print(f"  … {len(rows) - _EDGES} more: --json has all")
