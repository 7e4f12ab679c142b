"""reStructuredText: sections, targets, roles and directives, as Sphinx and docutils have them.

Knows the markup that names files, documents and symbols. Parses nothing else:
tables, substitutions and nested bodies are text. Roles inside literal blocks
are examples and are not read.
"""

from __future__ import annotations

import re

from .chunks import by_headings
from .links import add_link
from .paths import DOTTED, SUFFIXES, paths
from .source import Findings, Source, blank

_PUNCTUATION = rb"[!-/:-@\[-`{-~]"
_TITLE = re.compile(
    rb"^(?![ \t\n])(?P<title>[^\n]{1,300}+)\n(?P<mark>" + _PUNCTUATION + rb")(?P=mark)+[ \t]*+$", re.MULTILINE
)
_SHORT_UNDERLINE = 4  # docutils forgives a short underline from this length on
# These two start with a literal, to be found fast; that only blanks stand before is checked afterwards.
_TARGET = re.compile(rb"\.\. _(?!_)(`[^`\n]{1,200}`|[^:\n]{1,200}):[ \t]*+([^\n]*+)$", re.MULTILINE)
_DIRECTIVE = re.compile(rb"\.\. (?:\|[^|\n]{1,80}\| )?([A-Za-z][\w:+.-]{0,40}?)::(?:[ \t]++([^\n]*+))?$", re.MULTILINE)
_FILE_OPTION = re.compile(rb"^[ \t]{1,40}:file:[ \t]++([^\s]++)", re.MULTILINE)
_ROLE = re.compile(rb":((?:[A-Za-z][\w+-]{0,20}:)?[A-Za-z][\w+.-]{0,30}):`([^`]{1,400})`")
_NAMED_LINK = re.compile(rb"`[^`<]{0,300}<([^`<>\s]{1,400})>`_")
_LITERAL = re.compile(rb"``([^`\s]{3,200})``")
_TITLED = re.compile(r"(.*?)<([^<>]*)>$", re.DOTALL)
_LABEL = re.compile(r"[\w][\w .:+-]*")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")

_SYMBOL_ROLES = frozenset((
    "mod", "class", "func", "meth", "attr", "exc", "data", "obj", "const", "any", "type", "deco",
))  # fmt: skip
_LABEL_ROLES = frozenset(("ref", "numref"))
_FILE_DIRECTIVES = frozenset(("include", "literalinclude", "image", "figure"))
_SYMBOL_DIRECTIVES = frozenset((
    "automodule", "autoclass", "autofunction", "automethod", "autoattribute", "autodata", "autoexception",
    "autodecorator", "autoproperty", "class", "function", "method", "attribute", "data", "exception", "decorator",
    "property", "classmethod", "staticmethod",
))  # fmt: skip
_MODULE_DIRECTIVES = frozenset(("module", "currentmodule", "automodule"))
_LITERAL_DIRECTIVES = frozenset(
    b"code-block code sourcecode prompt math graphviz productionlist doctest testcode testsetup testoutput "
    b"ipython raw parsed-literal digraph graph".split()
)


def extract(source: Source, language: str) -> Findings:
    """What a reStructuredText file says."""
    found = Findings()
    text = source.text
    markup = blank(text, _literal_blocks(source)) if b"::" in text else text
    _headings(source, found)
    linked: list[tuple[int, int]] = []
    if b".. _" in markup:
        for match in _TARGET.finditer(markup):
            if _column(source, match.start()) < 0:
                continue
            destination = match[2].strip()
            if not destination:
                label = normal_label(match[1].strip(b"`").decode("utf-8", "replace"))
                found.anchors.append((label, source.line(match.start(1))))
            elif not destination.endswith(b"_"):
                add_link(found, destination, source.line(match.start(2)))
                linked.append(match.span(2))
    if b"::" in markup:
        linked += _directives(source, markup, found)
    if b":`" in markup:
        for match in _ROLE.finditer(markup):
            if _role(match[1].decode(), match[2].decode("utf-8", "replace"), source.line(match.start()), found):
                linked.append(match.span(2))
    if b">`_" in markup:
        for match in _NAMED_LINK.finditer(markup):
            add_link(found, match[1], source.line(match.start(1)))
            linked.append(match.span(1))
    if b"``" in markup:
        for match in _LITERAL.finditer(markup):
            word = match[1].partition(b"(")[0]
            if DOTTED.fullmatch(word) and word.rpartition(b".")[2].lower() not in SUFFIXES:
                found.refer("symbol", word.decode(), "", source.line(match.start(1)))
    linked.sort()
    for offset, (path, anchor) in paths(blank(text, linked) if linked else text):
        found.refer("mention", path, anchor, source.line(offset))
    found.sections = by_headings(source.lines, found.headings)
    return found


def normal_label(label: str) -> str:
    """A label as references compare it: lower case, single spaces."""
    return " ".join(label.replace("\\", "").lower().split())


def symbol_roles(source: Source, start: int, end: int, found: Findings) -> None:
    """Note the symbols that roles in a docstring name."""
    for match in _ROLE.finditer(source.text, start, end):
        role = match[1].decode()
        if _symbol_role(role):
            _symbol(match[2].decode("utf-8", "replace"), source.line(match.start()), found)


