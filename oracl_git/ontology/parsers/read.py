"""From a file to a Document: opened, recognised, read by its adapter, cleaned, counted.

Knows the way every file takes, and that text handed on holds no NUL, no lone
surrogate and no control character. Knows no format.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import replace

from . import child, sniff
from .files import File, Memory
from .formats import FORMATS, SECOND, SUFFIXES, Format, by_suffix
from .model import LIMITS, SCANNED, About, Document, Limits, Refused, Section

_DIRT = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]")
_TITLE = 500


def parse(path: str | bytes | int, *, suffix: str, limits: Limits = LIMITS) -> Document:
    """The text of a file, given by its path or as an open descriptor.

    `suffix` (with its dot, any case) says what it claims to be; whether it is, its bytes decide.
    Raises Refused, and nothing else, for a file that is not read.
    """
    form = _available(suffix)
    with File(path, limits) as file:
        return _looked_at(form, file, suffix.lower(), limits)


def parse_bytes(data: bytes, *, suffix: str, limits: Limits = LIMITS) -> Document:
    """The text of a document that is in memory, say a blob of git's."""
    form = _available(suffix)
    with Memory(data, limits) as file:
        return _looked_at(form, file, suffix.lower(), limits)


def suffix_of(path: str | bytes) -> str:
    """The suffix of a path, as `parse` wants it."""
    return os.path.splitext(os.fsdecode(path))[1].lower()


def _available(suffix: str) -> Format:
    form = by_suffix(suffix)
    missing = form.unavailable()
    if missing:
        hint = "pip install 'oracl-git[documents]'" if form.library else f"install {form.tool}"
        raise Refused("missing", f"{form.title} cannot be read here: {missing}", hint)
    return form


def _looked_at(form: Format, file: File, suffix: str, limits: Limits) -> Document:
    """As it is; a PDF whose pages are pictures once more, by OCR, where there is a program and time for it."""
    if form.family == "image" and not limits.ocr_seconds:
        raise Refused("left_out", "a picture, and no time was given for OCR")
    scan = FORMATS["scan"]
    able = form.name == "pdf" and not scan.unavailable()
    try:
        document = _read(form, file, suffix, limits)
        if not able or SCANNED not in document.metadata:
            return document
        if not limits.ocr_seconds:
            left = {"ocr_left": document.metadata[SCANNED]}
            return replace(document, metadata={**document.metadata, **left})
    except Refused as refused:
        if refused.reason_code == "password" and form.name == "pdf":
            return _opened(file, suffix, limits, refused)
        if not able or refused.reason_code != "no_text":
            raise
        if not limits.ocr_seconds:
            raise Refused("left_out", f"{refused.message}, and no time was given for OCR") from None
    seconds = max(limits.cpu_seconds, limits.ocr_seconds)
    return _read(scan, file, suffix, replace(limits, cpu_seconds=seconds))


def _opened(file: File, suffix: str, limits: Limits, refused: Refused) -> Document:
    """A locked PDF by its second reader: PDFium does not try whether no password at all is its owner's."""
    second = FORMATS["pdftotext"]
    if second.unavailable():
        raise refused
    try:
        return _read(second, file, suffix, limits)
    except Refused:
        raise refused from None


def _read(form: Format, file: File, suffix: str, limits: Limits) -> Document:
    about = About(suffix)
    warnings = sniff.check(form, file, suffix)
    found = child.read(form, file, about, limits) if form.child else _here(form, file, about, limits)
    with closing(found):
        sections = tuple(_collect(found, limits))
    file.unchanged()
    title = about.title or next((section.text for section in sections if section.kind == "heading"), "")
    metadata = {clean(key): clean(value) for key, value in about.metadata.items()}
    told = tuple(clean(warning) for warning in [*warnings, *about.warnings])
    name = SUFFIXES[suffix].name if form.name in SECOND else form.name
    return Document(name, clean(" ".join(title.split()))[:_TITLE], sections, told, metadata)


def _here(form: Format, file: File, about: About, limits: Limits) -> Generator[Section, None, None]:
    with file.stream() as stream:
        yield from form.load()(stream, about, limits)


def _collect(found: Iterable[Section], limits: Limits) -> Iterable[Section]:
    """Sections with something in them, cleaned and counted."""
    chars = count = 0
    for section in found:
        text = clean(section.text)
        if not text.strip():
            continue
        chars, count = chars + len(text), count + 1
        if chars > limits.text_chars or count > limits.sections:
            most = f"{limits.text_chars:,} characters or {limits.sections:,} sections"
            raise Refused("too_large", f"it holds more text than is read: {most}")
        yield Section(section.kind, text, section.level, clean(section.location))


def clean(text: str) -> str:
    """Text that any store, shell or JSON reader can take."""
    return _DIRT.sub("", text).rstrip()
