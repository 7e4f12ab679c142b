"""Writes Hangul documents (.hwp, HWP 5): paragraphs, tables, notes, boxes, in a compound file.

After Hancom's published description of the format. Knows what a reader of text needs to be
tried with; a document of it has no fonts and no layout.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence

from .cfb import compound_file

COMPRESSED, PASSWORD, DISTRIBUTION = 1, 2, 4
_SHAPE, _HEADER, _TEXT, _CONTROL, _LIST, _TABLE = 0x19, 0x42, 0x43, 0x47, 0x48, 0x4D
_COMPONENT, _RECTANGLE, _EQUATION, _MEMOS = 0x4C, 0x4F, 0x58, 0x5D
_LINE_END = "\r"

Records = Sequence[tuple[int, int, bytes]]  # (tag, level below the paragraph, data)


class Control:
    """Something anchored in a paragraph: its character, its name, and its records below that."""

    def __init__(self, code: int, name: str, data: bytes = b"", below: Records = ()) -> None:
        self.code, self.name, self.data, self.below = code, name, data, below

    def character(self) -> bytes:
        """Its eight units in the text."""
        return struct.pack(
            "<H4s8sH", self.code, self.name.encode()[::-1], b"\x01\x02\x03\x04\xd8\x05\xdc\x06", self.code
        )

    def records(self) -> Records:
        """Its header, and what is below."""
        return [(_CONTROL, 1, self.name.encode()[::-1] + self.data), *self.below]


class Inline:
    """A control of eight units that has no records: a tab, the end of a field."""

    def __init__(self, code: int, data: bytes = bytes(12)) -> None:
        self.code, self.data = code, data

    def character(self) -> bytes:
        """Its eight units in the text."""
        return struct.pack("<H12sH", self.code, self.data, self.code)


Piece = str | Control | Inline


def paragraph(*pieces: Piece, shape: int = 0) -> Records:
    """A paragraph of text and controls."""
    units = b"".join(piece.encode("utf-16-le") if isinstance(piece, str) else piece.character() for piece in pieces)
    units += _LINE_END.encode("utf-16-le")
    header = struct.pack("<IIHBBHHHI", len(units) // 2, 0, shape, 0, 0, 1, 0, 0, 0)
    found = [(_HEADER, 0, header), (_TEXT, 1, units)]
    for piece in pieces:
        if isinstance(piece, Control):
            found += piece.records()
    return found


def listed(paragraphs: Iterable[Records], level: int, cell: bytes = b"") -> Records:
    """A list of paragraphs in a control."""
    paragraphs = list(paragraphs)
    found = [(_LIST, level, struct.pack("<HHI", len(paragraphs), 0, 0) + cell)]
    for one in paragraphs:
        found += [(tag, level + below, data) for tag, below, data in one]
    return found


def note(text: str, name: str = "fn  ") -> Control:
    """A footnote; "en  " is an endnote."""
    return Control(17, name, bytes(8), listed([paragraph(text)], 2))


def margin(text: str, name: str = "head") -> Control:
    """A header; "foot" is a footer."""
    return Control(16, name, bytes(8), listed([paragraph(text)], 2))


def hidden(text: str) -> Control:
    """A hidden comment."""
    return Control(15, "tcmt", b"", listed([paragraph(text)], 2))


def box(*paragraphs: Records, caption: str = "") -> Control:
    """A text box."""
    below: list[tuple[int, int, bytes]] = list(listed([paragraph(caption)], 2)) if caption else []
    below += [(_COMPONENT, 2, b" cer" * 2 + bytes(40)), *listed(paragraphs, 3), (_RECTANGLE, 3, bytes(33))]
    return Control(11, "gso ", bytes(42), below)


def ruby(main: str, above: str) -> Control:
    """Text with its reading above."""
    return Control(23, "tdut", _string(main) + _string(above) + bytes(20))


def composed(text: str) -> Control:
    """Letters laid over each other."""
    return Control(23, "tcps", _string(text) + bytes(8))


def equation(script: str) -> Control:
    """An equation by its script."""
    return Control(11, "eqed", bytes(42), [(_EQUATION, 2, bytes(4) + _string(script) + bytes(12))])


def field(name: str = "%hlk", command: str = "") -> Control:
    """Where a field starts; `Inline(4)` ends it."""
    return Control(3, name, bytes(5) + _string(command) + bytes(4))


def number(value: int, kind: int) -> Control:
    """A number that counts by itself: 1 footnotes, 3 pictures, 4 tables."""
    return Control(18, "atno", struct.pack("<IHHHH", kind, value, 0, 0, ord(")")))


def section_start() -> Control:
    """What each section's first paragraph starts with."""
    return Control(2, "secd", bytes(26))


def table(rows: Sequence[Sequence[Records | Sequence[Records]]], caption: Records | None = None) -> Control:
    """A table; a cell is a paragraph, or several."""
    below: list[tuple[int, int, bytes]] = list(listed([caption], 2)) if caption else []
    below.append((_TABLE, 2, struct.pack("<IHHH", 0, len(rows), len(rows[0]), 0) + bytes(8)))
    for number_of_row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            several = [cell] if isinstance(cell[0][0], int) else cell
            place = struct.pack("<HHHHII", column, number_of_row, 1, 1, 1000, 500) + bytes(10)
            below += listed(several, 2, place)  # type: ignore[arg-type]
    return Control(11, "tbl ", bytes(42), below)


def memo(*texts: str) -> Records:
    """What stands behind the section's last paragraph, and belongs to it."""
    found: list[tuple[int, int, bytes]] = []
    for text in texts:
        found += [(_MEMOS, 1, bytes(4)), *listed([paragraph(text)], 1)]
    return found


def document(
    *sections: Sequence[Records],
    flags: int = COMPRESSED,
    outline: Mapping[int, int] | None = None,
    extra: Mapping[str, bytes] | None = None,
) -> bytes:
    """A document; `outline` makes paragraphs of a shape headings: shape → level from 1."""
    shapes = {0: 0, **(outline or {})}
    info = []
    for shape in range(max(shapes) + 1):
        level = shapes.get(shape, 0)
        info.append((_SHAPE, 0, struct.pack("<I", (1 << 23 | level - 1 << 25) if level else 0) + bytes(50)))
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000307, flags) + bytes(216)
    streams = {"FileHeader": header, "DocInfo": _stream(info, flags)}
    for number_of_section, paragraphs in enumerate(sections):
        records = [record for one in paragraphs for record in one]
        streams[f"BodyText/Section{number_of_section}"] = _stream(records, flags)
    return compound_file({**streams, **(extra or {})})


def packed(records: Records) -> bytes:
    """Records as they stand in a stream."""
    found = bytearray()
    for tag, level, data in records:
        if len(data) < 0xFFF:
            found += struct.pack("<I", tag | level << 10 | len(data) << 20) + data
        else:
            found += struct.pack("<II", tag | level << 10 | 0xFFF << 20, len(data)) + data
    return bytes(found)


def deflated(data: bytes) -> bytes:
    """As HWP compresses its streams: without a header."""
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return engine.compress(data) + engine.flush()


def _stream(records: Records, flags: int) -> bytes:
    return deflated(packed(records)) if flags & COMPRESSED else packed(records)


def _string(text: str) -> bytes:
    units = text.encode("utf-16-le")
    return struct.pack("<H", len(units) // 2) + units
