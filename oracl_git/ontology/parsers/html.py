"""HTML: headings, paragraphs, list items, tables as rows, preformatted text as code.

Knows which elements part a text and which hold none. Knows no style sheet and runs no
script: what they would hide or add is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import BinaryIO

from .model import About, Kind, Limits, Section
from .plain import decode, span

_SILENT = frozenset("script style template noscript svg math object iframe canvas".split())
_BLOCKS = frozenset(
    "address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form "
    "header hr html legend li main nav ol option p section select summary table tbody tfoot thead title ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(("td", "th"))
_BREAK = "\v"  # a line break that was meant, among those that only wrap the source
_FEED = 1 << 16


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a page, with their lines."""
    source = decode(stream, about)
    reader = _Reader(about)
    for start in range(0, len(source), _FEED):
        reader.feed(source[start : start + _FEED])
        yield from reader.take()
    reader.close()
    reader.part()
    yield from reader.take()


class _Reader(HTMLParser):
    """Gathers text until an element parts it from what follows."""

    def __init__(self, about: About) -> None:
        super().__init__(convert_charrefs=True)
        self._about = about
        self._found: list[Section] = []
        self._text: list[str] = []
        self._silent = self._code = self._level = 0
        self._rows: list[list[str]] = []  # one for each row that is open: a table may hold a table
        self._first = self._last = 0  # lines the gathered text stands in
        self._in_title = False

    def take(self) -> Iterator[Section]:
        """What was found since the last time."""
        found, self._found = self._found, []
        yield from found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element opens."""
        if tag in _SILENT:
            self._silent += 1
        elif tag == "pre":
            self.part()
            self._code += 1
        elif tag in _HEADINGS:
            self.part()
            self._level = _HEADINGS[tag]
        elif tag == "tr":
            self.part()
            self._rows.append([])
        elif tag in _CELLS:
            self._cell()
        elif tag == "br":
            self._text.append(_BREAK)
        elif tag in ("img", "area", "input"):
            self._word(dict(attrs).get("alt") or "")
        elif tag in _BLOCKS:
            self.part()
        if tag == "title" and not self._silent:
            self._in_title = True
        if tag == "meta":
            named = dict(attrs)
            if named.get("name") in ("author", "description", "keywords") and named.get("content"):
                self._about.metadata[str(named["name"])] = str(named["content"])

    def handle_endtag(self, tag: str) -> None:
        """An element ends, or something that never began."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "title" and self._in_title:
            self._about.title = self._about.title or " ".join("".join(self._text).split())
            self._text.clear()
            self._in_title = False
        elif tag == "tr" and self._rows:
            self._cell()
            row = self._rows.pop()
            if any(row):
                self._add("row", " | ".join(row), len(self._rows))
            self._first = 0
        elif tag == "pre":
            self.part()
            self._code = max(0, self._code - 1)
        elif tag in _BLOCKS or tag in _HEADINGS:
            self.part()
            self._level = 0

    def handle_data(self, data: str) -> None:
        """Text."""
        if not self._silent:
            self._word(data)

    def part(self) -> None:
        """What was gathered is a section of its own, or a line of a cell."""
        if self._rows:
            self._text.append(_BREAK)
            return
        raw = "".join(self._text)
        self._text.clear()
        kind: Kind = "code" if self._code else "heading" if self._level else "paragraph"
        self._add(kind, raw.strip("\n") if self._code else _tidy(raw), self._level)
        self._first = 0

    def _cell(self) -> None:
        """What was gathered is a cell of the innermost row."""
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if self._rows and (text or self._rows[-1]):
            self._rows[-1].append(text)

    def _word(self, data: str) -> None:
        if data.strip() and not self._first:
            self._first = self.getpos()[0] + data[: len(data) - len(data.lstrip())].count("\n")
        if data:
            self._text.append(data)
            self._last = self.getpos()[0] + data.rstrip().count("\n")

    def _add(self, kind: Kind, text: str, level: int) -> None:
        if text:
            self._found.append(Section(kind, text, level, span(self._first or 1, max(self._last, self._first, 1))))


def _tidy(raw: str) -> str:
    """Lines as `br` parts them; any other white space is one blank."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in raw.split(_BREAK))))
