"""git oracl dashboard: what is remembered, as one page for a browser."""

from __future__ import annotations

import argparse

from ..companion import GraphNames, ontology_at
from ..errors import NothingIndexed
from ..service import Oracl
from . import output
from .ontology_options import allowed, scopes
from .parser import machine

_EPILOG = """\
The page needs no server and asks no network. It shows at most 5,000 nodes of the
graph, by rank, and says how many there are."""


def configure_dashboard(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    scopes(parser)
    machine(parser)


def run_dashboard(args: argparse.Namespace) -> int:
    """Write the page, and say where it is."""
    from ..ontology import dashboard

    with ontology_at("") as runtime:
        _ = runtime.reader  # an ontology that is not active is told of before anything is indexed
        if runtime.project.repo is None:
            place = dashboard.write(runtime, allowed(args))
        else:
            with Oracl.at(runtime.project.root) as oracl:
                try:
                    code = GraphNames(oracl.fresh())
                except NothingIndexed as error:
                    code = None
                    oracl.notes.append(f"without files: {error.message} ({error.hint})")
                output.note(oracl.notes)
                place = dashboard.write(runtime, allowed(args), code)
    if args.json:
        output.emit({"page": place})
    else:
        print(f"Wrote {output.plain(place)}. Open it in a browser.")
    return 0
