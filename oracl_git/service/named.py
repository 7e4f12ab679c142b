"""What the names that people write mean, and the texts behind them.

Knows how a written path, a directory, an old or a mistyped name becomes an artifact or an
error with a next step, and whose text answers are about. Knows no question.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator

from ..errors import UnknownPath
from ..git import Objects, open_objects
from ..graph.model import encode_path
from ..store.index import Node
from .opened import Opened

_ALIKE = 1_000  # paths of one name that are held against a mistyped one


class Named(Opened):
    """One repository whose files are asked for by name."""

    def resolve(self, name: str) -> tuple[Node, int, int]:
        """PATH or PATH#L10-40 as written here → (artifact, first line, last line; 0, 0 without)."""
        whole = self._locate(name)
        if whole is None and "#" in name:
            path, _, tail = name.rpartition("#")
            node = self._locate(path)
            if node is not None:
                return (node, *self._lines(node, tail))
        if whole is None:
            for path in self.repository_paths(name):
                if self.below(path, 1):
                    raise is_directory(name, path)
                if reason := self.index.left_out(encode_path(path)):
                    raise UnknownPath(f"{name} is left out of the graph: {reason}", f"git oracl related {name}")
            whole = self._called_now(name)
        if whole is None:
            raise self._unknown(name, "is not in the indexed commit")
        return whole, 0, 0

    def _called_now(self, name: str) -> Node | None:
        """The artifact that had this name once, where history knows of renames and nothing else has the name now."""
        top = os.fsencode(self.repo.work_tree or "")
        for path in self.repository_paths(name):
            if top and os.path.lexists(os.path.join(top, encode_path(path))):
                return None
            today = self.index.called_now(path)
            node = self.index.node(today) if today else None
            if node is not None:
                if not name.startswith(":/"):  # of a change, whose names are git's: nobody wrote them
                    self.notes.append(f"{name} is called {node.path} now")
                return node
        return None

    def _unknown(self, name: str, why: str) -> UnknownPath:
        """The error of a name that nothing has: where it went, or what is like it."""
        shown = name.removeprefix(":/")
        paths = list(self.repository_paths(name))
        if not paths and shown and "\0" not in name and self.repo.work_tree is not None:
            return UnknownPath(f"{shown} is outside of this repository", "git ls-files")
        for path in paths:
            if touched := self.index.commits_of(path, 1):
                oid = self.index.commit_lines(touched)[touched[0]][0]
                return UnknownPath(f"{shown} {why}; {oid[:7]} touched it last", f"git show --stat {oid[:7]}")
        if near := nearest(shown.rstrip("/"), (path for _, path in self.index.paths())):
            return UnknownPath(f"{shown} {why}", f"the nearest name is {near}")
        last = posixpath.basename(shown.rstrip("/"))
        hint = f"git oracl search filename:{last}" if last.strip(".:") else "git ls-files"
        return UnknownPath(f"{shown or 'an empty path'} {why}", hint)

    def _locate(self, name: str) -> Node | None:
        for path in self.repository_paths(name):
            node = self.index.node(path)
            if node is not None:
                return node
        return None

    def below(self, directory: str, limit: int = -1) -> list[tuple[int, str]]:
        """(id, path) of the artifacts of a directory, in path order; "" is the top."""
        return self.index.under(f"{directory}/" if directory else "", limit)

    def repository_paths(self, name: str) -> Iterator[str]:
        """The repository paths a written path may mean: from here, then from the root (":/x": the root only).

        "" is the top directory.
        """
        if "\0" in name or not name:  # no path has one, and the system refuses to look
            return
        if name.startswith(":/"):
            yield name[2:]
        if os.path.isabs(name):
            top = self.repo.work_tree
            if top is None:
                return
            for place in (name, os.path.realpath(name)):
                relative = os.path.relpath(place, top)
                if relative != ".." and not relative.startswith("../"):
                    yield "" if relative == "." else relative.replace(os.sep, "/")
            return
        here = posixpath.normpath(posixpath.join(self.repo.prefix, name))
        root = posixpath.normpath(name)
        for path in dict.fromkeys((here, root)):
            if path != ".." and not path.startswith("../"):
                yield "" if path == "." else path

    def _lines(self, node: Node, tail: str) -> tuple[int, int]:
        match = re.fullmatch(r"L(\d+)(?:-L?(\d+))?", tail)
        if match:
            start = int(match.group(1)[:9])
            return start, int((match.group(2) or match.group(1))[:9])
        if not tail:
            raise UnknownPath(f"{node.path}# names no lines and no definition", f"git oracl show {node.path}")
        symbol = self.index.symbol(node.id, tail)
        if symbol is None:
            raise UnknownPath(f"{node.path} defines no {tail}", f"git oracl show {node.path}")
        return symbol

    def _rows(self, node: Node) -> list[str]:
        """The lines of an artifact."""
        return rows_of(self._blob(node))

    def lines(self, node: Node, start: int, end: int) -> str:
        """Lines of an artifact as the indexed commit has them (`resolve_fragment`)."""
        return "\n".join(self._rows(node)[start - 1 : end])

    def text(self, name: str) -> str:
        """The whole text of a file, as the answers are about it."""
        return self._blob(self.resolve(name)[0]).decode("utf-8", "replace")

    def _objects(self) -> Objects:
        """The texts that the answers are about."""
        return self.uncommitted.objects() if self.uncommitted is not None else open_objects(self.repo)

    def _blob(self, node: Node) -> bytes:
        with self._objects() as objects:
            data = dict(objects.blobs([node.blob])).get(node.blob)
        if data is None:
            self.notes.append(f"the text of {node.path} is not in this clone (git fsck)")
        return data or b""


def rows_of(data: bytes) -> list[str]:
    """The lines of a text, counted as extraction counts them: at line feeds alone."""
    rows = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return rows if rows[-1] else rows[:-1]


def is_directory(name: str, path: str) -> UnknownPath:
    """The error of a name that is no file."""
    return UnknownPath(f"{name} is a directory", f"git oracl search prefix:{path}/" if path else "git ls-files")


def nearest(name: str, paths: Iterable[str]) -> str:
    """The path whose last name is most like that of a mistyped one; "" where none is, or where one is the very same."""
    from difflib import get_close_matches

    last = posixpath.basename(name)
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(posixpath.basename(path), []).append(path)
    close = [] if last in by_name else get_close_matches(last, by_name, 1, 0.75)
    return get_close_matches(name, by_name[close[0]][:_ALIKE], 1, 0)[0] if close else ""
