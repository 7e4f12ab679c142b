"""git oracl dashboard: what is remembered, as one page for a browser."""

from __future__ import annotations

import argparse

from ..companion import ontology_at
from . import output
from .ontology_options import allowed, scopes
from .parser import machine


def configure_dashboard(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    scopes(parser)
    machine(parser)


def run_dashboard(args: argparse.Namespace) -> int:
    """Write the page, and say where it is."""
    from ..ontology import dashboard

    with ontology_at("") as runtime:
        place = dashboard.write(runtime, allowed(args))
    if args.json:
        output.emit({"page": place})
    else:
        print(f"Wrote {output.plain(place)}. Open it in a browser.")
    return 0
