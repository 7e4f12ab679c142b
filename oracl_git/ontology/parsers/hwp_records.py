"""HWP 5 from bytes to records: the compound file, its streams, and what paragraph text is made of.

Knows the file header, compression, records and control characters, after Hancom's published
description of the format (revision 1.3). Knows not what the records mean together; see `hwp`.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from array import array
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO, NamedTuple

import olefile

from .model import Limits, Refused

# Tags of records.
PARA_SHAPE = 0x19
PARA_HEADER, PARA_TEXT = 0x42, 0x43
CTRL_HEADER, LIST_HEADER = 0x47, 0x48
TABLE, TEXT_ART, EQUATION, FORM, MEMO_LIST = 0x4D, 0x5A, 0x58, 0x5B, 0x5D

_SIGNATURE = b"HWP Document File"
_COMPRESSED = 0
# Bits of the file header that lock the text, and how.
_LOCKS = (
    (1, "password", "it is protected by a password"),
    (2, "distribution", "it is a distribution document: its text is scrambled against copying"),
    (4, "password", "it is protected by digital rights management"),
    (8, "password", "it is encrypted with a certificate"),
    (10, "password", "it is protected by rights management with a certificate"),
)
_SECTION = re.compile(r"section(\d{1,5})", re.IGNORECASE)
_CHUNK = 1 << 16
_VT_LPWSTR, _VT_FILETIME = 31, 64  # types of properties; times count 100 ns from 1601, in UTC
_FILETIME_EPOCH = datetime(1601, 1, 1)
_PROPERTIES = 50  # there are about fifteen
_WORD = struct.Struct("<I")
_BIG = 0xFFF  # a record of this size has its true size in the next four bytes
_RECORD_BYTES = 32 << 20

# Control characters in text by what they take: one unit, or eight, of which the last repeats the first.
_ONE = {0: "", 10: "\n", 13: "", 24: "-", 25: "", 26: "", 27: "", 28: "", 29: "", 30: " ", 31: " "}
_INLINE = {4: "", 5: "", 6: "", 7: "", 8: "", 9: "\t", 19: "", 20: ""}  # what they are is in their eight units
_EXTENDED_UNITS = 8  # all others: each has a control header among the records that follow
_CONTROL = re.compile("[\x00-\x1f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Record(NamedTuple):
    """A piece of a stream; what is below it has a higher level."""

    tag: int
    level: int
    data: bytes


class CompoundFile:
    """The streams of an HWP 5 file that is not locked."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._limits = limits
        self._expanded = 0
        try:
            self._ole = olefile.OleFileIO(stream)
            header = self._bytes("FileHeader") if self._ole.exists("FileHeader") else b""
        except (OSError, struct.error, ValueError, IndexError) as error:
            raise Refused("malformed", f"the compound file is broken: {error}") from error
        if not header.startswith(_SIGNATURE) or len(header) < 40:
            raise Refused("malformed", "it is a compound file, but no Hangul document")
        self.version = f"{header[35]}.{header[34]}.{header[33]}.{header[32]}"
        flags = struct.unpack_from("<I", header, 36)[0]
        for bit, reason, message in _LOCKS:
            if flags >> bit & 1:
                raise Refused(reason, message, "save it in Hangul without protection")
        self._compressed = bool(flags >> _COMPRESSED & 1)

    def sections(self) -> list[str]:
        """The streams of the body, in order."""
        found = []
        for path in self._ole.listdir():
            match = _SECTION.fullmatch(path[-1])
            if match and len(path) == 2 and path[0].lower() == "bodytext":
                found.append((int(match[1]), "/".join(path)))
        if not found:
            raise Refused("malformed", "the document has no body")
        return [name for _, name in sorted(found)]

    def properties(self) -> dict[int, str]:
        """The summary information, by property number; nothing when it cannot be read."""
        name = "\x05HwpSummaryInformation"
        try:
            return _properties(self._bytes(name)) if self._ole.exists(name) else {}
        except (OSError, struct.error, ValueError, IndexError, OverflowError):
            return {}

    def records(self, name: str) -> Iterator[Record]:
        """The records of a stream, as it is unpacked."""
        try:
            data = self._bytes(name)
        except (OSError, struct.error, ValueError, IndexError) as error:
            raise Refused("malformed", f"{name} is broken: {error}") from error
        pieces = self._unpacked(name, data) if self._compressed else iter([data])
        yield from _records(pieces)

    def _bytes(self, name: str) -> bytes:
        data: bytes = self._ole.openstream(name).read()
        return data

    def _unpacked(self, name: str, data: bytes) -> Iterator[bytes]:
        """A stream's bytes, every one counted."""
        engine, limits = zlib.decompressobj(-zlib.MAX_WBITS), self._limits
        rest, size = data, 0
        try:
            while rest and not engine.eof:
                piece = engine.decompress(rest, _CHUNK)
                rest = engine.unconsumed_tail
                size += len(piece)
                self._expanded += len(piece)
                taken = len(data) - len(rest)
                if size > limits.ratio_from and size > limits.ratio * taken:
                    raise Refused("bomb", f"{name} grows {size // taken:,} times when it is unpacked")
                if self._expanded > limits.expanded_bytes:
                    raise Refused("bomb", f"unpacked, it has more than {self._expanded >> 20:,} MiB")
                yield piece
        except zlib.error as error:
            raise Refused("malformed", f"{name} is broken: {error}") from error


