"""Names that are known by their package or namespace rather than by a file.

Knows which package each definition of a file is in, and declares it for those that
use it elsewhere: under LABEL the full name of each definition that others can name,
under "LABEL package" the packages themselves. Knows no language.
"""

from __future__ import annotations

from collections.abc import Collection

from .facts import Definition
from .source import Source
from .syntax import Package, Packaged


class Place(Package):
    """A package by its lines: `start` and `end` are 1-based and inclusive, the name is the full one."""


def places(source: Source, packages: list[Package], joint: str) -> list[Place]:
    """The packages of a file, with the names of those around them; the whole file when there is none."""
    rows: list[Place] = []
    around: list[Place] = []
    for name, start, end in packages:
        first, last = source.line(start), source.line(max(start, end - 1))
        while around and around[-1].end < last:
            around.pop()
        row = Place(joint.join(filter(None, (around[-1].name if around else "", name))), first, last)
        around.append(row)
        rows.append(row)
    return rows or [Place("", 1, max(source.lines, 1))]


def package_of(rows: list[Place], line: int) -> str:
    """The innermost package a line is in."""
    return next((row.name for row in reversed(rows) if row.start <= line <= row.end), "")


def declare(
    source: Source, reading: Packaged, label: str, joint: str = ".", kinds: Collection[str] = ()
) -> list[tuple[str, Definition]]:
    """Declare the packages, and their definitions of some kinds (none: all); (full name, definition) of each."""
    rows = places(source, reading.packages, joint)
    found: dict[tuple[str, str], None] = {(f"{label} package", row.name): None for row in rows}
    named = [
        (joint.join(filter(None, (package_of(rows, each.start), each.name))), each)
        for each in reading.found.definitions
        if "." not in each.name and (not kinds or each.kind in kinds)
    ]
    found.update(((label, name), None) for name, _ in named)
    reading.found.declares += found
    return named


def own_names(definitions: list[Definition], kinds: Collection[str] = ()) -> set[str]:
    """The names a file defines, of some kinds (none: all), each by itself: no other file is meant by them."""
    return {part for each in definitions if not kinds or each.kind in kinds for part in each.name.split(".")}
