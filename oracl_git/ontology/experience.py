"""Experience: what one agent learned, kept apart by agent and scope, and recalled by relevance.

Knows governance first: which rows exist at all for this agent, in these scopes, now.
Only those are read, and every one of them is scored; nothing is scored that may not
be seen. Recall writes nothing.
"""

from __future__ import annotations

import heapq
import itertools
import json
import os
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from operator import mul
from typing import Any

from ..errors import UsageError
from . import clock, evidence, store
from .chunking import estimate
from .embedding import Adapter, Vector, sketch
from .memory import checksum_of, insert, row_values
from .model import DEFAULT_SCOPES, EXPERIENCE, RECALLABLE, SCOPES, SIMILAR, SUPERSEDES, Memory
from .policy import runtime_home
from .search import standard
from .store import Connection
from .words import Term, is_cjk, terms

# -- parameters ---------------------------------------------------------------------------------
RELEVANCE, SALIENCE = 0.85, 0.15
BUDGET = 2_000  # tokens of memory that an answer may hold
SIMILAR_FLOOR, SIMILAR_MOST = 0.80, 5
K1, B = 1.2, 0.6
SEMANTIC = {"hash-96": 0.15}  # weight of the standard cosine beside that of the words; a real table has 1
COVER = 0.12  # share of a question, in information, that makes a memory relevant by its words
# A turn of a conversation says little by itself: it counts sooner, and the ranking decides.
TURN_COVER, TURN_NEAR = 0.05, 0.30
NEIGHBOUR = 0.3  # how much of what the turn before or after says counts for a turn of a conversation
_TURN = re.compile(r"(?:\[[^\]\n]{1,60}\]\s*|\([^)\n]{1,60}\)\s*)?[^\W\d_][\w .'’-]{0,40}:\s")
_ORDINAL = re.compile(r"(.*?)(\d+)$")
_NORM = re.compile(r"[^a-z0-9]+")


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


def database_of(agent: str) -> str:
    """Where the experience of a Hub agent is kept on this machine."""
    slug = _NORM.sub("-", agent.lower()).strip("-")
    if not slug:
        raise UsageError(f"{agent!r} names no agent", "--agent hub:release-writer")
    # Two agents that read alike must not share a file.
    slug = slug if slug == agent.replace(":", "-") else f"{slug}-{checksum_of(agent)[:8]}"
    return os.path.join(runtime_home(), "networking", "hub-agents", slug, "memory", "experience.sqlite")


# -- learning -----------------------------------------------------------------------------------


def ingest(
    db: Connection, adapter: Adapter, agent: str, memories: Iterable[dict[str, Any]]
) -> tuple[int, int, int, list[str]]:
    """Project memories of an agent; (new, changed, unchanged, names). Idempotent by the owner's id, else by content."""
    if not agent:
        raise UsageError("whose experience is it?", "--agent NAME")
    new = changed = same = 0
    refs = []
    nearby: dict[str, Neighbours] = {}
    with store.transaction(db):
        for memory in memories:
            what, ref = _one(db, adapter, agent, memory, nearby)
            new, changed, same = new + (what == "new"), changed + (what == "changed"), same + (what == "same")
            refs.append(ref)
    return new, changed, same, refs