def _headings(source: Source, found: Findings) -> None:
    for match in _TITLE.finditer(source.text):
        title = match["title"].rstrip().decode("utf-8", "replace")
        underline = len(match[0]) - len(match["title"]) - 1
        if title.startswith(".. ") or not re.search(r"\w", title):
            continue
        if underline >= len(title) or underline >= _SHORT_UNDERLINE:
            found.headings.append((title.replace("`", "").strip(), source.line(match.start())))


def _literal_blocks(source: Source) -> list[tuple[int, int]]:
    """The spans of literal blocks: indented more than the line that opens them."""
    spans: list[tuple[int, int]] = []
    rows = source.rows
    until = 0  # rows before this one are inside a block
    for number, row in enumerate(rows):
        if number < until or b"::" not in row:
            continue
        stripped = row.strip()
        if stripped.startswith(b".. "):
            name = stripped[3:].partition(b"::")[0]
            if name not in _LITERAL_DIRECTIVES:
                continue
        elif not stripped.endswith(b"::"):
            continue
        until = _block_end(rows, number + 1, _indent(row))
        if until > number + 1:
            spans.append((source.start(number + 2), source.ends[until - 1]))
    return spans


def _column(source: Source, offset: int) -> int:
    """How far a line is indented whose first word is here; -1 if it is not the first."""
    start = source.start(source.line(offset))
    return -1 if source.text[start:offset].strip() else offset - start


def _indent(row: bytes) -> int:
    return len(row) - len(row.lstrip(b" \t"))


def _block_end(rows: list[bytes], number: int, indent: int) -> int:
    """The first row, from `number` on, that is neither blank nor indented deeper."""
    while number < len(rows) and (_indent(rows[number]) > indent or not rows[number].strip()):
        number += 1
    return number


def _directives(source: Source, markup: bytes, found: Findings) -> list[tuple[int, int]]:
    """Note what directives name; returns the spans that are spoken for."""
    spans: list[tuple[int, int]] = []
    module = ""
    for match in _DIRECTIVE.finditer(markup):
        indent = _column(source, match.start())
        if indent < 0:
            continue
        domain, _, name = match[1].decode().rpartition(":")
        argument = (match[2] or b"").strip()
        line = source.line(match.start())
        if name in _FILE_DIRECTIVES and argument:
            add_link(found, argument, line)
            spans.append(match.span(2))
        elif name == "toctree":
            spans.append(_entries(source, line, indent, found, ""))
        elif name == "autosummary":
            _entries(source, line, indent, found, module or "?")
        elif domain in ("", "py") and (name in _SYMBOL_DIRECTIVES or name in _MODULE_DIRECTIVES):
            symbol = argument.partition(b"(")[0].strip().decode("utf-8", "replace")
            if not _SYMBOL.fullmatch(symbol):
                continue
            if name in _MODULE_DIRECTIVES:
                module = symbol
                found.refer("symbol", symbol, "", line)
            else:
                found.refer("symbol", _qualified(symbol, module), "", line)
    if b":file:" in markup:
        for match in _FILE_OPTION.finditer(markup):
            add_link(found, match[1], source.line(match.start(1)))
            spans.append(match.span(1))
    return spans


def _qualified(symbol: str, module: str) -> str:
    """A name as documented under a module: prefixed unless it starts with a package."""
    if module and ("." not in symbol or symbol[0].isupper()):
        return f"{module}.{symbol}"
    return symbol


def _entries(source: Source, line: int, indent: int, found: Findings, module: str) -> tuple[int, int]:
    """The lines of a toctree (no module) or autosummary; returns their span."""
    rows = source.rows
    end = _block_end(rows, line, indent)
    for number in range(line, end):
        entry = rows[number].strip().decode("utf-8", "replace")
        if not entry or entry[0] == ":" or entry.startswith(".. "):
            continue
        titled = _TITLED.match(entry)
        target = titled[2].strip() if titled else entry
        if module:
            symbol = target.lstrip("~!").partition("(")[0].strip()
            if _SYMBOL.fullmatch(symbol):
                found.refer("symbol", _qualified(symbol, module.strip("?")), "", number + 1)
        elif target != "self" and "://" not in target and "*" not in target and not re.search(r"\s", target):
            found.refer("doc", target, "", number + 1)
    return source.start(line), source.ends[end - 1] if end else 0


def _symbol_role(role: str) -> bool:
    domain, _, name = role.rpartition(":")
    return name in _SYMBOL_ROLES and domain in ("", "py")


def _role(role: str, content: str, line: int, found: Findings) -> bool:
    """Note what a role names; true when its text is no longer open for mentions."""
    if _symbol_role(role):
        _symbol(content, line, found)
        return False
    name = role.rpartition(":")[2]
    titled = _TITLED.match(content)
    target = (titled[2] if titled else content).strip()
    if name in _LABEL_ROLES:
        if _LABEL.fullmatch(target):
            found.refer("link", "", normal_label(target), line)
        return True
    if name == "doc" and target and not re.search(r"[\s{}*]", target):
        found.refer("doc", target, "", line)
        return True
    if name == "download":
        add_link(found, target.encode("utf-8", "replace"), line)
        return True
    return False


def _symbol(content: str, line: int, found: Findings) -> None:
    titled = _TITLED.match(content)
    target = (titled[2] if titled else content).strip().lstrip("~!.").partition("(")[0].strip()
    if _SYMBOL.fullmatch(target):
        found.refer("symbol", target, "", line)
