"""The names in a passage that artifacts of the repository may answer to: `documents` edges.

Knows what a path, a dotted name and an identifier look like in prose. A mention
is kept as it is written and resolved when it is read, so that an edge is never
older than the graph.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

MAX_MENTIONS = 200  # of one chunk
AMBIGUOUS = 5  # above so many candidates a name says nothing, as in the graph

_PATH = re.compile(r"(?<![\w/.@:])([\w./+-]*[\w+-]\.[A-Za-z]\w{0,7})(?![\w/])")
_DOTTED = re.compile(r"(?<![\w./])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?!\w)")
_SNAKE = re.compile(r"(?<![\w./])_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?!\w)")
_CAMEL = re.compile(r"(?<![\w./])[A-Za-z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+(?!\w)")
_TICKED = re.compile(r"`+([A-Za-z_][\w.]*)(?:\(\))?`+")
_NOT_FILES = frozenset(("e.g", "i.e", "etc.", "vs."))


def names_in(text: str) -> list[str]:
    """The names a text mentions, each once, in order."""
    found: dict[str, None] = {}
    if "." in text:
        for match in _PATH.finditer(text):
            found[posixpath.normpath(match[1]).lstrip("/")] = None
        for match in _DOTTED.finditer(text):
            found[match[0]] = None
    if "_" in text:
        found.update(dict.fromkeys(_SNAKE.findall(text)))
    found.update(dict.fromkeys(_CAMEL.findall(text)))
    if "`" in text:
        found.update(dict.fromkeys(_TICKED.findall(text)))
    return [name for name in found if name not in _NOT_FILES and len(name) < 300][:MAX_MENTIONS]


def names_of(path: str, symbols: Iterable[str]) -> dict[str, str]:
    """Every name an artifact answers to, with what kind it is: path, name, module or symbol."""
    found: dict[str, str] = {}
    parts = path.split("/")
    for index in range(len(parts)):
        found["/".join(parts[index:])] = "path" if index < len(parts) - 1 or len(parts) == 1 else "name"
    module, suffix = posixpath.splitext(path)
    if suffix in (".py", ".pyi"):
        dotted = module.removesuffix("/__init__").split("/")
        bases = [".".join(dotted[index:]) for index in range(len(dotted) - 1)]
        found.update(dict.fromkeys(bases, "module"))
        for symbol in symbols:
            found.update(dict.fromkeys([f"{base}.{symbol}" for base in bases], "symbol"))
            found[f"{dotted[-1]}.{symbol}"] = "symbol"
    for symbol in symbols:
        if len(symbol) > 3:
            found.setdefault(symbol, "symbol")
    return found