def _properties(data: bytes) -> dict[int, str]:
    """The texts and times of a property set; no library's reader, as that believes any number of properties."""
    start = struct.unpack_from("<I", data, 44)[0]
    count = min(struct.unpack_from("<I", data, start + 4)[0], _PROPERTIES)
    found: dict[int, str] = {}
    for number, offset in struct.iter_unpack("<II", data[start + 8 : start + 8 + 8 * count]):
        kind, value = struct.unpack_from("<IQ", data, start + offset)
        if kind == _VT_LPWSTR:
            length = value & 0xFFFFFFFF  # it is followed by what was in memory behind it
            text = data[start + offset + 8 : start + offset + 8 + 2 * min(length, len(data))]
            found[number] = text.decode("utf-16-le", "replace").partition("\0")[0].strip()
        elif kind == _VT_FILETIME and value:
            found[number] = str((_FILETIME_EPOCH + timedelta(microseconds=value // 10)).replace(microsecond=0))
    return found


def _records(pieces: Iterator[bytes]) -> Iterator[Record]:
    """Records out of bytes that come in pieces; one that is cut off at the end is left out."""
    rest = b""
    for piece in pieces:
        buffer, start = rest + piece, 0
        while len(buffer) - start >= 8 or (len(buffer) - start >= 4 and not _is_big(buffer, start)):
            head = _WORD.unpack_from(buffer, start)[0]
            size, body = head >> 20, start + 4
            if size == _BIG:
                size, body = _WORD.unpack_from(buffer, start + 4)[0], start + 8
                if size > _RECORD_BYTES:
                    raise Refused("malformed", "a record claims to be larger than any document")
            if len(buffer) < body + size:
                break
            yield Record(head & 0x3FF, head >> 10 & 0x3FF, buffer[body : body + size])
            start = body + size
        rest = buffer[start:]


def _is_big(buffer: bytes, start: int) -> bool:
    head: int = _WORD.unpack_from(buffer, start)[0]
    return head >> 20 == _BIG


def text(data: bytes) -> tuple[list[str], list[int]]:
    """(the text of a paragraph in pieces, the pieces that stand for an extended control, in order)."""
    units = array("H", data[: len(data) // 2 * 2])
    if sys.byteorder == "big":
        units.byteswap()
    # One character a unit: a pair of surrogates in a control's data must not shift what follows.
    flat = "".join(map(chr, units))
    pieces: list[str] = []
    controls: list[int] = []
    start = 0
    for match in _CONTROL.finditer(flat):
        at = match.start()
        if at < start:
            continue  # a control's data, not text
        pieces.append(string(flat[start:at]))
        code = units[at]
        if code in _ONE:
            pieces.append(_ONE[code])
            start = at + 1
            continue
        if code not in _INLINE:
            controls.append(len(pieces))
        pieces.append(_INLINE.get(code, ""))
        start = at + _EXTENDED_UNITS
    pieces.append(string(flat[start:]))
    return pieces, controls


def string(flat: str) -> str:
    """Text of which each character is one UTF-16 unit."""
    if _SURROGATE.search(flat):
        return flat.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return flat


def counted(data: bytes, offset: int) -> tuple[str, int]:
    """(a string that its length stands before, the offset after it); "" past the end."""
    if len(data) < offset + 2:
        return "", len(data)
    length = struct.unpack_from("<H", data, offset)[0]
    end = min(offset + 2 + 2 * length, len(data))
    return data[offset + 2 : end].decode("utf-16-le", "replace"), end
