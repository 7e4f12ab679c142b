"""The graph of a commit made again from git alone, and where it differs from what was signed.

Knows how to find the first shard, path and field of a difference, as far as the
other body is at hand. Knows nothing of signatures.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..errors import OraclError, Unverified
from ..git import Repository
from ..graph import digest
from ..store import body, database
from ..store.index import Index
from ..store.made_by import made_by
from ..store.settings import Progress
from ..whole import plain
from . import canonical, header
from .statement import Statement


class Known(NamedTuple):
    """One row of a body: its leaf, and its text unless that has another leaf."""

    leaf: bytes
    text: bytes


Rows = dict[str, Known]  # by canonical name


class Difference(NamedTuple):
    """The first place where two bodies differ; what is not known is empty."""

    field: str
    signed: str
    rebuilt: str
    shard: int | None = None
    path: str = ""

    def sentence(self) -> str:
        """For people."""
        place = f"shard {self.shard:02x}, " if self.shard is not None else ""
        place += f"{self.path}, " if self.path else ""
        return f"{place}{self.field}: {_short(self.signed)} was signed, {_short(self.rebuilt)} was rebuilt"


@contextmanager
def again(
    repo: Repository, said: Statement, commit: str, progress: Progress | None = None
) -> Iterator[tuple[Index, header.Described]]:
    """The graph of a commit, made from nothing as the statement says it was made. Raises Unverified (16)."""
    for name, there, here in (
        ("extractor", said.schema["extractor"], made_by()["extractor"]),
        ("graph", said.schema["graph"], made_by()["graph"]),
    ):
        if there != here:
            raise Unverified(
                Unverified.UNCHECKED,
                f"the snapshot was made with {name} version {there[:12]}, this is {here[:12]}",
                "use the oracl-git and the Python that signed it, or have it signed again: git oracl snapshot create",
            )
    with (
        header.rebuilt(repo, commit, header.settings_of(said.schema), progress) as (index, home),
        header.cache_of(repo, home) as cache,
    ):
        yield index, header.describe(index, cache, progress)


def compare(said: Statement, shards: bytes, index: Index, made: header.Described, against: Rows) -> Difference | None:
    """The first difference between what was signed and what was made; None when there is none.

    `shards` are the 256 hashes kept beside the snapshot, `against` some body that may be the one
    that was signed: both count as far as they lead to the signed root.
    """
    if made.root == said.root:
        if made.source_root != said.source_root:
            return Difference("source_root", said.source_root, made.source_root)
        return _in_table(said.schema, made.schema, "schema")
    by_shard: list[Rows] = [{} for _ in range(256)]
    for name, row in against.items():
        by_shard[digest.row_key(name)[0]][name] = row
    if digest.root_of_shards(shards) != said.root:
        shards = b"".join(_shard_hash(rows) for rows in by_shard)
    if digest.root_of_shards(shards) != said.root:
        return Difference("root", said.root, made.root)
    for shard, rows in enumerate(by_shard):
        place = slice(32 * shard, 32 * shard + 32)
        if shards[place] != made.shards[place]:
            known = rows if _shard_hash(rows) == shards[place] else None
            return _in_shard(known, body.rows(index, shard), shard, shards[place])
    return None


def _in_shard(signed: Rows | None, rebuilt: list[body.Row], shard: int, hashed: bytes) -> Difference | None:
    if signed is None:
        names = ", ".join(row.name for row in rebuilt[:3]) + (", …" if len(rebuilt) > 3 else "")
        own = (digest.shard_hash((row.key, row.leaf) for row in rebuilt) or b"").hex()
        return Difference(f"one of {len(rebuilt)} rows", hashed.hex(), own, shard, names)
    made = {row.name: Known(row.leaf, row.text) for row in rebuilt}
    for name in sorted(signed.keys() | made.keys()):
        one, other = signed.get(name), made.get(name)
        if one is None or other is None:
            there, here = ("no row" if side is None else "a row" for side in (one, other))
            return Difference("row", there, here, shard, name)
        if one.leaf == other.leaf:
            continue
        found = _in_table(canonical.loads(one.text), canonical.loads(other.text), "row") if one.text else None
        if found:
            return found._replace(shard=shard, path=name, field=found.field.removeprefix("row."))
        return Difference("leaf", one.leaf.hex(), other.leaf.hex(), shard, name)
    return None


def _in_table(signed: Any, rebuilt: Any, name: str) -> Difference | None:
    if isinstance(signed, dict) and isinstance(rebuilt, dict):
        for key in sorted(signed.keys() | rebuilt.keys()):
            found = _in_table(signed.get(key), rebuilt.get(key), f"{name}.{key}")
            if found:
                return found
        return None
    return None if signed == rebuilt else Difference(name, _text(signed), _text(rebuilt))


def _shard_hash(rows: Rows) -> bytes:
    return digest.shard_hash((digest.row_key(name), row.leaf) for name, row in rows.items()) or bytes(32)


def bodies(repo: Repository, directory: str = "") -> Rows:
    """The rows of an export, else of this clone's index; neither is believed."""
    return _exported(directory) if directory else _indexed(repo)


def _indexed(repo: Repository) -> Rows:
    try:
        with Index(repo) as index:
            found = [row for shard in body.shards(index) for row in body.rows(index, shard)]
    except (FileNotFoundError, database.DatabaseError, OraclError):
        return {}
    return {row.name: Known(row.leaf, row.text if digest.leaf(row.text) == row.leaf else b"") for row in found}


def _exported(directory: str) -> Rows:
    rows: Rows = {}
    for shard in range(256):
        try:
            with open(os.path.join(directory, "body", f"{shard:02x}.jsonl"), "rb", opener=plain) as file:
                for line in file:
                    text = line.rstrip(b"\n")
                    rows[str(canonical.loads(text)["name"])] = Known(digest.leaf(text), text)
        except (OSError, canonical.NotCanonical, KeyError, TypeError):
            continue
    return rows


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical.dumps(value).decode("ascii")


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:97] + "…"
