"""The vocabulary of the graph: edges, node kinds, fragments and identities.

Knows the shapes that graph, store and recall exchange, and how a path is
written canonically. Knows nothing of where they come from.
"""

from __future__ import annotations

from typing import NamedTuple

ARTIFACT, HUB, CONSTRAINT = 0, 1, 2
HUB_PREFIX, CONSTRAINT_PREFIX = "hub:domain:", "constraint:"
KIND_NAMES = ("artifact", "hub", "constraint")

# Evidence partitions; on a collision of keys the smaller number wins.
REPOSITORY, STATIC, OVERLAY = 0, 1, 2
PARTITIONS = ("phase2_repo_edges", "phase3_static_edges", "overlay")


_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"  # RFC 3986, and the separator
_PLAIN = str.maketrans("", "", _UNRESERVED.decode())
_QUOTED = tuple(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in range(256))


class Edge(NamedTuple):
    """One outgoing edge of a node; weight and confidence in millionths."""

    target_kind: int
    target: str  # path, or "hub:domain:<d>"
    source_fragment: str
    target_fragment: str
    relation: str
    weight: int
    confidence: int
    partition: int

    @property
    def key(self) -> tuple[int, str, str, str, str]:
        """The canonical key less its source."""
        return (self.target_kind, self.target, self.source_fragment, self.target_fragment, self.relation)


def encode_path(path: str) -> bytes:
    """Git's raw bytes of a path that is held as surrogate-escaped text."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, as JSON can spell it: no path of git's is that
        return path.encode("utf-8", "surrogatepass")


def decode_path(raw: bytes) -> str:
    """Git's raw bytes as text; bytes that are not UTF-8 become surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def canonical_path(path: str) -> str:
    """The one ASCII form of a path: percent-encoded, "/" and unreserved kept."""
    if not path.translate(_PLAIN):  # nothing but what stays: most paths
        return path
    return "".join(map(_QUOTED.__getitem__, encode_path(path)))


def canonical_name(kind: int, path: str) -> str:
    """The ASCII name of a node. ":" is encoded in paths, so hubs and paths never meet."""
    if kind == ARTIFACT:
        return canonical_path(path)
    prefix = HUB_PREFIX if kind == HUB else CONSTRAINT_PREFIX
    return prefix + canonical_path(path.removeprefix(prefix))


def hub_of(domain: str) -> str:
    """The name of a domain's virtual hub."""
    return HUB_PREFIX + domain


def artifact_id(path: str, version: str, size: int) -> str:
    """Eq. 1: SHA-256(path | version | size), hex; `version` is the git blob id."""
    from hashlib import sha256  # OpenSSL takes longer to load than a question may

    return sha256(encode_path(path) + f"|{version}|{size}".encode()).hexdigest()


def fragment(start: int, end: int) -> str:
    """Lines as a fragment: L{start}-{end}, 1-based, inclusive."""
    return f"L{start}-{end}" if start else ""
