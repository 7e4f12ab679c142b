"""A syntax tree of any grammar, within bounds, and what a query finds in it.

Knows how a grammar is loaded, and where a parser, or a query, would run away: a
text past one of the bounds has no tree. Knows nothing of what captures mean.
"""

from __future__ import annotations

import os
import re
from ctypes import py_object, pythonapi
from functools import cache
from importlib import import_module
from itertools import accumulate
from operator import attrgetter
from sys import getrefcount
from typing import NamedTuple

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from .languages import GRAMMARS

Captures = dict[str, list[Node]]

# Recovery from errors can take quadratic time and worse, queries are quadratic in the
# children of one broken node, the scanner in runs of continued lines: past these
# bounds, which count and never look at the clock, a file is read as plain text.
_READ = 1 << 14
_MAX_READS = 256  # of pieces of _READ bytes by the scanner (files people write take up to 170), and …
_READS_PER_PIECE = 8  # … so many more for each piece there is
_MAX_STEPS = 200  # of 100 operations each, and …
_BYTES_PER_STEP = 8  # … one more for so many bytes; files people write take one for 70, tables of numbers one for 15
# A step that comes no further in the text follows another reading of it, and costs more, the more readings there are:
# beyond those that do come further (there are twice as many in files people write), …
_MAX_AGAIN = 200  # and …
_BYTES_PER_AGAIN = 64  # … one more for so many bytes
# After broken text: what ends the search for a repair at once, such as two good statements.
_SETTLED = {"python": b"\n0\n\n0\n"}
_WINDOW = 1 << 17  # a larger file is parsed as a whole only if each such piece has few errors:
_MAX_ERRORS = 1_000  # the parser's repairs nest, and some 100,000 deep they overflow the C stack
# Where lines are as short, or as long, as people write none, all of that is said of small pieces: a repair may copy
# all that went wrong before it, for each of them, and what it takes of memory is seen when it is taken.
_LINE = (14, 200)  # bytes of a line on average
_PIECE = 1 << 10
_STRING = re.compile(rb"([\"'`])(?:(?!\1)[^\\\n]|\\.)*(\1)?")  # to the end of the line where it is not closed
_LONG_STRING = 64  # bytes: it would be cut
_MAX_SHORT_LINES = 1 << 18  # more of them are data
_MAX_BROKEN_CHILDREN = 2_000
_MAX_MATCHES = 30_000  # of a file (those people write have up to 8,000, and no more rows than that are kept of a kind)
_MAX_CONTINUATIONS = 500
_ANGLED = frozenset("typescript tsx java kotlin csharp cpp rust".split())  # where "<" may be a bracket
_MAX_DEPTH = 2_000
_MAX_ANGLES = 500  # "<" without ">" in one statement, which may all be brackets
_STATEMENT = re.compile(rb"[;{}]")
_BRACKET = re.compile(rb"[()\[\]{}]")
_CLOSED_BY = {b"(": b")", b"[": b"]", b"{": b"}"}
_MAX_AROUND = 20  # brackets a piece is read in, and …
_LONGEST_OPENING = 300  # … bytes of what opens each
_MARGIN = re.compile(rb"\n(?![\s})\]/*#])")
_CONTINUED = re.compile(rb"(?:\\\n[ \t\f\n]*+)++")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_DEPTH = tuple(1 if byte in b"([{" else -1 if byte in b")]}" else 0 for byte in range(256))

_START = attrgetter("start_byte")


class Bearable(NamedTuple):
    """How much may be wrong: errors, nodes around or in one, and nodes that have one somewhere inside."""

    errors: int
    children: int
    nodes: int


_BEARABLE = Bearable(_MAX_ERRORS, _MAX_BROKEN_CHILDREN, 1 << 30)
_IN_WINDOW = Bearable(_MAX_ERRORS, 10_000, 1 << 30)  # children of errors alone: it is cut out of something
_IN_PIECE = Bearable(50, 200, 200)


