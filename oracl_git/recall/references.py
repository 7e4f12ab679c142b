"""What one file refers to, place by place; and who refers to it.

Knows the references that extraction found in a file, and follows each of them
anew, as linking does: an edge says which lines, a reference says which words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..extract.facts import Reference
from ..graph import link
from ..graph.model import ARTIFACT
from ..store.index import Index, Node
from ..store.tree import StoredNames

_NUMBERED = re.compile(r"#L(\d{1,9})(?!\w)")  # a line, as hosts of repositories write it


@dataclass(frozen=True)
class Target:
    """Where a reference leads: a file, and a symbol or anchor in it."""

    path: str
    relation: str
    symbol: str
    line: int  # of the symbol or anchor, or the line itself; 0: unknown


@dataclass(frozen=True)
class Place:
    """One reference that leads to a file. Lines are 1-based and inclusive."""

    reference: Reference
    targets: tuple[Target, ...]


def places(index: Index, node: Node) -> list[Place]:
    """Every reference of a file that leads somewhere, in order."""
    facts = index.facts(node)
    names = StoredNames(index.db, index.facts_of)
    found = []
    for reference in facts.references:
        edges = link.follow(node.path, facts.language, reference, names)
        targets = tuple(
            Target(e.target, e.relation, e.target_fragment.lstrip("#"), _line(index, e.target, e.target_fragment))
            for e in edges
            if e.target_kind == ARTIFACT
        )
        if targets:
            found.append(Place(reference, targets))
    return found


def _line(index: Index, path: str, fragment: str) -> int:
    """The line of a symbol or anchor."""
    node = index.node(path) if fragment else None
    if node is None:
        return 0
    if not fragment.startswith("#"):
        span = index.symbol(node.id, fragment)
        return span[0] if span else 0
    try:
        facts = index.facts(node)
    except LookupError:
        return 0
    anchored = next((line for anchor, line in facts.anchors if anchor == fragment[1:]), 0)
    numbered = None if anchored else _NUMBERED.match(fragment)
    return int(numbered[1]) if numbered and int(numbered[1]) <= facts.lines else anchored


@dataclass(frozen=True)
class Neighbour:
    """A file at the other end of edges: each with its relation, lines in the file that refers, and symbol."""

    path: str
    edges: tuple[tuple[str, str, str], ...]  # (relation, fragment, symbol), heaviest first


def neighbours(index: Index, node: Node, direction: str) -> list[Neighbour]:
    """Whom a file refers to ("out"), or who refers to it ("in"), closest first."""
    rows: dict[int, list[tuple[int, str, str, str]]] = {}
    for each in index.links(node.id, direction):
        other = each.target if direction == "out" else each.source
        symbol = each.target_fragment.lstrip("#")
        rows.setdefault(other, []).append((each.rank, each.relation, each.source_fragment, symbol))
    nodes = index.nodes(rows)
    ordered = sorted(rows.items(), key=lambda row: (-max(edge[0] for edge in row[1]), nodes[row[0]].path))
    return [
        Neighbour(nodes[other].path, tuple(edge[1:] for edge in sorted(edges, key=lambda e: (-e[0], e[1:]))))
        for other, edges in ordered
        if nodes[other].kind == ARTIFACT
    ]
