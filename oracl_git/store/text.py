"""Full text: chunks and names of artifacts, as rows of two FTS5 tables.

Knows that a contentless row is deleted by handing FTS5 the words it was made
of, which the facts cache keeps. Knows nothing of ranking.
"""

from __future__ import annotations

import sqlite3

from ..extract.facts import Facts, Texts
from ..extract.words import split_identifiers
from .database import Rows
from .facts import Contents


def path_words(path: str) -> str:
    """A path as words; bytes that are not text are left out."""
    return split_identifiers(path.encode("utf-8", "replace").decode("utf-8").replace("/", " ").replace(".", " "))


class TextTable:
    """Adds and removes the text of one artifact at a time."""

    def __init__(self, db: sqlite3.Connection, contents: Contents) -> None:
        self._db, self._contents = db, contents
        self._next: int | None = None  # the next free chunk id
        self._files = Rows(db, "INSERT INTO file_fts(rowid, path, names) VALUES(?,?,?)")
        self._chunks = Rows(db, "INSERT INTO chunk(id, node, start, stop, title) VALUES(?,?,?,?,?)")
        self._texts = Rows(db, "INSERT INTO chunk_fts(rowid, title, body) VALUES(?,?,?)")

    def remove(self, node: int, path: str, blob: str, language: str) -> None:
        """Take out what `add` put in for this content."""
        outline = self._contents.outline(blob, language)
        assert outline is not None, "what an indexed blob says can be had again"
        facts, texts = outline
        self._db.execute(
            "INSERT INTO file_fts(file_fts, rowid, path, names) VALUES('delete',?,?,?)",
            (node, path_words(path), facts.names),
        )
        chunks = [row[0] for row in self._db.execute("SELECT id FROM chunk WHERE node=? ORDER BY start", (node,))]
        self._db.executemany(
            "INSERT INTO chunk_fts(chunk_fts, rowid, title, body) VALUES('delete',?,?,?)",
            [(chunk, title, body) for chunk, (title, body) in zip(chunks, texts, strict=True)],
        )
        self._db.execute("DELETE FROM chunk WHERE node=?", (node,))

    def add(self, node: int, path: str, facts: Facts, texts: Texts) -> None:
        """Index the text of an artifact."""
        self._files.add(node, path_words(path), facts.names)
        if self._next is None:
            self._next = self._db.execute("SELECT coalesce(max(id), 0) FROM chunk").fetchone()[0] + 1
        for number, (chunk, (title, body)) in enumerate(zip(facts.chunks, texts, strict=True), self._next):
            self._chunks.add(number, node, *chunk)
            self._texts.add(number, title, body)
        self._next += len(texts)

    def flush(self) -> None:
        """Write what waits."""
        for rows in (self._files, self._chunks, self._texts):
            rows.flush()

    def await_vectors(self) -> None:
        """Note that every chunk waits for a vector, as a trigger does when one comes."""
        self._db.execute("INSERT INTO pending SELECT id FROM chunk")
