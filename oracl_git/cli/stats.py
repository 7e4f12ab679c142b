"""git oracl stats: what the graph holds, and every parameter."""

from __future__ import annotations

import argparse
from textwrap import wrap

from ..graph import parameters
from ..graph.link import RESOLUTIONS
from ..recall.model import path_json
from ..service import Oracl
from . import output
from .parser import machine


def configure_stats(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--parameters", action="store_true", help="every published constant")
    parser.add_argument("--deep", action="store_true", help="centralities (slow)")
    parser.add_argument(
        "--skipped", action="store_true",
        help="every path that was left out, or is known by its text alone, with the reason",
    )
    machine(parser)


def run_stats(args: argparse.Namespace) -> int:
    """Print counts; the numbers of the header; parameters or centralities on request."""
    with Oracl.at() as oracl:
        stats = oracl.stats(deep=args.deep)
        output.note(oracl.notes)
        if args.parameters:
            stats["parameters"] = {"graph": parameters.table(oracl.index.blend), "recall": oracl.recall_table()}
        if args.skipped:
            stats["skipped_paths"] = [
                {**path_json(path), "reason": reason} for path, reason in oracl.index.skipped_paths()
            ]
            stats["unparsed_paths"] = [
                {**path_json(path), "reason": reason} for path, reason in oracl.index.unparsed_paths()
            ]
        if args.json:
            output.emit(stats)
        elif args.skipped:
            for path, reason in oracl.index.skipped_paths():
                print(f"{reason:16} {output.plain(path)}")
            for path, reason in oracl.index.unparsed_paths():
                print(f"{'text, ' + reason:16} {output.plain(path)}")
        elif args.parameters:
            _tree(stats["parameters"], "")
        else:
            _print(stats)
    return 0


def _print(stats: dict[str, object]) -> None:
    for name in ("commit", "root"):
        print(f"{name:14} {stats[name]}")
    for name in ("nodes", "edges"):
        print(f"{name:14} {stats[name]:,}")
    mean, spread, most = (int(str(stats[name])) / parameters.ONE for name in ("mu", "sigma", "max_r"))
    _row("association", f"mean (μ) {mean:.3f}, deviation (σ) {spread:.3f}, greatest rank (R) {most:.3f}")
    imports = stats["imports"]
    assert isinstance(imports, dict)
    internal = sum(imports[name] for name in RESOLUTIONS[:4])
    shares = ", ".join(f"{imports[name] / internal:.1%} {name}" for name in RESOLUTIONS[:4] if imports[name])
    _row("imports", f"{internal:,} internal{f' ({shares})' if shares else ''}, {imports['external']:,} external")
    for title in ("relations", "kinds", "languages", "domains", "skipped", "unparsed"):
        values = stats[title]
        assert isinstance(values, dict)
        if values:
            listed = ", ".join(f"{name} {count:,}" for name, count in list(values.items())[:12])
            _row(title, f"{output.plain(listed)}{' …' if len(values) > 12 else ''}")
    central = stats.get("centralities")
    if isinstance(central, dict):
        for measure, rows in central.items():
            print(f"\n{measure}")
            for name, value in rows:
                print(f"  {value:10.4f}  {output.fit(name, output.width() - 14)}")


def _row(title: str, text: str) -> None:
    """A title and its text, in lines that fit."""
    print("\n".join(wrap(f"{title:14} {text}", max(40, output.width()), subsequent_indent=" " * 15)))


def _tree(value: object, indent: str) -> None:
    assert isinstance(value, dict)
    for name, item in value.items():
        if isinstance(item, dict):
            print(f"{indent}{name}")
            _tree(item, indent + "  ")
        else:
            print(f"{indent}{name} = {item}")
