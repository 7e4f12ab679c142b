"""Plain text and CSV, and what every format made of lines is read with.

Knows encodings, paragraphs, and how sections get their lines. Knows no markup.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from .model import About, Limits, Refused, Section

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"),
         (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))  # fmt: skip
_MIXED = "utf-8 and others"
_NOT_TEXT = 0.02  # a larger share of control characters is no text
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_WIDE = re.compile("[\u0800-\ud7ff\ue000-\ufffc\U00010000-\U0010ffff]")
_EAST_ASIAN = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]")


def decode(stream: BinaryIO, about: About) -> str:
    """The text with single line feeds, whatever encoding it is in; Refused when it is no text at all."""
    data = stream.read()
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data.decode(encoding if encoding != "utf-8" else "utf-8-sig", "replace").removeprefix("\ufeff")
            if "\ufffd" in text:
                about.warnings.append(f"some bytes are not {encoding}: shown as \ufffd")
            break
    else:
        text, encoding = _guess(data)
        if encoding not in ("utf-8", "utf-16"):
            mixed = encoding == _MIXED
            told = "some lines are not UTF-8: read each by itself" if mixed else f"not UTF-8: read as {encoding}"
            about.warnings.append(told)
    controls = len(_CONTROLS.findall(text))
    if controls > 8 and controls > len(text) * _NOT_TEXT:
        raise Refused("malformed", "this is binary data, not text")
    about.metadata["encoding"] = encoding
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _guess(data: bytes) -> tuple[str, str]:
    """Text without a byte order mark: UTF-16, UTF-8, lines of it among others, Korean, else Western."""
    if b"\0" in data:  # ASCII in UTF-16 is UTF-8 too, with a NUL behind every letter
        sample = data[:4096]
        high, low = sample[::2].count(0), sample[1::2].count(0)
        if abs(high - low) > max(1, len(sample) // 8):
            return data.decode("utf-16-be" if high > low else "utf-16-le", "replace"), "utf-16"
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    lines = [_strict(line) for line in data.split(b"\n")]
    if any(_WIDE.search(line) for line in lines if line is not None):
        # Letters of three bytes come about by no accident: these lines are UTF-8, the rest was put beside them.
        rest = [_single(line)[0] if text is None else text for line, text in zip(data.split(b"\n"), lines, strict=True)]
        return "\n".join(rest), _MIXED
    return _single(data)


def _strict(line: bytes) -> str | None:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _single(data: bytes) -> tuple[str, str]:
    """Text of one encoding that is not UTF-8: Korean, else Western."""
    try:
        text = data.decode("cp949")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "cp1252"
    foreign = sum(1 for char in text if char > "\x7f")
    if len(_EAST_ASIAN.findall(text)) * 2 >= foreign:
        return text, "cp949"
    return data.decode("cp1252", "replace"), "cp1252"


def span(start: int, end: int) -> str:
    """1-based lines, inclusive, as a location."""
    return f"L{start}" if start == end else f"L{start}-{end}"


def text(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """Paragraphs: what stands between blank lines."""
    yield from paragraphs(decode(stream, about).split("\n"), 0)


def paragraphs(lines: list[str], offset: int) -> Iterator[Section]:
    """The paragraphs among lines, the first of which is line `offset` + 1 of the file."""
    start = None
    for number, line in enumerate([*lines, ""]):
        if line.strip():
            start = number if start is None else start
        elif start is not None:
            yield Section("paragraph", "\n".join(lines[start:number]), 0, span(offset + start + 1, offset + number))
            start = None


Block = tuple[int, list[Section], int]  # its first line (from 0), what it holds, the line after it


def blocks(lines: list[str], number: int, take: Callable[[list[str], int, int], Block | None]) -> Iterator[Section]:
    """What `take(lines, number, start)` finds from line `number` on, and the paragraphs between.

    `start` is where the lines begin that were not taken yet: a title may reach back to it.
    """
    start = number
    while number < len(lines):
        found = take(lines, number, start)
        if found is None:
            number += 1
            continue
        yield from paragraphs(lines[start : found[0]], start)
        yield from found[1]
        number = start = found[2]
    yield from paragraphs(lines[start:], start)


def table(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """CSV, or TSV: a record is a row; the separator is the one its first lines agree on."""
    source = decode(stream, about)
    separator = "\t" if about.suffix == ".tsv" else _separator(source)
    reader = csv.reader(io.StringIO(source, newline="\n"), delimiter=separator)
    try:
        before = 0
        for record in reader:
            if any(field.strip() for field in record):
                text = " | ".join(" ".join(field.split()) for field in record)
                yield Section("row", text, 0, span(before + 1, reader.line_num))
            before = reader.line_num
    except csv.Error as error:
        raise Refused("malformed", f"the CSV breaks off in line {reader.line_num}: {error}") from error


def _separator(source: str) -> str:
    lines = [line for line in source[:20_000].split("\n")[:20] if line]
    counts = {mark: [line.count(mark) for line in lines] for mark in ",;\t|"}
    best = max(counts, key=lambda mark: (min(counts[mark], default=0), sum(counts[mark])))
    return best if sum(counts[best]) else ","
