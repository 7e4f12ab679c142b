"""SQL: the tables, views, types and routines that statements create, and the scripts that clients read in.

Knows the statements that most dialects share, with their quotes; what stands in
strings and in the bodies of routines is none. Knows no columns.
"""

from __future__ import annotations

import re

from .chunks import by_definitions
from .facts import Definition
from .generic import refer_comments
from .paths import paths
from .source import Findings, Source, blank
from .syntax import documented

_ASIDE = re.compile(
    rb"(?P<comment>--[^\n]*+|/\*(?:.*?\*/|.*+))|'[^']*+'?|(?P<tag>\$[A-Za-z_]{0,60}\$)(?:.*?(?P=tag)|.*+)", re.DOTALL
)
_PART = rb"(?:[A-Za-z_][\w$#]{0,200}+|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|\[[^\]\n]{1,200}\])"
_CREATED = re.compile(
    rb"^[ \t]*+create\s++(?:or\s++(?:replace|alter)\s++)?"
    rb"(?:(?:global|local|temp|temporary|unlogged|external|materialized|recursive|constraint|virtual)\s++){0,3}"
    rb"(table|view|type|domain|function|procedure|trigger|sequence|schema)\s++(?:if\s++not\s++exists\s++)?"
    rb"(" + _PART + rb"(?:\s{0,5}\.\s{0,5}" + _PART + rb"){0,3})",
    re.MULTILINE | re.IGNORECASE,
)
_READ_IN = re.compile(
    rb"^[ \t]*+(?:\\(?:i|ir|include|include_relative)[ \t]++|source[ \t]++|\.read[ \t]++|:r[ \t]++)"
    rb"[\"']?([\w./-]{1,200}\.\w{1,10})"
    rb"|^[ \t]*+@{1,2}[\"']?(?:(?:__\w{1,40}__|&{1,2}\w++|\$\{?\w++\}?|\?)/)?([\w./-]{1,200})(?=[\"';\s]|\Z)",
    re.MULTILINE | re.IGNORECASE,
)
_KINDS = {b"type": "type", b"domain": "type", b"sequence": "constant", b"schema": "module"}
_ROUTINES = (b"function", b"procedure", b"trigger")


def extract(source: Source, language: str) -> Findings:
    """What a script says."""
    found = Findings()
    aside = [(match.start(), match.end(), match.lastgroup == "comment") for match in _ASIDE.finditer(source.text)]
    comments = [(start, end) for start, end, comment in aside if comment]
    refer_comments(source, comments, found)
    text = blank(source.text, comments)
    taken = []
    for match in _READ_IN.finditer(text):
        name = (match[1] or match[2]).decode()
        if "." not in name.rpartition("/")[2]:
            name += ".sql"  # as SQL*Plus has it
        found.refer("path", name, "", source.line(match.start()))
        taken.append(match.span())
    for offset, (path, anchor) in paths(blank(text, taken)):
        found.refer("mention", path, anchor, source.line(offset))
    code = blank(source.text, [row[:2] for row in aside])
    created = list(_CREATED.finditer(code))
    ends = [match.start() for match in created[1:]] + [len(code)]
    for match, end in zip(created, ends, strict=False):
        _define(source, code, match, end, found)
    if found.definitions:
        found.sections = by_definitions(source.rows, found.definitions)
    return found


def _define(source: Source, code: bytes, match: re.Match[bytes], end: int, found: Findings) -> None:
    """A definition, to the end of its statement, or where the next one begins."""
    keyword = match[1].lower()
    name = re.sub(rb"[\"`\[\]\s]", b"", match[2]).decode("utf-8", "replace")
    kind = "function" if keyword in _ROUTINES else _KINDS.get(keyword, "class")
    stop = code.find(b";", match.end(), end)
    last = stop if stop >= 0 else match.start() + len(source.text[match.start() : end].rstrip()) - 1
    first = source.line(match.start(1))
    documents = documented(source.rows, first, (b"--", b"/*"))
    found.definitions.append(Definition(name, kind, first, max(first, source.line(last)), True, documents))
