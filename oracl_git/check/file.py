"""One file as it stands now: its references that lead nowhere, whoever broke them.

Knows how the rules for a change (links.py, imports.py) are asked of a file that
is being edited: before is every path there ever was, after is what is there.
Pure: paths and texts are given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from . import imports, links, python, rules
from .model import Finding
from .tree import Tree

_MANY = 1_024  # modules whose names are kept


@dataclass
class Standing:
    """What the files of a repository are judged by, until other paths are there."""

    now: Tree
    ever: Tree
    renamed: dict[str, str]  # old path → today's
    read: imports.Read
    ignored: Callable[[list[str]], set[str]]  # those that are made, or lie beside the repository's files
    settings: bytes = b""  # oracl.toml
    _modules: dict[bytes, python.Module | None] = field(default_factory=dict)

    def findings(self, path: str, mode: int, data: bytes) -> list[Finding]:
        """What is wrong with a file, by line; what is silenced is left out."""
        found: list[Finding] = []
        source = {path: (path, mode, data)}
        found += links.broken(self.ever, self.now, source, self.renamed, self.ignored)
        told = {finding[:2] for finding in found}
        found += [each for each in links.dangling(self.now, source, self.ignored) if each[:2] not in told]
        if path.endswith(".py"):
            side = imports.Side(self.now, lambda other: data if other == path else self.read(other), self._module)
            found += imports.failing(side, self.ever, path, self.renamed, self.ignored)
        python.forget()
        return self._told(found, data)

    def _module(self, path: str) -> python.Module | None:
        """What a Python file binds; kept by its text."""
        data = self.read(path)
        if data is None:
            return None
        import hashlib

        name = hashlib.sha1(data).digest()
        if name not in self._modules:
            if len(self._modules) >= _MANY:
                self._modules.clear()
            self._modules[name] = python.read(data)
        return self._modules[name]

    def _told(self, found: Iterable[Finding], data: bytes) -> list[Finding]:
        ignored, rows = rules.Ignored(self.settings), data.split(b"\n")
        told = {each[:4]: each for each in found if not ignored.covers(each) and not rules.silenced(each, rows)}
        return sorted(told.values(), key=lambda each: (each.line, each.code, each.message))
