"""git oracl search: where is this?"""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
from collections.abc import Callable

from ..recall import tables
from ..recall.model import Answer
from ..service import Oracl
from . import output
from .parser import answers
from .progress import Bar

_MOST = 4 << 20  # bytes of one question
_EPILOG = """\
In the text: file: filename: path: prefix: lang: domain: tag: type:tests|docs|config|code
  -word, -"phrase", but not X · recent, last week, since 2024-03, before v2.1
  "exact phrase" · a stack trace or compiler message: the faulting files first

examples:
  git oracl search "where is the retry budget decided" --snippet
  git oracl search "type:tests retry -integration"
  git oracl search filename:conf.py
  pytest 2>&1 | git oracl search -
  git oracl search --stdin < questions.txt"""


def configure_search(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("text", nargs="*", help="the question, in any words; - reads it from standard input")
    answers(parser)
    parser.add_argument("--snippet", action="store_true", help="show the lines of each result")
    parser.add_argument(
        "--ranker", choices=("hybrid", "classic"), default="hybrid", help="classic is Eq. 11 to the letter"
    )
    parser.add_argument(
        "--persona", choices=tuple(tables.PERSONAS), default=tables.DEFAULT_PERSONA, help="whose files weigh more"
    )
    parser.add_argument(
        "--stdin", action="store_true", help='one question a line, or {"query": …}; one JSON object a line back'
    )


def run_search(args: argparse.Namespace) -> int:
    """Answer; 1 when nothing matches."""
    with Oracl.at(worktree=args.worktree) as oracl:
        if args.stdin:
            return batch(oracl, lambda raw: _ask(oracl, raw if isinstance(raw, str) else json.dumps(raw), args))
        text = question(args.text)
        if not text.strip():
            print("git-oracl: search needs a question.\nhint: git oracl search -h", file=sys.stderr)
            return 2
        answer = _ask(oracl, text, args)
        output.note([*oracl.notes, *answer.notes])
        return show(answer, text, oracl, args)


def question(words: list[str]) -> str:
    """What was typed, or what a pipe or file gives: one question of any number of lines."""
    if words not in ([], ["-"]):
        return " ".join(words)
    if not words:
        mode = os.fstat(sys.stdin.fileno()).st_mode
        if not stat.S_ISFIFO(mode) and not stat.S_ISREG(mode):  # nothing was sent: do not wait for it
            return ""
    return sys.stdin.buffer.read(_MOST).decode("utf-8", "surrogateescape")


def _ask(oracl: Oracl, text: str, args: argparse.Namespace) -> Answer:
    with Bar() as tell:
        return oracl.search(
            text, limit=args.limit, ranker=args.ranker, persona=args.persona, snippet=args.snippet,
            update=not args.no_update, progress=tell,
        )  # fmt: skip


def batch(oracl: Oracl, ask: Callable[[object], Answer]) -> int:
    """One JSON object out for each line in; a line that cannot be answered says so in its place."""
    from ..errors import OraclError

    for raw in sys.stdin.buffer:
        query = _question(raw.decode("utf-8", "surrogateescape").rstrip("\r\n"))
        row: dict[str, object] = {"query": query}
        try:
            answer = ask(query)
            row["results"] = [result.to_json() for result in answer.results]
            oracl.notes += [note for note in answer.notes if note not in oracl.notes]
        except OraclError as error:
            if error.exit_code == 128:
                raise
            row |= {"results": [], "error": error.message, "hint": error.hint}
        output.note(oracl.notes)
        oracl.notes.clear()
        output.emit(row)
    return 0


def _question(line: str) -> object:
    """A line as it is, or what `{"query": …}` holds: text of several lines, or a list of paths."""
    if line.lstrip().startswith("{"):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            return line
        if isinstance(data, dict) and isinstance(data.get("query"), (str, list)):
            return data["query"]
    return line


def show(answer: Answer, text: str, oracl: Oracl, args: argparse.Namespace) -> int:
    """Print an answer in the form that was asked for."""
    code = 0 if answer.results else 1
    if args.json:
        compiled = getattr(answer.query, "notes", ())
        output.emit({
            "query": text, "commit": oracl.index.commit, "total": answer.total, "parsed": list(compiled),
            "results": [result.to_json() for result in answer.results],
        })  # fmt: skip
    elif args.z:
        output.write_paths(result.path for result in answer.results)
    elif args.porcelain:
        output.porcelain(answer)
    elif not answer.results:
        output.note(["nothing matches"])
        print("hint: fewer words, or: git oracl search prefix:src/", file=sys.stderr)
    else:
        _table(answer, oracl, args)
    return code


def _table(answer: Answer, oracl: Oracl, args: argparse.Namespace) -> None:
    if args.explain:
        for line in getattr(answer.query, "notes", ()):
            print(output.paint(f"    {output.plain(line)}", "dim"))
    for result, text in output.table(answer, numbered=True):
        print(text)
        if args.explain:
            output.explain(result)
        if args.snippet and result.snippet:
            output.snippet(result)
    print(output.paint(
        output.cut(
            f"{len(answer.results)} of {answer.total:,}, index at {output.short(oracl.index.commit)}."
            f" git oracl open 1 · --explain · --snippet", output.width()
        ), "dim",
    ))  # fmt: skip
