"""Tickets: what the log suggests, with its evidence, waiting for a person's word.

Knows the shape of a ticket and the private file they wait in,
`$GIT_DIR/oracl/proposals.json`. Knows nothing of how they are found or what
approving one changes. A curator's queue can stand in for `load` and `save`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .. import whole
from ..store.taking import alone

EDGE, TAG = "learned_edge", "learned_tag"
PROPOSED, APPROVED, REJECTED, APPLIED = "proposed", "approved", "rejected", "applied"
STATUSES = (PROPOSED, APPROVED, REJECTED, APPLIED)
_MOST = 10_000  # tickets that are kept
_LARGEST = 16 << 20  # bytes of the file that are read


class Ticket(NamedTuple):
    """One proposed change. `subject` says what it is about and makes the id; the rest may change.

    learned_edge: (source, target). learned_tag: (path, question).
    """

    kind: str
    subject: tuple[str, str]
    confidence: float  # above 0, at most 1, two decimals
    opens: int
    sessions: int
    first: str  # ISO 8601, of the evidence
    last: str
    status: str = PROPOSED

    @property
    def id(self) -> str:
        """Twelve hex digits of SHA-256 over kind and subject."""
        text = "\0".join((self.kind, *self.subject))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @property
    def reason(self) -> str:
        """The evidence in words."""
        times = f"{self.opens} times in {self.sessions} session{'s' * (self.sessions != 1)}"
        if self.kind == EDGE:
            return f"opened together {times}"
        return f"opened for it {times}"

    def to_json(self) -> dict[str, object]:
        """The stable JSON form."""
        names = ("source", "target") if self.kind == EDGE else ("path", "question")
        return {
            "id": self.id, "kind": self.kind, "change": dict(zip(names, self.subject, strict=True)),
            "confidence": self.confidence, "status": self.status, "reason": self.reason,
            "evidence": {"opens": self.opens, "sessions": self.sessions, "first": self.first, "last": self.last},
        }  # fmt: skip


def place(git_dir: str) -> str:
    """Where undecided tickets wait."""
    return os.path.join(git_dir, "oracl", "proposals.json")


def load(git_dir: str) -> dict[str, Ticket]:
    """Id → ticket; what cannot be read as one is left out."""
    try:
        with open(place(git_dir), "rb", opener=whole.plain) as file:
            data = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    rows = data.get("tickets") if isinstance(data, dict) else None
    found = (_ticket(row) for row in rows) if isinstance(rows, list) else ()
    return {ticket.id: ticket for ticket in found if ticket is not None}


def _ticket(row: Any) -> Ticket | None:
    if not isinstance(row, list) or len(row) != len(Ticket._fields):
        return None
    kind, subject, confidence, opens, sessions, first, last, status = row
    texts = [kind, first, last, status, *(subject if isinstance(subject, list) else [None])]
    numbers = isinstance(confidence, (int, float)) and isinstance(opens, int) and isinstance(sessions, int)
    if not all(isinstance(text, str) for text in texts) or not numbers or len(subject) != 2:
        return None
    if kind not in (EDGE, TAG) or status not in STATUSES or not 0 < confidence <= 1:
        return None
    return Ticket(kind, (subject[0], subject[1]), float(confidence), opens, sessions, first, last, status)


@contextmanager
def editing(git_dir: str) -> Iterator[dict[str, Ticket]]:
    """Id → ticket, to be changed: written when the block ends well, and nobody else writes meanwhile."""
    with alone(place(git_dir), make=True):
        known = load(git_dir)
        before = dict(known)
        yield known
        if known != before:
            save(git_dir, known.values())


def save(git_dir: str, tickets: Iterable[Ticket]) -> None:
    """Write them all: a new file in place of the old, whole or not at all."""
    rows = sorted(tickets, key=lambda ticket: ticket.id)[:_MOST]
    data = json.dumps({"schema": 1, "tickets": [list(row) for row in rows]}, ensure_ascii=True, indent=0)
    path = place(git_dir)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    whole.write(path, data.encode(), 0o600)

