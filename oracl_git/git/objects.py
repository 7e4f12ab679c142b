"""What a commit holds: trees, the paths in them, and the bytes of their blobs.

Knows two ways to read git's objects, behind one interface that gives the same
answers: git's plumbing (here) and libgit2 (in libgit2.py). Neither fetches,
runs a filter, follows a symlink, looks at the index or at the work tree.
Knows nothing of history, nor of what the bytes mean.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from oracl_git.errors import GitFailed, MissingObjects, UsageError
from oracl_git.git.run import Stream, attempt, failure, is_partial, object_directory, refill

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from oracl_git.git.repository import Repository

SYMLINK = 0o120000
GITLINK = 0o160000  # a submodule: a commit of another repository, so no blob here

# One process reads this many objects: few enough that their names are nothing,
# enough that starting it is nothing either.
BATCH = 20_000


class Entry(NamedTuple):
    """One leaf of a tree: a file, a symlink or a submodule."""

    path: bytes
    mode: int
    oid: str


class Change(NamedTuple):
    """One leaf that differs between two trees. An absent side is mode 0 and oid ""."""

    path: bytes
    old_mode: int
    old_oid: str
    new_mode: int
    new_oid: str


class Objects(Protocol):
    """The object store of one repository."""

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""

    def entries(self, tree: str) -> Iterator[Entry]:
        """All leaves of a tree, in git's order."""

    def changes(self, old_tree: str | None, new_tree: str) -> Iterator[Change]:
        """The leaves that differ, in git's order; None is the empty tree. A file that
        became a directory is one deletion and the additions below it."""

    def sizes(self, oids: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        """The size of each object, in the order asked; None if it is not in this clone."""

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The bytes of each blob, in the order asked, one in memory at a time; None if
        it is not in this clone or not a blob."""

    def close(self) -> None:
        """Let go of files and processes."""

    def __enter__(self) -> Objects: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class GitObjects:
    """Objects as git's plumbing reads them: every object format, ref format and pack there is."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._env: dict[str, str] = {}
        store = object_directory(repo)
        if is_partial(repo) or os.path.exists(os.path.join(store, "info", "alternates")):
            view = _view(repo)
            self._env = {"GIT_DIR": view, "GIT_COMMON_DIR": view, "GIT_OBJECT_DIRECTORY": store}

    def tree_of(self, commit: str) -> str:
        question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")
        code, out, err = attempt(self._repo, *question, env=self._env)
        if code not in (0, _NO):
            raise failure(self._repo, question, code, err)
        if code:
            raise MissingObjects(f"commit {commit}, or its tree, is not in this clone", refill(self._repo))
        return out.decode("ascii").strip()

    def entries(self, tree: str) -> Iterator[Entry]:
        with Stream(self._repo, "ls-tree", "-r", "-z", "--full-tree", tree, env=self._env) as stream:
            for record in stream.records():
                head, _, path = record.partition(b"\t")
                mode, _, oid = head.split(b" ")
                yield Entry(path, int(mode, 8), oid.decode("ascii"))
            stream.finish()

    def changes(self, old_tree: str | None, new_tree: str) -> Iterator[Change]:
        if old_tree is None:
            for entry in self.entries(new_tree):
                yield Change(entry.path, 0, "", entry.mode, entry.oid)
            return
        # A .gitmodules may ask that a submodule's changes be ignored; we do not.
        options = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none")
        with Stream(self._repo, "diff-tree", *options, *_NO_PROGRAMS, old_tree, new_tree, env=self._env) as stream:
            records = stream.records()
            for record in records:
                path = next(records, None)
                if path is None:
                    break
                old, new, old_oid, new_oid, _ = record[1:].decode("ascii").split(" ")
                old_mode, new_mode = int(old, 8), int(new, 8)
                yield Change(path, old_mode, old_oid if old_mode else "", new_mode, new_oid if new_mode else "")
            stream.finish()

    def sizes(self, oids: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        for batch in _batches(oids):
            with Stream(self._repo, "cat-file", "--batch-check", "--buffer", input=_lines(batch), env=self._env) as cat:
                for oid in batch:
                    found = _answer(cat.stdout.readline())
                    if found is None:
                        raise cat.failed()
                    yield oid, found[1]
                cat.finish()

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for batch in _batches(oids):
            with Stream(self._repo, "cat-file", "--batch", "--buffer", input=_lines(batch), env=self._env) as cat:
                for oid in batch:
                    found = _answer(cat.stdout.readline())
                    if found is None:
                        raise cat.failed()
                    kind, size = found
                    if size is None:
                        yield oid, None
                        continue
                    data = cat.stdout.read(size)
                    if len(data) < size or cat.stdout.read(1) != b"\n":
                        raise cat.failed()
                    yield oid, data if kind == b"blob" else None
                cat.finish()

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> GitObjects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_NO = 1  # "it does not name anything here", when git is to be quiet about that
_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")


def _view(repo: Repository) -> str:
    """An empty repository to read this one's objects through; it is part of the package, and nothing is left of it.

    In a partial clone git does not answer "missing": it fetches, or, told not
    to, dies. Only the config says whom to fetch from, so here there is none.
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "views", repo.object_format)


def _batches(oids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(oids)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _lines(oids: list[str]) -> bytes:
    for oid in oids:
        if not oid.isalnum():
            raise ValueError(f"not an object id: {oid!r}")
    return "".join([f"{oid}\n" for oid in oids]).encode("ascii")


def _answer(line: bytes) -> tuple[bytes, int | None] | None:
    """Kind and size from `OID KIND SIZE` or `OID missing`; None if git stopped talking."""
    words = line.split()
    if len(words) == 3:
        return words[1], int(words[2])
    return (b"missing", None) if len(words) == 2 and words[1] == b"missing" else None


def open_objects(repo: Repository, backend: str = "auto") -> Objects:
    """The object store of a repository, through "git", "pygit2" or "auto".

    ORACL_BACKEND in the environment has the last word. "auto" is git, because it
    was measured to be: whole process, CPU time with children and imports, git
    2.39 / pygit2 1.21, sphinx (2,059 files, 23 MB) and pytest (680 files, 7 MB):

        all paths and blobs of HEAD        git takes 0.9 and 0.8 of pygit2's CPU, 0.8 and 0.7 of its wall time
        one commit's changes and blobs     git takes 0.6 and 0.7 of pygit2's CPU, 0.5 and 0.6 of its wall time

    Importing pygit2 is most of the difference, so a process that lives long and
    reads a little at a time may still ask for it. It reads SHA-1 only, and not
    the object directories that git names in a hook's environment during a push.
    """
    name = os.environ.get("ORACL_BACKEND") or backend
    if name in ("auto", "git"):
        return GitObjects(repo)
    if name == "pygit2":
        from oracl_git.git.libgit2 import Pygit2Objects

        if repo.object_format != "sha1":
            raise GitFailed(f"libgit2 cannot read a {repo.object_format} repository", "unset ORACL_BACKEND")
        return Pygit2Objects(repo)
    raise UsageError(f"no object back-end is called {name!r}", "choose git, pygit2 or auto")
