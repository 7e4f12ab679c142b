"""What a snapshot says of a graph, gathered: root, source root and the schema header.

Knows which numbers of the index are signed and how the rest of the header is
digested. Knows nothing of keys or chains.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ..errors import Unverified
from ..git import Repository, open_objects
from ..graph import parameters
from ..graph.parameters import Blend
from ..store import body, database
from ..store.index import Index
from ..store.settings import Progress, Settings
from ..store.sources import source_root
from ..store.update import update
from . import canonical
from .statement import SCHEMA_VERSION


class Described(NamedTuple):
    """What is said of one commit's graph. Digests are hex."""

    commit: str
    tree: str
    root: str
    source_root: str
    schema: dict[str, Any]
    shards: bytes  # 256 hashes of 32 bytes; zeros where a shard is empty
    table: bytes  # the table of parameters that the schema names by digest


def describe(index: Index, cache: database.Connection, progress: Progress | None = None) -> Described:
    """Everything a statement needs of an index. Raises Unverified (16) when objects are missing."""
    root = index.header.get("root")
    if not root:
        raise Unverified(
            Unverified.UNCHECKED, "the graph has no root: objects are missing in this clone",
            "git fetch --refetch --no-filter",
        )  # fmt: skip
    tree = str(index.header["tree"])
    known = index.db.execute("SELECT blob, checksum FROM node WHERE kind=0")
    with open_objects(index.repo) as objects:
        sources = source_root(cache, objects, tree, known, progress).hex()
    hashes = body.shards(index)
    packed = b"".join(hashes.get(number, bytes(32)) for number in range(256))
    table = canonical.dumps(parameters.table(index.blend))
    return Described(index.commit, tree, str(root), sources, _schema(index, cache, table), packed, table)


def _schema(index: Index, cache: database.Connection, table: bytes) -> dict[str, Any]:
    mu, sigma = index.statistics
    kinds = dict(index.db.execute("SELECT kind, count(*) FROM node GROUP BY kind"))
    skipped: int = index.db.execute("SELECT count(*) FROM skipped").fetchone()[0]
    partitions = body.partitions(index, cache)
    blend = index.blend
    return {
        "config": {"sha256": _config(index)},
        "counts": {
            "artifacts": kinds.get(0, 0), "constraints": kinds.get(2, 0), "edges": int(str(index.header["edges"])),
            "hubs": kinds.get(1, 0), "nodes": int(str(index.header["nodes"])), "skipped": skipped,
        },
        "extractor": str(index.header["extractor"]),
        "graph": str(index.header["graph"]),
        "max_r": index.max_rank,
        "mu": mu,
        "object_format": index.repo.object_format,
        "parameters": {
            "alpha": blend.alpha, "beta": blend.beta, "decay": blend.decay, "gamma": blend.gamma,
            "neighbour_cap": parameters.NEIGHBOUR_CAP, "priority_cap": parameters.PRIORITY_CAP,
            "query_neighbour_guard": parameters.QUERY_NEIGHBOUR_GUARD, "sha256": sha256(table).hexdigest(),
            "skip": sorted(index.settings.skip),
        },
        "partitions": {name: {"edges": p.edges, "sha256": p.root.hex()} for name, p in partitions.items()},
        "sigma": sigma,
        "version": SCHEMA_VERSION,
    }  # fmt: skip


def _config(index: Index) -> str:
    """Digest of the tracked settings the graph is a function of: SHA-256 over {path: SHA-256 of the content}."""
    blobs: dict[str, str] = json.loads(str(index.header.get("governance", "{}")))
    with open_objects(index.repo) as objects:
        contents = dict(objects.blobs(list(dict.fromkeys(blobs.values())))) if blobs else {}
    table = {name: sha256(contents.get(oid) or b"").hexdigest() for name, oid in blobs.items()}
    return sha256(canonical.dumps(table)).hexdigest()


def settings_of(schema: dict[str, Any]) -> Settings:
    """What a rebuild must be told so that it makes the graph that was signed."""
    p = schema["parameters"]
    return Settings(Blend(p["alpha"], p["beta"], p["gamma"], p["decay"]), frozenset(p["skip"]))


@contextmanager
def cache_of(repo: Repository, home: str = "") -> Iterator[database.Connection]:
    """The database that remembers hashes; one that cannot be used is made anew in memory."""
    db = database.connect(database.place(repo, "vault", home), "vault", write=True)
    try:
        yield db
    finally:
        db.close()


@contextmanager
def rebuilt(
    repo: Repository, commit: str, settings: Settings, progress: Progress | None = None
) -> Iterator[tuple[Index, str]]:
    """(the graph of a commit made from git alone, the directory it lies in until the block ends)."""
    with TemporaryDirectory(prefix="oracl-git-") as home:
        update(repo, commit=commit, settings=settings, depth=1, progress=progress, home=home)
        with Index(repo, home) as index:
            yield index, home
