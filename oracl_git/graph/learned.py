"""The file of learned tags, a path a line: read so that the lines of two branches are both heard.

Knows that a union merge leaves two lines where two branches tagged one path, and that the
order of the two says nothing: whichever branch is merged into which, the same tags stand.
Knows whose ticket each tag is: `source` has the tickets under the names of the tags. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

SOURCE, ASKED = "source", "asked"
Tags = dict[str, Any]


def loads(data: bytes | str) -> Any:
    """JSON in which a name that stands twice in one object stands for both. Raises ValueError, RecursionError."""
    return json.loads(data, object_pairs_hook=_united_pairs)


def _united_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: _united(values) for name, values in found.items()}


def _united(values: list[Any]) -> Any:
    """All of them, two by two and those by two: each is looked at as often as the list can be halved."""
    while len(values) > 1:
        pairs = [united(*values[at : at + 2]) for at in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) & ~1 :]
    return values[0]


def united(first: Any, second: Any) -> Any:
    """Both, if they are tags of one path; of two values of one tag, the greater as it is written."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        return max(first, second, key=_written)
    first, second = _sourced(first), _sourced(second)
    sources: Tags = {}
    found: Tags = {}
    for name in sorted({*first, *second} - {SOURCE}):
        sides = [(tags[name], tags[SOURCE].get(name)) for tags in (first, second) if name in tags]
        if name == ASKED and all(isinstance(value, dict) for value, _ in sides):
            found[name] = {}
            owners = {}
            for question in sorted({question for value, _ in sides for question in value}):
                rows = [(v[question], (o or {}).get(question)) for v, o in sides if question in v]
                found[name][question], owners[question] = max(rows, key=_written)
            sources[name] = {question: owner for question, owner in owners.items() if owner}
        else:
            found[name], sources[name] = max(sides, key=_written)
    kept = {name: owner for name, owner in sources.items() if owner}
    return {**found, **({SOURCE: kept} if kept else {})}


def tagged(tags: Tags, ticket: str) -> Tags:
    """Tags that one ticket brings, with its name under each."""
    return _sourced({**tags, SOURCE: f"ticket {ticket}"})


def without(tags: Tags, withdrawn: Collection[str]) -> Tags:
    """What is left of a path's tags when these tickets stand no more."""
    tags = _sourced(tags)
    gone = {f"ticket {ref}" for ref in withdrawn}
    owners = tags.pop(SOURCE)
    asked, asked_by = tags.pop(ASKED, None), owners.pop(ASKED, None)
    kept = {name: value for name, value in tags.items() if owners.get(name) not in gone}
    left = {name: owner for name, owner in owners.items() if name in kept}
    if isinstance(asked, dict):
        asked_by = asked_by if isinstance(asked_by, dict) else {}
        questions = {text: value for text, value in asked.items() if asked_by.get(text) not in gone}
        if questions:
            kept[ASKED] = questions
            mine = {text: owner for text, owner in asked_by.items() if text in questions}
            left.update({ASKED: mine} if mine else {})
    return {**kept, **({SOURCE: left} if left else {})}


def _sourced(tags: Tags) -> Tags:
    """Tags whose source is told for each; one source for all is how it was written at first."""
    source = tags.get(SOURCE)
    if isinstance(source, str):
        each = {name: source for name in tags if name not in (SOURCE, ASKED)}
        asked = tags.get(ASKED)
        source = {**each, **({ASKED: dict.fromkeys(asked, source)} if isinstance(asked, dict) else {})}
    return {**tags, SOURCE: dict(source) if isinstance(source, dict) else {}}


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
