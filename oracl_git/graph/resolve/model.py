"""What resolving gives, and the ways of looking that families share.

Knows paths, candidates and manifests by their names. Knows no language.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from posixpath import normpath
from typing import NamedTuple

from ..globs import matches
from ..names import Candidates, Names
from ..names import place as split_path
from ..parameters import EXACT, FEW, PATTERN_CAP, UNIQUE_SUFFIX


class Target(NamedTuple):
    """A file an import leads to, the symbol in it ("" = all of it), and κ as a fraction."""

    path: str
    symbol: str
    confidence: tuple[int, int]


class Resolution(NamedTuple):
    """The targets of one reference, and how they were found: exact | suffix | ambiguous | unresolved | external."""

    targets: tuple[Target, ...]
    how: str


_WILD = frozenset("*?")
EXTERNAL = Resolution((), "external")
UNRESOLVED = Resolution((), "unresolved")


def exact(*paths: str, symbol: str = "") -> Resolution:
    """Files that are certainly meant."""
    return Resolution(tuple(Target(path, symbol, EXACT) for path in paths), "exact")


def likely(found: Candidates, symbol: str = "", missing: Resolution = EXTERNAL) -> Resolution:
    """Files that look like what is meant: one, or a few among which nothing decides."""
    if not found:
        return missing
    if len(found) == 1:
        return Resolution((Target(found[0], symbol, UNIQUE_SUFFIX),), "suffix")
    return Resolution(tuple(Target(path, symbol, (1, len(found))) for path in found), "ambiguous")


def parent(path: str) -> str:
    """The directory of a path; "" at the top."""
    return path.rpartition("/")[0]


def join(directory: str, name: str) -> str:
    """A path below a directory."""
    return f"{directory}/{name}" if directory and name else directory or name


def inside(directory: str, target: str) -> str | None:
    """A path written relative to a directory, normalised ("" for the top); None when it leaves the tree."""
    joined = normpath(f"{directory}/{target}" if directory else target)
    if joined == ".":
        return ""
    return None if joined.startswith(("..", "/")) else joined


def above(path: str) -> Iterator[str]:
    """The directories a path lies in, nearest first, "" last."""
    while path:
        path = parent(path)
        yield path


def spread(names: Names, pattern: str) -> tuple[str, ...]:
    """The files a pattern takes in (`*` within a segment, `**` across them); the first ones, when they are many."""
    *folders, name = pattern.split("/")
    head = list(takewhile(lambda segment: not _WILD.intersection(segment), folders))
    found = names.below("/".join(head), "" if _WILD.intersection(name) else name)
    return tuple(islice((path for path in found if matches(f"/{pattern}", path)), PATTERN_CAP))


def listed(names: Names, pattern: str) -> tuple[str, ...]:
    """The files that a pattern takes in; when its last segment alone is one, of any suffix, only a few."""
    directory, suffix = split_path(pattern)
    if pattern.endswith("/*") and _WILD.isdisjoint(directory):
        found = names.once(_right_in, directory)
        return found if len(found) <= FEW else ()
    if not _WILD.isdisjoint(suffix) or not (suffix or _WILD.isdisjoint(pattern.rpartition("/")[2])):
        return ()
    if not _WILD.isdisjoint(directory):
        return spread(names, pattern)
    return tuple(path for path in names.files(directory, suffix) if matches(f"/{pattern}", path))


def _right_in(names: Names, directory: str) -> tuple[str, ...]:
    return tuple(islice((path for path in names.below(directory, "") if parent(path) == directory), FEW + 1))


def nearest(names: Names, source: str, *manifests: str) -> str | None:
    """The closest of some manifests in a directory at or above that of a file."""
    return names.once(_nearest, parent(source), manifests)


def _nearest(names: Names, directory: str, manifests: tuple[str, ...]) -> str | None:
    for place in (directory, *above(directory)) if directory else ("",):
        for name in manifests:
            path = join(place, name)
            if names.exists(path):
                return path
    return None


def first(names: Names, stem: str, suffixes: tuple[str, ...]) -> str | None:
    """The first file there is of a stem with some suffixes."""
    return next((stem + suffix for suffix in suffixes if names.exists(stem + suffix)), None)
