"""git oracl ontology: documents, entities and memory beside the graph; also the console script `ontology`.

Knows what there is to type, and which function answers. How answers look is in
`ontology_show.py`.
"""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from ..companion import add_artifacts, ontology_at
from ..errors import NotARepository, UsageError
from ..ontology import experience, graph, hook, memory, store, transfer, working
from ..ontology.embedding import ADAPTERS, Adapter
from ..ontology.model import DECISIONS, DEFAULT_SCOPES, SCOPES, TICKET_STATUSES
from ..ontology.runtime import Runtime
from . import ontology_show as show
from . import output
from .parser import machine, positive
from .progress import Bar

Run = Callable[[Runtime, argparse.Namespace], int]


def configure_ontology(parser: argparse.ArgumentParser) -> None:
    """Declare the options that stand before the action, and the actions."""
    parser.add_argument("--db", default="", metavar="FILE", help="a store of its own instead of the project's")
    parser.add_argument("--project", default="", metavar="DIR", help="the project (default: the repository here)")
    parser.add_argument(
        "--embedding-adapter",
        choices=ADAPTERS,
        default="",
        help="how text becomes vectors (default: as configured, else auto)",
    )
    parser.add_argument(
        "--local-model-path", default="", metavar="DIR", help="a verified Model2Vec asset, for model2vec"
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", help="what to do; -h after it tells its options"
    )
    for name, (configure, _, text) in ACTIONS.items():
        configure(actions.add_parser(name, help=text, allow_abbrev=False))


def run_ontology(args: argparse.Namespace) -> int:
    """One action."""
    project = args.directory if args.action == "auto" else args.project
    with ontology_at(
        project, db=args.db, embedding=args.embedding_adapter, model_path=args.local_model_path
    ) as runtime:
        return ACTIONS[args.action][1](runtime, args)


def main() -> int:
    """The console script `ontology`: `git oracl ontology` under its short name."""
    from . import main as oracl

    return oracl(["ontology", *(os.fsencode(arg).decode("utf-8", "surrogateescape") for arg in sys.argv[1:])])


# -- options that several share ---------------------------------------------------------------------


def _scopes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scope", action="append", choices=SCOPES, help="only these scopes (default: public and internal)"
    )
    parser.add_argument("--private", action="store_true", help="private ones too")


def _allowed(args: argparse.Namespace) -> tuple[str, ...]:
    given = tuple(args.scope or DEFAULT_SCOPES)
    return (*given, "private") if args.private and "private" not in given else given


