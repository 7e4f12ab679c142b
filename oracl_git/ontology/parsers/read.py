"""From a file to a Document: opened, read by its format's adapter, cleaned, counted.

Knows the way every file takes, and that text handed on holds no NUL, no lone
surrogate and no control character. Knows no format.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from . import markdown, plain, rst
from .files import File
from .formats import Format, by_suffix
from .model import LIMITS, Document, Limits, Refused, Section

_DIRT = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff]")


def parse(path: str | bytes | int, *, suffix: str, limits: Limits = LIMITS) -> Document:
    """The text of a file, given by its path or as an open descriptor.

    `suffix` (with its dot, any case) says what it claims to be; what it is, its bytes decide.
    Raises Refused, and nothing else, for a file that is not read.
    """
    form = by_suffix(suffix)
    with File(path, limits) as file:
        document = _in_process(form, file, suffix.lower(), limits)
        file.unchanged()
    return document


def _in_process(form: Format, file: File, suffix: str, limits: Limits) -> Document:
    source, encoding, warnings = plain.decode(file.read())
    if form.name == "csv":
        found = plain.table(source, suffix)
    else:
        found = {"txt": plain.text, "md": markdown.read, "rst": rst.read}[form.name](source)
    metadata = {"encoding": encoding}
    if form.name == "md":
        metadata |= markdown.front_matter(source.split("\n"))[1]
    return collect(form.name, found, metadata.pop("title", ""), warnings, metadata, limits)


def collect(
    name: str, found: Iterable[Section], title: str, warnings: list[str], metadata: dict[str, str], limits: Limits
) -> Document:
    """Sections cleaned and counted; without a title, the first heading is it."""
    sections: list[Section] = []
    chars = 0
    for section in found:
        text = clean(section.text)
        if not text.strip():
            continue
        sections.append(Section(section.kind, text, section.level, clean(section.location)))
        chars += len(text)
        if chars > limits.text_chars or len(sections) > limits.sections:
            raise Refused("too_large", f"more than {len(sections):,} sections or {chars:,} characters of text")
    if not title:
        title = next((section.text for section in sections if section.kind == "heading"), "")
    pairs = {clean(key): clean(value) for key, value in metadata.items()}
    return Document(name, clean(" ".join(title.split()))[:500], tuple(sections), tuple(warnings), pairs)


def clean(text: str) -> str:
    """Text that any store, shell or JSON reader can take."""
    return _DIRT.sub("", text).rstrip()


def suffix_of(path: str | bytes) -> str:
    """The suffix of a path, as `parse` wants it."""
    return os.path.splitext(os.fsdecode(path))[1].lower()
