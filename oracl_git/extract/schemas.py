"""Protocol Buffers, Thrift and GraphQL: what a schema imports, and the types it declares.

Knows declarations by their first words and their braces. Knows no types of
fields, except of GraphQL: the files of a schema share one space of names, which
are declared under "graphql".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from . import syntax
from .chunks import by_definitions
from .facts import Definition
from .generic import refer_comments
from .languages import language as language_row
from .paths import paths
from .source import Findings, Source, blank

_QUOTED = rb"\\.|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"  # what is escaped opens no string
_C = re.compile(rb"(?P<comment>//[^\n]*+|/\*(?:.*?\*/|.*+))|" + _QUOTED, re.DOTALL)
_DEEPEST = 50  # types in types
_DESCRIPTION_GAP = 200  # bytes between a description and what it describes


class Schema(NamedTuple):
    """How a language of schemas is read."""

    aside: re.Pattern[bytes]  # comments, and strings
    imports: re.Pattern[bytes]  # in the text without comments
    declares: re.Pattern[bytes]  # (keyword, name), and what follows a declaration for certain
    kinds: dict[bytes, str]  # keyword → kind of definition; others hold some, but are none


_SCHEMAS = {
    "proto": Schema(
        _C,
        re.compile(rb"^[ \t]*+import\s++(?:(?:public|weak|option)\s++)?[\"']([^\"'\n]{1,300})[\"']", re.MULTILINE),
        re.compile(rb"(?<![\w.])(message|enum|service|rpc|extend)\s++([A-Za-z_.][\w.]{0,200}+)\s*+(?=[{(])"),
        {b"message": "class", b"enum": "class", b"service": "interface", b"rpc": "method"},
    ),
    "thrift": Schema(
        re.compile(rb"(?P<comment>//[^\n]*+|#[^\n]*+|/\*(?:.*?\*/|.*+))|" + _QUOTED, re.DOTALL),
        re.compile(rb"^[ \t]*+include\s++[\"']([^\"'\n]{1,300})[\"']", re.MULTILINE),
        re.compile(
            rb"(?<![\w.])(struct|union|exception|enum|service)\s++([A-Za-z_]\w{0,200}+)\s*+"
            rb"(?=\{|extends\b|xsd_all\b)"
        ),
        dict.fromkeys((b"struct", b"union", b"exception", b"enum"), "class") | {b"service": "interface"},
    ),
    "graphql": Schema(
        re.compile(rb"(?P<comment>#[^\n]*+)|\"\"\"(?:.*?\"\"\"|.*+)|\\.|\"(?:[^\"\\\n]|\\.)*+\"", re.DOTALL),
        re.compile(
            rb"^[ \t]*+#[ \t]*+import[ \t]++(?:[^\"'\n]{0,300}?from[ \t]++)?[\"']([^\"'\n]{1,300})", re.MULTILINE
        ),
        re.compile(
            rb"^[ \t]{0,40}+((?:extend[ \t]++)?(?:type|interface|enum|input|union|scalar|directive|fragment|query"
            rb"|mutation|subscription|schema))\b(?![ \t]*+:)[ \t]*+@?([A-Za-z_]\w{0,200}+)?",
            re.MULTILINE,
        ),
        dict.fromkeys((b"type", b"enum", b"input"), "class")
        | dict.fromkeys((b"union", b"scalar"), "type")
        | dict.fromkeys((b"directive", b"fragment", b"query", b"mutation", b"subscription"), "function")
        | {b"interface": "interface"},
    ),
}
_TOKENS = {name: re.compile(schema.declares.pattern + rb"|([{}])", re.MULTILINE) for name, schema in _SCHEMAS.items()}
# Where names of GraphQL stand that other files may define, with the sign of their kind; a colon comes before types in
# schemas alone. Each begins with a literal, which is found fast.
_NAME = rb"([A-Za-z_]\w*+)"
_USED = (
    ("@", re.compile(rb"@" + _NAME)),
    ("...", re.compile(rb"\.\.\.[ \t]*+(?!on\b)" + _NAME)),
    ("", re.compile(rb"on(?<!\won)\s++" + _NAME)),
    ("", re.compile(rb"\$\w++[ \t]*+:[\s\[]*+" + _NAME)),
)
_TYPED = (
    ("", re.compile(rb":[\s\[]*+" + _NAME)),
    ("", re.compile(rb"[&|]\s*+" + _NAME)),
    ("", re.compile(rb"implements(?<!\wimplements)[\s&]{1,80}+" + _NAME)),
    ("", re.compile(rb"extend(?<!\wextend)\s++\w++\s++" + _NAME)),
    ("", re.compile(rb"union(?<!\wunion)\s++\w++[^={}\n]{0,200}=\s*+" + _NAME)),
)
_APPLIED = re.compile(rb"(?:directive[ \t]++)?@\w++[ \t]*+(\([^()]*+\))")
_SCHEMA = re.compile(rb"^[ \t]{0,40}+(?:extend|type|interface|input|union|directive|schema)[ \t]++[\w@{]", re.MULTILINE)
_KNOWN = frozenset("Int Float String Boolean ID @include @skip @deprecated @specifiedBy @oneOf".split())
_RUN = frozenset((b"query", b"mutation", b"subscription"))  # what nothing else can name
_SIGNS = {b"directive": "@", b"fragment": "..."}  # kinds whose names are apart from those of types


class _Open(NamedTuple):
    """A declaration whose end is not seen yet, by its offsets; no name: a brace that is none."""

    name: str
    keyword: bytes
    start: int
    end: int  # of its head


def extract(source: Source, language: str) -> Findings:
    """What a schema says."""
    found = Findings()
    schema = _SCHEMAS[language]
    text = source.text
    aside = [(match.start(), match.end(), match.lastgroup == "comment") for match in schema.aside.finditer(text)]
    comments = [(start, end) for start, end, comment in aside if comment]
    strings = [(start, end) for start, end, comment in aside if not comment]
    refer_comments(source, comments, found)
    said = text if language == "graphql" else blank(text, comments)  # comments of GraphQL import
    taken = [(match.start(), match.end()) for match in schema.imports.finditer(said)]
    for match in schema.imports.finditer(said):
        found.refer("import", match[1].decode("utf-8", "replace"), "", source.line(match.start(1)))
    for offset, (path, anchor) in paths(blank(text, sorted(comments + taken))):
        found.refer("mention", path, anchor, source.line(offset))
    code = blank(text, [row[:2] for row in aside])
    heads = strings if language == "graphql" else []
    _declarations(source, code, language, heads, found)
    if language == "graphql":
        _names(source, code, found)
    if found.definitions:
        found.sections = by_definitions(source.rows, found.definitions)
    return found


def _declarations(source: Source, code: bytes, language: str, heads: list[tuple[int, int]], found: Findings) -> None:
    """The declarations; of those in others the name begins with theirs. `heads` are descriptions."""
    kinds, docs = _SCHEMAS[language].kinds, tuple(language_row(language).docs.encode().split())
    ends = [end for _, end in heads]
    stack: list[_Open] = []
    waiting: _Open | None = None  # whose block may still begin

    def close(each: _Open, end: int) -> None:
        kind = kinds.get(each.keyword)
        if not kind or not each.name:
            return
        start = _described(code, heads, ends, each.start)
        first, line = source.line(start), source.line(each.start)
        documents = start != each.start or syntax.documented(source.rows, line, docs)
        public = not each.name.rpartition(".")[2].startswith("_")
        row = Definition(each.name, kind, first, max(line, source.line(max(end - 1, each.start))), public, documents)
        found.definitions.append(row)
        if language == "graphql" and each.keyword not in _RUN:
            found.declares.append(("graphql", _SIGNS.get(each.keyword, "") + each.name))

    for match in _TOKENS[language].finditer(code):
        brace, place = match[3], match.start(3) if match[3] else match.start(1)
        if waiting:
            head = code[waiting.end : place]
            stop = head.find(b";")
            if stop >= 0 or brace != b"{":
                close(waiting, waiting.end + (stop + 1 if stop >= 0 else len(head.rstrip())))
                waiting = None
        if brace == b"{":
            stack.append(waiting or _Open("", b"", place, place))
            waiting = None
        elif brace:
            if stack:
                close(stack.pop(), place + 1)
        elif len(stack) < _DEEPEST and not (language == "graphql" and stack):
            around = next((each.name for each in reversed(stack) if each.name), "")
            name = (match[2] or b"").decode("utf-8", "replace").strip(".")
            waiting = _Open(f"{around}.{name}" if around and name else name, match[1], place, match.end())
    last = len(code.rstrip())
    for each in (*stack, *((waiting,) if waiting else ())):
        close(each, last)
    found.definitions.sort(key=lambda each: (each.start, -each.end))


def _described(code: bytes, heads: list[tuple[int, int]], ends: list[int], start: int) -> int:
    """Where what begins at an offset begins with its description."""
    index = bisect_left(ends, start + 1) - 1
    if index >= 0 and start - ends[index] < _DESCRIPTION_GAP and not code[ends[index] : start].strip():
        return heads[index][0]
    return start


def _names(source: Source, code: bytes, found: Findings) -> None:
    """Note the types, fragments and directives that a file uses and does not define."""
    if b"@" in code:  # what is given to a directive are values, not types
        given = (match.span(1) for match in _APPLIED.finditer(code) if not match[0].startswith(b"directive"))
        code = blank(code, given)
    known = {*_KNOWN, *(name for _, name in found.declares)}
    for sign, pattern in _USED + _TYPED if _SCHEMA.search(code) else _USED:
        seen: set[bytes] = set()
        for match in pattern.finditer(code):
            if match[1] not in seen:
                seen.add(match[1])
                name = sign + match[1].decode()
                if name not in known:
                    found.refer("use", "", name, source.line(match.start(1)))
            if len(seen) >= syntax.MAX_USES:
                break
