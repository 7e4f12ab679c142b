"""git oracl curate: what was proposed, a person's word on it, and the files that follow."""

from __future__ import annotations

import argparse

from ..companion import ontology_at
from ..ontology import curator, evidence, learned, memory
from ..ontology.model import DECISIONS, DEFAULT_SCOPES, TICKET_STATUSES, TICKET_TYPES
from ..ontology.project import Project
from ..ontology.store import Connection
from . import ontology_show as show
from . import output
from .curate_propose import configure_propose, run_propose
from .ontology_options import who
from .parser import machine

_OPEN = ("candidate", "approved", "quarantined", "stale")
_WORDS = {
    "approve": "accept it; files follow with apply",
    "reject": "say no",
    "quarantine": "set it apart until more is known",
    "supersede": "say that another ticket stands in its place",
    "deprecate": "say that it held once, and holds no more",
}


def configure_curate(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    parser.add_argument("--db", default="", metavar="FILE", help="a store of its own instead of the project's")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", help="what to do with the queue")
    listing = actions.add_parser(
        "list", help="the queue: what waits, what was approved, what went stale", allow_abbrev=False
    )
    listing.add_argument("--status", choices=TICKET_STATUSES, default="", help="only these")
    listing.add_argument("--type", choices=TICKET_TYPES, default="", help="only these")
    listing.add_argument("--all", action="store_true", help="decided ones too")
    listing.add_argument("--private", action="store_true", help="private ones too")
    machine(listing)
    configure_propose(
        actions.add_parser("propose", help="put a ticket of your own into the queue", allow_abbrev=False)
    )
    one = actions.add_parser("show", help="a ticket with its evidence, its events and its links", allow_abbrev=False)
    one.add_argument("ticket", help="its id, or how it begins")
    one.add_argument("--private", action="store_true", help="a private one too")
    machine(one)
    for name in DECISIONS:
        decide = actions.add_parser(name, help=_WORDS[name], allow_abbrev=False)
        decide.add_argument("tickets", nargs="+", metavar="TICKET", help="ids, or how they begin")
        decide.add_argument("--reason", required=True, help="why; it is kept")
        if name == "supersede":
            decide.add_argument("--by", required=True, metavar="TICKET", help="what stands in its place")
    undo = actions.add_parser("undo", help="take back the last decision: it is as it was before", allow_abbrev=False)
    undo.add_argument("tickets", nargs="+", metavar="TICKET", help="ids, or how they begin")
    undo.add_argument("--reason", required=True, help="why; it is kept")
    contradict = actions.add_parser(
        "contradict", help="say that two tickets cannot both hold; each is still to be decided", allow_abbrev=False
    )
    contradict.add_argument("ticket", help="one of the two")
    contradict.add_argument("other", help="the other")
    contradict.add_argument("--reason", required=True, help="why; it is kept")
    dedup = actions.add_parser(
        "dedup", help="supersede tickets that say the same as an earlier one", allow_abbrev=False
    )
    dedup.add_argument("-n", "--dry-run", action="store_true", help="only say which")
    apply = actions.add_parser(
        "apply", help="write approved tickets as files for review; commits nothing", allow_abbrev=False
    )
    apply.add_argument("--allow-private", action="store_true", help="private ones too: they will be tracked by git")
    apply.add_argument("-n", "--dry-run", action="store_true", help="only say which files")
    machine(apply)


def run_curate(args: argparse.Namespace) -> int:
    """One action on the queue."""
    with ontology_at(db=args.db) as runtime:
        runtime.renew()
        with runtime.writing() as db:
            memory.expire(db)
            learned.pull(db, runtime.project)
            evidence.refresh(db, runtime.project)
            if args.action == "propose":
                return run_propose(runtime, db, args)
            if args.action in (*DECISIONS, "undo"):
                return _decide(db, runtime.project, args)
            if args.action == "contradict":
                memory.contradict(db, args.ticket, args.other, reason=args.reason, actor=who())
                print(f"{args.ticket} and {args.other} contradict each other.")
                return 0
            if args.action == "dedup":
                return _dedup(db, args)
            if args.action == "apply":
                done = curator.apply(
                    db, runtime.project, actor=who(), allow_private=args.allow_private, dry_run=args.dry_run
                )
                learned.push(db, runtime.project)
                return _applied(done, args)
        scopes = (*DEFAULT_SCOPES, "private") if args.private else DEFAULT_SCOPES
        if args.action == "show":
            ticket = memory.ticket(runtime.reader, args.ticket, scopes)
            return show.ticket(
                ticket, memory.events(runtime.reader, ticket.id), memory.links(runtime.reader, ticket.id), args
            )
        found = memory.tickets(runtime.reader, status=args.status, type=args.type, scopes=scopes)
        if not (args.status or args.all):
            found = [ticket for ticket in found if ticket.status in _OPEN]
        return show.tickets(found, args)


def _decide(db: Connection, project: Project, args: argparse.Namespace) -> int:
    for name in args.tickets:
        if args.action == "undo":
            found = memory.undo(db, name, reason=args.reason, actor=who())
        else:
            by = getattr(args, "by", "")
            found = memory.decide(db, project, name, args.action, reason=args.reason, actor=who(), by=by)
        print(f"{found.ref} is {found.status}.")
    learned.push(db, project)
    if args.action == "approve":
        print("Approved tickets become files with: git oracl curate apply")
    return 0


def _dedup(db: Connection, args: argparse.Namespace) -> int:
    found = memory.dedup(db, actor=who(), apply=not args.dry_run)
    for duplicate, kept, same in found:
        print(f"{duplicate} says the same as {kept} ({same:.2f})")
    if not found:
        output.note(["no two tickets say the same"])
    return 0


def _applied(done: curator.Applied, args: argparse.Namespace) -> int:
    if args.json:
        output.emit(
            {"written": done.written, "removed": done.removed, "tickets": done.tickets, "withheld": done.withheld}
        )
        return 0
    for path in done.written:
        print(f"wrote {output.plain(path)}" if not args.dry_run else f"would write {output.plain(path)}")
    for path in done.removed:
        print(f"removed {output.plain(path)}" if not args.dry_run else f"would remove {output.plain(path)}")
    if done.withheld:
        output.note(
            [
                (
                    f"{output.plural(len(done.withheld), 'private ticket')} not written (--allow-private writes them"
                    " where git tracks them)"
                )
            ]
        )
    if done.written or done.removed:
        print("Review, then commit: git add .agentlas && git commit")
    else:
        print("The files say what the approved tickets say.")
    return 0
