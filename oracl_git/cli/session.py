"""git oracl session: what was asked, opened and decided, kept for the next time and for others."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..errors import Unverified, UsageError
from ..graph.parameters import CLASSIFICATION
from ..recall.model import path_json
from ..service import Oracl
from . import output
from .parser import Late, machine, positive

if TYPE_CHECKING:
    from ..agent.record import Decided, File, Session
    from ..agent.session import Before, Sent, SessionMemory

_EPILOG = """\
A session is kept in .git/oracl, for you alone. What you ask and open after
start belongs to it, until the next start. ORACL_SESSION=NAME names another for
one command, so that two can go on at once.

save and push send paths, ids of blobs and decisions, signed with your key.
Never text of files, nor files whose classification is above the session's;
what you asked only with --questions. load and fetch take what a trusted key
signed (git oracl keys list), and nothing else.

ask takes for a node what has a ":" and names one: PATH:12, PATH:name,
PATH::name, file:NAME, hub:domain:NAME, constraint:ID, domain:component:PATH.
All else is a concept, as for search.

examples:
  git oracl session start review
  git oracl session ask "where is the retry budget decided"
  git oracl session ask shop/prices.py:12
  git oracl session ask --neighbours shop/prices.py --in --depth 2
  git oracl session decide "The budget stays in one place" --path shop/prices.py
  git oracl session push"""

_LINES = 10  # of each kind that are shown


def configure_session(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", parser_class=Late, help="what to do with a session"
    )
    start = actions.add_parser("start", help="begin a session or go on with one; shows what was decided before")
    start.add_argument("name", nargs="?", default="", metavar="NAME", help="letters, digits, . _ - (default: the time)")
    start.add_argument(
        "--classification", choices=tuple(CLASSIFICATION), default=None,
        help="of the most delicate files that a bundle may name (default internal)",
    )  # fmt: skip
    show = actions.add_parser("show", help="what was asked, opened and decided in it, and decided before")
    show.add_argument("name", nargs="?", default="", metavar="NAME", help="another session, or one that was loaded")
    decide = actions.add_parser("decide", help="remember a decision")
    decide.add_argument("text", nargs="+", metavar="TEXT", help="what was decided, in a sentence")
    decide.add_argument("--path", action="append", default=[], metavar="PATH", help="a file that it is about")
    ask = actions.add_parser("ask", help="ask the graph for a concept, a node or its neighbours: paths and fragments")
    ask.add_argument("query", nargs="+", metavar="QUERY", help="words, or the name of a node")
    kinds = ask.add_mutually_exclusive_group()
    kinds.add_argument("--concept", action="store_true", help="words, whatever they name")
    kinds.add_argument("--node", action="store_true", help="a node, or nothing")
    kinds.add_argument("--neighbours", action="store_true", help="what is reached from a node along the edges")
    ways = ask.add_mutually_exclusive_group()
    ways.add_argument("--in", action="store_true", dest="incoming", help="with --neighbours: who refers to it")
    ways.add_argument("--out", action="store_true", dest="outgoing", help="with --neighbours: whom it refers to")
    ask.add_argument("--depth", type=positive, default=1, metavar="N", help="with --neighbours: steps (default 1)")
    ask.add_argument("-n", "--limit", type=positive, default=10, metavar="N", help="at most N results (default 10)")
    save = actions.add_parser("save", help="write a signed bundle, and say what is in it")
    save.add_argument("file", metavar="FILE", help="where to")
    push = actions.add_parser("push", help="send a signed bundle to a remote, under refs/oracl/sessions")
    load = actions.add_parser("load", help="take a bundle from a file, if who signed it is trusted")
    load.add_argument("file", metavar="FILE", help="a bundle")
    fetch = actions.add_parser("fetch", help="take the bundles of a remote whose signers are trusted")
    for each in (push, fetch):
        each.add_argument("remote", nargs="?", default="origin", help="a remote of this repository (default origin)")
    for each in (save, push):
        each.add_argument("--questions", action="store_true", help="what was asked, too")
    for each in (load, fetch):
        each.add_argument("--base", default="", metavar="REF", help="whose allowed_signers count (default origin/HEAD)")
        each.add_argument("--trust", default="", metavar="FILE", help="an allowed_signers file instead")
    forget = actions.add_parser("forget", help="remove a session and what the log of questions has of it")
    forget.add_argument("name", nargs="?", default="", metavar="NAME", help="by name or id (default: the current one)")
    forget.add_argument("--all", action="store_true", help="every session, also those that were loaded")
    for each in (start, show, decide, ask, save, push, load, fetch, forget):
        machine(each)


def run_session(args: argparse.Namespace) -> int:
    """One action."""
    with Oracl.at() as oracl:
        run: Callable[[Oracl, argparse.Namespace], int] = globals()[f"_{args.action}"]
        return run(oracl, args)


def _start(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    memory = SessionMemory.start(oracl, args.name, args.classification or "")
    return _tell(oracl, memory, memory.session, "", args)


def _show(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    if not args.name:
        memory = SessionMemory(oracl)
        return _tell(oracl, memory, memory.session, "", args)
    memory = SessionMemory(oracl)
    return _tell(oracl, memory, *memory.look(args.name), args)


def _decide(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    memory = SessionMemory(oracl)
    decided = memory.decide(" ".join(args.text), args.path)
    output.note(oracl.notes)
    if args.json:
        output.emit({"session": memory.name, **_decision(memory, decided)})
    else:
        print(f"Decided in {memory.name}: {output.plain(decided.text)}")
    return 0


def _ask(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    kind = next((name for name in ("concept", "node", "neighbours") if getattr(args, name)), "auto")
    if not args.neighbours and (args.incoming or args.outgoing or args.depth > 1):
        raise UsageError("--in, --out and --depth tell how far neighbours are", "git oracl session ask --neighbours …")
    memory = SessionMemory(oracl)
    query = " ".join(args.query)
    way = "in" if args.incoming else "out" if args.outgoing else "both"
    found = memory.query_knowledge_graph(query, kind, args.limit, depth=args.depth, direction=way)
    answer = found.answer
    output.note([*oracl.notes, *answer.notes])
    if args.json:
        output.emit({
            "session": memory.name, "query": query, "kind": found.kind, "node": found.node,
            "commit": oracl.index.commit, "total": answer.total,
            "results": [result.to_json() for result in answer.results],
        })  # fmt: skip
    elif not answer.results:
        output.note(["nothing matches"])
    else:
        for _, text in output.table(answer, numbered=True):
            print(text)
        what = {"concept": "a concept", "node": f"node {found.node}"}.get(found.kind, f"neighbours of {found.node}")
        print(output.paint(f"{len(answer.results)} of {answer.total:,}: {output.plain(what)}", "dim"))
    return 0 if answer.results else 1


def _save(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    sent = SessionMemory(oracl).save(args.file, questions=args.questions)
    return _left(sent, {"file": args.file}, f"Wrote {output.plain(args.file)}", args, 0)


def _push(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    sent, state, text = SessionMemory(oracl).push(args.remote, questions=args.questions)
    code = {"rejected": Unverified.ROLLBACK, "refused": 128}.get(state, 0)
    where = output.plain(args.remote)
    said = f"{where} {state} it: {output.plain(text)}" if code else f"To {where} ({state})"
    return _left(sent, {"remote": args.remote, "state": state, "text": text}, said, args, code)


def _left(sent: Sent, more: dict[str, object], said: str, args: argparse.Namespace, code: int) -> int:
    """What left this clone, and what stayed."""
    from ..vault.keys import fingerprint

    names = {file.path for file in _files(sent.session)}
    counts = {"asked": sent.session.asked, "opened": sent.session.opened, "decided": sent.session.decided}
    if args.json:
        output.emit({
            **more, "session": sent.session.name, "id": sent.session.id, "seq": sent.seq, "key_id": sent.key_id,
            "classification": sent.session.classification, **{name: len(rows) for name, rows in counts.items()},
            "paths": sorted(names), "kept_back": list(sent.kept_back),
        })  # fmt: skip
        return code
    print(f"{said}: session {sent.session.name}, number {sent.seq}, signed by {fingerprint(sent.key_id)}")
    print(
        f"goes out   {output.plural(len(counts['decided']), 'decision')},"
        f" {output.plural(len(counts['asked']), 'question')}, {output.plural(len(names), 'path')}"
        f" ({sent.session.classification} at most), no text of files"
    )
    for told in sent.kept_back:
        print(f"stays here {told}")
    return code


def _files(session: Session) -> Iterable[File]:
    for asked in session.asked:
        yield from asked.files
    for opened in session.opened:
        yield opened.file
    for decided in session.decided:
        yield from decided.files


def _load(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory

    memory = SessionMemory(oracl)
    read = memory.load(args.file, trust=args.trust, base=args.base)
    return _tell(oracl, memory, read.session, read.by, args)


def _fetch(oracl: Oracl, args: argparse.Namespace) -> int:
    """The worst of what was not believed; a stranger's bundle is only that where there is nothing else."""
    from ..agent.session import SessionMemory

    memory = SessionMemory(oracl)
    rows = memory.load_remote(args.remote, trust=args.trust, base=args.base)
    if args.json:
        output.emit({"sessions": [row._asdict() for row in rows]})
    else:
        for row in rows:
            text = f"  {output.plain(row.text)}" if row.text else f"  {output.plain(row.by)}"
            print(f"{row.state:9} {output.plain(row.name)}{text}")
        if not rows:
            print("There are no sessions there.")
    codes = {row.exit_code for row in rows}
    if Unverified.UNTRUSTED in codes and len(codes) > 1:
        codes.remove(Unverified.UNTRUSTED)
    worst = (Unverified.TAMPERED, Unverified.ROLLBACK, Unverified.MISMATCH, Unverified.UNTRUSTED)
    return next((code for code in worst if code in codes), 0)


