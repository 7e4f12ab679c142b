"""A question → passages, by score: words and vectors, each as standard scores, added up.

Knows BM25 over split, stemmed words, sketches and cosines, how much of a question
a passage must answer to count at all, and how a score is told in parts. Reads the
store, and only rows of the scopes it is given.
"""

from __future__ import annotations

import heapq
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable
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
COMMON_SHARE = 0.1  # words in more passages than this do not score where rarer ones stand
COMMON_LEAST = 400  # … and in more than so many passages


@dataclass
class Matches:
    """How much of a question each passage covers, and with which of its words."""

    covered: dict[int, float] = field(default_factory=dict)  # 0..1
    found: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))  # words of the question


class Corpus:
    """The passages of some scopes, as questions need them; kept while the store does not change."""

    def __init__(self, db: Connection, scopes: tuple[str, ...] = DEFAULT_SCOPES) -> None:
        self.db, self.scopes = db, scopes
        self._version = -1
        self.ids: array[int] = array("q")
        self.sketches: list[int] = []
        self.place: dict[int, int] = {}  # passage → its place in the order of URIs: what decides between equals
        self.whole = 0  # passages of every scope

    def refresh(self) -> None:
        """Read what is in the store now, if it changed."""
        version = self.db.execute("PRAGMA data_version").fetchone()[0] + self.db.total_changes * 1_000_003
        if version == self._version:
            return
        self._version = version
        marks = ",".join("?" * len(self.scopes))
        rows = self.db.execute(
            f"SELECT c.id, c.sketch FROM chunks c JOIN sources s ON s.id=c.source WHERE s.scope IN ({marks})"
            " ORDER BY s.uri, c.ordinal",
            self.scopes,
        ).fetchall()
        self.ids = array("q", (row[0] for row in rows))
        self.sketches = [int.from_bytes(row[1] or b"", "big") for row in rows]
        self.place = {chunk: place for place, chunk in enumerate(self.ids)}
        self.whole = int(self.db.execute("SELECT count(*) FROM chunks").fetchone()[0])

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


Key = tuple[str, bool]  # a word of the index, and whether it is the beginning of one


@dataclass
class Word:
    """One word of a question: who has it, how well, and what it is worth."""

    holders: Collection[int]
    scores: dict[int, float]  # empty for a common one
    weight: float


def lexical(corpus: Corpus, asked: list[Term]) -> tuple[dict[int, float], dict[Key, Word]]:
    """(passage → BM25 of the question, its words). Words that many passages have score only where none is rarer."""
    counts = {key: _count(corpus, key) for term in asked for key in _keys(term)}
    seen = {key: _visible(corpus, key, count) for key, count in counts.items()}
    common = {key for key, count in seen.items() if count > max(COMMON_LEAST, COMMON_SHARE * len(corpus.ids))}
    if len(common) == len(counts):
        common -= set(sorted(common, key=lambda key: (seen[key], key))[:2])
    found = {key: _word(corpus, key, count, key in common) for key, count in counts.items()}
    scores: dict[int, float] = {}
    for word in found.values():
        for chunk, score in word.scores.items():
            scores[chunk] = scores.get(chunk, 0.0) + score
    return scores, found


def _keys(term: Term) -> list[Key]:
    return [(part, term.prefix and place == len(term.parts) - 1) for place, part in enumerate(term.parts)]


def _expression(key: Key) -> str:
    return f'"{key[0]}"' + ("*" if key[1] else "")


def _count(corpus: Corpus, key: Key) -> int:
    sql = "SELECT count(*) FROM chunk_fts WHERE chunk_fts MATCH ?"
    return int(corpus.db.execute(sql, (_expression(key),)).fetchone()[0])


def _visible(corpus: Corpus, key: Key, count: int) -> int:
    """How many passages that may be seen have a word; of a rare one, how many have it at most."""
    if count <= COMMON_LEAST or corpus.whole == len(corpus.ids):
        return count
    rows = corpus.db.execute("SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?", (_expression(key),))
    return sum(chunk in corpus.place for (chunk,) in rows)


