"""Python: definitions, imports and risks, from a tree-sitter tree.

Knows what the captures of python.scm mean, and Python's names. Runs nothing,
resolves nothing: a relative import keeps its dots. The tree is queried, never
walked; what needs no tree (risky calls) is read from the text with
strings, comments and imports blanked out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from tree_sitter import Node

from . import generic, trees
from .chunks import by_definitions
from .facts import Definition
from .paths import paths_in
from .pyrisk import risks
from .rst import symbol_roles
from .source import Findings, Source, blank
from .templates import refer_rendered
from .trees import Captures

_SPAN = attrgetter("byte_range")
_IDENTIFIER = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*+"
_TARGET = re.compile(rb"(?<![\w.\x80-\xff])" + _IDENTIFIER + rb"(?!\s*+[.\[(])")
_FROM = re.compile(r"from\s*+((?:\.\s*+)*+)((?!import\b)[\w.]++)?\s*+import\b\s*+(.*)", re.DOTALL)
_IMPORT_NOISE = str.maketrans("()\\\n", "    ")
_COMMENT = re.compile(rb"#[^\n]*+")
_DYNAMIC = re.compile(rb"\b(?:import_module|__import__)\(\s{0,99}[rRuU]?[\"'](\.{0,9}[A-Za-z_][\w.]{0,200})[\"']")
# The words that only statements begin with.
_BRACKET_OR_STATEMENT = re.compile(
    rb"[()\[\]{}]|^[ \t]*+(?:async[ \t]++def|def|class|return|raise|import|while|with|try|pass|assert|del)\b",
    re.MULTILINE,
)
_SIGNATURE = re.compile(rb"(?:async\s++)?def\s++\w++\s*+\(([^()]{0,2000}+)")
_ARGUMENT = re.compile(rb"(?:\A|,)\s*+(" + _IDENTIFIER + rb")\s*+(?::[^,=]*+)?(?=,|\Z)")  # one without a default
_MAIN = re.compile(
    rb"\nif[ \t]++\(?(?:__name__[ \t]*+==[ \t]*+[\"']__main__[\"']|[\"']__main__[\"'][ \t]*+==[ \t]*+__name__)"
)


class _Scope(NamedTuple):
    """A definition by its offsets."""

    start: int  # of its first decorator
    end: int
    name: str  # qualified
    kind: str
    node_start: int


def extract(source: Source, language: str) -> Findings:
    """What a Python file says."""
    text = source.text
    root, error = trees.read("python", text)
    if root is None:
        found = generic.extract(source, language)
        found.error = error
        return found
    captures = trees.captures("python", root)
    if error:
        captures = _without_unclosed(text, captures)
    strings, comments, imports, targets = (_spans(captures, name) for name in ("string", "comment", "import", "target"))
    code = cache(lambda: blank(text, sorted(strings + comments + imports)))  # few files need it
    found = Findings()
    found.error = error
    scopes, tops = _scopes(text, captures)
    documented = _documented(captures)
    found.definitions = [_definition(source, scope, documented) for scope in scopes]
    found.sections = by_definitions(source.rows, found.definitions)
    constants = _constants(source, captures, tops)
    _imports(source, imports, tops, found)
    _dynamic_imports(source, code, found)
    _fixtures(source, scopes, found)
    refer_rendered(source, found)

    for offset, (path, anchor) in paths_in(text, _pathlike(text, strings)):
        found.refer("mention", path, anchor, source.line(offset))
    if b"`" in text and b":`" in text:
        for start, end in strings:
            if text.find(b":`", start, end) >= 0:
                symbol_roles(source, start, end, found)
    generic.refer_comments(source, comments, found)

    script = b"__main__" in text and _MAIN.search(b"\n" + text) is not None
    found.entry_point = script or text.startswith(b"#!")
    found.risk = risks(text, code, bool(error), found.targets("import"), targets)
    found.tags = _tags(scopes, script, any(text.startswith(b"async", scope.node_start) for scope in scopes))
    found.definitions.extend(constants.values())
    found.definitions.sort(key=lambda row: (row.start, -row.end, row.name))
    return found


def _without_unclosed(text: bytes, captures: Captures) -> Captures:
    """The captures as if nothing stood in a line after a bracket that is open where a statement begins.

    Such a bracket hides all that follows: a call that is just being written, say.
    """
    code = blank(text, sorted(_spans(captures, "string") + _spans(captures, "comment")))
    opened: list[int] = []
    unclosed: list[int] = []
    for match in _BRACKET_OR_STATEMENT.finditer(code):
        if match[0] in (b"(", b"[", b"{"):
            opened.append(match.start())
        elif match[0] in (b")", b"]", b"}"):
            del opened[-1:]
        else:
            unclosed += opened
            opened.clear()
    if not unclosed:
        return captures
    ends = [text.find(b"\n", place) for place in unclosed]  # a statement follows: there is an end of a line
    root, _ = trees.read("python", blank(text, zip(unclosed, ends, strict=True)))
    return captures if root is None else trees.captures("python", root)


def _spans(captures: Captures, name: str) -> list[tuple[int, int]]:
    return list(map(_SPAN, captures.get(name, ())))


def _pairs(captures: Captures, outer: str, inner: str) -> Iterator[tuple[Node, Node]]:
    """Each inner node of a pattern with its outer one, the last that starts before it; broken text lacks some."""
    outers = captures.get(outer, [])
    starts = [node.start_byte for node in outers]
    for node in captures.get(inner, ()):
        index = bisect_right(starts, node.start_byte) - 1
        if index >= 0:
            yield outers[index], node


# ------------------------------------------------------------- definitions


def _scopes(text: bytes, captures: Captures) -> tuple[list[_Scope], list[tuple[int, int]]]:
    """Definitions that are not local to a function, and the spans of the outermost ones."""
    decorated = {
        node.start_byte: decoration.start_byte
        for decoration, node in _pairs(captures, "decoration", "decorated")
    }
    scopes: list[_Scope] = []
    tops: list[tuple[int, int]] = []
    stack: list[tuple[int, str, bool]] = []  # (end, qualified name, may hold members)
    for node, name_node in _pairs(captures, "definition", "name"):
        node_start, end = node.start_byte, node.end_byte
        while stack and stack[-1][0] <= node_start:
            stack.pop()
        is_class = text.startswith(b"class", node_start)
        start = decorated.get(node_start, node_start)
        if not stack:
            tops.append((start, end))
        name = text[name_node.start_byte : name_node.end_byte].decode("utf-8", "replace")
        if not name or (stack and not stack[-1][2]):
            stack.append((end, "", False))
            continue
        kind = "class" if is_class else "method" if stack else "function"
        if stack:
            name = f"{stack[-1][1]}.{name}"
        stack.append((end, name, is_class))
        scopes.append(_Scope(start, end, name, kind, node_start))
    return scopes, tops


def _documented(captures: Captures) -> set[int]:
    """The starts of the definitions with a docstring: the last one opened before it."""
    starts = [node.start_byte for node in captures.get("definition", ())]
    return {starts[bisect_right(starts, node.start_byte) - 1] for node in captures.get("docstring", ())}


def _outside(offset: int, tops: list[tuple[int, int]]) -> bool:
    """Whether an offset lies at module level."""
    index = bisect_right(tops, (offset, 1 << 62)) - 1
    return index < 0 or tops[index][1] <= offset


def _pathlike(text: bytes, strings: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The strings that may name a path. The parts of interpolated ones come with the braces next to them: a
    word that touches one is no path."""
    spans = [(start, end) for start, end in strings if b"." in (part := text[start:end]) or b"/" in part]
    if b"{" not in text:
        return spans
    return [(start - (text[start - 1] == 125), end + (text[end : end + 1] == b"{")) for start, end in spans]


