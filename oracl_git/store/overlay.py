"""Uncommitted changes, laid over the index in memory.

A private copy of the index, which SQLite keeps in memory and lets go with the
connection, is moved by the very update that a commit would cause: what is asked
of it is what would be answered after committing the same content. History stays
that of the commit. Knows how the copy follows its original; knows nothing of
where changes come from. The index on disk is not written.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from ..extract import language_of
from ..git import Change, Entry, Laid, Objects, Repository, open_objects, stamp
from ..graph.model import decode_path
from . import database, vectors
from .facts import FactsCache
from .fill import settle_copy
from .index import OF_COMMIT, OF_PATHS, Index, stems_of
from .settings import Progress, Settings
from .update import Build

Files = Mapping[bytes, Laid | None]  # path → what lies there; None: nothing
_STEPS = 20_000  # full text grows by what is taken out of it: then the copy is made anew
_IDENTITY = ("commit", "tree", "extractor", "settings", "depth", "history", "reach_head", "shallow", "root")


class Overlay:
    """One worktree's index as it would be if everything were committed."""

    def __init__(self, repo: Repository, base: Index) -> None:
        self.repo = repo
        self._place = database.place(repo, "index")
        self._stamp = self._stamped()
        self._identity = _identity(base)
        self._db = database.connect_copy(base.db)
        self._facts = LaidFacts(base.facts_cache)
        self._laid: dict[bytes, Laid | None] = {}
        self.committed: dict[bytes, tuple[int, str]] = {}  # what the commit has at the laid paths; mode 0: nothing
        self._counted: dict[str, Mapping[str, int]] = {}  # blob → its words, of those that may be changed again
        self._vectors: dict[bytes, bytes] = {}  # of chunks that were laid
        self._steps = 0
        self.generation = 0  # counts the sets of paths there were
        self.index = self._open()

    def close(self) -> None:
        """Let go of the copy."""
        self.index.close()
        self._facts.close()

    def follows(self) -> bool:
        """Whether the copy is of the index that lies there now."""
        if self._steps > _STEPS:
            return False
        now = self._stamped()
        if now == self._stamp:
            return True
        try:
            with Index(self.repo) as base:
                same = _identity(base) == self._identity
        except (FileNotFoundError, sqlite3.DatabaseError):
            return False
        if same:
            self._stamp = now
        return same

    def _stamped(self) -> tuple[object, ...]:
        return stamp(self._place), stamp(self._place + "-wal")

    def _open(self, known: Iterable[str] = ()) -> Index:
        """The copy as it is now, with what is still known of how it was."""
        before = self.index.__dict__ if known else {}
        kept = {name: before[name] for name in known if name in before}
        return Index(self.repo, db=self._db, facts=self._facts, known=kept)

    def lay(self, files: Files, progress: Progress | None = None) -> Index:
        """The index with exactly these files laid over the commit's.

        Raises LookupError when what the commit has at a path that is no longer
        laid is not known (it is no artifact): the copy must then be made anew.
        """
        changes = self._changes(files)
        if not changes:
            return self.index
        self._steps += 1
        objects = LaidObjects(self.repo, files)
        try:
            with objects, database.transaction(self._db):
                build = Build(self.repo, objects, self._db, self._facts, self.index.past, progress)
                build.lay(changes, Settings.decode(self.index.header.get("settings")))
                settle_copy(self._db, self._facts, [change.path for change in changes], self._vectors)
        except BaseException:
            self._facts.keep(self._blobs(self._laid))
            raise
        self._recount(changes)
        self._laid = dict(files)
        blobs = self._blobs(files)
        self._facts.keep(blobs)
        self._counted = {oid: words for oid, words in self._counted.items() if oid in blobs}
        moved = any(not (change.old_mode and change.new_mode) for change in changes)
        self.generation += moved
        self.index = self._open(OF_COMMIT if moved else (*OF_COMMIT, *OF_PATHS))
        return self.index

    @staticmethod
    def _blobs(files: Files) -> set[str]:
        return {entry.oid for entry in files.values() if entry is not None}

    def _recount(self, changes: Iterable[Change]) -> None:
        """Forget the frequencies of words that changes put into other chunks, and learn new sizes and chunks."""
        before = self.index.__dict__
        known, sizes, homes = self.index.frequencies, before.get("sizes"), before.get("known_homes")
        for change in changes:
            language = language_of(change.path)
            sides = [self._words(oid, language) for oid in (change.old_oid, change.new_oid)]
            if known and (sides[0] is None or sides[1] is None):
                known.clear()
            elif known:
                old, new = sides[0] or {}, sides[1] or {}
                moved = [word for word in old.keys() | new.keys() if old.get(word) != new.get(word)]
                for stems in stems_of(moved):
                    for stem in stems:
                        known.pop(stem, None)
            for node, size in self._db.execute("SELECT id, size FROM node WHERE path=? AND kind=0", (change.path,)):
                if sizes is not None:
                    sizes[node] = size
                if homes is not None:  # ids of chunks that went may have come again
                    homes.update(self._db.execute("SELECT id, node FROM chunk WHERE node=?", (node,)))
        cards = before.get("known_cards", {})
        for (node,) in self._db.execute("SELECT id FROM node WHERE kind<>0"):  # these come and go while no path does
            cards.pop(node, None)

    def _words(self, oid: str, language: str) -> Mapping[str, int] | None:
        """Word → chunks of a text that hold it; None when that is not known."""
        if not oid or oid in self._counted:
            return self._counted.get(oid, {})
        texts = self._facts.texts(oid, language)
        if texts is None:
            return None
        found = Counter(word for title, body in texts for word in {*title.split(), *body.split()})
        self._counted[oid] = found
        return found

    def _changes(self, files: Files) -> list[Change]:
        """What differs between what is laid now and what is to be."""
        found = []
        for path, entry in files.items():
            side = (entry.mode, entry.oid) if entry else (0, "")
            if path in self._laid:
                laid = self._laid[path]
                before = (laid.mode, laid.oid) if laid else (0, "")
            else:
                before = self.committed[path] = self._has(path)
            if side != before:
                found.append(Change(path, *before, *side))
        for path, laid in self._laid.items():
            if path not in files:
                before, committed = ((laid.mode, laid.oid) if laid else (0, "")), self.committed[path]
                if committed != before:
                    if committed[0] and not committed[1]:
                        raise LookupError(decode_path(path))
                    found.append(Change(path, *before, *committed))
        return found

    def _has(self, path: bytes) -> tuple[int, str]:
        """(mode, blob) at a path of the copy; the blob is "" for what is no artifact but is there."""
        row = self._db.execute("SELECT mode, blob FROM node WHERE path=? AND kind=0", (path,)).fetchone()
        if row:
            return row[0], row[1]
        return (1, "") if self._db.execute("SELECT 1 FROM skipped WHERE path=?", (path,)).fetchone() else (0, "")


