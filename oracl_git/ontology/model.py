"""The words of the ontology: scopes, statuses, and the records that answers are made of.

Knows plain data. Knows nothing of where it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PUBLIC, INTERNAL, PRIVATE = SCOPES = ("public", "internal", "private")  # from wide to narrow
DEFAULT_SCOPES = (PUBLIC, INTERNAL)

PARSED, PARSER_ERROR, UNSUPPORTED = SOURCE_STATUSES = ("parsed", "parser_error", "unsupported_pending_adapter")

# What a ticket may propose.
FACT, EXPERIENCE, EDGE, TAG, CONSTRAINT = TICKET_TYPES = (
    "fact",
    "experience",
    "learned_edge",
    "learned_tag",
    "constraint",
)
# A ticket waits as `candidate`; an experience projection is `active`, for its owner is the source of truth.
TICKET_STATUSES = (
    "candidate",
    "active",
    "approved",
    "rejected",
    "quarantined",
    "superseded",
    "deprecated",
    "stale",
    "expired",
)
RECALLABLE = ("active", "approved")  # experience that may be scored at all
DECISIONS = {
    "approve": "approved",
    "reject": "rejected",
    "quarantine": "quarantined",
    "supersede": "superseded",
    "deprecate": "deprecated",
}
SIMILAR, SUPERSEDES, CONTRADICTS = LINK_RELATIONS = ("similar_to", "supersedes", "contradicts")
WORKING_STATUSES = ("active", "expired", "evicted", "invalidated")
# What an entity is; a `name` is one of which no more is said.
ORGANISATION, PERSON, PROJECT, TERM, CONTACT, NAME = "organisation", "person", "project", "term", "contact", "name"
RISKS = ("low", "medium", "high")


def narrower(first: str, second: str) -> str:
    """The more private of two scopes."""
    return max(first, second, key=SCOPES.index)


@dataclass(frozen=True)
class Hit:
    """One passage that answers a question. The shares of `reasons` add up to `score`."""

    ref: str  # of the chunk
    uri: str
    title: str
    heading: str
    location: str
    text: str
    score: float
    confidence: float
    scope: str
    kind: str
    version: int
    source_ref: str
    reasons: tuple[tuple[str, str, float], ...] = ()  # (signal, in words, share)
    also: tuple[str, ...] = ()  # other sources that hold the same passage
    chunk: int = 0

    def to_json(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "chunk": self.ref,
            "source": self.source_ref,
            "uri": self.uri,
            "title": self.title,
            "heading": self.heading,
            "location": self.location,
            "text": self.text,
            "score": round(self.score, 6),
            "confidence": round(self.confidence, 6),
            "scope": self.scope,
            "kind": self.kind,
            "version": self.version,
            "reasons": [{"signal": s, "text": t, "share": round(v, 6)} for s, t, v in self.reasons],
            "also": list(self.also),
        }


@dataclass(frozen=True)
class Memory:
    """One experience that answers a question."""

    ref: str
    text: str
    score: float
    relevance: float
    salience: float
    scope: str
    kind: str
    tags: tuple[str, ...]
    source_memory_id: str
    created_at: str
    reasons: tuple[tuple[str, str, float], ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # (relation, ref)
    confidence: float = 0.0  # 0..1, by itself: the score compares with the others

    def to_json(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "id": self.ref,
            "text": self.text,
            "score": round(self.score, 6),
            "confidence": round(self.confidence, 6),
            "relevance": round(self.relevance, 6),
            "salience": round(self.salience, 6),
            "scope": self.scope,
            "kind": self.kind,
            "tags": list(self.tags),
            "source_memory_id": self.source_memory_id,
            "created_at": self.created_at,
            "reasons": [{"signal": s, "text": t, "share": round(v, 6)} for s, t, v in self.reasons],
            "links": [{"relation": relation, "id": ref} for relation, ref in self.links],
        }


@dataclass
class Counts:
    """What an ingest did, by kind, and what it left alone, by reason."""

    read: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    rescoped: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    failed: list[tuple[str, str, str]] = field(default_factory=list)  # (uri, status, reason)
    skipped: dict[str, int] = field(default_factory=dict)  # reason → how many
    refused: list[tuple[str, str]] = field(default_factory=list)  # (registered path, reason)
    stale: int = 0
    left_out: list[str] = field(default_factory=list)  # documents with pictures that there was no time to read

    def skip(self, reason: str) -> None:
        """Count something that is not read."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