class Grammar(NamedTuple):
    """A parser's tables, and what is asked of its trees."""

    language: Language
    query: Query
    settled: bytes
    comments: bool  # whether the query says what a comment is


@cache
def grammar(name: str) -> Grammar:
    """The grammar of a language and its query, loaded when its first file comes."""
    row = GRAMMARS[name]
    language = Language(getattr(import_module(row.module), row.function)())
    text = ""
    for part in (row.query or name).split():
        with open(os.path.join(os.path.dirname(__file__), f"{part}.scm"), encoding="utf-8") as file:
            text += file.read()
    query = Query(language, text)
    named = {query.capture_name(index) for index in range(query.capture_count)}
    return Grammar(language, query, _SETTLED.get(name, b""), "comment" in named)


def read(name: str, text: bytes) -> tuple[Node | None, str]:
    """The root, if the text can be parsed, and what is wrong with it ("too deep", "too broken", "syntax") or ""."""
    if _too_deep(text) or (name in _ANGLED and _too_angled(text)):
        return None, "too deep"
    known = grammar(name)
    sound = _looks_written(text) or (
        text.count(b"\n") <= _MAX_SHORT_LINES
        and _looks_parsable(known, _STRING.sub(_shortened, text), _PIECE, _IN_PIECE)
    )
    sound = sound and (len(text) <= _WINDOW or _looks_parsable(known, text, _WINDOW, _IN_WINDOW))
    tree = _parse(known, text) if sound else None
    if tree is None or _too_broken(tree.root_node, _BEARABLE, whole=True):
        return None, "too broken"
    return tree.root_node, "syntax" if tree.root_node.has_error else ""


def captures(name: str, root: Node) -> Captures:
    """The nodes of each capture by position: they come in no order, and then those of one pattern are parallel."""
    return {each: sorted(nodes, key=_START) for each, nodes in _cursor(name).captures(root).items()}


def matches(name: str, root: Node) -> list[Captures]:
    """What each pattern found, in order of the patterns; the first ones in the text, when they are too many."""
    found = _cursor(name).matches(root)[:_MAX_MATCHES]
    found.sort(key=lambda match: match[0])
    return [nodes for _, nodes in found]


def _cursor(name: str) -> QueryCursor:
    cursor = QueryCursor(grammar(name).query)
    cursor.set_max_start_depth(GRAMMARS[name].depth)
    return cursor


def _too_deep(text: bytes) -> bool:
    brackets = text.translate(None, _NOT_BRACKETS)
    if len(brackets) > _MAX_DEPTH and max(accumulate(map(_DEPTH.__getitem__, brackets))) > _MAX_DEPTH:
        return True
    return text.count(b"\\\n") > _MAX_CONTINUATIONS and any(
        match[0].count(b"\n") > _MAX_CONTINUATIONS for match in _CONTINUED.finditer(text)
    )


def _too_angled(text: bytes) -> bool:
    return text.count(b"<") - text.count(b">") > _MAX_ANGLES and any(
        statement.count(b"<") - statement.count(b">") > _MAX_ANGLES
        for statement in _STATEMENT.split(text.replace(b"<<", b""))
    )


