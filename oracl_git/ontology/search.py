"""A question → passages, by score: words and vectors, each as standard scores, added up.

Knows BM25 over split, stemmed words, sketches and cosines, how much of a question
a passage must answer to count at all, and how a score is told in parts. Reads the
store, and only rows of the scopes it is given.
"""

from __future__ import annotations

import heapq
from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from math import log, sqrt
from operator import mul

from .embedding import Adapter, Vector, sketch
from .model import DEFAULT_SCOPES, PARSED, Hit
from .store import Connection
from .words import Term, is_cjk, terms

# -- parameters ---------------------------------------------------------------------------------
HEADING_WEIGHT = 1.6  # of a word above a passage, against one in it
POOL = 200  # candidates of each signal
LEXICAL, SEMANTIC = 1.0, {"hash-96": 0.12, "static-256": 0.8}  # weights of the two standard scores; else 1
SOME, SOME_MEANING, BOTH = 0.2, 0.25, 1.4  # … or less of it where the meaning is near: shares of both floors
COMMON_SHARE = 0.35  # words in more passages than this are left out when rarer ones remain
COMMON_LEAST = 400  # … and more than so many passages have them


@dataclass
class Matches:
    """What the words of a question match: BM25, and how much of the question each passage covers."""

    scores: dict[int, float] = field(default_factory=dict)
    covered: dict[int, float] = field(default_factory=dict)  # 0..1
    found: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))  # words of the question


class Corpus:
    """The passages of some scopes, as questions need them; kept while the store does not change."""

    def __init__(self, db: Connection, scopes: tuple[str, ...] = DEFAULT_SCOPES) -> None:
        self.db, self.scopes = db, scopes
        self._version = -1
        self.ids: array[int] = array("q")
        self.sketches: list[int] = []
        self.visible: set[int] = set()

    def refresh(self) -> None:
        """Read what is in the store now, if it changed."""
        version = self.db.execute("PRAGMA data_version").fetchone()[0] + self.db.total_changes * 1_000_003
        if version == self._version:
            return
        self._version = version
        marks = ",".join("?" * len(self.scopes))
        rows = self.db.execute(
            f"SELECT c.id, c.sketch FROM chunks c JOIN sources s ON s.id=c.source WHERE s.scope IN ({marks})",
            self.scopes,
        ).fetchall()
        self.ids = array("q", (row[0] for row in rows))
        self.sketches = [int.from_bytes(row[1] or b"", "big") for row in rows]
        self.visible = set(self.ids)

    def nearest(self, vector: Vector, limit: int) -> list[int]:
        """The passages whose sketches differ least."""
        goal = int.from_bytes(sketch(vector), "big")
        apart = [(goal ^ other).bit_count() for other in self.sketches]
        places = heapq.nsmallest(limit, range(len(apart)), key=apart.__getitem__)
        return [self.ids[place] for place in places]

    def cosines(self, vector: Vector, chunks: set[int]) -> dict[int, float]:
        """The cosine of each passage with a vector."""
        goal = array("b", vector.data)
        found = {}
        for chunk, data, norm in _rows_of(self.db, "SELECT id, vector, norm FROM chunks", chunks):
            if norm and vector.norm and len(data) == len(goal):
                found[chunk] = sum(map(mul, goal, array("b", data))) / (norm * vector.norm)
        return found


def _rows_of(db: Connection, select: str, ids: set[int]) -> list[tuple[int, bytes, float]]:
    rows = []
    ordered = sorted(ids)
    for start in range(0, len(ordered), 500):
        part = ordered[start : start + 500]
        rows += db.execute(f"{select} WHERE id IN ({','.join('?' * len(part))})", part).fetchall()
    return rows


# -- words --------------------------------------------------------------------------------------


def lexical(corpus: Corpus, asked: list[Term]) -> Matches:
    """BM25 of each word of the question, and what share of the question each passage covers."""
    matches = Matches()
    total = len(corpus.ids)
    parts: dict[tuple[str, bool], dict[int, float]] = {}
    for term in asked:
        for place, part in enumerate(term.parts):
            key = (part, term.prefix and place == len(term.parts) - 1)
            if key not in parts:
                parts[key] = _postings(corpus, *key)
    common = {key for key, rows in parts.items() if len(rows) > COMMON_SHARE * total and len(rows) > COMMON_LEAST}
    if len(common) == len(parts):
        common = set()
    # A word that no passage has weighs as one that a single passage has: nobody knows how rare it is.
    counts = {key: max(1, len(rows)) for key, rows in parts.items()}
    weights = {key: log(1 + (total - count + 0.5) / (count + 0.5)) for key, count in counts.items()}
    for key, rows in parts.items():
        if key in common or not rows:
            continue
        # SQLite floors the weight of a word that half the passages have; ours stays above 0.
        given = max(1e-6, log((total - len(rows) + 0.5) / (len(rows) + 0.5))) if total > len(rows) else 1e-6
        scale = weights[key] / given
        for chunk, score in rows.items():
            matches.scores[chunk] = matches.scores.get(chunk, 0.0) + score * scale
    _coverage(matches, asked, parts, weights)
    return matches


def _postings(corpus: Corpus, part: str, prefix: bool) -> dict[int, float]:
    """passage → BM25 of one word, of passages that may be seen."""
    expression = f'"{part}"' + ("*" if prefix else "")
    rows = corpus.db.execute(
        "SELECT rowid, -bm25(chunk_fts, ?, 1.0) FROM chunk_fts WHERE chunk_fts MATCH ?", (HEADING_WEIGHT, expression)
    )
    visible = corpus.visible
    return {chunk: score for chunk, score in rows if chunk in visible}


