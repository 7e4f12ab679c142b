"""Which lines of a file answer a question: the run of its passages that is worth its length.

Knows what a line of a passage is worth, and that a range is paid for by the line.
Knows nothing of other files: which of them come first, the rankers say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..store.index import Span
from . import tables
from .words import light_stem, split_words


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The stems of the words of a text that carry meaning."""
    return frozenset(light_stem(word) for word in split_words(text) if word not in tables.STOP_WORDS)


class Lines(NamedTuple):
    """The lines of a result: what belongs to the answer, and where in it to look first."""

    range: Span
    focus: Span


def chosen(chunks: Sequence[Span], scores: Mapping[int, float], words: frozenset[str], alike: int = 0) -> Lines | None:
    """The runs of a file's passages that are worth most for their length; None where no passage matches.

    `chunks`: all of the file, in order; `scores`: BM25 by passage; `alike`: the passage nearest in
    meaning. The title and score of a run are those of its best passage.

    A line of a passage is worth 2^(LINES_BM25 · BM25 / best + LINES_TITLE · share of its title's words that
    the question has + LINES_MEANING if it is the nearest), a line of any other 1. A run of at most `most` lines, or
    a single passage, is worth its share of all that, less 1 / `price` a line. Equals: the shorter, then the first.
    Where no passage is worth its lines, the one that is worth most a line. RANGE says both of the range, FOCUS of
    the focus, which lies in the range.
    """
    if not scores:
        return None
    worths = _worths(chunks, scores, words, alike)
    sums = [0]  # what the lines before each passage are worth
    for place, chunk in enumerate(chunks):
        sums.append(sums[-1] + worths.get(place, tables.LINES_UNIT) * (chunk.end - chunk.start + 1))
    first, last = _best(chunks, sums, worths, range(len(chunks)), tables.RANGE)
    runs = (first, last), _best(chunks, sums, worths, range(first, last + 1), tables.FOCUS)
    return Lines(*(_run(chunks, scores, worths, low, high) for low, high in runs))


def _run(chunks: Sequence[Span], scores: Mapping[int, float], worths: dict[int, int], low: int, high: int) -> Span:
    """The passages from one place to another as one."""
    best = max((place for place in worths if low <= place <= high), key=worths.__getitem__, default=low)
    score = scores.get(chunks[best].id, 0.0)
    return Span(chunks[best].id, chunks[best].node, chunks[low].start, chunks[high].end, chunks[best].title, score)


def _worths(chunks: Sequence[Span], scores: Mapping[int, float], words: frozenset[str], alike: int) -> dict[int, int]:
    """Place → what a line is worth, in units, of the passages that match, in order."""
    heads = _heads(words)
    scale = tables.LINES_BM25 / (max(scores.values()) or 1.0)
    worths = {}
    for place, span in enumerate(chunks):
        if span.id in scores or span.id == alike:
            power = scale * scores.get(span.id, 0.0) + tables.LINES_TITLE * _share(span.title, words, heads)
            power += tables.LINES_MEANING * (span.id == alike)
            worths[place] = round(tables.LINES_UNIT * 2.0**power)
    return worths


def _best(
    chunks: Sequence[Span], sums: Sequence[int], worths: dict[int, int], within: range, width: tables.Width
) -> tuple[int, int]:
    """The places of the first and the last passage of the best run within some."""
    price, total = width.price, sums[-1]
    here = {place: worth for place, worth in worths.items() if place in within}
    # A passage at either end whose lines are worth less than they cost is better left out.
    least = min(-(-total // price), max(here.values(), default=0))
    ends = list(within) if least <= tables.LINES_UNIT else [place for place, worth in here.items() if worth >= least]
    best, found = (-price * total * chunks[-1].end, 0), (ends[0], ends[0])
    for number, low in enumerate(ends):
        start = chunks[low].start
        for high in ends[number:]:
            lines = chunks[high].end - start + 1
            if lines > width.most and high > low:
                break
            value = price * (sums[high + 1] - sums[low]) - total * lines, -lines
            if value > best:
                best, found = value, (low, high)
    return found


def window(rows: Sequence[str], words: frozenset[str], size: int) -> int:
    """Which of some lines the `size` ones begin at that hold most of the words (their stems); of equals in a row
    the one in the middle, so that there is something around a single line."""
    heads = _heads(words)
    held = [{head for head in heads if head in low} for low in map(str.lower, rows)]
    counts = [len(set().union(*held[start : start + size])) for start in range(max(1, len(rows) - size + 1))]
    first = counts.index(max(counts))
    last = next((place for place in range(first, len(counts)) if counts[place] < counts[first]), len(counts)) - 1
    return (first + last) // 2 if counts[first] else 0


def _heads(words: frozenset[str]) -> tuple[str, ...]:
    """What a word that has one of these stems must hold."""
    return tuple({stem[:-1] if stem.endswith("y") else stem for stem in words})


def _share(title: str, words: frozenset[str], heads: tuple[str, ...]) -> float:
    """The share of a title's words that are among some, whose `heads` these are."""
    if title.isascii():
        low = title.lower()
        if not any(head in low for head in heads):
            return 0.0
    mine = stems(title)
    return len(mine & words) / len(mine) if mine else 0.0
