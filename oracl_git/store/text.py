"""Full text: chunks and names of artifacts, as rows of two FTS5 tables.

Knows that a contentless row is deleted by handing FTS5 the words it was made
of, which the facts cache keeps, and that an edit leaves most chunks of a file as
they were. Knows nothing of ranking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

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
        self._before: dict[int, tuple[str, str]] = {}  # node → (blob, language) that it is indexed by
        self._files = Rows(db, "INSERT INTO file_fts(rowid, path, names) VALUES(?,?,?)")
        self._chunks = Rows(db, "INSERT INTO chunk(id, node, start, stop, title) VALUES(?,?,?,?,?)")
        self._texts = Rows(db, "INSERT INTO chunk_fts(rowid, title, body) VALUES(?,?,?)")

    def replaces(self, node: int, blob: str, language: str) -> None:
        """What a node is indexed by, as long as its row says so: `add` leaves in place what stays the same."""
        self._before[node] = blob, language

    def remove(self, node: int, path: str, blob: str, language: str) -> None:
        """Take out what `add` put in for this content."""
        facts, texts = self._said(blob, language)
        self._remove_names(node, path, facts)
        self._remove_chunks([row[0] for row in self._rows(node)], texts)

    def add(self, node: int, path: str, facts: Facts, texts: Texts) -> None:
        """Index the text of an artifact."""
        first = last = 0  # how many chunks stay, at either end
        if node in self._before:
            before, said = self._said(*self._before.pop(node))
            if before.names != facts.names:
                self._remove_names(node, path, before)
                self._files.add(node, path_words(path), facts.names)
            first, last = _ends(said, texts)
            rows = self._rows(node)
            self._move(rows[:first], facts.chunks[:first])
            self._move(rows[len(rows) - last :], facts.chunks[len(texts) - last :])
            self._remove_chunks([row[0] for row in rows[first : len(rows) - last]], said[first : len(said) - last])
        else:
            self._files.add(node, path_words(path), facts.names)
        if self._next is None:
            self._next = self._db.execute("SELECT coalesce(max(id), 0) FROM chunk").fetchone()[0] + 1
        new = slice(first, len(texts) - last)
        for chunk, (title, body) in zip(facts.chunks[new], texts[new], strict=True):
            self._chunks.add(self._next, node, *chunk)
            self._texts.add(self._next, title, body)
            self._next += 1

    def _said(self, blob: str, language: str) -> tuple[Facts, Texts]:
        outline = self._contents.outline(blob, language)
        assert outline is not None, "what an indexed blob says can be had again"
        return outline

    def _rows(self, node: int) -> list[tuple[int, int, int, str]]:
        """(id, start, stop, title) of the chunks of a node, in the order of their texts."""
        find = "SELECT id, start, stop, title FROM chunk WHERE node=? ORDER BY start"
        return self._db.execute(find, (node,)).fetchall()

    def _move(self, rows: list[tuple[int, int, int, str]], chunks: Sequence[tuple[int, int, str]]) -> None:
        """The lines of chunks that say what they said."""
        self._db.executemany(
            "UPDATE chunk SET start=?, stop=?, title=? WHERE id=?",
            [(*chunk, row[0]) for row, chunk in zip(rows, chunks, strict=True) if row[1:] != tuple(chunk)],
        )

    def _remove_names(self, node: int, path: str, facts: Facts) -> None:
        self._db.execute(
            "INSERT INTO file_fts(file_fts, rowid, path, names) VALUES('delete',?,?,?)",
            (node, path_words(path), facts.names),
        )

    def _remove_chunks(self, chunks: list[int], texts: Texts) -> None:
        self._db.executemany(
            "INSERT INTO chunk_fts(chunk_fts, rowid, title, body) VALUES('delete',?,?,?)",
            [(chunk, title, body) for chunk, (title, body) in zip(chunks, texts, strict=True)],
        )
        self._db.executemany("DELETE FROM chunk WHERE id=?", [(chunk,) for chunk in chunks])

    def flush(self) -> None:
        """Write what waits."""
        for rows in (self._files, self._chunks, self._texts):
            rows.flush()

    def await_vectors(self) -> None:
        """Note that every chunk waits for a vector, as a trigger does when one comes."""
        self._db.execute("INSERT INTO pending SELECT id FROM chunk")


def _ends(old: Texts, new: Texts) -> tuple[int, int]:
    """How many of the first texts, and of the last ones beside them, are the same in both."""
    most = min(len(old), len(new))
    first = next((number for number in range(most) if old[number] != new[number]), most)
    most -= first
    last = next((number for number in range(most) if old[-1 - number] != new[-1 - number]), most)
    return first, last
