"""One blob → Facts: a pure function of its bytes and its language.

Knows which extractor reads which language, and what every file shares: its
checksum, line count, chunks, and whether it is a placeholder or not for the
graph at all. Knows no paths, no git, no clock. It never raises: a file that
cannot be parsed is known by its text. Importing it loads no parser.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from . import generic, templates
from .chunks import by_lines
from .exclude import is_binary, is_generated
from .facts import Chunk, Facts, Texts
from .languages import language, language_of
from .source import Findings, Source
from .words import split_bytes, split_identifiers

MAX_ROWS = 10_000  # of a kind, of one file; the first ones stay
MAX_NAMES = 20_000  # characters of names and headings that are searched as such

_PLACEHOLDER = re.compile(rb"\b(?:TODO|TBD)\b|\b(?i:placeholder|coming soon)\b")
_PLACEHOLDER_TEXT = 400


def extract(data: bytes, language_name: str) -> Facts:
    """What one blob says, read as one language."""
    return read(data, language_name)[0]


def read(data: bytes, language_name: str, parse: bool = True) -> tuple[Facts, Texts]:
    """What one blob says, and its chunks as words for full-text search; `parse`: whether its extractor reads it."""
    checksum = hashlib.sha256(data).hexdigest()
    if is_binary(data):
        return Facts(language_name, checksum, skip="binary"), []
    if language_name == "text" and data.startswith(b"#!"):  # a path without a suffix says nothing
        language_name = language_of(b"", data)
    row = language(language_name)
    source = Source(_unwrapper(row.wrapped)(data) if row.wrapped else data)
    code = not row.prose and row.module != "config"
    if is_generated(source.text, source.rows, language_name, code):
        return Facts(language_name, checksum, source.lines, skip="generated"), []
    try:
        found = _extractor(row.module)(source, language_name) if parse else generic.extract(source, language_name)
        found.error = found.error if parse else "crash"
    except (MemoryError, OSError, ImportError):
        raise  # of this process: it says nothing of the file
    except Exception:  # a bug of ours must not cost the build more than this file's links
        found = Findings()
        found.error = "extractor"
    if b"{%" in source.text and (row.comments == "markup" or language_name == "text"):  # of a mail, say
        templates.refer_tags(source, found)
    chunks = by_lines(source.lines) if found.sections is None else found.sections
    public = [d for d in found.definitions if d.public and d.kind != "constant"]  # overloads and branches count once
    facts = Facts(
        language=language_name,
        checksum=checksum,
        lines=source.lines,
        error=found.error or ("encoding" if source.encoding_error else ""),
        definitions=tuple(found.definitions[:MAX_ROWS]),
        references=found.references(),
        exports=tuple(found.exports[:MAX_ROWS]),
        anchors=tuple(found.anchors[:MAX_ROWS]),
        headings=tuple(found.headings[:MAX_ROWS]),
        names=_names(found),
        declares=tuple(found.declares[:MAX_ROWS]),
        chunks=tuple(chunks),
        tags=tuple(found.tags),
        risk=tuple(found.risk),
        public=len({d.name for d in public}),
        documented=len({d.name for d in public if d.documented}),
        entry_point=found.entry_point,
        placeholder=_is_placeholder(source, found, language_name, row.prose),
    )
    return facts, _texts(source, facts.chunks)


@cache
def _extractor(module: str) -> Callable[[Source, str], Findings]:
    """The extractor of a language family, loaded when its first file comes."""
    extractor: Callable[[Source, str], Findings] = import_module(f".{module}", __package__).extract
    return extractor


@cache
def _unwrapper(module: str) -> Callable[[bytes], bytes]:
    unwrap: Callable[[bytes], bytes] = import_module(f".{module}", __package__).unwrap
    return unwrap


def _names(found: Findings) -> str:
    """The names a file defines and its headings, as words."""
    names = dict.fromkeys(d.name.rpartition(".")[2] for d in found.definitions)
    headings = dict.fromkeys(text for text, _ in found.headings)
    return split_identifiers(" ".join((*names, *headings))[:MAX_NAMES])


def _texts(source: Source, chunks: Sequence[Chunk]) -> Texts:
    """(title, text) of each chunk, as space-separated words."""
    text, ends = source.text, [0, *source.ends]
    return [
        (split_identifiers(title) if title else "", split_bytes(text[ends[start - 1] : ends[end]]))
        for start, end, title in chunks
    ]


def _is_placeholder(source: Source, found: Findings, language_name: str, prose: bool) -> bool:
    """Empty (an empty Python module is a package marker), or prose that says it is yet to come."""
    if len(source.text) > 4 * _PLACEHOLDER_TEXT:
        return not source.text.strip()
    text = source.text.strip()
    if not text:
        return language_name != "python"
    if not prose or len(found.headings) > 1:
        return False
    titles = {line for _, line in found.headings}
    body = b"".join(row for number, row in enumerate(source.rows, 1) if number not in titles)
    return len(text.decode("utf-8", "replace")) < _PLACEHOLDER_TEXT and _PLACEHOLDER.search(body) is not None
