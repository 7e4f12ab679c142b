"""Experience: what one agent learned, kept apart by agent and scope, and recalled by relevance.

Knows governance first: which rows exist at all for this agent, in these scopes, now.
Only those are read, and every one of them is scored (how, knows `ranking.py`); nothing is
scored that may not be seen. Recall writes nothing.
"""

from __future__ import annotations

import heapq
import json
import os
import re
from collections.abc import Iterable
from typing import Any

from ..errors import UsageError
from . import clock, conversation, evidence, store
from .embedding import Adapter, Vector, sketch
from .memory import APART, checksum_of, insert, row_values
from .model import DEFAULT_SCOPES, EXPERIENCE, RECALLABLE, SCOPES, SIMILAR, SUPERSEDES, Memory
from .policy import runtime_home
from .ranking import RELEVANCE, SALIENCE, WEAK, Row, Scores, rank, select
from .store import Connection

# -- parameters ---------------------------------------------------------------------------------
BUDGET = 2_000  # tokens of memory that an answer may hold
SIMILAR_FLOOR, SIMILAR_MOST = 0.80, 5
_NORM = re.compile(r"[^a-z0-9]+")


def database_of(agent: str) -> str:
    """Where the experience of a Hub agent is kept on this machine."""
    slug = _NORM.sub("-", agent.lower()).strip("-")
    if not slug:
        raise UsageError(f"{agent!r} names no agent", "--agent hub:release-writer")
    # Two agents that read alike must not share a file.
    slug = slug if slug == agent.replace(":", "-") else f"{slug}-{checksum_of(agent)[:8]}"
    return os.path.join(runtime_home(), "networking", "hub-agents", slug, "memory", "experience.sqlite")


# -- learning -----------------------------------------------------------------------------------


def ingest(
    db: Connection, adapter: Adapter, agent: str, memories: Iterable[dict[str, Any]]
) -> tuple[int, int, int, list[str]]:
    """Project memories of an agent; (new, changed, unchanged, names). Idempotent by the owner's id, else by content."""
    if not agent:
        raise UsageError("whose experience is it?", "--agent NAME")
    memories = list(memories)
    known = _speakers(db, agent, [str(memory.get("text") or "") for memory in memories])
    new = changed = same = 0
    refs = []
    nearby: dict[str, Neighbours] = {}
    with store.transaction(db):
        for memory in memories:
            what, ref = _one(db, adapter, agent, memory, nearby, known)
            new, changed, same = new + (what == "new"), changed + (what == "changed"), same + (what == "same")
            refs.append(ref)
    return new, changed, same, refs


def _speakers(db: Connection, agent: str, texts: list[str]) -> frozenset[str]:
    """The names that several of these texts begin with, or of those the agent holds."""
    known = conversation.speakers(texts)
    once = {turn.speaker for text in texts if (turn := conversation.parsed(text))} - known
    held = "SELECT count(*) FROM memory_candidates WHERE agent=? AND type=? AND instr(text, ?)"
    said = {name: db.execute(held, (agent, EXPERIENCE, f"{name}:")).fetchone()[0] for name in sorted(once)}
    return known | {name for name, count in said.items() if count + 1 >= conversation.SPEAKS}