def _coverage(
    matches: Matches,
    asked: list[Term],
    parts: dict[tuple[str, bool], dict[int, float]],
    weights: dict[tuple[str, bool], float],
) -> None:
    """A word of several parts is covered by as much of it as is there; one of CJK pairs mostly by all of them."""
    whole = 0.0
    for term in asked:
        keys = [(part, term.prefix and place == len(term.parts) - 1) for place, part in enumerate(term.parts)]
        weight = max(weights[key] for key in keys)
        whole += weight
        shares = sum(weights[key] for key in keys)
        hits: dict[int, float] = defaultdict(float)
        for key in keys:
            for chunk in parts[key]:
                hits[chunk] += weights[key] / shares
        for chunk, share in hits.items():
            matches.covered[chunk] = matches.covered.get(chunk, 0.0) + weight * share**1.5
            if share > 0.6:
                matches.found[chunk].append(term.word)
    if whole:
        matches.covered = {chunk: min(1.0, value / whole) for chunk, value in matches.covered.items()}


# -- both ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scored:
    """A passage with its score in parts."""

    chunk: int
    score: float
    lexical: float
    semantic: float
    cosine: float
    covered: float
    confidence: float
    words: tuple[str, ...]


def score(corpus: Corpus, adapter: Adapter, question: str, limit: int) -> list[Scored]:
    """The passages that answer a question, best first; none when none does."""
    corpus.refresh()
    asked = terms(question)
    if not corpus.ids or not asked:
        return []
    matches = lexical(corpus, asked)
    vector = adapter.encode(question)
    pool = set(heapq.nlargest(POOL, matches.scores, key=lambda chunk: (matches.scores[chunk], -chunk)))
    if vector.norm:
        pool |= set(corpus.nearest(vector, POOL))
    cosines = corpus.cosines(vector, pool) if vector.norm else {}
    best = max(cosines.values(), default=0.0)
    floors, wide = adapter.floors, is_cjk(question)
    floor, cover = (floors.absolute_cjk, floors.cover_cjk) if wide else (floors.absolute, floors.cover)
    near = max(floor, floors.relative * best)
    kept = [c for c in pool if _answers(matches.covered.get(c, 0.0), cosines.get(c, 0.0), near, cover, adapter)]
    if not kept:
        return []
    weight = SEMANTIC.get(adapter.name, 1.0)
    words_z = standard({chunk: matches.scores.get(chunk, 0.0) for chunk in pool})
    vectors_z = standard({chunk: cosines.get(chunk, 0.0) for chunk in pool})
    span = LEXICAL * max(words_z.values()) + weight * max(vectors_z.values()) or 1.0
    scored = []
    for chunk in kept:
        first, second = LEXICAL * words_z[chunk] / span, weight * vectors_z[chunk] / span
        covered, cosine = matches.covered.get(chunk, 0.0), cosines.get(chunk, 0.0)
        meaning = max(0.0, (cosine - floor) / (1 - floor)) ** 0.5 if cosine > floor else 0.0
        confidence = 1 - (1 - covered) * (1 - meaning)
        scored.append(
            Scored(
                chunk, first + second, first, second, cosine, covered, confidence, tuple(matches.found.get(chunk, ()))
            )
        )
    scored.sort(key=lambda row: (-row.score, row.chunk))
    return scored[:limit]


def _answers(covered: float, cosine: float, near: float, cover: float, adapter: Adapter) -> bool:
    """Whether a passage answers at all: by its words, by its meaning, or by some of both."""
    if covered >= cover or cosine >= near:
        return True
    return adapter.joint and covered >= SOME and cosine >= SOME_MEANING and covered / cover + cosine / near >= BOTH


def standard(values: dict[int, float]) -> dict[int, float]:
    """Standard scores, shifted so that the least is 0."""
    mean = sum(values.values()) / len(values)
    deviation = sqrt(sum((value - mean) ** 2 for value in values.values()) / len(values))
    least = min(values.values())
    return {key: (value - least) / deviation if deviation else 0.0 for key, value in values.items()}


def search(corpus: Corpus, adapter: Adapter, question: str, limit: int = 10) -> list[Hit]:
    """The passages that answer a question, each with where it stands and why it is here."""
    scored = score(corpus, adapter, question, limit * 3)
    hits: list[Hit] = []
    seen: dict[str, int] = {}
    for row in scored:
        got = corpus.db.execute(
            "SELECT c.ref, s.uri, s.title, c.heading, c.location, c.text, s.scope, c.kind, s.version, s.ref, c.checksum"
            f" FROM chunks c JOIN sources s ON s.id=c.source WHERE c.id=? AND s.status='{PARSED}'",
            (row.chunk,),
        ).fetchone()
        if got is None:
            continue
        *about, checksum = got
        if checksum in seen:  # the same words at another place: told with the first
            first = hits[seen[checksum]]
            if about[1] != first.uri and about[1] not in first.also:
                hits[seen[checksum]] = Hit(**{**first.__dict__, "also": (*first.also, about[1])})
            continue
        seen[checksum] = len(hits)
        ref, uri, title, heading, location, text, scope, kind, version, source = about
        hits.append(
            Hit(
                ref,
                uri,
                title,
                heading,
                location,
                text,
                row.score,
                row.confidence,
                scope,
                kind,
                version,
                source,
                _reasons(row),
                (),
                row.chunk,
            )
        )
    return hits[:limit]


def _reasons(row: Scored) -> tuple[tuple[str, str, float], ...]:
    found = []
    if row.lexical or row.words:
        said = ", ".join(row.words[:6]) or "parts of words"
        found.append(("words", f"says {said}", row.lexical))
    if row.semantic:
        found.append(("meaning", f"cosine {row.cosine:.2f}", row.semantic))
    return tuple(found)
