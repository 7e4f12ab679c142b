"""Tickets: what the runtime would like to be remembered, and what a curator says to it.

Knows proposals, their evidence, decisions and the events they leave. Approval is a
status and an event, nothing more: durable memory is written by `curator.py` alone,
as files for a person to commit, and the way there from here is closed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import DirectDurableMemoryWriteBlocked, Unrecorded, UsageError
from . import clock, evidence, store
from .embedding import Adapter, Vector, sketch
from .model import CONTRADICTS, DECISIONS, RISKS, SCOPES, SUPERSEDES, TICKET_TYPES
from .project import Project
from .store import Connection
from .words import indexed, words

TICKET_LIFE = 90 * 86_400  # seconds an undecided ticket waits
SAME = 0.95  # cosine from which two tickets say the same
APART = 0.35  # share of the bits of two sketches beyond which nothing is alike
_CLOSED = ("stale", "expired")  # what nobody can approve any more
_STANDING = ("candidate", "active", "approved", "quarantined")  # what may stand in the place of another
_ASIDE = ("apply", "rescope", "contradict")  # events that are no decision on what a ticket is
_COLUMNS = (
    "id, ref, type, agent, memory_kind, text, payload, tags, salience, scope, suggested_scope, status, reason,"
    " confidence,"
    " risk, source_refs, source_memory_id, created_at, updated_at, expires_at"
)


@dataclass(frozen=True)
class Ticket:
    """One row of the queue."""

    id: int
    ref: str
    type: str
    agent: str
    memory_kind: str
    text: str
    payload: dict[str, Any]
    tags: tuple[str, ...]
    salience: float
    scope: str
    suggested_scope: str
    status: str
    reason: str
    confidence: float
    risk: str
    source_refs: tuple[dict[str, Any], ...]
    source_memory_id: str
    created_at: str
    updated_at: str
    expires_at: str

    def to_json(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "id": self.ref,
            "type": self.type,
            "agent": self.agent,
            "kind": self.memory_kind,
            "text": self.text,
            "payload": self.payload,
            "tags": list(self.tags),
            "salience": self.salience,
            "scope": self.scope,
            "suggested_scope": self.suggested_scope,
            "status": self.status,
            "reason": self.reason,
            "confidence": self.confidence,
            "risk": self.risk,
            "source_refs": list(self.source_refs),
            "source_memory_id": self.source_memory_id,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "expires_at": self.expires_at,
            "durable_write_enabled": False,
        }


def _ticket(row: tuple[Any, ...]) -> Ticket:
    values = list(row)
    for place, make in ((6, dict), (7, tuple), (15, tuple)):
        values[place] = make(json.loads(values[place]))
    return Ticket(*values)


def write_durable(*_: object, **__: object) -> NoReturn:
    """The way by which a runtime would write durable memory; it is closed, for every caller."""
    raise DirectDurableMemoryWriteBlocked(
        "the runtime never writes durable memory; it proposes, and a curator decides", "git oracl curate list"
    )


# -- proposing ------------------------------------------------------------------------------------


def row_values(text: str, tags: Iterable[str], adapter: Adapter | None, said: str = "") -> dict[str, Any]:
    """The columns that follow from a text: its words, the vector of what it says, its checksum."""
    tagged = " ".join([text, *tags])
    vector = adapter.encode(said or text) if adapter else Vector(b"", 0.0)
    return {
        "words": indexed(tagged),
        "vector": vector.data,
        "norm": vector.norm,
        "sketch": sketch(vector),
        "embedding_adapter": adapter.name if adapter else "",
        "embedding_dimensions": adapter.dimensions if adapter else 0,
        "embedding_hash": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
    }


def checksum_of(*parts: str) -> str:
    """SHA-256 over what makes two rows the same."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def insert(db: Connection, by: str = "", **values: Any) -> int:
    """Write a row, proposed `by` someone. `durable_write_enabled` is not among what anybody can give.

    The caller holds the transaction.
    """
    values.pop("durable_write_enabled", None)
    by = by or values["agent"] or "runtime"
    cursor = db.execute(
        f"INSERT INTO memory_candidates({', '.join(values)}) VALUES({', '.join('?' * len(values))})",
        tuple(values.values()),
    )
    number = int(cursor.lastrowid or 0)
    db.execute(
        "INSERT INTO memory_candidate_events(candidate, event, old_status, new_status, reason, actor, at)"
        " VALUES(?,?,?,?,?,?,?)",
        (number, "create", "", values["status"], values["reason"], by, values["created_at"]),
    )
    return number


