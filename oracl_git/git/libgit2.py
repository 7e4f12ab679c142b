"""Objects read through libgit2, in this process.

Knows how to read trees and blobs with pygit2, and is the only module that
imports it. Reads raw tree objects, so that paths stay bytes and the answers are
those of git's plumbing. Knows nothing of SHA-256, nor of the object directories
a hook may name in its environment: see objects.open_objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracl_git.errors import GitFailed, MissingObjects, shortage
from oracl_git.git.objects import Change, Entry
from oracl_git.git.run import refill

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from oracl_git.git.repository import Repository

    Leaf = tuple[int, str]  # mode, oid
    Pair = tuple[bytes, Leaf | None, Leaf | None]

_TREE = 0o040000
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # exists everywhere, stored nowhere


class Pygit2Objects:
    """Objects as libgit2 reads them."""

    def __init__(self, repo: Repository) -> None:
        import pygit2

        self._repo = repo
        self._pygit2 = pygit2
        try:
            self._handle = pygit2.Repository(repo.git_dir)
        except pygit2.GitError as error:
            raise GitFailed(f"libgit2 cannot open this repository ({error})", "unset ORACL_BACKEND") from error
        self._odb = self._handle.odb
        self._blob = pygit2.enums.ObjectType.BLOB

    def tree_of(self, commit: str) -> str:
        try:
            return str(self._handle.revparse_single(commit).peel(self._pygit2.Tree).id)
        except (KeyError, ValueError, self._pygit2.GitError) as error:
            if short := shortage(error):
                raise short from error
            raise self._missing(f"commit {commit}, or its tree,") from None

    def entries(self, tree: str) -> Iterator[Entry]:
        stack = [(b"", iter(self._tree(tree)))]  # a stack, not recursion: trees can be deeper than Python
        while stack:
            prefix, leaves = stack[-1]
            for name, mode, oid in leaves:
                if mode == _TREE:
                    stack.append((prefix + name + b"/", iter(self._tree(oid))))
                    break
                yield Entry(prefix + name, mode, oid)
            else:
                stack.pop()

    def changes(self, old_tree: str | None, new_tree: str) -> Iterator[Change]:
        stack = [(b"", self._pairs(old_tree, new_tree))]
        while stack:
            prefix, pairs = stack[-1]
            for name, old, new in pairs:
                if old == new:
                    continue
                old_mode, old_oid = old or (0, "")
                new_mode, new_oid = new or (0, "")
                if old_mode == _TREE or new_mode == _TREE:
                    stack.append((prefix + name + b"/", self._pairs(old_oid or None, new_oid or None)))
                    break
                yield Change(prefix + name, old_mode, old_oid, new_mode, new_oid)
            else:
                stack.pop()

    def sizes(self, oids: Iterable[str]) -> Iterator[tuple[str, int | None]]:
        for oid in oids:
            try:
                size = self._odb.read_header(oid)[1]
            except KeyError:
                yield oid, None
            except self._pygit2.GitError as error:
                raise shortage(error) or GitFailed(f"object {oid} cannot be read ({error})", "git fsck") from error
            else:
                yield oid, size

    def blobs(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        for oid in oids:
            try:
                kind, data = self._odb.read(oid)
            except KeyError:
                yield oid, None
            except self._pygit2.GitError as error:
                raise shortage(error) or GitFailed(f"object {oid} cannot be read ({error})", "git fsck") from error
            else:
                yield oid, data if kind == self._blob else None

    def close(self) -> None:
        self._handle.free()

    def __enter__(self) -> Pygit2Objects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _pairs(self, old: str | None, new: str | None) -> Iterator[Pair]:
        """Both sides of two trees by name, in git's order. A file and a directory of
        the same name are two names, since git sorts a directory as `name/`."""
        sides = [
            {name + b"/" if mode == _TREE else name: (name, (mode, oid)) for name, mode, oid in self._tree(tree)}
            for tree in (old, new)
        ]
        for key in sorted(sides[0].keys() | sides[1].keys()):
            before, after = sides[0].get(key), sides[1].get(key)
            either = before or after
            assert either is not None
            yield either[0], before and before[1], after and after[1]

    def _tree(self, oid: str | None) -> list[tuple[bytes, int, str]]:
        """The entries of one tree object."""
        if oid is None or oid == _EMPTY_TREE:
            return []
        try:
            kind, data = self._odb.read(oid)
        except (KeyError, self._pygit2.GitError) as error:
            if short := shortage(error):
                raise short from error
            raise self._missing(f"tree {oid}") from None
        if kind != self._pygit2.enums.ObjectType.TREE:
            raise self._missing(f"tree {oid}")
        found = []
        at, end = 0, len(data)
        while at < end:
            space = data.index(b" ", at)
            nul = data.index(b"\0", space)
            at_next = nul + 21
            found.append((data[space + 1 : nul], _canonical(int(data[at:space], 8)), data[nul + 1 : at_next].hex()))
            at = at_next
        return found

    def _missing(self, what: str) -> MissingObjects:
        return MissingObjects(f"{what} is not in this clone", refill(self._repo))


def _canonical(mode: int) -> int:
    """The mode git takes an entry for; old tools wrote others (100664)."""
    kind = mode & 0o170000
    if kind == 0o100000:
        return 0o100755 if mode & 0o100 else 0o100644
    if kind in (0o120000, _TREE):
        return kind
    return 0o160000
