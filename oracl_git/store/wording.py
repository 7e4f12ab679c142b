"""Full text and vectors of an index, as questions read them.

Knows chunks, words, stems and sketches. Scores that come out of here are SQLite's own bm25.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..extract.facts import Facts
from . import database
from .reading import Node, Reading, Span

if TYPE_CHECKING:
    from .vectors import Vectors

_STEMS = 200_000  # words whose stems a process keeps
_HOLDERS, _FILES = 4_096, 1_024  # stems whose files, and files whose chunks a process keeps
_MORE = 200  # rows beyond a limit that are read to see where equals end
_span: Callable[[tuple[Any, ...]], Span] = partial(tuple.__new__, Span)  # no call of ours for each of many rows


class Wording(Reading):
    """What files say, word by word and by meaning."""

    def best_chunks(self, expression: str, title: float, body: float, limit: int) -> list[tuple[int, float]]:
        """(chunk, score) of the best chunks for an FTS5 expression; of equals those first by path and line.

        Row ids depend on how the index came about, paths do not: clones of one commit cut alike.
        """
        rows = self._best("chunk_fts", (title, body), expression, limit)
        homes = self.homes([chunk for chunk, _ in rows])
        for start, stop in runs([score for _, score in rows]):
            equals = rows[start:stop]
            cards = self.cards(homes[chunk] for chunk, _ in equals)
            rows[start:stop] = sorted(equals, key=lambda row: (cards[homes[row[0]]][0], row[0]))  # ids rise with lines
        return rows if limit < 0 else rows[:limit]

    def match_chunks(self, expression: str, title: float, body: float, limit: int) -> list[Span]:
        """The same, with where they are."""
        rows = self.best_chunks(expression, title, body, limit)
        spans = self.spans([chunk for chunk, _ in rows])
        return [spans[chunk]._replace(score=score) for chunk, score in rows]

    def match_files(self, expression: str, path: float, names: float, limit: int) -> list[tuple[int, float]]:
        """(node, score) of the best files by path words and names; of equals at the cut, those first by path."""
        rows = self._best("file_fts", (path, names), expression, limit)
        if 0 <= limit < len(rows):
            edge = rows[-1][1]
            first = [row for row in rows if row[1] > edge]
            equals = [row for row in rows if row[1] == edge]
            cards = self.cards(node for node, _ in equals)
            rows = first + sorted(equals, key=lambda row: cards[row[0]][0])[: limit - len(first)]
        return rows

    def _best(self, table: str, weights: tuple[float, float], expression: str, limit: int) -> list[tuple[int, float]]:
        """The best rows of a full-text table, by score; more than `limit` where equals stand at the cut.

        A few more than that are read at once: to look for the equals afterwards would score everything again.
        """
        scored = f"SELECT rowid, -bm25({table}, ?, ?) AS score FROM {table} WHERE {table} MATCH ?"
        arguments = (*weights, expression)
        if limit < 0:
            return sorted(self.db.execute(scored, arguments), key=itemgetter(1), reverse=True)
        read = limit + _MORE
        found = self.db.execute(f"{scored} ORDER BY score DESC LIMIT {read}", arguments).fetchall()
        if len(found) <= limit:
            return found
        edge = found[limit - 1][1]
        if len(found) == read and found[-1][1] == edge:
            equals = self.db.execute(f"SELECT * FROM ({scored}) WHERE score=?", (*arguments, edge)).fetchall()
            return [row for row in found[:limit] if row[1] > edge] + equals
        end = limit
        while end < len(found) and found[end][1] == edge:
            end += 1
        return found[:end]

    def texts(self, node: Node) -> list[tuple[str, str]]:
        """The split (title, body) of a file's chunks; empty when the cache was pruned."""
        if self.facts_cache is None:
            return []
        found = self.facts_cache.texts(node.blob, node.language)
        return found or []

    def rare_words(self, words: Sequence[str]) -> list[tuple[str, str, int]]:
        """(word, its stem, chunks that hold it) of the words that full text knows."""
        first, known = first_words(words), self.frequencies
        learn_frequencies(self.db, "chunk_vocab", first, known)
        return [(word, stem, known[stem]) for stem, word in first.items() if known[stem]]

    @cached_property
    def frequencies(self) -> dict[str, int]:
        """Stem → chunks that hold it, of the stems that were asked for."""
        return {}

    def named_words(self, words: Sequence[str]) -> list[tuple[str, str, int]]:
        """(word, its stem, files whose path has it) of the words that paths have."""
        first, known = first_words(words), self.namings
        learn_frequencies(self.db, "file_vocab", first, known, "path")
        return [(word, stem, known[stem]) for stem, word in first.items() if known[stem]]

    @cached_property
    def namings(self) -> dict[str, int]:
        """Stem → files whose path has it, of the stems that were asked for."""
        return {}

    def files_named(self, stem: str) -> frozenset[int]:
        """The files whose path has a stem."""
        known = self.bearers
        if stem not in known:
            if len(known) >= _HOLDERS:
                known.clear()
            find = "SELECT group_concat(doc) FROM file_terms WHERE term=? AND col='path'"
            known[stem] = frozenset(database.numbers(self.db, find, stem))
        return known[stem]

    @cached_property
    def bearers(self) -> dict[str, frozenset[int]]:
        """Stem → the files whose path has it, of the stems that were asked for."""
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

    def files_with(self, stems: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        """Stem → node → how often the stem stands in its text. What was asked for before is there too."""
        known = self.holders
        unknown = [stem for stem in stems if stem not in known]
        if unknown and len(known) >= _HOLDERS:
            known.clear()
            unknown = list(stems)
        find = "SELECT group_concat(doc) FROM chunk_terms WHERE term=?"
        chunks = [database.numbers(self.db, find, stem) for stem in unknown]
        home = self.homes(chain.from_iterable(chunks)).__getitem__
        for stem, places in zip(unknown, chunks, strict=True):
            known[stem] = Counter(map(home, places))
        return known

    @cached_property
    def holders(self) -> dict[str, Counter[int]]:
        """Stem → node → how often the stem stands in its text, of the stems that were asked for."""
        return {}

    def homes(self, chunks: Iterable[int]) -> Mapping[int, int]:
        """Chunk → the file it is of. What was asked for before is there too."""
        known = self.known_homes
        unknown = list(set(chunks).difference(known))
        known.update(database.among(self.db, "SELECT id, node FROM chunk WHERE id IN", unknown))
        return known

    @cached_property
    def known_homes(self) -> dict[int, int]:
        """Chunk → its file, of the chunks that were asked for."""
        return {}

    @cached_property
    def sizes(self) -> dict[int, int]:
        """Node → size of its file in bytes."""
        return dict(self.db.execute("SELECT id, size FROM node WHERE kind=0"))

    @cached_property
    def usual_size(self) -> float:
        """The mean of them; never 0."""
        return sum(self.sizes.values()) / max(1, len(self.sizes)) or 1

    @cached_property
    def chunk_count(self) -> int:
        """How many chunks there are."""
        count: int = self.db.execute("SELECT count(*) FROM chunk").fetchone()[0]
        return count

    def chunks(self, nodes: Sequence[int]) -> Mapping[int, list[Span]]:
        """File → its chunks in order. What was asked for before is there too."""
        known = self.known_chunks
        unknown = [node for node in nodes if node not in known]
        if unknown and len(known) >= _FILES:
            known.clear()
            unknown = list(nodes)
        known.update((node, []) for node in unknown)
        find = "SELECT id, node, start, stop, title, 0.0 FROM chunk WHERE node IN"
        for row in database.among(self.db, find, unknown, " ORDER BY node, start"):
            known[row[1]].append(_span(row))
        return known

    @cached_property
    def known_chunks(self) -> dict[int, list[Span]]:
        """File → its chunks, of the files that were asked for."""
        return {}

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of its chunks."""
        from .vectors import Vectors

        return Vectors(self.db)

    @property
    def embedding(self) -> tuple[str, str]:
        """(model the vectors were made with, what its files looked like when they were checked); "" for none."""
        row = self.db.execute("SELECT model, seen FROM embedding").fetchone()
        return (row[0], row[1]) if row else ("", "")

    def spans(self, chunks: Sequence[int]) -> dict[int, Span]:
        """Chunk → its span."""
        find = "SELECT id, node, start, stop, title, 0.0 FROM chunk WHERE id IN"
        return {row[0]: _span(row) for row in database.among(self.db, find, chunks)}


def runs(scores: Sequence[float]) -> Iterator[tuple[int, int]]:
    """(start, stop) of what equals its neighbours, of scores in order."""
    start = 0
    for place, score in enumerate(scores):
        if score != scores[start]:
            if place - start > 1:
                yield start, place
            start = place
    if len(scores) - start > 1:
        yield start, len(scores)


def learn_frequencies(
    db: sqlite3.Connection, vocabulary: str, stems: Iterable[str], known: dict[str, int], column: str = ""
) -> None:
    """Add to `known` how many rows of a full text hold each stem (in one column of it), 0 for none."""
    wanted = [stem for stem in stems if stem not in known]
    known.update(dict.fromkeys(wanted, 0))
    within = f"col='{column}' AND " if column else ""
    known.update(database.among(db, f"SELECT term, doc FROM {vocabulary} WHERE {within}term IN", wanted))


def first_words(words: Sequence[str]) -> dict[str, str]:
    """Stem → the first of the words that has it."""
    first: dict[str, str] = {}
    for word, stems in zip(words, stems_of(words), strict=True):
        for stem in stems:
            first.setdefault(stem, word)
    return first


_stems: dict[str, tuple[str, ...]] = {}  # word → stems, as full text has them; the same in every index
_scratch = threading.local()  # a database that stems, of each thread


def stems_of(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The stems of each word, in order; several where full text takes it for several words, none where for none."""
    global _stems
    known = _stems  # threads share it: what one has looked up stays there for it
    unknown = [word for word in dict.fromkeys(words) if word not in known]
    if unknown:
        if len(known) + len(unknown) > _STEMS:
            known = _stems = {}
            unknown = list(dict.fromkeys(words))
        found: dict[int, list[str]] = {}
        if not hasattr(_scratch, "db"):
            _scratch.db = database.connect_scratch()
        db: database.Connection = _scratch.db
        with database.transaction(db):
            db.execute("INSERT INTO word(word) VALUES('delete-all')")
            db.executemany("INSERT INTO word(rowid, x) VALUES(?,?)", enumerate(unknown))
        for place, _, stem in sorted(db.execute("SELECT doc, offset, term FROM stem")):
            found.setdefault(place, []).append(stem)
        known.update((word, tuple(found.get(place, ()))) for place, word in enumerate(unknown))
    return [known[word] for word in words]
