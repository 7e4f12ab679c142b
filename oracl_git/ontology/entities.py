"""The entities and relations of a document, and how they are kept: one row a name, evidence for each.

Knows that two spellings of one name are one entity and that an acronym given beside
its long form is an alias, by the word of that passage. What is a name says `naming.py`, what is said of it
`statements.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from .chunking import Chunk
from .clock import now
from .graph import norm
from .model import TERM
from .naming import Mention, acronyms, names
from .statements import Statement, statements
from .store import Connection


class Graph(NamedTuple):
    """What a document names and says."""

    mentions: list[Mention]
    statements: list[Statement]
    aliases: list[tuple[int, str, str]]  # (place among the chunks, name, other name)


def extract(chunks: Sequence[Chunk]) -> Graph:
    """The entities and relations of a document."""
    mentions = names(chunks)
    aliases = []
    taken = {(m.chunk, m.start) for m in mentions}
    for place, chunk in enumerate(chunks):
        if chunk.kind != "code" and "(" in chunk.text:
            for long, short, start, stop in acronyms(chunk.text):
                aliases.append((place, long, short))
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
    """Write what a document names and says; (mentions, relations). The caller holds the transaction.

    An acronym is the name it stands for where the document says so, and there alone: what it means in
    another document is no property of this one, and would go when that one goes.
    """
    meant = _meant(graph)
    numbers: dict[str, int] = {}
    for mention in graph.mentions:
        name = meant.get(norm(mention.name), mention.name)
        if norm(name):
            number = _numbered(db, numbers, name)
            db.execute(
                "INSERT OR IGNORE INTO entity_mentions(entity, chunk, start, stop, name, kind, confidence)"
                " VALUES(?,?,?,?,?,?,?)",
                (number, chunks[mention.chunk], mention.start, mention.stop, name, mention.kind, mention.confidence),
            )
    for place, name, other in graph.aliases:
        if norm(name) in numbers and norm(other):
            db.execute(
                "INSERT OR IGNORE INTO entity_aliases(entity, norm, chunk, alias) VALUES(?,?,?,?)",
                (numbers[norm(name)], norm(other), chunks[place], other),
            )
    written = 0
    for said in graph.statements:
        one, other = (norm(meant.get(norm(name), name)) for name in (said.subject, said.object))
        subject, target = numbers.get(one), numbers.get(other)
        if subject and target and subject != target:
            (at,) = db.execute("SELECT ref FROM chunks WHERE id=?", (chunks[said.chunk],)).fetchone()
            record = "\0".join((one, said.relation, other, at, str(said.start)))
            written += db.execute(
                "INSERT OR IGNORE INTO relations(ref, subject, relation, object, confidence, chunk, start, stop,"
                " valid_from, valid_to, observed_at, status) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
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


def _meant(graph: Graph) -> dict[str, str]:
    """The acronyms of a document (in one form) → the one name each stands for."""
    found: dict[str, dict[str, str]] = {}
    for _, name, other in graph.aliases:
        found.setdefault(norm(other), {}).setdefault(norm(name), name)
    return {short: next(iter(names.values())) for short, names in found.items() if len(names) == 1}


def _numbered(db: Connection, numbers: dict[str, int], name: str) -> int:
    """The row of an entity; made where there is none."""
    key = norm(name)
    if key not in numbers:
        db.execute("INSERT OR IGNORE INTO entities(ref, norm) VALUES(?,?)", (entity_ref(name), key))
        numbers[key] = int(db.execute("SELECT id FROM entities WHERE norm=?", (key,)).fetchone()[0])
    return numbers[key]


def _status(said: Statement) -> str:
    return "ended" if said.valid_to and said.valid_to < now()[: len(said.valid_to)] else "active"
