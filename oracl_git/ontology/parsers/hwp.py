"""Hangul documents (.hwp, HWP 5): paragraphs in order, with everything that is anchored in them.

Knows what records mean together: tables with captions and nested tables, text boxes, notes,
margins, hidden comments, memos, ruby, equations, form fields. Knows no layout.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from . import hwp_records as hwp
from .hwp_records import CompoundFile, Record
from .model import About, Kind, Limits, Section
from .tables import OBJECT, Place, flow, row

_OUTLINE = 1  # what heads a paragraph: nothing, an outline number, a number, a bullet
_HEAD_SHIFT, _LEVEL_SHIFT = 23, 25  # in the attributes of a paragraph shape
# Controls that are lists of paragraphs: what these are, and what their place is called.
_LISTS: dict[bytes, tuple[Kind, str]] = {
    b"head": ("header", "header"), b"foot": ("footer", "footer"), b"secd": ("header", "master page"),
    b"fn  ": ("note", "footnote"), b"en  ": ("note", "endnote"), b"tcmt": ("comment", "hidden comment"),
}  # fmt: skip
_BOX: tuple[Kind, str] = ("textbox", "text box")
_MEMO: tuple[Kind, str] = ("comment", "memo")
_RUBY, _COMPOSED, _NUMBER, _TABLE, _DRAWN = b"tdut", b"tcps", b"atno", b"tbl ", b"gso "
_CAPTION_NUMBERS = (3, 4, 5)  # of a picture, a table, an equation; page and note numbers are layout
_CELL_PLACE = struct.Struct("<HH")  # column, row
_CELL_OFFSET = 8  # of its place in a list header
_TEXT_ART_OFFSET = 32  # behind four corners
_SHOWN = re.compile(r"(?:Caption|Text):wstring:(\d{1,6}):")
_SUMMARY = {
    3: "subject", 4: "author", 5: "keywords", 6: "description", 8: "last_modified_by", 12: "created", 13: "modified",
}  # fmt: skip
_TITLE = 2


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a document."""
    file = CompoundFile(stream, limits)
    properties = file.properties()
    about.title = properties.get(_TITLE, "")
    about.metadata |= {_SUMMARY[number]: text for number, text in properties.items() if number in _SUMMARY and text}
    about.metadata["hwp_version"] = file.version
    reader = _Reader(_levels(file.records("DocInfo")))
    for name in file.sections():
        reader.records = _Ahead(file.records(name))
        yield from reader.paragraphs(0, Place("paragraph", ""), 0)


def _levels(records: Iterator[Record]) -> list[int]:
    """The outline level of each paragraph shape; 0 for body text."""
    levels = []
    for record in records:
        if record.tag == hwp.PARA_SHAPE and len(record.data) >= 4:
            attributes = struct.unpack_from("<I", record.data)[0]
            outline = attributes >> _HEAD_SHIFT & 3 == _OUTLINE
            levels.append((attributes >> _LEVEL_SHIFT & 7) + 1 if outline else 0)
    return levels


class _Ahead:
    """Records, of which the next can be looked at before it is taken."""

    def __init__(self, records: Iterator[Record]) -> None:
        self._records = records
        self.next = next(records, None)

    def take(self) -> Record:
        """The next record; there must be one."""
        record = self.next
        assert record is not None
        self.next = next(self._records, None)
        return record

    def below(self, level: int) -> bool:
        """Whether the next record belongs to one of this level."""
        return self.next is not None and self.next.level > level


class _Found(NamedTuple):
    """What a control gave: text that stands in its paragraph, and what follows the paragraph."""

    inline: str
    after: list[Section]


