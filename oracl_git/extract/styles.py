"""Style sheets: what they import, the files they show, and what can be mixed in or called.

Knows CSS, SCSS, indented Sass and Less by their statements, which begin with
words of their own; no grammar reads all four. Knows no selectors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice

from .facts import Definition
from .generic import comment_spans, refer_comments
from .languages import language as language_row
from .links import add_link, local
from .paths import paths
from .source import Findings, Source, blank
from .syntax import documented

# What names other style sheets: one, or several in a list.
_IMPORT = re.compile(
    rb"@(?:import|use|forward|reference|config|plugin)\b[ \t]*+"
    rb"((?:[^;{}\n\"']|\"[^\"\n]*+\"|'[^'\n]*+'|\n[ \t]+(?=[\"']))++)"
)
_SASS_BARE = re.compile(
    rb"^[ \t]*+@import[ \t]++([\w./-]{1,200}(?:,[ \t]*+[\w./-]{1,200}){0,20})[ \t]*+$", re.MULTILINE
)
_FROM = re.compile(
    rb"(?:(?:\bcomposes:|@value\b)[^;{}\n]{1,300}?\bfrom\s{1,10}|\bload-css\(\s{0,20})[\"']([^\"'\n]{1,300})[\"']"
)
_QUOTED = re.compile(rb"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'|url\(\s{0,20}([^\"'()\s]{1,300})\s{0,20}\)")
_URL = re.compile(rb"\burl\(\s{0,20}[\"']?([^\"'()\s]{1,300})[\"']?\s{0,20}\)")
BY_IMPORT = "@import"  # the name of what Sass imports by this rule, which alone sees files made for it
_CLOSING = re.compile(rb"\n\}")
_MOST = 10_000  # definitions of one file
_WITH = re.compile(rb"\bwith[ \t]*\(|\b(?:as|show|hide|layer|supports)\b")  # what follows names no file
_DEFINED = re.compile(
    rb"^(?:@(?:mixin|function)[ \t]++([\w-]{1,200}+)|[=]([\w-]{1,200}+)|(%[\w-]{1,200}+)[^;\n]{0,200}\{"
    rb"|\.([\w-]{1,200}+)\([^;{}\n]{0,200}\)[^;{}\n]{0,200}\{|([$@][\w-]{1,200}+)[ \t]*+:(?![^;\n]{0,300}\{))",
    re.MULTILINE,
)


def extract(source: Source, language: str) -> Findings:
    """What a style sheet says."""
    found = Findings()
    text = source.text
    comments = comment_spans(text, language_row(language).comments)
    refer_comments(source, comments, found)
    code = refer(source, blank(text, comments) if comments else text, language, found)
    for offset, (path, anchor) in paths(code):
        found.refer("mention", path, anchor, source.line(offset))
    if language != "css":
        _definitions(source, code, tuple(language_row(language).docs.encode().split()), found)
    return found


def refer(source: Source, code: bytes, language: str, found: Findings) -> bytes:
    """Note what style rules import and show; returns the text without it."""
    taken = []
    for match in _IMPORT.finditer(code):
        said = match[1]
        extra = _WITH.search(said)
        rule = BY_IMPORT if language == "scss" and match[0].startswith(b"@import") else ""
        for name in _QUOTED.finditer(said[: extra.start()] if extra else said):
            _import(found, name[1] or name[2] or name[3], source.line(match.start(1) + name.start()), rule)
        taken.append(match.span())
    if language == "scss":
        for match in _SASS_BARE.finditer(code):
            for bare in match[1].split(b","):
                _import(found, bare.strip(), source.line(match.start(1)), BY_IMPORT)
    for match in _FROM.finditer(code):
        _import(found, match[1], source.line(match.start(1)))
    code = blank(code, taken) if taken else code
    for match in _URL.finditer(code):
        add_link(found, match[1], source.line(match.start(1)))
    return code


def _import(found: Findings, name: bytes, line: int, rule: str = "") -> None:
    path, _ = local(name.removeprefix(b"pkg:"))
    if path:
        found.refer("import", path, rule, line)


def _definitions(source: Source, code: bytes, docs: tuple[bytes, ...], found: Findings) -> None:
    closing = [match.start() for match in _CLOSING.finditer(code)]
    for match in islice(_DEFINED.finditer(code), _MOST):
        *called, variable = match.groups()
        name = next(filter(None, (*called, variable))).decode()
        kind = "constant" if variable else "function"
        line = source.line(match.start())
        end = line if variable else _end(source, code, match.start(), line, closing)
        public = not name.lstrip("$@%").startswith(("_", "-"))
        found.definitions.append(Definition(name, kind, line, end, public, documented(source.rows, line, docs)))


def _end(source: Source, code: bytes, start: int, line: int, closing: list[int]) -> int:
    """The line of the brace that closes at the beginning of a line; of indented Sass, the last indented one."""
    brace = code.find(b"{", start, source.ends[line - 1])
    if brace >= 0:
        if code.find(b"}", brace, source.ends[line - 1]) >= 0:
            return line
        following = bisect_left(closing, brace)
        return source.line(closing[following] + 1) if following < len(closing) else line
    for last in range(line, len(source.rows)):
        if source.rows[last].strip() and source.rows[last][:1] not in b" \t":
            return last
    return len(source.rows)
