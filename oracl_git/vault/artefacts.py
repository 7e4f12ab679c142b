"""The paper's artefacts of one graph, as named streams of lines: a pure function of the index.

Knows the shape of every exported file. The same commit gives the same bytes on any
machine, but for three fields of index.jsonl that tell of history. Knows nothing of
directories or signatures.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from ..git import open_objects
from ..graph import association, governance
from ..graph.model import ARTIFACT, KIND_NAMES, PARTITIONS, artifact_id, canonical_name
from ..graph.parameters import table
from ..store import body
from ..store.index import Index, Node
from . import canonical
from .header import Described

WEIGHTED = "weighted_graph_index.json"
INDEX, EDGES = "index.jsonl", "all_edges.jsonl"
SHOWN = ("author", "created_at", "modified_at")  # of index.jsonl: a shallow clone has less history and the same graph

Key = tuple[str, str, str, str, str]


class EdgeRow(NamedTuple):
    """One edge by its canonical key, paths in canonical form."""

    key: Key  # source, source fragment, target, target fragment, relation
    weight: int
    confidence: int
    partition: str
    rank: int  # R̂


class Artefacts:
    """Everything that is exported of an index."""

    def __init__(self, index: Index, described: Described) -> None:
        self._index, self._described = index, described
        self.nodes = list(index.all_nodes())
        self._names = {node.id: canonical_name(node.kind, node.path) for node in self.nodes}
        self.ids = {
            node.id: artifact_id(node.path, node.blob, node.size) if node.kind == ARTIFACT else self._names[node.id]
            for node in self.nodes
        }
        self._id_of = {self._names[node.id]: self.ids[node.id] for node in self.nodes}
        self.edges = sorted(self._edges())

    def streams(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        """(file name, its lines without their ends) of every file that needs nothing but the graph."""
        yield INDEX, self._records()
        for name in PARTITIONS:
            yield f"partitions/{name}.jsonl", self._edge_lines(name)
        yield EDGES, self._edge_lines("")
        for shard in range(256):
            yield f"body/{shard:02x}.jsonl", (row.text for row in body.rows(self._index, shard))
        yield WEIGHTED, self._weighted()

    def mirror_rows(self) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        """(nodes, edges) of the SQLite mirror."""
        texts = {row.name: row.text.decode("ascii") for shard in range(256) for row in body.rows(self._index, shard)}
        nodes: list[tuple[object, ...]] = []
        for node in self.nodes:
            name, (priority, blended) = self._names[node.id], self._index.priority(node)
            nodes.append((
                name, self.ids[node.id], KIND_NAMES[node.kind], name.rpartition("/")[2], node.checksum, node.size,
                priority, blended, texts[name],
            ))  # fmt: skip
        edges: list[tuple[object, ...]] = [
            (*edge.key, edge.weight, edge.confidence, edge.partition, edge.rank) for edge in self.edges
        ]
        return sorted(nodes, key=lambda row: str(row[0])), edges

    # -- edges ----------------------------------------------------------------------------

    def _edges(self) -> Iterator[EdgeRow]:
        for link in self._index.all_links():
            key = (
                self._names[link.source], link.source_fragment, self._names[link.target], link.target_fragment,
                link.relation,
            )  # fmt: skip
            yield EdgeRow(key, link.weight, link.confidence, link.partition, self._index.normalised(link.rank))

    def _edge_lines(self, partition: str) -> Iterator[bytes]:
        for edge in self.edges:
            if partition in ("", edge.partition):
                yield canonical.dumps(self._edge(edge))

    def _edge(self, edge: EdgeRow) -> dict[str, Any]:
        source, source_fragment, target, target_fragment, relation = edge.key
        metadata = {
            "confidence": edge.confidence, "partition": edge.partition, "source_fragment": source_fragment,
            "source_path": source, "target_fragment": target_fragment, "target_path": target,
        }  # fmt: skip
        return {
            "metadata": metadata, "relation": relation, "relation_weight": edge.weight, "source": self._id_of[source],
            "target": self._id_of[target],
        }  # fmt: skip

    # -- nodes ----------------------------------------------------------------------------

    def _records(self) -> Iterator[bytes]:
        """index.jsonl: one ArtifactRecord a line, in the order of paths."""
        out: dict[str, int] = {}
        into: dict[str, int] = {}
        for edge in self.edges:
            if edge.key[4] != "belongs_to":
                out[edge.key[0]] = out.get(edge.key[0], 0) + 1
                into[edge.key[2]] = into.get(edge.key[2], 0) + 1
        rules, times = _rules(self._index), _times(self._index)
        for node in self.nodes:
            if node.kind != ARTIFACT:
                continue
            name, said = self._names[node.id], rules.overridden(node.path)
            first, last = times.get(node.path, (None, None))
            yield canonical.dumps({
                "artifact_id": self.ids[node.id], "path": name, "checksum": node.checksum, "author": "system",
                "file_type": node.tags.get("format", ""), "size_bytes": node.size, "created_at": _stamp(first),
                "modified_at": _stamp(last), "tags": node.tags, "link_count": out.get(name, 0),
                "backrefs": into.get(name, 0), "usage": int(said.get("usage", 0)),
                "estimated_savings": int(said.get("estimated_savings", 0)),
                "review_status": str(said.get("review", "draft")),
            })  # fmt: skip

    def _weighted(self) -> Iterator[bytes]:
        """weighted_graph_index.json: the header that makes it self-describing, nodes, edges with ranks."""
        d, index = self._described, self._index
        sources = []
        for name, lines in ((INDEX, self._hashable_records()), (EDGES, self._edge_lines(""))):
            found = sha256()
            for line in lines:
                found.update(line + b"\n")
            sources.append({"name": name, "sha256": found.hexdigest()})
        header = {
            **d.schema, "commit": d.commit, "generated_at": _stamp(index.time or None), "root": d.root,
            "source_artifacts": sources, "source_root": d.source_root, "table": table(index.blend), "tree": d.tree,
            "unit": "1e-6",
        }  # fmt: skip
        nodes = sorted((self._node(node) for node in self.nodes), key=lambda row: str(row["path"]))
        edges = [{**self._edge(edge), "association_rank": edge.rank} for edge in self.edges]
        yield canonical.dumps({"edges": edges, "nodes": nodes, "schema": header})

    def _hashable_records(self) -> Iterator[bytes]:
        """index.jsonl less what is shown and not hashed."""
        for line in self._records():
            yield canonical.dumps({k: v for k, v in canonical.loads(line).items() if k not in SHOWN})

    def _node(self, node: Node) -> dict[str, Any]:
        index = self._index
        mu, sigma = index.statistics
        mean = association.mean(node.sum, node.edges) if node.edges else mu
        priority, blended = index.priority(node)
        others = max(1, int(str(index.header["nodes"])) - 1)
        return {
            "association": mean, "degree": node.degree, "delta": association.delta(mean, mu, sigma),
            "id": self.ids[node.id], "kind": KIND_NAMES[node.kind], "link_density": node.degree * 1_000_000 // others,
            "path": self._names[node.id], "priority": priority, "priority_blended": blended, "tags": node.tags,
        }  # fmt: skip


def _rules(index: Index) -> governance.Governance:
    """The tracked settings of the indexed commit."""
    blobs: dict[str, str] = json.loads(str(index.header.get("governance", "{}")))
    with open_objects(index.repo) as objects:
        contents = dict(objects.blobs(list(dict.fromkeys(blobs.values())))) if blobs else {}
    return governance.parse({name: contents.get(oid) or b"" for name, oid in blobs.items()})


def _times(index: Index) -> dict[str, tuple[int, int]]:
    """Path → (first, last) commit time, as far as history is in this clone."""
    if index.past is None:
        return {}
    when = dict(index.past.execute("SELECT id, time FROM entry"))
    found: dict[int, tuple[int, int]] = {}
    for entry, paths in index.commit_files(index.reach).items():
        moment = when[entry]
        for path in paths:
            first, last = found.get(path, (moment, moment))
            found[path] = (min(first, moment), max(last, moment))
    names = index.past.execute("SELECT id, path FROM path")
    return {raw.decode("utf-8", "surrogateescape"): found[path] for path, raw in names if path in found}


def _stamp(seconds: int | None) -> str | None:
    return None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
