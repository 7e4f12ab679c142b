"""git oracl related: what goes with these files, and why."""

from __future__ import annotations

import argparse
import sys

from ..errors import UsageError
from ..recall import tables
from ..recall.model import Answer
from ..service import Oracl
from . import output
from .parser import answers
from .progress import Bar
from .search import batch

_EPILOG = """\
examples:
  git oracl related src/app.py
  git oracl related --staged --kind tests -z | xargs -0 pytest
  git oracl related --why src/app.py docs/app.md"""


def configure_related(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files, as one question")
    parser.add_argument("--staged", action="store_true", help="the staged files")
    parser.add_argument("--commit", metavar="REV", default="", help="the files of a commit")
    parser.add_argument("--diff", metavar="RANGE", default="", help="the files of A..B")
    parser.add_argument("--kind", choices=tables.ROLES, default="", help="only files of this kind")
    parser.add_argument("--why", action="store_true", help="explain one pair: two PATHs")
    parser.add_argument("--stdin", action="store_true", help="one path a line; one JSON object a line back")
    answers(parser)


def run_related(args: argparse.Namespace) -> int:
    """Answer; 1 when nothing is related."""
    with Oracl.at(worktree=args.worktree) as oracl:
        if args.stdin:
            return batch(
                oracl, lambda raw: _ask(oracl, list(map(str, raw)) if isinstance(raw, list) else [str(raw)], args)
            )
        paths = list(args.paths)
        if args.staged or args.commit or args.diff:
            paths += [
                ":/" + path for path in oracl.changed_paths(staged=args.staged, commit=args.commit, diff=args.diff)
            ]
        if not paths:
            if args.staged or args.commit or args.diff:
                output.empty_change(args.staged)
                return 1
            print("git-oracl: related needs a path.\nhint: git oracl related -h", file=sys.stderr)
            return 2
        if args.why:
            return _why(oracl, paths, args)
        answer = _ask(oracl, paths, args)
        output.note([*oracl.notes, *answer.notes])
        return _show(answer, paths, oracl, args)


def _ask(oracl: Oracl, paths: list[str], args: argparse.Namespace) -> Answer:
    with Bar() as tell:
        return oracl.related(paths, limit=args.limit, kind=args.kind, update=not args.no_update, progress=tell)


def _why(oracl: Oracl, paths: list[str], args: argparse.Namespace) -> int:
    if len(paths) != 2:
        print("git-oracl: --why takes two paths.\nhint: git oracl related --why A B", file=sys.stderr)
        return 2
    if args.z or args.porcelain:
        raise UsageError("--why gives reasons, no paths", "git oracl related --why A B --json")
    reasons = oracl.why(*paths)
    if args.json:
        rows = [{"signal": r.signal, "text": r.text, "share": round(r.share, 6)} for r in reasons]
        output.emit({"paths": paths, "score": round(sum(r.share for r in reasons), 6), "reasons": rows})
    else:
        for reason in reasons:
            print(f"{reason.share:8.4f}  {reason.signal:10} {output.plain(output.lines(reason.text))}")
        if not reasons:
            output.note(["nothing ties them"])
    return 0 if reasons else 1


def _show(answer: Answer, paths: list[str], oracl: Oracl, args: argparse.Namespace) -> int:
    if args.json:
        output.emit({
            "query": [path.removeprefix(":/") for path in paths], "commit": oracl.index.commit, "total": answer.total,
            "results": [result.to_json() for result in answer.results],
        })  # fmt: skip
    elif args.z:
        output.write_paths(result.path for result in answer.results)
    elif args.porcelain:
        output.porcelain(answer)
    elif not answer.results:
        output.note(["nothing is related"])
    else:
        for result, text in output.table(answer, numbered=False):
            print(text)
            if args.explain:
                output.explain(result)
    return 0 if answer.results else 1
