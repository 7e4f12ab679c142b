"""search: where is this? The lookup fast path, then a ranker.

Knows how a compiled query is answered: directives by an indexed lookup, the
rest by the `classic` or the `hybrid` ranker, filtered by what the query leaves
out. Knows nothing of how each ranker scores.
"""

from __future__ import annotations

from collections.abc import Callable

from ..graph.globs import matches
from ..store.index import Index, Node
from . import tables
from .model import Answer, Reason, Result
from .query import LOOKUPS, Query, When, compile_query
from .words import light_stem, path_parts

RANKERS = ("hybrid", "classic")
_POOL = 5_000
Keep = Callable[[Node], bool]
ResolveTime = Callable[[str], "int | None"]  # a date or revision name → unix time


def search(
    index: Index, text: str, *, limit: int = 20, ranker: str = "hybrid", persona: str = tables.DEFAULT_PERSONA,
    resolve_time: ResolveTime | None = None, meaning: bool = True,
) -> Answer:  # fmt: skip
    """Answer free text. Never raises for what the text says. `meaning`: use the embedding."""
    query = compile_query(text, persona)
    keep = _filter(index, query, resolve_time)
    try:
        found = _lookup(index, query)
    except (ValueError, KeyError, LookupError):  # fail open: the ranker is the truth
        found = []
    if found:
        results = [
            Result(
                path, 1.0, kind=node.role, source="lookup", commit=index.commit, reasons=(Reason("lookup", why, 1.0),)
            )
            for node, path, why in found
            if keep is None or keep(node)
        ]
        if results:
            return Answer(tuple(results[:limit]), len(results), query)
    if query.wildcard:
        return _wildcard(index, query, keep, limit)
    if ranker == "classic":
        from . import classic

        ranked, notes = classic.rank(index, query, keep, limit)
    else:
        from . import hybrid

        ranked, notes = hybrid.rank(index, query, keep, limit, meaning)
    return Answer(tuple(ranked.results), ranked.total, query, notes)


def _lookup(index: Index, query: Query) -> list[tuple[Node, str, str]]:
    wanted = [(name, value) for name, value in query.directives if name in LOOKUPS and value]
    hits: list[tuple[int, str]] = []
    why = ""
    if wanted and not query.words:
        name, value = wanted[0]
        why = f"{name}:{value}"
        hits = _lookup_one(index, name, value, _POOL if len(wanted) == 1 else -1)
        for other, more in wanted[1:]:
            also = {node for node, _ in _lookup_one(index, other, more)}
            hits = [hit for hit in hits if hit[0] in also]
    elif not query.directives and query.raw.strip() and not any(c in query.raw for c in "\n\0"):
        bare = query.raw.strip().removeprefix("./")
        node = index.node(bare) if bare else None
        if node is None and "#" in bare:
            node = index.node(bare.rpartition("#")[0])
        hits, why = ([(node.id, node.path)], "the path itself") if node else ([], "")
    nodes = index.nodes(node for node, _ in hits)
    return [(nodes[node], path, why) for node, path in hits]


def _lookup_one(index: Index, name: str, value: str, limit: int = -1) -> list[tuple[int, str]]:
    """The artifacts that a directive names; at most `limit` of them, unless it is below 0."""
    value = value.removeprefix("./")
    if name == "prefix":
        return index.under(value, limit)
    if name in ("file", "filename") and "/" not in value and not any(c in value for c in "*?"):
        return index.named(value, limit)
    if any(c in value for c in "*?"):
        return [(node, path) for node, path in index.paths() if matches(value, path)]
    node = index.node(value)
    if node:
        return [(node.id, node.path)]
    tail = "/" + value.strip("/")
    return [(n, p) for n, p in index.named(value.rpartition("/")[2], limit) if p.endswith(tail)]


def _filter(index: Index, query: Query, resolve_time: ResolveTime | None) -> Keep | None:
    """What every result must pass, the fast path's too; None: nothing."""
    stems = [light_stem(word) for word in query.excluded]
    limits = [(limit.side, time) for limit in query.when if (time := _time(index, limit, resolve_time)) is not None]
    filters = [(name, value.lower()) for name, value in query.directives if name not in LOOKUPS]
    lookups = [(name, value) for name, value in query.directives if name in LOOKUPS]
    allowed: set[int] | None = None
    if lookups:
        allowed = {node for name, value in lookups for node, _ in _lookup_one(index, name, value)}
    # Filters, when they consumed everything; else only a lean of the ranking.
    roles, types = (query.roles, query.types) if query.wildcard else ((), ())
    if allowed is None and not (query.excluded or limits or roles or types or filters):
        return None

    def keep(node: Node) -> bool:
        if allowed is not None and node.id not in allowed:
            return False
        for word, stem in zip(query.excluded, stems, strict=True):
            if _excluded(node, word, stem):
                return False
        for side, time in limits:
            last = index.activity.get(node.id, (0, 0))[0]
            if (last < time) == (side == "since"):
                return False
        if (roles or types) and node.role not in roles and node.tags.get("content_type") not in types:
            return False
        return all(_passes(node, name, value) for name, value in filters)

    return keep


def _excluded(node: Node, word: str, stem: str) -> bool:
    if "/" in word or "*" in word or "." in word:
        path = node.path.lower()  # as the word is
        return matches(word.rstrip("/"), path) or path.endswith("/" + word)
    parts = path_parts(node.path)
    if stem in parts or light_stem(node.role) == stem:
        return True
    return any(light_stem(value.lower()) == stem for value in node.tags.values())


def _passes(node: Node, name: str, value: str) -> bool:
    if name == "lang":
        return value in (node.language, node.tags.get("format", ""))
    if name == "domain":
        return node.tags.get("domain", "").lower() == value
    if name == "type":
        role, content_type = tables.TYPE_WORDS.get(value, (value, value))
        return node.role == role or (bool(content_type) and node.tags.get("content_type") == content_type)
    return value in (tag.lower() for tag in node.tags.values())


def _time(index: Index, limit: When, resolve_time: ResolveTime | None) -> int | None:
    if limit.days:
        return index.time - limit.days * tables.DAY
    return resolve_time(limit.at) if resolve_time else None


def _wildcard(index: Index, query: Query, keep: Keep | None, limit: int) -> Answer:
    """Nothing but filters: by recency when asked for, else by priority."""
    activity = index.activity
    rows = []
    for node in index.all_nodes():
        if node.kind != 0 or not (keep is None or keep(node)):
            continue
        last = activity.get(node.id, (0, 0))[0]
        first = last if query.recent else index.priority(node)[1]
        rows.append((-first, node.path, node))
    rows.sort(key=lambda row: row[:2])
    top = max((-rows[0][0], 1)) if rows else 1
    why = "recency" if query.recent else "priority"
    results = tuple(
        Result(
            path, max(0.0, -value / top), kind=node.role, source="filter", commit=index.commit,
            reasons=(Reason(why, "matches the filters", max(0.0, -value / top)),),
        )
        for value, path, node in rows[:limit]
    )  # fmt: skip
    return Answer(results, len(rows), query)