def _sub(parser: argparse.ArgumentParser, names: dict[str, str]) -> dict[str, argparse.ArgumentParser]:
    inner = parser.add_subparsers(dest="what", required=True, metavar=" | ".join(names), help="what to do")
    return {name: inner.add_parser(name, help=text, allow_abbrev=False) for name, text in names.items()}


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def who() -> str:
    """Who decides: the name of the account."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


# -- activation -------------------------------------------------------------------------------------


def _configure_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--restore", action="store_true", help="put the rolling backup in the place of a store that is gone or broken"
    )
    parser.add_argument("--anew", action="store_true", help="start empty although there is a backup")
    machine(parser)


def _init(runtime: Runtime, args: argparse.Namespace) -> int:
    made, offered = runtime.init(restore=args.restore)
    if offered and args.anew:
        with runtime.writing(make=True):
            made, offered = [*made, runtime.path], False
    if args.json:
        output.emit({"made": made, "backup": runtime.backup_place if offered else ""})
    elif offered:
        output.note(
            [
                "there was a store here, and a backup of it is kept; nothing has been made in its place",
                "git oracl ontology init --restore brings it back, git oracl ontology init --anew starts empty",
            ]
        )
    else:
        print(
            f"The ontology is active in {output.plain(runtime.project.root)}"
            + (f" ({len(made)} made)." if made else ", as it was.")
        )
        print("Only .agentlas/ontology-inbox/ and registered sources are ever read.")
        print("Try: git oracl ontology sources add docs; git oracl ontology ingest")
    return 1 if offered else 0


def _configure_auto(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", nargs="?", default=".", help="the project (default: here)")
    machine(parser)


def _auto(runtime: Runtime, args: argparse.Namespace) -> int:
    made, offered = runtime.init()
    if offered:
        runtime.init(restore=True)
    counts = runtime.ingest()
    show.counts(counts, 0.0, args, made=made)
    return 0


def _configure_sources(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser,
        {
            "add": "register a file or directory",
            "list": "what is registered, and whether it may be read here",
            "remove": "take a source out of the register",
        },
    )
    _add_options(actions["add"])
    actions["remove"].add_argument("path", help="as it is registered")
    machine(actions["list"])
    # The source names these two with --project behind the action.
    for action in actions.values():
        action.add_argument(
            "--project", default=argparse.SUPPRESS, metavar="DIR", help="the project (default: the repository here)"
        )


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="inside the project, or anywhere with --allow-outside")
    parser.add_argument("--scope", choices=SCOPES, default="internal", help="who may see it (default internal)")
    parser.add_argument(
        "--kind", default="project", help="a word for what it is: project, company, personal (default project)"
    )
    parser.add_argument(
        "--allow-outside",
        action="store_true",
        help="approve, on this machine, a place outside the project or one for keys",
    )


def _sources(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "list":
        return show.sources(runtime.sources(), args)
    if args.what == "remove":
        root = runtime.root_of(args.path, scope="internal", kind="", base=os.getcwd())
        if not (runtime.remove_source(root.path) or runtime.remove_source(os.path.normpath(args.path))):
            raise UsageError(f"{args.path} is not registered", "git oracl ontology sources list")
        print(
            f"{output.plain(args.path)} is no longer registered; what was read from it goes with: git oracl"
            " ontology ingest"
        )
        return 0
    root = runtime.root_of(args.path, scope=args.scope, kind=args.kind, base=os.getcwd())
    new = runtime.add_source(root, allow_outside=args.allow_outside)
    print(
        f"{output.plain(root.path)} is registered as {root.scope}{'' if new else ', as it was'}. Read it: git"
        " oracl ontology ingest"
    )
    return 0


def _add(runtime: Runtime, args: argparse.Namespace) -> int:
    args.what = "add"
    return _sources(runtime, args)


def _configure_ingest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="register these first; none: the inbox and what is registered"
    )
    parser.add_argument("--scope", choices=SCOPES, default="internal", help="of the paths given (default internal)")
    parser.add_argument("--kind", default="project", help="of the paths given (default project)")
    parser.add_argument(
        "--allow-outside", action="store_true", help="approve, on this machine, places outside the project or for keys"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing")
    machine(parser)


def _ingest(runtime: Runtime, args: argparse.Namespace) -> int:
    roots = [runtime.root_of(path, scope=args.scope, kind=args.kind, base=os.getcwd()) for path in args.paths]
    for root in roots:
        if runtime.own:
            runtime.add_source(root, allow_outside=args.allow_outside)
        else:
            runtime.permit(root, args.allow_outside)
    started = time.monotonic()
    with Bar() as tell:
        counts = runtime.ingest(roots, progress=tell)
    if not args.quiet:
        show.counts(counts, time.monotonic() - started, args)
    return 1 if counts.refused else 0


def _configure_status(parser: argparse.ArgumentParser) -> None:
    machine(parser)


def _status(runtime: Runtime, args: argparse.Namespace) -> int:
    return show.status(runtime.status(), args)


# -- asking -----------------------------------------------------------------------------------------


def _configure_query(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="the question; every string is one")
    parser.add_argument("-n", "--limit", type=positive, default=10, metavar="N", help="at most N passages (default 10)")
    parser.add_argument("--agent", default="", help="recall this agent's experience too")
    parser.add_argument(
        "--budget",
        type=positive,
        default=experience.BUDGET,
        metavar="TOKENS",
        help=f"of experience (default {experience.BUDGET})",
    )
    parser.add_argument(
        "--record-memory",
        action="store_true",
        help="propose tickets and hold the answer in working memory; else nothing is written",
    )
    parser.add_argument("--explain", action="store_true", help="every term of every score")
    parser.add_argument("--no-code", action="store_true", help="passages only, without the artifacts of the graph")
    _scopes(parser)
    machine(parser)


def _query(runtime: Runtime, args: argparse.Namespace) -> int:
    question = " ".join(args.text)
    asked = runtime.query(question, scopes=_allowed(args), agent=args.agent, limit=args.limit, budget=args.budget)
    if not args.no_code and runtime.own and runtime.project.repo is not None:
        from ..service import Oracl

        try:
            with Oracl.at(runtime.project.root) as oracl:
                add_artifacts(oracl, runtime, asked)
        except NotARepository:
            pass
    if args.record_memory:
        runtime.record(asked, args.agent)
    return show.answer(asked, args)


def _configure_graph(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser,
        {
            "entity": "one entity: where it is named, what is said of it",
            "entities": "all of them, most often named first",
            "documents": "the passages that document a file",
        },
    )
    actions["entity"].add_argument("name", help="a name, an alias or an id")
    actions["entities"].add_argument("--kind", default="", help="organisation, person, project, term, contact or name")
    actions["entities"].add_argument(
        "-n", "--limit", type=positive, default=50, metavar="N", help="at most N (default 50)"
    )
    actions["documents"].add_argument("path", help="a file of the repository")
    for action in actions.values():
        _scopes(action)
        machine(action)


def _graph(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "entity":
        return show.entity(graph.entity(runtime.reader, args.name, _allowed(args)), args)
    if args.what == "entities":
        return show.entities(graph.entities(runtime.reader, _allowed(args), args.kind, args.limit), args)
    from ..companion import GraphNames
    from ..ontology.documents import of_artifact
    from ..service import Oracl

    with Oracl.at(runtime.project.root) as oracl:
        names = GraphNames(oracl.fresh())
        node = oracl.resolve(args.path)[0]
        return show.documents(of_artifact(runtime.reader, node.path, names, _allowed(args)), args)


def _configure_experience(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser,
        {
            "ingest": "project a memory of an agent",
            "query": "recall the memories that bear on a question",
            "list": "what may be recalled",
            "path": "where a Hub agent's experience is kept",
        },
    )
    ingest = actions["ingest"]
    ingest.add_argument("text", nargs="?", default="", help="what was learned")
    ingest.add_argument(
        "--stdin",
        action="store_true",
        help="one JSON object a line: text, tags, salience, scope, kind, source_memory_id, created_at, expires",
    )
    ingest.add_argument("--tag", action="append", default=[], help="a word for what it is about (repeatable)")
    ingest.add_argument("--kind", default="experience", help="of memory; `turn` for what was said in a conversation")
    ingest.add_argument("--salience", type=_share, default=0.5, help="how much it matters, 0 to 1 (default 0.5)")
    ingest.add_argument("--source-memory-id", default="", metavar="ID", help="its name where it comes from")
    ingest.add_argument("--expires", default="", metavar="WHEN", help="a date, or a span such as 30d")
    ingest.add_argument("--scope", choices=SCOPES, default="internal", help="who may see it (default internal)")
    query = actions["query"]
    query.add_argument("text", nargs="+", help="the question")
    query.add_argument(
        "-n", "--limit", type=int, default=0, metavar="N", help="at most N (default: all that fit the budget)"
    )
    query.add_argument(
        "--budget", type=positive, default=experience.BUDGET, metavar="TOKENS", help=f"default {experience.BUDGET}"
    )
    query.add_argument("--explain", action="store_true", help="every term of every score")
    for name, action in actions.items():
        action.add_argument("--agent", required=True, help="whose experience it is, exactly")
        action.add_argument(
            "--hub", action="store_true", help="in the agent's own file on this machine, not in the project"
        )
        if name in ("query", "list"):
            _scopes(action)
        machine(action)


def _experience(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "path":
        print(experience.database_of(args.agent))
        return 0
    if args.hub:
        runtime.path, runtime.own = experience.database_of(args.agent), False
    if args.what == "ingest":
        rows = list(_memories(args))
        with runtime.writing(make=not runtime.own) as db:
            new, changed, same, refs = experience.ingest(db, runtime.adapter, args.agent, rows)
        return show.learned(new, changed, same, refs, args)
    if args.what == "list":
        return show.rows(experience.eligible(runtime.reader, args.agent, _allowed(args)), args)
    found = experience.recall(
        runtime.reader,
        runtime.adapter,
        " ".join(args.text),
        args.agent,
        scopes=_allowed(args),
        budget=args.budget,
        limit=max(0, args.limit),
    )
    return show.memories(found, args)


def _memories(args: argparse.Namespace) -> Any:
    if not args.stdin:
        yield {
            "text": args.text,
            "tags": args.tag,
            "salience": args.salience,
            "scope": args.scope,
            "kind": args.kind,
            "source_memory_id": args.source_memory_id,
            "expires": args.expires,
        }
        return
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if (
            not isinstance(row, dict)
            or not isinstance(row.get("salience", 0.5), (int, float))
            or not isinstance(row.get("tags") or [], list)
        ):
            raise UsageError(
                f"line {number} is not a memory",
                'printf \'{"text": "…"}\\n\' | git oracl ontology experience ingest --stdin --agent NAME',
            )
        yield {"scope": args.scope, "kind": args.kind, "salience": args.salience, **row}


def _configure_hook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", default="", help="whose experience to add; else as the object on stdin says")
    parser.add_argument(
        "--budget",
        type=positive,
        default=hook.BUDGET,
        metavar="TOKENS",
        help=f"of all that is given back (default {hook.BUDGET})",
    )
    _scopes(parser)


def _hook(runtime: Runtime, args: argparse.Namespace) -> int:
    output.emit(
        hook.answer(
            runtime, sys.stdin.buffer.read(hook.MOST_INPUT), agent=args.agent, budget=args.budget, scopes=_allowed(args)
        )
    )
    return 0


# -- memory -----------------------------------------------------------------------------------------


def _configure_memory(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser,
        {
            "candidates": "the queue",
            "decide": "a curator's word on a ticket",
            "write": "always refused: only a curator writes durable memory",
            "contradict": "say that two memories cannot both hold",
        },
    )
    actions["candidates"].add_argument("--status", choices=TICKET_STATUSES, default="", help="only these")
    _scopes(actions["candidates"])
    machine(actions["candidates"])
    decide = actions["decide"]
    decide.add_argument("ticket", help="its id, or how it begins")
    decide.add_argument("decision", choices=[*DECISIONS], help="what to say")
    decide.add_argument("--by", default="", metavar="TICKET", help="what supersedes it")
    actions["contradict"].add_argument("ticket", help="one of the two")
    actions["contradict"].add_argument("other", help="the other")
    for name in ("decide", "contradict"):
        actions[name].add_argument("--reason", required=True, help="why; it is kept")
    actions["write"].add_argument("text", nargs="*", help="what would be remembered")


def _memory(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "write":
        memory.write_durable(runtime, args.text)
    if args.what == "candidates":
        found = memory.tickets(
            runtime.reader, status=args.status, scopes=_allowed(args), experience=bool(runtime.path and not runtime.own)
        )
        return show.tickets(found, args)
    with runtime.writing() as db:
        if args.what == "contradict":
            memory.contradict(db, args.ticket, args.other, reason=args.reason, actor=who())
            print(f"{args.ticket} and {args.other} contradict each other.")
            return 0
        ticket = memory.decide(
            db, runtime.project, args.ticket, args.decision, reason=args.reason, actor=who(), by=args.by
        )
    print(
        f"{ticket.ref} is {ticket.status}."
        + (" It becomes a file with: git oracl curate apply" if ticket.status == "approved" else "")
    )
    return 0


def _configure_working(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser,
        {
            "read": "what an agent holds at hand",
            "prune": "mark what is over or matters little",
            "invalidate": "mark an item as wrong",
        },
    )
    for action in actions.values():
        action.add_argument("--agent", required=True, help="whose memory it is, exactly")
    actions["read"].add_argument("--all", action="store_true", help="what has ended too")
    _scopes(actions["read"])
    machine(actions["read"])
    actions["prune"].add_argument(
        "--below",
        type=_share,
        default=working.EVICT_BELOW,
        help=f"evict what matters less (default {working.EVICT_BELOW})",
    )
    actions["invalidate"].add_argument("item", help="its id")
    actions["invalidate"].add_argument("--reason", required=True, help="what is wrong with it")


def _working(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "read":
        return show.items(working.read(runtime.reader, args.agent, scopes=_allowed(args), all=args.all), args)
    with runtime.writing() as db:
        if args.what == "prune":
            expired, evicted = working.prune(db, args.agent, below=args.below)
            print(f"{expired} expired, {evicted} evicted.")
            return 0
        done = working.invalidate(db, args.agent, args.item, args.reason)
    print(f"{args.item} is invalidated." if done else f"{args.agent} holds no {args.item}.")
    return 0 if done else 1


# -- care -------------------------------------------------------------------------------------------


def _configure_storage(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser,
        {
            "backup": "copy the store whole",
            "export": "write everything as one JSON file",
            "import": "read an export, whole or not at all",
            "vacuum": "give unused space back",
            "check": "is the store sound?",
        },
    )
    for name in ("backup", "export", "import"):
        actions[name].add_argument("file", help="where to" if name != "import" else "where from")
    actions["import"].add_argument("--replace", action="store_true", help="in place of what the store holds")
    actions["check"].add_argument(
        "--migrate", action="store_true", help="bring a store of an older format up to date first"
    )


def _storage(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "backup":
        runtime.reader.execute("SELECT 1")
        print(f"{store.backup(runtime.path, args.file):,} bytes in {output.plain(args.file)}.")
    elif args.what == "export":
        print(f"{transfer.export(runtime.reader, args.file):,} rows in {output.plain(args.file)}.")
    elif args.what == "import":
        with runtime.writing(make=not runtime.own) as db:
            print(f"{transfer.load(db, args.file, replace=args.replace):,} rows read.")
    elif args.what == "vacuum":
        before, after = store.vacuum(runtime.path)
        print(f"{before:,} bytes before, {after:,} after.")
    else:
        if args.migrate:
            with runtime.writing():
                pass
        wrong = store.check(runtime.reader)
        for line in wrong:
            print(output.plain(line))
        if not wrong:
            print("The store is sound.")
        return 1 if wrong else 0
    return 0


def _configure_model(parser: argparse.ArgumentParser) -> None:
    actions = _sub(
        parser, {"verify": "check every byte of the table that encodes", "status": "which adapter encodes, and why"}
    )
    actions["verify"].add_argument("path", nargs="?", default="", help="an asset's directory (default: what is in use)")
    for action in actions.values():
        machine(action)


def _model(runtime: Runtime, args: argparse.Namespace) -> int:
    from ..ontology import embedding

    if args.what == "status":
        return show.adapter(runtime.adapter, args)
    checked: Adapter = embedding.verify(args.path)
    return show.adapter(checked, args)


def _configure_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "corpus",
        nargs="?",
        default="",
        help="a directory of documents (default: examples/ontology-corpus here, else a small one made for it)",
    )
    machine(parser)


def _verify(runtime: Runtime, args: argparse.Namespace) -> int:
    from ..ontology import verify

    return show.checks(verify.run(runtime.project, args.corpus, args.embedding_adapter), args)


ACTIONS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], Run, str]] = {
    "init": (_configure_init, _init, "activate the ontology in this project"),
    "auto": (_configure_auto, _auto, "activate it and read what there is, without a question"),
    "sources": (_configure_sources, _sources, "register what may be read"),
    "add": (_add_options, _add, "the same as sources add"),
    "ingest": (_configure_ingest, _ingest, "read the inbox and the registered sources"),
    "status": (_configure_status, _status, "what is held, what failed and why"),
    "query": (_configure_query, _query, "ask: passages, entities, relations, experience, code"),
    "graph": (_configure_graph, _graph, "entities, their relations, and what documents a file"),
    "experience": (_configure_experience, _experience, "what an agent learned: project it, recall it"),
    "hook": (_configure_hook, _hook, "answer a host's question on stdin within a budget"),
    "memory": (_configure_memory, _memory, "the queue under its old name: see git oracl curate"),
    "working-memory": (_configure_working, _working, "what agents hold at hand"),
    "storage": (_configure_storage, _storage, "back up, export, import, tidy, check"),
    "model": (_configure_model, _model, "the table that encodes"),
    "verify": (_configure_verify, _verify, "run documents through everything, and say what holds"),
}
