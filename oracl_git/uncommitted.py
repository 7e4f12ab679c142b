"""What is not committed, as one set of files: the work tree, and over it the buffers of an editor.

Knows which of them win, and when the work tree must be looked at again. Knows
how to get an index that they are laid over; knows nothing of questions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from .git import Laid, Objects, Repository, differences, ignored, laid, open_objects, read, stored
from .graph.model import decode_path, encode_path
from .inherited import THREAD, require_memory
from .store.index import Index
from .store.overlay import LaidObjects, Overlay

_REGULAR, _TYPE = 0o100000, 0o170000
_MOVED, _ENOUGH = 100, 0.5  # files that are compared, and how much of one must be the other


class Uncommitted:
    """The uncommitted files of one worktree, and the index they are laid over."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.index: Index | None = None
        self._overlay: Overlay | None = None
        self.copies = 0  # how many there were
        self._whole = False  # whether the overlay's index was at HEAD
        self._disk: dict[bytes, Laid | None] | None = None  # None: to be looked at
        self._looked: Future[dict[bytes, Laid | None]] | None = None  # that is being done
        self._typed: dict[bytes, bytes] = {}  # texts that are no files yet: see `_take`
        self._buffers: dict[bytes, Laid] = {}

    def close(self) -> None:
        """Let go of the copy of the index; the files stay known."""
        if self._overlay is not None:
            self._overlay.close()
        self._overlay = self.index = None

    @property
    def generation(self) -> int:
        """Another number when other paths are there."""
        return self._overlay.generation if self._overlay else -1

    # -- which files -------------------------------------------------------------------

    def follow(self, repo: Repository) -> None:
        """HEAD moved: everything is to be compared with another commit."""
        self.repo = repo
        self.look_again()

    def look_again(self) -> None:
        """The work tree may have changed anywhere."""
        self._disk = self._looked = None

    def look_at(self, paths: Iterable[str]) -> None:
        """These files may have changed; a directory among them: anything below."""
        wanted = [encode_path(path) for path in paths]
        if not wanted:
            return
        if self._looked is not None:  # it began before they changed
            self._see()
        if self._disk is None:
            return
        found = stored(self.repo, {raw: read(self.repo, raw) for raw in wanted})
        strange = [raw for raw in wanted if not self._knows(raw)]
        if any(found[raw] is None for raw in strange):  # a directory came or went
            self.look_again()
            return
        for raw in ignored(self.repo, strange):
            del found[raw]
        self._disk.update(found)

    def type(self, path: str, text: bytes) -> None:
        """The unsaved text of a file, unless git is to ignore it."""
        self._typed[encode_path(path)] = text

    def _take(self) -> None:
        """Make files of what was typed, now that it is known what is committed there."""
        strange = [raw for raw in self._typed if raw not in self._buffers and not self._knows(raw)]
        for raw in ignored(self.repo, strange):
            self._typed.pop(raw, None)
        typed = stored(self.repo, {raw: laid(self.repo, text, self._mode(raw)) for raw, text in self._typed.items()})
        self._buffers.update((raw, entry) for raw, entry in typed.items() if entry)
        self._typed.clear()

    def _knows(self, raw: bytes) -> bool:
        """Whether a path is tracked or laid."""
        return (self._disk is not None and raw in self._disk) or (self.index is not None and self.index.has(raw))

    def forget(self, path: str) -> None:
        """The buffer is gone; what lies on disk counts."""
        raw = encode_path(path)
        self._typed.pop(raw, None)
        if self._buffers.pop(raw, None) is not None:
            self.look_at([path])

    def _mode(self, raw: bytes) -> int:
        known = self._disk.get(raw) if self._disk else None
        if known is None and self.index is not None:
            node = self.index.node(decode_path(raw))
            return node.mode if node and node.mode & _TYPE == _REGULAR else _REGULAR | 0o644
        return known.mode if known else _REGULAR | 0o644

    def files(self) -> dict[bytes, Laid | None]:
        """Path → what lies there now; None: it was deleted."""
        disk = self._see() if self._disk is None else self._disk
        self._take()
        return {**disk, **self._buffers}

    def look_meanwhile(self) -> None:
        """Begin to look at the work tree, if it is to be looked at: git takes as long as other work that is due."""
        if self._disk is None:
            self.look_anew()

    def look_anew(self) -> None:
        """Begin to look at the work tree; what was seen before counts until it `has_looked`."""
        if self._looked is None:
            require_memory(THREAD)
            pool = ThreadPoolExecutor(1)
            self._looked = pool.submit(self._look)
            pool.shutdown(wait=False)

    def has_looked(self) -> None:
        """Between two questions: take what a look that has ended saw."""
        if self._looked is not None and self._looked.done():
            self._see()

    def _see(self) -> dict[bytes, Laid | None]:
        looked, self._looked, self._disk = self._looked, None, None
        self._disk = looked.result() if looked else self._look()
        return self._disk

    def _look(self) -> dict[bytes, Laid | None]:
        return stored(self.repo, {path: read(self.repo, path) for path in differences(self.repo)})

    def count(self) -> int:
        """How many files differ from HEAD on disk."""
        return len(self._disk or ())

    def text(self, path: str) -> bytes | None:
        """The text of a file as it is now: its buffer, else the work tree's."""
        raw = encode_path(path)
        found = self._buffers.get(raw) or read(self.repo, raw)
        return found.data if found else None

    def renames(self) -> dict[str, str]:
        """Old path → new one, of files that were moved and not committed: the same text, or most of its lines."""
        if self._overlay is None:
            return {}
        files, committed = self.files(), self._overlay.committed
        gone = {raw: committed[raw][1] for raw, entry in files.items() if entry is None and committed[raw][1]}
        came = {raw: entry for raw, entry in files.items() if entry and entry.data and not committed[raw][0]}
        found = {}
        same: dict[tuple[str, bytes], bytes] = {}  # (text, name) → the last path that has both
        for other, entry in came.items():
            same[entry.oid, os.path.basename(other)] = max(other, same.get((entry.oid, os.path.basename(other)), b""))
        for raw, oid in list(gone.items()):
            if moved := same.get((oid, os.path.basename(raw))):
                found[decode_path(raw)] = decode_path(moved)
                del gone[raw]
                came.pop(moved, None)
        by_suffix: dict[bytes, list[tuple[bytes, Laid]]] = {}
        for other, entry in came.items():
            by_suffix.setdefault(other.rpartition(b".")[2], []).append((other, entry))
        texts: dict[str, set[bytes]] = {}
        if gone and came:
            with open_objects(self.repo) as objects:
                for oid, data in objects.blobs(list(gone.values())[:_MOVED]):
                    texts[oid] = set((data or b"").split(b"\n"))
        for raw, oid in list(gone.items())[:_MOVED]:
            scores = [
                (_alike(texts.get(oid, set()), entry), other)
                for other, entry in by_suffix.get(raw.rpartition(b".")[2], [])[:_MOVED]
            ]
            score, other = max(scores, default=(0.0, b""))
            if score >= _ENOUGH:
                found[decode_path(raw)] = decode_path(other)
        return found

    # -- the index under them ------------------------------------------------------------

    def follows(self, head: bool = True) -> bool:
        """Whether what we lie over is still the index; `head`: and of HEAD."""
        overlay = self._overlay
        if overlay is None or not overlay.follows():
            return False
        return not head or (self._whole and overlay.index.commit == self.repo.head)

    def start(self, base: Index, whole: bool) -> None:
        """Lie over an index, which is ours to close from here on; `whole`: it is at HEAD."""
        self._overlay, self._whole = Overlay(self.repo, base), whole
        self.copies += 1
        self.index = self._overlay.index

    def lay(self) -> Index:
        """The index with everything laid over it."""
        assert self._overlay is not None, "start comes first"
        self.index = self._overlay.lay(self.files())
        return self.index

    def copy_meanwhile(self) -> None:
        """Begin to make the copy that the first difference will need."""
        if self._overlay is not None:
            self._overlay.copy_meanwhile()

    def interrupt(self, when: Callable[[], bool] | None, ticks: int) -> None:
        """Give up a query when told so, asked every so many steps of SQLite; None: never."""
        if self.index is not None:
            self.index.db.set_progress_handler(when, ticks)

    def objects(self) -> Objects:
        """The texts of that index."""
        return LaidObjects(self.repo, self.files()) if self.index is not None else open_objects(self.repo)


def _alike(lines: set[bytes], entry: Laid) -> float:
    """The share of lines that two texts have in common."""
    others = set(entry.data.split(b"\n"))
    return len(lines & others) / max(1, len(lines), len(others))
