"""git oracl init and deinit: a first index, and no trace of it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from ..errors import EmbeddingUnusable, OraclError
from ..service import Oracl
from . import output
from .hooks import describe, install, quiet, uninstall
from .progress import Bar


def configure_init(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--no-hooks", action="store_true", help="leave git's hooks alone; every question compares HEAD anyway"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run_init(args: argparse.Namespace) -> int:
    """Index HEAD; asks nothing, writes nothing into the work tree."""
    with Oracl.at() as oracl:
        started = time.monotonic()
        with Bar() as tell:
            oracl.update(progress=tell)
            seconds = time.monotonic() - started
            waits = _encode(oracl, tell)
        status = oracl.status()
        hooks = [] if args.no_hooks else _install(oracl)
        if args.json:
            output.emit({
                "commit": status.commit, "root": status.root, "artifacts": status.artifacts, "edges": status.edges,
                "skipped": status.skipped, "unparsed": status.unparsed, "history": status.history,
                "pending": status.pending, "seconds": round(seconds, 3),
            })  # fmt: skip
            return 0
        files = status.artifacts + sum(status.skipped.values())
        name = (oracl.repo.work_tree or oracl.repo.git_dir).rstrip("/").rpartition("/")[2]
        print(
            f"Indexed {output.plural(files, 'file')} of {output.plain(name)}"
            f" at {output.short(status.commit or '')} in {seconds:.1f} s:\n"
            f"{output.plural(status.artifacts, 'artifact')}, {output.plural(status.edges, 'edge')},"
            f" {output.plural(status.history, 'commit')} of history."
        )
        if status.skipped:
            listed = ", ".join(f"{count:,} {reason}" for reason, count in status.skipped.items())
            print(f"Left out: {listed} (git oracl stats --skipped).")
        if status.unparsed:
            listed = ", ".join(f"{count:,} {reason}" for reason, count in status.unparsed.items())
            print(f"Known by their text alone: {listed} (git oracl stats --skipped).")
        if waits:
            print(f"Not encoded: {output.plain(waits)}.")
        for problem in status.problems:
            print(f"Not believed: {output.plain(problem)}")
        if status.shallow:
            print("This clone is shallow: history signals see only what is here (git fetch --unshallow).")
        for line in hooks:
            print(line)
        print("Every question compares HEAD first, so the index keeps itself up to date.")
        print('Try: git oracl search "where is …"')
    return 0


def _encode(oracl: Oracl, tell: Callable[[str, int, int], None]) -> str:
    """Give every passage its vector; why not, when that cannot be."""
    try:
        oracl.fill(tell)
    except EmbeddingUnusable as error:
        return error.message
    return ""


def _install(oracl: Oracl) -> list[str]:
    """Install the hooks, and say so; an index without them is still an index."""
    try:
        return describe(oracl, install(oracl))
    except OraclError as error:
        return [f"No hooks: {output.plain(error.message)}."]


def configure_deinit(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""


def run_deinit(args: argparse.Namespace) -> int:
    """Remove the hooks, the index, caches and logs of this clone."""
    with Oracl.at() as oracl:
        hooks = [path.rpartition("/")[2] for path in uninstall(oracl)]
        with quiet(oracl):
            gone = oracl.forget()
    if hooks:
        print(f"Removed the hooks {', '.join(hooks)}.")
    print(f"Removed {', '.join(gone)}." if gone else "There was nothing to remove.")
    return 0
