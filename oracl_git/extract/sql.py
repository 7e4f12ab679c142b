"""SQL: the tables, views, types and routines that statements create, and the scripts that clients read in.

Knows the statements that most dialects share, with their quotes; what stands in
strings and in the bodies of routines is none, and what variables of psql are set to
in plain words. Knows no columns.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from .chunks import by_definitions
from .facts import Definition
from .generic import refer_comments
from .paths import paths
from .source import Findings, Source, blank
from .syntax import documented

# What is no statement, and quoted names, in which none of it begins; each starts with a literal, which is fast.
_ASIDE = re.compile(
    rb"--[^\n]*+|/\*(?:.*?\*/|.*+)"
    rb"|'(?<![\w$][eE]')(?<=[eE]')(?:[^'\\]|\\.)*+'?|'[^']*+'?"
    rb"|\"[^\"\n]*+\"|`[^`\n]*+`|(\$(?<![\w$]\$)(?:[A-Za-z_\x80-\xff][\w\x80-\xff]{0,60})?\$)(?:.*?\1|.*+)",
    re.DOTALL,
)
_PART = (
    rb"(?:[A-Za-z_\x80-\xff][\w$#\x80-\xff]{0,200}+|\"(?:[^\"\n]|\"\"){1,200}\"(?!\")"
    rb"|`(?:[^`\n]|``){1,200}`(?!`)|\[(?:[^\]\n]|\]\]){1,200}\](?!\]))"
)
_QUOTES = {b'"': b'"', b"`": b"`", b"[": b"]"}
_CREATED = re.compile(
    rb"^[ \t]*+create\s++(?:or\s++(?:replace|alter)\s++)?"
    rb"(?:(?:global|local|temp|temporary|unlogged|external|foreign|materialized|recursive|constraint|virtual)\s++){0,3}"
    rb"(table|view|type|domain|function|procedure|trigger|sequence|schema)\s++(?:if\s++not\s++exists\s++)?+"
    rb"(?!authorization\b)(" + _PART + rb"(?:\s{0,5}\.\s{0,5}" + _PART + rb"){0,3})",
    re.MULTILINE | re.IGNORECASE,
)
_READ_IN = re.compile(
    rb"^[ \t]*+(?:\\(?:i|ir|include|include_relative)[ \t]++|source[ \t]++|\.read[ \t]++|:r[ \t]++)"
    rb"(?:[\"']?(?P<path>[\w./-]{1,200}\.\w{1,10})|:[\"']?(?P<variable>\w{1,100}))"
    rb"|^[ \t]*+@{1,2}[\"']?(?:(?:__\w{1,40}__|&{1,2}\w++|\$\{?\w++\}?|\?)/)?(?P<script>[\w./-]{1,200})(?=[\"';\s]|\Z)",
    re.MULTILINE | re.IGNORECASE,
)
# psql: \\set NAME value; SELECT format('a/%s.sql', :'OTHER') AS "NAME" \\gset
_SET = re.compile(
    rb"^[ \t]*+\\set[ \t]++(\w{1,100})[ \t]++'?([\w./-]{1,200})'?[ \t]*+$"
    rb"|\bformat[ \t]*+\([ \t]*+'([\w./%-]{1,200})'[ \t]*+,[ \t]*+:'(\w{1,100})'"
    rb"[ \t]*+\)[ \t]*+as[ \t]++\"?(\w{1,100})",
    re.MULTILINE | re.IGNORECASE,
)
_KINDS = {b"type": "type", b"domain": "type", b"sequence": "constant", b"schema": "module"}
_ROUTINES = (b"function", b"procedure", b"trigger")


def extract(source: Source, language: str) -> Findings:
    """What a script says."""
    found = Findings()
    aside = [match.span() for match in _ASIDE.finditer(source.text) if match[0][:1] not in _QUOTES]
    comments = [span for span in aside if source.text[span[0]] in b"-/"]
    refer_comments(source, comments, found)
    text = blank(source.text, comments)
    taken, given = [], []
    values = _variables(text)
    for match in _READ_IN.finditer(text):
        place, variable = match.start(), match["variable"]
        name = ((values(variable, place) if variable else match["path"]) or match["script"] or b"").decode()
        taken.append(match.span())
        if not name:
            continue
        if "." not in name.rpartition("/")[2]:
            name += ".sql"  # as SQL*Plus has it
        found.refer("path", name, "", source.line(place))
        if match["script"]:  # which hands the rest of its line on
            given.append(source.line(place))
    handed = set(given)
    for offset, (path, anchor) in paths(blank(text, taken)):
        line = source.line(offset)
        found.refer("path" if line in handed else "mention", path, anchor, line)
    code = blank(source.text, aside)
    created = list(_CREATED.finditer(code))
    ends = [match.start() for match in created[1:]] + [len(code)]
    for match, end in zip(created, ends, strict=False):
        _define(source, code, match, end, found)
    if found.definitions:
        found.sections = by_definitions(source.rows, found.definitions)
    return found


def _variables(text: bytes) -> Callable[[bytes, int], bytes]:
    """What a variable of psql is set to at an offset; b"" when nobody says."""
    said: dict[bytes, list[tuple[int, bytes]]] = {}

    def value(name: bytes, place: int) -> bytes:
        rows = said.get(name, [])
        index = bisect_left(rows, (place,)) - 1
        return rows[index][1] if index >= 0 else b""

    for match in _SET.finditer(text):
        name, known = match[1] or match[5], match[2]
        if match[3] and match[3].count(b"%s") == 1:
            inner = value(match[4], match.start())
            known = match[3].replace(b"%s", inner) if inner else b""
        said.setdefault(name, []).append((match.start(), known or b""))
    return value


def _define(source: Source, code: bytes, match: re.Match[bytes], end: int, found: Findings) -> None:
    """A definition, to the end of its statement, or where the next one begins."""
    keyword = match[1].lower()
    name = b".".join(_unquoted(part) for part in re.findall(_PART, match[2])).decode("utf-8", "replace")
    kind = "function" if keyword in _ROUTINES else _KINDS.get(keyword, "class")
    stop = code.find(b";", match.end(), end)
    last = stop if stop >= 0 else match.start() + len(source.text[match.start() : end].rstrip()) - 1
    first = source.line(match.start(1))
    documents = documented(source.rows, first, (b"--", b"/*"))
    found.definitions.append(Definition(name, kind, first, max(first, source.line(last)), True, documents))


def _unquoted(name: bytes) -> bytes:
    """A name without its quotes; one that stands in it is written twice."""
    quote = _QUOTES.get(name[:1])
    return name[1:-1].replace(quote * 2, quote) if quote else name
