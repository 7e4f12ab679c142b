"""Vectors of chunks: kept by text for every worktree, and laid out for questions in each index.

Knows which chunks came and went (triggers on `chunk` note them), how vectors
get into blocks of sketches, and how a question finds the nearest. Knows nothing
of words or ranking.

In the facts cache a vector lies under a digest of the model and the text it was
made of, so no worktree encodes what another has. In the index it lies under its
chunk, and its signs in the planes of a block; a chunk that goes leaves its place
empty until `compact` closes the gaps. A file's vector is that of its chunks which
have one, added up: it depends on nothing else, and moves whenever they do.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import itemgetter

from ..embedding import LENGTH, dots, sketch, together
from .database import among
from .wording import runs

_KEY = 16  # bytes
_GAPS = sketch.BLOCK  # empty places that are no matter


def key(model: str, title: str, body: str) -> bytes:
    """What a chunk's vector is kept under: a digest of the model and the text."""
    from hashlib import blake2b

    text = f"{title}\0{body}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=_KEY, key=model.encode()[:64]).digest()


def cached(cache: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, bytes]:
    """The vectors that are known."""
    return dict(among(cache, "SELECT key, code FROM vector WHERE key IN", list(dict.fromkeys(keys))))


class VectorTable:
    """Writes the vectors of one index. The caller holds the transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def forget(self) -> None:
        """Take out the vectors of chunks that are gone."""
        files = [row[0] for row in self._db.execute("SELECT DISTINCT node FROM gone")]
        rows = self._db.execute(
            "SELECT v.block, g.chunk FROM gone g JOIN vector v ON v.chunk=g.chunk ORDER BY v.block"
        ).fetchall()
        by_block: dict[int, set[int]] = {}
        for block, chunk in rows:
            by_block.setdefault(block, set()).add(chunk)
        for block, chunks in by_block.items():
            self._vacate(block, chunks)
        self._db.executemany("DELETE FROM vector WHERE chunk=?", [(chunk,) for _, chunk in rows])
        self._db.execute("DELETE FROM gone")
        self._add_up(files)

    def _vacate(self, block: int, leaving: set[int]) -> None:
        packed, live = self._db.execute("SELECT chunks, live FROM block WHERE id=?", (block,)).fetchone()
        taken = int.from_bytes(live, "little")
        for place, chunk in enumerate(array("Q", packed)):
            if chunk in leaving:
                taken &= ~(1 << place)
        if taken:
            self._db.execute("UPDATE block SET live=? WHERE id=?", (taken.to_bytes(sketch.PLANE, "little"), block))
        else:
            self._db.execute("DELETE FROM block WHERE id=?", (block,))
            self._db.execute("DELETE FROM plane WHERE block=?", (block,))

    def place(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Store the vectors of chunks that had none; b"" for a chunk that says nothing."""
        full = [(chunk, code) for chunk, code in vectors if code]
        row = self._db.execute("SELECT id, used, chunks, live FROM block ORDER BY id DESC LIMIT 1").fetchone()
        block, used, packed, live = row or (0, sketch.BLOCK, b"", b"")
        start = 0
        while start < len(full):
            if used == sketch.BLOCK:
                block, used, packed, live = block + 1, 0, b"", b""
            part = full[start : start + sketch.BLOCK - used]
            start += len(part)
            old = self._db.execute("SELECT bits FROM plane WHERE block=?", (block,)).fetchone() if used else None
            planes = sketch.append(old[0] if old else b"", used, b"".join(code for _, code in part))
            taken = int.from_bytes(live, "little") | ((1 << len(part)) - 1) << used
            used += len(part)
            packed += array("Q", [chunk for chunk, _ in part]).tobytes()
            live = taken.to_bytes(sketch.PLANE, "little")
            self._db.execute("INSERT OR REPLACE INTO block VALUES(?,?,?,?)", (block, used, packed, live))
            self._db.execute("INSERT OR REPLACE INTO plane VALUES(?,?)", (block, planes))
            self._db.executemany(
                "INSERT OR REPLACE INTO vector VALUES(?,?,?)", [(chunk, block, code) for chunk, code in part]
            )
        self._db.executemany("DELETE FROM pending WHERE chunk=?", [(chunk,) for chunk, _ in vectors])
        find = "SELECT node FROM chunk WHERE id=?"
        self._add_up(dict.fromkeys(row[0] for chunk, _ in full for row in self._db.execute(find, (chunk,))))

    def _add_up(self, files: Iterable[int]) -> None:
        """Bring the vectors of files to what their chunks say now."""
        find = "SELECT v.code FROM chunk c JOIN vector v ON v.chunk=c.id WHERE c.node=?"
        for file in files:
            code = together([code for (code,) in self._db.execute(find, (file,))])
            if code:
                self._db.execute("INSERT OR REPLACE INTO whole VALUES(?,?)", (file, code))
            else:
                self._db.execute("DELETE FROM whole WHERE node=?", (file,))

    def wasteful(self) -> bool:
        """Whether more places stand empty than are taken, and it matters."""
        used: int = self._db.execute("SELECT coalesce(sum(used), 0) FROM block").fetchone()[0]
        held: int = self._db.execute("SELECT count(*) FROM vector").fetchone()[0]
        return used - held > max(_GAPS, held)

    def compact(self) -> None:
        """Lay all vectors out anew, without gaps."""
        rows = self._db.execute("SELECT chunk, code FROM vector ORDER BY chunk").fetchall()
        self.clear()
        self.place(rows)

    def clear(self) -> None:
        """Forget every vector; what chunks there are, are pending."""
        for table in ("vector", "whole", "block", "plane", "gone"):
            self._db.execute(f"DELETE FROM {table}")


