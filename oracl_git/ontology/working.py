"""Agent working memory: a cache with a time to live, never the source of truth.

Knows items, what they rest on, and how they end: expired, evicted, invalidated.
Nothing is deleted; a reader sees what is active and unexpired.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import clock, store
from .memory import checksum_of
from .model import DEFAULT_SCOPES
from .store import Connection

LIFE = 7 * 86_400  # seconds an item lives unless said otherwise
EVICT_BELOW = 0.25  # importance under which `prune` evicts
KEEP = 200  # active items of an agent that `prune` leaves


@dataclass(frozen=True)
class Item:
    """One thing an agent holds at hand."""

    ref: str
    agent: str
    text: str
    scope: str
    confidence: float
    importance: float
    source_refs: tuple[dict[str, Any], ...]
    created_at: str
    expires_at: str
    last_used_at: str
    status: str
    invalidation_reason: str

    def to_json(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {**self.__dict__, "id": self.ref, "source_refs": list(self.source_refs)}


_COLUMNS = (
    "ref, agent, text, scope, confidence, importance, source_refs, created_at, expires_at, last_used_at, status,"
    " invalidation_reason"
)


def remember(
    db: Connection,
    agent: str,
    text: str,
    refs: Iterable[dict[str, Any]],
    *,
    scope: str,
    confidence: float,
    importance: float,
    life: float = LIFE,
) -> str:
    """Hold something at hand; again if it is held already. The caller holds the transaction."""
    ref, at = "wm_" + checksum_of(agent, text, scope)[:12], clock.now()
    db.execute(
        f"INSERT INTO working_memory({_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(ref) DO UPDATE SET"
        " confidence=excluded.confidence, importance=max(importance, excluded.importance),"
        " source_refs=excluded.source_refs,"
        " expires_at=excluded.expires_at, last_used_at=excluded.last_used_at, status='active', invalidation_reason=''",
        (
            ref,
            agent,
            text,
            scope,
            confidence,
            importance,
            json.dumps(list(refs), sort_keys=True),
            at,
            clock.after(life),
            at,
            "active",
            "",
        ),
    )
    return ref


def read(db: Connection, agent: str, *, scopes: Iterable[str] = DEFAULT_SCOPES, all: bool = False) -> list[Item]:
    """What an agent holds, most important first; with `all`, also what has ended."""
    allowed = tuple(scopes)
    alive = "" if all else "AND status='active' AND expires_at > ?"
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM working_memory WHERE agent=? AND scope IN ({','.join('?' * len(allowed))}) {alive}"
        " ORDER BY importance DESC, last_used_at DESC, ref",
        (agent, *allowed, *(() if all else (clock.now(),))),
    )
    return [Item(*(*row[:6], tuple(json.loads(row[6])), *row[7:])) for row in rows]


def prune(db: Connection, agent: str, *, below: float = EVICT_BELOW, keep: int = KEEP) -> tuple[int, int]:
    """Mark what is over as expired, and what matters little as evicted; (expired, evicted)."""
    at = clock.now()
    with store.transaction(db):
        expired = db.execute(
            "UPDATE working_memory SET status='expired', invalidation_reason='its time is over'"
            " WHERE agent=? AND status='active' AND expires_at <= ?",
            (agent, at),
        ).rowcount
        evicted = db.execute(
            "UPDATE working_memory SET status='evicted', invalidation_reason='of little importance'"
            " WHERE agent=? AND status='active' AND importance < ?",
            (agent, below),
        ).rowcount
        evicted += db.execute(
            "UPDATE working_memory SET status='evicted', invalidation_reason='no room' WHERE id IN (SELECT id"
            " FROM working_memory"
            " WHERE agent=? AND status='active' ORDER BY importance DESC, last_used_at DESC LIMIT -1 OFFSET ?)",
            (agent, keep),
        ).rowcount
    return expired, evicted


def invalidate(db: Connection, agent: str, ref: str, reason: str) -> bool:
    """Mark an item as wrong; whether it was active."""
    with store.transaction(db):
        return bool(
            db.execute(
                "UPDATE working_memory SET status='invalidated', invalidation_reason=? WHERE agent=? AND ref=?"
                " AND status='active'",
                (reason, agent, ref),
            ).rowcount
        )