def propose(
    db: Connection,
    type: str,
    text: str,
    *,
    reason: str,
    adapter: Adapter | None = None,
    agent: str = "",
    by: str = "",
    refs: Iterable[dict[str, Any]] = (),
    payload: dict[str, Any] | None = None,
    confidence: float = 0.5,
    risk: str = "low",
    scope: str = "internal",
    kind: str = "",
    tags: Iterable[str] = (),
    expires_at: str = "",
) -> tuple[str, bool]:
    """Put a ticket into the queue; (its name, whether it is new). The same proposal twice is one ticket."""
    if type not in TICKET_TYPES or risk not in RISKS or scope not in SCOPES:
        raise UsageError(f"a ticket needs a type of {' '.join(TICKET_TYPES)}, a known risk and a known scope",
                         f"risks: {' '.join(RISKS)}; scopes: {' '.join(SCOPES)}")  # fmt: skip
    given, labels = json.dumps(payload or {}, sort_keys=True), tuple(tags)
    checksum = checksum_of(type, agent, " ".join(words(text)), given)
    same = db.execute(
        "SELECT ref FROM memory_candidates WHERE checksum=? AND status IN"
        " ('candidate','active','approved','quarantined')"
        " AND expires_at > ?",
        (checksum, clock.now()),
    ).fetchone()
    if same:
        return str(same[0]), False
    at = clock.now()
    again = db.execute("SELECT count(*) FROM memory_candidates WHERE checksum=?", (checksum,)).fetchone()[0]
    ref = "tkt_" + checksum_of(checksum, str(again))[:12]
    insert(
        db,
        by,
        ref=ref,
        type=type,
        agent=agent,
        memory_kind=kind or type,
        text=text,
        payload=given,
        tags=json.dumps(labels),
        salience=confidence,
        scope=scope,
        suggested_scope=scope,
        status="candidate",
        reason=reason,
        confidence=max(0.0, min(1.0, confidence)),
        risk=risk,
        source_refs=json.dumps(list(refs), sort_keys=True),
        source_memory_id="",
        checksum=checksum,
        created_at=at,
        updated_at=at,
        expires_at=expires_at or clock.after(TICKET_LIFE),
        **row_values(text, labels, adapter),
    )
    return ref, True


# -- looking ----------------------------------------------------------------------------------------


def tickets(
    db: Connection,
    *,
    status: str = "",
    type: str = "",
    agent: str | None = None,
    scopes: Iterable[str] = SCOPES[:2],
    experience: bool = False,
) -> list[Ticket]:
    """Rows of the queue, oldest first, of the scopes that may be seen. Experience is no ticket unless asked for."""
    allowed = tuple(scopes)
    where, values = [f"scope IN ({','.join('?' * len(allowed))})"], list(allowed)
    for column, value in (("status", status), ("type", type), ("agent", agent)):
        if value or (column == "agent" and agent is not None):
            where.append(f"{column}=?")
            values.append(str(value))
    if not experience and not type:
        where.append("type <> 'experience'")
    rows = db.execute(f"SELECT {_COLUMNS} FROM memory_candidates WHERE {' AND '.join(where)} ORDER BY id", values)
    return [_ticket(row) for row in rows]


