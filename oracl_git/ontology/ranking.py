"""Memories, by how they bear on a question: words and meaning of each, and of what was said beside it.

Knows scores and floors, and that a turn of a conversation is heard with its neighbours.
Scores every row it is given, and knows nothing of who may see them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from operator import mul

from .chunking import estimate
from .conversation import Conversation
from .embedding import Adapter, Vector
from .search import standard
from .words import Term, is_cjk, terms

# -- parameters ---------------------------------------------------------------------------------
RELEVANCE, SALIENCE = 0.85, 0.15
K1, B = 1.2, 0.6
SEMANTIC = {"hash-96": 0.15}  # weight of the standard cosine beside that of the words; a real table has 1
COVER = 0.12  # share of a question, in information, that makes a memory relevant by its words
# A turn of a conversation says little by itself: it counts sooner, and the ranking decides.
TURN_COVER, TURN_NEAR, TURN_HEARD = 0.05, 0.15, 0.20
NEIGHBOUR = 0.3  # how much of the words of the turn before or after counts
AROUND = 0.5  # … and of its cosine
HEARD = 0.7  # weight of the standard cosine of a turn with its neighbours, against 1 of the turn alone
ANSWER = 0.25  # how much of the score of a question counts for the turn after it
SPEAKER = 0.7  # standard scores that the one speaker whom a question names is worth
TIME = 1.0  # … and words of time, for a question that asks when
WEAK = 0.34  # confidence of the best memory below which an answer only comes near


@dataclass(frozen=True)
class Row:
    """A memory that may be seen."""

    id: int
    ref: str
    text: str
    words: str
    tags: str
    salience: float
    scope: str
    kind: str
    source_memory_id: str
    created_at: str
    vector: Vector
    adapter: str


@dataclass(frozen=True)
class Scores:
    """A memory's score and what it is made of."""

    total: float
    relevance: float
    words: float  # share of the relevance
    meaning: float
    cosine: float
    confidence: float  # 0..1: share of the question covered, or else meaning
    matched: tuple[str, ...]


def rank(rows: Sequence[Row], adapter: Adapter, question: str) -> list[tuple[Row, Scores]]:
    """Score every row; those that are relevant by words or by meaning, best first."""
    asked = terms(question)
    if not rows or not asked:
        return []
    talk = Conversation(rows)
    if named := talk.named(question):
        parts = {part for name in named for part in name.split()}
        asked = [term for term in asked if term.word not in parts] or asked
    bm25, covered, matched = _lexical(rows, asked, talk)
    cosines = _cosines(rows, adapter, talk.without_names(question) if talk.turns else question)
    heard = _heard(cosines, talk)
    words = standard(dict(enumerate(bm25)))
    meaning = _meaning(cosines, heard, talk, SEMANTIC.get(adapter.name, 1.0))
    fused = [words[place] + meaning[place] for place in range(len(rows))]
    _listen(fused, talk, named, question)
    least, most = min(fused), max(fused)
    floor = adapter.floors.absolute_cjk if is_cjk(question) else adapter.floors.absolute
    near = max(floor, adapter.floors.relative * max(cosines))
    found = []
    for place, row in enumerate(rows):
        turn = place in talk.turns
        bounds = (TURN_NEAR, TURN_HEARD) if turn and adapter.joint else (near, near)
        by_meaning = cosines[place] >= min(near, bounds[0]) or (turn and heard[place] >= min(near, bounds[1]))
        if covered[place] < (TURN_COVER if turn else COVER) and not by_meaning:
            continue
        relevance = (fused[place] - least) / (most - least) if most > least else 1.0
        both = words[place] + meaning[place]
        share = relevance * words[place] / both if both else relevance
        total = RELEVANCE * relevance + SALIENCE * row.salience
        sure = 1 - (1 - min(1.0, covered[place])) * (1 - min(1.0, max(0.0, cosines[place])))
        found.append((row, Scores(total, relevance, share, relevance - share, cosines[place], sure, matched[place])))
    found.sort(key=lambda pair: (-pair[1].total, pair[0].id))
    return found


