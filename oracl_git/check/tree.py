"""The paths of one side, and the questions that links and imports ask of them.

Knows sets of paths. As much of `graph.names.Names` as the resolution of a
module needs; knows nothing of contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from ..graph.names import Candidates, Names, T, Ts, is_python, top_levels


class Tree:
    """One side's paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = frozenset(paths)
        self._memo: dict[tuple[Any, ...], Any] = {}

    def exists(self, path: str) -> bool:
        return path in self.paths

    def is_directory(self, path: str) -> bool:
        """Whether any file lies below."""
        return path in self._directories

    @cached_property
    def _directories(self) -> frozenset[str]:
        found = set()
        for path in self.paths:
            while path := path.rpartition("/")[0]:
                if path in found:
                    break
                found.add(path)
        return frozenset(found)

    @cached_property
    def stems(self) -> dict[str, list[str]]:
        """Path without its suffixes → the files that have it: mod.py, mod.pyx, mod.c."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            directory, slash, name = path.rpartition("/")
            found.setdefault(f"{directory}{slash}{name.partition('.')[0]}", []).append(path)
        return found

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """Last part of a stem → the stems that end in it."""
        found: dict[str, list[str]] = {}
        for stem in self.stems:
            found.setdefault(stem.rpartition("/")[2], []).append(stem)
        return found

    def has_stem(self, tail: str) -> bool:
        """Whether the stem of any file is, or ends in, so many parts."""
        return any(stem == tail or stem.endswith(f"/{tail}") for stem in self._named.get(tail.rpartition("/")[2], ()))

    def has_below(self, tail: str) -> bool:
        """Whether any file has a path that ends in so many parts, and more before them."""
        stems = self._named.get(tail.rpartition("/")[2].partition(".")[0], ())
        return any(path.endswith(f"/{tail}") for stem in stems for path in self.stems[stem])

    @cached_property
    def _python(self) -> tuple[dict[str, set[str]], set[str]]:
        roots: dict[str, set[str]] = {}
        directories = set()
        for path in self.paths:
            if is_python(path):
                for top, root in top_levels(path):
                    roots.setdefault(top, set()).add(root)
                while path := path.rpartition("/")[0]:
                    if path in directories:
                        break
                    directories.add(path)
        return roots, directories

    def roots(self, top: str) -> tuple[str, ...]:
        return tuple(sorted(self._python[0].get(top, ())))

    def python_under(self, directory: str) -> bool:
        return directory in self._python[1]

    def once(self, ask: Callable[[Names, *Ts], T], *args: *Ts) -> T:
        if (ask, *args) not in self._memo:
            self._memo[(ask, *args)] = ask(self, *args)
        result: T = self._memo[(ask, *args)]
        return result

    # The rest of Names: modules are found without it.

    def named(self, suffix: str) -> Candidates:
        return None

    def implementations(self, stem: str) -> Candidates:
        return None

    def export(self, path: str, name: str) -> tuple[str, str] | None:
        return None

    def stars(self, path: str) -> tuple[str, ...]:
        return ()

    def placeholder(self, path: str) -> bool:
        return False

    def symbols(self, name: str) -> Candidates:
        return None

    def matching(self, pattern: str) -> tuple[str, ...]:
        return ()

    def files(self, directory: str, suffix: str) -> tuple[str, ...]:
        return ()

    def below(self, directory: str, name: str) -> tuple[str, ...]:
        return ()

    def members(self, path: str) -> frozenset[str]:
        return frozenset()

    def declared(self, path: str, label: str) -> tuple[str, ...]:
        return ()

    def declaring(self, label: str, value: str) -> Candidates:
        return None
