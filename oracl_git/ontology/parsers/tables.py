"""Paragraphs and tables of a word processor: what Word and Hangul documents share.

Knows how cells become a row of text, what in them does not fit into one, and how an object
stands in a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .model import Kind, Section

OBJECT = "\ufffc"  # where a table or a picture stands in a line of text
_BETWEEN = re.compile(rf"(?<=\w){OBJECT}+(?=\w)")


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


def flow(pieces: Sequence[str]) -> str:
    """The text of a paragraph; an object that stands between two words parts them."""
    text = "".join(pieces)
    if OBJECT in text:
        text = _BETWEEN.sub(" ", text).replace(OBJECT, "")
    return text.strip("\n")
