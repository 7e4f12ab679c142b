"""Approved tickets → the tracked files they change, as bytes for a person to review.

Knows the formats of `learned_edges.json` and `learned_tags.json` well enough to add to
them: what stands there stays, in its shape, one entry a line, sorted, so that two branches
that learned merge like text. Pure: reads and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..graph.governance import LEARNED_EDGES, LEARNED_TAGS
from .tickets import EDGE, TAG, Ticket


def changed(files: Mapping[str, bytes | None], tickets: Iterable[Ticket]) -> dict[str, bytes]:
    """Name → new content of the files that the tickets change. Raises UsageError for a file that is no JSON."""
    tickets = list(tickets)
    found = {}
    for name, kind, add in ((LEARNED_EDGES, EDGE, _edges), (LEARNED_TAGS, TAG, _tags)):
        mine = [ticket for ticket in tickets if ticket.kind == kind]
        if mine:
            before = files.get(name)
            after = (json.dumps(add(_parsed(name, before), mine), indent=1, sort_keys=True) + "\n").encode()
            if after != before:
                found[name] = after
    return found


def _parsed(name: str, data: bytes | None) -> Any:
    try:
        return json.loads(data) if data else {}
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON ({error}), and is left as it is", f"git checkout -- {name}") from None


def _wrong(name: str) -> UsageError:
    return UsageError(f"{name} does not have the shape that is read, and is left as it is", f"git checkout -- {name}")


def _edges(data: Any, tickets: list[Ticket]) -> Any:
    rows = data.setdefault("edges", []) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise _wrong(LEARNED_EDGES)
    for ticket in tickets:
        source, target = ticket.subject
        standing = [row for row in rows if isinstance(row, dict) and _ends(row) == {source, target}]
        if not standing:
            rows.append({"source": source, "target": target, "confidence": ticket.confidence})
        for row in standing:
            row["confidence"] = ticket.confidence
    rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
    return data


def _ends(row: dict[str, Any]) -> set[str]:
    return {end for name in ("source", "target") if isinstance(end := row.get(name), str)}


def _tags(data: Any, tickets: list[Ticket]) -> Any:
    if not isinstance(data, dict):
        raise _wrong(LEARNED_TAGS)
    rows = data.setdefault("tags", {}) if "tags" in data or not data else data
    if not isinstance(rows, dict):
        raise _wrong(LEARNED_TAGS)
    for ticket in tickets:
        path, question = ticket.subject
        tags = rows.setdefault(path, {})
        asked = tags.setdefault("asked", {}) if isinstance(tags, dict) else None
        if not isinstance(asked, dict):
            raise _wrong(LEARNED_TAGS)
        asked[question] = ticket.confidence
    return data
