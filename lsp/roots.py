"""Repositories of the workspace, each with a thread of its own that asks for us.

Knows which repository a URI belongs to; that questions to one are asked in
order, each on one snapshot of index, work tree and buffers; how one is
cancelled while it runs, or passed over when nobody wants it any more. Knows
nothing of the protocol but its URIs.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from oracl_git.errors import NoIndex, NotARepository, OraclError
from oracl_git.service import Oracl

from .ahead import Ahead
from .uris import Refused, to_path, to_uri

T = TypeVar("T")
BUDGET = 0.5  # seconds a question may spend on bringing the index up to date; past it a process of its own does
_LOOK = 5.0  # seconds after which the work tree may have changed, where nobody tells
_TICKS = 2_000  # SQLite instructions between two looks at the flag


class Cancelled(Exception):
    """The question was withdrawn."""


class Stale(Exception):
    """The buffer that was asked about has changed."""


class Indexing(OraclError):
    """There is no index yet; one is being made."""


@dataclass(frozen=True)
class Place:
    """A file of a repository of the workspace."""

    root: Root
    path: str  # in the repository

    @property
    def name(self) -> str:
        """The path as the service takes it: from the top, whatever it looks like."""
        return ":/" + self.path


class Root:
    """One repository, as seen from one folder of the workspace."""

    def __init__(
        self, top: str, folder: str, wanted: Callable[[Root], None], watched: Callable[[], float], ahead: Ahead | None
    ) -> None:
        self.top = top  # real path of the work tree
        self.folder = folder  # as the client writes it
        self.indexing = False
        self.percent: int | None = None
        self.message = ""
        self._wanted = wanted  # called, in our thread, when an index has to be made
        self._watched = watched  # since when the client tells of changed files
        self._looked = -math.inf
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="oracl")
        self._lock = threading.Lock()
        self._typed: dict[str, str | None] = {}  # what the thread does not know yet
        self._saved: set[str] = set()
        self._look = False
        self._running: set[threading.Event] = set()
        self._oracl: Oracl | None = None  # the thread's
        if ahead is not None:
            self._oracl, self._looked = ahead.oracl, ahead.since
        self.closed = False

    # -- from the event loop -----------------------------------------------------------

    def type(self, path: str, text: str | None) -> None:
        """The text of a buffer; None: it was closed."""
        with self._lock:
            self._typed[path] = text

    def saved(self, path: str) -> None:
        """A file was written, made or removed."""
        with self._lock:
            self._saved.add(path)

    def look_again(self) -> None:
        """Files may have changed anywhere."""
        with self._lock:
            self._look = True

    def uri(self, path: str) -> str:
        """The URI of a file as the client would write it."""
        full = os.path.join(os.fsencode(self.top), path.encode("utf-8", "surrogateescape"))
        real = os.fsencode(os.path.realpath(self.folder))
        if full.startswith(real + b"/") and self.folder != os.fsdecode(real):
            full = os.fsencode(self.folder) + full[len(real) :]
        return to_uri(os.fsdecode(full))

    async def ask(self, question: Callable[[Oracl], T], stale: Callable[[], bool] | None = None) -> T:
        """The answer, from the thread. Raises Cancelled, Stale, OraclError."""
        if self.closed:
            raise OraclError("the folder was removed from the workspace", "add it again, then ask")
        flag = threading.Event()
        self._running.add(flag)
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._answer, question, flag, stale)

        def ended(done: asyncio.Future[T]) -> None:
            self._running.discard(flag)
            if not done.cancelled():
                done.exception()  # seen, though nobody may wait for it any more

        future.add_done_callback(ended)
        try:
            answer = await asyncio.shield(future)
        except asyncio.CancelledError:
            flag.set()
            raise
        if stale is not None and stale():
            raise Stale
        return answer

    def close(self) -> None:
        """Stop what runs; the thread ends by itself."""
        self.closed = True
        for flag in list(self._running):
            flag.set()
        self._pool.submit(self._let_go)
        self._pool.shutdown(wait=False)

    # -- in the thread -----------------------------------------------------------------

    def _answer(self, question: Callable[[Oracl], T], flag: threading.Event, stale: Callable[[], bool] | None) -> T:
        if flag.is_set():
            raise Cancelled
        if stale is not None and stale():
            raise Stale
        try:
            oracl = self._snapshot(flag)
            return question(oracl)
        except NotARepository:
            self._let_go()
            raise
        except OraclError:
            if flag.is_set():
                raise Cancelled from None
            raise
        finally:
            self._watch(None)

    def _snapshot(self, flag: threading.Event) -> Oracl:
        """Everything as it is now; the index is not moved again before the next question."""
        oracl = self._oracl
        if oracl is None:
            oracl = self._oracl = Oracl.at(self.top, worktree=True)
        oracl.budget, oracl.log, oracl.build = BUDGET, False, False
        oracl.notes.clear()
        oracl.follow()
        self._tell(oracl)
        def stop(step: str, done: int, total: int) -> None:
            if flag.is_set():
                raise Cancelled

        try:
            oracl.fresh(update=not self.indexing, progress=stop)
        except NoIndex:
            self._wanted(self)
            name = os.path.basename(self.top)
            raise Indexing(f"the index of {name} is being made", "ask again in a moment") from None
        if any("behind HEAD" in note or "not at HEAD" in note for note in oracl.notes):
            self._wanted(self)
        self._watch(flag)
        return oracl

    def _tell(self, oracl: Oracl) -> None:
        """Hand over what was typed and saved since."""
        with self._lock:
            typed, saved, look = self._typed, self._saved, self._look
            self._typed, self._saved, self._look = {}, set(), False
        uncommitted = oracl.uncommitted
        assert uncommitted is not None, "opened with the work tree"
        uncommitted.has_looked()
        age = time.monotonic() - self._looked
        due = self._looked <= self._watched() and age > _LOOK
        if look or due:
            self._looked = time.monotonic()
        if look or (due and age > 2 * _LOOK):
            uncommitted.look_again()
        else:
            uncommitted.look_at(saved)
            if due:  # questions come one after the other: this one need not wait
                uncommitted.look_anew()
        for path, text in typed.items():
            if text is None:
                uncommitted.forget(path)
            else:
                uncommitted.type(path, text.encode("utf-8", "surrogatepass"))

    def _watch(self, flag: threading.Event | None) -> None:
        """Let SQLite look at the flag while it works."""
        if self._oracl is not None and self._oracl.uncommitted is not None:
            self._oracl.uncommitted.interrupt(flag.is_set if flag else None, _TICKS)

    def _let_go(self) -> None:
        if self._oracl is not None:
            self._oracl.close()
            self._oracl = None


class Roots:
    """The repositories of all folders."""

    def __init__(self, wanted: Callable[[Root], None], watched: Callable[[], float], ahead: Ahead | None) -> None:
        self._wanted, self._watched, self._ahead = wanted, watched, ahead
        self._folders: dict[str, str] = {}  # real path → as the client writes it
        self._roots: dict[str, Root] = {}  # top → root
        self._tops: dict[str, tuple[str, float]] = {}  # directory → (the top of its repository, or "", since when)
        self.alone = False  # no folder is open: then an open file may lie anywhere

    def all(self) -> list[Root]:
        """Every repository that is known, in the order of its top."""
        return [self._roots[top] for top in sorted(self._roots)]

    def add(self, uri: str) -> Root | None:
        """A folder of the workspace; its repository, if it lies in one."""
        try:
            path = to_path(uri)
        except Refused:
            return None
        path = path.rstrip("/") or "/"
        self._folders[os.path.realpath(path)] = path
        self._tops.clear()  # what lay in no folder may lie in one now
        return self._at(os.path.realpath(path), path)

    def remove(self, uri: str) -> None:
        """A folder is gone, with the repositories that lie in no other."""
        try:
            real = os.path.realpath(to_path(uri))
        except Refused:
            return
        self._folders.pop(real, None)
        self._tops.clear()
        for top, root in list(self._roots.items()):
            if os.path.realpath(root.folder) == real:
                root.close()
                del self._roots[top]
        for other, folder in self._folders.items():  # another may lie in the same repository
            self._at(other, folder)

    def close(self) -> None:
        """Let go of all of them."""
        for root in self._roots.values():
            root.close()

    def locate(self, uri: str, is_open: bool = False, touched: bool = False) -> Place:
        """The file of a repository that a URI names. Raises Refused.

        `is_open`: it is a buffer; `touched`: it may have gone with its directory.
        """
        path = to_path(uri)
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if os.path.islink(real):
            real = os.path.realpath(real)
        folder = self._folder_of(real)
        if folder is None and self.alone and is_open:
            folder = os.path.dirname(path)
        if folder is None:
            raise Refused("a file outside the workspace is not answered")
        directory = os.path.dirname(real)
        while (is_open or touched) and not os.path.isdir(directory) and directory != os.path.dirname(directory):
            directory = os.path.dirname(directory)  # it is made when the buffer is saved
        root = self._at(directory, folder)
        if root is None:
            raise Refused("the file lies in no git repository")
        inside = os.fsencode(real)[len(os.fsencode(root.top)) + 1 :].replace(os.fsencode(os.sep), b"/")
        if not inside or b".git" in inside.lower().split(b"/"):
            raise Refused("that is no file of the repository")
        return Place(root, inside.decode("utf-8", "surrogateescape"))

    def root_of(self, uri: str) -> Root:
        """The repository of a folder or file. Raises Refused."""
        real = os.path.realpath(to_path(uri))
        folder = self._folder_of(real)
        root = self._at(real if os.path.isdir(real) else os.path.dirname(real), folder) if folder else None
        if root is None:
            raise Refused("that lies in no git repository of the workspace")
        return root

    def _folder_of(self, real: str) -> str | None:
        """The innermost folder that holds a path, as the client writes it."""
        best = ""
        for folder in self._folders:
            if (real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)) and len(folder) >= len(best):
                best = folder
        return self._folders[best] if best else None

    def _at(self, directory: str, folder: str) -> Root | None:
        """The repository of a directory, found once; where there is none, it is looked for again after a while."""
        top, since = self._tops.get(directory, ("", -math.inf))
        if not top and time.monotonic() - since > _LOOK:
            try:
                top = Oracl.at(directory).repo.work_tree or ""
            except OraclError:
                top = ""
            self._tops[directory] = top, time.monotonic()
        if not top:
            return None
        if top not in self._roots:
            ahead = self._ahead if self._ahead and self._ahead.oracl.repo.work_tree == top else None
            self._roots[top] = Root(top, folder, self._wanted, self._watched, ahead)
            if ahead is not None:
                self._ahead = None  # once: a root that is made again looks again
        return self._roots[top]
