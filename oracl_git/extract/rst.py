"""reStructuredText: sections, targets, roles and directives, as Sphinx and docutils have them, in Markdown (MyST), too.

Knows the markup that names files, documents and symbols. Parses nothing else:
tables, substitutions and nested bodies are text. Roles inside literal blocks
are examples and are not read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from .chunks import by_headings
from .links import add_link
from .paths import DOTTED, SUFFIXES, paths
from .source import Findings, Source, blank

_PUNCTUATION = rb"[!-/:-@\[-`{-~]"
_TITLE = re.compile(
    rb"^(?![ \t\n])(?P<title>[^\n]{1,300}+)\n(?P<mark>" + _PUNCTUATION + rb")(?P=mark)+[ \t]*+$", re.MULTILINE
)
# Between two lines of marks it may be indented.
_INSET = re.compile(
    rb"^(?P<mark>" + _PUNCTUATION + rb")(?P=mark)+[ \t]*+\n"
    rb"[ \t]{1,40}+(?P<title>[^\n]{1,300}+)\n(?P=mark)(?P=mark)+[ \t]*+$",
    re.MULTILINE,
)
_SHORT_UNDERLINE = 4  # docutils forgives a short underline from this length on
# These two start with a literal, to be found fast; that only blanks stand before is checked afterwards.
_TARGET = re.compile(rb"\.\. _(?!_)(`[^`\n]{1,200}`|[^:\n]{1,200}):[ \t]*+([^\n]*+)$", re.MULTILINE)
_DIRECTIVE = re.compile(rb"\.\. (?:\|[^|\n]{1,80}\| )?([A-Za-z][\w:+.-]{0,40}?)::(?:[ \t]++([^\n]*+))?$", re.MULTILINE)
_FILE_OPTION = re.compile(rb"^[ \t]{1,40}:file:[ \t]++([^\s]++)", re.MULTILINE)
_ROLE = re.compile(rb":((?:[A-Za-z][\w+-]{0,20}:)?[A-Za-z][\w+.-]{0,30}):`([^`]{1,400})`")
_MYST_FENCE = re.compile(
    rb"^[ \t]{0,40}(?:(?:[*+-]|\d{1,9}[.)])[ \t]{1,9}){0,3}(`{3,}+|:{3,}+)(?:\{([A-Za-z][\w:+.-]{0,40})\})?"
    rb"([^\n`]*+)$",
    re.MULTILINE,
)
_MYST_TARGET = re.compile(rb"^\(([^()\n]{1,200})\)=[ \t]*+$", re.MULTILINE)
_MYST_OPTION = re.compile(rb"^:file:[ \t]++([^\s]++)", re.MULTILINE)
_MYST_ROLE = re.compile(rb"\{((?:[A-Za-z][\w+-]{0,20}:)?[A-Za-z][\w+.-]{0,30})\}`([^`]{1,400})`")
_NAMED_LINK = re.compile(rb"`[^`<]{0,300}<([^`<>\s]{1,400})>`_")
_LITERAL = re.compile(rb"``([^`\s]{3,200})``")
_TITLED = re.compile(r"(.*?)<([^<>]*)>$", re.DOTALL)
_LABEL = re.compile(r"[\w][\w .:+-]*")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")

_Modules = list[tuple[int, str]]  # from which offset on a document speaks of which module
_PAGES = (".rst", ".md")
_BULLETS = frozenset((b"", b"*", b"-", b"+", b"#."))
_SYMBOL_ROLES = frozenset((
    "mod", "class", "func", "meth", "attr", "exc", "data", "obj", "const", "any", "type", "deco",
))  # fmt: skip
_LABEL_ROLES = frozenset(("ref", "numref"))
_FILE_DIRECTIVES = frozenset(("include", "literalinclude", "image", "figure", "graphviz"))
_SYMBOL_DIRECTIVES = frozenset((
    "automodule", "autoclass", "autofunction", "automethod", "autoattribute", "autodata", "autoexception",
    "autodecorator", "autoproperty", "class", "function", "method", "attribute", "data", "exception", "decorator",
    "property", "classmethod", "staticmethod",
))  # fmt: skip
_LISTS = frozenset((b"toctree", b"autosummary"))
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
    modules: _Modules = []
    if b".. _" in markup:
        for match in _TARGET.finditer(markup):
            if _column(source, match.start()) < 0:
                continue
            destination = match[2].strip()
            if not destination:
                _target(source, match, found)
            elif not destination.endswith(b"_"):
                add_link(found, destination, source.line(match.start(2)))
                linked.append(match.span(2))
    if b"::" in markup:
        linked += _directives(source, markup, modules, found)
    if b":`" in markup:
        linked += _roles(source, _ROLE.finditer(markup), modules, found)
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


def _target(source: Source, match: re.Match[bytes], found: Findings) -> None:
    """Note a label, by which this document and others refer to a place in it."""
    label = normal_label(match[1].strip(b"`").decode("utf-8", "replace"))
    found.anchors.append((label, source.line(match.start(1))))
    found.declares.append(("document label", label))


def normal_label(label: str) -> str:
    """A label as references compare it: lower case, single spaces."""
    return " ".join(label.replace("\\", "").lower().split())


def symbol_roles(source: Source, start: int, end: int, found: Findings) -> None:
    """Note the symbols that roles in a docstring name."""
    for match in _ROLE.finditer(source.text, start, end):
        role = match[1].decode()
        if _symbol_role(role):
            _symbol(match[2].decode("utf-8", "replace"), source.line(match.start()), "", found)


def _headings(source: Source, found: Findings) -> None:
    inset = _INSET.finditer(source.text) if b"\n " in source.text else ()
    for match in sorted((*_TITLE.finditer(source.text), *inset), key=lambda each: each.start("title")):
        title = match["title"].rstrip().decode("utf-8", "replace")
        underline = match.end() - match.end("title") - 1
        if title.startswith(".. ") or not re.search(r"\w", title):
            continue
        if underline >= len(title) or underline >= _SHORT_UNDERLINE:
            found.headings.append((title.replace("`", "").strip(), source.line(match.start("title"))))


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
        start = number + 1
        until = _block_end(rows, start, _indent(row))
        while stripped.startswith(b".. ") and start < until and rows[start].lstrip().startswith(b":"):
            start += 1  # an option of the directive
        if until > start:
            spans.append((source.start(start + 1), source.ends[until - 1]))
    return spans


def _column(source: Source, offset: int) -> int:
    """How far a line is indented whose first word is here, after the mark of a list; -1 if it is not the first."""
    start = source.start(source.line(offset))
    return offset - start if source.text[start:offset].strip() in _BULLETS else -1


def _indent(row: bytes) -> int:
    return len(row) - len(row.lstrip(b" \t"))


def _block_end(rows: list[bytes], number: int, indent: int) -> int:
    """The first row, from `number` on, that is neither blank nor indented deeper."""
    while number < len(rows) and (_indent(rows[number]) > indent or not rows[number].strip()):
        number += 1
    return number


def _directives(source: Source, markup: bytes, modules: _Modules, found: Findings) -> list[tuple[int, int]]:
    """Note what directives name; returns the spans that are spoken for."""
    spans = _within(source, markup, (0, len(markup)), modules, found)
    if b":file:" in markup:
        for match in _FILE_OPTION.finditer(markup):
            add_link(found, match[1], source.line(match.start(1)))
            spans.append(match.span(1))
    return spans


def _within(
    source: Source, markup: bytes, part: tuple[int, int], modules: _Modules, found: Findings
) -> list[tuple[int, int]]:
    """Note what the directives of a part of a text name, and the modules they speak of; the spans spoken for."""
    spans: list[tuple[int, int]] = []
    for match in _DIRECTIVE.finditer(markup, *part):
        indent = _column(source, match.start())
        if indent < 0:
            continue
        line = source.line(match.start())
        body = line, _block_end(source.rows, line, indent) if match[1] in _LISTS else line
        span = _directive(source, match[1], match[2] or b"", body, match.start(), modules, found)
        spans += [span] if span else [match.span(2)] if match[2] and _names_file(match[1]) else []
    return spans


def _names_file(name: bytes) -> bool:
    return name.rpartition(b":")[2].decode() in _FILE_DIRECTIVES


def _directive(
    source: Source, said: bytes, argument: bytes, body: tuple[int, int], offset: int, modules: _Modules, found: Findings
) -> tuple[int, int] | None:
    """Note what one directive names, `body` being its rows after the first; returns the span of its entries."""
    domain, _, name = said.decode().rpartition(":")
    argument, line = argument.strip(), source.line(offset)
    module = modules[-1][1] if modules else ""
    if name in _FILE_DIRECTIVES and argument:
        add_link(found, argument, line)
    elif name == "toctree":
        return _entries(source, body, found, "")
    elif name == "autosummary":
        _entries(source, body, found, module or "?")
    elif domain in ("", "py") and (name in _SYMBOL_DIRECTIVES or name in _MODULE_DIRECTIVES):
        symbol = argument.partition(b"(")[0].strip().decode("utf-8", "replace")
        if not _SYMBOL.fullmatch(symbol):
            return None
        if name in _MODULE_DIRECTIVES:
            modules.append((offset, symbol))
            found.refer("symbol", symbol, "", line)
        else:
            found.refer("symbol", _qualified(symbol, module), "", line)
    return None


def markdown(source: Source, text: bytes, found: Findings) -> list[tuple[int, int]]:
    """Note what directives and roles of Markdown name, as MyST has them; returns the spans that are spoken for."""
    spans: list[tuple[int, int] | None] = []
    modules: _Modules = []
    mark, name, argument, start = b"", b"", b"", 0  # of the block that is open
    for match in _MYST_FENCE.finditer(text):
        if not mark or (match[2] and match[1][:1] == b":"):  # blocks of colons hold others
            mark, name, argument, start = match[1], match[2] or b"", match[3], match.start()
            if mark[:1] == b":" and name != b"toctree":
                body = (source.line(start), source.line(start))
                spans.append(_directive(source, name, argument, body, start, modules, found) if name else None)
                mark = b""
        elif match[1].startswith(mark) and not match[2] and not match[3].strip():
            body = (source.line(start), source.line(match.start()) - 1)
            if name == b"eval-rst":
                spans += _within(source, text, (start, match.start()), modules, found)
            elif name:
                spans.append(_directive(source, name, argument, body, start, modules, found))
            mark = b""
    spans += _roles(source, _MYST_ROLE.finditer(text), modules, found)
    for target in _MYST_TARGET.finditer(text) if b")=" in text else ():
        _target(source, target, found)
    for option in _MYST_OPTION.finditer(text) if b"\n:file:" in text else ():
        add_link(found, option[1], source.line(option.start(1)))
        spans.append(option.span(1))
    return [span for span in spans if span]


def _roles(
    source: Source, roles: Iterable[re.Match[bytes]], modules: _Modules, found: Findings
) -> list[tuple[int, int]]:
    """Note what roles name; returns the spans that are spoken for."""
    spans = []
    places = [offset for offset, _ in modules]
    for match in roles:
        index = bisect_right(places, match.start()) - 1
        module = modules[index][1] if index >= 0 else ""
        content = match[2].decode("utf-8", "replace")
        if _role(match[1].decode(), content, source.line(match.start()), module, found):
            spans.append(match.span(2))
    return spans


def _qualified(symbol: str, module: str) -> str:
    """A name as documented under a module: prefixed unless it starts with a package."""
    if module and ("." not in symbol or symbol[0].isupper()):
        return f"{module}.{symbol}"
    return symbol


def _entries(source: Source, body: tuple[int, int], found: Findings, module: str) -> tuple[int, int]:
    """The rows of a toctree (no module) or autosummary; returns their span."""
    line, end = body
    for number in range(line, end):
        entry = source.rows[number].strip().decode("utf-8", "replace")
        if not entry or entry[0] == ":" or entry.startswith((".. ", "---")):
            continue
        titled = _TITLED.match(entry)
        target = titled[2].strip() if titled else entry
        if module:
            symbol = target.lstrip("~!").partition("(")[0].strip()
            if _SYMBOL.fullmatch(symbol):
                found.refer("symbol", _qualified(symbol, module.strip("?")), "", number + 1)
        elif target == "self" or "://" in target or re.search(r"\s", target):
            continue
        elif "*" in target:
            for suffix in _PAGES:
                found.refer("file", target + suffix, "above" if target[0] == "/" else "", number + 1)
        else:
            found.refer("doc", target, "", number + 1)
    return source.start(line), source.ends[end - 1] if end else 0


def _symbol_role(role: str) -> bool:
    domain, _, name = role.rpartition(":")
    return name in _SYMBOL_ROLES and domain in ("", "py")


def _role(role: str, content: str, line: int, module: str, found: Findings) -> bool:
    """Note what a role names; true when its text is no longer open for mentions."""
    if _symbol_role(role):
        _symbol(content, line, module, found)
        return False
    name = role.rpartition(":")[2]
    titled = _TITLED.match(content)
    target = (titled[2] if titled else content).strip()
    if name in _LABEL_ROLES:
        if _LABEL.fullmatch(target):
            found.refer("doc", "", normal_label(target), line)
        return True
    if name == "doc" and target and not re.search(r"[\s{}*]", target):
        found.refer("doc", target, "", line)
        return True
    if name == "download":
        add_link(found, target.encode("utf-8", "replace"), line)
        return True
    return False


def _symbol(content: str, line: int, module: str, found: Findings) -> None:
    """Note a symbol, to be looked for first in the module that the document speaks of."""
    titled = _TITLED.match(content)
    target = (titled[2] if titled else content).strip().lstrip("~!.").partition("(")[0].strip()
    if _SYMBOL.fullmatch(target):
        found.refer("symbol", target, module if _qualified(target, module) != target else "", line)
