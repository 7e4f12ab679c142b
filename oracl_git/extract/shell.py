"""Shell and PowerShell: functions, and the files and modules a script sources or runs.

Knows commands by the words before a path. Expands nothing: of "$DIR/lib.sh"
the part after the variable is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from .chunks import by_definitions
from .facts import Definition
from .generic import comment_spans, refer_comments
from .paths import path_like, paths
from .source import Findings, Source, blank

_FUNCTION = re.compile(
    rb"^[ \t]{0,40}+"
    rb"(?:function[ \t]++([\w:.-]{1,200}+)|([A-Za-z_][\w:.-]{0,200}+)[ \t]*+\([ \t]*+\)[ \t]*+(?=[\n({#]|\Z))",
    re.MULTILINE,
)
_FUNCTION_PS = re.compile(
    rb"^[ \t]{0,40}(?:function|filter)[ \t]++(?:global:|script:)?([\w-]{1,200})", re.MULTILINE | re.IGNORECASE
)
_RUN = re.compile(
    rb"(?:^|[;&|(!{`]|(?<![\w-])(?:then|do|else|exec|sudo|time|env|command|nohup|source|bash|sh|dash|zsh|ksh|run"
    rb"|python[\d.]{0,5}|node|deno|ruby|perl|pwsh|powershell|Import-Module|Invoke-Expression)|(?:^|[ \t;&|(])\.)"
    rb"(?:[ \t]++-{1,2}[\w=-]{1,40}){0,6}[ \t]*+[\"']?(?:&[ \t]*+[\"']?)?$",
    re.IGNORECASE,
)
_AFTER_VARIABLE = re.compile(
    rb"(?:\$\{?\w{1,60}[^}\s/\"']{0,60}\}?|\$\([^()\n]{0,100}(?:\([^()\n]{0,60}\)[^()\n]{0,60})?\))\"?/([\w./+-]{1,200})"
)
_LOOP = re.compile(rb"\bfor[ \t]++(\w{1,60})[ \t]++in[ \t]++([^\n;]{0,200}?\*[\w.-]{1,60}\"?)[ \t]*+(?=[;\n])")
_LOOPED = 1_000  # bytes of a loop in which it is looked for that it sources each file
_BRACES = re.compile(rb"^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$")
_SOURCED = re.compile(
    rb"(?:^|[;&|]|\b(?:then|do|else))[ \t]*+(?:source|\.)[ \t]++"
    rb"([^\s;&|<>()]{0,200}\{[^\s;&|<>()$]{1,200},[^\s;&|<>()]{1,200})",
    re.MULTILINE,
)
_DIRECTORY = re.compile(rb"^[\"']*+(?:\$\{?\w{1,60}[^}\s/\"']{0,60}\}?\"?/)?")
_MODULE = re.compile(rb"\bpython[\d.]{0,5}[ \t]++(?:-[A-Zbdu]{1,9}[ \t]++){0,4}-m[ \t]++([A-Za-z_][\w.]{0,200})")
_TEXT = re.compile(rb"(?<!<)<<-?[ \t]*[\"'\\]?([A-Za-z_]\w{0,60})")
_LONGEST = 500  # lines of a function; beyond, its end is not looked for
_BACKSLASH = bytes.maketrans(b"\\", b"/")


def extract(source: Source, language: str) -> Findings:
    """What a script says."""
    found = Findings()
    text = source.text
    powershell = language == "powershell"
    spans = comment_spans(text, "powershell" if powershell else "hash")
    refer_comments(source, spans, found)
    code = blank(text, spans)
    words = code.translate(_BACKSLASH) if powershell else code
    for offset, (path, anchor) in paths(words):
        row = source.start(source.line(offset))
        runs = _RUN.search(code[max(row, offset - 200) : offset])
        found.refer("path" if runs else "mention", path, anchor, source.line(offset))
    for match in _AFTER_VARIABLE.finditer(words):
        tail = match[1].lstrip(b"/")
        hit = path_like(tail)
        row = source.start(source.line(match.start()))
        runs = _RUN.search(code[max(row, match.start() - 200) : match.start()])
        if hit and runs and b"/" not in tail and not powershell:  # nothing is known of the directory
            found.refer("file", hit[0], "above", source.line(match.start(1)))
        elif hit:
            found.refer("path" if runs else "mention", hit[0], hit[1], source.line(match.start(1)))
        elif runs and b"/" not in tail and tail.strip(b"."):  # beside the script, if anywhere
            found.refer("file", tail.decode(), "", source.line(match.start(1)))
    if not powershell:
        _many(source, code, found)
    for match in _MODULE.finditer(code):
        found.refer("module", match[1].decode().rstrip("."), "", source.line(match.start()))
    _functions(source, code if powershell else _without_texts(code), powershell, found)
    if found.definitions:
        found.sections = by_definitions(source.rows, found.definitions)
    found.entry_point = text.startswith(b"#!")
    return found


def _many(source: Source, code: bytes, found: Findings) -> None:
    """What is sourced by a pattern: file by file in a loop, or by alternatives in braces."""
    for match in _LOOP.finditer(code):
        body = code[match.end() : match.end() + _LOOPED].partition(b"\ndone")[0]
        if re.search(rb"(?<![\w.])(?:source|\.)[ \t]++\"?\$\{?%s\b" % match[1], body):
            words = match[2].split()
            pattern = _DIRECTORY.sub(b"", words[-1]).replace(b'"', b"")
            if not pattern.startswith((b"/", b"~", b"$", b".", b"*.*")):
                found.refer("file", pattern.decode("utf-8", "replace"), "", source.line(match.start(2)))
    for match in _SOURCED.finditer(code):
        parts = _BRACES.match(_DIRECTORY.sub(b"", match[1]).replace(b'"', b""))
        for each in parts[2].split(b",") if parts else ():
            name = b"%s%s%s" % (parts[1], each, parts[3]) if parts else b""
            if hit := path_like(name):
                found.refer("path", hit[0], hit[1], source.line(match.start(1)))


def _without_texts(code: bytes) -> bytes:
    """Without what stands between "<<EOF" and "EOF": it is text, whatever it looks like."""
    starts = list(_TEXT.finditer(code))
    if not starts:
        return code
    ends: dict[bytes, list[int]] = {match[1]: [] for match in starts}
    position = 0
    for row in code.splitlines(keepends=True):
        word = row.strip()
        if word in ends:
            ends[word].append(position)
        position += len(row)
    texts = []
    position = 0
    for match in starts:
        places = ends[match[1]]
        index = bisect_left(places, match.end())
        if match.start() >= position and index < len(places):
            position = places[index]
            texts.append((code.index(b"\n", match.end()), position))
    return blank(code, texts)


def _functions(source: Source, code: bytes, powershell: bool, found: Findings) -> None:
    """Functions, each to its closing brace or, failing that, its first line."""
    rows = source.rows
    places: list[tuple[int, int, str]] = []  # line, indentation, name
    for match in (_FUNCTION_PS if powershell else _FUNCTION).finditer(code):
        group = match.lastindex or 1
        line = source.line(match.start(group))
        row = rows[line - 1]
        places.append((line, len(row) - len(row.lstrip()), match[group].decode()))
    for index, (line, indent, name) in enumerate(places):
        limit = min(line + _LONGEST, len(rows))
        if index + 1 < len(places) and places[index + 1][1] <= indent:
            limit = min(limit, places[index + 1][0] - 1)
        end = line if rows[line - 1].rstrip().endswith(b"}") else _closing(rows, line, limit, indent)
        found.definitions.append(Definition(name, "function", line, end, not name.startswith("_"), False))


def _closing(rows: list[bytes], start: int, limit: int, indent: int) -> int:
    """The line of the brace that closes at the indentation of the definition."""
    for number in range(start, limit):
        row = rows[number]
        if row[indent : indent + 1] in (b"}", b")") and not row[:indent].strip():
            return number + 1
    return start
