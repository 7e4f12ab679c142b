"""Jupyter notebooks: the code and the prose of their cells, each on its own line of the file.

Knows the JSON that notebooks are saved as, an element of "source" ("input", once) a line. Outputs
are left out. What is read is Python; prose, magics and other languages become
comments, so that a line of the text is a line of the file.
"""

from __future__ import annotations

import json
import re

from . import python
from .source import Findings, Source

_KIND = re.compile(rb"^[ \t]*+\"cell_type\"[ \t]*+:[ \t]*+\"(\w{1,20})\"", re.MULTILINE)
_SOURCE = re.compile(rb"^[ \t]*+\"(?:source|input)\"[ \t]*+:[ \t]*+(\[)?")
_LINE = re.compile(rb"[ \t]*+(\"(?:[^\"\\]|\\.)*+\")[ \t]*+(?:,|\]|$)")
_CLOSED = re.compile(rb"\][ \t]*+,?[ \t]*+$")
_CLOSING = re.compile(rb"(?:[ \t]*+\"(?:[^\"\\]|\\.)*+\")?[ \t]*+\]")
_LANGUAGE = re.compile(rb"\"language\"[ \t]*+:[ \t]*+\"(\w{1,40})\"")
# A cell whose first line says so is in another language, but for those of these, and those that are written to a
# module; a variable for the file leaves it to the language of the notebook.
_FOREIGN = re.compile(
    rb"[ \t]*+\"%%(?!(?:time|timeit|capture|prun|python3?|debug|memit|mprun|lprun)\b"
    rb"|(?:write)?file[ \t]+(?:-\w[ \t]+|--append[ \t]+)?(?:[^\s\"]{1,300}\.pyi?|\$\w+|\{\w+\})[ \t]*(?:\\n)?\")\w"
)
_TITLE = re.compile(rb"^#[ ]#{1,6}[ ](.+)$", re.MULTILINE)


def unwrap(data: bytes) -> bytes:
    """The cells as lines of Python, line for line."""
    named = _LANGUAGE.search(data)
    foreign = named is not None and named[1].lower() not in (b"python", b"ipython")
    rows: list[bytes] = []
    code = inside = False
    for row in data.splitlines():
        kind = _KIND.match(row)
        if kind:
            code = kind[1] == b"code" and not foreign
        said = b""
        opening = None if inside else _SOURCE.match(row)
        if opening:
            inside = opening[1] is not None and not _CLOSED.search(row)
            row = row[opening.end() :]
            said = _said(row, code)
        elif inside:
            said = _said(row, code)
            inside = _CLOSING.match(row) is None
        if said and _FOREIGN.match(row):
            code = False  # what follows in this cell
        rows.append(said)
    return b"\n".join(rows) + b"\n"


def _said(row: bytes, code: bool) -> bytes:
    """The text that a line of JSON holds; several lines in one string become one comment."""
    match = _LINE.match(row)
    if match is None:
        return b""
    try:
        text = str(json.loads(match[1])).rstrip("\n").encode("utf-8", "replace")
    except ValueError:
        return b""
    if not code or text.lstrip().startswith((b"%", b"!", b"?")) or b"\n" in text or b"\r" in text:
        text = b"# " + b" ".join(text.splitlines()) if text.strip() else b""
    return text


def extract(source: Source, language: str) -> Findings:
    """What a notebook says: as Python, and the headings of its prose."""
    found = python.extract(source, language)
    for match in _TITLE.finditer(source.text):
        found.headings.append((match[1].decode("utf-8", "replace").strip(), source.line(match.start())))
    return found