def _one(
    db: Connection, adapter: Adapter, agent: str, memory: dict[str, Any], nearby: dict[str, Neighbours]
) -> tuple[str, str]:
    text = str(memory.get("text") or "").replace("\0", " ").encode("utf-8", "replace").decode().strip()
    scope, owner_id = str(memory.get("scope") or "internal"), str(memory.get("source_memory_id") or "")
    salience = float(memory.get("salience", 0.5))
    tags = tuple(str(tag) for tag in memory.get("tags") or ())
    if not text or scope not in SCOPES or not 0 <= salience <= 1:
        raise UsageError(
            "a memory needs a text, a known scope, and a salience from 0 to 1",
            "git oracl ontology experience ingest -h",
        )
    at = str(memory.get("created_at") or clock.now())
    expires = clock.given(str(memory.get("expires") or memory.get("expires_at") or ""))
    kind = str(memory.get("kind") or "experience")[:40]
    checksum = checksum_of(EXPERIENCE, agent, text, scope, owner_id)
    ref = "exp_" + checksum_of(EXPERIENCE, agent, owner_id or text, "" if owner_id else scope)[:12]
    held = db.execute(
        "SELECT id, checksum, status, salience, tags, expires_at FROM memory_candidates WHERE ref=?", (ref,)
    ).fetchone()
    labels = json.dumps(tags)
    if held and (held[1], held[3], held[4], held[5]) == (checksum, salience, labels, expires):
        return "same", ref
    values = row_values(text, tags, adapter)
    if held:
        sets = {
            "text": text,
            "tags": labels,
            "salience": salience,
            "scope": scope,
            "suggested_scope": scope,
            "checksum": checksum,
            "updated_at": clock.now(),
            "expires_at": expires,
            "memory_kind": kind,
            **values,
        }
        db.execute(
            f"UPDATE memory_candidates SET {', '.join(f'{name}=?' for name in sets)} WHERE id=?",
            (*sets.values(), held[0]),
        )
        db.execute(
            "DELETE FROM memory_links WHERE (source=? OR target=?) AND relation='similar_to'", (held[0], held[0])
        )
        # What a curator linked in one scope says nothing in another, and the file holds no such link.
        db.execute(
            "DELETE FROM memory_links WHERE (source=:n OR target=:n) AND NOT EXISTS(SELECT 1 FROM memory_candidates a"
            " JOIN memory_candidates b ON a.scope=b.scope WHERE a.id=source AND b.id=target)",
            {"n": held[0]},
        )
        number, what = int(held[0]), "changed"
        if held[2] in ("superseded", "expired") and expires > clock.now():
            evidence.record(db, number, "create", held[2], "active", "its owner changed it", agent)
    else:
        number = insert(
            db,
            ref=ref,
            type=EXPERIENCE,
            agent=agent,
            memory_kind=kind,
            text=text,
            payload="{}",
            tags=labels,
            salience=salience,
            scope=scope,
            suggested_scope=scope,
            status="active",
            reason="projected from its owner",
            confidence=1.0,
            risk="low",
            source_refs="[]",
            source_memory_id=owner_id,
            checksum=checksum,
            created_at=at,
            updated_at=clock.now(),
            expires_at=expires,
            **values,
        )
        what = "new"
    near = nearby.get(scope) or nearby.setdefault(scope, Neighbours(db, agent, scope, adapter))
    near.link(number, Vector(values["vector"], values["norm"]))
    return what, ref


class Neighbours:
    """The memories of one agent and scope, to find the like of a new one."""

    def __init__(self, db: Connection, agent: str, scope: str, adapter: Adapter) -> None:
        self.db = db
        marks = ",".join("?" * len(RECALLABLE))
        rows = db.execute(
            f"SELECT id, sketch FROM memory_candidates WHERE agent=? AND scope=? AND type=? AND status IN ({marks})"
            " AND embedding_adapter=?",
            (agent, scope, EXPERIENCE, *RECALLABLE, adapter.name),
        )
        self.sketches = {number: int.from_bytes(bits or b"", "big") for number, bits in rows}

    def link(self, number: int, vector: Vector) -> None:
        """Write `similar_to` from a memory to its like, by cosine alone."""
        if not vector.norm:
            return
        own = int.from_bytes(sketch(vector), "big")
        most = len(vector.data) * 0.35
        self.sketches.pop(number, None)
        near = [(apart, other) for other, bits in self.sketches.items() if (apart := (own ^ bits).bit_count()) <= most]
        found = []
        for _, other in heapq.nsmallest(50, near):
            data, norm = self.db.execute("SELECT vector, norm FROM memory_candidates WHERE id=?", (other,)).fetchone()
            cosine = vector.cosine(Vector(data, norm))
            if cosine >= SIMILAR_FLOOR:
                found.append((min(1.0, cosine), other))
        for cosine, other in heapq.nlargest(SIMILAR_MOST, found):
            self.db.execute(
                "INSERT OR REPLACE INTO memory_links VALUES(?,?,?,?,?,?)",
                (number, other, SIMILAR, cosine, "runtime", clock.now()),
            )
        self.sketches[number] = own


# -- governance ---------------------------------------------------------------------------------


def eligible(db: Connection, agent: str, scopes: Iterable[str]) -> list[Row]:
    """Every memory that may be seen: this very agent's, in these scopes, active, unexpired, not superseded.

    A supersession counts when the row that supersedes is itself of that agent and scope, active and unexpired.
    """
    allowed = tuple(scope for scope in scopes if scope in SCOPES)
    now = clock.now()
    good = ",".join(repr(status) for status in RECALLABLE)
    rows = db.execute(
        "SELECT id, ref, text, words, tags, salience, scope, memory_kind, source_memory_id, created_at, vector, norm,"
        " embedding_adapter FROM memory_candidates m WHERE type=? AND agent=? AND scope IN"
        f" ({','.join('?' * len(allowed))})"
        f" AND status IN ({good}) AND expires_at > ? AND NOT EXISTS(SELECT 1 FROM memory_links l"
        f" JOIN memory_candidates n ON n.id=l.source WHERE l.target=m.id AND l.relation='{SUPERSEDES}' AND"
        " n.agent=m.agent"
        f" AND n.scope=m.scope AND n.status IN ({good}) AND n.expires_at > ?) ORDER BY id",
        (EXPERIENCE, agent, *allowed, now, now),
    )
    return [Row(*(*row[:10], Vector(row[10], row[11]), row[12])) for row in rows]


