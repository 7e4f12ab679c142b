"""Rust: what `use` takes, the modules that lie in other files, and paths that stand in code.

Knows how a tree of names is written, and which module of its file a line lies in:
paths are told from the file's own module on, so that `super` in an inline module
is `self`. Where a path leads, `graph` says.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from . import syntax
from .facts import Definition
from .paths import hits
from .source import Findings, Source

_MAX_LEAVES = 500  # of one `use`
_MAX_NESTED = 50
_STANDARD = frozenset("std core alloc proc_macro test".split())
_PRIMITIVES = frozenset("str char bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 r#self Self".split())
_TOKEN = re.compile(r"r#|::|[{},*]|[\w$]+")
_STATEMENT = re.compile(rb"(?:pub\s*(?:\([^)]*\))?\s*)?(mod|extern|use)\b")
_EXTERN = re.compile(rb"\bcrate\s+(\w+)(?:\s+as\s+(\w+))?")
_PATH_ATTRIBUTE = re.compile(rb"\bpath\s*=\s*\"([^\"\n]{1,200})\"")
_ATTRIBUTES = re.compile(rb"(?:#\[[^\]]*+\]\s*+)++\Z")
_LONGEST_ATTRIBUTES = 600
_ATTRIBUTE = re.compile(rb"#!?\[[^\]]*+\]")
_PATH_AS_TEXT = re.compile(rb"\"[\w:<>,&'()]+\"")  # prose has spaces
_IN_CODE = re.compile(rb"(?<![\w:.$])\$?([a-z_]\w*+)((?:::[A-Za-z_]\w*+)++)")
_PATH_TABLE = bytes(byte if chr(byte).isalnum() or byte in b"_:.$" else 32 for byte in range(128)) + b" " * 128
_INCLUDED = re.compile(rb"\binclude(?:_str|_bytes)?!\s*[(\[{]\s*\"([^\"\n]{1,200})\"")


def extract(source: Source, language: str) -> Findings:
    """What a Rust file says."""
    found, code, imports, bare, _ = syntax.packaged(source, language, refine=_plain)
    modules = _Modules(found.definitions)
    bound = set(_STANDARD | _PRIMITIVES)
    for each in imports:
        statement = source.text[each.start : each.end]
        inside = modules.at(source.line(each.start))
        kind = _STATEMENT.match(statement)
        if kind and kind[1] == b"mod":
            _declare(source, each, inside, found)
            bound.add(each.path)
        elif kind and kind[1] == b"extern":
            alias = _EXTERN.search(statement)
            name = alias[2].decode("utf-8", "replace") if alias and alias[2] else each.path
            syntax.refer(source, each, found)
            found.exports.append((_qualified(inside, name), each.path, ""))
            bound.add(name)
        else:
            _use(source, each, inside, found, bound)
    bound -= {"crate", "self", "super"}
    _paths(source, _with_attributes(bare, code), modules, bound, found)
    for match in _INCLUDED.finditer(code):
        found.refer("link", match[1].decode("utf-8", "replace"), "", source.line(match.start()))
    return found


def _plain(definitions: list[Definition]) -> list[Definition]:
    """By their names as `use` has them: r#type is "type"."""
    return [each._replace(name=each.name.replace("r#", "")) if "r#" in each.name else each for each in definitions]


def _with_attributes(bare: bytes, code: bytes) -> bytes:
    """Code without its strings, but for paths in attributes, which `#[serde(with = "a::b")]` takes as a text."""
    text = bytearray(bare)
    for around in _ATTRIBUTE.finditer(bare):
        for match in _PATH_AS_TEXT.finditer(code, *around.span()):
            text[match.start() : match.end()] = match[0]
    return bytes(text)


class _Modules:
    """The inline modules of a file, by line."""

    def __init__(self, definitions: list[Definition]) -> None:
        self._rows = [(d.start, d.end, d.name) for d in definitions if d.kind == "module"]
        self._starts = [start for start, _, _ in self._rows]

    def at(self, line: int) -> tuple[str, ...]:
        """The names of those a line lies in, outermost first."""
        for index in range(bisect_right(self._starts, line) - 1, -1, -1):
            _, end, name = self._rows[index]
            if line <= end:
                return tuple(name.split("."))
            if "." not in name:
                break
        return ()


