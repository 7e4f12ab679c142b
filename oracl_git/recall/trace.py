"""trace: what depends on what, as a tree, shortest paths, or the impact of a change.

Knows breadth-first walks over stored edges. Cycles are shown once and marked;
what was reached on a shorter way is not expanded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..graph.model import ARTIFACT
from ..store.index import Index, Link, Node
from .model import Step

_GUARD = 5_000
# What a change can break: who imports, tests, configures, names or includes it.
IMPACT_RELATIONS = (
    "imports", "tests", "configures", "provides", "references", "mentions", "depends_on", "references_placeholder",
)  # fmt: skip

Neighbour = tuple[int, Link, bool]  # (other node, edge, whether the edge points at it)
_Way = tuple[Neighbour, "_Way"] | None  # the next step, and what follows it


def neighbours(index: Index, node: int, direction: str, relations: frozenset[str]) -> list[Neighbour]:
    """One heaviest edge per other artifact, in rank order, at most 5,000."""
    best: dict[int, Neighbour] = {}
    for way in ("out", "in"):
        if direction not in (way, "both"):
            continue
        for link in index.links(node, way):
            other = link.target if way == "out" else link.source
            if other == node or (relations and link.relation not in relations):
                continue
            if other not in best or link.rank > best[other][1].rank:
                best[other] = (other, link, way == "out")
    return [best[other] for other in index.best({other: row[1].rank for other, row in best.items()}, _GUARD)]


def tree(index: Index, start: Node, direction: str, depth: int, relations: Iterable[str] = ()) -> Step:
    """The dependency tree; every artifact is expanded where it is nearest to the start."""
    wanted = frozenset(relations)
    expanded = {start.id}
    level = [start.id]
    children: dict[int, list[Neighbour]] = {}
    came_from: dict[int, int] = {}  # where each artifact is expanded
    for _ in range(depth):
        following = []
        for node in level:
            children[node] = neighbours(index, node, direction, wanted)
            for other, _, _ in children[node]:
                if other not in expanded:
                    expanded.add(other)
                    came_from[other] = node
                    following.append(other)
        level = following
    ids = {start.id} | {other for rows in children.values() for other, _, _ in rows}
    nodes = {node: row for node, row in index.nodes(ids).items() if row.kind == ARTIFACT}

    def build(node: int, link: Link | None, pointed: bool, mine: bool) -> Step:
        if not mine:
            return Step(nodes[node].path, *_place(link, pointed), cycle=node in children or node == start.id)
        rows = [row for row in children.get(node, ()) if row[0] in nodes and row[0] != came_from.get(node)]
        steps = tuple(build(other, edge, way, came_from.get(other) == node) for other, edge, way in rows)
        return Step(nodes[node].path, *_place(link, pointed), children=steps)

    return build(start.id, None, False, True)


def _place(link: Link | None, pointed: bool) -> tuple[str, str, str, bool]:
    """(fragment, relation, symbol, whether the edge points at the node); the fragment is where it stands."""
    if link is None:
        return "", "", "", True
    symbol = link.target_fragment.lstrip("#")
    return ("" if pointed else link.source_fragment), link.relation, symbol, pointed


def shortest(
    index: Index, start: Node, goal: Node, direction: str, relations: Iterable[str] = (), limit: int = 10
) -> list[list[Step]]:
    """Up to `limit` shortest paths from one artifact to another."""
    wanted = frozenset(relations)
    parents: dict[int, list[tuple[int, Link, bool]]] = {start.id: []}
    level = [start.id]
    while level and goal.id not in parents:
        following: dict[int, list[tuple[int, Link, bool]]] = {}
        for node in level:
            for other, link, pointed in neighbours(index, node, direction, wanted):
                if other not in parents:
                    following.setdefault(other, []).append((node, link, pointed))
        parents.update(following)
        level = list(following)
    if goal.id not in parents:
        return []
    found: list[list[tuple[int, Link | None, bool]]] = []
    todo: list[tuple[int, _Way]] = [(goal.id, None)]
    while todo and len(found) < limit:  # no recursion: a way may be longer than Python allows
        node, way = todo.pop()
        if node != start.id:
            todo += [(parent, ((node, link, pointed), way)) for parent, link, pointed in reversed(parents[node])]
            continue
        found.append([(node, None, False)])
        while way is not None:
            step, way = way
            found[-1].append(step)
    nodes = index.nodes({node for path in found for node, _, _ in path})
    return [[Step(nodes[node].path, *_place(link, pointed)) for node, link, pointed in path] for path in found]


def impact(
    index: Index, changed: list[Node], depth: int, relations: Iterable[str] = IMPACT_RELATIONS
) -> list[tuple[Node, int, Step]]:
    """What a change of these can break: (artifact, distance, how it is reached), tests first, then nearest.

    A document that speaks of what changed may be wrong by it; what speaks of that document is not.
    """
    wanted = frozenset(relations)
    distance = {node.id: 0 for node in changed}
    how: dict[int, tuple[int, Link]] = {}
    level = list(distance)
    for step in range(1, depth + 1):
        following = []
        for node in level:
            for other, link, _ in neighbours(index, node, "in", wanted):
                if other not in distance:
                    distance[other] = step
                    how[other] = (node, link)
                    following.append(other)
        nodes = index.nodes(following)
        level = [node for node in following if nodes[node].role != "docs"]
    nodes = index.nodes(distance)
    rows = []
    for node, (via, link) in how.items():
        if nodes[node].kind == ARTIFACT:
            rows.append(
                (nodes[node], distance[node], Step(nodes[via].path, link.source_fragment, link.relation, away=False))
            )
    rows.sort(key=lambda row: (row[0].role != "tests", row[1], row[0].path))
    return rows


def walk(step: Step, visit: Callable[[Step, Step | None], None], parent: Step | None = None) -> None:
    """Call `visit` for every step of a tree with its parent."""
    todo: list[tuple[Step, Step | None]] = [(step, parent)]
    while todo:
        here, above = todo.pop()
        visit(here, above)
        todo.extend((child, here) for child in reversed(here.children))
