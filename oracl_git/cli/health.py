"""git oracl health: is the graph sound, and how did it change?"""

from __future__ import annotations

import argparse
import time
from typing import Any

from ..service import Oracl
from . import output
from .parser import machine

_STYLES = {"healthy": "good", "degraded": "number", "unhealthy": "bad"}


def configure_health(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--deep", action="store_true", help="check every row against its leaf as well")
    parser.add_argument("--history", action="store_true", help="every look so far, instead of a new one")
    machine(parser)


def run_health(args: argparse.Namespace) -> int:
    """Look, remember, tell; 1 when the graph is unhealthy."""
    with Oracl.at() as oracl:
        if args.history:
            rows = oracl.health_history()
            if args.json:
                output.emit({"history": rows})
            for row in () if args.json else rows:
                print(_line(row))
            return 0
        found = oracl.health(deep=args.deep)
        output.note(oracl.notes)
    if args.json:
        output.emit(found)
    else:
        _say(found)
    return 1 if found["verdict"] == "unhealthy" else 0


def _say(found: dict[str, Any]) -> None:
    verdict = found["verdict"]
    print(f"{output.paint(verdict, _STYLES[verdict])}  {output.short(found['commit'])}")
    print(
        f"holds       {output.plural(found['artifacts'], 'artifact')}, {output.plural(found['hubs'], 'hub')},"
        f" {output.plural(found['edges'], 'edge')}; {found['skipped']:,} left out"
    )
    print(f"association μ {found['mu'] / 1e6:.4f}, σ {found['sigma'] / 1e6:.4f}, max R {found['max_r'] / 1e6:.3f}")
    print(f"orphans     {found['orphans']:,} ({found['orphan_share'] / 1e4:.1f} % have no edge but their domain's)")
    print(f"unresolved  {found['unresolved_share'] / 1e4:.1f} % of the imports that stay inside")
    if "since" in found:
        print(
            f"drift       μ by {found['drift_mu'] / 1e6:.2f} σ, nodes by {found['drift_nodes'] / 1e4:.1f} %"
            f" since {output.short(found['since'])}"
        )
    for reason in found["reasons"]:
        print(f"because     {output.plain(reason)}")


def _line(row: dict[str, Any]) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(row.get("time", 0)))
    counts = (
        f"{row['nodes']:,} nodes, {row.get('edges', 0):,} edges, μ {row['mu'] / 1e6:.4f}, σ {row['sigma'] / 1e6:.4f}"
    )
    return f"{when}  {output.short(row['commit'])}  {row.get('verdict', ''):9}  {counts}"
