"""Pictures: the words Tesseract sees in them, paragraph by paragraph.

Knows how large a picture is before anyone unpacks it, which languages Tesseract can read
here, and which of its guesses to leave out. Decodes nothing itself.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
from collections.abc import Iterator
from itertools import groupby
from typing import Any, BinaryIO

from .model import About, Limits, Refused, Section

Picture = BinaryIO | bytes  # an open file, or what is in one
_LANGUAGES = ("kor", "eng")  # asked for where they are installed
_BY_COLUMNS, _BY_LINES = "3", "4"  # page segmentation modes
_KEPT = 0.95  # of the letters that reading by lines finds
SURE = 40.0  # per cent: a paragraph it is less sure of is a texture, not text
_COLUMNS, _WORD = 12, "5"  # of Tesseract's table, and the level of a word in it
_GAP = re.compile(" {5,}")  # between what stands in columns
_FRAMES = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))  # JPEG's SOFn


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """What is written in a picture."""
    bounded(stream, about, limits)
    spoken = language()
    about.metadata["ocr"] = f"tesseract {spoken}"
    sure, unsure = paragraphs(stream, spoken)
    if unsure:
        about.warnings.append(f"{unsure} paragraphs left out: Tesseract is not sure of them")
    for number, text in enumerate(sure, 1):
        yield Section("ocr", text, 0, f"paragraph {number}")


def bounded(stream: BinaryIO, about: About, limits: Limits) -> None:
    """Refuse a picture that is too large before anyone unpacks it; note its size."""
    width, height = size(stream)
    if width * height > limits.pixels:
        raise Refused("bomb", f"the picture has {width:,} × {height:,} pixels; {limits.pixels:,} are the most")
    if width:
        about.metadata["pixels"] = f"{width}×{height}"


def language() -> str:
    """What Tesseract is asked to read."""
    return "+".join(name for name in _LANGUAGES if name in _installed()) or "eng"


def paragraphs(picture: Picture, spoken: str) -> tuple[list[str], int]:
    """(the paragraphs Tesseract is sure of, how many it is not)."""
    columns = _look(picture, spoken, _BY_COLUMNS)
    lines = _look(picture, spoken, _BY_LINES)
    # Looking for columns keeps their order, but loses a line now and then: then lines are read as they stand.
    best = columns if _letters(columns) >= _KEPT * _letters(lines) else lines
    sure = [text for text, confidence in best if confidence >= SURE]
    return sure, len(best) - len(sure)


def _letters(paragraphs: list[tuple[str, float]]) -> float:
    """How much was read, by how sure Tesseract is of it."""
    return sum(confidence * len("".join(text.split())) for text, confidence in paragraphs)


def _look(picture: Picture, spoken: str, layout: str) -> list[tuple[str, float]]:
    """(text, how sure Tesseract is of it, in per cent) of each paragraph."""
    # Without this setting every Korean syllable comes as a word of its own; only plain text obeys it.
    spaces = ("-c", "preserve_interword_spaces=1")
    arguments = ["stdin", "stdout", "-l", spoken, "--psm", layout, *spaces, "tsv", "txt"]
    code, printed, complaints = _tesseract(arguments, picture)
    if code:
        raise Refused("malformed", f"Tesseract cannot read the picture: {_told(complaints)}")
    return list(_paragraphs(printed))


def _installed() -> list[str]:
    return _tesseract(["--list-langs"], b"")[1].split()


def _tesseract(arguments: list[str], picture: Picture) -> tuple[int, str, str]:
    """(exit code, output, complaints); it inherits this process's limits."""
    given: dict[str, Any] = {"input": picture}
    if not isinstance(picture, bytes):
        # The file's own place: seek() moves within what was read ahead, and leaves the file where that ends.
        os.lseek(picture.fileno(), 0, os.SEEK_SET)
        given = {"stdin": picture.fileno()}
    try:
        process = subprocess.run(["tesseract", *arguments], capture_output=True, check=False, **given)
    except OSError as error:
        raise Refused("missing", f"the program tesseract cannot be run ({error.strerror})") from error
    if process.returncode < 0:
        raise Refused("timeout", "Tesseract took too long, or too much memory, and was ended")
    return process.returncode, process.stdout.decode("utf-8", "replace"), process.stderr.decode("utf-8", "replace")


