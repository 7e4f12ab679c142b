"""git oracl ontology query, graph, hook: questions to documents and entities."""

from __future__ import annotations

import argparse
import sys

from ..errors import NotARepository
from ..ontology import experience, graph, hook
from ..ontology.runtime import Runtime
from . import ontology_show as show
from . import output
from .ontology_options import actions_of, allowed, scopes
from .parser import machine, positive


def configure_query(parser: argparse.ArgumentParser) -> None:
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
    scopes(parser)
    machine(parser)


def run_query(runtime: Runtime, args: argparse.Namespace) -> int:
    question = " ".join(args.text)
    asked = runtime.query(question, scopes=allowed(args), agent=args.agent, limit=args.limit, budget=args.budget)
    if not args.no_code and runtime.own and runtime.project.repo is not None:
        from ..companion import add_artifacts
        from ..service import Oracl

        try:
            with Oracl.at(runtime.project.root) as oracl:
                add_artifacts(oracl, runtime, asked)
        except NotARepository:
            pass
    if args.record_memory:
        runtime.record(asked, args.agent)
    return show.answer(asked, args)


def configure_graph(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
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
        scopes(action)
        machine(action)


def run_graph(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "entity":
        return show.entity(graph.entity(runtime.reader, args.name, allowed(args)), args)
    if args.what == "entities":
        return show.entities(graph.entities(runtime.reader, allowed(args), args.kind, args.limit), args)
    from ..companion import GraphNames
    from ..ontology.documents import of_artifact
    from ..service import Oracl

    with Oracl.at(runtime.project.root) as oracl:
        names = GraphNames(oracl.fresh())
        node = oracl.resolve(args.path)[0]
        return show.documents(of_artifact(runtime.reader, node.path, names, allowed(args)), args)


def configure_hook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agent", default="", help="whose experience to add; else as the object on stdin says")
    parser.add_argument(
        "--budget",
        type=positive,
        default=hook.BUDGET,
        metavar="TOKENS",
        help=f"of all that is given back (default {hook.BUDGET})",
    )
    scopes(parser)


def run_hook(runtime: Runtime, args: argparse.Namespace) -> int:
    output.emit(
        hook.answer(
            runtime, sys.stdin.buffer.read(hook.MOST_INPUT), agent=args.agent, budget=args.budget, scopes=allowed(args)
        )
    )
    return 0
