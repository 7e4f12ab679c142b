"""git oracl status: where the index stands."""

from __future__ import annotations

import argparse
import sys

from ..service import Oracl
from . import output
from .hooks import activity_line, as_json
from .parser import machine


def configure_status(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    machine(parser)


def run_status(args: argparse.Namespace) -> int:
    """Read only; 1 when there is no index."""
    with Oracl.at() as oracl:
        status = oracl.status()
        chains, refspecs = oracl.sharing()
        if args.json:
            output.emit({
                "commit": status.commit, "head": status.head, "tree": status.tree, "root": status.root,
                "artifacts": status.artifacts, "edges": status.edges, "behind": status.behind,
                "skipped": status.skipped, "unparsed": status.unparsed, "pending": status.pending,
                "problems": list(status.problems), "stale": status.stale, "shallow": status.shallow,
                "history": status.history, "hooks": as_json(oracl),
                "snapshots": {"chains": chains, "refspecs": refspecs},
            })  # fmt: skip
            return 0 if status.commit else 1
        if status.commit is None:
            output.note([status.stale])
            print(f"hint: {status.hint}", file=sys.stderr)
            return 1
        behind = f"{output.plural(status.behind, 'commit')} behind HEAD" if status.behind else "at HEAD"
        if not status.behind and status.commit != status.head:
            behind = "not at HEAD"
        print(f"index      {output.short(status.commit)}, {behind}")
        if status.stale:
            print(f"stale      the index {status.stale} ({status.hint} brings it up to date)")
        print(f"root       {status.root or 'none: objects are missing in this clone'}")
        print(
            f"holds      {output.plural(status.artifacts, 'artifact')}, {output.plural(status.edges, 'edge')},"
            f" {output.plural(status.history, 'commit')} of history"
        )
        if status.skipped:
            print("left out   " + ", ".join(f"{count:,} {reason}" for reason, count in status.skipped.items()))
        if status.unparsed:
            print("text only  " + ", ".join(f"{count:,} {reason}" for reason, count in status.unparsed.items()))
        if status.pending:
            print(f"pending    {output.plural(status.pending, 'chunk')} to encode")
        if worker := activity_line(oracl):
            print(f"hooks      {worker}")
        if chains:
            print(f"snapshots  {output.plural(chains, 'chain')} (git oracl snapshot list)")
            for spec in refspecs:
                print(f"           git config --add remote.origin.fetch '{spec}'")
        for problem in status.problems:
            print(f"problem    {output.plain(problem)}")
        if status.shallow:
            print("history    shallow clone: git fetch --unshallow gives the rest")
    return 0