def _told(complaints: str) -> str:
    lines = [line for line in complaints.splitlines() if line.strip()]
    return lines[-1][:200].rstrip(".") if lines else "it does not say why"


def _paragraphs(printed: str) -> Iterator[tuple[str, float]]:
    """Paragraphs out of what Tesseract prints: a table of words with confidences, then the lines themselves."""
    table = [row for line in printed.splitlines() if len(row := line.split("\t")) == _COLUMNS]
    words: dict[tuple[str, ...], list[tuple[str, float]]] = {}  # by page, block, paragraph and line
    for row in table:
        if row[0] == _WORD and row[11].strip():
            words.setdefault(tuple(row[1:5]), []).append((row[11], float(row[10])))
    lines = [line for line in printed.replace("\f", "\n").splitlines() if line.strip() and line.count("\t") < 11]
    for _, keys in groupby(words, key=lambda key: key[:3]):
        texts, sure = [], []
        for key in keys:
            joined = "".join(word for word, _ in words[key])
            if lines and "".join(lines[0].split()) == joined:
                texts.append(_GAP.sub(" | ", lines.pop(0).strip()))
            else:
                texts.append(" ".join(word for word, _ in words[key]))
            sure += [confidence for _, confidence in words[key]]
        yield "\n".join(texts), sum(sure) / len(sure)


def size(stream: BinaryIO) -> tuple[int, int]:
    """(width, height) in pixels as the file claims them; (0, 0) where they are not found."""
    stream.seek(0)
    head = stream.read(4096)
    try:
        if head.startswith(b"\x89PNG"):
            return _pair(">II", head, 16)
        if head.startswith(b"GIF8"):
            return _pair("<HH", head, 6)
        if head.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", head, 18)
            return abs(width), abs(height)
        if head.startswith(b"\xff\xd8"):
            return _jpeg(stream)
        if head.startswith(b"RIFF"):
            return _webp(head)
        if head[:1] == b"P":
            match = re.match(rb"P[1-6]\s+(?:#[^\n]*\n\s*)*(\d+)\s+(?:#[^\n]*\n\s*)*(\d+)", head)
            return (int(match[1]), int(match[2])) if match else (0, 0)
        return _tiff(stream, "<" if head.startswith(b"II") else ">")
    except struct.error:
        return 0, 0


def _pair(form: str, data: bytes, offset: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, data, offset)
    return first, second


def _jpeg(stream: BinaryIO) -> tuple[int, int]:
    """By the frame header, past the segments in front of it."""
    stream.seek(2)
    while len(head := stream.read(4)) == 4 and head[0] == 0xFF:
        length = struct.unpack(">H", head[2:])[0]
        if head[1] in _FRAMES:
            height, width = struct.unpack(">HH", stream.read(5)[1:])
            return width, height
        stream.seek(max(length - 2, 0), os.SEEK_CUR)
    return 0, 0


def _webp(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", head, 21)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", head, 26)
    return width & 0x3FFF, height & 0x3FFF


def _tiff(stream: BinaryIO, order: str) -> tuple[int, int]:
    """The largest of the pages' widths and heights, as the first pages' directories have them."""
    found = {256: 0, 257: 0}
    stream.seek(4)
    offset = struct.unpack(order + "I", stream.read(4))[0]
    for _ in range(50):
        stream.seek(offset)
        count = struct.unpack(order + "H", stream.read(2))[0]
        for _ in range(count):
            tag, kind, _, value = struct.unpack(order + "HHI4s", stream.read(12))
            if tag in found:
                number = struct.unpack(order + "H", value[:2]) if kind == 3 else struct.unpack(order + "I", value)
                found[tag] = max(found[tag], number[0])
        offset = struct.unpack(order + "I", stream.read(4))[0]
        if not offset:
            break
    return found[256], found[257]
