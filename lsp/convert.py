"""Answers of the service as JSON for the client.

Knows how a path becomes a URI, and lines become a range. Knows nothing of how
answers come about.
"""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types

from oracl_git.check.fix import spot
from oracl_git.recall.model import Reason, Result, Step, path_json
from oracl_git.recall.references import Place as Spot

from .documents import Text
from .roots import Root

_LINES = re.compile(r"L(\d+)(?:-L?(\d+))?\Z")
REASONS = 2  # of a result where there is one line for it


def lines(fragment: str) -> types.Range | None:
    """`L10-42` as a range of whole lines: it ends where the next line starts."""
    match = _LINES.match(fragment)
    if match is None:
        return None
    start, end = int(match[1]), int(match[2] or match[1])
    return types.Range(types.Position(max(0, start - 1), 0), types.Position(max(start, end), 0))


def top() -> types.Range:
    """The first line: of a file as a whole."""
    return types.Range(types.Position(0, 0), types.Position(0, 0))


def result(root: Root, found: Result) -> dict[str, Any]:
    """One answer; see `messages.RESULT`."""
    return {"uri": root.uri(found.path), "root": root.uri("").rstrip("/"), "range": plain(lines(found.focus)),
            **_without(found.to_json(), "source", "commit")}  # fmt: skip


def _without(data: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in data.items() if name not in names}


def step(root: Root, found: Step) -> dict[str, Any]:
    """A step of a trace, with those below it; see `messages.STEP`."""
    data: dict[str, Any] = {
        "uri": root.uri(found.path), **path_json(found.path), "range": plain(lines(found.fragment)),
        "fragment": found.fragment, "relation": found.relation, "symbol": found.symbol,
        "direction": "out" if found.away else "in", "cycle": found.cycle,
    }  # fmt: skip
    data["children"] = [step(root, child) for child in found.children]
    return data


def plain(found: types.Range | None) -> dict[str, Any] | None:
    """A range as JSON."""
    if found is None:
        return None
    return {
        "start": {"line": found.start.line, "character": found.start.character},
        "end": {"line": found.end.line, "character": found.end.character},
    }


def because(reasons: tuple[Reason, ...]) -> str:
    """The best reasons, on one line."""
    texts = dict.fromkeys(reason.text for reason in reasons if reason.share > 0)
    return "; ".join(list(texts)[:REASONS])


def path(found: str) -> str:
    """A path for display."""
    return str(path_json(found)["path"])


def spots(text: Text, place: Spot) -> list[types.Range]:
    """Where the words of a reference stand in a text: the module or path, and the name that is imported."""
    reference = place.reference
    words = [reference.target]
    if reference.kind == "import":
        words = [word for word in (reference.target, reference.name) if word.strip(".") and word != "*"]
    found = []
    for word in words:
        for start, end in between(text, reference.start, reference.end, word):
            found.append(text.range(start, end))
            break
    return found


def between(text: Text, first: int, last: int, word: str) -> list[tuple[int, int]]:
    """(start, end) of the places in some lines (1-based) where a word stands, as it is or percent-encoded."""
    starts = text.starts
    if not 1 <= first <= len(starts):
        return []
    begin, stop = starts[first - 1], starts[last] if last < len(starts) else len(text.source)
    return [(begin + start, begin + end) for start, end in spot(text.source[begin:stop], word)]