# -- recall -------------------------------------------------------------------------------------


def recall(
    db: Connection,
    adapter: Adapter,
    question: str,
    agent: str,
    *,
    scopes: Iterable[str] = DEFAULT_SCOPES,
    budget: int = BUDGET,
    limit: int = 0,
) -> list[Memory]:
    """The memories that bear on a question, best first: all of them if they fit the budget, else as many as do."""
    rows = eligible(db, agent, scopes)
    ranked = rank(rows, adapter, question)
    chosen = select(ranked, budget)[: limit or None]
    return [_told(db, row, scores, {r.id for r in rows}) for row, scores in chosen]


@dataclass(frozen=True)
class Scores:
    """A memory's score and what it is made of."""

    total: float
    relevance: float
    words: float  # share of the relevance
    meaning: float
    cosine: float
    matched: tuple[str, ...]


def rank(rows: Sequence[Row], adapter: Adapter, question: str) -> list[tuple[Row, Scores]]:
    """Score every row; those that are relevant by words or by meaning, best first."""
    asked = terms(question)
    if not rows or not asked:
        return []
    bm25, covered, matched = _lexical(rows, asked)
    cosines = _cosines(rows, adapter, question)
    weight = SEMANTIC.get(adapter.name, 1.0)
    first = standard(dict(enumerate(bm25)))
    second = standard(dict(enumerate(cosines)))
    fused = [first[i] + weight * second[i] for i in range(len(rows))]
    least, most = min(fused), max(fused)
    floor = adapter.floors.absolute_cjk if is_cjk(question) else adapter.floors.absolute
    near = max(floor, adapter.floors.relative * max(cosines))
    found = []
    for place, row in enumerate(rows):
        turn = _is_turn(row)
        if covered[place] < (TURN_COVER if turn else COVER) and cosines[place] < (
            min(near, TURN_NEAR) if turn and adapter.joint else near
        ):
            continue
        relevance = (fused[place] - least) / (most - least) if most > least else 1.0
        total = RELEVANCE * relevance + SALIENCE * row.salience
        both = first[place] + weight * second[place]
        words = relevance * first[place] / both if both else relevance
        found.append((row, Scores(total, relevance, words, relevance - words, cosines[place], matched[place])))
    found.sort(key=lambda pair: (-pair[1].total, pair[0].id))
    return found


def _lexical(rows: Sequence[Row], asked: list[Term]) -> tuple[list[float], list[float], list[tuple[str, ...]]]:
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
    for place, other in _pairs(rows):
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


def _is_turn(row: Row) -> bool:
    """Whether a memory is something that was said in a conversation."""
    return row.kind in ("turn", "conversation", "message") or _TURN.match(row.text) is not None


def _pairs(rows: Sequence[Row]) -> Iterable[tuple[int, int]]:
    """(turn, turn beside it) of the conversations among the rows, both ways."""
    turns: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, row in enumerate(rows):
        if _is_turn(row):
            match = _ORDINAL.match(row.source_memory_id)
            turns[match[1] if match else ""].append((int(match[2][:12]) if match else row.id, place))
    for each in turns.values():
        each.sort()
        for (before, first), (after, second) in itertools.pairwise(each):
            if after - before <= 2:
                yield first, second
                yield second, first


def _cosines(rows: Sequence[Row], adapter: Adapter, question: str) -> list[float]:
    vector = adapter.encode(question)
    goal = array("b", vector.data)
    found = []
    for row in rows:
        other = row.vector if row.adapter == adapter.name else adapter.encode(row.text)
        norm = vector.norm * other.norm
        found.append(sum(map(mul, goal, array("b", other.data))) / norm if norm else 0.0)
    return found


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


def _told(db: Connection, row: Row, scores: Scores, seen: set[int]) -> Memory:
    reasons = [
        (
            "words",
            f"says {', '.join(scores.matched[:6])}" if scores.matched else "said beside it",
            RELEVANCE * scores.words,
        ),
        ("meaning", f"cosine {scores.cosine:.2f}", RELEVANCE * scores.meaning),
        ("salience", f"salience {row.salience:.2f}", SALIENCE * row.salience),
    ]
    linked = db.execute(
        "SELECT l.relation, m.ref, m.id FROM memory_links l JOIN memory_candidates m ON m.id=l.target WHERE l.source=?"
        " ORDER BY l.score DESC, m.ref",
        (row.id,),
    )
    return Memory(
        row.ref,
        row.text,
        scores.total,
        scores.relevance,
        row.salience,
        row.scope,
        row.kind,
        tuple(json.loads(row.tags)),
        row.source_memory_id,
        row.created_at,
        tuple(reason for reason in reasons if reason[2]),
        tuple((relation, ref) for relation, ref, number in linked if number in seen),
    )