def _word(corpus: Corpus, key: Key, count: int, common: bool) -> Word:
    """The passages that may be seen and have the word, with BM25 by what can be seen."""
    visible, total = corpus.place, len(corpus.ids)
    if common:
        rows = corpus.db.execute("SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?", (_expression(key),))
        holders = {chunk for (chunk,) in rows if chunk in visible}
        return Word(holders, {}, _weight(total, len(holders)))
    rows = corpus.db.execute(
        "SELECT rowid, -bm25(chunk_fts, ?, 1.0) FROM chunk_fts WHERE chunk_fts MATCH ?",
        (HEADING_WEIGHT, _expression(key)),
    )
    scores = {chunk: score for chunk, score in rows if chunk in visible}
    weight = _weight(total, len(scores))
    # SQLite weighs by all passages, hidden ones too, and floors the weight of a word that half of them have.
    given = max(1e-6, log((corpus.whole - count + 0.5) / (count + 0.5))) if corpus.whole > count else 1e-6
    return Word(scores, {chunk: score * weight / given for chunk, score in scores.items()}, weight)


def _weight(total: int, count: int) -> float:
    """Inverse document frequency. A word that no passage has weighs as one that a single passage has."""
    count = max(1, count)
    return log(1 + (total - count + 0.5) / (count + 0.5))


def coverage(asked: list[Term], found: dict[Key, Word], pool: Iterable[int]) -> Matches:
    """What share of the question each passage covers; a word of several parts, by as much of it as is there."""
    matches = Matches()
    parts = []
    for term in asked:
        keys = [found[key] for key in _keys(term)]
        parts.append((term.word, max(word.weight for word in keys), sum(word.weight for word in keys) or 1.0, keys))
    whole = sum(weight for _, weight, _, _ in parts) or 1.0
    for chunk in pool:
        total = 0.0
        for name, weight, shares, keys in parts:
            if len(keys) == 1:
                share = float(chunk in keys[0].holders)
            else:
                share = sum(word.weight for word in keys if chunk in word.holders) / shares
            if share:
                total += weight * share**1.5
                if share > 0.6:
                    matches.found[chunk].append(name)
        matches.covered[chunk] = min(1.0, total / whole)
    return matches


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
    bm25, found = lexical(corpus, asked)
    vector = adapter.encode(question)
    pool = set(heapq.nlargest(POOL, bm25, key=lambda chunk: (bm25[chunk], -corpus.place[chunk])))
    if vector.norm:
        pool |= set(corpus.nearest(vector, POOL))
    cosines = corpus.cosines(vector, pool) if vector.norm else {}
    matches = coverage(asked, found, pool)
    best = max(cosines.values(), default=0.0)
    floors, wide = adapter.floors, is_cjk(question)
    floor, cover = (floors.absolute_cjk, floors.cover_cjk) if wide else (floors.absolute, floors.cover)
    near = max(floor, floors.relative * best)
    kept = [c for c in pool if _answers(matches.covered.get(c, 0.0), cosines.get(c, 0.0), near, cover, adapter)]
    if not kept:
        return []
    weight = SEMANTIC.get(adapter.name, 1.0)
    words_z = standard({chunk: bm25.get(chunk, 0.0) for chunk in pool})
    vectors_z = standard({chunk: cosines.get(chunk, 0.0) for chunk in pool})
    if not any(words_z.values()) and not any(vectors_z.values()):  # one passage, or all alike: each is the best
        words_z = dict.fromkeys(pool, 1.0) if bm25 else words_z
        vectors_z = vectors_z if bm25 else dict.fromkeys(pool, 1.0)
    span = LEXICAL * max(words_z.values()) + weight * max(vectors_z.values())
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
    scored.sort(key=lambda row: (-row.score, corpus.place[row.chunk]))
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
