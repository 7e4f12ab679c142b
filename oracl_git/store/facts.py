"""The facts cache: what each blob says, shared by every worktree of a clone.

Knows how Facts and split text are kept under (blob, language, extractor
version). Knows nothing of paths: a rename, a branch switch or a second worktree
parses nothing twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ..extract.facts import Facts, Texts, decode, decode_links, decode_outline
from ..extract.version import version
from .database import among, transaction

T = TypeVar("T")
_BATCH = 256

Row = tuple[str, bytes, bytes, bytes]  # skip, outline, links, text
Said = tuple[Facts, Texts]


def extracted(data: bytes, language: str, parse: bool = True) -> tuple[Row, Said]:
    """What a blob says, as the cache keeps it and as it is; `parse`: whether a parser looks at it."""
    from ..extract.extractor import read  # a question reads no blob

    facts, texts = said = read(data, language, parse)
    flat = "\0".join([part for pair in texts for part in pair])  # of words: there is no NUL in them
    return (facts.skip, *facts.encode(), flat.encode("utf-8", "surrogatepass")), said


def outlined(row: Row) -> Said:
    """The outline of a cached blob (see `decode_outline`) and the (title, body) of each chunk."""
    return decode_outline(row[1]), _texts(row[3])


class FactsCache:
    """Read and write Facts by (blob, language); writes are committed in batches.

    Nothing is compressed: on the way to full text it would cost more than all else.
    """

    def __init__(self, db: sqlite3.Connection, write: bool = True) -> None:
        self._db = db
        self._pending: dict[tuple[str, str], Row] = {}
        if write:
            with transaction(db):
                db.execute("INSERT OR IGNORE INTO extractor(version) VALUES(?)", (version(),))
        row = db.execute("SELECT id FROM extractor WHERE version=?", (version(),)).fetchone()
        self._extractor: int = row[0] if row else -1

    @property
    def connection(self) -> sqlite3.Connection:
        """The database, for the vectors that lie in it too."""
        return self._db

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def known(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """Those of the (blob, language) keys that are cached → why to leave the file out, or ""."""
        wanted = set(keys)
        find = f"SELECT blob, language, skip FROM facts WHERE extractor={self._extractor} AND blob IN"
        rows = among(self._db, find, sorted({blob for blob, _ in wanted}))
        return {(blob, language): skip for blob, language, skip in rows if (blob, language) in wanted}

    @contextmanager
    def held(self) -> Iterator[None]:
        """While much is read: one state of the file, so that it need not be locked for each row."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            if self._db.in_transaction:
                self._db.execute("COMMIT")

    def learn(self, blob: str, language: str, data: bytes) -> Said:
        """Extract a blob and remember what it says."""
        row, said = extracted(data, language)
        self.remember(blob, language, row)
        return said

    def remember(self, blob: str, language: str, row: Row) -> None:
        """Remember what a blob says."""
        self._pending[blob, language] = row
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Commit what was learned so far: an interrupted update resumes from here."""
        if self._pending:
            if self._db.in_transaction:  # of `held`
                self._db.execute("COMMIT")
            with transaction(self._db):
                self._db.executemany(
                    "INSERT OR REPLACE INTO facts(blob, language, extractor, skip, outline, links, text)"
                    " VALUES(?,?,?,?,?,?,?)",
                    ((*key, self._extractor, *row) for key, row in self._pending.items()),
                )
            self._pending.clear()

    def facts(self, blob: str, language: str) -> Facts | None:
        """The cached Facts, or None."""
        row = self._row("outline, links", slice(1, 3), blob, language)
        return row and _whole(decode, *row)

    def outline(self, blob: str, language: str) -> tuple[Facts, Texts] | None:
        """The outline (see `decode_outline`) and the (title, body) of each chunk, or None."""
        row = self._row("outline, text", slice(1, 4, 2), blob, language)
        return row and (_whole(decode_outline, row[0]), _whole(_texts, row[1]))

    def links(self, blob: str, language: str) -> Facts | None:
        """What linking reads of the Facts, or None."""
        row = self._row("links", slice(2, 3), blob, language)
        return row and _whole(decode_links, row[0])

    def texts(self, blob: str, language: str) -> Texts | None:
        """The (title, body) of each chunk, or None."""
        row = self._row("text", slice(3, 4), blob, language)
        return row and _whole(_texts, row[0])

    def _row(self, columns: str, place: slice, blob: str, language: str) -> Any:
        pending = self._pending.get((blob, language))
        if pending:
            return pending[place]
        return self._db.execute(
            f"SELECT {columns} FROM facts WHERE blob=? AND language=? AND extractor=?",
            (blob, language, self._extractor),
        ).fetchone()


class Contents:
    """What the blobs of one update say; one that the cache lacks is read again.

    Every method answers None when the blob is missing from this clone.
    """

    def __init__(self, cache: FactsCache, fetch: Callable[[str], bytes | None]) -> None:
        self._cache, self._fetch = cache, fetch
        self.recent: dict[tuple[str, str], Facts] = {}  # whole ones of this update, when they are few

    def facts(self, blob: str, language: str) -> Facts | None:
        """All of it."""
        return self.recent.get((blob, language)) or self._once_more(self._cache.facts, blob, language)

    def outline(self, blob: str, language: str) -> tuple[Facts, Texts] | None:
        """What its rows are made of."""
        return self._once_more(self._cache.outline, blob, language)

    def links(self, blob: str, language: str) -> Facts | None:
        """What its links are made of."""
        return self.recent.get((blob, language)) or self._once_more(self._cache.links, blob, language)

    def _once_more(self, ask: Callable[[str, str], T | None], blob: str, language: str) -> T | None:
        found = ask(blob, language)
        if found is None:
            data = self._fetch(blob)
            if data is not None:
                self._cache.learn(blob, language, data)
                found = ask(blob, language)
        return found


def _whole(read: Callable[..., T], *stored: bytes) -> T:
    """What was stored, read. What was written here can be: where it cannot, the file was damaged."""
    try:
        return read(*stored)
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError(f"what files say is malformed: {error}") from error


def _texts(flat: bytes) -> Texts:
    parts = flat.decode("utf-8", "surrogatepass").split("\0") if flat else []
    return list(zip(parts[::2], parts[1::2], strict=True))
