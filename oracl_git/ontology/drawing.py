"""The graph as the dashboard draws it: which files, domains, documents and names, where each stands, and why two join.

Knows what is left out when there is more than a page can show, and says how much that is. Nothing of
a hidden scope is in it. Where things stand is `packing`'s; how they look is the page's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from ..graph.model import ARTIFACT, HUB_PREFIX, KIND_NAMES
from ..store.index import Index, Node
from . import documents, graph
from .packing import packed
from .store import Connection

NODES, ENTITIES, EDGES = 5_000, 500, 30_000  # what a page shows of each at most
_ALL = 1 << 30
_PLACES = 3  # lines told of one edge
_QUOTE = 300  # characters of what a document says
_LINE = re.compile(r"^L(\d+)-\1$")  # one line, as people write it
_Key = tuple[str, str]  # ("file", path), ("domain", name), ("name", id of an entity)
_Edge = tuple[_Key, str, _Key, str]


class Artifacts(documents.Names, Protocol):
    """The indexed commit, and what its artifacts are called."""

    index: Index


class Drawing:
    """Nodes and edges while they are gathered. A document that is a file of the repository is that file."""

    def __init__(self) -> None:
        self.nodes: dict[_Key, tuple[str, str]] = {}  # → its name and its kind
        self.edges: dict[tuple[_Key, str, _Key], list[str]] = {}  # → where, or what is said
        self.of: dict[str, list[int]] = {}  # what there is → shown, of all there are

    def join(self, edges: Iterable[_Edge]) -> None:
        """Add edges whose ends are shown."""
        for source, relation, target, evidence in edges:
            if source in self.nodes and target in self.nodes and source != target:
                told = self.edges.setdefault((source, relation, target), [])
                if evidence and evidence not in told:
                    told.append(evidence)


def drawn(db: Connection, scopes: Sequence[str], code: Artifacts | None, hidden: Collection[str]) -> dict[str, Any]:
    """What the page draws, as it reads it."""
    drawing = Drawing()
    named = graph.entities(db, scopes, limit=_ALL)
    for row in named[:ENTITIES]:
        drawing.nodes["name", row["id"]] = (row["name"], row["kind"])
    drawing.of["names"] = [min(len(named), ENTITIES), len(named)]
    said = list(_said(db, scopes))
    about = documents.of_all(db, code, scopes) if code else []
    ids = _artifacts(drawing, code.index, hidden) if code else {}
    telling = [edge[0][1] for edge in said if edge[1] == graph.NAMES] + [uri for uri, *_ in about]
    _documents(drawing, dict.fromkeys(telling))
    if code:
        drawing.join(_links(code.index, ids))
    drawing.join(
        (("file", uri), "documents", ("file", path), f"{location}: {name}") for uri, path, location, name in about
    )
    drawing.join(said)
    drawing.of["edges"] = [min(len(drawing.edges), EDGES), len(drawing.edges)]
    return {**_told(drawing), "commit": code.index.commit if code else ""}


def _artifacts(drawing: Drawing, index: Index, hidden: Collection[str]) -> dict[int, _Key]:
    """Every domain, and the files of the greatest priority."""
    keys = {}
    files: list[tuple[int, str, Node]] = []
    for node in index.all_nodes():
        if node.kind == ARTIFACT:
            if node.path not in hidden:
                files.append((-index.priority(node)[1], node.path, node))
        else:
            key = keys[node.id] = ("domain", node.path)
            drawing.nodes[key] = (node.path.removeprefix(HUB_PREFIX), KIND_NAMES[node.kind])
    files.sort(key=lambda row: row[:2])
    drawing.of["domains"] = [len(keys), len(keys)]
    shown = files[: max(0, NODES - len(drawing.nodes))]
    for _, path, node in shown:
        key = keys[node.id] = ("file", path)
        drawing.nodes[key] = (path, node.role)
    drawing.of["files"] = [len(shown), len(files)]
    return keys


def _documents(drawing: Drawing, uris: Iterable[str]) -> None:
    """The documents that are no files of the index, as far as there is room."""
    loose = [uri for uri in uris if ("file", uri) not in drawing.nodes]
    shown = loose[: max(0, NODES - len(drawing.nodes))]
    drawing.nodes.update((("file", uri), (uri, "document")) for uri in shown)
    drawing.of["other documents"] = [len(shown), len(loose)]


def _said(db: Connection, scopes: Sequence[str]) -> Iterable[_Edge]:
    """What documents say of names, and which names stand in them."""
    shown = {row["id"] for row in graph.entities(db, scopes, limit=ENTITIES)}
    for source, relation, target, evidence in graph.edges(db, shown, scopes):
        yield ("file" if relation == graph.NAMES else "name", source), relation, ("name", target), evidence[:_QUOTE]


def _links(index: Index, keys: dict[int, _Key]) -> Iterable[_Edge]:
    """The edges of the index, those of the greatest rank first."""
    links = [link for node in keys for link in index.links(node, "out", hubs=True) if link.target in keys]
    links.sort(key=lambda link: (-link.rank, keys[link.source], keys[link.target], link.relation, link.source_fragment))
    for link in links:
        yield keys[link.source], link.relation, keys[link.target], _LINE.sub(r"L\1", link.source_fragment)


def _told(drawing: Drawing) -> dict[str, Any]:
    """Numbers in place of names: a page of 5,000 files is read at once."""
    edges = list(drawing.edges.items())[:EDGES]
    degree = dict.fromkeys(drawing.nodes, 0)
    for (source, _, target), _ in edges:
        degree[source] += 1
        degree[target] += 1
    keys = list(drawing.nodes)
    places = [_place(key, *drawing.nodes[key]) for key in keys]
    spots, regions = packed(places, [4 + degree[key] ** 0.5 for key in keys])
    kinds = sorted({kind for _, kind in drawing.nodes.values()})
    relations = sorted({relation for (_, relation, _), _ in edges})
    number = {key: place for place, key in enumerate(keys)}
    return {
        "of": drawing.of,
        "kinds": kinds,
        "relations": relations,
        "nodes": [
            [name, kinds.index(kind), round(spot.x, 1), round(spot.y, 1), round(spot.r, 1)]
            for (name, kind), spot in zip(drawing.nodes.values(), spots, strict=True)
        ],
        "regions": [
            ["/".join(region.name), *(round(value, 1) for value in region.circle)] for region in regions
        ],
        "edges": [
            [number[source], relations.index(relation), number[target], _where(evidence)]
            for (source, relation, target), evidence in edges
        ],
    }  # fmt: skip


def _where(evidence: Sequence[str]) -> str:
    more = len(evidence) - _PLACES
    return "; ".join(evidence[:_PLACES]) + (f"; {more} more" if more > 0 else "")


def _place(key: _Key, name: str, kind: str) -> tuple[str, ...]:
    """The region a node stands in, and its own name there. No directory is called as the others are: with a slash."""
    if key[0] == "file":
        return tuple(name.split("/"))
    return ("/domains", name) if key[0] == "domain" else ("/names", kind, key[1])
