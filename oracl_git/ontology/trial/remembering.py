"""What is remembered: who recalls what, in which order, how alike memories are linked, and what nobody can write.

Knows experience, working memory and the queue.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import DirectDurableMemoryWriteBlocked
from .. import experience, memory, store, working
from ..embedding import Vector
from ..model import SCOPES
from ..runtime import Runtime
from .check import Check, many

_AGENT, _OTHER = "verifier", "somebody-else"


def eviction(runtime: Runtime) -> Iterator[Check]:
    with runtime.writing() as db:
        with store.transaction(db):
            for text, life, importance in (("over", -1, 0.9), ("small", 900, 0.1), ("kept", 900, 0.9)):
                working.remember(
                    db, "pruner", text, (), scope="internal", confidence=0.5, importance=importance, life=life
                )
        expired, evicted = working.prune(db, "pruner")
        kept = [item.text for item in working.read(db, "pruner")]
        held = len(working.read(db, "pruner", all=True))
    yield Check(
        "TTL eviction",
        (expired, evicted, kept, held) == (1, 1, ["kept"], 3),
        "expired and evicted are marked, none deleted",
    )


def isolation(runtime: Runtime) -> Iterator[Check]:
    with runtime.writing() as db:
        for agent, scope, text in (
            (_AGENT, "internal", "The harbour pilot wants a radio check."),
            (_OTHER, "internal", "The harbour pilot wants tea."),
            (_AGENT, "private", "The harbour pilot wants silence."),
        ):  # fmt: skip
            experience.ingest(db, runtime.adapter, agent, [{"text": text, "scope": scope}])
    rows = experience.eligible(runtime.reader, _AGENT, SCOPES[:2])
    ok = [row.text for row in rows] == ["The harbour pilot wants a radio check."]
    yield Check("governance before ranking", ok, f"{len(rows)} row of three is read at all, and so can be scored")
    for who, scopes, count in ((_AGENT, SCOPES[:2], 1), (_AGENT, SCOPES, 2), (_AGENT.upper(), SCOPES, 0)):
        ask = experience.recall(runtime.reader, runtime.adapter, "harbour pilot", who, scopes=scopes)
        ok = len(ask) == count and not any("tea" in each.text for each in ask)
        yield Check(f"recall of {who} in {' '.join(scopes)}", ok, f"{len(ask)} recalled")


def selection(runtime: Runtime) -> Iterator[Check]:
    with runtime.writing() as db:
        memories = [
            {"text": f"Checklist {n}: the ferry timetable is printed on blue paper {'x' * n}"} for n in range(40)
        ]
        experience.ingest(db, runtime.adapter, "ferry", memories)
    ask = "ferry timetable on blue paper"
    whole = experience.recall(runtime.reader, runtime.adapter, ask, "ferry", budget=100_000)
    some = experience.recall(runtime.reader, runtime.adapter, ask, "ferry", budget=100)
    yield Check(
        "all relevant, else a budgeted top-k",
        len(whole) == 40 and 0 < len(some) < 40,
        f"{len(whole)} within room, {len(some)} within 100 tokens",
    )


def full_ranking(runtime: Runtime) -> Iterator[Check]:
    with runtime.writing() as db:
        first = {"text": "The oldest memory speaks of the copper kettle.", "created_at": "2001-01-01T00:00:00Z"}
        rest = [{"text": f"Entry {n} is about something else entirely."} for n in range(300)]
        experience.ingest(db, runtime.adapter, "archivist", [first, *rest])
    found = experience.recall(runtime.reader, runtime.adapter, "copper kettle", "archivist")
    yield Check(
        "no recency cap before ranking",
        bool(found) and "kettle" in found[0].text,
        "the oldest of 301 is found first",
    )


def similar(runtime: Runtime) -> Iterator[Check]:
    """By cosine alone, within agent and scope, and made anew when a memory changes."""
    text, name = "Use a rollback checklist for every schema migration of the ledger", {"source_memory_id": "twin"}
    with runtime.writing() as db:
        experience.ingest(db, runtime.adapter, "linker", [{"text": text}, {"text": f"{text} always", **name}])
    made = _similar(runtime, "linker")
    with runtime.writing() as db:
        experience.ingest(db, runtime.adapter, "linker", [{"text": "Whales sing at night", **name}])
    left = _similar(runtime, "linker")
    yield Check("maintained", (made, left) == (1, 0), "linked while two memories are alike, and no longer")
    db = runtime.reader
    rows = db.execute(
        "SELECT l.score, a.vector, a.norm, b.vector, b.norm, a.agent=b.agent AND a.scope=b.scope,"
        " l.relation='similar_to' FROM memory_links l JOIN memory_candidates a ON a.id=l.source"
        " JOIN memory_candidates b ON b.id=l.target WHERE l.actor='runtime'"
    ).fetchall()
    ok = all(
        within and only and abs(score - min(1.0, Vector(*one).cosine(Vector(*other)))) < 1e-6
        and score >= experience.SIMILAR_FLOOR
        for score, *vectors, within, only in rows
        for one, other in [(vectors[:2], vectors[2:])]
    )  # fmt: skip
    yield Check("by cosine alone", ok and bool(rows), f"{many(len(rows), 'link')}, each within agent and scope")


def _similar(runtime: Runtime, agent: str) -> int:
    sql = "SELECT count(*) FROM memory_links l JOIN memory_candidates m ON m.id=l.source WHERE m.agent=?"
    return int(runtime.reader.execute(sql, (agent,)).fetchone()[0])


def durable(runtime: Runtime) -> Iterator[Check]:
    try:
        memory.write_durable("anything")
    except DirectDurableMemoryWriteBlocked as error:
        yield Check("direct durable-memory write", True, f"raises {type(error).__name__}")
    else:
        yield Check("direct durable-memory write", False, "nothing was raised")
    with runtime.writing() as db:
        try:
            with store.transaction(db):
                db.execute("UPDATE memory_candidates SET durable_write_enabled=1")
        except store.IntegrityError as error:
            yield Check("durable_write_enabled", True, f"cannot be set: {error}")
            return
    yield Check("durable_write_enabled", False, "was set")
