"""Chunks: how a file is cut into the spans that are searched as one.

Knows spans of lines and their titles. Which spans there are (definitions,
sections) the extractors say; here they are split, merged and counted.
The chunks of a file cover it in order, without gap or overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from .facts import Chunk, Definition

MAX_CHUNKS = 2_000
LINES = 50  # of a chunk of a file without structure
TITLE_SEPARATOR = " / "
_TITLE_LENGTH = 200

CODE_SPLIT, CODE_PIECE, CODE_SMALL, CODE_FULL = 120, 60, 15, 60
PROSE_SPLIT, PROSE_PIECE, PROSE_SMALL, PROSE_FULL = 80, 50, 10, 60
CLASS_WHOLE = 60  # a longer class is cut at its methods
CONTAINERS = frozenset(("class", "interface", "trait", "type", "module"))  # kinds of definition that hold others


def by_lines(lines: int) -> list[Chunk]:
    """Chunks of equal length."""
    size = max(LINES, -(-lines // MAX_CHUNKS))
    return [Chunk(start, min(start + size - 1, lines), "") for start in range(1, lines + 1, size)]


def by_headings(lines: int, headings: Iterable[tuple[str, int]]) -> list[Chunk]:
    """Chunks of prose, one a section."""
    starts = [(line, text) for text, line in headings]
    if not starts or starts[0][0] > 1:
        starts.insert(0, (1, ""))
    return _tidy(_spans(starts, lines), PROSE_SPLIT, PROSE_PIECE, PROSE_SMALL, PROSE_FULL, lines)


def by_definitions(rows: Sequence[bytes], definitions: Iterable[Definition]) -> list[Chunk]:
    """Chunks of code, one a definition; comments just above it belong to it."""
    starts: list[tuple[int, str]] = [(1, "")]
    whole_until = 0  # the last line of a definition that is kept in one piece
    enclosing: list[tuple[int, str]] = []  # long classes around here: (last line, name)
    covered = 0  # the last line of the definition before this one
    for definition in definitions:
        if definition.kind == "constant" or definition.start <= whole_until:
            continue
        while enclosing and enclosing[-1][0] < definition.start:
            end, name = enclosing.pop()
            _gap(starts, rows, covered, end + 1, name)
            covered = max(covered, end)
        start = _attached(rows, definition.start, covered)
        _gap(starts, rows, covered, start, enclosing[-1][1] if enclosing else "")
        starts.append((start, definition.name))
        if definition.kind in CONTAINERS and definition.end - definition.start >= CLASS_WHOLE:
            enclosing.append((definition.end, definition.name))
            covered = definition.start
        else:
            whole_until = covered = definition.end
    while enclosing:
        end, name = enclosing.pop()
        _gap(starts, rows, covered, end + 1, name)
        covered = max(covered, end)
    _gap(starts, rows, covered, len(rows) + 1, "")
    return _tidy(_spans(starts, len(rows)), CODE_SPLIT, CODE_PIECE, CODE_SMALL, CODE_FULL, len(rows))


_COMMENTS = (b"#", b"//", b"/*", b"*", b"--", b";;", b"@")


def is_lead(row: bytes) -> bool:
    """Whether a line leads up to the definition below it: blank, a comment, an annotation."""
    row = row.strip()
    return not row or row.startswith(_COMMENTS)


def _attached(rows: Sequence[bytes], start: int, covered: int) -> int:
    """The first line of the comment that stands right above a definition."""
    while start - 1 > covered + 1 and rows[start - 2].lstrip().startswith(_COMMENTS):
        start -= 1
    return start


def _gap(starts: list[tuple[int, str]], rows: Sequence[bytes], covered: int, until: int, title: str) -> None:
    """Open a span after line `covered` if anything but blanks stands before line `until`."""
    for line in range(max(covered, starts[-1][0]) + 1, until):
        if rows[line - 1].strip():
            if covered and starts[-1][1] != title:
                starts.append((covered + 1, title))
            return


def _spans(starts: list[tuple[int, str]], lines: int) -> list[Chunk]:
    """Spans from their first lines; of two that start on one line the later stays."""
    titles = dict(starts)
    order = sorted(line for line in titles if line <= lines)
    ends = [line - 1 for line in order[1:]] + [lines]
    return [Chunk(line, end, titles[line]) for line, end in zip(order, ends, strict=False)]


def _tidy(spans: list[Chunk], split: int, piece: int, small: int, full: int, lines: int) -> list[Chunk]:
    """Split what is long, merge what is short, bound the number."""
    chunks: list[Chunk] = []
    for start, end, title in spans:
        size = end - start + 1
        if size > split:
            pieces = -(-size // piece)
            cuts = [start + size * i // pieces for i in range(pieces + 1)]
            chunks.extend(Chunk(a, b - 1, title) for a, b in pairwise(cuts))
        elif chunks and chunks[-1].end - chunks[-1].start + 1 < small and end - chunks[-1].start + 1 <= full:
            chunks[-1] = Chunk(chunks[-1].start, end, _joined(chunks[-1].title, title))
        else:
            chunks.append(Chunk(start, end, title))
    if len(chunks) > 1 and chunks[-1].end - chunks[-1].start + 1 < small:
        last = chunks[-1]
        before = chunks[-2]
        if last.end - before.start + 1 <= full:
            chunks[-2:] = [Chunk(before.start, last.end, _joined(before.title, last.title))]
    return chunks if len(chunks) <= MAX_CHUNKS else by_lines(lines)


def _joined(first: str, second: str) -> str:
    if not second or second in first.split(TITLE_SEPARATOR):
        return first
    if not first:
        return second
    title = first + TITLE_SEPARATOR + second
    return title if len(title) <= _TITLE_LENGTH else first