def _one(
    db: Connection,
    adapter: Adapter,
    agent: str,
    memory: dict[str, Any],
    nearby: dict[str, Neighbours],
    known: frozenset[str],
) -> tuple[str, str]:
    text = _clean(memory.get("text")).strip()
    scope, owner_id = _clean(memory.get("scope")) or "internal", _clean(memory.get("source_memory_id"))
    salience = float(memory.get("salience", 0.5))
    tags = tuple(map(_clean, memory.get("tags") or ()))
    if not text or scope not in SCOPES or not 0 <= salience <= 1:
        raise UsageError(
            "a memory needs a text, a known scope, and a salience from 0 to 1",
            "git oracl ontology experience ingest -h",
        )
    at = _clean(memory.get("created_at")) or clock.now()
    expires = clock.given(_clean(memory.get("expires") or memory.get("expires_at")))
    kind = " ".join(_clean(memory.get("kind")).split())[:40] or "experience"
    checksum = checksum_of(EXPERIENCE, agent, text, scope, owner_id)
    ref = "exp_" + checksum_of(EXPERIENCE, agent, owner_id or text, "" if owner_id else scope)[:12]
    held = db.execute(
        "SELECT id, checksum, status, salience, tags, expires_at FROM memory_candidates WHERE ref=?", (ref,)
    ).fetchone()
    labels = json.dumps(tags)
    if held and (held[1], held[3], held[4], held[5]) == (checksum, salience, labels, expires):
        return "same", ref
    values = row_values(text, tags, adapter, conversation.said(text, kind, known))
    if held:
        sets = {
            "text": text,
            "tags": labels,
            "salience": salience,
            "scope": scope,
            "suggested_scope": scope,
            "checksum": checksum,
            "updated_at": clock.now(),
            "expires_at": expires,
            "memory_kind": kind,
            **values,
        }
        db.execute(
            f"UPDATE memory_candidates SET {', '.join(f'{name}=?' for name in sets)} WHERE id=?",
            (*sets.values(), held[0]),
        )
        db.execute(
            "DELETE FROM memory_links WHERE (source=? OR target=?) AND relation='similar_to'", (held[0], held[0])
        )
        # What a curator linked in one scope says nothing in another, and the file holds no such link.
        db.execute(
            "DELETE FROM memory_links WHERE (source=:n OR target=:n) AND NOT EXISTS(SELECT 1 FROM memory_candidates a"
            " JOIN memory_candidates b ON a.scope=b.scope WHERE a.id=source AND b.id=target)",
            {"n": held[0]},
        )
        number, what = int(held[0]), "changed"
        if held[2] in ("superseded", "expired") and expires > clock.now():
            evidence.record(db, number, "create", held[2], "active", "its owner changed it", agent)
    else:
        number = insert(
            db,
            ref=ref,
            type=EXPERIENCE,
            agent=agent,
            memory_kind=kind,
            text=text,
            payload="{}",
            tags=labels,
            salience=salience,
            scope=scope,
            suggested_scope=scope,
            status="active",
            reason="projected from its owner",
            confidence=1.0,
            risk="low",
            source_refs="[]",
            source_memory_id=owner_id,
            checksum=checksum,
            created_at=at,
            updated_at=clock.now(),
            expires_at=expires,
            **values,
        )
        what = "new"
    near = nearby.get(scope) or nearby.setdefault(scope, Neighbours(db, agent, scope, adapter))
    near.link(number, Vector(values["vector"], values["norm"]))
    return what, ref


def _clean(value: object) -> str:
    """What somebody's JSON holds, as text that the store takes."""
    return str(value or "").replace("\0", " ").encode("utf-8", "replace").decode()


class Neighbours:
    """The memories of one agent and scope, to find the like of a new one."""

    def __init__(self, db: Connection, agent: str, scope: str, adapter: Adapter) -> None:
        self.db = db
        marks = ",".join("?" * len(RECALLABLE))
        rows = db.execute(
            f"SELECT id, sketch FROM memory_candidates WHERE agent=? AND scope=? AND type=? AND status IN ({marks})"
            " AND embedding_adapter=?",
            (agent, scope, EXPERIENCE, *RECALLABLE, adapter.name),
        )
        self.sketches = {number: int.from_bytes(bits or b"", "big") for number, bits in rows}

    def link(self, number: int, vector: Vector) -> None:
        """Write `similar_to` from a memory to its like, by cosine alone."""
        if not vector.norm:
            return
        own = int.from_bytes(sketch(vector), "big")
        most = APART * len(vector.data)
        self.sketches.pop(number, None)
        near = [(apart, other) for other, bits in self.sketches.items() if (apart := (own ^ bits).bit_count()) <= most]
        found = []
        for _, other in heapq.nsmallest(50, near):
            data, norm = self.db.execute("SELECT vector, norm FROM memory_candidates WHERE id=?", (other,)).fetchone()
            cosine = vector.cosine(Vector(data, norm))
            if cosine >= SIMILAR_FLOOR:
                found.append((min(1.0, cosine), other))
        for cosine, other in heapq.nlargest(SIMILAR_MOST, found):
            self.db.execute(
                "INSERT OR REPLACE INTO memory_links VALUES(?,?,?,?,?,?)",
                (number, other, SIMILAR, cosine, "runtime", clock.now()),
            )
        self.sketches[number] = own