def _definition(source: Source, scope: _Scope, documented: set[int]) -> Definition:
    start, end = source.line(scope.start), source.line(scope.end - 1)
    public = scope.name[0] != "_" and "._" not in scope.name
    return Definition(scope.name, scope.kind, start, end, public, scope.node_start in documented)


def _constants(source: Source, captures: Captures, tops: list[tuple[int, int]]) -> dict[bytes, Definition]:
    """Names assigned at module level, each by its first assignment."""
    constants: dict[bytes, Definition] = {}
    for assignment, target in _pairs(captures, "assignment", "target"):
        start = target.start_byte
        if _outside(start, tops):
            line, end = source.line(start), source.line(assignment.end_byte - 1)
            for name in _TARGET.findall(source.text[start : target.end_byte]):
                if name not in constants:
                    text = name.decode("utf-8", "replace")
                    constants[name] = Definition(text, "constant", line, end, text[0] != "_", False)
    return constants


def _tags(scopes: list[_Scope], script: bool, has_async: bool) -> list[tuple[str, str]]:
    """Structure that small edits do not change."""
    kinds = {scope.kind for scope in scopes if scope.kind != "method" and "." not in scope.name}
    shape = "mixed" if len(kinds) > 1 else "classes" if "class" in kinds else "functions" if kinds else "data"
    tags = [("shape", shape)]
    if has_async:
        tags.append(("async", "yes"))
    if script:
        tags.append(("script", "yes"))
    return tags


