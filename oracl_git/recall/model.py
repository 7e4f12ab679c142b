"""What recall answers with: results, reasons, steps of a trace.

Knows the shapes of answers and their JSON form. Knows nothing of how they come about.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable
from typing import NamedTuple

from ..graph.model import encode_path

# Signals whose words say little beside those of the others: they come last.
_VAGUE = frozenset(("text", "path", "names", "recency", "walk", "meaning"))


class Reason(NamedTuple):
    """Why a result is there: a signal, in words, and its share of the score."""

    signal: str
    text: str
    share: float


def telling(reasons: Iterable[Reason]) -> list[Reason]:
    """The reasons that count; those that can be checked come before those that hint."""
    ordered = sorted(reasons, key=lambda reason: reason.signal in _VAGUE or reason.text.startswith("words in "))
    return [reason for reason in ordered if reason.share > 0]


class Result(NamedTuple):
    """One answer. `fragment` is "L10-142" or "", `focus` where in it to look first; shares of the reasons add up."""

    path: str
    score: float
    fragment: str = ""
    focus: str = ""
    title: str = ""
    kind: str = ""
    source: str = "hybrid"
    reasons: tuple[Reason, ...] = ()
    commit: str = ""
    snippet: str = ""
    snippet_line: int = 0  # where it begins

    def to_json(self) -> dict[str, object]:
        """The stable JSON form."""
        data: dict[str, object] = {
            **path_json(self.path),
            "fragment": self.fragment,
            "focus": self.focus,
            "title": self.title,
            "kind": self.kind,
            "score": round(self.score, 6),
            "source": self.source,
            "reasons": [{"signal": r.signal, "text": r.text, "share": round(r.share, 6)} for r in self.reasons],
            "commit": self.commit,
        }
        if self.snippet:
            data |= {"snippet": self.snippet, "snippet_line": self.snippet_line}
        return data


class Answer(NamedTuple):
    """All results of one question, and what the asker should know about them."""

    results: tuple[Result, ...]
    total: int = 0  # how many candidates there were
    query: object = None
    notes: tuple[str, ...] = ()


class Step(NamedTuple):
    """One node of a dependency tree.

    `away`: the edge points from the parent to this node (False: from it to the
    parent). `cycle` marks a path that is shown elsewhere above.
    """

    path: str
    fragment: str = ""
    relation: str = ""
    symbol: str = ""
    away: bool = True
    cycle: bool = False
    children: tuple[Step, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The stable JSON form."""
        return {
            **path_json(self.path),
            "fragment": self.fragment,
            "relation": self.relation,
            "symbol": self.symbol,
            "direction": "out" if self.away else "in",
            "cycle": self.cycle,
            "children": [child.to_json() for child in self.children],
        }


def path_json(path: str) -> dict[str, object]:
    """{"path"}, and "path_b64" when the path is not UTF-8."""
    raw = encode_path(path)
    shown = raw.decode("utf-8", "replace")
    if shown.encode() == raw:
        return {"path": shown}
    return {"path": shown, "path_b64": binascii.b2a_base64(raw, newline=False).decode()}
