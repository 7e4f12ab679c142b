"""git oracl graph: rebuild with other parameters, or export."""

from __future__ import annotations

import argparse
import sys
import time

from ..errors import UsageError
from ..graph.link import PHASES
from ..service import Oracl
from . import output
from .progress import Bar
from .update import say

_FORMATS = ("graphml", "gexf", "node-link", "dot")


def configure_graph(parser: argparse.ArgumentParser) -> None:
    """Declare the two actions."""
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="rebuild | export", help="what to do with the graph"
    )
    rebuild = actions.add_parser("rebuild", help="start from nothing, with these parameters from now on")
    rebuild.add_argument("--alpha", type=float, help="blend of association into priority (default 0.35)")
    rebuild.add_argument("--beta", type=float, help="blend of inferred paths into edge rank (default 0.5)")
    rebuild.add_argument(
        "--skip-phase", action="append", choices=PHASES, metavar="PHASE", help=f"leave out: {' '.join(PHASES)}"
    )
    rebuild.add_argument(
        "--two-layer", action="store_true", help="append evidence partitions and build the view from them"
    )
    rebuild.add_argument("--json", action="store_true", help="one JSON object")
    export = actions.add_parser("export", help="write the graph for other tools")
    export.add_argument("--format", choices=_FORMATS, default="graphml", help="default graphml")
    export.add_argument("-o", "--output", metavar="FILE", default="-", help="default: standard output")


def run_graph(args: argparse.Namespace) -> int:
    """Rebuild or export."""
    with Oracl.at() as oracl:
        if args.action == "rebuild":
            started = time.monotonic()
            with Bar() as tell:
                report = oracl.update(
                    full=True, progress=tell, alpha=args.alpha, beta=args.beta, skip=args.skip_phase or ()
                )
            rows = oracl.two_layer() if args.two_layer else {}
            say(report, time.monotonic() - started, args, **({"evidence": rows} if rows else {}))
            if rows and not args.json:
                listed = ", ".join(f"{count:,} in {name}" for name, count in rows.items())
                print(f"Evidence: {listed}; the committed view is equal.")
            return 0
        oracl.fresh()
        output.note(oracl.notes)
        if args.output == "-":
            sys.stdout.flush()
            oracl.export(args.format, sys.stdout.buffer)
        else:
            try:
                with open(args.output, "wb") as file:
                    oracl.export(args.format, file)
            except OSError as error:
                raise UsageError(f"cannot write {args.output}: {error.strerror}", "git oracl graph export -h") from None
    return 0
