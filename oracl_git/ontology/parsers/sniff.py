"""What a file is, by its bytes, whatever its name says.

Knows signatures, and the names that stand in the directories of ZIP and compound files,
found without unpacking anything. Reads a few kilobytes through a descriptor.
"""

from __future__ import annotations

import os
import re
import struct
from typing import NamedTuple

from .files import File
from .formats import Format, unsupported
from .model import Refused

_HEAD, _TAIL, _DIRECTORY = 4096, 1 << 16, 4096


class Kind(NamedTuple):
    """A format as bytes show it: the family of an adapter or "", what a person calls it, its suffix."""

    family: str
    title: str
    suffix: str


_SIGNATURES = tuple((re.compile(pattern, re.DOTALL), Kind(*kind)) for pattern, kind in (
    (rb".{0,1020}%PDF-", ("pdf", "a PDF", ".pdf")),
    (rb"\x89PNG\r\n\x1a\n", ("image", "a PNG picture", ".png")),
    (rb"\xff\xd8\xff", ("image", "a JPEG picture", ".jpg")),
    (rb"GIF8[79]a", ("image", "a GIF picture", ".gif")),
    (rb"BM.{4}\0\0\0\0", ("image", "a BMP picture", ".bmp")),
    (rb"II[*+]\0|MM\0[*+]", ("image", "a TIFF picture", ".tif")),
    (rb"RIFF.{4}WEBP", ("image", "a WebP picture", ".webp")),
    (rb"P[1-6]\s+(?:#[^\n]*\n\s*)*\d+\s", ("image", "a PNM picture", ".pnm")),
    (rb"HWP Document File V[12345]\.\d\d", ("", "a Hangul document of version 3 or older", ".hwp3")),
    (rb"\{\\rtf", ("", "RTF", ".rtf")),
    (rb"\x1f\x8b|BZh\d|\xfd7zXZ\0|7z\xbc\xaf|Rar!\x1a|\x28\xb5\x2f\xfd", ("", "a compressed archive", "")),
    (rb"\x7fELF|MZ.{58}\0\0|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe", ("", "a program", "")),
    (rb"SQLite format 3\0", ("", "a SQLite database", ".sqlite")),
    (rb"%!PS", ("", "PostScript", ".ps")),
    (rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?<HWPML", ("", "HWPML", ".hml")),
))  # fmt: skip
# Names in the directory of a ZIP file that tell what it is, in the order they are looked for.
_PARTS = (
    (b"word/document", Kind("docx", "a Word document", ".docx")),
    (b"xl/workbook", Kind("xlsx", "an Excel workbook", ".xlsx")),
    (b"ppt/presentation", Kind("pptx", "a PowerPoint presentation", ".pptx")),
    (b"application/hwp+zip", Kind("hwpx", "a Hangul document (OWPML)", ".hwpx")),
    (b"Contents/section", Kind("hwpx", "a Hangul document (OWPML)", ".hwpx")),
    (b"application/vnd.oasis.opendocument.text", Kind("", "an OpenDocument text", ".odt")),
    (b"application/vnd.oasis.opendocument.spreadsheet", Kind("", "an OpenDocument spreadsheet", ".ods")),
    (b"application/vnd.oasis.opendocument.presentation", Kind("", "an OpenDocument presentation", ".odp")),
    (b"application/epub+zip", Kind("", "an EPUB book", ".epub")),
)
_STREAMS = (
    ("EncryptedPackage", Kind("encrypted", "an Office document with a password", "")),
    ("HwpSummaryInformation", Kind("hwp", "a Hangul document (HWP 5)", ".hwp")),
    ("BodyText", Kind("hwp", "a Hangul document (HWP 5)", ".hwp")),
    ("WordDocument", Kind("", "an old Word document", ".doc")),
    ("Workbook", Kind("", "an old Excel workbook", ".xls")),
    ("PowerPoint Document", Kind("", "an old PowerPoint presentation", ".ppt")),
)
ZIP = Kind("zip", "a ZIP archive", ".zip")
COMPOUND = Kind("compound", "a compound file", "")
TEXT = Kind("text", "plain text", ".txt")
DATA = Kind("", "binary data", "")
OFFICE = ("docx", "xlsx", "pptx")
# Whether it is one, only the adapter can see: the names are out of sight, or it is in some rare encoding.
_PERHAPS = {(ZIP, family) for family in (*OFFICE, "hwpx")} | {(COMPOUND, "hwp"), (DATA, "text")}
_SAME = ({".jpg", ".jpeg"}, {".tif", ".tiff"}, {".pnm", ".pbm", ".pgm", ".ppm"})


def check(form: Format, file: File, suffix: str) -> list[str]:
    """Warnings about a file named `suffix`; Refused when it is not what its name says."""
    if not file.size:
        if form.family == "text":
            return []
        raise Refused("malformed", "the file is empty")
    found = what(file, form.family)
    if found.family == form.family:
        same = found.family != "image" or suffix == found.suffix or any({suffix, found.suffix} <= one for one in _SAME)
        return [] if same else [f"it is named {suffix}, but it is {found.title}"]
    if found.family == "encrypted" and form.family in OFFICE:
        raise Refused("password", "it is protected by a password", "save it without one")
    if found.suffix == ".hwp3" and form.family == "hwp":
        raise unsupported(found.suffix, found.title)
    if (found, form.family) in _PERHAPS:
        return []
    if found == DATA:
        raise Refused("malformed", f"it is named {suffix}, but its bytes are no {form.title}")
    hint = f"rename it to end in {found.suffix}" if found.suffix else ""
    raise Refused("wrong_suffix", f"it is named {suffix}, but it is {found.title}", hint)


def what(file: File, expected: str) -> Kind:
    """What the bytes are; of several things that an archive may be, the family that is expected."""
    head = os.pread(file.fd, _HEAD, 0)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        names = _directory(file) + (head[:128] if head[30:38] == b"mimetype" else b"")
        kinds = [kind for name, kind in _PARTS if name in names]
        return next((kind for kind in kinds if kind.family == expected), kinds[0] if kinds else ZIP)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _compound(file, head)
    for pattern, kind in _SIGNATURES:
        if pattern.match(head):
            return kind
    return TEXT if _is_text(head) else DATA


def _directory(file: File) -> bytes:
    """The start of a ZIP file's directory: names of members, and nothing of what is in them."""
    tail = os.pread(file.fd, _TAIL, max(0, file.size - _TAIL))
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        return b""
    size, _ = struct.unpack_from("<II", tail, end + 12)
    start = max(0, file.size - len(tail) + end - size)  # whatever stands before the archive
    return os.pread(file.fd, min(size, _TAIL), start)


def _compound(file: File, head: bytes) -> Kind:
    """By the names at the start of the directory of a compound file."""
    if len(head) < 512:
        return COMPOUND
    shift, first = struct.unpack_from("<H", head, 30)[0], struct.unpack_from("<I", head, 48)[0]
    if shift not in (9, 12):
        return COMPOUND
    names = os.pread(file.fd, _DIRECTORY, (first + 1) << shift)
    return next((kind for name, kind in _STREAMS if f"{name}\0".encode("utf-16-le") in names), COMPOUND)


def _is_text(head: bytes) -> bool:
    """Hardly a control character, and NULs only where UTF-16 has them: in every other byte, or hardly ever."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    controls = sum(head.count(byte) for byte in (*range(1, 8), *range(14, 27), *range(28, 32)))
    even, odd = head[::2].count(0), head[1::2].count(0)
    utf_16 = max(even, odd) > 10 * min(even, odd)
    return controls * 20 < len(head) and (utf_16 or (even + odd) * 50 < len(head))
