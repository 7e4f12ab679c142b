"""`documents` edges: which passages speak of an artifact, and which artifacts a passage names.

Knows mentions (kept as written) and how they resolve against the artifacts there
are now, which it asks for through `Names`. An exact path or a registered file that
is the artifact itself weighs 1; a name that several artifacts have, its share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .mentions import AMBIGUOUS, names_of
from .store import Connection

_KIND_WEIGHT = {"path": 1.0, "module": 1.0, "name": 0.8, "symbol": 0.8}


class Names(Protocol):
    """The artifacts of the indexed commit, by what they are called."""

    def symbols(self, path: str) -> Sequence[str]:
        """The names an artifact defines."""

    def by_path(self, suffix: str) -> Sequence[str]:
        """The artifacts whose path is, or ends in, so many segments."""

    def by_symbol(self, name: str) -> Sequence[str]:
        """The artifacts that define a name."""


@dataclass(frozen=True)
class Edge:
    """A passage documents an artifact."""

    chunk: int
    ref: str
    uri: str
    location: str
    heading: str
    text: str
    scope: str
    path: str
    name: str  # what the passage calls it; "" where it is the artifact itself
    confidence: float

    def to_json(self) -> dict[str, object]:
        """The stable JSON form."""
        return {
            "relation": "documents",
            "chunk": self.ref,
            "uri": self.uri,
            "location": self.location,
            "heading": self.heading,
            "path": self.path,
            "name": self.name,
            "confidence": round(self.confidence, 6),
        }


def of_artifact(db: Connection, path: str, names: Names, scopes: Iterable[str], limit: int = 20) -> list[Edge]:
    """The passages that document an artifact, surest first."""
    known = names_of(path, names.symbols(path))
    allowed = tuple(scopes)
    sure: dict[str, float] = {}  # what a name says is the same wherever it stands
    found: dict[int, Edge] = {}
    wanted = list(known)
    for start in range(0, len(wanted), 400):
        part = wanted[start : start + 400]
        rows = db.execute(
            "SELECT c.id, c.ref, s.uri, c.location, c.heading, c.text, s.scope, m.name FROM mentions m JOIN"
            " chunks c ON c.id=m.chunk"
            f" JOIN sources s ON s.id=c.source WHERE m.name IN ({','.join('?' * len(part))})"
            f" AND s.scope IN ({','.join('?' * len(allowed))}) AND s.uri<>? ORDER BY c.id LIMIT 2000",
            (*part, *allowed, path),
        )
        for *row, name in rows:
            if name not in sure:
                sure[name] = _confidence(path, name, names)
            confidence = sure[name]
            if confidence and (row[0] not in found or confidence > found[row[0]].confidence):
                found[row[0]] = Edge(*(*row, path, name, confidence))
    return sorted(found.values(), key=lambda edge: (-edge.confidence, edge.uri, edge.chunk))[:limit]


def of_chunk(db: Connection, chunk: int, names: Names) -> list[Edge]:
    """The artifacts a passage documents: the file it stands in, and those it names."""
    row = db.execute(
        "SELECT c.id, c.ref, s.uri, c.location, c.heading, c.text, s.scope, s.origin FROM chunks c JOIN sources"
        " s ON s.id=c.source"
        " WHERE c.id=?",
        (chunk,),
    ).fetchone()
    if row is None:
        return []
    *about, origin = row
    found: dict[str, Edge] = {}
    if origin == "git" and names.by_path(row[2])[:1] == [row[2]]:
        found[row[2]] = Edge(*(*about, row[2], "", 1.0))
    for (name,) in db.execute("SELECT name FROM mentions WHERE chunk=? ORDER BY name", (chunk,)).fetchall():
        for path, confidence in _resolve(name, names):
            if path != row[2] and (path not in found or confidence > found[path].confidence):
                found[path] = Edge(*(*about, path, name, confidence))
    return sorted(found.values(), key=lambda edge: (-edge.confidence, edge.path))


def of_all(db: Connection, names: Names, scopes: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """(document, artifact, where it is named, how) of every document of some scopes, each pair once."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    meant: dict[str, list[tuple[str, float]]] = {}
    for name, uri, location in db.execute(
        "SELECT m.name, s.uri, c.location FROM mentions m JOIN chunks c ON c.id=m.chunk JOIN sources s ON s.id=c.source"
        f" WHERE s.scope IN ({','.join('?' * len(scopes))}) ORDER BY s.uri, c.ordinal, m.name",
        tuple(scopes),
    ):
        if name not in meant:
            meant[name] = _resolve(name, names)
        for path, _ in meant[name]:
            if path != uri:
                found.setdefault((uri, path), (location, name))
    return [(*pair, *how) for pair, how in found.items()]


def _resolve(name: str, names: Names) -> list[tuple[str, float]]:
    """(artifact, confidence) for a name as it is written."""
    if "/" in name or "." in name:
        paths = names.by_path(name)
        if 0 < len(paths) <= AMBIGUOUS:
            weight = _KIND_WEIGHT["path" if "/" in name else "name"]
            return [(path, weight / len(paths)) for path in paths]
    if "." in name and "/" not in name:
        module, _, symbol = name.rpartition(".")
        for dotted, kind in ((name, "module"), (module, "symbol")):
            paths = names.by_path(dotted.replace(".", "/") + ".py") or names.by_path(
                dotted.replace(".", "/") + "/__init__.py"
            )
            if kind == "symbol":
                paths = [path for path in paths if symbol in names.symbols(path)]
            if 0 < len(paths) <= AMBIGUOUS:
                return [(path, _KIND_WEIGHT[kind] / len(paths)) for path in paths]
        return []
    paths = names.by_symbol(name) if len(name) > 3 else []
    return [(path, _KIND_WEIGHT["symbol"] / len(paths)) for path in paths] if 0 < len(paths) <= AMBIGUOUS else []


def _confidence(path: str, name: str, names: Names) -> float:
    """How surely a name means this artifact; 0 when it means too many."""
    if name == path:
        return 1.0
    return dict(_resolve(name, names)).get(path, 0.0)
