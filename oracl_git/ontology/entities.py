"""The entities and relations of a document, and how they are kept: one row a name, evidence for each.

Knows that two spellings of one name are one entity and that an acronym given beside
its long form is an alias. What is a name says `naming.py`, what is said of it
`statements.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from .chunking import Chunk
from .clock import now
from .graph import norm
from .naming import TERM, Mention, acronyms, names
from .statements import Statement, statements
from .store import Connection


class Graph(NamedTuple):
    """What a document names and says."""

    mentions: list[Mention]
    statements: list[Statement]
    aliases: list[tuple[str, str]]  # (name, other name)


def extract(chunks: Sequence[Chunk]) -> Graph:
    """The entities and relations of a document."""
    mentions = names(chunks)
    aliases = []
    taken = {(m.chunk, m.start) for m in mentions}
    for place, chunk in enumerate(chunks):
        if chunk.kind != "code" and "(" in chunk.text:
            for long, short, start, stop in acronyms(chunk.text):
                aliases.append((long, short))
                if (place, start) not in taken:
                    mentions.append(Mention(place, start, stop, long, TERM, 0.9))
                    taken.add((place, start))
    said, named = statements(chunks, mentions)
    held = set(mentions)
    return Graph(sorted([*mentions, *(m for m in named if m not in held)]), said, aliases)


def entity_ref(name: str) -> str:
    """The name of an entity in the store: the same wherever it is named."""
    return "ent_" + hashlib.sha256(f"entity\0{norm(name)}".encode("utf-8", "replace")).hexdigest()[:16]


def save(db: Connection, chunks: list[int], graph: Graph) -> tuple[int, int]:
    """Write what a document names and says; (mentions, relations). The caller holds the transaction."""
    known: dict[str, int] = {}
    for mention in graph.mentions:
        key = norm(mention.name)
        if not key:
            continue
        number = known.get(key) or known.setdefault(key, _entity(db, mention))
        db.execute(
            "INSERT OR IGNORE INTO entity_mentions VALUES(?,?,?,?,?)",
            (number, chunks[mention.chunk], mention.start, mention.stop, mention.confidence),
        )
    for name, other in graph.aliases:
        if norm(name) in known and norm(other):
            db.execute("INSERT OR IGNORE INTO entity_aliases(entity, norm, alias) VALUES(?,?,?)",
                (known[norm(name)], norm(other), other),
            )
    written = 0
    for said in graph.statements:
        subject, target = known.get(norm(said.subject)), known.get(norm(said.object))
        if subject and target and subject != target:
            (at,) = db.execute("SELECT ref FROM chunks WHERE id=?", (chunks[said.chunk],)).fetchone()
            record = "\0".join((norm(said.subject), said.relation, norm(said.object), at, str(said.start)))
            written += db.execute(
                "INSERT OR IGNORE INTO relations(ref, subject, relation, object, confidence, chunk, start, stop,"
                " valid_from, valid_to,"
                " observed_at, status) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    "rel_" + hashlib.sha256(record.encode("utf-8", "replace")).hexdigest()[:16],
                    subject,
                    said.relation,
                    target,
                    said.confidence,
                    chunks[said.chunk],
                    said.start,
                    said.stop,
                    said.valid_from,
                    said.valid_to,
                    now(),
                    _status(said),
                ),
            ).rowcount
    return len(graph.mentions), written


def _status(said: Statement) -> str:
    return "ended" if said.valid_to and said.valid_to < now()[: len(said.valid_to)] else "active"


def _entity(db: Connection, mention: Mention) -> int:
    key = norm(mention.name)
    row = db.execute("SELECT id, kind FROM entities WHERE norm=?", (key,)).fetchone()
    if row is None:
        row = db.execute("SELECT entity, '' FROM entity_aliases WHERE norm=? LIMIT 1", (key,)).fetchone()
    if row is None:
        cursor = db.execute(
            "INSERT INTO entities(ref, name, kind, norm) VALUES(?,?,?,?)",
            (entity_ref(mention.name), mention.name, mention.kind, key),
        )
        return int(cursor.lastrowid or 0)
    if row[1] == "name" and mention.kind != "name":
        db.execute("UPDATE entities SET kind=? WHERE id=?", (mention.kind, row[0]))
    return int(row[0])