# -- governance ---------------------------------------------------------------------------------


def eligible(db: Connection, agent: str, scopes: Iterable[str]) -> list[Row]:
    """Every memory that may be seen: this very agent's, in these scopes, active, unexpired, not superseded.

    A supersession counts when the row that supersedes is itself of that agent and scope, active and unexpired.
    """
    allowed = tuple(scope for scope in scopes if scope in SCOPES)
    now = clock.now()
    good = ",".join(repr(status) for status in RECALLABLE)
    rows = db.execute(
        "SELECT id, ref, text, words, tags, salience, scope, memory_kind, source_memory_id, created_at, vector, norm,"
        " embedding_adapter FROM memory_candidates m WHERE type=? AND agent=? AND scope IN"
        f" ({','.join('?' * len(allowed))})"
        f" AND status IN ({good}) AND expires_at > ? AND NOT EXISTS(SELECT 1 FROM memory_links l"
        f" JOIN memory_candidates n ON n.id=l.source WHERE l.target=m.id AND l.relation='{SUPERSEDES}' AND"
        " n.agent=m.agent"
        f" AND n.scope=m.scope AND n.status IN ({good}) AND n.expires_at > ?) ORDER BY id",
        (EXPERIENCE, agent, *allowed, now, now),
    )
    return [Row(*(*row[:10], Vector(row[10], row[11]), row[12])) for row in rows]


# -- recall -------------------------------------------------------------------------------------


def recall(
    db: Connection,
    adapter: Adapter,
    question: str,
    agent: str,
    *,
    scopes: Iterable[str] = DEFAULT_SCOPES,
    budget: int = BUDGET,
    limit: int = 0,
) -> list[Memory]:
    """The memories that bear on a question, best first: all of them if they fit the budget, else as many as do."""
    rows = eligible(db, agent, scopes)
    ranked = rank(rows, adapter, question)
    chosen = select(ranked, budget)[: limit or None]
    return [_told(db, row, scores, {r.id for r in rows}) for row, scores in chosen]


def _told(db: Connection, row: Row, scores: Scores, seen: set[int]) -> Memory:
    reasons = [
        (
            "words",
            f"says {', '.join(scores.matched[:6])}" if scores.matched else "said beside it",
            RELEVANCE * scores.words,
        ),
        ("meaning", f"cosine {scores.cosine:.2f}", RELEVANCE * scores.meaning),
        ("salience", f"salience {row.salience:.2f}", SALIENCE * row.salience),
    ]
    linked = db.execute(
        "SELECT l.relation, m.ref, m.id FROM memory_links l JOIN memory_candidates m ON m.id=l.target WHERE l.source=?"
        " ORDER BY l.score DESC, m.ref",
        (row.id,),
    )
    return Memory(
        row.ref,
        row.text,
        scores.total,
        scores.relevance,
        row.salience,
        row.scope,
        row.kind,
        tuple(json.loads(row.tags)),
        row.source_memory_id,
        row.created_at,
        tuple(reason for reason in reasons if reason[2]),
        tuple((relation, ref) for relation, ref, number in linked if number in seen),
        scores.confidence,
    )


def weak(memories: Iterable[Memory]) -> str:
    """What to say of an answer that only comes near, "" of one that is surer, or empty."""
    best = max((memory.confidence for memory in memories), default=1.0)
    return f"these memories only come near the question (confidence {best:.2f} at best)" if best < WEAK else ""
