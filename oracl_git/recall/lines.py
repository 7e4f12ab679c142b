"""Which lines of a file answer a question: its best passage, with the neighbours that belong to it.

Knows how passages of one file are compared and how a short one grows. Knows nothing of
other files: which of them come first, the rankers say.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ..store.index import Span
from . import tables
from .words import light_stem, split_words


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of the words of a text that carry meaning."""
    return frozenset(light_stem(word) for word in split_words(text) if word not in tables.STOP_WORDS)


def grown(chunks: list[Span], passages: list[Span], words: frozenset[str]) -> Span | None:
    """The best of a file's matching passages (given best first), grown to at most LINES lines; None without any.

    `chunks`: all of the file.
    """
    if not passages:
        return None
    best = max(passages, key=_worth(passages, words))
    start, stop = best.start, best.end
    if stop - start + 1 >= tables.LINES:
        return best
    scores = {span.start: span.score for span in passages}
    low = high = next(place for place, chunk in enumerate(chunks) if chunk.start == best.start)
    while True:
        beside = [place for place in (low - 1, high + 1) if 0 <= place < len(chunks)]
        fits = [p for p in beside if chunks[max(p, high)].end - chunks[min(p, low)].start < tables.LINES]
        if not fits:
            break
        taken = max(fits, key=lambda place: (scores.get(chunks[place].start, 0.0), -place))
        low, high = min(low, taken), max(high, taken)
    return best._replace(start=chunks[low].start, end=chunks[high].end)


def _worth(passages: list[Span], words: frozenset[str]) -> Callable[[Span], tuple[float, int]]:
    heads = tuple({stem[:-1] if stem.endswith("y") else stem for stem in words})
    shares = {span.start: _share(span.title, words, heads) for span in passages}
    top = passages[0].score or 1.0
    named = max(shares.values()) or 1.0
    longest = min(tables.LINES, max(span.end - span.start + 1 for span in passages))

    def worth(span: Span) -> tuple[float, int]:
        length = min(tables.LINES, span.end - span.start + 1) / longest
        value = span.score / top + tables.LINES_TITLE * shares[span.start] / named + tables.LINES_LENGTH * length
        return value, -span.start

    return worth


def _share(title: str, words: frozenset[str], heads: tuple[str, ...]) -> float:
    """The share of a title's words that are among some; `heads`: what a word that has one of their stems must hold."""
    if title.isascii():
        low = title.lower()
        if not any(head in low for head in heads):
            return 0.0
    mine = stems(title)
    return len(mine & words) / len(mine) if mine else 0.0
