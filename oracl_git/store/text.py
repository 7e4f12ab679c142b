"""Full text: chunks and names of artifacts, as rows of two FTS5 tables.

Knows that a contentless row is deleted by handing FTS5 the words it was made
of, which the facts cache keeps. Knows nothing of ranking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from ..extract import Facts, split_identifiers
from .facts import Texts
from .nodes import File
from .tree import FactsOf

TextsOf = Callable[[str, str], Texts | None]
_NAMES = 20_000  # characters of names that are indexed per file


def path_words(path: str) -> str:
    """A path as words; bytes that are not text are left out."""
    return split_identifiers(path.encode("utf-8", "replace").decode("utf-8").replace("/", " ").replace(".", " "))


def name_words(facts: Facts) -> str:
    """The names a file defines and its headings, as words."""
    names = dict.fromkeys(d.name.rpartition(".")[2] for d in facts.definitions)
    headings = dict.fromkeys(text for text, _ in facts.headings)
    return split_identifiers(" ".join((*names, *headings))[:_NAMES])


class TextTable:
    """Adds and removes the text of one artifact at a time."""

    def __init__(self, db: sqlite3.Connection, facts_of: FactsOf, texts_of: TextsOf) -> None:
        self._db, self._facts_of, self._texts_of = db, facts_of, texts_of
        self._next: int | None = None  # the next free chunk id

    def remove(self, node: int, path: str, blob: str, language: str) -> None:
        """Take out what `add` put in for this content."""
        facts, texts = self._facts_of(blob, language), self._texts_of(blob, language)
        assert facts is not None and texts is not None, "facts of an indexed blob can be had again"
        self._db.execute(
            "INSERT INTO file_fts(file_fts, rowid, path, names) VALUES('delete',?,?,?)",
            (node, path_words(path), name_words(facts)),
        )
        chunks = [row[0] for row in self._db.execute("SELECT id FROM chunk WHERE node=? ORDER BY start", (node,))]
        self._db.executemany(
            "INSERT INTO chunk_fts(chunk_fts, rowid, title, body) VALUES('delete',?,?,?)",
            [(chunk, title, body) for chunk, (title, body) in zip(chunks, texts, strict=True)],
        )
        self._db.execute("DELETE FROM chunk WHERE node=?", (node,))

    def add(self, node: int, file: File, facts: Facts) -> None:
        """Index the text of an artifact."""
        texts = self._texts_of(file.blob, file.language)
        assert texts is not None, "text of an indexed blob can be had again"
        self._db.execute(
            "INSERT INTO file_fts(rowid, path, names) VALUES(?,?,?)", (node, path_words(file.path), name_words(facts))
        )
        if self._next is None:
            self._next = self._db.execute("SELECT coalesce(max(id), 0) FROM chunk").fetchone()[0] + 1
        first = self._next
        self._next += len(texts)
        self._db.executemany(
            "INSERT INTO chunk(id, node, start, stop, title) VALUES(?,?,?,?,?)",
            [(number, node, chunk.start, chunk.end, chunk.title) for number, chunk in enumerate(facts.chunks, first)],
        )
        self._db.executemany(
            "INSERT INTO chunk_fts(rowid, title, body) VALUES(?,?,?)",
            [(number, title, body) for number, (title, body) in enumerate(texts, first)],
        )
