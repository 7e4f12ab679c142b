"""Open buffers, and positions in texts.

Knows that lines end in LF, CRLF or CR and in nothing else, that a column is
counted in the client's units, and that a change may come for a buffer nobody
opened. Knows nothing of files.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lsprotocol import types

_END = re.compile(r"\r\n|\n|\r")


class Text:
    """One text with its lines; offsets are in characters, columns in the client's units."""

    def __init__(self, source: str, encoding: str) -> None:
        self.source, self.encoding = source, encoding

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line."""
        return [0, *(match.end() for match in _END.finditer(self.source))]

    def line(self, number: int) -> str:
        """A line (from 0) without its end; "" beyond the text."""
        if not 0 <= number < len(self.starts):
            return ""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.source)
        return self.source[self.starts[number] : end].rstrip("\r\n")

    def offset(self, position: types.Position) -> int:
        """A position, drawn into the text where it lies outside."""
        if position.line >= len(self.starts):
            return len(self.source)
        line = self.line(position.line)
        return self.starts[position.line] + _characters(line, position.character, self.encoding)

    def position(self, offset: int) -> types.Position:
        """Where a character stands."""
        number = bisect_right(self.starts, offset) - 1
        return types.Position(number, units(self.source[self.starts[number] : offset], self.encoding))

    def range(self, start: int, end: int) -> types.Range:
        """The span between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def lines_range(self, first: int, last: int) -> types.Range:
        """Whole lines, 1-based and inclusive, as far as there are any."""
        top = max(0, min(first, len(self.starts)) - 1)
        bottom = max(top, min(last, len(self.starts)) - 1)
        return types.Range(types.Position(top, 0), types.Position(bottom, units(self.line(bottom), self.encoding)))


def _rows(source: str) -> list[str]:
    """The lines of a text with their ends; the last has none, and may be empty."""
    return [source[start:stop] for start, stop in pairwise([*Text(source, "").starts, len(source)])]


def units(text: str, encoding: str) -> int:
    """How long a text is in the client's units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return len(text.encode("utf-8" if encoding == "utf-8" else "utf-16-le", "surrogatepass")) // (
        1 if encoding == "utf-8" else 2
    )


def _characters(line: str, column: int, encoding: str) -> int:
    """A column in the client's units as characters; the end of the line where there is none."""
    if encoding == "utf-32" or line.isascii():
        return min(column, len(line))
    width = 0
    for number, char in enumerate(line):
        if width >= column:
            return number
        width += units(char, encoding)
    return len(line)


@dataclass(frozen=True)
class Document:
    """One version of an open buffer."""

    uri: str
    version: int
    language: str
    text: Text


class Documents:
    """The open buffers by URI."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self.encoding = "utf-16"

    def all(self) -> list[Document]:
        """Every open buffer."""
        return list(self._open.values())

    def get(self, uri: str) -> Document | None:
        """The newest version, if it is open."""
        return self._open.get(uri)

    def open(self, item: types.TextDocumentItem) -> Document:
        """A buffer was opened (again)."""
        document = Document(item.uri, item.version, item.language_id, Text(item.text, self.encoding))
        self._open[item.uri] = document
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> Document | None:
        """Changes in order; None when the buffer is not open."""
        before = self._open.get(params.text_document.uri)
        if before is None:
            return None
        rows = _rows(before.text.source)
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                self._splice(rows, change)
            else:
                rows = _rows(change.text)
        text = Text("".join(rows), self.encoding)
        document = Document(before.uri, params.text_document.version, before.language, text)
        self._open[before.uri] = document
        return document

    def _splice(self, rows: list[str], change: types.TextDocumentContentChangePartial) -> None:
        """One change. A replacement everywhere comes as thousands of them: only the lines it touches are cut anew."""
        (first, start), (last, stop) = sorted(self._place(rows, at) for at in (change.range.start, change.range.end))
        low, high = max(0, first - 1), last + 2  # a CR that ends the line before, and an LF behind, may become one end
        before = "".join(rows[low:first]) + rows[first][:start]
        made = _rows(before + change.text + rows[last][stop:] + "".join(rows[last + 1 : high]))
        if high < len(rows):
            made.pop()  # nothing: the line before it has an end
        rows[low:high] = made

    def _place(self, rows: list[str], position: types.Position) -> tuple[int, int]:
        """(line, character) of a position, drawn into the text as `Text.offset` does."""
        if position.line >= len(rows):
            return len(rows) - 1, len(rows[-1])
        return position.line, _characters(rows[position.line].rstrip("\r\n"), position.character, self.encoding)

    def close(self, uri: str) -> bool:
        """Whether it was open."""
        return self._open.pop(uri, None) is not None
