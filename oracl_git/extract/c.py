"""C and C++: includes, and which of the two a header is written in.

Knows preprocessor lines by their looks, so that they are found where they break
a tree. A header is read as C++ when its own text says so: facts know no paths.
"""

from __future__ import annotations

import re

from . import generic, macros, syntax
from .facts import Definition
from .source import Findings, Source, blank

_INCLUDE = re.compile(
    rb"^[ \t]*+#[ \t]*+(include_next|include|import|embed)[ \t]*+(\"[^\"\n]{1,300}\"|<[^>\n]{1,300}>)", re.MULTILINE
)
_CPP = re.compile(
    rb"^[ \t]*+(?:namespace\b|template[ \t]*+<|class[ \t]++\w[^;\n]*+$|(?:public|private|protected)[ \t]*+:|using[ \t])"
    rb"|\bstd::\w|^[ \t]*+#[ \t]*+include[ \t]*+<[a-z_]++>",
    re.MULTILINE,
)
_ARGUMENTS = re.compile(r"<[^<>]*+>")
_NESTED = 5  # arguments within arguments that are taken off a name
_OPERATOR = re.compile(r"\boperator\b")
OWN = "."  # what a file refers to as its other half: the source of a header


def extract(source: Source, language: str) -> Findings:
    """What a C or C++ file says."""
    imports = []
    text = source.text
    if b"#" in text:
        text = blank(text, generic.comment_spans(text, "c"))
        imports = [_import(match) for match in _INCLUDE.finditer(text)]
    aside = macros.uneven(text)
    plain = macros.plain(blank(source.text, aside) if aside else source.text)
    if plain != source.text:
        source = Source(plain)
    grammar = "cpp" if language == "c" and _CPP.search(text) else language

    def refined(rows: list[Definition]) -> list[Definition]:
        return _bodies(macros.named(source, list(map(_named, rows))))

    found, _, _ = syntax.read(source, language, grammar, imports, refined)
    for each in imports:
        kind = "link" if each.whole == "embed" else "import"
        line = source.line(each.start)
        found.refer(kind, each.path, each.whole if each.whole == "next" else "", line)
    if source.lines:
        found.refer("use", OWN, "", 1)
    return found


def _import(match: re.Match[bytes]) -> syntax.Import:
    word, path = match[1], match[2].decode("utf-8", "replace")
    whole = "next" if word == b"include_next" else "embed" if word == b"embed" else ""
    return syntax.Import(path.strip('"') if path[0] == '"' else path, (), whole, match.start(), match.end())


def _named(each: Definition) -> Definition:
    """By its name as other languages write it: `ns::Box<T>::get` is "ns.Box.get"."""
    operator = _OPERATOR.search(each.name)  # "operator<" has no arguments
    end = operator.start() if operator else len(each.name)
    name = each.name[:end].replace("::", ".").replace("inline ", "")
    for _ in range(_NESTED):
        if "<" in name:
            name = _ARGUMENTS.sub("", name)
    return each._replace(name=name + each.name[end:])


def _bodies(definitions: list[Definition]) -> list[Definition]:
    """Without what is only announced, where the file has the body, too."""
    longest: dict[tuple[str, str], int] = {}
    for each in definitions:
        if each.kind in ("function", "method"):
            key = each.name, each.kind
            longest[key] = max(longest.get(key, 0), each.end - each.start)
    return [
        each
        for each in definitions
        if each.kind not in ("function", "method") or not 0 == each.end - each.start < longest[each.name, each.kind]
    ]
