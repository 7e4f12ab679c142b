"""The sentences of a passage that answer a question best.

Knows where sentences end. Pure.
"""

from __future__ import annotations

import re

from .words import terms, words

_END = re.compile(
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bProf\.)(?<=[.!?。！？])\s+|\n+"
)
MOST = 400  # characters


def sentences(text: str) -> list[tuple[int, int]]:
    """The (start, stop) of each sentence."""
    found, start = [], 0
    for match in _END.finditer(text):
        if text[start : match.start()].strip():
            found.append((start, match.start()))
        start = match.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def best_sentences(text: str, question: str) -> str:
    """The one or two neighbouring sentences that share most with a question."""
    asked = {part for term in terms(question) for part in term.parts}
    spans = sentences(text)
    if not spans:
        return text[:MOST].strip()
    shared = [len(asked & set(words(text[start:stop]))) for start, stop in spans]
    best = max(range(len(spans)), key=lambda place: (shared[place], -place))
    start, stop = spans[best]
    if stop - start < 80 and best + 1 < len(spans):
        stop = spans[best + 1][1]
    return text[start:stop].strip()[:MOST]
