"""An index that is open for reading: its header, the shapes of its rows, and what nodes are called.

Knows how the file is opened read-only, and the numbers of the header. What rows
answer stands in `index`, `wording` and `past`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Self

from ..git import Repository
from ..graph import association
from ..graph.model import decode_path
from ..graph.parameters import Blend
from ..graph.priority import priority
from . import database
from .facts import FactsCache
from .settings import Settings

NODE = (
    "id, kind, path, mode, blob, size, lines, checksum, language, role, placeholder, unparsed, tags, resolutions,"
    " s, m, sum, cnt, deg"
)


class Node(NamedTuple):
    """A row of the graph: an artifact, a hub or a constraint."""

    id: int
    kind: int
    path: str
    mode: int
    blob: str
    size: int
    lines: int
    checksum: str
    language: str
    role: str
    placeholder: int
    unparsed: str  # why it is known by its text alone
    tags_json: str
    resolutions_json: str
    s: int
    m: int
    sum: int
    edges: int  # how many of them count in `sum`
    degree: int

    @property
    def tags(self) -> dict[str, str]:
        """Field → value."""
        found: dict[str, str] = json.loads(self.tags_json)
        return found

    @property
    def resolutions(self) -> tuple[int, ...]:
        """How its imports resolved: counts, in the order of `link.RESOLUTIONS`."""
        return tuple(json.loads(self.resolutions_json))


class Link(NamedTuple):
    """One stored edge, seen from either end."""

    source: int
    target: int
    relation: str
    source_fragment: str
    target_fragment: str
    weight: int
    confidence: int
    partition: str
    rank: int


class Span(NamedTuple):
    """A chunk that matched: its lines, title and score (greater is better)."""

    id: int
    node: int
    start: int
    end: int
    title: str
    score: float


class Reading:
    """Reads one worktree's index inside one read transaction.

    With `db`: a private copy of it, which nobody else writes; `known` is what holds of it (OF_COMMIT, OF_PATHS).
    """

    def __init__(
        self, repo: Repository, home: str = "", *, db: sqlite3.Connection | None = None,
        facts: FactsCache | None = None, known: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        self.repo, self._home = repo, home
        self._own_facts = facts is None
        if facts is not None:
            self.facts_cache = facts
        self.__dict__.update(known or {})
        self.db = db or database.connect(database.place(repo, "index", home), "index", write=False)
        try:
            if db is None:
                self.db.execute("PRAGMA query_only=ON")
                self.db.execute("BEGIN")
            self.header: dict[str, object] = dict(self.db.execute("SELECT key, value FROM header"))
            if "commit" not in self.header:
                raise FileNotFoundError("the index is empty")
        except BaseException as error:
            self.db.close()
            if isinstance(error, sqlite3.DatabaseError) and database.is_damage(error):
                raise database.spoilt(error) from None
            raise

    def close(self) -> None:
        """Let go of the files; of facts that were given, whoever gave them does."""
        self.db.close()
        if "past" in self.__dict__ and self.past is not None:
            self.past.close()
        if self._own_facts and self.__dict__.get("facts_cache") is not None:
            self.__dict__["facts_cache"].close()

    def opened(self) -> list[sqlite3.Connection]:
        """The files that were read so far."""
        past = self.__dict__.get("past")
        return [self.db] if past is None else [self.db, past]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @cached_property
    def facts_cache(self) -> FactsCache | None:
        """What extraction learned, or None when the cache is not there."""
        try:
            db = database.connect(database.place(self.repo, "facts", self._home), "facts", write=False)
        except FileNotFoundError:
            return None
        with database.closed_on_failure(db):
            return FactsCache(db, write=False)

    @cached_property
    def past(self) -> sqlite3.Connection | None:
        """The history database, or None when it is not there."""
        try:
            past = database.connect(database.place(self.repo, "history", self._home), "history", write=False)
        except FileNotFoundError:
            return None
        with database.closed_on_failure(past):
            row = past.execute("SELECT value FROM meta WHERE key='identity'").fetchone()
        if row and row[0] == self.header.get("history"):
            return past
        past.close()  # made anew since: its ids are not those this index knows
        return None

    @property
    def commit(self) -> str:
        """The commit this index is of."""
        return str(self.header["commit"])

    @property
    def time(self) -> int:
        """When that commit was made: the clock of every question."""
        return int(str(self.header.get("time", 0)))

    @cached_property
    def settings(self) -> Settings:
        return Settings.decode(self.header.get("settings"))

    @property
    def blend(self) -> Blend:
        return self.settings.blend

    @property
    def max_rank(self) -> int:
        return int(str(self.header["max_r"]))

    @cached_property
    def statistics(self) -> tuple[int, int]:
        """(μ, σ) of A over all nodes."""
        h = {name: int(str(self.header[name])) for name in ("nodes", "connected", "sum_a", "sum_a2")}
        return association.statistics(h["nodes"], h["connected"], h["sum_a"], h["sum_a2"])

    def priority(self, node: Node) -> tuple[int, int]:
        """(P, P′) of a node, in millionths."""
        p = priority(node.s, node.m, node.degree, int(str(self.header["nodes"])))
        mu, sigma = self.statistics
        delta = association.delta(association.mean(node.sum, node.edges), mu, sigma) if node.edges else 0
        return p, association.blended(p, delta, self.blend)

    def normalised(self, rank: int) -> int:
        """R̂ of a stored R."""
        return association.normalised(rank, self.max_rank)

    def cards(self, ids: Iterable[int]) -> Mapping[int, tuple[bytes, str]]:
        """Node → (its path as git stores it, its role; "" for what is no artifact).

        What was asked for before is there too.
        """
        known = self.known_cards
        wanted = [node for node in ids if node not in known]
        rows = database.among(self.db, "SELECT id, path, role FROM node WHERE id IN", wanted)
        known.update((node, (path, role)) for node, path, role in rows)
        return known

    @cached_property
    def known_cards(self) -> dict[int, tuple[bytes, str]]:
        """Those that were asked for."""
        return {}

    @cached_property
    def asked(self) -> list[tuple[str, str, int]]:
        """(path, a question it was opened for, κ) as the commit's learned tags have it."""
        return [(path, question, kappa) for path, question, kappa in json.loads(str(self.header.get("asked", "[]")))]


def node_of(row: tuple[Any, ...]) -> Node:
    return Node(row[0], row[1], decode_path(row[2]), *row[3:])
