"""The graph as networkx sees it: exports and centralities.

Knows how nodes and edges become a MultiDiGraph. Imports networkx when called;
never on the way to an answer.
"""

from __future__ import annotations

import io
from typing import IO, Any

from ..graph.model import ARTIFACT, KIND_NAMES, artifact_id, canonical_name
from ..store.index import Index

FORMATS = ("graphml", "gexf", "node-link", "dot")


def to_networkx(index: Index) -> Any:
    """A networkx.MultiDiGraph; node keys are canonical names, weights are floats."""
    import networkx

    graph: Any = networkx.MultiDiGraph(commit=index.commit, root=str(index.header.get("root") or ""))
    names = {}
    for node in index.all_nodes():
        name = names[node.id] = canonical_name(node.kind, node.path)
        priority, blended = index.priority(node)
        identity = artifact_id(node.path, node.blob, node.size) if node.kind == ARTIFACT else name
        graph.add_node(
            name, kind=KIND_NAMES[node.kind], id=identity, checksum=node.checksum, language=node.language,
            priority=priority / 1e6, blended=blended / 1e6, degree=node.degree,
            **{f"tag_{field}": _clean(value) for field, value in node.tags.items()},
        )  # fmt: skip
    for link in index.all_links():
        graph.add_edge(
            names[link.source], names[link.target], relation=link.relation, weight=link.weight / 1e6,
            confidence=link.confidence / 1e6, rank=index.normalised(link.rank) / 1e6,
            source_fragment=link.source_fragment, target_fragment=_clean(link.target_fragment),
        )  # fmt: skip
    return graph


def write(index: Index, form: str, file: IO[bytes]) -> None:
    """Write the graph in one of FORMATS."""
    import networkx

    graph = to_networkx(index)
    if form in ("graphml", "gexf"):
        # Not into the file itself: lxml, where it is there, takes down the process when a write fails.
        whole = io.BytesIO()
        (networkx.write_graphml if form == "graphml" else networkx.write_gexf)(graph, whole)
        file.write(whole.getbuffer())
    elif form == "node-link":
        import json

        data = networkx.node_link_data(graph, edges="links")
        file.write(json.dumps(data, ensure_ascii=True).encode())
    else:
        lines = ["digraph oracl {"]
        number = {name: place for place, name in enumerate(graph)}
        lines += [f'  n{number[name]} [label="{_dot(name)}"];' for name in graph]
        lines += [
            f'  n{number[a]} -> n{number[b]} [label="{data["relation"]}", weight={max(1, round(10 * data["weight"]))}];'
            for a, b, data in graph.edges(data=True)
        ]
        file.write(("\n".join([*lines, "}"]) + "\n").encode())


def _clean(text: str) -> str:
    """Text that XML can hold: control characters and lone surrogates become "?"."""
    return "".join(c if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF else "?" for c in text)


def _dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def centralities(index: Index, top: int = 10) -> dict[str, list[tuple[str, float]]]:
    """PageRank, betweenness on a sample, and core numbers: what `stats --deep` prints."""
    import networkx

    whole = to_networkx(index)
    graph: Any = networkx.DiGraph()
    for a, b, data in whole.edges(data=True):
        if data["relation"] != "belongs_to":
            weight = graph[a][b]["weight"] if graph.has_edge(a, b) else 0.0
            graph.add_edge(a, b, weight=max(weight, data["weight"]))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    if not graph:
        return {}
    found = {
        "pagerank": _pagerank(graph),
        "betweenness": networkx.betweenness_centrality(graph, k=min(100, len(graph)), seed=0),
        "core": networkx.core_number(graph.to_undirected()),
    }
    return {name: sorted(values.items(), key=lambda item: (-item[1], item[0]))[:top] for name, values in found.items()}


def _pagerank(graph: Any, damping: float = 0.85, rounds: int = 50) -> dict[str, float]:
    """Power iteration on the weights (networkx's own needs scipy)."""
    count = len(graph)
    rank = dict.fromkeys(graph, 1 / count)
    total = {node: sum(data["weight"] for _, _, data in graph.out_edges(node, data=True)) for node in graph}
    for _ in range(rounds):
        loose = sum(rank[node] for node in graph if not total[node]) / count
        fresh = dict.fromkeys(graph, (1 - damping) / count + damping * loose)
        for a, b, data in graph.edges(data=True):
            fresh[b] += damping * rank[a] * data["weight"] / total[a]
        rank = fresh
    return rank
