"""The index as the query plane reads it: one immutable snapshot, read-only.

Knows which rows answer which question. Knows nothing of ranking: scores that
come out of here are SQLite's own bm25.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

from ..extract import Facts
from ..git import Repository
from ..graph import association
from ..graph.model import ARTIFACT, HUB, HUB_PREFIX, PARTITIONS, decode_path, encode_path
from ..graph.parameters import RELATIONS, Blend
from ..graph.priority import priority
from . import database
from .facts import FactsCache
from .settings import Settings
from .vectors import Vectors

_NODE = (
    "id, kind, path, mode, blob, size, lines, checksum, language, role, placeholder, tags, resolutions, s, m,"
    " sum, cnt, deg"
)
# What an overlay's next state shares with the one before: what is of the commit; and, as
# long as the same paths are there, what is of the paths.
OF_COMMIT = ("past", "reach", "distance", "frequencies")
OF_PATHS = ("activity", "memory", "sizes", "_aliases")
_REMEMBERED = 64
_STEMS = 200_000  # words whose stems a process keeps
T = TypeVar("T")


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


class Index:
    """Reads one worktree's index inside one read transaction.

    With `db`: a private copy of it, which nobody else writes; `known` is what holds of it (OF_COMMIT, OF_PATHS).
    """

    def __init__(
        self, repo: Repository, home: str = "", *, db: sqlite3.Connection | None = None,
        facts: FactsCache | None = None, known: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        self.repo, self._home = repo, home
        if facts is not None:
            self.facts_cache = facts
        self.__dict__.update(known or {})
        self.db = db or database.connect(database.place(repo, "index", home), "index", write=False)
        try:
            if db is None:
                self.db.execute("PRAGMA query_only=ON")
                self.db.execute("BEGIN")
            self.header: dict[str, object] = dict(self.db.execute("SELECT key, value FROM header"))
        except sqlite3.DatabaseError as error:
            self.db.close()
            if database.is_damage(error):
                raise FileNotFoundError("the index is damaged") from None
            raise
        if "commit" not in self.header:
            self.db.close()
            raise FileNotFoundError("the index is empty")

    def close(self) -> None:
        """Let go of the files."""
        self.db.close()
        if "past" in self.__dict__ and self.past is not None:
            self.past.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- the header -----------------------------------------------------------------

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

    @cached_property
    def asked(self) -> list[tuple[str, str, int]]:
        """(path, a question it was opened for, κ) as the commit's learned tags have it."""
        return [(path, question, kappa) for path, question, kappa in json.loads(str(self.header.get("asked", "[]")))]

    # -- nodes ------------------------------------------------------------------------

    def node(self, path: str, kind: int = ARTIFACT) -> Node | None:
        """The node of that name."""
        row = self.db.execute(f"SELECT {_NODE} FROM node WHERE path=? AND kind=?", (encode_path(path), kind)).fetchone()
        return _node(row) if row else None

    def paths_of(self, ids: Iterable[int]) -> dict[int, bytes]:
        """Node → its path as git stores it: what equals are ordered by."""
        wanted = list(ids)
        found: dict[int, bytes] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            found.update(self.db.execute(f"SELECT id, path FROM node WHERE id IN ({marks})", part))
        return found

    def best(self, scores: Mapping[int, float], count: int) -> list[int]:
        """The `count` nodes of the greatest score, best first; equals by path."""
        ranked = heapq.nlargest(count + 1, scores.values())
        if not ranked:
            return []
        least = ranked[-1] if len(ranked) > count else min(ranked)
        chosen = [node for node, score in scores.items() if score >= least]
        paths = self.paths_of(chosen)
        chosen.sort(key=lambda node: (-scores[node], paths[node]))
        return chosen[:count]

    def has(self, path: bytes) -> bool:
        """Whether the path is there, as an artifact or left out."""
        find = "SELECT 1 FROM node WHERE path=?1 AND kind=0 UNION ALL SELECT 1 FROM skipped WHERE path=?1"
        return self.db.execute(find, (path,)).fetchone() is not None

    def count(self) -> int:
        """How many artifacts there are."""
        found: int = self.db.execute("SELECT count(*) FROM node WHERE kind=0").fetchone()[0]
        return found

    def nodes(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes by id."""
        wanted = list(ids)
        found: dict[int, Node] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            for row in self.db.execute(f"SELECT {_NODE} FROM node WHERE id IN ({marks})", part):
                found[row[0]] = _node(row)
        return found

    def all_nodes(self) -> Iterator[Node]:
        """Every node, by kind and path."""
        for row in self.db.execute(f"SELECT {_NODE} FROM node ORDER BY kind, path"):
            yield _node(row)

    def paths(self, pattern: str = "", argument: object = None) -> list[tuple[int, str]]:
        """(id, path) of artifacts, all or those where an SQL condition on node columns holds."""
        where = f"AND {pattern}" if pattern else ""
        args = () if argument is None else (argument,)
        rows = self.db.execute(f"SELECT id, path FROM node WHERE kind=0 {where} ORDER BY path", args)
        return [(node, decode_path(path)) for node, path in rows]

    def under(self, prefix: str, limit: int) -> list[tuple[int, str]]:
        """Artifacts whose path starts with the prefix, in path order."""
        low = encode_path(prefix)
        rows = self.db.execute(
            "SELECT id, path FROM node WHERE kind=0 AND path>=? AND path<? ORDER BY path LIMIT ?",
            (low, low + b"\xff" * 4, limit),
        )
        return [(node, decode_path(path)) for node, path in rows]

    def named(self, name: str, limit: int) -> list[tuple[int, str]]:
        """Artifacts with that file name, in path order."""
        rows = self.db.execute(
            "SELECT id, path FROM node WHERE kind=0 AND name=? ORDER BY path LIMIT ?", (encode_path(name), limit)
        )
        return [(node, decode_path(path)) for node, path in rows]

    def stem_kin(self, stem: str) -> list[tuple[int, str]]:
        """Artifacts of that normalised stem: implementations, and tests named after them."""
        rows = self.db.execute(
            "SELECT id, path FROM node WHERE kind=0 AND (stem=?1 OR tested=?1) ORDER BY path LIMIT 100", (stem,)
        )
        return [(node, decode_path(path)) for node, path in rows]

    def domains(self) -> list[tuple[str, int]]:
        """(domain, members) of every hub, largest first."""
        rows = self.db.execute("SELECT path, deg FROM node WHERE kind<>0 AND kind=? ORDER BY deg DESC, path", (HUB,))
        return [(decode_path(path).removeprefix(HUB_PREFIX), degree) for path, degree in rows]

    def skipped(self) -> list[tuple[str, int]]:
        """(reason, count) of what was left out."""
        return self.db.execute("SELECT reason, count(*) FROM skipped GROUP BY reason ORDER BY 2 DESC, 1").fetchall()

    def skipped_paths(self) -> list[tuple[str, str]]:
        """(path, reason) of everything that was left out."""
        return [
            (decode_path(p), r) for p, r in self.db.execute("SELECT path, reason FROM skipped ORDER BY reason, path")
        ]

    def symbols_named(self, names: Sequence[str], limit: int = 50) -> list[tuple[str, int, int, int]]:
        """(name, node, start, end) of definitions with exactly these names, in full or as last part."""
        found = []
        for name in names:
            found += self.db.execute(
                "SELECT s.name, s.node, s.start, s.stop FROM symbol s JOIN node n ON n.id=s.node WHERE s.name=?"
                " ORDER BY n.path, s.start LIMIT ?",
                (name, limit),
            ).fetchall()
        return found

    def names_like(self, letters: str, limit: int) -> list[tuple[str, str, str, int, int]]:
        """(name, kind, path, start, end) of definitions and files whose name has the letters in order."""
        letters = letters.encode("utf-8", "replace").decode()  # SQLite takes no surrogates
        parts = ["\\" + c if c in "%_\\" else c for c in letters[:64]]
        loose, close = "%" + "%".join(parts) + "%", "%" + "".join(parts) + "%"
        found: dict[tuple[object, ...], tuple[str, str, str, int, int]] = {}
        for pattern in (close, loose):
            rows = self.db.execute(
                "SELECT s.name, s.kind, n.path, s.start, s.stop FROM symbol s JOIN node n ON n.id=s.node"
                " WHERE s.name LIKE ?1 ESCAPE '\\' LIMIT ?2",
                (pattern, limit - len(found)),
            )
            found.update((row[:4], (row[0], row[1], decode_path(row[2]), row[3], row[4])) for row in rows)
            column = "path" if "/" in letters else "name"
            rows = self.db.execute(
                f"SELECT path, lines FROM node WHERE kind=0 AND CAST({column} AS TEXT) LIKE ? ESCAPE '\\' LIMIT ?",
                (pattern, limit),
            )
            for raw, lines in rows:
                path = decode_path(raw)
                name = path if column == "path" else path.rpartition("/")[2]
                found[path,] = (name, "file", path, 1, max(1, lines))
        return list(found.values())

    def symbol(self, node: int, name: str) -> tuple[int, int] | None:
        """The lines of a definition of one file."""
        name = name.encode("utf-8", "replace").decode()  # SQLite takes no surrogates
        row = self.db.execute("SELECT start, stop FROM symbol WHERE node=? AND name=?", (node, name)).fetchone()
        return (row[0], row[1]) if row else None

    def definitions(self, node: int) -> list[tuple[str, int, int, str]]:
        """(name, start, end, kind) of a file's definitions."""
        return self.db.execute(
            "SELECT name, start, stop, kind FROM symbol WHERE node=? ORDER BY start, name", (node,)
        ).fetchall()

    # -- edges --------------------------------------------------------------------------

    def links(self, node: int, direction: str, hubs: bool = False) -> list[Link]:
        """The edges out of ("out") or into ("in") a node, in a fixed order."""
        column = "source" if direction == "out" else "target"
        rows = self.db.execute(
            f"SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM edge WHERE {column}=?"
            " ORDER BY source, target, relation, sfrag, tfrag",
            (node,),
        )
        belongs = RELATIONS.index("belongs_to")
        return [
            Link(s, t, RELATIONS[rel], sf, tf, w, k, PARTITIONS[part], r)
            for s, t, rel, sf, tf, w, k, part, r in rows
            if hubs or rel != belongs
        ]

    def all_links(self) -> Iterator[Link]:
        """Every edge, by the paths of its ends."""
        for s, t, rel, sf, tf, w, k, part, r in self.db.execute(
            "SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM edge e"
            " JOIN node a ON a.id=e.source JOIN node b ON b.id=e.target"
            " ORDER BY a.kind, a.path, b.kind, b.path, relation, sfrag, tfrag"
        ):
            yield Link(s, t, RELATIONS[rel], sf, tf, w, k, PARTITIONS[part], r)

    def top_links(self, node: int, limit: int) -> list[Link]:
        """The edges at a node, both directions, heaviest rank first, at most `limit` read."""
        rows = self.db.execute(
            "SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM ("
            " SELECT * FROM edge WHERE source=?1 UNION ALL SELECT * FROM edge WHERE target=?1) e"
            " JOIN node n ON n.id=CASE e.source WHEN ?1 THEN e.target ELSE e.source END"
            " ORDER BY r DESC, n.path, relation, sfrag, tfrag LIMIT ?2",
            (node, limit),
        )
        return [
            Link(s, t, RELATIONS[rel], sf, tf, w, k, PARTITIONS[part], r) for s, t, rel, sf, tf, w, k, part, r in rows
        ]

    def relation_counts(self) -> list[tuple[str, int]]:
        """(relation, edges), most first."""
        rows = self.db.execute("SELECT relation, count(*) FROM edge GROUP BY relation ORDER BY 2 DESC, 1")
        return [(RELATIONS[code], count) for code, count in rows]

    # -- text ---------------------------------------------------------------------------

    def match_chunks(self, expression: str, title: float, body: float, limit: int) -> list[Span]:
        """The best chunks for an FTS5 expression."""
        best = self._best("chunk_fts", (title, body), expression, limit)
        rows: list[tuple[Any, ...]] = []
        find = "SELECT c.id, c.node, c.start, c.stop, c.title, n.path FROM chunk c JOIN node n ON n.id=c.node"
        ids = list(best)
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            rows += self.db.execute(f"{find} WHERE c.id IN ({','.join('?' * len(part))})", part)
        rows.sort(key=lambda row: (-best[row[0]], row[5], row[2]))
        return [Span._make((*row[:5], best[row[0]])) for row in rows]

    def _best(self, table: str, weights: tuple[float, float], expression: str, limit: int) -> dict[int, float]:
        """Row → score of the best rows of a full-text table; of equals at the cut, those first by path and line.

        Row ids depend on how the index came about, paths do not: clones of one commit cut alike.
        """
        scored = f"SELECT rowid, -bm25({table}, ?, ?) AS score FROM {table} WHERE {table} MATCH ?"
        arguments = (*weights, expression)
        if limit < 0:
            return dict(self.db.execute(scored, arguments))
        found = self.db.execute(f"{scored} ORDER BY score DESC LIMIT ?", (*arguments, limit + 1)).fetchall()
        if len(found) <= limit or found[limit][1] < found[limit - 1][1]:
            return dict(found[:limit])
        edge = found[limit][1]
        kept = {row: score for row, score in found if score > edge}
        home, order = "node n ON n.id=f.rowid", "n.path"
        if table == "chunk_fts":
            home, order = "chunk c ON c.id=f.rowid JOIN node n ON n.id=c.node", "n.path, c.start"
        equal = self.db.execute(
            f"SELECT f.rowid, f.score FROM ({scored}) f JOIN {home} WHERE f.score=? ORDER BY {order} LIMIT ?",
            (*arguments, edge, limit - len(kept)),
        )
        return kept | dict(equal)

    def texts(self, node: Node) -> list[tuple[str, str]]:
        """The split (title, body) of a file's chunks; empty when the cache was pruned."""
        if self.facts_cache is None:
            return []
        found = self.facts_cache.texts(node.blob, node.language)
        return found or []

    def rare_words(self, words: Sequence[str]) -> list[tuple[str, str, int]]:
        """(word, its stem, chunks that hold it) of the words that full text knows."""
        first = _first_words(words)
        known = self.frequencies
        for stem in first:
            if stem not in known:
                row = self.db.execute("SELECT doc FROM chunk_vocab WHERE term=?", (stem,)).fetchone()
                known[stem] = row[0] if row else 0
        return [(word, stem, known[stem]) for stem, word in first.items() if known[stem]]

    def spoken_words(self, words: Sequence[str]) -> list[tuple[str, str, int]]:
        """(word, its stem, commits whose message holds it) of the words that messages know."""
        if self.past is None:
            return []
        find = "SELECT doc FROM entry_vocab WHERE term=?"
        rows = ((word, stem, self.past.execute(find, (stem,)).fetchone()) for stem, word in _first_words(words).items())
        return [(word, stem, row[0]) for word, stem, row in rows if row]

    @cached_property
    def frequencies(self) -> dict[str, int]:
        """Stem → chunks that hold it, of the stems that were asked for."""
        return {}

    @cached_property
    def memory(self) -> dict[object, object]:
        """What was worked out of history and paths alone, by what it is of; see `remember`."""
        return {}

    def remember(self, key: object, work: Callable[[], T]) -> T:
        """The result of work that depends on history and paths alone, not on what files say."""
        if key not in self.memory:
            if len(self.memory) >= _REMEMBERED:
                self.memory.clear()
            self.memory[key] = work()
        return cast("T", self.memory[key])

    def facts_of(self, blob: str, language: str) -> Facts | None:
        """What extraction learned of a blob, if the cache has it."""
        return self.facts_cache.facts(blob, language) if self.facts_cache else None

    def facts(self, node: Node) -> Facts:
        """What extraction learned of an artifact. Raises LookupError when the cache was pruned."""
        found = self.facts_cache.facts(node.blob, node.language) if self.facts_cache else None
        if found is None:
            raise LookupError(node.path)
        return found

    def files_with(self, stem: str) -> list[tuple[int, int]]:
        """(node, how often) of the files whose text holds a stem."""
        return self.db.execute(
            "SELECT c.node, count(*) FROM chunk_terms t JOIN chunk c ON c.id=t.doc WHERE t.term=? GROUP BY c.node",
            (stem,),
        ).fetchall()

    def commits_saying(self, stem: str) -> list[int]:
        """The reached commits whose message holds a stem."""
        if self.past is None:
            return []
        rows = self.past.execute("SELECT DISTINCT doc FROM entry_terms WHERE term=?", (stem,))
        return [entry for (entry,) in rows if entry in self.distance]

    @cached_property
    def sizes(self) -> dict[int, int]:
        """Node → size of its file in bytes."""
        return dict(self.db.execute("SELECT id, size FROM node WHERE kind=0"))

    @cached_property
    def chunk_count(self) -> int:
        """How many chunks there are."""
        count: int = self.db.execute("SELECT count(*) FROM chunk").fetchone()[0]
        return count

    def match_files(self, expression: str, path: float, names: float, limit: int) -> list[tuple[int, float]]:
        """(node, score) of the best files by path words and names."""
        return list(self._best("file_fts", (path, names), expression, limit).items())

    def chunks(self, node: int) -> list[Span]:
        """A file's chunks in order."""
        rows = self.db.execute(
            "SELECT id, node, start, stop, title, 0.0 FROM chunk WHERE node=? ORDER BY start", (node,)
        )
        return list(map(Span._make, rows))

    @cached_property
    def facts_cache(self) -> FactsCache | None:
        """What extraction learned, or None when the cache is not there."""
        try:
            db = database.connect(database.place(self.repo, "facts", self._home), "facts", write=False)
        except FileNotFoundError:
            return None
        return FactsCache(db, write=False)

    # -- vectors ------------------------------------------------------------------------

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of its chunks."""
        return Vectors(self.db)

    @property
    def embedding(self) -> tuple[str, str]:
        """(model the vectors were made with, what its files looked like when they were checked); "" for none."""
        row = self.db.execute("SELECT model, seen FROM embedding").fetchone()
        return (row[0], row[1]) if row else ("", "")

    def spans(self, chunks: Sequence[int]) -> dict[int, Span]:
        """Chunk → its span."""
        found: dict[int, Span] = {}
        for start in range(0, len(chunks), 500):
            part = chunks[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT id, node, start, stop, title, 0.0 FROM chunk WHERE id IN ({marks})"
            found.update((row[0], Span._make(row)) for row in self.db.execute(sql, part))
        return found

    # -- history --------------------------------------------------------------------------

    @cached_property
    def past(self) -> sqlite3.Connection | None:
        """The history database, or None when it is not there."""
        try:
            past = database.connect(database.place(self.repo, "history", self._home), "history", write=False)
        except FileNotFoundError:
            return None
        row = past.execute("SELECT value FROM meta WHERE key='identity'").fetchone()
        if row and row[0] == self.header.get("history"):
            return past
        past.close()  # made anew since: its ids are not those this index knows
        return None

    @cached_property
    def reach(self) -> array[int]:
        """The commits HEAD reaches, newest first, as ids of the history store."""
        stored = self.header.get("reach")
        return array("I", stored if isinstance(stored, bytes) else b"")

    @cached_property
    def distance(self) -> dict[int, int]:
        """Commit id → how many commits before HEAD it lies."""
        return {entry: place for place, entry in enumerate(self.reach)}

    @cached_property
    def activity(self) -> dict[int, tuple[int, int]]:
        """Node → (time of its last commit, commits that touched it)."""
        return {
            node: (last, touches) for node, last, touches in self.db.execute("SELECT node, last, touches FROM activity")
        }

    def match_commits(self, expression: str, limit: int) -> list[tuple[int, float]]:
        """(commit, score) of reached commits whose message matches, best first."""
        if self.past is None:
            return []
        rows = self.past.execute(
            "SELECT rowid, -bm25(entry_fts) AS score FROM entry_fts WHERE entry_fts MATCH ? ORDER BY score DESC",
            (expression,),
        )
        # The limit counts reached commits only: those of other branches must not crowd them out.
        found: list[tuple[int, float]] = []
        for entry, score in rows:
            if entry in self.distance:
                if len(found) >= limit and score < found[-1][1]:
                    break
                found.append((entry, score))
        if len({score for _, score in found}) < len(found):  # equals: the newer first, whatever this clone's ids are
            lines = self.commit_lines([entry for entry, _ in found])
            found.sort(key=lambda row: (-row[1], -lines[row[0]][2], lines[row[0]][0]))
        return found[:limit]

    def commit_files(self, entries: Sequence[int]) -> dict[int, array[int]]:
        """Commit id → the path ids it touched."""
        found: dict[int, array[int]] = {}
        if self.past is not None:
            for start in range(0, len(entries), 500):
                part = entries[start : start + 500]
                marks = ",".join("?" * len(part))
                for entry, files in self.past.execute(f"SELECT id, files FROM entry WHERE id IN ({marks})", part):
                    found[entry] = array("I", files)
        return found

    def commit_lines(self, entries: Sequence[int]) -> dict[int, tuple[str, str, int]]:
        """Commit id → (oid, subject, time)."""
        found: dict[int, tuple[str, str, int]] = {}
        for start in range(0, len(entries) if self.past is not None else 0, 500):
            part = list(entries[start : start + 500])
            find = f"SELECT id, oid, subject, time FROM entry WHERE id IN ({','.join('?' * len(part))})"
            assert self.past is not None
            found.update((entry, (oid, subject, time)) for entry, oid, subject, time in self.past.execute(find, part))
        return found

    def commits_of(self, path: str) -> list[int]:
        """The reached commits that touched a path, under its old names too, newest first."""
        if self.past is None:
            return []
        raw = encode_path(path)
        hids = [row[0] for row in self.past.execute("SELECT id FROM path WHERE path=?", (raw,))]
        hids += [row[0] for row in self.db.execute("SELECT hid FROM alias WHERE path=?", (raw,))]
        found: set[int] = set()
        for hid in hids:
            found.update(row[0] for row in self.past.execute("SELECT entry FROM touch WHERE path=?", (hid,)))
        place = self.distance
        return sorted((entry for entry in found if entry in place), key=place.__getitem__)

    def past_paths(self) -> list[str]:
        """Every path that a commit ever touched."""
        if self.past is None:
            return []
        return [decode_path(path) for (path,) in self.past.execute("SELECT path FROM path")]

    def renamed(self) -> dict[str, str]:
        """Old path → what it is called today, where renames tell."""
        if self.past is None:
            return {}
        names = dict(self.past.execute("SELECT id, path FROM path").fetchall()) if self._aliases else {}
        return {decode_path(names[hid]): path for hid, path in self._aliases.items() if hid in names}

    @cached_property
    def _aliases(self) -> dict[int, str]:
        return {hid: decode_path(path) for hid, path in self.db.execute("SELECT hid, path FROM alias")}

    def todays(self, hids: Iterable[int]) -> dict[int, int]:
        """Path ids of the history store → ids of today's artifacts (under new names where renamed)."""
        if self.past is None:
            return {}
        wanted = sorted(set(hids))
        paths: dict[int, bytes] = {}
        nodes: dict[bytes, int] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            paths.update(self.past.execute(f"SELECT id, path FROM path WHERE id IN ({marks})", part))
        for hid in paths:
            if hid in self._aliases:
                paths[hid] = encode_path(self._aliases[hid])
        names = list(dict.fromkeys(paths.values()))
        for start in range(0, len(names), 500):
            some = names[start : start + 500]
            marks = ",".join("?" * len(some))
            nodes.update(self.db.execute(f"SELECT path, id FROM node WHERE kind=0 AND path IN ({marks})", some))
        return {hid: nodes[path] for hid, path in paths.items() if path in nodes}


def _node(row: tuple[Any, ...]) -> Node:
    return Node(row[0], row[1], decode_path(row[2]), *row[3:])


_stems: dict[str, tuple[str, ...]] = {}  # word → stems, as full text has them; the same in every index


def _first_words(words: Sequence[str]) -> dict[str, str]:
    """Stem → the first of the words that has it."""
    first: dict[str, str] = {}
    for word, stems in zip(words, stems_of(words), strict=True):
        for stem in stems:
            first.setdefault(stem, word)
    return first


def stems_of(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The stems of each word; several where full text takes it for several words, none where for none."""
    unknown = [word for word in dict.fromkeys(words) if word not in _stems]
    if unknown:
        if len(_stems) + len(unknown) > _STEMS:
            _stems.clear()
            unknown = list(dict.fromkeys(words))
        found: dict[int, list[str]] = {}
        db = database.connect_scratch()
        try:
            db.executemany("INSERT INTO word(rowid, x) VALUES(?,?)", enumerate(unknown))
            for stem, place in db.execute("SELECT term, doc FROM stem"):
                found.setdefault(place, []).append(stem)
        finally:
            db.close()
        _stems.update((word, tuple(found.get(place, ()))) for place, word in enumerate(unknown))
    return [_stems[word] for word in words]
