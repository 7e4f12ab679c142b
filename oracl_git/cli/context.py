"""git oracl context: the best fragments for a question, in a budget of tokens."""

from __future__ import annotations

import argparse
import sys

from ..service import Oracl
from . import output
from .parser import machine, positive
from .progress import Bar
from .search import question

_EPILOG = """\
Prints Markdown: each fragment under its path#Lx-y, whole definitions where they
fit, else their outline. Tokens are estimated upwards, never over the budget.

examples:
  git oracl context "where is the retry budget decided" --budget 2000
  pytest 2>&1 | git oracl context - --path src"""


def configure_context(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("text", nargs="*", help="the question, in any words; - reads it from standard input")
    parser.add_argument("--budget", type=positive, default=4_000, metavar="N", help="at most N tokens (default 4000)")
    parser.add_argument("-n", "--limit", type=positive, default=20, metavar="N", help="at most N files (default 20)")
    parser.add_argument(
        "--path", action="append", default=[], metavar="PATH", help="only files there: a directory, file or pattern"
    )
    parser.add_argument("--no-update", action="store_true", help="answer from the index as it is")
    machine(parser)


def run_context(args: argparse.Namespace) -> int:
    """Print the packed fragments; 1 when there are none."""
    text = question(args.text)
    if not text.strip():
        print("git-oracl: context needs a question.\nhint: git oracl context -h", file=sys.stderr)
        return 2
    with Oracl.at() as oracl:
        with Bar() as tell:
            packed = oracl.context(
                text, budget=args.budget, limit=args.limit, paths=args.path, update=not args.no_update, progress=tell
            )
        notes = [*oracl.notes, *packed.notes]
        if packed.left_out:
            notes.append(f"{output.plural(packed.left_out, 'fragment')} more did not fit in {args.budget:,} tokens")
        output.note(notes)
        if args.json:
            output.emit({
                "query": text, "commit": oracl.index.commit, "budget": packed.budget, "tokens": packed.tokens,
                "left_out": packed.left_out, "fragments": [piece.to_json() for piece in packed.pieces],
            })  # fmt: skip
        elif packed.text:
            sys.stdout.write(_shown(packed.text))
        elif not packed.left_out:
            output.note(["nothing matches"])
        return 0 if packed.pieces else 1


def _shown(text: str) -> str:
    """The text as it is for a program; what could move a cursor is escaped where a person looks on."""
    if not sys.stdout.isatty():
        return text
    return "".join(row if row == "\n" else output.plain(row) for row in text.replace("\t", "    ").splitlines(True))
