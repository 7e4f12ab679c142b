"""A document's sections as chunks: what is found, shown and cited as one.

Knows that a chunk follows headings, paragraphs and rows, how long it may be, and
where it stands. Pure: the same document gives the same chunks everywhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # who only asks loads no parsers
    from .parsers import Document, Section

FULL = 1_200  # characters from which a chunk is closed at the next section
MOST = 2_000  # a longer section is cut, at the end of a line or sentence
SMALL = 200  # a shorter rest joins the chunk before it
HEADING_SEPARATOR = " / "
_ALONE = frozenset(
    ("slide", "sheet", "page", "ocr", "comment", "note")
)  # what is not joined with what stands before it
_LINES = re.compile(r"L(\d+)(?:-L?(\d+))?")
_CUT = re.compile(r"\n\s*\n|\n|(?<=[.!?。！？])\s+|(?<=[,;:、，])\s+|\s+")


@dataclass(frozen=True)
class Chunk:
    """A piece of a document. `location` says where it begins and ends."""

    ordinal: int
    heading: str
    kind: str
    location: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, shortened."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()[:32]

    @property
    def tokens(self) -> int:
        """An estimate: four characters of Latin text, or one and a half of CJK."""
        return estimate(self.text)


def estimate(text: str) -> int:
    """How many tokens a text is, about."""
    wide = sum(1 for char in text if ord(char) > 0x2E7F) if not text.isascii() else 0
    return max(1, round((len(text) - wide) / 4 + wide / 1.5))


def ref_of(uri: str, checksum: str, ordinal: int) -> str:
    """The name of a chunk: the same in every clone that holds the same source."""
    record = f"chunk\0{uri}\0{checksum}\0{ordinal}"
    return "chk_" + hashlib.sha256(record.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def chunks(document: Document) -> Iterator[Chunk]:
    """The chunks of a document, in order."""
    ordinal = 0
    for heading, sections in _passages(document.sections):
        for kind, location, text in _pieces(sections):
            yield Chunk(ordinal, heading, kind, location, text)
            ordinal += 1


def _passages(sections: Iterable[Section]) -> Iterator[tuple[str, list[Section]]]:
    """(headings above, the sections under them) in order; a heading belongs to what follows it."""
    above: list[tuple[int, str]] = []
    passage: list[Section] = []
    for section in sections:
        if section.kind == "heading":
            if any(row.kind != "heading" for row in passage):
                yield HEADING_SEPARATOR.join(text for _, text in above), passage
                passage = []
            while above and above[-1][0] >= section.level:
                above.pop()
            above.append((section.level, " ".join(section.text.split())[:200]))
        elif section.kind in _ALONE and passage and passage[-1].kind != "heading" and passage[-1].kind != section.kind:
            yield HEADING_SEPARATOR.join(text for _, text in above), passage
            passage = []
        passage.append(section)
    if passage:
        yield HEADING_SEPARATOR.join(text for _, text in above), passage


def _pieces(sections: list[Section]) -> Iterator[tuple[str, str, str]]:
    """(kind, location, text) of about the right length."""
    held: list[Section] = []
    size = 0
    for section in sections:
        if len(section.text) > MOST:
            if held:
                yield _joined(held)
                held, size = [], 0
            yield from _cut(section)
            continue
        page_turns = section.kind == "page" and held
        if held and (size + len(section.text) > FULL + SMALL or size >= FULL or page_turns):
            yield _joined(held)
            held, size = [], 0
        held.append(section)
        size += len(section.text) + 1
    if held:
        yield _joined(held)


def _joined(sections: list[Section]) -> tuple[str, str, str]:
    body = [section for section in sections if section.kind != "heading"] or sections
    apart = "\n" if all(section.kind in ("row", "heading") for section in sections) else "\n\n"
    return body[0].kind, span(sections[0].location, sections[-1].location), apart.join(s.text for s in sections)


def span(first: str, last: str) -> str:
    """Where something begins and ends, from two locations."""
    if first == last or not last:
        return first
    start, stop = _LINES.fullmatch(first), _LINES.fullmatch(last)
    if start and stop:
        return f"L{start[1]}-{stop[2] or stop[1]}"
    return f"{first} – {last}" if first else last


def _cut(section: Section) -> Iterator[tuple[str, str, str]]:
    """A long section in pieces; lines are counted where it is known by lines."""
    lines = _LINES.fullmatch(section.location)
    text, start, line = section.text, 0, int(lines[1]) if lines else 0
    exact = bool(lines) and text.count("\n") == int(lines[2] or lines[1]) - int(lines[1]) if lines else False
    while start < len(text):
        end = len(text)
        if end - start > MOST:
            end = start + FULL
            for match in _CUT.finditer(text, start + FULL // 2, start + FULL):
                if "\n" in match[0] or text[match.start() - 1 : match.start()] in ".!?。！？":
                    end = match.end()
            if end == start + FULL:
                gaps = [match.end() for match in _CUT.finditer(text, start + FULL // 2, start + FULL)]
                end = gaps[-1] if gaps else end
        piece = text[start:end]
        location = section.location
        if exact:
            last = line + piece.rstrip("\n").count("\n")
            location = f"L{line}-{last}" if last > line else f"L{line}"
            line += piece.count("\n")
        if piece.strip():
            yield section.kind, location, piece.strip("\n").rstrip()
        start = end
