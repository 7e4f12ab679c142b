"""The signed body of an index: its canonical rows, shard by shard, and proofs.

Knows how stored rows become the bytes that were hashed. Knows nothing of
signatures.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ..graph import digest
from ..graph.model import PARTITIONS, canonical_name, decode_path
from ..graph.parameters import RELATIONS
from .database import transaction
from .index import Index
from .links import outgoing


class Row(NamedTuple):
    """One canonical row: its place in the tree, its leaf as stored, its bytes as the tables have them now."""

    key: bytes
    leaf: bytes
    name: str
    text: bytes


class Proof(NamedTuple):
    """That a row is under a root: the siblings on the way up."""

    row: bytes
    key: bytes
    way: list[tuple[int, bytes]]


class Partition(NamedTuple):
    """The edges of one evidence partition: how many, and the root over them."""

    edges: int
    root: bytes


def shards(index: Index) -> dict[int, bytes]:
    """The stored hash of every shard that is not empty."""
    return dict(index.db.execute("SELECT id, hash FROM shard ORDER BY id"))


def leaves(index: Index, shard: int) -> list[tuple[bytes, bytes]]:
    """The (key, leaf) pairs of one shard as they are stored."""
    found = index.db.execute("SELECT kind, path, leaf FROM node WHERE shard=?", (shard,))
    return [(digest.leaf_key(kind, decode_path(path)), leaf) for kind, path, leaf in found]


def rows(index: Index, shard: int) -> list[Row]:
    """The rows of one shard in the order of the tree."""
    columns = "SELECT id, kind, path, blob, mode, size, checksum, tags, s, m, leaf FROM node WHERE shard=?"
    found = []
    for node, kind, raw, blob, mode, size, checksum, tags, s, m, leaf in index.db.execute(columns, (shard,)).fetchall():
        found.append(_row(index.db, node, kind, decode_path(raw), blob, mode, size, checksum, tags, s, m, leaf))
    return sorted(found)


def _row(
    db: sqlite3.Connection, node: int, kind: int, path: str, blob: str, mode: int, size: int, checksum: str,
    tags: str, s: int, m: int, leaf: bytes,
) -> Row:  # fmt: skip
    edges = outgoing(db, node)
    text = digest.leaf_row(kind, path, blob, mode, size, checksum, json.loads(tags), s, m, edges)
    return Row(digest.leaf_key(kind, path), leaf, canonical_name(kind, path), text)


def prove(index: Index, kind: int, path: str) -> Proof | None:
    """The proof that a node is in the body; None when it is not."""
    key = digest.leaf_key(kind, path)
    inside = rows(index, key[0])
    row = next((row for row in inside if row.key == key), None)
    if row is None:
        return None
    hashed = [(bytes((number,)) + bytes(31), value) for number, value in shards(index).items()]
    hashed = sorted([pair for pair in hashed if pair[0][0] != key[0]] + [(key, b"")])
    above = digest.siblings(hashed, key)
    below = digest.siblings([(each.key, each.leaf) for each in inside], key, bit=8)
    return Proof(row.text, key, below + above)


def partitions(index: Index, cache: sqlite3.Connection) -> dict[str, Partition]:
    """Every partition's edges and root. Shards whose body has not changed are taken from the cache."""
    body = shards(index)
    stored = cache.execute("SELECT shard, part, body, edges, hash FROM part")
    known = {(shard, part): row for shard, part, *row in stored}
    fresh = {}
    for shard, hashed in body.items():
        if known.get((shard, 0), [None])[0] != hashed:
            for part, value in enumerate(_shard_partitions(index, shard)):
                fresh[shard, part] = [hashed, *value]
    found = {**known, **fresh}
    with transaction(cache):
        cache.executemany(
            "INSERT OR REPLACE INTO part VALUES(?,?,?,?,?)", ((*place, *row) for place, row in fresh.items())
        )
    result = {}
    for part, name in enumerate(PARTITIONS):
        own = {shard: found[shard, part] for shard in body}
        root = digest.root({shard: row[2] for shard, row in own.items() if row[2] is not None})
        result[name] = Partition(sum(row[1] for row in own.values()), root)
    return result


def _shard_partitions(index: Index, shard: int) -> Iterator[tuple[int, bytes | None]]:
    """(edges, hash) of one shard in each partition."""
    nodes: dict[int, tuple[bytes, str]] = {}
    for node, kind, raw in index.db.execute("SELECT id, kind, path FROM node WHERE shard=?", (shard,)):
        path = decode_path(raw)
        nodes[node] = (digest.leaf_key(kind, path), canonical_name(kind, path))
    edges: list[dict[int, list[tuple[object, ...]]]] = [{} for _ in PARTITIONS]
    for source, kind, path, sfrag, tfrag, relation, w, kappa, part in index.db.execute(
        "SELECT e.source, n.kind, n.path, e.sfrag, e.tfrag, e.relation, e.w, e.kappa, e.part FROM node o"
        " JOIN edge e ON e.source=o.id JOIN node n ON n.id=e.target WHERE o.shard=?",
        (shard,),
    ):
        name = canonical_name(kind, decode_path(path))
        edges[part].setdefault(source, []).append((name, sfrag, tfrag, RELATIONS[relation], w, kappa))
    for rows in edges:
        leaves = [
            (nodes[source][0], digest.leaf(digest.partition_row(nodes[source][1], own))) for source, own in rows.items()
        ]
        yield sum(map(len, rows.values())), digest.shard_hash(leaves)
