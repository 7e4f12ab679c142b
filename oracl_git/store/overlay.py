"""Uncommitted changes, laid over the index in memory.

A private copy of the index, which SQLite keeps in memory and lets go with the
connection, is moved by the very update that a commit would cause: what is asked
of it is what would be answered after committing the same content. History stays
that of the commit. As long as nothing differs from the commit there is no copy,
and the index itself is asked. Knows how the copy follows its original; knows
nothing of where changes come from. The index on disk is not written.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

from ..errors import IndexUnusable
from ..extract.languages import language_of
from ..git import Change, Entry, Laid, Objects, Repository, open_objects, stamp
from ..graph.model import decode_path
from ..inherited import THREAD, require_memory
from . import database, vectors
from .facts import FactsCache
from .fill import settle_copy
from .index import OF_COMMIT, OF_PATHS, Index, stems_of
from .settings import Progress, Settings
from .update import Build

Parts = Counter[tuple[str, str]]  # (title, body) of chunks
Files = Mapping[bytes, Laid | None]  # path → what lies there; None: nothing
_STEPS = 20_000  # full text grows by what is taken out of it: then the copy is made anew
_IDENTITY = ("commit", "tree", "extractor", "settings", "depth", "history", "reach_head", "shallow", "root", "packs")


class Overlay:
    """One worktree's index as it would be if everything were committed. The index it lies over is its own to close."""

    def __init__(self, repo: Repository, base: Index) -> None:
        self.repo = repo
        self._place = database.place(repo, "index")
        self._stamp: tuple[object, ...] = ()  # of the file, once it was compared: it may have been written meanwhile
        self._identity = _identity(base)
        self._base: sqlite3.Connection | None = base.db  # None: there is a copy
        self._copying: Future[sqlite3.Connection | None] | None = None
        self._facts = LaidFacts(base.facts_cache)
        self._laid: dict[bytes, Laid | None] = {}
        self.committed: dict[bytes, tuple[int, str]] = {}  # what the commit has at the laid paths; mode 0: nothing
        self._counted: dict[str, Parts] = {}  # blob → its chunks, of those that may be changed again
        self._vectors: dict[bytes, bytes] = {}  # of chunks that were laid
        self._steps = 0
        self.generation = 0  # counts the sets of paths there were
        self.index = base

    def close(self) -> None:
        """Let go of the index and the copy."""
        if self._copying is not None:
            self._copying.add_done_callback(_dropped)
        self.index.close()
        self._facts.close()

    def copy_meanwhile(self) -> None:
        """Begin to make the copy, for who will type soon: it takes long where the index is large."""
        if self._base is not None and self._copying is None:
            require_memory(THREAD)
            pool = ThreadPoolExecutor(1)
            self._copying = pool.submit(self._copied)
            pool.shutdown(wait=False)

    def _copied(self) -> sqlite3.Connection | None:
        """A copy of what lies there now, if that is still the same. In a thread of its own."""
        try:
            with Index(self.repo) as now:
                return database.connect_copy(now.db) if _identity(now) == self._identity else None
        except (FileNotFoundError, IndexUnusable, sqlite3.DatabaseError):
            return None  # it will be told when the index is looked at

    def _part(self) -> None:
        """Ask the copy from here on."""
        if self._base is not None:
            copy = self._copying.result() if self._copying is not None else None
            self._copying = None
            db = copy or database.connect_copy(self._base)
            self.index = self._open(db, (*OF_COMMIT, *OF_PATHS))
            self._base.close()
            self._base = None

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

    def _open(self, db: sqlite3.Connection, known: Iterable[str]) -> Index:
        """The copy as it is now, with what is still known of how it was."""
        before = self.index.__dict__
        kept = {name: before[name] for name in known if name in before}
        return Index(self.repo, db=db, facts=self._facts, known=kept)

    @property
    def _db(self) -> sqlite3.Connection:
        return self.index.db

    def lay(self, files: Files, progress: Progress | None = None) -> Index:
        """The index with exactly these files laid over the commit's.

        Raises LookupError when what the commit has at a path that is no longer
        laid is not known (it is no artifact): the copy must then be made anew.
        """
        changes = self._changes(files)
        if not changes:
            return self.index
        self._part()
        self._steps += 1
        before = self._artifacts(changes)
        objects = LaidObjects(self.repo, files)
        try:
            with objects, database.transaction(self._db):
                build = Build(self.repo, objects, self._db, self._facts, self.index.past, progress)
                build.lay(changes, Settings.decode(self.index.header.get("settings")))
                settle_copy(self._db, self._facts, [change.path for change in changes], self._vectors)
        except BaseException:
            self._facts.keep(self._blobs(self._laid))
            raise
        after = self._artifacts(changes)
        self._recount(changes, before, after)
        self._laid = dict(files)
        blobs = self._blobs(files)
        self._facts.keep(blobs)
        self._counted = {oid: parts for oid, parts in self._counted.items() if oid in blobs}
        moved = before != after
        self.generation += moved
        self.index = self._open(self._db, OF_COMMIT if moved else (*OF_COMMIT, *OF_PATHS))
        return self.index

    @staticmethod
    def _blobs(files: Files) -> set[str]:
        return {entry.oid for entry in files.values() if entry is not None}

    def _artifacts(self, changes: Iterable[Change]) -> dict[bytes, int]:
        """Those of the paths that are artifacts → their nodes."""
        find = "SELECT path, id FROM node WHERE path=? AND kind=0"
        return dict(row for change in changes for row in self._db.execute(find, (change.path,)))

    def _recount(self, changes: Iterable[Change], before: Mapping[bytes, int], after: Mapping[bytes, int]) -> None:
        """What is known of words, sizes and chunks, brought to what the changed files say now."""
        index, sizes = self.index, self.index.__dict__.get("sizes")
        for path, old, new, language in ((c.path, c.old_oid, c.new_oid, language_of(c.path)) for c in changes):
            gone = self._parts(old if path in before else "", language)
            came = self._parts(new if path in after else "", language)
            node = after.get(path, 0)
            if gone is None or came is None:
                index.frequencies.clear()
                index.holders.clear()
            else:
                self._count(node, gone, came)
            if sizes is not None:
                sizes.update(self._db.execute("SELECT id, size FROM node WHERE id=?", (node,)))
            index.known_chunks.pop(node, None)
            index.known_homes.update(self._db.execute("SELECT id, node FROM chunk WHERE node=?", (node,)))
        for (virtual,) in self._db.execute("SELECT id FROM node WHERE kind<>0"):  # these come and go while no path does
            index.known_cards.pop(virtual, None)

    def _count(self, node: int, before: Parts, after: Parts) -> None:
        """Count anew how many chunks hold the stems of those that came or went, and how often the file has each."""
        frequencies, holders = self.index.frequencies, self.index.holders
        for sign, parts in ((-1, before - after), (1, after - before)):
            for (title, body), times in parts.items():
                words = Counter(f"{title} {body}".split())
                found: Counter[str] = Counter()
                for word, stems in zip(words, stems_of(list(words)), strict=True):
                    for stem in stems:
                        found[stem] += words[word]
                for stem, count in found.items():
                    if stem in frequencies:
                        frequencies[stem] += sign * times
                    if stem in holders:
                        holders[stem][node] += sign * times * count
                        if not holders[stem][node]:
                            del holders[stem][node]

    def _parts(self, oid: str, language: str) -> Parts | None:
        """The (title, body) of each chunk of a text; None when that is not known."""
        if oid and oid not in self._counted:
            texts = self._facts.texts(oid, language)
            if texts is None:
                return None
            self._counted[oid] = Counter(texts)
        return self._counted.get(oid, Counter())

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


def _dropped(copying: Future[sqlite3.Connection | None]) -> None:
    """A copy that nobody wants any more."""
    copy = copying.result()
    if copy is not None:
        copy.close()


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
