"""Names of files and definitions that match what a person types.

Knows how names are matched as editors do: the letters in order, of any case.
Knows nothing of text or history: that is `search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nsmallest
from typing import NamedTuple

from ..store.index import Index

_LETTERS = 64  # that are looked for


class Symbol(NamedTuple):
    """A definition, or a whole file (kind "file"). Lines are 1-based."""

    name: str
    kind: str
    path: str
    start: int
    end: int


def symbols(index: Index, query: str, limit: int) -> list[Symbol]:
    """The best names for the letters typed; of equal ones files before definitions, then by path and line."""
    letters = query.strip()
    if not letters.strip(".") or limit <= 0:
        return []
    found: list[Symbol] = []
    for name in _best(index, letters, limit):
        paths = [name] if "/" in letters else [path for _, path in index.named(name, limit)]
        nodes = filter(None, map(index.node, paths))
        found += (Symbol(name, "file", node.path, 1, max(1, node.lines)) for node in nodes)
        found += (Symbol(name, *row) for row in index.definitions_named(name, limit))
        if len(found) >= limit:
            break
    return found[:limit]


def _best(index: Index, letters: str, limit: int) -> list[str]:
    """The best names, in order.

    What is looked for gets wider only as long as there are too few: in a large repository
    thousands of names hold a few letters, and the best must not be lost among them.
    """
    names: set[str] = set()
    for worst, patterns in _patterns(letters[:_LETTERS]):
        names = index.names_like(patterns, whole="/" in letters)
        if sum(_rank(name, letters)[0] <= worst for name in names) >= limit:
            break
    return nsmallest(limit, names, key=lambda name: (_rank(name, letters), name))


def _patterns(letters: str) -> Iterator[tuple[int, list[str]]]:
    """LIKE patterns, narrow ones first, each with the worst rank of which none is missed."""
    plain = ["\\" + c if c in "%_\\" else c for c in letters]
    part = "".join(plain)
    yield 2, [f"{part}%", f"%.{part}%", f"%/{part}%"]
    yield 3, [f"%{part}%"]
    yield 4, [f"%{'%'.join(plain)}%"]


def _rank(name: str, letters: str) -> tuple[int, int]:
    """Smaller is better: the same, its last part the same, a beginning, a part, else letters in order."""
    last = name.replace("/", ".").rpartition(".")[2] if "/" not in letters else name
    low, want = name.lower(), letters.lower()
    if letters in (name, last):
        return 0, len(name)
    if want in (low, last.lower()):
        return 1, len(name)
    if low.startswith(want) or last.lower().startswith(want):
        return 2, len(name)
    return (3 if want in low else 4), len(name)
