"""What was learned from opened results, in the same queue as everything else.

Knows how proposals of `learn` become tickets, pinned to the blobs they speak of, and
how a decision made in either place is known in the other: what changed since the two were last
compared is news. Decides nothing itself.
"""

from __future__ import annotations

import json

from ..learn import tickets as proposals
from . import evidence, memory, store
from .model import DECISIONS, EDGE, TAG
from .project import Project
from .store import Connection

_DECIDED = {proposals.APPROVED: "approve", proposals.APPLIED: "approve", proposals.REJECTED: "reject"}
_OVER = ("stale", "expired")  # what no decision reaches any more
_COMPARED = "proposals"  # meta
_BACK = {
    "candidate": proposals.PROPOSED, "approved": proposals.APPROVED, "rejected": proposals.REJECTED,
    "deprecated": proposals.REJECTED, "superseded": proposals.REJECTED,
}  # fmt: skip


def pull(db: Connection, project: Project) -> int:
    """Put proposals that wait into the queue, and take over what was decided about them; how many are new."""
    if project.repo is None:
        return 0
    waiting = proposals.load(project.repo.git_dir)
    with store.transaction(db):
        held, seen = _held(db), _seen(db)
        fresh = [one for one in waiting.values() if one.id not in held and one.status == proposals.PROPOSED]
        heads = evidence.blobs_at_head(project.repo, [path for one in fresh for path in _paths(one)])
        for one in fresh:
            refs = [{"path": path, "blob": heads[path]} for path in _paths(one) if path in heads]
            memory.propose(
                db, EDGE if one.kind == proposals.EDGE else TAG, _text(one), reason=one.reason, refs=refs,
                payload=_payload(one), confidence=one.confidence,
            )  # fmt: skip
        for one in waiting.values():
            row, decision = held.get(one.id), _DECIDED.get(one.status)
            # What is as it was when the two were last compared says nothing: the queue may have decided since.
            if row and decision and one.status != seen.get(one.id) and row[1] not in _OVER:
                new = DECISIONS[decision]
                if row[1] != new:
                    evidence.record(
                        db, row[0], decision, row[1], new, "decided with git oracl learn", "curator:learn"
                    )
        _see(db, waiting, seen)
    return len(fresh)


def push(db: Connection, project: Project) -> None:
    """Tell `learn` what was decided here."""
    if project.repo is None:
        return
    with store.transaction(db):
        held, seen = _held(db), _seen(db)
        with proposals.editing(project.repo.git_dir) as waiting:
            for name, one in waiting.items():
                row = held.get(name)
                status = _BACK.get(row[1]) if row else None
                if row and status == proposals.APPROVED and (row[2] or one.status == proposals.APPLIED):
                    status = proposals.APPLIED
                if status and one.status == seen.get(name, proposals.PROPOSED):  # else it was decided there since
                    waiting[name] = one._replace(status=status)
            _see(db, {name: one for name, one in waiting.items() if name in held}, seen)


def _seen(db: Connection) -> dict[str, str]:
    """proposal → the status it had when the two were last compared."""
    row = db.execute("SELECT value FROM meta WHERE key=?", (_COMPARED,)).fetchone()
    return dict(json.loads(row[0])) if row else {}


def _see(db: Connection, waiting: dict[str, proposals.Ticket], seen: dict[str, str]) -> None:
    now = {name: one.status for name, one in waiting.items()}
    if now != seen:
        db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (_COMPARED, json.dumps(now, sort_keys=True)))


def _held(db: Connection) -> dict[str, tuple[int, str, int]]:
    """proposal → (ticket, status, whether it is in a file) of those that came from there."""
    rows = db.execute(
        "SELECT json_extract(payload, '$.proposal'), id, status, EXISTS(SELECT 1 FROM memory_candidate_events e WHERE"
        " e.candidate=m.id AND e.event='apply') FROM memory_candidates m WHERE type IN (?,?) ORDER BY id",
        (EDGE, TAG),
    )
    return {str(name): (number, status, applied) for name, number, status, applied in rows if name}


def _paths(one: proposals.Ticket) -> tuple[str, ...]:
    return one.subject if one.kind == proposals.EDGE else one.subject[:1]


def _payload(one: proposals.Ticket) -> dict[str, object]:
    first, second = one.subject
    if one.kind == proposals.EDGE:
        return {"source": first, "target": second, "confidence": one.confidence, "proposal": one.id}
    return {"path": first, "tags": {"asked": {second: one.confidence}}, "proposal": one.id}


def _text(one: proposals.Ticket) -> str:
    first, second = one.subject
    return f"{first} goes with {second}" if one.kind == proposals.EDGE else f"{first} answers “{second}”"
