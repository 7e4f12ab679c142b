"""Full text and vectors of an index, as questions read them.

Knows chunks, words, stems and sketches. Scores that come out of here are SQLite's own bm25.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ..extract import Facts
from . import database
from .reading import Node, Reading, Span
from .vectors import Vectors

_STEMS = 200_000  # words whose stems a process keeps


class Wording(Reading):
    """What files say, word by word and by meaning."""

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
        first = first_words(words)
        known = self.frequencies
        for stem in first:
            if stem not in known:
                row = self.db.execute("SELECT doc FROM chunk_vocab WHERE term=?", (stem,)).fetchone()
                known[stem] = row[0] if row else 0
        return [(word, stem, known[stem]) for stem, word in first.items() if known[stem]]

    @cached_property
    def frequencies(self) -> dict[str, int]:
        """Stem → chunks that hold it, of the stems that were asked for."""
        return {}

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


def first_words(words: Sequence[str]) -> dict[str, str]:
    """Stem → the first of the words that has it."""
    first: dict[str, str] = {}
    for word, stems in zip(words, stems_of(words), strict=True):
        for stem in stems:
            first.setdefault(stem, word)
    return first


_stems: dict[str, tuple[str, ...]] = {}  # word → stems, as full text has them; the same in every index


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