def _qualified(inside: tuple[str, ...], name: str) -> str:
    return "::".join((*inside, name))


def _declare(source: Source, each: syntax.Import, inside: tuple[str, ...], found: Findings) -> None:
    """`mod name;`: where its file may lie is for the tree to say."""
    name = _qualified(inside, each.path.removeprefix("r#"))
    before = source.text[max(each.start - _LONGEST_ATTRIBUTES, 0) : each.start]
    attributes = _ATTRIBUTES.search(before)
    places = _PATH_ATTRIBUTE.findall(attributes[0]) if attributes else []
    found.declares.append(("rust module", name))
    for place in places:
        path = place.decode("utf-8", "replace")
        found.declares.append((f"rust module {name}", path))
        found.declares.append(("rust file", path.rpartition("/")[2]))
    found.refer("import", f"self::{name}", "", source.line(each.start), source.line(each.end - 1))


def _use(source: Source, each: syntax.Import, inside: tuple[str, ...], found: Findings, bound: set[str]) -> None:
    start, end = source.line(each.start), source.line(each.end - 1)
    for path, alias in _leaves(each.path):
        parts = _from_file(path, inside)
        *above, last = parts
        target = "::".join(above) if above else last
        found.refer("import", target, last if above else "", start, end)
        name = alias or (path[-1] if last != "*" else "*")
        bound.add(name)
        if last == "*":
            found.exports.append((_qualified(inside, "*"), target, "*"))
        elif name != "_":
            found.exports.append((_qualified(inside, name), target, last if above else ""))


def _leaves(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(path, alias or "") of each name in a tree of names."""
    stack: list[tuple[str, ...]] = [()]  # what the groups around here begin with
    path: tuple[str, ...] = ()
    alias, renaming, count = "", False, 0
    for token in (*_TOKEN.findall(text), ","):
        if token == "{":
            stack.append(path)
            if len(stack) > _MAX_NESTED:
                return
        elif token in ",}":
            if len(path) > len(stack[-1]):
                plain = path[:-1] if path[-1] == "self" and len(path) > 1 else path
                yield plain, alias
                count += 1
                if count > _MAX_LEAVES:
                    return
            if token == "}" and len(stack) > 1:
                stack.pop()
            path = stack[-1] if token == "," else ()
            alias, renaming = "", False
        elif token == "as":
            renaming = True
        elif renaming:
            alias = token
        elif token not in ("::", "r#"):
            path = (*path, token.lstrip("$"))


def _from_file(path: tuple[str, ...], inside: tuple[str, ...]) -> tuple[str, ...]:
    """A path told from the module of the file rather than from an inline module in it."""
    if not inside or path[0] not in ("self", "super"):
        return path
    left = list(inside)
    rest = list(path)
    if rest[0] == "self":
        rest.pop(0)
    while rest and rest[0] == "super" and left:
        rest.pop(0)
        left.pop()
    return tuple(rest) if rest and rest[0] == "super" else ("self", *left, *rest)


def _paths(source: Source, code: bytes, modules: _Modules, bound: set[str], found: Findings) -> None:
    """Paths that stand in code and were not imported: `crate::a::f()`, `other_crate::Type`."""
    seen: set[bytes] = set()
    joined = hits(code, lambda word: word if b"::" in word else None, _PATH_TABLE)
    for offset, match in ((offset, match) for offset, word in joined for match in _IN_CODE.finditer(word)):
        if match[0] in seen:
            continue
        seen.add(match[0])
        head = match[1].decode("utf-8", "replace")
        if head in bound:
            continue
        line = source.line(offset + match.start())
        parts = _from_file((head, *_until_type(match[2].decode("utf-8", "replace"))), modules.at(line))
        if len(parts) > 1:
            found.refer("import", "::".join(parts[:-1]), parts[-1], line)
        if len(seen) >= syntax.MAX_USES:
            return


def _until_type(path: str) -> Iterator[str]:
    """The segments up to the first that is no module by its looks."""
    for segment in path.split("::")[1:]:
        yield segment
        if segment[:1].isupper():
            return