def _forget(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..agent.session import SessionMemory, forget_all

    if args.all and args.name:
        raise UsageError("--all is every session: it goes with no name", "git oracl session forget --all")
    if args.all:
        count, gone = forget_all(oracl), 0
    else:
        memory = SessionMemory(oracl, args.name)
        there, gone = memory.forget()
        if not there:
            raise UsageError(f"there is no session {memory.name}", "git oracl session show lists those there are")
        count = 1
    if args.json:
        output.emit({"sessions": count, "records": gone})
    else:
        print(f"Forgot {output.plural(count, 'session')}. What was pushed stays where it was pushed to.")
    return 0


# -- one session, told ------------------------------------------------------------------------


def _tell(oracl: Oracl, memory: SessionMemory, session: Session, by: str, args: argparse.Namespace) -> int:
    if oracl.repo.head is not None:
        oracl.fresh()
    others = [name for name in memory.kept.names() if name != session.name]
    before = memory.before() if args.action != "load" else []
    output.note([*oracl.notes, *memory.notes])
    if args.json:
        output.emit(_json(memory, session, by, before, others))
        return 0
    who = f", signed by {output.plain(by)}" if by else ""
    begun = f", begun {_when(session.started)}" if session.started else ""
    print(f"session {session.name}{who}{begun}, {session.classification} at most")
    _list("decided", (f"{output.plain(d.text)}{_about(memory, d.files)}" for d in session.decided))
    _list("opened", (output.place(one.file.path, one.fragment) for one in session.opened))
    _list("asked", (output.plain(one.question) for one in session.asked))
    _list("decided before", (
        f"{output.plain(row.decided.text)}{_about(memory, row.decided.files)}"
        f"  ({output.plain(', '.join(filter(None, (row.session, row.by))))})" for row in reversed(before)
    ))  # fmt: skip
    if others:
        print(output.paint(output.cut(f"others: {' '.join(others)}", output.width()), "dim"))
    return 0


def _list(title: str, rows: Iterable[str]) -> None:
    """The newest, each once."""
    found = list(dict.fromkeys(rows))
    if found:
        print(f"\n{title}")
    if len(found) > _LINES:
        print(output.paint(f"  … {len(found) - _LINES} before: --json has all", "dim"))
    for row in found[-_LINES:]:
        print(f"  {row}")


def _about(memory: SessionMemory, files: Iterable[File]) -> str:
    told = [output.plain(file.path) + (" (changed since)" if memory.changed(file) else "") for file in files]
    return f"  [{', '.join(told)}]" if told else ""


def _json(
    memory: SessionMemory, session: Session, by: str, before: list[Before], others: list[str]
) -> dict[str, object]:
    return {
        "session": session.name, "id": session.id, "by": by, "started": _stamp(session.started),
        "classification": session.classification,
        "asked": [
            {
                "time": _stamp(a.time), "kind": a.kind, "question": a.question,
                "files": [_file(memory, file) for file in a.files],
            }
            for a in session.asked
        ],
        "opened": [
            {"time": _stamp(o.time), "fragment": o.fragment, **_file(memory, o.file)} for o in session.opened
        ],
        "decided": [_decision(memory, decided) for decided in session.decided],
        "before": [{"session": row.session, "by": row.by, **_decision(memory, row.decided)} for row in before],
        "sessions": others,
    }  # fmt: skip


def _decision(memory: SessionMemory, decided: Decided) -> dict[str, object]:
    files = [_file(memory, file) for file in decided.files]
    return {"time": _stamp(decided.time), "text": decided.text, "files": files}


def _file(memory: SessionMemory, file: File) -> dict[str, object]:
    return {**path_json(file.path), "blob": file.blob, "changed": memory.changed(file)}


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def _stamp(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else ""
