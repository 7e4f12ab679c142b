"""git oracl learn: what the choices made here suggest, as proposals a person decides on."""

from __future__ import annotations

import argparse

from ..service import Oracl
from . import output
from .parser import machine

_EPILOG = """\
Reads the local log of questions and of results that were opened. A proposal
waits in .git/oracl until it is decided; --apply writes what was approved into
.agentlas/learned_edges.json and learned_tags.json, for you to review and
commit. A question that was asked is then part of a tracked file.

examples:
  git oracl learn
  git oracl learn --approve 3f2c9a --reject 81d0
  git oracl learn --apply && git diff .agentlas"""


def configure_learn(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("--approve", nargs="+", default=[], metavar="ID", help="approve proposals; all for every one")
    parser.add_argument("--reject", nargs="+", default=[], metavar="ID", help="reject them: they do not come back")
    parser.add_argument("--apply", action="store_true", help="write what was approved into the work tree")
    parser.add_argument("--all", action="store_true", help="list those already decided, too")
    machine(parser)


def run_learn(args: argparse.Namespace) -> int:
    """Decide what was asked for, then list what there is to decide."""
    from ..learn.tickets import APPROVED, PROPOSED, REJECTED

    with Oracl.at() as oracl:
        tickets, mined = oracl.learn()
        decided = []
        for names, status in ((args.approve, APPROVED), (args.reject, REJECTED)):
            decided += oracl.decide(names, status) if names else []
        changed = oracl.apply_learned() if args.apply else []
        if decided or args.apply:
            tickets, mined = oracl.learn()
        shown = tickets if args.all else [ticket for ticket in tickets if ticket.status in (PROPOSED, APPROVED)]
        output.note(oracl.notes)
        if mined.garbage:
            output.note([f"{output.plural(mined.garbage, 'line')} of the log could not be read"])
        if args.json:
            output.emit({
                "opens": mined.opens, "garbage": mined.garbage, "changed": changed,
                "tickets": [ticket.to_json() for ticket in shown],
            })  # fmt: skip
            return 0
        for ticket in shown:
            first, second = map(output.plain, ticket.subject)
            what = f"{first} and {second}" if ticket.kind == "learned_edge" else f"{first} for “{second}”"
            status = "" if ticket.status == PROPOSED else f"{ticket.status}: "
            print(f"{output.paint(ticket.id[:8], 'number')}  {output.cut(status + what, output.width() - 10)}")
            print(f"          {ticket.reason}, confidence {ticket.confidence:.2f}")
        _next(changed, args.apply, [ticket.status for ticket in tickets], mined.opens)
        return 0


def _next(changed: list[str], applied: bool, statuses: list[str], opens: int) -> None:
    """What there is to do now."""
    if changed:
        print("Written, for you to review: " + ", ".join(changed))
        print("Next: git diff .agentlas; git add .agentlas; git commit")
    elif applied:
        print("Nothing was approved that is not there already.")
    elif "approved" in statuses:
        print("Next: git oracl learn --apply")
    elif "proposed" in statuses:
        print("Next: git oracl learn --approve ID, or --reject ID")
    else:
        print(f"Nothing to propose from {output.plural(opens, 'opened result')} yet. git oracl open N remembers one.")
