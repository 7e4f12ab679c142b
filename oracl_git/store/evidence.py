"""The two-layer mode: evidence partitions, and the committed view made from them.

Knows event sourcing as the paper has it: each producer appends what it adds and
takes back to a stream of its own; the view is a deterministic function of the
streams. Any stream can be audited alone. Off by default: it costs a pass.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress

from ..errors import IndexUnusable
from ..graph.model import PARTITIONS, canonical_name
from ..whole import plain
from .index import Index

_DIRECTORY = "evidence"
_VIEW = "all_edges.jsonl"

Key = tuple[str, str, str, str, str]  # source, source fragment, target, target fragment, relation
Value = tuple[int, int]  # weight, confidence


def place(index: Index) -> str:
    """Where the streams lie."""
    return os.path.join(index.repo.git_dir, "oracl", _DIRECTORY)


def append(index: Index) -> dict[str, int]:
    """Append what the index holds beyond the streams, write the view; partition → edges in it."""
    directory = place(index)
    os.makedirs(directory, exist_ok=True)
    present = _present(index)
    counts = {}
    for number, partition in enumerate(PARTITIONS):
        path = os.path.join(directory, f"{partition}.jsonl")
        _cut(path)
        standing = dict(_replay(path))
        wanted = present[number]
        with open(path, "a", encoding="ascii", opener=plain) as file:
            for key in sorted(standing.keys() - wanted.keys()):
                _event(file, index.commit, "remove", key, standing[key])
            for key in sorted(wanted):
                if standing.get(key) != wanted[key]:
                    _event(file, index.commit, "add", key, wanted[key])
        counts[partition] = len(wanted)
    view = materialise(index)
    merged = {key: value for part in reversed(present) for key, value in part.items()}
    if view != merged:
        raise IndexUnusable("the committed view differs from the index", f"remove {directory} and rebuild")
    temporary = os.path.join(directory, _VIEW + ".new")
    with open(temporary, "w", encoding="ascii", opener=plain) as file:
        for key in sorted(view):
            _event(file, index.commit, "edge", key, view[key])
    os.replace(temporary, os.path.join(directory, _VIEW))
    return counts


def materialise(index: Index) -> dict[Key, Value]:
    """The committed view: the streams replayed, the repository's winning on collision."""
    view: dict[Key, Value] = {}
    for partition in reversed(PARTITIONS):
        view.update(_replay(os.path.join(place(index), f"{partition}.jsonl")))
    return view


def _present(index: Index) -> list[dict[Key, Value]]:
    names = {node.id: canonical_name(node.kind, node.path) for node in index.all_nodes()}
    found: list[dict[Key, Value]] = [{} for _ in PARTITIONS]
    for link in index.all_links():
        key = (names[link.source], link.source_fragment, names[link.target], link.target_fragment, link.relation)
        found[PARTITIONS.index(link.partition)][key] = (link.weight, link.confidence)
    return found


def _event(file: object, commit: str, op: str, key: Key, value: Value) -> None:
    print(json.dumps({"commit": commit, "op": op, "key": key, "weight": value[0], "confidence": value[1]}), file=file)  # type: ignore[call-overload]


def _cut(path: str) -> None:
    """Take away what a kill, or a full disk, left of the last event; it is appended anew."""
    with suppress(FileNotFoundError), open(path, "rb+", opener=plain) as file:
        file.truncate(file.read().rfind(b"\n") + 1)


def _replay(path: str) -> Iterator[tuple[Key, Value]]:
    view: dict[Key, Value] = {}
    if os.path.exists(path):
        with open(path, encoding="ascii", opener=plain) as file:
            for line in file:
                event = json.loads(line)
                key: Key = tuple(event["key"])
                if event["op"] == "add":
                    view[key] = (event["weight"], event["confidence"])
                else:
                    view.pop(key, None)
    yield from view.items()