class Vectors:
    """The vectors of an index, as questions read them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._planes: dict[int, int] = {}

    @cached_property
    def _blocks(self) -> tuple[array[int], int, list[bytes]]:
        """(the chunk at each place, the places taken, the planes of each block)."""
        chunks, live, planes = array("Q"), [], []
        for packed, taken, bits in self._db.execute(
            "SELECT b.chunks, b.live, p.bits FROM block b JOIN plane p ON p.block=b.id ORDER BY b.id"
        ):
            chunks.frombytes(packed.ljust(8 * sketch.BLOCK, b"\0"))
            live.append(taken)
            planes.append(bits)
        return chunks, int.from_bytes(b"".join(live), "little"), planes

    def plane(self, dimension: int) -> int:
        """The signs of one dimension over all places."""
        found = self._planes.get(dimension)
        if found is None:
            start, end = dimension * sketch.PLANE, (dimension + 1) * sketch.PLANE
            found = int.from_bytes(b"".join([bits[start:end] for bits in self._blocks[2]]), "little")
            self._planes[dimension] = found
        return found

    def nearest(self, query: bytes, count: int) -> list[tuple[int, float]]:
        """(chunk, cosine) of the nearest chunks by sketch, rescored in full; best first, equals by path and line."""
        chunks, live, _ = self._blocks
        if not live:
            return []
        near = [chunks[place] for place in sketch.nearest(self.plane, live, query, count)]
        if len(near) > 4 * count:  # then all of them differ equally much
            near = self._in_order(near)[: 4 * count]
        found = sorted(self.cosines(query, near), key=itemgetter(1), reverse=True)
        for start, stop in runs([cosine for _, cosine in found]):
            if start < count:
                cosine = found[start][1]
                found[start:stop] = [(chunk, cosine) for chunk in self._in_order([row[0] for row in found[start:stop]])]
        return found[:count]

    def _in_order(self, chunks: Sequence[int]) -> list[int]:
        """Chunks by path and line: ids and places depend on how the index came about."""
        find = "SELECT n.path, c.id FROM chunk c JOIN node n ON n.id=c.node WHERE c.id IN"
        rows: list[tuple[bytes, int]] = list(among(self._db, find, chunks))
        return [chunk for _, chunk in sorted(rows)]  # ids of one file rise with lines

    def cosines(self, query: bytes, chunks: Iterable[int]) -> list[tuple[int, float]]:
        """(chunk, cosine) of those that have a vector."""
        rows = self.codes(chunks)
        products = dots(query, [code for _, code in rows])
        return [(chunk, product / (LENGTH * LENGTH)) for (chunk, _), product in zip(rows, products, strict=True)]

    def codes(self, chunks: Iterable[int]) -> list[tuple[int, bytes]]:
        """(chunk, 256 int8) of those that have a vector."""
        return list(among(self._db, "SELECT chunk, code FROM vector WHERE chunk IN", list(chunks)))

    def of_files(self, files: Iterable[int]) -> list[tuple[int, bytes]]:
        """(file, 256 int8) of those that have a vector."""
        return list(among(self._db, "SELECT node, code FROM whole WHERE node IN", list(files)))

    @property
    def pending(self) -> int:
        """How many chunks have no vector yet."""
        count: int = self._db.execute("SELECT count(*) FROM pending").fetchone()[0]
        return count
