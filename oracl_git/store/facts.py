"""The facts cache: what each blob says, shared by every worktree of a clone.

Knows how Facts and split text are kept under (blob, language, extractor
version). Knows nothing of paths: a rename, a branch switch or a second worktree
parses nothing twice.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable

from ..extract import Facts, chunk_texts, decode, extract, version
from .database import transaction

_BATCH = 256
_LEVEL = 1  # zlib: speed before size

Texts = list[tuple[str, str]]


def _packed(raw: bytes) -> bytes:
    return zlib.compress(raw, _LEVEL) if raw else b""


def _unpacked(packed: bytes) -> bytes:
    return zlib.decompress(packed) if packed else b""


class FactsCache:
    """Read and write Facts by (blob, language); writes are committed in batches."""

    def __init__(self, db: sqlite3.Connection, write: bool = True) -> None:
        self._db = db
        self._pending: dict[tuple[str, str], tuple[str, bytes, bytes, bytes]] = {}  # skip, facts, uses, text
        if write:
            with transaction(db):
                db.execute("INSERT OR IGNORE INTO extractor(version) VALUES(?)", (version(),))
        row = db.execute("SELECT id FROM extractor WHERE version=?", (version(),)).fetchone()
        self._extractor: int = row[0] if row else -1

    def known(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """Those of the (blob, language) keys that are cached → why to leave the file out, or ""."""
        find = "SELECT skip FROM facts WHERE blob=? AND language=? AND extractor=?"
        rows = ((key, self._db.execute(find, (*key, self._extractor)).fetchone()) for key in keys)
        return {key: row[0] for key, row in rows if row}

    def learn(self, blob: str, language: str, data: bytes) -> Facts:
        """Extract a blob and remember what it says."""
        facts = extract(data, language)
        texts = [] if facts.skip else chunk_texts(data, facts)
        flat = "\0".join(part.replace("\0", " ") for pair in texts for part in pair)
        packed = (
            _packed(facts.encode()),
            _packed(facts.encode_uses()),
            _packed(flat.encode("utf-8", "surrogatepass")),
        )
        self._pending[blob, language] = (facts.skip, *packed)
        if len(self._pending) >= _BATCH:
            self.flush()
        return facts

    def flush(self) -> None:
        """Commit what was learned so far: an interrupted update resumes from here."""
        if self._pending:
            with transaction(self._db):
                self._db.executemany(
                    "INSERT OR REPLACE INTO facts VALUES(?,?,?,?,?,?,?)",
                    ((*key, self._extractor, *row) for key, row in self._pending.items()),
                )
            self._pending.clear()

    def facts(self, blob: str, language: str) -> Facts | None:
        """The cached Facts (without `uses`), or None."""
        packed = self._row("facts", blob, language)
        return None if packed is None else decode(_unpacked(packed))

    def texts(self, blob: str, language: str) -> Texts | None:
        """The cached (title, body) of each chunk, or None."""
        packed = self._row("text", blob, language)
        if packed is None:
            return None
        flat = _unpacked(packed).decode("utf-8", "surrogatepass")
        parts = flat.split("\0") if flat else []
        return list(zip(parts[::2], parts[1::2], strict=True))

    def _row(self, column: str, blob: str, language: str) -> bytes | None:
        pending = self._pending.get((blob, language))
        if pending:
            return pending[1:][("facts", "uses", "text").index(column)]
        row = self._db.execute(
            f"SELECT {column} FROM facts WHERE blob=? AND language=? AND extractor=?", (blob, language, self._extractor)
        ).fetchone()
        return row[0] if row else None