def _parse(known: Grammar, text: bytes) -> Tree | None:
    """The tree, or None when it takes more steps than any file should."""
    steps = _MAX_STEPS + len(text) // _BYTES_PER_STEP
    reads = _MAX_READS + _READS_PER_PIECE * (len(text) // _READ)
    again = _MAX_AGAIN + len(text) // _BYTES_PER_AGAIN
    reached = 0
    parsing = True
    whole = memoryview(text + known.settled)
    given: list[bytes] = []

    def read(offset: int, _point: object) -> bytes:
        nonlocal reads, steps
        reads -= parsing  # queries read the text of nodes, too
        if reads < 0:  # what is never closed is looked for to the end of the text, again and again
            steps = 0
            return b""
        piece = bytes(whole[offset : offset + _READ])
        if parsing:
            given.append(piece)
        return piece

    def stop(offset: int, _has_error: bool) -> bool:
        nonlocal again, reached, steps
        steps -= 1
        again += 1 if offset > reached else -1
        reached = max(reached, offset)
        return steps < 0 or again < 0

    try:
        tree = Parser(known.language).parse(read, progress_callback=stop)
    except ValueError:  # stopped
        tree = None
    parsing = False
    _let_go(given)
    return tree if reads >= 0 else None


def _let_go(given: list[bytes]) -> None:
    """Take back what the parser's binding keeps of the pieces it was given, when it has done with them.

    Version 0.26 never releases one: a process that parses all day would hold every text it ever saw. Nobody else
    has them, so what refers to one, beyond what refers to a piece that was never given, is forgotten.
    """
    given.append(bytes(2))
    *counts, untouched = [getrefcount(given[place]) for place in range(len(given))]
    for place, count in enumerate(counts):
        if len(given[place]) > 1:  # a shorter one may be anybody's
            for _ in range(count - untouched):
                pythonapi.Py_DecRef(py_object(given[place]))


def _shortened(string: re.Match[bytes]) -> bytes:
    return b'""' if string[2] and len(string[0]) > _LONG_STRING else string[0]


def _looks_written(text: bytes) -> bool:
    """Whether its lines are as long as lines that people write."""
    least, most = _LINE
    return len(text) <= 2 * _PIECE or least <= len(text) / (text.count(b"\n") + 1) <= most


def _looks_parsable(known: Grammar, text: bytes, size: int, bearable: Bearable) -> bool:
    """Whether each piece, parsed by itself in the brackets it lies in, comes out mostly whole."""
    start = 0
    opened: list[int] = []  # where the brackets stand that are not closed yet
    while start < len(text):
        end = _cut(text, start, size)
        head = _opening(text, opened)
        for bracket in _BRACKET.finditer(text, start, end):
            if bracket[0] in _CLOSED_BY:
                opened.append(bracket.start())
            elif opened and _CLOSED_BY[text[opened[-1] : opened[-1] + 1]] == bracket[0]:
                opened.pop()
        tail = b"".join(_CLOSED_BY[text[place : place + 1]] for place in reversed(opened[-_MAX_AROUND:]))
        tree = _parse(known, head + text[start:end] + tail)
        if tree is None or _too_broken(tree.root_node, bearable):
            return False
        start = end
    return True


def _opening(text: bytes, opened: list[int]) -> bytes:
    """What opens the brackets at some places: the lines they stand on, or the ones before, up to them."""
    parts: list[bytes] = []
    reached = 0
    for place in opened[-_MAX_AROUND:]:
        least = max(reached, place - _LONGEST_OPENING)
        line = place
        while line > least and not text[line:place].strip():  # a bracket may stand on a line of its own
            line = max(text.rfind(b"\n", least, line), least)
        parts.append(text[line : place + 1])
        reached = place + 1
    return b"".join(parts)


def _cut(text: bytes, start: int, size: int) -> int:
    """Where a piece may end: before a line at the margin, for there a statement of its own begins most often."""
    most = start + size
    if most >= len(text):
        return len(text)
    margins = [match.end() for match in _MARGIN.finditer(text, most - size // 4, most)]
    return margins[-1] if margins else text.rfind(b"\n", start, most) + 1 or most


def _too_broken(root: Node, bearable: Bearable, whole: bool = False) -> bool:
    """Whether there are more errors, or more nodes around one, than queries bear."""
    errors = nodes = 0
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        errors += node.is_error or node.is_missing
        nodes += 1
        if errors > bearable.errors or nodes > bearable.nodes:
            return True
        if (whole or node.is_error) and node.child_count > bearable.children:
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False
