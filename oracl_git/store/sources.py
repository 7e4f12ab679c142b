"""The source root: a digest over every path, mode and content of a commit, free of git's own hash.

Knows how it is kept up to date by tree diffs, and that each blob is hashed once.
Covers everything in the tree, also what the graph leaves out; a submodule stands
there with SHA-256 of its commit's id. Knows nothing of the graph.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import sha256

from ..errors import GitFailed, MissingObjects
from ..git import GITLINK, Change, Objects
from ..graph import digest
from ..graph.model import canonical_path, decode_path
from .database import transaction
from .settings import Progress

_TELL = 256


def source_root(
    db: sqlite3.Connection, objects: Objects, tree: str, known: Iterable[tuple[str, str]] = (),
    progress: Progress | None = None,
) -> bytes:  # fmt: skip
    """The root over (path, mode, SHA-256) of a tree; `db` remembers what was hashed.

    `known` has (blob, SHA-256 in hex) of contents that were hashed before. Raises
    MissingObjects when a blob is not in this clone.
    """
    with transaction(db):
        changes = _changes(db, objects, tree)
        if changes:
            _apply(db, objects, changes, dict(known), progress)
        db.execute("DELETE FROM tree")
        db.execute("INSERT INTO tree VALUES(?)", (tree,))
        return digest.root(dict(db.execute("SELECT shard, hash FROM source_root")))


def _changes(db: sqlite3.Connection, objects: Objects, tree: str) -> list[Change]:
    row = db.execute("SELECT oid FROM tree").fetchone()
    if row and row[0] == tree:
        return []
    try:
        return list(objects.changes(row[0] if row else None, tree))
    except GitFailed:
        if row is None:
            raise
        for table in ("source", "source_root"):  # the old tree was pruned: start over
            db.execute(f"DELETE FROM {table}")
        return list(objects.changes(None, tree))


def _apply(
    db: sqlite3.Connection, objects: Objects, changes: list[Change], known: dict[str, str], progress: Progress | None
) -> None:
    hashes = _hashes(db, objects, {c.new_oid for c in changes if c.new_mode and c.new_mode != GITLINK}, known, progress)
    dirty, rows, gone = set(), [], []
    for change in changes:
        path = decode_path(change.path)
        key = digest.row_key(canonical_path(path))
        dirty.add(key[0])
        if not change.new_mode:
            gone.append((change.path,))
            continue
        sha = sha256(change.new_oid.encode()).hexdigest() if change.new_mode == GITLINK else hashes[change.new_oid]
        rows.append((change.path, key[0], key, digest.leaf(digest.source_row(path, change.new_mode, sha))))
    db.executemany("DELETE FROM source WHERE path=?", gone)
    db.executemany("INSERT OR REPLACE INTO source VALUES(?,?,?,?)", rows)
    for shard in dirty:
        hashed = digest.shard_hash(db.execute("SELECT key, leaf FROM source WHERE shard=?", (shard,)))
        if hashed is None:
            db.execute("DELETE FROM source_root WHERE shard=?", (shard,))
        else:
            db.execute("INSERT OR REPLACE INTO source_root VALUES(?,?)", (shard, hashed))


def _hashes(
    db: sqlite3.Connection, objects: Objects, blobs: set[str], known: dict[str, str], progress: Progress | None
) -> dict[str, str]:
    """Blob → SHA-256 of its content, hex."""
    found = {}
    for blob in blobs:
        row = None if blob in known else db.execute("SELECT sha FROM content WHERE blob=?", (blob,)).fetchone()
        if row or blob in known:
            found[blob] = row[0].hex() if row else known[blob]
    unread = sorted(blobs - found.keys())
    for done, (blob, data) in enumerate(objects.blobs(unread), 1):
        if data is None:
            raise MissingObjects(f"the content of blob {blob} is not in this clone", "git fetch --refetch --no-filter")
        found[blob] = sha256(data).hexdigest()
        if progress and done % _TELL == 0:
            progress("hashing", done, len(unread))
    db.executemany("INSERT OR REPLACE INTO content VALUES(?,?)", ((b, bytes.fromhex(found[b])) for b in unread))
    return found
