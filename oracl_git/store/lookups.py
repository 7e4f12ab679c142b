"""Which nodes' links hang on which question: what `graph.names.Recorder` noted, both ways round.

Knows how questions and nodes are packed: `asked` has the keys of each node, `lookup` the nodes
of each key, 65,536 buckets of sorted (key, node) pairs by the upper half of a key, so that a
first index writes them in one go and an update rewrites a few short ones. Knows nothing of what
is asked.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable

from .database import insert

_SHIFT = 48  # of a pair, which is key << 32 | node: what remains is its bucket


class LookupTable:
    """Reads what was asked, and writes what an update asks. Throw it away when `finish` is done."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._fresh = db.execute("SELECT 1 FROM asked LIMIT 1").fetchone() is None
        self._came = array("Q")
        self._went: set[int] = set()
        self._asked: list[tuple[int, bytes]] = []

    def nodes(self, key: int) -> array[int]:
        """The nodes whose links hang on a question, as they were before this update."""
        pairs = self._pairs(key >> 16)
        low, high = (bisect_left(pairs, each << 32) for each in (key, key + 1))
        return array("Q", [pair & 0xFFFFFFFF for pair in pairs[low:high]])

    def _pairs(self, bucket: int) -> array[int]:
        row = self._db.execute("SELECT pairs FROM lookup WHERE bucket=?", (bucket,)).fetchone()
        return array("Q", row[0] if row else b"")

    def record(self, node: int, keys: set[int]) -> None:
        """Replace the questions a node's links hang on."""
        packed = array("I", sorted(keys))
        if not self._fresh:
            row = self._db.execute("SELECT keys FROM asked WHERE source=?", (node,)).fetchone()
            before = set(array("I", row[0])) if row else set()
            if before == keys:
                return
            self._went.update(_packed(array("I", before - keys), node))
            self._came += _packed(array("I", keys - before), node)
            if not keys:
                self._db.execute("DELETE FROM asked WHERE source=?", (node,))
        else:
            self._came += _packed(packed, node)
        if keys:
            self._asked.append((node, packed.tobytes()))

    def finish(self) -> None:
        """Write what was recorded."""
        insert(self._db, "INSERT OR REPLACE INTO asked", self._asked)
        came = array("Q", sorted(self._came))
        if self._fresh:
            insert(self._db, "INSERT INTO lookup", [(bucket, pairs.tobytes()) for bucket, pairs in _buckets(came)])
        else:
            self._merge(came)
        self._came, self._went, self._fresh = array("Q"), set(), False
        self._asked.clear()

    def _merge(self, came: array[int]) -> None:
        new = dict(_buckets(came))
        for bucket in new.keys() | {pair >> _SHIFT for pair in self._went}:
            pairs = set(self._pairs(bucket)).difference(self._went).union(new.get(bucket, ()))
            if pairs:
                row = bucket, array("Q", sorted(pairs)).tobytes()
                self._db.execute("INSERT OR REPLACE INTO lookup VALUES(?,?)", row)
            else:
                self._db.execute("DELETE FROM lookup WHERE bucket=?", (bucket,))


_LOW, _HIGH = (0, 1) if sys.byteorder == "little" else (1, 0)


def _packed(keys: array[int], node: int) -> array[int]:
    """The pair of each key with a node, made side by side in memory: no number becomes an object."""
    halves = array("I", bytes(8 * len(keys)))
    halves[_LOW::2] = array("I", [node]) * len(keys)
    halves[_HIGH::2] = keys
    return array("Q", halves.tobytes())


def _buckets(pairs: array[int]) -> Iterable[tuple[int, array[int]]]:
    """Sorted pairs, by their buckets."""
    start = 0
    while start < len(pairs):
        bucket = pairs[start] >> _SHIFT
        end = bisect_left(pairs, bucket + 1 << _SHIFT, start)
        yield bucket, pairs[start:end]
        start = end