def _identity(index: Index) -> tuple[object, ...]:
    return tuple(index.header.get(name) for name in _IDENTITY)


class LaidFacts(FactsCache):
    """What laid files say, in memory, over the cache on disk; nothing is written there."""

    def __init__(self, below: FactsCache | None) -> None:
        super().__init__(database.connect_memory("facts"))
        self._below = below

    def close(self) -> None:
        """Let go of both."""
        self._db.close()
        if self._below is not None:
            self._below.close()

    def known(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        wanted = list(keys)
        below = self._below.known(wanted) if self._below else {}
        return below | super().known(wanted)

    def _row(self, columns: str, place: slice, blob: str, language: str) -> Any:
        found = super()._row(columns, place, blob, language)
        return found if found or self._below is None else self._below._row(columns, place, blob, language)

    def vectors(self, keys: list[bytes]) -> dict[bytes, bytes]:
        """Those of the vectors that the cache on disk knows."""
        return vectors.cached(self._below.connection, keys) if self._below else {}

    def keep(self, blobs: set[str]) -> None:
        """Forget all blobs but these: an edited buffer leaves a trail of them."""
        self.flush()
        rows = self._db.execute("SELECT DISTINCT blob FROM facts").fetchall()
        self._db.executemany("DELETE FROM facts WHERE blob=?", [row for row in rows if row[0] not in blobs])


class LaidObjects:
    """The object store, and the files that lie over it."""

    def __init__(self, repo: Repository, files: Files) -> None:
        self._repo = repo
        self._files = {entry.oid: entry for entry in files.values() if entry is not None}
        self._below: Objects | None = None

    @property
    def _store(self) -> Objects:
        if self._below is None:  # most steps need it not at all
            self._below = open_objects(self._repo)
        return self._below

    def tree_of(self, commit: str) -> str:
        return self._store.tree_of(commit)

    def entries(self, tree: str) -> Iterator[Entry]:
        return self._store.entries(tree)

    def changes(self, old_tree: str | None, new_tree: str) -> Iterator[Change]:
        return self._store.changes(old_tree, new_tree)

    def sizes(self, oids: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        for oid in oids:
            if oid in self._files:
                yield oid, self._files[oid].size
            else:
                yield from self._store.sizes([oid])

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for oid in oids:
            if oid in self._files:
                yield oid, self._files[oid].data
            else:
                yield from self._store.blobs([oid])

    def close(self) -> None:
        if self._below is not None:
            self._below.close()
            self._below = None

    def __enter__(self) -> LaidObjects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
