"""git oracl update: bring the index to HEAD."""

from __future__ import annotations

import argparse
import time

from ..service import Oracl
from ..store.fill import Filled
from ..store.settings import Report
from . import output
from .parser import machine
from .progress import Bar


def configure_update(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--full", action="store_true", help="start from nothing (facts stay cached)")
    parser.add_argument("--vectors", action="store_true", help="also encode every passage that has no vector yet")
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing")
    machine(parser)


def run_update(args: argparse.Namespace) -> int:
    """Update, and say what it took."""
    with Oracl.at() as oracl:
        started = time.monotonic()
        with Bar() as tell:
            report = oracl.update(full=args.full, progress=tell)
            filled = oracl.fill(tell) if args.vectors else None
        counts = oracl.sync_ontology()
        output.note(oracl.notes)
        say(report, time.monotonic() - started, args, **({"vectors": filled._asdict()} if filled else {}))
        if args.json or args.quiet:
            return 0
        if filled:
            print(encoded(filled))
        if counts is not None and (counts.new or counts.changed or counts.removed):
            print(f"Ontology: {counts.new} new, {counts.changed} changed, {counts.removed} removed.")
    return 0


def encoded(filled: Filled) -> str:
    """What filling in vectors did."""
    wait = f"; {output.plural(filled.pending, 'passage')} still wait" if filled.pending else ""
    return f"{output.plural(filled.placed, 'passage')} got a vector, {filled.encoded:,} of them encoded now{wait}."


def say(report: Report, seconds: float, args: argparse.Namespace, **more: object) -> None:
    """What an update did."""
    if args.json:
        output.emit({**report._asdict(), "seconds": round(seconds, 3), **more})
    elif not getattr(args, "quiet", False):
        if report.changed or report.rebuilt or report.copied:
            start = f"nothing: {report.rebuilt}" if report.rebuilt else "a copy of another worktree's index"
            start = f", from {start}" if report.rebuilt or report.copied else ""
            print(
                f"Now at {output.short(report.commit)}: {output.plural(report.changed, 'path')} changed,"
                f" {report.parsed:,} parsed, {report.linked:,} linked,\n"
                f"{output.plural(report.commits, 'commit')} of history laid over it, {seconds:.2f} s{start}."
            )
        else:
            print(f"Up to date at {output.short(report.commit)}.")
