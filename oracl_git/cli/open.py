"""git oracl open N: open the Nth result of the last question, and remember the choice."""

from __future__ import annotations

import argparse
import os

from .. import telemetry
from ..errors import UnknownPath, UsageError
from ..service import Oracl
from . import output
from .parser import positive


def configure_open(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("number", type=positive, metavar="N", help="which result")
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the path, start no editor")


def run_open(args: argparse.Namespace) -> int:
    """Start git's editor on the file."""
    from ..git.run import git

    with Oracl.at() as oracl:
        last = telemetry.last(oracl.repo.git_dir)
        if last is None:
            raise UsageError("no question was asked here yet", 'git oracl search "…"')
        if args.number > len(last["results"]):
            raise UsageError(f"the last question had {len(last['results'])} results", "git oracl open 1")
        path = str(last["results"][args.number - 1])
        top = oracl.repo.work_tree
        full = os.path.join(top, path) if top else ""
        if telemetry.enabled(oracl.settings):
            telemetry.opened(oracl.repo.git_dir, last["query"], path, args.number)
        if args.only_print:
            output.write_path(full or path)
            return 0
        if not full or not os.path.isfile(full):
            raise UnknownPath(f"{path} is not in the work tree", f"git show HEAD:{path}")
        editor = git(oracl.repo, "var", "GIT_EDITOR").decode("utf-8", "surrogateescape").strip()
    return os.execvp("sh", ["sh", "-c", f'{editor} "$@"', editor, full])  # as git itself starts it