# ----------------------------------------------------------------- imports


def _imports(source: Source, statements: list[tuple[int, int]], tops: list[tuple[int, int]], found: Findings) -> None:
    """Note what each import statement names, and what those at module level bind."""
    exports: dict[tuple[str, str, str], None] = {}
    for start, end in statements:
        first, last = source.line(start), source.line(end - 1)
        outside = _outside(start, tops)
        for module, name, alias in _parse_import(source.text[start:end]):
            found.refer("import", module, name, first, last)
            if outside:
                plain = not name and alias == module.partition(".")[0]
                exports[alias, alias if plain else module, name] = None
    found.exports = list(exports)


def _parse_import(statement: bytes) -> Iterator[tuple[str, str, str]]:
    """(module, imported name, bound name) of each part of an import statement."""
    if b"#" in statement:
        statement = _COMMENT.sub(b"", statement)
    text = statement.decode("utf-8", "replace").translate(_IMPORT_NOISE)
    if text.startswith("import"):
        for part in text[6:].split(","):
            words = part.split()
            if words:
                alias = words[2] if len(words) == 3 else words[0].partition(".")[0]
                yield words[0], "", alias
        return
    match = _FROM.match(text)
    if match is None:
        return
    module = "".join(match[1].split()) + (match[2] or "")
    if not module:
        return
    for part in match[3].split(","):
        words = part.split()
        if words:
            yield module, words[0], words[2] if len(words) == 3 else words[0]


def _fixtures(source: Source, scopes: list[_Scope], found: Findings) -> None:
    """Note the arguments of tests, and of fixtures: pytest looks for fixtures of these names."""
    text = source.text
    for scope in scopes:
        if scope.kind == "class" or not (
            scope.name.rpartition(".")[2].startswith("test") or b"fixture" in text[scope.start : scope.node_start]
        ):
            continue
        signature = _SIGNATURE.match(text, scope.node_start, scope.end)
        for name in _ARGUMENT.findall(_COMMENT.sub(b"", signature[1])) if signature else ():
            if name not in (b"self", b"cls", b"request"):
                found.refer("use", "", name.decode("utf-8", "replace"), source.line(scope.node_start))


def _dynamic_imports(source: Source, code: Callable[[], bytes], found: Findings) -> None:
    if b"import_module(" not in source.text and b"__import__(" not in source.text:
        return
    for match in _DYNAMIC.finditer(source.text):
        if code()[match.start()] != 32:
            first, last = source.line(match.start()), source.line(match.end() - 1)
            found.refer("import", match[1].decode(), "", first, last)