def _lexical(
    rows: Sequence[Row], asked: list[Term], talk: Conversation
) -> tuple[list[float], list[float], list[tuple[str, ...]]]:
    """(BM25, share of the question covered, words matched) of each row; turns of a conversation hear each other."""
    counts = [Counter(row.words.split()) for row in rows]
    lengths = [sum(count.values()) for count in counts]
    usual = sum(lengths) / len(lengths) or 1.0
    parts = {part for term in asked for part in term.parts}
    holders: dict[str, int] = Counter(part for count in counts for part in parts if part in count)
    weights = {part: log(1 + (len(rows) - holders.get(part, 0) + 0.5) / (holders.get(part, 0) + 0.5)) for part in parts}
    own: list[dict[str, float]] = []
    for count, length in zip(counts, lengths, strict=True):
        scale = K1 * (1 - B + B * length / usual)
        own.append({p: weights[p] * count[p] * (K1 + 1) / (count[p] + scale) for p in parts if p in count})
    heard = [dict(scores) for scores in own]
    for pair in talk.beside():
        for place, other in (pair, pair[::-1]):
            for part, value in own[other].items():
                heard[place][part] = max(heard[place].get(part, 0.0), NEIGHBOUR * value)
    whole = sum(max(weights[p] for p in term.parts) for term in asked) or 1.0
    covered, matched = [], []
    for place, scores in enumerate(heard):
        share = 0.0
        words = []
        for term in asked:
            total = sum(weights[p] for p in term.parts) or 1.0
            held = sum(weights[p] * (1.0 if p in own[place] else NEIGHBOUR) for p in term.parts if p in scores) / total
            share += max(weights[p] for p in term.parts) * held**1.5
            if all(p in own[place] for p in term.parts):
                words.append(term.word)
        covered.append(share / whole)
        matched.append(tuple(words))
    return [sum(scores.values()) for scores in heard], covered, matched


def _cosines(rows: Sequence[Row], adapter: Adapter, question: str) -> list[float]:
    vector = adapter.encode(question)
    goal = array("b", vector.data)
    found = []
    for row in rows:
        other = row.vector if row.adapter == adapter.name else adapter.encode(row.text)
        norm = vector.norm * other.norm
        found.append(sum(map(mul, goal, array("b", other.data))) / norm if norm else 0.0)
    return found


def _heard(cosines: list[float], talk: Conversation) -> list[float]:
    """The cosine of each turn, with a share of those beside it."""
    heard = list(cosines)
    for first, second in talk.beside():
        heard[first] += AROUND * cosines[second]
        heard[second] += AROUND * cosines[first]
    return heard


def _meaning(cosines: list[float], heard: list[float], talk: Conversation, weight: float) -> list[float]:
    """The standard scores of both cosines, added; of a memory that is no turn, its own."""
    alone = standard(dict(enumerate(cosines)))
    if not talk.turns:
        return [weight * alone[place] for place in range(len(cosines))]
    together = standard(dict(enumerate(heard)))
    return [weight * (alone[place] + HEARD * together[place]) for place in range(len(cosines))]


def _listen(scores: list[float], talk: Conversation, named: frozenset[str], question: str) -> None:
    """What a question says of who speaks and when, and what a turn answers, added to the scores."""
    if len(named) == 1:
        for place, turn in talk.turns.items():
            if turn.speaker.lower() in named:
                scores[place] += SPEAKER
    before = list(scores)
    for first, second in talk.beside():
        if talk.asks(first):
            scores[second] += ANSWER * before[first]
    for place in talk.of_time(question):
        scores[place] += TIME


def select(ranked: list[tuple[Row, Scores]], budget: int) -> list[tuple[Row, Scores]]:
    """All, if they fit the token budget; else the best that do."""
    sizes = [estimate(row.text) for row, _ in ranked]
    if sum(sizes) <= budget:
        return ranked
    chosen, left = [], budget
    for pair, size in zip(ranked, sizes, strict=True):
        if size <= left:
            chosen.append(pair)
            left -= size
    return chosen
