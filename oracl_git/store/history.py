"""What past commits touched and said, shared by the worktrees of a clone.

Knows commits, the paths each touched, renames and the words of messages. Which
commits a worktree's HEAD reaches is kept with that worktree's index, newest
first; nothing here decays or depends on a branch, so switching undoes nothing.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections.abc import Sequence

from ..extract.words import split_identifiers
from ..git import Repository, commits, is_linear_extension, reachable, shallow_state
from .database import insert, transaction

DEFAULT_DEPTH = 20_000
_WORDS = 600  # characters of a message that count
_BATCH = 2_000
_LINE = 500  # a longer way from the indexed commit is listed anew


class HistoryStore:
    """Append-only: a commit, once read, never changes."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._ids: dict[bytes, int] = {}
        self.identity = self._identity()  # lists of ids made with another store mean nothing in this one

    def learn(self, repo: Repository, oids: list[str]) -> array[int]:
        """Read those of the commits that are not known yet; the ids of all, in the order given."""
        known = self._known(oids)
        missing = [oid for oid in oids if oid not in known]
        # Oldest first, so that an interrupted reading leaves a usable past.
        missing.reverse()
        for start in range(0, len(missing), _BATCH):
            with transaction(self._db):
                part = missing[start : start + _BATCH]
                known |= self._known(part)  # another process may have read them meanwhile
                self._read(repo, [oid for oid in part if oid not in known], known)
        return array("I", map(known.__getitem__, oids))

    def _identity(self) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE key='identity'").fetchone()
        if row is None:
            with transaction(self._db):
                self._db.execute("INSERT OR IGNORE INTO meta VALUES('identity', ?)", (os.urandom(8).hex(),))
            row = self._db.execute("SELECT value FROM meta WHERE key='identity'").fetchone()
        found: str = row[0]
        return found

    def _known(self, oids: list[str]) -> dict[str, int]:
        db = self._db
        if len(oids) > _BATCH:
            return dict(db.execute("SELECT oid, id FROM entry"))
        find = "SELECT oid, id FROM entry WHERE oid=?"
        return dict(row for oid in oids if (row := db.execute(find, (oid,)).fetchone()))

    def _read(self, repo: Repository, oids: list[str], known: dict[str, int]) -> None:
        db = self._db
        following = db.execute("SELECT coalesce(max(id), 0) FROM entry").fetchone()[0] + 1
        entries, touches, renames, words = [], [], [], []
        for number, commit in enumerate(commits(repo, oids), following):
            files = array("I", sorted({self._path(t.path) for t in commit.touched}))
            edge = int(repo.shallow and not commit.parents)
            entries.append((number, commit.oid, commit.time, commit.subject[:200], files.tobytes(), edge))
            touches += [(path, number) for path in files]
            if files:
                words.append((number, split_identifiers(f"{commit.subject}\n{commit.body}"[:_WORDS])))
                renames += [
                    (number, self._path(t.source), self._path(t.path)) for t in commit.touched if t.status == "R"
                ]
            known[commit.oid] = number
        insert(db, "INSERT INTO entry(id, oid, time, subject, files, edge)", entries)
        insert(db, "INSERT INTO rename", renames)
        insert(db, "INSERT INTO touch", sorted(touches))
        db.executemany("INSERT INTO entry_fts(rowid, text) VALUES(?,?)", words)

    def lengths(self, entries: Sequence[int]) -> array[int]:
        """How many words full text has of the message of each commit; 0 of one that touched nothing."""
        find, db = "SELECT id, sz FROM entry_fts_docsize", self._db
        if len(entries) > _BATCH:
            sizes = dict(db.execute(find))
        else:
            sizes = dict(row for entry in entries for row in db.execute(f"{find} WHERE id=?", (entry,)))
        return array("H", [_number(sizes.get(entry, b"")) for entry in entries])

    def deepen(self, repo: Repository) -> bool:
        """Forget commits that were read at the edge of a shallow clone, once the edge moved; whether it did."""
        db, state = self._db, shallow_state(repo)
        row = db.execute("SELECT value FROM meta WHERE key='shallow'").fetchone()
        if (row[0] if row else "") == state:
            return False
        with transaction(db):
            db.execute("DELETE FROM entry WHERE edge")  # it touched nothing: no other row speaks of it
            db.execute("INSERT OR REPLACE INTO meta VALUES('shallow', ?)", (state,))
        return True

    def _path(self, path: bytes) -> int:
        known = self._ids.get(path)
        if known is None:
            row = self._db.execute("SELECT id FROM path WHERE path=?", (path,)).fetchone()
            if row is None:
                row = self._db.execute("INSERT INTO path(path) VALUES(?) RETURNING id", (path,)).fetchone()
            known = self._ids[path] = row[0]
        return known


def _number(digits: bytes) -> int:
    """A whole number as SQLite writes them: seven bits a byte, the greatest first."""
    found = 0
    for digit in digits:
        found = found << 7 | digit & 127
    return found


def follow(
    store: HistoryStore, repo: Repository, old: str | None, known: array[int], new: str, depth: int
) -> tuple[array[int], tuple[list[int], list[int]] | None]:
    """Bring the list of reached commits from `old` to `new`.

    Returns (ids newest first, (ids put on top, ids that fell off the end)), with
    None for the second when the whole list had to be made anew.
    """
    if not store.deepen(repo) and old and known:
        fresh = is_linear_extension(repo, old, new, _LINE)
        if fresh is not None:
            added = store.learn(repo, fresh)
            reach = added + known
            return reach[:depth], (list(added), list(reach[depth:]))
    oids = reachable(repo, new, depth)
    return store.learn(repo, oids), None


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
