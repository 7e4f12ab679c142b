"""git oracl ontology experience, memory, working-memory: what agents learned, proposed and hold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from ..errors import UsageError
from ..ontology import experience, learned, memory, working
from ..ontology.model import DECISIONS, SCOPES, TICKET_STATUSES
from ..ontology.runtime import Runtime
from . import ontology_show as show
from .ontology_options import actions_of, allowed, scopes, share, who
from .parser import machine, positive


def configure_experience(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
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
    ingest.add_argument("--salience", type=share, default=0.5, help="how much it matters, 0 to 1 (default 0.5)")
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
            scopes(action)
        machine(action)


def run_experience(runtime: Runtime, args: argparse.Namespace) -> int:
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
        return show.rows(experience.eligible(runtime.reader, args.agent, allowed(args)), args)
    found = experience.recall(
        runtime.reader,
        runtime.adapter,
        " ".join(args.text),
        args.agent,
        scopes=allowed(args),
        budget=args.budget,
        limit=max(0, args.limit),
    )
    return show.memories(found, args)


def _memories(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
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


def configure_memory(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
        parser,
        {
            "candidates": "the queue",
            "decide": "a curator's word on a ticket",
            "write": "always refused: only a curator writes durable memory",
            "contradict": "say that two memories cannot both hold",
        },
    )
    actions["candidates"].add_argument("--status", choices=TICKET_STATUSES, default="", help="only these")
    scopes(actions["candidates"])
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


def run_memory(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "write":
        memory.write_durable(runtime, args.text)
    if args.what == "candidates":
        found = memory.tickets(
            runtime.reader, status=args.status, scopes=allowed(args), experience=bool(runtime.path and not runtime.own)
        )
        return show.tickets(found, args)
    runtime.renew()
    with runtime.writing() as db:
        if args.what == "contradict":
            memory.contradict(db, args.ticket, args.other, reason=args.reason, actor=who())
            print(f"{args.ticket} and {args.other} contradict each other.")
            return 0
        learned.pull(db, runtime.project)
        ticket = memory.decide(
            db, runtime.project, args.ticket, args.decision, reason=args.reason, actor=who(), by=args.by
        )
        learned.push(db, runtime.project)
    print(
        f"{ticket.ref} is {ticket.status}."
        + (" It becomes a file with: git oracl curate apply" if ticket.status == "approved" else "")
    )
    return 0


def configure_working(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
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
    scopes(actions["read"])
    machine(actions["read"])
    actions["prune"].add_argument(
        "--below",
        type=share,
        default=working.EVICT_BELOW,
        help=f"evict what matters less (default {working.EVICT_BELOW})",
    )
    actions["invalidate"].add_argument("item", help="its id")
    actions["invalidate"].add_argument("--reason", required=True, help="what is wrong with it")


def run_working(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "read":
        return show.items(working.read(runtime.reader, args.agent, scopes=allowed(args), all=args.all), args)
    with runtime.writing() as db:
        if args.what == "prune":
            expired, evicted = working.prune(db, args.agent, below=args.below)
            print(f"{expired} expired, {evicted} evicted.")
            return 0
        done = working.invalidate(db, args.agent, args.item, args.reason)
    print(f"{args.item} is invalidated." if done else f"{args.agent} holds no {args.item}.")
    return 0 if done else 1
