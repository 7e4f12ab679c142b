"""What languages share whose names are known by package: which of several files is meant.

Knows directories, and that what stands nearest is meant. Knows no language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import commonpath

from ..names import Names
from ..stems import TEST_PATH
from .model import EXTERNAL, Resolution, exact, likely, parent


def nearest_of(source: str, found: Iterable[str]) -> tuple[str, ...]:
    """Those that share most directories with a file; sources do not use what only tests have."""
    if not TEST_PATH.search(source):
        found = [path for path in found if not TEST_PATH.search(path)] or found
    shared = {path: _shared(source, path) for path in found}
    most = max(shared.values(), default=0)
    return tuple(path for path, depth in shared.items() if depth == most)


def _shared(one: str, other: str) -> int:
    common = commonpath((parent(one), parent(other)))
    return common.count("/") + 1 if common else 0


def declared(names: Names, label: str, source: str, name: str) -> tuple[str, ...]:
    """The files that are meant by a full name from where a file stands; none when it is the file itself."""
    found = names.declaring(label, name) or ()
    return () if source in found else nearest_of(source, found) if len(found) > 1 else found


def beside(names: Names, label: str, directory: str, suffixes: tuple[str, ...]) -> dict[str, list[str]]:
    """Name → the files right in a directory that declare it: where too many of the tree do."""
    return names.once(_beside, label, directory, suffixes)


def _beside(names: Names, label: str, directory: str, suffixes: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for suffix in suffixes:
        for path in names.files(directory, suffix):
            for name in names.declared(path, label):
                found.setdefault(name, []).append(path)
    return found


def seen(found: tuple[str, ...], symbol: str = "") -> Resolution:
    """What an import means when names are declared: one file for certain, or several among which nothing decides."""
    return exact(*found, symbol=symbol) if len(found) == 1 else likely(found, symbol)


def only(source: str, found: tuple[str, ...], symbol: str = "") -> Resolution:
    """A use is followed when nothing else can be meant; what tests define is for tests."""
    if len(found) != 1 or (TEST_PATH.search(found[0]) and not TEST_PATH.search(source)):
        return EXTERNAL
    return exact(*found, symbol=symbol)


def outwards(name: str, joint: str) -> Iterator[tuple[str, str]]:
    """(A name and then what it lies in, the rest), longest first."""
    rest = ""
    while name:
        yield name, rest
        name, _, last = name.rpartition(joint)
        rest = f"{last}{joint}{rest}" if rest else last
