"""What past commits touched and said, shared by the worktrees of a clone.

Knows commits, the paths each touched, renames and the words of messages. Which
commits a worktree's HEAD reaches is kept with that worktree's index, newest
first; nothing here decays or depends on a branch, so switching undoes nothing.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable

from ..extract import split_identifiers
from ..git import Repository, commits, is_linear_extension, reachable
from .database import transaction

DEFAULT_DEPTH = 20_000
_WORDS = 600  # characters of a message that count
_BATCH = 2_000
_LINE = 500  # a longer way from the indexed commit is listed anew


class HistoryStore:
    """Append-only: a commit, once read, never changes."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._ids: dict[bytes, int] = {}

    def learn(self, repo: Repository, oids: Iterable[str]) -> int:
        """Read those of the commits that are not known yet; how many there were."""
        db = self._db
        missing = [oid for oid in oids if db.execute("SELECT 1 FROM entry WHERE oid=?", (oid,)).fetchone() is None]
        # Oldest first, so that an interrupted reading leaves a usable past.
        missing.reverse()
        for start in range(0, len(missing), _BATCH):
            with transaction(db):
                touches: list[tuple[int, int]] = []
                for commit in commits(repo, missing[start : start + _BATCH]):
                    files = array("I", sorted({self._path(t.path) for t in commit.touched}))
                    cursor = db.execute(
                        "INSERT OR IGNORE INTO entry(oid, time, subject, files) VALUES(?,?,?,?)",
                        (commit.oid, commit.time, commit.subject[:200], files.tobytes()),
                    )
                    if cursor.rowcount != 1 or cursor.lastrowid is None:
                        continue
                    entry = cursor.lastrowid
                    touches += [(path, entry) for path in files]
                    db.executemany(
                        "INSERT INTO rename VALUES(?,?,?)",
                        [(entry, self._path(t.source), self._path(t.path)) for t in commit.touched if t.status == "R"],
                    )
                    if files:
                        words = split_identifiers(f"{commit.subject}\n{commit.body}"[:_WORDS])
                        db.execute("INSERT INTO entry_fts(rowid, text) VALUES(?,?)", (entry, words))
                db.executemany("INSERT OR IGNORE INTO touch VALUES(?,?)", sorted(touches))
        return len(missing)

    def _path(self, path: bytes) -> int:
        known = self._ids.get(path)
        if known is None:
            row = self._db.execute("SELECT id FROM path WHERE path=?", (path,)).fetchone()
            if row is None:
                row = self._db.execute("INSERT INTO path(path) VALUES(?) RETURNING id", (path,)).fetchone()
            known = self._ids[path] = row[0]
        return known

    def ids(self, oids: Iterable[str]) -> array[int]:
        """The ids of known commits, in the order asked."""
        find = "SELECT id FROM entry WHERE oid=?"
        return array("I", [self._db.execute(find, (oid,)).fetchone()[0] for oid in oids])

    def touched(self, entry: int) -> array[int]:
        """The path ids a commit touched."""
        return array("I", self._db.execute("SELECT files FROM entry WHERE id=?", (entry,)).fetchone()[0])


def follow(
    store: HistoryStore, repo: Repository, old: str | None, known: array[int], new: str, depth: int
) -> tuple[array[int], tuple[list[int], list[int]] | None]:
    """Bring the list of reached commits from `old` to `new`.

    Returns (ids newest first, (ids put on top, ids that fell off the end)), with
    None for the second when the whole list had to be made anew.
    """
    if old and known:
        fresh = is_linear_extension(repo, old, new, _LINE)
        if fresh is not None:
            store.learn(repo, fresh)
            added = store.ids(fresh)
            reach = added + known
            return reach[:depth], (list(added), list(reach[depth:]))
    oids = reachable(repo, new, depth)
    store.learn(repo, oids)
    return store.ids(oids), None


def lineage(db: sqlite3.Connection, reach: array[int], exists: set[bytes]) -> list[tuple[int, bytes]]:
    """(path id, today's path) for each old name that renames lead to a path of today.

    `db` is the history database; the newest rename of a name decides.
    """
    position = {entry: place for place, entry in enumerate(reach)}
    newest: dict[int, tuple[int, int]] = {}
    for entry, old, new in db.execute("SELECT entry, old, new FROM rename"):
        place = position.get(entry)
        if place is not None and (old not in newest or place < newest[old][0]):
            newest[old] = (place, new)
    names = dict(
        db.execute("SELECT id, path FROM path WHERE id IN (SELECT old FROM rename UNION SELECT new FROM rename)")
    )
    rows = []
    for old in newest:
        if names[old] in exists:
            continue
        at, hops = old, 0
        while at in newest and hops < 20:
            at, hops = newest[at][1], hops + 1
            if names[at] in exists:
                rows.append((old, names[at]))
                break
    return sorted(rows)
