"""JavaScript and TypeScript: modules, components, and what a file names without importing it.

Knows what a query cannot say: which functions are components, which comments
and calls name another file. Where a module leads, `graph` says.
"""

from __future__ import annotations

import re

from . import syntax
from .source import Findings, Source

# `/// <reference path="…" />`: a file, relative to this one; types="…": a package.
_TRIPLE = re.compile(rb"^///[ \t]*+<reference[ \t]++(path|types)=[\"']([^\"'\n]{1,300})[\"']", re.MULTILINE)
# Whose functions make the markup of a file: the compiler imports them.
_MAKER = re.compile(rb"@jsxImportSource[ \t]++([^\s*\"']{1,200})")
# Calls that name a module without importing it: what a test replaces, and what is loaded by its address.
_NAMED = re.compile(
    rb"\b(?:jest|vi|vitest)\.(?:mock|doMock|unmock|requireActual|requireMock|importActual|importMock|setMock)"
    rb"(?:<[^>\n]{0,100}>)?\(\s{0,80}(?:import\()?[\"']([^\"'\n]{1,300})[\"']"
    rb"|\bnew URL\(\s{0,80}[\"'](\.{1,2}/[^\"'\n]{1,300})[\"'],\s{0,80}import\.meta\.url"
)
_JSX = re.compile(rb"(?:\breturn|[(?:&=>|])\s{0,80}<(?:[A-Za-z]|>)|\bcreateElement\(|\bh\(")
_HEAD = 2_000  # bytes in which a file says how it is compiled
_MODULE_WORDS = (b"import", b"export", b"require(")  # a file without any of them is a script: all of it is for everyone


def extract(source: Source, language: str) -> Findings:
    """What a module or a script says."""
    found, code, imports = syntax.read(source, language)
    for each in imports:
        syntax.refer(source, each, found)
    text = source.text
    if b"<reference" in text:
        for match in _TRIPLE.finditer(text):
            path = match[2].decode("utf-8", "replace")
            if match[1] == b"path" and not path.startswith(("./", "../")):
                path = f"./{path}"
            found.refer("import", path, "", source.line(match.start()))
    for match in _MAKER.finditer(text, 0, _HEAD):
        found.refer("import", f"{match[1].decode('utf-8', 'replace')}/jsx-runtime", "", source.line(match.start()))
    for match in _NAMED.finditer(code):
        found.refer("use", (match[1] or match[2]).decode("utf-8", "replace"), "", source.line(match.start()))
    _refine(source, found, language, {source.line(each.start) for each in imports})
    return found


def _refine(source: Source, found: Findings, language: str, imported: set[int]) -> None:
    """Definitions as they are after all: components, scripts' own, none that merely names an import."""
    script = not any(word in source.text for word in _MODULE_WORDS)
    kept = []
    for each in found.definitions:
        name = each.name.rpartition(".")[2]
        if each.kind == "constant" and each.start == each.end and each.start in imported:
            continue
        if name.startswith(("#", "_")) and each.public:
            each = each._replace(public=False)
        elif script and "." not in each.name:
            each = each._replace(public=not name.startswith("_"))
        if each.kind == "function" and name[:1].isupper() and language != "typescript":
            body = source.text[source.start(each.start) : source.ends[each.end - 1]]
            if _JSX.search(body):
                each = each._replace(kind="component")
        kept.append(each)
    found.definitions = kept