def ticket(db: Connection, ref: str, scopes: Iterable[str] = SCOPES) -> Ticket:
    """One ticket of these scopes, by its name or the beginning of it. Raises Unrecorded."""
    allowed = tuple(scopes)
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory_candidates WHERE (ref=? OR substr(ref, 1, length(?))=?)"
        f" AND scope IN ({','.join('?' * len(allowed))}) ORDER BY ref<>?, id LIMIT 2",
        (ref, ref, ref, *allowed, ref),
    ).fetchall()
    if not rows or len(ref) < 4:
        raise Unrecorded(f"there is no ticket {ref!r}", "git oracl curate list --all")
    if len(rows) > 1 and rows[0][1] != ref:
        raise Unrecorded(f"more than one ticket begins with {ref!r}", "git oracl curate list --all")
    return _ticket(rows[0])


def events(db: Connection, number: int) -> list[dict[str, str]]:
    """What happened to a ticket, oldest first."""
    rows = db.execute(
        "SELECT event, old_status, new_status, reason, actor, at FROM memory_candidate_events WHERE candidate=?"
        " ORDER BY id",
        (number,),
    )
    return [dict(zip(("event", "from", "to", "reason", "actor", "at"), row, strict=True)) for row in rows]


def links(db: Connection, number: int) -> list[tuple[str, str, str, float]]:
    """(relation, out|in, other, score) of a row."""
    out = db.execute(
        "SELECT l.relation, 'out', m.ref, l.score FROM memory_links l JOIN memory_candidates m ON m.id=l.target"
        " WHERE l.source=?"
        " UNION ALL SELECT l.relation, 'in', m.ref, l.score FROM memory_links l JOIN memory_candidates m ON"
        " m.id=l.source"
        " WHERE l.target=? ORDER BY 1, 2, 3",
        (number, number),
    )
    return [(str(a), str(b), str(c), float(d)) for a, b, c, d in out]


# -- deciding ---------------------------------------------------------------------------------------


def expire(db: Connection) -> int:
    """Mark what waited too long; how many."""
    with store.transaction(db):
        rows = db.execute(
            "SELECT id, status FROM memory_candidates WHERE status IN"
            " ('candidate','active','approved','quarantined') AND expires_at<=?",
            (clock.now(),),
        ).fetchall()
        for number, status in rows:
            evidence.record(db, number, "expire", status, "expired", "its time is over", "runtime")
    return len(rows)


def decide(
    db: Connection, project: Project, ref: str, decision: str, *, reason: str, actor: str, by: str = ""
) -> Ticket:
    """A curator's word on a ticket: a status and an event. Raises UsageError where it cannot be said any more."""
    if decision not in DECISIONS:
        raise UsageError(f"there is no decision {decision!r}", f"one of: {' '.join(DECISIONS)}")
    if not reason.strip():
        raise UsageError("a decision needs a reason", f"git oracl curate {decision} {ref} --reason WHY")
    if decision == "supersede" and not by:
        raise UsageError("what supersedes it?", f"git oracl curate supersede {ref} --by TICKET --reason WHY")
    found = ticket(db, ref)
    expire(db)
    if changed := evidence.unread(db, project, [found.ref]) if decision == "approve" else []:
        raise UsageError(f"{changed[0]} has changed since it was read", "git oracl ontology ingest")
    evidence.refresh(db, project, [found.ref])
    with store.transaction(db):
        found = ticket(db, found.ref)  # as it is now, whoever else decides
        if decision == "approve" and found.status in _CLOSED:
            why = events(db, found.id)[-1]["reason"]
            raise UsageError(
                f"{found.ref} is {found.status}: {why}",
                "ask again, so that a new ticket is made from what is there now",
            )
        _unlink(db, found)  # who superseded it before does so no more
        if decision == "supersede":
            other = ticket(db, by)
            if other.status not in _STANDING:
                raise UsageError(
                    f"{other.ref} is {other.status}, and cannot stand in its place", "git oracl curate list"
                )
            _link(db, other, found, SUPERSEDES, actor)
        evidence.record(db, found.id, decision, found.status, DECISIONS[decision], reason, f"curator:{actor}")
    return ticket(db, found.ref)


