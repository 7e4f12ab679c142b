"""git oracl curate propose: a person's own ticket, for the same queue and the same decision."""

from __future__ import annotations

import argparse

from ..errors import UsageError
from ..ontology import clock, memory, proposal, store
from ..ontology.model import RISKS, SCOPES
from ..ontology.proposal import Proposal, placed
from ..ontology.runtime import Runtime
from . import output
from .ontology_options import actions_of, share, who
from .parser import machine

_SURE = 0.8  # of what a person says

_EXAMPLES = """Nothing is remembered by this: the ticket waits for git oracl curate approve, and
git oracl curate apply writes it to a file that git tracks.

  git oracl curate propose fact "Refunds are paid out on Fridays." \\
      --evidence docs/refunds.md:12-14 --reason "asked for every week"
  git oracl curate propose edge src/refund.py docs/refunds.md \\
      --reason "the page is its manual"
  git oracl curate propose tag src/refund.py domain=billing \\
      --reason "owned by billing"
  git oracl curate propose constraint "Views do not ask the database." \\
      --path "app/views/**" --forbid import:sqlite3 \\
      --reason "agreed in the review"
"""


def configure_propose(parser: argparse.ArgumentParser) -> None:
    """Declare the kinds, and what each takes."""
    parser.description = "Put a ticket of your own into the queue.\n\n" + _EXAMPLES
    kinds = actions_of(
        parser,
        {
            "fact": "a sentence to remember, with what shows that it is true",
            "edge": "that two files belong together",
            "tag": "tags of a file",
            "constraint": "a rule, and what it is about",
        },
    )
    kinds["fact"].add_argument("text", help="the sentence")
    kinds["fact"].add_argument("--tag", action="append", default=[], help="a word for what it is about (repeatable)")
    kinds["edge"].add_argument("source", help="a committed file")
    kinds["edge"].add_argument("target", help="another one")
    kinds["tag"].add_argument("path", help="a committed file")
    kinds["tag"].add_argument("values", nargs="+", metavar="NAME=VALUE", help="as domain=billing")
    kinds["constraint"].add_argument("text", metavar="rule", help="the rule, in a sentence")
    kinds["constraint"].add_argument(
        "--path", action="append", default=[], metavar="PATTERN", help="the files it is about (repeatable)"
    )
    kinds["constraint"].add_argument("--id", default="", help="its name (default: that of the ticket)")
    kinds["constraint"].add_argument("--severity", choices=proposal.SEVERITIES, default="warn", help="default warn")
    kinds["constraint"].add_argument("--owner", default="", help="who answers for it, as @team")
    kinds["constraint"].add_argument(
        "--forbid", action="append", default=[], metavar="WHAT", help="as import:sqlite3 (repeatable)"
    )
    for name, kind in kinds.items():
        kind.add_argument("--reason", required=True, help="why it should be remembered; it is kept")
        kind.add_argument(
            "--evidence",
            action="append",
            default=[],
            required=name == "fact",
            metavar="WHERE",
            help="a committed file, lines of one (PATH:10-20), or a passage (chk_…); when it changes, the ticket is"
            " stale (repeatable)",
        )
        kind.add_argument("--confidence", type=share, default=_SURE, help=f"how sure it is, 0 to 1 (default {_SURE})")
        kind.add_argument("--risk", choices=RISKS, default="low", help="of remembering it wrongly (default low)")
        kind.add_argument("--scope", choices=SCOPES, default="internal", help="who may see it (default internal)")
        kind.add_argument(
            "--expires", default="", metavar="WHEN", help="until when it waits: a date, or a span as 30d (default 90d)"
        )
        machine(kind)


def run_propose(runtime: Runtime, db: store.Connection, args: argparse.Namespace) -> int:
    """Make the ticket, unless it is there."""
    if not args.reason.strip():
        raise UsageError("a proposal needs a reason", "--reason WHY")
    wanted = _proposal(runtime, args)
    given = [where if where.startswith("chk_") else placed(runtime.project, where) for where in args.evidence]
    refs, scope = proposal.pinned(db, runtime.project, wanted, given, args.scope)
    with store.transaction(db):
        name, new = memory.propose(
            db,
            wanted.type,
            wanted.text,
            reason=args.reason,
            adapter=runtime.adapter,
            by=who(),
            refs=refs,
            payload=wanted.payload,
            confidence=args.confidence,
            risk=args.risk,
            scope=scope,
            tags=getattr(args, "tag", ()),
            expires_at=clock.given(args.expires) if args.expires else "",
        )
    ticket = memory.ticket(db, name)
    if args.json:
        output.emit({"new": new, "ticket": ticket.to_json()})
        return 0
    print(f"{name} waits for a decision." if new else f"{name} says so already, and is {ticket.status}.")
    if scope != args.scope:
        print(f"It is {scope}, as what it rests on is.")
    print(f'It is decided with: git oracl curate approve {name} --reason "…"')
    return 0


def _proposal(runtime: Runtime, args: argparse.Namespace) -> Proposal:
    project = runtime.project
    if args.what == "fact":
        return proposal.fact(args.text)
    if args.what == "edge":
        return proposal.edge(placed(project, args.source), placed(project, args.target), args.confidence)
    if args.what == "tag":
        return proposal.tag(placed(project, args.path), args.values)
    return proposal.constraint(
        args.text, id=args.id, paths=args.path, severity=args.severity, owner=args.owner, forbid=args.forbid
    )
