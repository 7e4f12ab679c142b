"""The first index of a worktree, begun as a copy of another one's of the same clone.

Knows where the indexes of a clone lie and which may be copied: one that this code made,
with the same settings, and whose pages are sound. What then differs between the two
commits is an update like any other, so the copy is never the answer, only where it starts.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

from ..errors import OraclError
from ..git import Repository
from . import database
from .made_by import is_of_this_version
from .settings import Settings


def begin(repo: Repository, index: sqlite3.Connection, settings: Settings, target: str) -> bool:
    """Fill an index that holds nothing yet from another of this clone, the one at `target` if there is one.

    In one transaction of its own: whoever comes in between, or a kill, leaves the index empty or whole.
    """
    if index.execute("SELECT 1 FROM header LIMIT 1").fetchone():
        return False
    found = []
    for path in _others(repo):
        with suppress(OraclError, OSError, sqlite3.Error), closing(database.connect(path, "index", write=False)) as db:
            header = dict(db.execute("SELECT key, value FROM header"))
            if is_of_this_version(header) and Settings.decode(header.get("settings")) == settings:
                found.append((header.get("commit") != target, -os.stat(path).st_mtime_ns, path))
    for _, _, path in sorted(found):
        with suppress(OraclError, OSError, sqlite3.Error), closing(database.connect(path, "index", write=False)) as db:
            db.execute("BEGIN")  # what is looked at is what is copied
            if db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                db.backup(index, progress=_at_once)
                return True
    return False


def _at_once(status: int, remaining: int, total: int) -> None:
    """Stop where another writes: it fills the index, and the copy would be tried for as long as it takes."""
    if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        raise sqlite3.OperationalError("another update holds the index")


def _others(repo: Repository) -> Iterator[str]:
    """The index files of the clone's other worktrees."""
    linked = os.path.join(repo.common_dir, "worktrees")
    names = sorted(os.listdir(linked)) if os.path.isdir(linked) else []
    for git_dir in (repo.common_dir, *(os.path.join(linked, name) for name in names)):
        path = os.path.join(git_dir, "oracl", "index.sqlite")
        if os.path.isfile(path) and not os.path.samefile(git_dir, repo.git_dir):
            yield path