class _Reader:
    """One document: what was counted so far."""

    def __init__(self, levels: list[int]) -> None:
        self.records = _Ahead(iter(()))
        self._levels = levels
        self._paragraphs = self._tables = 0
        self._counts: dict[str, int] = {}

    def paragraphs(self, level: int, place: Place, depth: int) -> Iterator[Section]:
        """The paragraphs from here on at one level: the body, or a list in a control."""
        while self.records.next is not None and self.records.next.level >= level:
            if self.records.next.tag == hwp.PARA_HEADER:
                yield from self._paragraph(place, depth)
            elif self.records.next.level == level and level:
                return  # the next list, or what describes the control
            else:
                self.records.take()

    def _paragraph(self, place: Place, depth: int) -> Iterator[Section]:
        header = self.records.take()
        if not place.name:
            self._paragraphs += 1
        location = place.name or f"paragraph {self._paragraphs}"
        pieces: list[str] = []
        slots: list[int] = []
        after: list[Section] = []
        controls = 0
        behind = _LISTS[b"secd"]  # lists of no control stand behind a section's last paragraph
        while self.records.below(header.level):
            record = self.records.take()
            if record.tag == hwp.PARA_TEXT:
                pieces, slots = hwp.text(record.data)
            elif record.tag == hwp.CTRL_HEADER:
                found = self._control(record, location, depth)
                if found.inline and controls < len(slots):
                    pieces[slots[controls]] = found.inline
                after += found.after
                controls += 1
            elif record.tag == hwp.MEMO_LIST:
                behind = _MEMO
            elif record.tag == hwp.LIST_HEADER:
                after += self.paragraphs(record.level, self._place(*behind), 0)
        text = flow(pieces)
        level = self._level(header.data)
        if level and place.kind == "paragraph":
            yield Section("heading", text, level, location)
        else:
            yield Section(place.kind, text, 0, location)
        yield from after

    def _level(self, header: bytes) -> int:
        shape = struct.unpack_from("<H", header, 8)[0] if len(header) >= 10 else -1
        return self._levels[shape] if 0 <= shape < len(self._levels) else 0

    def _place(self, kind: Kind, name: str) -> Place:
        """The next place of this name."""
        self._counts[name] = self._counts.get(name, 0) + 1
        return Place(kind, f"{name} {self._counts[name]}")

    def _control(self, record: Record, location: str, depth: int) -> _Found:
        """What is in a control, whatever it is; all its records are taken."""
        name = record.data[3::-1]
        if name == _TABLE:
            return _Found(OBJECT, list(self._table(record.level, location, depth)))
        if name == _RUBY:
            main, end = hwp.counted(record.data, 4)
            above = hwp.counted(record.data, end)[0]
            inline = f"{main}({above})" if above else main
        elif name == _COMPOSED:
            inline = hwp.counted(record.data, 4)[0]
        elif name == _NUMBER and len(record.data) >= 10:
            attributes, number = struct.unpack_from("<IH", record.data, 4)
            inline = str(number) if attributes & 15 in _CAPTION_NUMBERS else ""
        else:
            inline = OBJECT if name == _DRAWN else ""
        kind, title = _LISTS.get(name, _BOX)
        after: list[Section] = []
        place = None
        while self.records.below(record.level):
            child = self.records.take()
            if child.tag == hwp.LIST_HEADER:
                place = place or self._place(kind, title)
                after += self.paragraphs(child.level, place, 0)
            elif child.tag == hwp.EQUATION:
                inline += f"{OBJECT}{hwp.counted(child.data, 4)[0].strip()}{OBJECT}"
            elif child.tag == hwp.TEXT_ART:
                after.append(Section("textbox", hwp.counted(child.data, _TEXT_ART_OFFSET)[0], 0, location))
            elif child.tag == hwp.FORM:
                inline += f"{OBJECT}{_shown(child.data)}{OBJECT}"
        return _Found(inline, after)

    def _table(self, level: int, location: str, depth: int) -> Iterator[Section]:
        """A table's caption and rows; before the record that describes the table, a list is the caption."""
        if not depth:
            self._tables += 1
        name = f"table {self._tables}" if not depth else location
        described = False
        cells: list[list[Section]] = []
        number = -1
        while self.records.below(level):
            record = self.records.take()
            if record.tag == hwp.TABLE:
                described = True
            elif record.tag == hwp.LIST_HEADER and not described:
                caption = Place("table", name)
                yield from self.paragraphs(record.level, caption, 0)
            elif record.tag == hwp.LIST_HEADER:
                at = _row_of(record.data, number)
                if at != number:
                    yield from row(cells, f"{name} row {number + 1}", depth)
                    cells, number = [], at
                place = Place("paragraph", f"{name} row {number + 1}")
                cells.append(list(self.paragraphs(record.level, place, depth + 1)))
        yield from row(cells, f"{name} row {number + 1}", depth)


def _row_of(header: bytes, otherwise: int) -> int:
    """The row a cell is in, from 0."""
    if len(header) < _CELL_OFFSET + _CELL_PLACE.size:
        return max(otherwise, 0)
    number: int = _CELL_PLACE.unpack_from(header, _CELL_OFFSET)[1]
    return number


def _shown(data: bytes) -> str:
    """What a form object shows: its caption, or the text that was typed into it."""
    properties = data[: len(data) // 2 * 2].decode("utf-16-le", "replace")
    words = [properties[match.end() : match.end() + int(match[1])] for match in _SHOWN.finditer(properties)]
    return " ".join(filter(None, words))
