"""reStructuredText: sections by their underlines, literal blocks, tables as rows.

Knows docutils' blocks as far as they part a text. Knows no directives and no inline markup:
their text stays as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from .model import About, Limits, Section
from .plain import Block, blocks, decode, span

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")
_SHORT = 4  # docutils forgives a short underline from this length on
_GRID = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
_SIMPLE = re.compile(r"\s*=+(?:\s+=+)+\s*$")
_SPANNED = re.compile(r"[\s-]+$")
_LITERAL = ("code", "code-block", "sourcecode", "parsed-literal")
_OPENS = re.compile(r"\s*\.\. (?:" + "|".join(_LITERAL) + r")::(?:\s+\S+)?\s*$")


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a file; levels are given to title styles in order of first use."""
    styles: list[tuple[str, bool]] = []

    def take(lines: list[str], number: int, start: int) -> Block | None:
        line = lines[number]
        if _GRID.match(line):
            return _grid(lines, number)
        if _SIMPLE.match(line):
            return _simple(lines, number)
        if _is_title(lines, number):
            over = number > start and lines[number - 1].strip() == lines[number + 1].strip()
            style = (lines[number + 1].strip()[0], over)
            if style not in styles:
                styles.append(style)
            first = number - over
            text = line.strip().replace("`", "")
            return first, [Section("heading", text, styles.index(style) + 1, span(first + 1, number + 2))], number + 2
        # The line that opens a literal block was a paragraph's last, and has been passed.
        if number > start and _opens(lines[number - 1]):
            return _code(lines, number)
        return None

    yield from blocks(decode(stream, about).split("\n"), 0, take)


def _is_title(lines: list[str], number: int) -> bool:
    line = lines[number]
    if number + 1 >= len(lines) or not line.strip() or _ADORNMENT.match(line) or line.startswith(".. "):
        return False
    under = lines[number + 1].strip()
    if not _ADORNMENT.match(lines[number + 1]) or (len(under) < _SHORT and len(under) < len(line.strip())):
        return False
    return not line[0].isspace() or (number > 0 and lines[number - 1].strip() == under)


def _opens(line: str) -> bool:
    """Whether a line is followed by text to be taken literally."""
    return (line.rstrip().endswith("::") and not line.lstrip().startswith("..")) or bool(_OPENS.match(line))


def _code(lines: list[str], number: int) -> Block | None:
    """The lines indented deeper than the one before them, blanks around them left out."""
    indent = _indent(lines[number - 1])
    end = number
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
        end += 1
    while number < end and not lines[number].strip():
        number += 1
    after = end
    while end > number and not lines[end - 1].strip():
        end -= 1
    if number == end:
        return None
    margin = min(_indent(line) for line in lines[number:end] if line.strip())
    text = "\n".join(line[margin:] for line in lines[number:end])
    return number, [Section("code", text, 0, span(number + 1, end))], after


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _grid(lines: list[str], number: int) -> Block:
    """A grid table: its rows; cells of several lines are joined."""
    first = number
    rows: list[Section] = []
    parts: list[list[str]] = []
    while number < len(lines) and lines[number].lstrip()[:1] in ("+", "|"):
        line = lines[number].strip()
        if not _GRID.match(line):
            parts.append([cell.strip() for cell in line.strip("|").split("|")])
        elif parts:
            width = max(map(len, parts))
            columns = zip(*(part + [""] * (width - len(part)) for part in parts), strict=True)
            text = " | ".join(" ".join(filter(None, column)) for column in columns)
            rows.append(Section("row", text, 0, span(number + 1 - len(parts), number)))
            parts = []
        number += 1
    return first, rows, number


def _simple(lines: list[str], number: int) -> Block | None:
    """A simple table: columns stand under their rules; a rule before a blank line ends it."""
    columns = [match.span() for match in re.finditer("=+", lines[number])]
    rows: list[Section] = []
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if _SIMPLE.match(line):
            if at + 1 >= len(lines) or not lines[at + 1].strip():
                return number, rows, at + 1
        elif line.strip() and not _SPANNED.match(line):
            cells = [line[start:end].strip() for start, end in columns[:-1]] + [line[columns[-1][0] :].strip()]
            rows.append(Section("row", " | ".join(cells), 0, span(at + 1, at + 1)))
    return None
