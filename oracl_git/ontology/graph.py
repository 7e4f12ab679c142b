"""The entities and relations of the store, as answers need them: only what visible passages say.

Knows how a question names an entity, and how an entity is told with its aliases,
relations and evidence. Name, kind and aliases are what passages that may be seen say: what only
a hidden one says, or one that is gone, is told nowhere. Reads the store, nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..errors import Unrecorded
from .model import DEFAULT_SCOPES, NAME
from .store import Connection
from .words import folded

NAMES = "names"  # what a document does with an entity
_MOST = 50
_NOISE = re.compile(r"[\s\W_]+")


def norm(name: str) -> str:
    """One form of a name: case, spacing and punctuation apart."""
    return _NOISE.sub(" ", folded(name).casefold()).strip()


_SEEN = "JOIN chunks c ON c.id=m.chunk JOIN sources s ON s.id=c.source WHERE s.scope IN ({})"


class _Names:
    """What entities are called, and which of them are one, by the passages of some scopes."""

    def __init__(self, db: Connection, scopes: Sequence[str]) -> None:
        self._db, self.scopes = db, tuple(scopes)
        self.seen = _SEEN.format(",".join("?" * len(self.scopes)))
        self._stands = self._meanings()
        self._known: dict[int, tuple[str, str]] = {}

    def _meanings(self) -> dict[int, int]:
        """An entity named as an acronym → the one it stands for, where passages say so of no more than one."""
        meant: dict[int, set[int]] = {}
        for short, long in self._db.execute(
            "SELECT DISTINCT e.id, m.entity FROM entity_aliases m JOIN entities e ON e.norm=m.norm AND e.id<>m.entity"
            f" {self.seen}",
            self.scopes,
        ):
            meant.setdefault(short, set()).add(long)
        # One step: what an acronym stands for is spelled out.
        return {short: next(iter(longs)) for short, longs in meant.items() if len(longs) == 1}

    def one(self, entity: int) -> int:
        """The entity that it is told as."""
        return self._stands.get(entity, entity)

    def all(self, entity: int) -> list[int]:
        """The entities that are told as this one."""
        return [entity, *sorted(short for short, long in self._stands.items() if long == entity)]

    def of(self, entity: int) -> tuple[str, str]:
        """(its name as most passages spell it, its kind; the surer of two). Names nobody may see are ""."""
        if entity not in self._known:
            rows = self._db.execute(
                f"SELECT m.name, m.kind, count(*) FROM entity_mentions m {self.seen} AND m.entity=? GROUP BY 1, 2",
                (*self.scopes, entity),
            )
            self._known[entity] = _called(rows.fetchall())
        return self._known[entity]

    def key(self, entity: int) -> str:
        """What orders entities alike in every clone."""
        return str(self._db.execute("SELECT norm FROM entities WHERE id=?", (entity,)).fetchone()[0])


def _called(rows: Iterable[tuple[str, str, int]]) -> tuple[str, str]:
    """(name, kind) from how often an entity is called so. A kind that says more goes before `name`."""
    names: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for name, kind, count in rows:
        names[name] += count
        kinds[kind] += count
    name = min(names, key=lambda each: (-names[each], each), default="")
    return name, min(kinds, key=lambda each: (each == NAME, -kinds[each], each), default="")


def named(db: Connection, text: str, scopes: Sequence[str]) -> list[int]:
    """The entities a text names, longest names first."""
    tokens = norm(text[:2_000]).split()
    wanted = sorted({" ".join(tokens[i : i + size]) for size in range(1, 7) for i in range(len(tokens) - size + 1)})
    names = _Names(db, scopes)
    found: dict[int, int] = {}
    for start in range(0, len(wanted), 400):
        part = wanted[start : start + 400]
        marks = ",".join("?" * len(part))
        for number, key in db.execute(
            f"SELECT id, norm FROM entities WHERE norm IN ({marks})"
            f" UNION SELECT m.entity, m.norm FROM entity_aliases m {names.seen} AND m.norm IN ({marks})",
            (*part, *names.scopes, *part),
        ):
            found[names.one(number)] = max(found.get(names.one(number), 0), len(key))
    seen = [number for number in found if names.of(number)[0]]
    return sorted(seen, key=lambda number: (-found[number], names.key(number)))


def of_chunks(
    db: Connection, chunks: Sequence[int], first: Sequence[int] = (), scopes: Sequence[str] = DEFAULT_SCOPES
) -> list[dict[str, Any]]:
    """The entities that passages name, those the question names first."""
    names = _Names(db, scopes)
    counts: dict[int, list[int]] = {number: [] for number in first}
    for chunk in chunks:
        rows = db.execute("SELECT DISTINCT entity FROM entity_mentions WHERE chunk=?", (chunk,))
        for number in {names.one(number) for (number,) in rows}:
            counts.setdefault(number, []).append(chunk)
    found = []
    for number in sorted(counts, key=lambda n: (n not in first, -len(counts[n]), names.key(n)))[:_MOST]:
        (ref,) = db.execute("SELECT ref FROM entities WHERE id=?", (number,)).fetchone()
        name, kind = names.of(number)
        refs = [_chunk_ref(db, chunk) for chunk in counts[number]]
        found.append({"id": ref, "name": name, "kind": kind, "evidence": refs})
    return found


def _chunk_ref(db: Connection, chunk: int) -> str:
    return str(db.execute("SELECT ref FROM chunks WHERE id=?", (chunk,)).fetchone()[0])


_RELATION = (
    "SELECT r.ref, r.subject, r.relation, r.object, r.confidence, c.ref, s.uri, c.location, substr(c.text, r.start+1,"
    " r.stop-r.start),"
    " r.valid_from, r.valid_to, r.observed_at, r.status, r.start, r.stop FROM relations r"
    " JOIN chunks c ON c.id=r.chunk JOIN sources s ON s.id=c.source"
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
    names = _Names(db, scopes)
    marks = ",".join("?" * len(names.scopes))
    found: dict[str, dict[str, Any]] = {}
    numbers = [number for entity in entities for number in names.all(entity)]
    for column, wanted in (("r.subject", numbers), ("r.object", numbers), ("r.chunk", chunks)):
        for number in wanted:
            for row in db.execute(
                f"{_RELATION} WHERE {column}=? AND s.scope IN ({marks}) AND r.status<>'rejected' ORDER BY"
                " r.confidence DESC, s.uri, c.ordinal, r.start, r.ref LIMIT ?",
                (number, *names.scopes, _MOST),
            ).fetchall():
                told = dict(zip(_KEYS, row, strict=True))
                told["subject"], told["object"] = (names.of(names.one(told[end]))[0] for end in ("subject", "object"))
                found.setdefault(row[0], told)
    return list(found.values())[:_MOST]


def entity(db: Connection, name: str, scopes: Sequence[str] = DEFAULT_SCOPES) -> dict[str, Any]:
    """Everything known of an entity. Raises Unrecorded."""
    key = norm(name)
    names = _Names(db, scopes)
    rows = db.execute(
        "SELECT id FROM entities WHERE norm=? OR ref=?"
        f" UNION SELECT m.entity FROM entity_aliases m {names.seen} AND m.norm=?",
        (key, name, *names.scopes, key),
    ).fetchall()
    seen = [number for number in dict.fromkeys(names.one(number) for (number,) in rows) if names.of(number)[0]]
    if not seen:
        raise Unrecorded(f"no entity is called {name!r}", _nearest(db, key, names))
    # Its own name goes before what something else is called as well.
    number = min(seen, key=lambda each: (names.key(each) != key, names.key(each)))
    (ref,) = db.execute("SELECT ref FROM entities WHERE id=?", (number,)).fetchone()
    shown, kind = names.of(number)
    marks = ",".join("?" * len(names.all(number)))
    mentions = db.execute(
        "SELECT c.ref, s.uri, c.location, m.start, m.stop, m.confidence, substr(c.text, m.start+1, m.stop-m.start)"
        f" FROM entity_mentions m {names.seen} AND m.entity IN ({marks})"
        " ORDER BY s.uri, c.ordinal, m.start LIMIT ?",
        (*names.scopes, *names.all(number), _MOST),
    ).fetchall()
    also = db.execute(
        f"SELECT DISTINCT m.alias FROM entity_aliases m {names.seen} AND m.entity=?", (*names.scopes, number)
    )
    return {
        "id": ref,
        "name": shown,
        "kind": kind,
        "aliases": sorted({*(quote for *_, quote in mentions), *(alias for (alias,) in also)} - {shown}),
        "mentions": [
            dict(zip(("chunk", "uri", "location", "start", "stop", "confidence", "quote"), row, strict=True))
            for row in mentions
        ],
        "relations": relations(db, (), [number], scopes),
    }


def edges(db: Connection, refs: Collection[str], scopes: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """(from, relation, to, evidence) of what is said of these entities, then of the documents that name them.

    A document is called by its URI, an entity by its id.
    """
    names = _Names(db, scopes)
    ids = dict(db.execute("SELECT id, ref FROM entities"))
    found = []
    for subject, relation, target, uri, location, quote in db.execute(
        "SELECT m.subject, m.relation, m.object, s.uri, c.location, substr(c.text, m.start+1, m.stop-m.start)"
        f" FROM relations m {names.seen} AND m.status<>'rejected'"
        " ORDER BY m.confidence DESC, s.uri, c.ordinal, m.start, m.ref",
        names.scopes,
    ):
        one, other = ids[names.one(subject)], ids[names.one(target)]
        if one in refs and other in refs:
            found.append((one, relation, other, f"{uri} {location}: {' '.join(quote.split())}"))
    for entity, uri, count in db.execute(
        f"SELECT m.entity, s.uri, count(*) FROM entity_mentions m {names.seen} GROUP BY 1, 2 ORDER BY 2, 3 DESC",
        names.scopes,
    ):
        if ids[names.one(entity)] in refs:
            found.append((uri, NAMES, ids[names.one(entity)], f"{count} times"))
    return found


def _nearest(db: Connection, key: str, names: _Names) -> str:
    """A command that shows an entity with a similar name, among those that may be seen."""
    like = "%" + key.replace("\\", "").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = db.execute(
        f"SELECT DISTINCT m.entity FROM entity_mentions m JOIN entities e ON e.id=m.entity {names.seen}"
        " AND e.norm LIKE ? ESCAPE '\\' ORDER BY length(e.norm), e.norm LIMIT 1",
        (*names.scopes, like),
    ).fetchall()
    return f'git oracl ontology graph entity "{names.of(rows[0][0])[0]}"' if rows and key else (
        "git oracl ontology graph entities"
    )  # fmt: skip


def entities(
    db: Connection, scopes: Sequence[str] = DEFAULT_SCOPES, kind: str = "", limit: int = 1000
) -> list[dict[str, Any]]:
    """The entities there are, most often named first."""
    names = _Names(db, scopes)
    own: dict[int, list[tuple[str, str, int]]] = {}
    counts: Counter[int] = Counter()
    for number, *said in db.execute(
        f"SELECT m.entity, m.name, m.kind, count(*) FROM entity_mentions m {names.seen} GROUP BY 1, 2, 3", names.scopes
    ):
        own.setdefault(number, []).append((said[0], said[1], said[2]))
        counts[names.one(number)] += said[2]
    called = {number: _called(own[number]) for number in counts}
    wanted = [number for number in counts if kind in ("", called[number][1])]
    refs = dict(db.execute("SELECT id, ref FROM entities"))
    return [
        {"id": refs[number], "name": called[number][0], "kind": called[number][1], "mentions": counts[number]}
        for number in sorted(wanted, key=lambda number: (-counts[number], called[number][0]))[:limit]
    ]
