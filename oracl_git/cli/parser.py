"""The argument parser of a verb, and the options that several share.

Knows argparse. Knows nothing of verbs but their one line of help.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from itertools import groupby
from textwrap import wrap
from typing import Any, NoReturn

from . import VERBS

_WIDEST = 100  # columns of help: longer lines are hard to read
_LISTED = 36  # characters of choices that stand in the usage

class _Help(argparse.HelpFormatter):
    """Help that fits: prose is filled; what is indented, as examples and tables are, stays as it is written.

    argparse asks shutil how wide the terminal is, for every option and not for help alone: 5 ms.
    """

    def __init__(self, prog: str) -> None:
        from .output import width

        super().__init__(prog, width=min(width(), _WIDEST) - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return filled(text, width)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Callable[[int], tuple[str, ...]]:
        if _many(action):
            return lambda size: (default_metavar,) * size
        return super()._metavar_formatter(action, default_metavar)

    def _expand_help(self, action: argparse.Action) -> str:
        text = super()._expand_help(action)
        return f"{text}: {', '.join(map(str, action.choices or ()))}" if _many(action) else text


def _many(action: argparse.Action) -> bool:
    """Whether the choices are told in words, as they are too many to stand in the usage."""
    return action.metavar is None and len(",".join(map(str, action.choices or ()))) > _LISTED


def filled(text: str, width: int) -> str:
    """A text whose prose is filled to a width; empty lines, headings and what is indented stay."""
    blocks = groupby(text.splitlines(), lambda line: not line or line[0] == " " or line[-1] == ":")
    return "\n".join(
        "\n".join(lines if kept else wrap(" ".join(lines), width, break_long_words=False, break_on_hyphens=False))
        for kept, lines in blocks
    )


class _Actions(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Actions whose own help begins with what the list of them says."""

    def add_parser(self, name: str, **options: Any) -> Any:
        return super().add_parser(name, **{"description": sentence(options.get("help", "")), **options})


def sentence(text: str) -> str:
    """A line of help as a sentence."""
    return text[:1].upper() + text[1:] + "." if text else ""


class Parser(argparse.ArgumentParser):
    """argparse in our voice: exit 2, one line, and where to look."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Help, **options})
        self.register("action", "parsers", _Actions)

    def error(self, message: str) -> NoReturn:
        verb = self.prog.removeprefix("git oracl ")
        self.exit(2, f"git-oracl: {message}.\nhint: git oracl {verb} -h\n")


class Late(Parser):
    """A parser whose options are declared when they are first looked at: of many actions, one is asked for."""

    _where = ("", "")

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
    return Parser(prog=f"git oracl {verb}", description=sentence(VERBS[verb][2]), allow_abbrev=False)


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
