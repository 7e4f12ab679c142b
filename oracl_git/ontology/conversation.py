"""Turns of a conversation among memories: who says them, which stand beside each other, what a question asks of them.

Knows that a turn says little by itself: it answers the one before it, its speaker's name
is not what it means, and `when` asks for words of time. Pure.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

KINDS = ("turn", "conversation", "message")
SPEAKS = 2  # texts that begin with the same name make it a speaker's
_APART = 2  # ordinals between two turns that stand beside each other

_BEFORE = r"(?:\[[^\]\n]{1,60}\]\s*|\([^)\n]{1,60}\)\s*)?"  # a date or an id
_TURN = re.compile(
    rf"{_BEFORE}(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){{0,3}}?)(?::\s|(?: said| says| asked),? (?=[\"“]))"
    r"(?P<said>.*)",
    re.DOTALL,
)
_ORDINAL = re.compile(r"(.*?)(\d+)$")
_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_WHEN = re.compile(
    r"(?:since |until |till |by |from )?when\b"
    r"|(?:in |on |at |during )?(?:what|which) (?:date|day|month|year|time|week)\b|how long ago\b|.*언제|.*며칠",
    re.IGNORECASE,
)
_TIME = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|weeks?|months?|years?|{'|'.join(_MONTHS)}|{_DAYS}|weekend"
    r"|spring|summer|autumn|fall|winter|christmas|easter|first|second|third|\d{4}|\d{1,2}(?:st|nd|rd|th)|\w+(?:tieth|teenth))\b"
    r"|어제|오늘|내일|지난|다음|요일|\d월|\d일",
    re.IGNORECASE,
)
_DATE = re.compile(rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?({'|'.join(_MONTHS)})(?: (\d{{1,2}}))?,? (\d{{4}})\b|"
                   r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b", re.IGNORECASE)  # fmt: skip


class Told(Protocol):
    """What is looked at of a memory."""

    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def source_memory_id(self) -> str: ...
    @property
    def id(self) -> int: ...
    @property
    def created_at(self) -> str: ...


class Turn(NamedTuple):
    """Who says what."""

    speaker: str
    said: str


def parsed(text: str) -> Turn | None:
    """A text that begins as a turn does: `Ana: …`, `[8 May 2023] Ana: …`, `Ana said, "…"`."""
    match = _TURN.match(text)
    return Turn(match["name"], match["said"]) if match else None


def speakers(texts: Iterable[str]) -> frozenset[str]:
    """The names that several texts begin with."""
    counts = Counter(turn.speaker for text in texts if (turn := parsed(text)))
    return frozenset(name for name, count in counts.items() if count >= SPEAKS)


def said(text: str, kind: str, known: frozenset[str]) -> str:
    """What a turn says, without who says it; any other text as it is."""
    turn = parsed(text)
    return turn.said if turn and turn.said.strip() and (kind in KINDS or turn.speaker in known) else text


class Conversation:
    """The turns among memories that were read together."""

    def __init__(self, rows: Sequence[Told]) -> None:
        self.rows = rows
        self.speakers = speakers(row.text for row in rows)
        self.turns: dict[int, Turn] = {}  # place among the rows → turn
        for place, row in enumerate(rows):
            turn = parsed(row.text)
            if row.kind in KINDS or (turn and turn.speaker in self.speakers):
                self.turns[place] = turn or Turn("", row.text)

    def beside(self) -> Iterator[tuple[int, int]]:
        """(turn, the next) of turns that stand beside each other."""
        order: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place in self.turns:
            match = _ORDINAL.match(self.rows[place].source_memory_id)
            order[match[1] if match else ""].append((int(match[2][:12]) if match else self.rows[place].id, place))
        for each in order.values():
            each.sort()
            for (before, first), (after, second) in itertools.pairwise(each):
                if after - before <= _APART:
                    yield first, second

    def asks(self, place: int) -> bool:
        """Whether a turn is a question."""
        return "?" in self.turns[place].said

    def named(self, question: str) -> frozenset[str]:
        """The speakers that a question names, in small letters."""
        words = set(re.findall(r"[\w'’-]+", question.lower().replace("’s", "").replace("'s", "")))
        return frozenset(name.lower() for name in self.speakers if words & set(name.lower().split()))

    def without_names(self, question: str) -> str:
        """A question without the names of speakers: of two who speak, a name tells few turns from others."""
        parts = {re.escape(part) for name in self.speakers for part in name.split()}
        left = (
            re.sub(rf"\b(?:{'|'.join(sorted(parts))})(?:['’]s)?\b", " ", question, flags=re.IGNORECASE)
            if parts
            else question
        )
        return left if re.search(r"\w", left) else question

    def of_time(self, question: str) -> list[int]:
        """The turns that speak of time, for a question that asks when; those of a day that a question names."""
        if date := _DATE.search(question):
            day, month, other, year, *iso = date.groups()
            start = f"{year}-{_MONTHS.index(month.lower()) + 1:02}" if month else f"{iso[0]}-{iso[1]}"
            exact = (day or other) if month else iso[2]
            start += f"-{int(exact):02}" if exact else ""
            return [place for place in self.turns if self.rows[place].created_at.startswith(start)]
        if _WHEN.match(question.strip()):
            return [place for place, turn in self.turns.items() if _TIME.search(turn.said)]
        return []
