"""Edges addressed by tag-derived keys, in both directions and by key prefix.

An edge has a forward key `domain:component:path>relation>domain:component:path`
and a reverse key with the ends exchanged and `<` for `>`. Knows how keys are
made and looked up: a whole key is one indexed read, a prefix a scan of edges.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..store.index import Index, Link, Node


def node_key(node: Node) -> str:
    """`domain:component:path`; hubs and constraints have no tags but a domain."""
    return f"{node.tags.get('domain', '')}:{node.tags.get('component', '')}:{node.path}"


def keys_of(link: Link, source: Node, target: Node) -> tuple[str, str]:
    """(forward key, reverse key) of an edge."""
    a, b = node_key(source), node_key(target)
    return f"{a}>{link.relation}>{b}", f"{b}<{link.relation}<{a}"


def edges_at(index: Index, key: str) -> list[Link]:
    """The edges of one whole key (parallel edges share it)."""
    for arrow, direction in ((">", "out"), ("<", "in")):
        head, found, _ = key.partition(arrow)
        while found:
            node = index.node(head.split(":", 2)[-1])
            if node is not None:
                rows = list(_keyed(index, node, direction))
                return [link for link, made in rows if made == key]
            more, found, _ = key[len(head) + 1 :].partition(arrow)
            head = f"{head}{arrow}{more}"
    return []


def edges_under(index: Index, prefix: str, limit: int) -> list[tuple[str, Link]]:
    """(key, edge) of the edges one of whose keys starts with the prefix, in key order."""
    found = []
    nodes = {node.id: node for node in index.all_nodes()}
    heads = {node: key for node, row in nodes.items() if _meet(key := node_key(row), prefix)}
    for link in index.all_links():
        for end in (link.source, link.target):
            if end in heads:
                forward, reverse = keys_of(link, nodes[link.source], nodes[link.target])
                key = forward if end == link.source else reverse
                if key.startswith(prefix):
                    found.append((key, link))
    found.sort(key=lambda row: (row[0], row[1]))
    return found[:limit]


def _meet(key: str, prefix: str) -> bool:
    return key.startswith(prefix) or prefix.startswith(key)


def _keyed(index: Index, node: Node, direction: str) -> Iterator[tuple[Link, str]]:
    links = index.links(node.id, direction, hubs=True)
    nodes = index.nodes({end for link in links for end in (link.source, link.target)})
    for link in links:
        forward, reverse = keys_of(link, nodes[link.source], nodes[link.target])
        yield link, forward if direction == "out" else reverse
