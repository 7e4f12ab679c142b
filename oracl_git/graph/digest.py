"""Leaves and the digest tree: what a snapshot signs.

Knows the canonical bytes of one node's inputs and the binary radix tree over
them. A leaf is SHA-256(0x00 ‖ row), an inner node SHA-256(0x01 ‖ left ‖ right)
(domain-separated as in RFC 6962), the tree is keyed by SHA-256(name). A node
with one child is that child, so a hash depends on the set of leaves alone.
Knows nothing of where leaves are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256

from .model import ARTIFACT, PARTITIONS, Edge, canonical_name, canonical_path

SHARDS = 256
EMPTY = sha256(b"").digest()
_canonical = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), sort_keys=True).encode


def leaf_row(
    kind: int, path: str, blob: str, mode: int, size: int, checksum: str, tags: Mapping[str, str],
    s: int, m: int, edges: Iterable[Edge],
) -> bytes:  # fmt: skip
    """The canonical input row of one node: ASCII JSON, sorted keys, integers only."""
    row: dict[str, object] = {
        "edges": sorted(
            [
                canonical_name(edge.target_kind, edge.target), edge.source_fragment, edge.target_fragment,
                edge.relation, edge.weight, edge.confidence, PARTITIONS[edge.partition],
            ]
            for edge in edges
        ),
        "name": canonical_name(kind, path),
        "s": s,
        "tags": tags,
    }  # fmt: skip
    if kind == ARTIFACT:
        row |= {"blob": blob, "checksum": checksum, "m": m, "mode": mode, "size": size}
    return _canonical(row).encode()


def leaf(row: bytes) -> bytes:
    """The leaf hash of a canonical row."""
    return sha256(b"\0" + row).digest()


def leaf_key(kind: int, path: str) -> bytes:
    """The place of a node in the radix tree; its first byte is the shard."""
    return row_key(canonical_name(kind, path))


def row_key(name: str) -> bytes:
    """The place of a canonical name."""
    return sha256(name.encode()).digest()


def subtree(leaves: list[tuple[bytes, bytes]], bit: int) -> bytes | None:
    """The hash over (key, leaf) pairs sorted by key, which agree in the first `bit` bits."""
    if not leaves:
        return None
    if len(leaves) == 1:
        return leaves[0][1]
    byte, mask = bit >> 3, 0x80 >> (bit & 7)
    low, high = 0, len(leaves)
    while low < high:
        middle = (low + high) // 2
        if leaves[middle][0][byte] & mask:
            high = middle
        else:
            low = middle + 1
    left, right = subtree(leaves[:low], bit + 1), subtree(leaves[low:], bit + 1)
    if left is None or right is None:
        return left if right is None else right
    return sha256(b"\1" + left + right).digest()


def shard_hash(leaves: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """The hash of one shard's (key, leaf) pairs; None when it is empty."""
    return subtree(sorted(leaves), 8)


def root(shards: Mapping[int, bytes]) -> bytes:
    """The root over the hashes of the shards that are not empty."""
    keyed = [(bytes((shard,)), shards[shard]) for shard in sorted(shards)]
    return subtree(keyed, 0) or EMPTY


def root_of_shards(packed: bytes) -> str:
    """The root over 256 hashes of 32 bytes in a row, zeros where a shard is empty; "" when they are not that."""
    if len(packed) != SHARDS * 32:
        return ""
    hashes = {number: packed[32 * number : 32 * number + 32] for number in range(SHARDS)}
    return root({number: value for number, value in hashes.items() if any(value)}).hex()


def source_row(path: str, mode: int, sha: str) -> bytes:
    """The canonical row of one entry of a commit's tree; for a submodule `sha` is that of its commit's id."""
    return _canonical({"mode": mode, "path": canonical_path(path), "sha256": sha}).encode()


def partition_row(name: str, edges: Iterable[tuple[object, ...]]) -> bytes:
    """The canonical row of the edges of one node in one partition, less the partition."""
    return _canonical({"edges": sorted(list(edge) for edge in edges), "name": name}).encode()


def siblings(leaves: list[tuple[bytes, bytes]], key: bytes, bit: int = 0) -> list[tuple[int, bytes]]:
    """(bit, hash of the other side) on the way from a leaf of a sorted subtree up to its root."""
    way: list[tuple[int, bytes]] = []
    while len(leaves) > 1:
        byte, mask = bit >> 3, 0x80 >> (bit & 7)
        left = [pair for pair in leaves if not pair[0][byte] & mask]
        right = leaves[len(left) :]
        mine, other = (right, left) if key[byte] & mask else (left, right)
        hashed = subtree(other, bit + 1)
        if hashed is not None:
            way.append((bit, hashed))
        leaves, bit = mine, bit + 1
    return way[::-1]


def climb(leaf_hash: bytes, key: bytes, way: Iterable[tuple[int, bytes]]) -> bytes:
    """The root that a leaf and its siblings lead to."""
    for bit, other in way:
        pair = other + leaf_hash if key[bit >> 3] & 0x80 >> (bit & 7) else leaf_hash + other
        leaf_hash = sha256(b"\1" + pair).digest()
    return leaf_hash
