"""The argument parser of a verb, and the options that several share.

Knows argparse. Knows nothing of verbs but their one line of help.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any, NoReturn

from . import VERBS


class Parser(argparse.ArgumentParser):
    """argparse in our voice: exit 2, one line, and where to look."""

    def error(self, message: str) -> NoReturn:
        verb = self.prog.removeprefix("git oracl ")
        self.exit(2, f"git-oracl: {message}.\nhint: git oracl {verb} -h\n")


class _Help(argparse.RawDescriptionHelpFormatter):
    """argparse asks shutil how wide the terminal is, for every option and not for help alone: 5 ms."""

    def __init__(self, prog: str) -> None:
        from .output import width

        super().__init__(prog, width=width() - 2)


class Late(Parser):
    """A parser whose options are declared when they are first looked at: of many actions, one is asked for."""

    _where = ("", "")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Help, **options})

    def later(self, module: str, function: str) -> None:
        """Name the function of a module here that declares the options."""
        self._where = (module, function)

    def settle(self) -> None:
        """Declare the options, once."""
        (module, function), self._where = self._where, ("", "")
        if module:
            getattr(import_module(f".{module}", __package__), function)(self)

    def parse_known_args(self, *args: Any, **options: Any) -> Any:
        """As argparse does, with all options."""
        self.settle()
        return super().parse_known_args(*args, **options)

    def format_help(self) -> str:
        """As argparse does, with all options."""
        self.settle()
        return super().format_help()

    def format_usage(self) -> str:
        """As argparse does, with all options."""
        self.settle()
        return super().format_usage()


def build(verb: str) -> Parser:
    """A parser for one verb."""
    return Parser(
        prog=f"git oracl {verb}",
        description=VERBS[verb][2][0].upper() + VERBS[verb][2][1:] + ".",
        formatter_class=_Help,
        allow_abbrev=False,
    )


def answers(parser: argparse.ArgumentParser) -> None:
    """Options of every verb that ranks answers to a question."""
    listing(parser)
    parser.add_argument("--explain", action="store_true", help="every term of every score")
    parser.add_argument("--no-update", action="store_true", help="answer from the index as it is")
    worktree(parser)


def worktree(parser: argparse.ArgumentParser) -> None:
    """--worktree."""
    parser.add_argument("--worktree", action="store_true", help="answer as if everything were committed")


def listing(parser: argparse.ArgumentParser, limit: int = 10) -> None:
    """Options of every verb that lists results."""
    parser.add_argument(
        "-n", "--limit", type=positive, default=limit, metavar="N", help=f"at most N results (default {limit})"
    )
    machine(parser)
    parser.add_argument("-z", action="store_true", help="paths only, each ended by a NUL")
    parser.add_argument("--porcelain", action="store_true", help="score, path and fragment, tab-separated")


def machine(parser: argparse.ArgumentParser) -> None:
    """--json."""
    parser.add_argument("--json", action="store_true", help="one JSON object")


def positive(text: str) -> int:
    """A whole number above 0."""
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:9]) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 100000")
    return int(text)
