"""Any language: comments, path-like words, and definitions by the look of their lines.

Knows comment syntax by family, and through looks.py what a definition's line
looks like. Knows no scopes and no types: good enough to give chunks and names
where no parser is at hand.
"""

from __future__ import annotations

import re

from .chunks import by_definitions, is_lead
from .facts import Definition
from .languages import language as language_row
from .looks import definition_lines
from .paths import paths, paths_in
from .source import Findings, Source, blank

# A sign that a backslash stands before opens nothing; else each quote of a string that never ends would be tried.
_ESCAPED = rb"\\.|"
_STRING = _ESCAPED + rb"\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"
_C = rb"|(?P<comment>//[^\n]*+|/\*(?:.*?\*/|.*+))|`(?:[^`\\]|\\.)*+`"

COMMENTS = {
    # Strings come first: a comment sign inside one is text. What must not stand before a sign is looked at from
    # behind it: each way begins with a letter of its own, which the engine skips fast to.
    "c": re.compile(_STRING + _C, re.DOTALL),
    "css": re.compile(_STRING + rb"|(?P<comment>/\*(?:.*?\*/|.*+))", re.DOTALL),
    # The address of a file has slashes too: url(//x), url(https://x).
    "scss": re.compile(_STRING + rb"|url\([^()\n]*+\)?|(?P<comment>//(?<!://)[^\n]*+|/\*(?:.*?\*/|.*+))", re.DOTALL),
    "rust": re.compile(
        rb"r#\"(?:.*?\"#|.*+)|r##\"(?:.*?\"##|.*+)|r###\"(?:.*?\"###|.*+)|\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\\n]|\\[^\n]{1,9})'"
        rb"|(?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)",
        re.DOTALL,
    ),
    "hash": re.compile(_STRING + rb"|(?P<comment>#(?<![^\s;]#)[^\n]*+)"),
    "ini": re.compile(rb"^[ \t]*+(?P<comment>[#;][^\n]*+)", re.MULTILINE),
    "slash-lines": re.compile(rb"^[ \t]*+(?P<comment>//[^\n]*+)", re.MULTILINE),
    "dash": re.compile(_STRING + rb"|(?P<comment>--\[\[(?:[^\]]|\](?!\]))*+|--[^\n]*+|/\*(?:.*?\*/|.*+))", re.DOTALL),
    "semicolon": re.compile(_ESCAPED + rb"\"(?:[^\"\\]|\\.)*+\"|(?P<comment>;[^\n]*+)", re.DOTALL),
    "percent": re.compile(_STRING + rb"|(?P<comment>%[^\n]*+)"),
    "rem": re.compile(rb"^[ \t]*+@?(?P<comment>(?:rem\b|::)[^\n]*+)", re.MULTILINE | re.IGNORECASE),
    # "{{#if" opens a block.
    "markup": re.compile(rb"(?P<comment><!--(?:[^-]|-(?!->))*+|\{#(?<!\{\{#)(?:[^#]|#(?!\}))*+)"),
    "xml": re.compile(rb"(?P<comment><!--(?:[^-]|-(?!->))*+)"),
    "powershell": re.compile(_STRING + rb"|(?P<comment><#(?:[^#]|#(?!>))*+|#(?<![^\s;]#)[^\n]*+)"),
}
_SIGNS = {
    "c": (b"//", b"/*"),
    "css": (b"/*",),
    "scss": (b"//", b"/*"),
    "rust": (b"//", b"/*"),
    "dash": (b"--", b"/*"),
    "semicolon": (b";",),
    "percent": (b"%",),
    "ini": (b"#", b";"),
    "slash-lines": (b"//",),
    "markup": (b"<!--", b"{#"),
    "xml": (b"<!--",),
}


def comment_spans(text: bytes, family: str) -> list[tuple[int, int]]:
    """Where the comments are."""
    pattern = COMMENTS.get(family)
    if pattern is None or not any(sign in text for sign in _SIGNS.get(family, (b"#",)) if family != "rem"):
        if family != "rem":
            return []
        assert pattern is not None
    return [match.span(1) for match in pattern.finditer(text) if match.lastindex]


def refer_comments(source: Source, spans: list[tuple[int, int]], found: Findings) -> None:
    """Note the paths that comments name; a "#!" line names a program, not a file of ours."""
    if spans and spans[0][0] == 0 and source.text.startswith(b"#!"):
        spans = spans[1:]
    if spans:
        for offset, (path, anchor) in paths_in(source.text, spans):
            found.refer("comment", path, anchor, source.line(offset))


_TAKEN = re.compile(rb"\{\{[^{}\n]{0,80}?\b(?:include|template)[ \t]++\"([\w./-]{1,200})\"")
_READ = re.compile(
    rb"\.Files\.(?:Get|Glob|Lines)[ \t]++\"/?([\w.*?+-][\w./*?+-]{0,200})\""
    rb"|\.Template\.BasePath[ \t]++\"/([\w./-]{1,200})\""
)
_PATTERN = re.compile(rb"^[ \t]*+(/?[A-Za-z.][\w.-]{1,100}+)(?=[ \t]|$)", re.MULTILINE)  # which has no directory
_NOTE = re.compile(rb"\{\{-?[ \t]*+/\*(?:[^*]|\*(?!/))*+(?:\*/)?")


def refer_templates(source: Source, code: bytes, found: Findings) -> None:
    """Note what a file of a chart takes in, and the named templates that it defines, whatever it is else.

    Files are named from the chart, which is above its templates, and templates by their base path, too.
    """
    if b"{{" in code:
        code = blank(code, (match.span() for match in _NOTE.finditer(code))) if b"/*" in code else code
        if b"define" in code:
            _definitions(source, code, "gotemplate", found)
            found.declares += (("helm", each.name) for each in found.definitions)
        for match in _READ.finditer(code) if b".Files." in code or b".BasePath" in code else ():
            name = match[1].decode() if match[1] else f"templates/{match[2].decode()}"
            found.refer("file", name, "above", source.line(match.start()))
        own = set(found.declares)
        for match in _TAKEN.finditer(code):
            name = match[1].decode()
            if ("helm", name) not in own:
                found.refer("use", "", name, source.line(match.start(1)))


def extract(source: Source, language: str) -> Findings:
    """What a file in a language without an extractor of its own says."""
    found = Findings()
    text = source.text
    row = language_row(language)
    spans = comment_spans(text, row.comments)
    refer_comments(source, spans, found)
    code = blank(text, spans) if spans else text
    for offset, (path, anchor) in paths(code):
        found.refer(row.words, path, anchor, source.line(offset))
    if language == "gitfile":  # CODEOWNERS: LICENSE @team
        known = found.targets("mention")
        for match in _PATTERN.finditer(code):
            if (name := match[1].decode()) not in known:
                found.refer("mention", name, "", source.line(match.start(1)))
    if language in ("gotemplate", "text"):
        refer_templates(source, code, found)
    else:
        _definitions(source, code, language, found)
    found.entry_point = text.startswith(b"#!")
    return found


def _definitions(source: Source, code: bytes, language: str, found: Findings) -> None:
    """Definitions by their first lines; each ends where the next one's comment begins."""
    places = [(source.line(offset), name, kind) for offset, name, kind in definition_lines(code, language)]
    for index, (line, name, kind) in enumerate(places):
        end = places[index + 1][0] - 1 if index + 1 < len(places) else source.lines
        while end > line and is_lead(source.rows[end - 1]):
            end -= 1
        found.definitions.append(Definition(name, kind, line, max(line, end), not name.startswith("_"), False))
    if found.definitions:
        found.sections = by_definitions(source.rows, found.definitions)