def undo(db: Connection, ref: str, *, reason: str, actor: str) -> Ticket:
    """Take back the last decision on a ticket: it is as it was before. Raises UsageError where there is none."""
    if not reason.strip():
        raise UsageError("a decision needs a reason", f"git oracl curate undo {ref} --reason WHY")
    with store.transaction(db):
        found = ticket(db, ref)
        last = next((event for event in reversed(events(db, found.id)) if event["event"] not in _ASIDE), None)
        if last is None or last["event"] not in (*DECISIONS, "dedup"):
            raise UsageError(f"{found.ref} is {found.status}, and not by a decision", f"git oracl curate show {ref}")
        _unlink(db, found)
        evidence.record(db, found.id, "undo", found.status, last["from"], reason, f"curator:{actor}")
    return ticket(db, found.ref)


def contradict(db: Connection, first: str, second: str, *, reason: str, actor: str) -> None:
    """A curator's word that two memories cannot both hold."""
    if not reason.strip():
        raise UsageError("a decision needs a reason", f"git oracl curate contradict {first} {second} --reason WHY")
    with store.transaction(db):
        one, other = ticket(db, first), ticket(db, second)
        _link(db, one, other, CONTRADICTS, actor)
        for each, opposite in ((one, other), (other, one)):
            text = f"{reason} ({opposite.ref})"
            evidence.record(db, each.id, "contradict", each.status, each.status, text, f"curator:{actor}")


def _link(db: Connection, source: Ticket, target: Ticket, relation: str, actor: str) -> None:
    if source.id == target.id:
        raise UsageError(f"{source.ref} cannot stand against itself", "name another ticket: git oracl curate list")
    if (source.agent, source.scope) != (target.agent, target.scope):
        raise UsageError(f"{source.ref} and {target.ref} are of different agents or scopes",
                         "name one of the same: git oracl curate list")  # fmt: skip
    db.execute(
        "INSERT OR REPLACE INTO memory_links VALUES(?,?,?,?,?,?)",
        (source.id, target.id, relation, 1.0, f"curator:{actor}", clock.now()),
    )


def _unlink(db: Connection, target: Ticket) -> None:
    """Nothing supersedes a ticket any more."""
    db.execute("DELETE FROM memory_links WHERE target=? AND relation=?", (target.id, SUPERSEDES))


def dedup(db: Connection, *, actor: str, apply: bool = True) -> list[tuple[str, str, float]]:
    """Open tickets that say the same as an earlier one: (duplicate, kept, likeness). `apply` supersedes them."""
    rows = db.execute(
        "SELECT id, ref, type, agent, scope, words, payload, vector, norm, status, sketch FROM memory_candidates"
        " WHERE status IN ('candidate', 'active', 'approved') AND expires_at > ? ORDER BY status='candidate', id",
        (clock.now(),),
    ).fetchall()
    kept: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    found = []
    for *row, bits in rows:
        group = kept.setdefault((row[2], row[3], row[4], row[6]), [])
        own, most = int.from_bytes(bits or b"", "big"), APART * len(row[7] or b"")
        for other in group:
            if row[5] != other[5] and (own ^ other[-1]).bit_count() > most:
                continue  # most are far apart, and that costs little to see
            same = 1.0 if row[5] == other[5] else Vector(row[7], row[8]).cosine(Vector(other[7], other[8]))
            if same >= SAME and (same == 1.0 or _overlap(row[5], other[5]) >= 0.8):
                found.append((row, other, min(1.0, same)))
                break
        else:
            group.append((*row, own))
    if apply and found:
        with store.transaction(db):
            for row, other, same in found:
                db.execute(
                    "INSERT OR IGNORE INTO memory_links VALUES(?,?,?,?,?,?)",
                    (other[0], row[0], SUPERSEDES, same, f"curator:{actor}", clock.now()),
                )
                evidence.record(
                    db, row[0], "dedup", row[9], "superseded", f"says the same as {other[1]}", f"curator:{actor}"
                )
    return [(row[1], other[1], same) for row, other, same in found]


def _overlap(first: str, second: str) -> float:
    a, b = set(first.split()), set(second.split())
    return len(a & b) / len(a | b) if a | b else 1.0
