"""Approved tickets → the tracked files they change, as bytes for a person to review.

Knows the layout of `learned_edges.json` and `learned_tags.json`, the same the curator
writes: one entry a line, sorted, every entry's line ending alike, so that two branches
that learned merge like text. What stands there stays, but what a ticket wrote that was rejected
since: each entry bears the name of its ticket. Pure: reads and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..graph import learned
from ..graph.governance import LEARNED_EDGES, LEARNED_TAGS
from .tickets import EDGE, TAG, Ticket


def changed(
    files: Mapping[str, bytes | None], tickets: Iterable[Ticket], withdrawn: Collection[str] = ()
) -> dict[str, bytes]:
    """Name → new content of the files that the tickets change; what withdrawn ones wrote goes.

    Raises UsageError for a file of another shape.
    """
    tickets = list(tickets)
    found = {}
    for name, kind, make in ((LEARNED_EDGES, EDGE, _edges), (LEARNED_TAGS, TAG, _tags)):
        mine = [ticket for ticket in tickets if ticket.kind == kind]
        before = files.get(name)
        if mine or any(ref.encode() in (before or b"") for ref in withdrawn):
            after = "\n".join([*make(_parsed(name, before), mine, withdrawn), ""]).encode()
            if after != before:
                found[name] = after
    return found


def _parsed(name: str, data: bytes | None) -> Any:
    try:
        return learned.loads(data) if data else {}
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON ({error}), and is left as it is", f"git checkout -- {name}") from None


def wrong(name: str) -> UsageError:
    """The error of a file that is JSON, and not what is read."""
    return UsageError(f"{name} does not have the shape that is read, and is left as it is", f"git checkout -- {name}")


def _edges(data: Any, tickets: list[Ticket], withdrawn: Collection[str]) -> list[str]:
    """{"edges": […]}; `null` ends the list."""
    rows = data.get("edges", []) if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(row is None or isinstance(row, dict) for row in rows):
        raise wrong(LEARNED_EDGES)
    kept: list[dict[str, Any]] = [row for row in rows if row and row.get("ticket") not in withdrawn]
    for ticket in tickets:
        source, target = ticket.subject
        standing = [row for row in kept if {row.get("source"), row.get("target")} == {source, target}]
        if not standing:
            row = {"source": source, "target": target, "confidence": ticket.confidence, "ticket": ticket.id}
            kept.append(row)
        for row in standing:
            row["confidence"] = ticket.confidence
    kept.sort(key=lambda row: json.dumps([row.get("source"), row.get("target"), row], sort_keys=True))
    return ['{"edges": [', *(json.dumps(row) + "," for row in kept), "null", "]}"]


def _tags(data: Any, tickets: list[Ticket], withdrawn: Collection[str]) -> list[str]:
    """{"tags": {…}}; an empty name ends the table."""
    rows = data.get("tags", data) if isinstance(data, dict) else None
    if not isinstance(rows, dict):
        raise wrong(LEARNED_TAGS)
    kept: dict[str, Any] = {}
    for path, tags in rows.items():
        plain = isinstance(tags, dict) and isinstance(tags.get(learned.ASKED, {}), dict)
        left = learned.without(tags, withdrawn) if plain else tags
        if path and (left or not tags):
            kept[path] = left
    for ticket in tickets:
        path, question = ticket.subject
        tags = kept.get(path, {})
        asked = tags.get(learned.ASKED, {}) if isinstance(tags, dict) else None
        if not isinstance(asked, dict):
            raise wrong(LEARNED_TAGS)
        if question in asked:
            asked[question] = ticket.confidence  # whose word it is stays
        else:
            kept[path] = learned.united(
                tags, learned.tagged({learned.ASKED: {question: ticket.confidence}}, ticket.id)
            )
    lines = [f"{json.dumps(path)}: {json.dumps(kept[path], sort_keys=True)}," for path in sorted(kept)]
    return ['{"tags": {', *lines, '"": {}', "}}"]
