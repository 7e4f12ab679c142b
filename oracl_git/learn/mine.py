"""The query log → tickets. Pure: records in, tickets out.

Only what a person opened is evidence; that two files stood in one answer is the ranker's
own opinion, and learning from it would make it louder. Knows the log's records, and that
any line of it may be garbage. Knows nothing of files on disk.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .tickets import EDGE, TAG, Ticket

LEAST = 3  # opens before anything is proposed
PRIOR = 4  # opens that count against: confidence = n / (all opens of that question + PRIOR)
_LINE = 1 << 20  # bytes of a record
_QUESTION = 200  # characters of a question that can be learned
_TOGETHER = 20  # files opened for one question in one session that are paired


class Opened(NamedTuple):
    """A person opened a result of a question."""

    time: str
    session: str
    question: str | tuple[str, ...]  # text, or the paths that `related` was asked with
    path: str
    rank: int


class Mined(NamedTuple):
    """What the log says: tickets, and what of it was of no use."""

    tickets: tuple[Ticket, ...]
    opens: int
    garbage: int  # lines that are no record


def read(lines: Iterable[bytes]) -> tuple[list[Opened], int]:
    """(the opens among the lines, how many lines are no record at all)."""
    found, garbage = [], 0
    for line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line) if len(line) <= _LINE else None
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("class"), str):
            garbage += 1
        elif row["class"] == "open":
            opened = _opened(row)
            if opened is None:
                garbage += 1
            else:
                found.append(opened)
    return found, garbage


def _opened(row: dict[str, object]) -> Opened | None:
    time, session, question, path, rank = (row.get(name) for name in ("time", "session", "query", "path", "rank"))
    if isinstance(question, list) and question and all(isinstance(name, str) for name in question):
        question = tuple(question)
    texts = isinstance(time, str) and isinstance(session, str) and isinstance(path, str) and path
    if not texts or not isinstance(question, (str, tuple)) or not isinstance(rank, int) or isinstance(rank, bool):
        return None
    return Opened(str(time)[:20], str(session)[:100], question, str(path), rank)


def mine(
    lines: Iterable[bytes], words: Callable[[str], frozenset[str]], exists: Callable[[str], bool]
) -> Mined:  # fmt: skip
    """Tickets of a log. `words` gives what of a question carries meaning; `exists`, whether a path is indexed."""
    opens, garbage = read(lines)
    known = [row for row in opens if exists(row.path)]
    tickets = [*_tags(known, words), *_edges(known, words, exists)]
    tickets.sort(key=lambda ticket: (-ticket.confidence, ticket.kind, ticket.subject))
    return Mined(tuple(tickets), len(opens), garbage)


def _tags(opens: list[Opened], words: Callable[[str], frozenset[str]]) -> list[Ticket]:
    """A file that is opened for a question again and again, though others stood above it."""
    by_question: dict[frozenset[str], list[Opened]] = defaultdict(list)
    for row in opens:
        if isinstance(row.question, str) and _learnable(row.question) and (meaning := words(row.question)):
            by_question[meaning].append(row)
    found = []
    for rows in by_question.values():
        by_path: dict[str, list[Opened]] = defaultdict(list)
        for row in rows:
            by_path[row.path].append(row)
        for path, mine in by_path.items():
            if len(mine) >= LEAST and any(row.rank > 1 for row in mine):
                asked: dict[str, int] = defaultdict(int)
                for row in mine:
                    asked[" ".join(str(row.question).split())] += 1
                question = min(asked, key=lambda text: (-asked[text], text))
                found.append(_ticket(TAG, (path, question), mine, len(rows)))
    return found


def _learnable(question: str) -> bool:
    """Whether a question may stand in a tracked file: short, and nothing a terminal would act on."""
    text = " ".join(question.split())
    return 0 < len(text) <= _QUESTION and text.isprintable()


def _edges(
    opens: list[Opened], words: Callable[[str], frozenset[str]], exists: Callable[[str], bool]
) -> list[Ticket]:  # fmt: skip
    """Files that are opened for one question in one session, or from one another's `related`."""
    visits: dict[tuple[str, str, frozenset[str]], dict[str, list[Opened]]] = defaultdict(lambda: defaultdict(list))
    pairs: dict[tuple[str, str], list[Opened]] = defaultdict(list)
    alone: dict[str, int] = defaultdict(int)
    for row in opens:
        alone[row.path] += 1
        if isinstance(row.question, str):
            if meaning := words(row.question):
                visits[row.session, row.time[:10], meaning][row.path].append(row)
            continue
        for asked in row.question[:_TOGETHER]:
            if asked != row.path and exists(asked):
                pairs[min(asked, row.path), max(asked, row.path)].append(row)
    for together in visits.values():
        paths = sorted(together)[:_TOGETHER]
        for place, a in enumerate(paths):
            for b in paths[place + 1 :]:
                pairs[a, b] += together[a] if len(together[a]) <= len(together[b]) else together[b]
    return [
        _ticket(EDGE, pair, rows, max(len(rows), min(alone[pair[0]], alone[pair[1]])))
        for pair, rows in pairs.items()
        if len(rows) >= LEAST
    ]


def _ticket(kind: str, subject: tuple[str, str], rows: list[Opened], total: int) -> Ticket:
    times = sorted(row.time for row in rows)
    sessions = len({(row.session, row.time[:10]) for row in rows})
    return Ticket(kind, subject, round(len(rows) / (total + PRIOR), 2), len(rows), sessions, times[0], times[-1])
