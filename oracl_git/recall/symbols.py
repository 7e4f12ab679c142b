"""Names of files and definitions that match what a person types.

Knows how names are matched as editors do: the letters in order, of any case.
Knows nothing of text or history: that is `search`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..store.index import Index

_READ = 5_000  # rows that are ranked


class Symbol(NamedTuple):
    """A definition, or a whole file (kind "file"). Lines are 1-based."""

    name: str
    kind: str
    path: str
    start: int
    end: int


def symbols(index: Index, query: str, limit: int) -> list[Symbol]:
    """The best names for the letters typed; files before definitions among equals."""
    letters = query.strip()
    if not letters.strip("."):
        return []
    found = [(_rank(name, letters), Symbol(name, kind, path, start, end))
             for name, kind, path, start, end in index.names_like(letters, _READ)]  # fmt: skip
    found.sort(key=lambda row: (row[0], row[1].path, row[1].start))
    return [symbol for _, symbol in found[:limit]]


def _rank(name: str, letters: str) -> tuple[int, int]:
    """Smaller is better: the same, its last part the same, a beginning, a part, else letters in order."""
    last = name.replace("/", ".").rpartition(".")[2] if "/" not in letters else name
    low, want = name.lower(), letters.lower()
    if letters in (name, last):
        return 0, len(name)
    if want in (low, last.lower()):
        return 1, len(name)
    if last.lower().startswith(want):
        return 2, len(name)
    return (3 if want in low else 4), len(name)
