"""Tables of a word processor, and where blocks stand: what Word and Hangul documents share.

Knows how cells become a row of text, and what in them does not fit into one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .model import Kind, Section


class Place(NamedTuple):
    """Where a block stands: what its paragraphs are, and what their place is called."""

    kind: Kind
    name: str  # "" for the body, whose paragraphs are counted


def row(cells: Sequence[Sequence[Section]], location: str, depth: int) -> Iterator[Section]:
    """A row of a table from what its cells hold; tables, notes and boxes in a cell follow it."""
    texts: list[str] = []
    nested: list[Section] = []
    for cell in cells:
        own = []
        for one in cell:
            if one.location == location and one.kind in ("paragraph", "heading"):
                own.append(one.text)
            else:
                nested.append(one)
        texts.append("\n".join(own).strip())
    if any(texts):
        yield Section("row", " | ".join(texts), depth, location)
    yield from nested
