"""A Python syntax tree, within bounds, as the captures of python.scm.

Knows the parser and where it, or a query, would run away: a text past one of
the bounds has no tree. Knows nothing of what the captures mean.
"""

from __future__ import annotations

import os
import re
from itertools import accumulate
from operator import attrgetter

import tree_sitter_python
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

Captures = dict[str, list[Node]]

_LANGUAGE = Language(tree_sitter_python.language())
with open(os.path.join(os.path.dirname(__file__), "python.scm"), encoding="utf-8") as _file:
    _QUERY = Query(_LANGUAGE, _file.read())

# Recovery from errors can take quadratic time and worse, queries are quadratic in the
# children of one broken node, the scanner in runs of continued lines: past these
# bounds, which count and never look at the clock, a file is read as plain text.
_READ = 1 << 14
_MAX_STEPS = 200  # of 100 operations each, and …
_BYTES_PER_STEP = 8  # … one more for so many bytes; files people write take one for 70, tables of numbers one for 15
_SETTLED = b"\n0\n\n0\n"  # after broken text: two good statements end the search for a repair at once
_WINDOW = 1 << 17  # a larger file is parsed as a whole only if each such piece has few errors:
_MAX_ERRORS = 1_000  # the parser's repairs nest, and some 100,000 deep they overflow the C stack
_MAX_BROKEN_CHILDREN = 2_000
_MAX_QUERY_DEPTH = 10_000  # past 65,535 a query miscounts; what lies so deep is no definition
_MAX_CONTINUATIONS = 500
_MAX_DEPTH = 2_000
_CONTINUED = re.compile(rb"(?:\\\n[ \t\f\n]*+)++")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_DEPTH = tuple(1 if byte in b"([{" else -1 if byte in b")]}" else 0 for byte in range(256))

_START = attrgetter("start_byte")


def read(text: bytes) -> tuple[Captures | None, str]:
    """The captures, if the text can be parsed, and what is wrong with it ("too deep", "syntax") or ""."""
    if _too_deep(text):
        return None, "too deep"
    tree = _parse(text) if len(text) <= _WINDOW or _looks_parsable(text) else None
    if tree is None or _too_broken(tree.root_node):
        return None, "syntax"
    return _captures(tree.root_node), "syntax" if tree.root_node.has_error else ""


def _captures(root: Node) -> Captures:
    """The nodes of each capture by position: they come in no order, and then those of one pattern are parallel."""
    cursor = QueryCursor(_QUERY)
    cursor.set_max_start_depth(_MAX_QUERY_DEPTH)
    return {name: sorted(nodes, key=_START) for name, nodes in cursor.captures(root).items()}


def _too_deep(text: bytes) -> bool:
    brackets = text.translate(None, _NOT_BRACKETS)
    if len(brackets) > _MAX_DEPTH and max(accumulate(map(_DEPTH.__getitem__, brackets))) > _MAX_DEPTH:
        return True
    return text.count(b"\\\n") > _MAX_CONTINUATIONS and any(
        match[0].count(b"\n") > _MAX_CONTINUATIONS for match in _CONTINUED.finditer(text)
    )


def _parse(text: bytes) -> Tree | None:
    """The tree, or None when it takes more steps than any file should."""
    steps = _MAX_STEPS + len(text) // _BYTES_PER_STEP
    text += _SETTLED

    def read(offset: int, _point: object) -> bytes:
        return text[offset : offset + _READ]

    def stop(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps -= 1
        return steps < 0

    try:
        return Parser(_LANGUAGE).parse(read, progress_callback=stop)
    except ValueError:  # stopped
        return None


def _looks_parsable(text: bytes) -> bool:
    """Whether each piece, parsed by itself, comes out mostly whole; cuts cost a few errors."""
    for start in range(0, len(text), _WINDOW):
        tree = _parse(text[start : start + _WINDOW])
        if tree is None or _too_broken(tree.root_node, cut=True):
            return False
    return True


def _too_broken(root: Node, cut: bool = False) -> bool:
    """Whether there are more errors, or more nodes around one, than queries bear."""
    errors = 0
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        errors += node.is_error
        if errors > _MAX_ERRORS or (node.child_count > _MAX_BROKEN_CHILDREN and not cut):
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False
