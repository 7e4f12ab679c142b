"""Options that several actions of `git oracl ontology` share, and who decides.

Knows argparse, scopes and the name of the account.
"""

from __future__ import annotations

import argparse
import getpass

from ..ontology.model import DEFAULT_SCOPES, SCOPES
from .parser import Late

_DAY = 86_400


def scopes(parser: argparse.ArgumentParser) -> None:
    """--scope and --private."""
    parser.add_argument(
        "--scope", action="append", choices=SCOPES, help="only these scopes (default: public and internal)"
    )
    parser.add_argument("--private", action="store_true", help="private ones too")


def allowed(args: argparse.Namespace) -> tuple[str, ...]:
    """The scopes that were asked for."""
    given = tuple(args.scope or DEFAULT_SCOPES)
    return (*given, "private") if args.private and "private" not in given else given


def actions_of(parser: argparse.ArgumentParser, names: dict[str, str]) -> dict[str, argparse.ArgumentParser]:
    """The parsers of what an action can do, by name."""
    inner = parser.add_subparsers(
        dest="what", required=True, metavar=" | ".join(names), help="what to do", parser_class=Late
    )
    return {name: inner.add_parser(name, help=text, allow_abbrev=False) for name, text in names.items()}


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def seconds(text: str) -> float:
    """A time in seconds, or all there is."""
    if text == "all":
        return float(_DAY)
    if not (text.isascii() and text.isdigit()) or int(text[:6]) > _DAY:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of seconds up to {_DAY:,} nor all")
    return float(text)


def who() -> str:
    """Who decides: the name of the account."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
