"""Approved tickets → the tracked files they change, as bytes for a person to review.

Knows the layout of `learned_edges.json` and `learned_tags.json`, the same the curator
writes: one entry a line, sorted, every entry's line ending alike, so that two branches
that learned merge like text. What stands there stays. Pure: reads and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..graph.governance import LEARNED_EDGES, LEARNED_TAGS
from ..graph.learned import loads
from .tickets import EDGE, TAG, Ticket


def changed(files: Mapping[str, bytes | None], tickets: Iterable[Ticket]) -> dict[str, bytes]:
    """Name → new content of the files that the tickets change. Raises UsageError for a file of another shape."""
    tickets = list(tickets)
    found = {}
    for name, kind, add in ((LEARNED_EDGES, EDGE, _edges), (LEARNED_TAGS, TAG, _tags)):
        mine = [ticket for ticket in tickets if ticket.kind == kind]
        if mine:
            before = files.get(name)
            after = "\n".join([*add(_parsed(name, before), mine), ""]).encode()
            if after != before:
                found[name] = after
    return found


def _parsed(name: str, data: bytes | None) -> Any:
    try:
        return loads(data) if data else {}
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON ({error}), and is left as it is", f"git checkout -- {name}") from None


def wrong(name: str) -> UsageError:
    """The error of a file that is JSON, and not what is read."""
    return UsageError(f"{name} does not have the shape that is read, and is left as it is", f"git checkout -- {name}")


def _edges(data: Any, tickets: list[Ticket]) -> list[str]:
    """{"edges": […]}; `null` ends the list."""
    rows = data.get("edges", []) if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(row is None or isinstance(row, dict) for row in rows):
        raise wrong(LEARNED_EDGES)
    kept: list[dict[str, Any]] = [row for row in rows if row]
    for ticket in tickets:
        source, target = ticket.subject
        standing = [row for row in kept if {row.get("source"), row.get("target")} == {source, target}]
        if not standing:
            kept.append({"source": source, "target": target, "confidence": ticket.confidence})
        for row in standing:
            row["confidence"] = ticket.confidence
    kept.sort(key=lambda row: json.dumps([row.get("source"), row.get("target"), row], sort_keys=True))
    return ['{"edges": [', *(json.dumps(row) + "," for row in kept), "null", "]}"]


def _tags(data: Any, tickets: list[Ticket]) -> list[str]:
    """{"tags": {…}}; an empty name ends the table."""
    rows = data.get("tags", data) if isinstance(data, dict) else None
    if not isinstance(rows, dict):
        raise wrong(LEARNED_TAGS)
    kept: dict[str, Any] = {path: tags for path, tags in rows.items() if path}
    for ticket in tickets:
        path, question = ticket.subject
        tags = kept.setdefault(path, {})
        asked = tags.setdefault("asked", {}) if isinstance(tags, dict) else None
        if not isinstance(asked, dict):
            raise wrong(LEARNED_TAGS)
        asked[question] = ticket.confidence
    lines = [f"{json.dumps(path)}: {json.dumps(kept[path], sort_keys=True)}," for path in sorted(kept)]
    return ['{"tags": {', *lines, '"": {}', "}}"]
