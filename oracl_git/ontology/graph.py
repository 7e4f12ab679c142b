"""The entities and relations of the store, as answers need them: only what visible passages say.

Knows how a question names an entity, and how an entity is told with its aliases,
relations and evidence. A name that only hidden passages have is no name of it: one that
may be seen calls it something else. Reads the store, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import Unrecorded
from .model import DEFAULT_SCOPES
from .store import Connection
from .words import folded

_MOST = 50
_NOISE = re.compile(r"[\s\W_]+")


def norm(name: str) -> str:
    """One form of a name: case, spacing and punctuation apart."""
    return _NOISE.sub(" ", folded(name).casefold()).strip()


def named(db: Connection, text: str, scopes: Sequence[str]) -> list[int]:
    """The entities a text names, longest names first."""
    tokens = norm(text[:2_000]).split()
    names = {" ".join(tokens[i : i + size]) for size in range(1, 7) for i in range(len(tokens) - size + 1)}
    if not names:
        return []
    found: dict[int, int] = {}
    wanted = sorted(names)
    hidden = _hides(db, scopes)
    for start in range(0, len(wanted), 400):
        part = wanted[start : start + 400]
        marks = ",".join("?" * len(part))
        for number, key, name in db.execute(
            f"SELECT id, norm, name FROM entities WHERE norm IN ({marks}) UNION SELECT entity, norm, alias FROM"
            f" entity_aliases WHERE norm IN ({marks})",
            (*part, *part),
        ).fetchall():
            if not hidden or _says(db, number, name, scopes):
                found[number] = max(found.get(number, 0), len(key))
    seen = _visible(db, found, scopes)
    return sorted(seen, key=lambda number: (-found[number], number))


_SEEN = (
    "FROM entity_mentions m JOIN chunks c ON c.id=m.chunk JOIN sources s ON s.id=c.source WHERE m.entity=?"
    " AND s.scope IN ({})"
)


def _hides(db: Connection, scopes: Sequence[str]) -> bool:
    """Whether the store holds what these scopes may not see."""
    sql = f"SELECT 1 FROM sources WHERE scope NOT IN ({','.join('?' * len(scopes))}) LIMIT 1"
    return db.execute(sql, tuple(scopes)).fetchone() is not None


def _says(db: Connection, entity: int, name: str, scopes: Sequence[str]) -> bool:
    """Whether a visible passage that speaks of an entity has this name of it, however it is spelled."""
    seen = _SEEN.format(",".join("?" * len(scopes)))
    if db.execute(f"SELECT 1 {seen} AND instr(c.text, ?) LIMIT 1", (entity, *scopes, name)).fetchone():
        return True
    rows = db.execute(f"SELECT DISTINCT substr(c.text, m.start+1, m.stop-m.start) {seen}", (entity, *scopes))
    return any(norm(said) == norm(name) for (said,) in rows)


class _Names:
    """What entities are called, by what may be seen."""

    def __init__(self, db: Connection, scopes: Sequence[str]) -> None:
        self._db, self._scopes = db, scopes
        self._hidden = _hides(db, scopes)
        self._known: dict[int, str] = {}

    def of(self, entity: int, name: str) -> str:
        """Its name where a visible passage has it, else what most of those call it."""
        if not self._hidden:
            return name
        if entity not in self._known:
            seen = _SEEN.format(",".join("?" * len(self._scopes)))
            rows = self._db.execute(
                f"SELECT substr(c.text, m.start+1, m.stop-m.start) AS said {seen}"
                " GROUP BY said ORDER BY said<>?, count(*) DESC, said LIMIT 1",
                (entity, *self._scopes, name),
            )
            self._known[entity] = next((said for (said,) in rows), name)
        return self._known[entity]


def _visible(db: Connection, entities: Iterable[int], scopes: Sequence[str]) -> list[int]:
    """The entities that a passage of these scopes names."""
    marks = ",".join("?" * len(scopes))
    return [
        number
        for number in entities
        if db.execute(
            f"SELECT 1 {_SEEN.format(marks)} LIMIT 1", (number, *scopes)
        ).fetchone()
    ]


def of_chunks(
    db: Connection, chunks: Sequence[int], first: Sequence[int] = (), scopes: Sequence[str] = DEFAULT_SCOPES
) -> list[dict[str, Any]]:
    """The entities that passages name, those the question names first."""
    counts: dict[int, list[int]] = {number: [] for number in first}
    for chunk in chunks:
        for (number,) in db.execute("SELECT DISTINCT entity FROM entity_mentions WHERE chunk=?", (chunk,)):
            counts.setdefault(number, []).append(chunk)
    ordered = sorted(counts, key=lambda n: (n not in first, -len(counts[n]), n))[:_MOST]
    found = []
    names = _Names(db, scopes)
    for number in ordered:
        ref, name, kind = db.execute("SELECT ref, name, kind FROM entities WHERE id=?", (number,)).fetchone()
        refs = [_chunk_ref(db, chunk) for chunk in counts[number]]
        found.append({"id": ref, "name": names.of(number, name), "kind": kind, "evidence": refs})
    return found


def _chunk_ref(db: Connection, chunk: int) -> str:
    return str(db.execute("SELECT ref FROM chunks WHERE id=?", (chunk,)).fetchone()[0])


_RELATION = (
    "SELECT r.ref, a.name, r.relation, b.name, r.confidence, c.ref, s.uri, c.location, substr(c.text, r.start+1,"
    " r.stop-r.start),"
    " r.valid_from, r.valid_to, r.observed_at, r.status, r.start, r.stop, a.id, b.id FROM relations r"
    " JOIN entities a ON a.id=r.subject"
    " JOIN entities b ON b.id=r.object JOIN chunks c ON c.id=r.chunk JOIN sources s ON s.id=c.source"
)
_KEYS = (
    "id",
    "subject",
    "relation",
    "object",
    "confidence",
    "chunk",
    "uri",
    "location",
    "quote",
    "valid_from",
    "valid_to",
    "observed_at",
    "status",
    "start",
    "stop",
)


def relations(
    db: Connection, chunks: Sequence[int], entities: Sequence[int], scopes: Sequence[str]
) -> list[dict[str, Any]]:
    """The relations that passages state, and those of the entities a question names; each with its evidence."""
    marks = ",".join("?" * len(scopes))
    names = _Names(db, scopes)
    found: dict[str, dict[str, Any]] = {}
    for column, numbers in (("r.subject", entities), ("r.object", entities), ("r.chunk", chunks)):
        for number in numbers:
            for *row, subject, target in db.execute(
                f"{_RELATION} WHERE {column}=? AND s.scope IN ({marks}) AND r.status<>'rejected' ORDER BY"
                " r.confidence DESC, r.id LIMIT ?",
                (number, *scopes, _MOST),
            ).fetchall():
                row[1], row[3] = names.of(subject, row[1]), names.of(target, row[3])
                found.setdefault(row[0], dict(zip(_KEYS, row, strict=True)))
    return list(found.values())[:_MOST]


def entity(db: Connection, name: str, scopes: Sequence[str] = DEFAULT_SCOPES) -> dict[str, Any]:
    """Everything known of an entity. Raises Unrecorded."""
    key = norm(name)
    rows = db.execute(
        "SELECT id, ref, name, kind, name FROM entities WHERE norm=? OR ref=? UNION SELECT e.id, e.ref, e.name, e.kind,"
        " a.alias FROM entity_aliases a JOIN entities e ON e.id=a.entity WHERE a.norm=?",
        (key, name, key),
    ).fetchall()
    hidden = _hides(db, scopes)
    rows = [row for row in rows if not hidden or row[1] == name or _says(db, row[0], row[4], scopes)]
    seen = _visible(db, [row[0] for row in rows], scopes)
    if not seen:
        raise Unrecorded(f"no entity is called {name!r}", _nearest(db, key, scopes))
    number, ref, called, kind, _ = next(row for row in rows if row[0] == seen[0])
    shown = _Names(db, scopes).of(number, called)
    marks = ",".join("?" * len(scopes))
    mentions = db.execute(
        "SELECT c.ref, s.uri, c.location, m.start, m.stop, m.confidence, c.text FROM entity_mentions m JOIN"
        " chunks c ON c.id=m.chunk"
        f" JOIN sources s ON s.id=c.source WHERE m.entity=? AND s.scope IN ({marks}) ORDER BY c.id, m.start LIMIT ?",
        (number, *scopes, _MOST),
    ).fetchall()
    return {
        "id": ref,
        "name": shown,
        "kind": kind,
        "aliases": sorted({text[start:stop] for *_, start, stop, _, text in mentions} - {shown}),
        "mentions": [
            {
                "chunk": c,
                "uri": uri,
                "location": location,
                "start": start,
                "stop": stop,
                "confidence": confidence,
                "quote": text[start:stop],
            }
            for c, uri, location, start, stop, confidence, text in mentions
        ],
        "relations": relations(db, (), [number], scopes),
    }


def _nearest(db: Connection, key: str, scopes: Sequence[str]) -> str:
    """A command that shows an entity with a similar name, among those that may be seen."""
    like = "%" + key.replace("\\", "").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = db.execute(
        "SELECT id, name FROM entities WHERE norm LIKE ? ESCAPE '\\' ORDER BY length(name) LIMIT 20", (like,)
    ).fetchall()
    names = _Names(db, scopes)
    seen = _visible(db, [number for number, _ in rows], scopes) if key else []
    called = [name for number, own in rows if number in seen and key in norm(name := names.of(number, own))]
    return f'git oracl ontology graph entity "{called[0]}"' if called else "git oracl ontology graph entities"


def entities(
    db: Connection, scopes: Sequence[str] = DEFAULT_SCOPES, kind: str = "", limit: int = 1000
) -> list[dict[str, Any]]:
    """The entities there are, most often named first."""
    marks = ",".join("?" * len(scopes))
    rows = db.execute(
        "SELECT e.ref, e.name, e.kind, count(*), e.id FROM entities e JOIN entity_mentions m ON m.entity=e.id JOIN"
        " chunks c ON c.id=m.chunk"
        f" JOIN sources s ON s.id=c.source WHERE s.scope IN ({marks}) AND (?='' OR e.kind=?) GROUP BY e.id ORDER"
        " BY 4 DESC, 2 LIMIT ?",
        (*scopes, kind, kind, limit),
    )
    names = _Names(db, scopes)
    return [
        {"id": ref, "name": names.of(number, name), "kind": kind, "mentions": count}
        for ref, name, kind, count, number in rows.fetchall()
    ]
