"""search: where is this? The lookup fast path, then a ranker.

Knows how a compiled query is answered: directives by an indexed lookup, the
rest by the `classic` or the `hybrid` ranker, less what the query leaves
out. Knows nothing of how each ranker scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..graph.globs import matches
from ..graph.model import encode_path
from ..store.index import Index, Node
from . import tables
from .model import Answer, Reason, Result
from .query import LOOKUPS, Query, compile_query
from .words import stems_of

RANKERS = ("hybrid", "classic")
_PATTERN = re.compile(r"[/*.]")  # what is left out is a path, not a word
Keep = Callable[[Node], bool]
Named = dict[int, str]  # id → path, in path order
Limit = tuple[str, int]  # "since" or "before", and a unix time
ResolveTime = Callable[[str], "int | None"]  # a date or revision name → unix time


def search(
    index: Index, text: str, *, limit: int = 20, ranker: str = "hybrid", persona: str = tables.DEFAULT_PERSONA,
    resolve_time: ResolveTime | None = None, meaning: bool = True,
) -> Answer:  # fmt: skip
    """Answer free text. Never raises for what the text says. `meaning`: use the embedding."""
    query = compile_query(text, persona)
    limits, notes = _limits(index, query, resolve_time)
    named, keep = _named(index, query.directives), _filter(index, query, limits)
    answer = _lookup(index, query, named, keep, limit)
    if answer is not None:
        return answer._replace(notes=notes)
    keep = _both(named, keep)
    if query.wildcard:
        answer = _wildcard(index, query, keep, limit)
    elif ranker == "classic":
        from . import classic

        answer = classic.rank(index, query, keep, limit)
    else:
        from . import hybrid

        answer = hybrid.rank(index, query, keep, limit, meaning)
    return answer._replace(notes=(*notes, *answer.notes))


def _lookup(index: Index, query: Query, named: Named | None, keep: Keep | None, limit: int) -> Answer | None:
    """What is named outright, by directives or as a path; None: that is not all that is asked."""
    if named is not None and not query.words and not query.recent:
        ids, why = list(named), " ".join(f"{name}:{value}" for name, value in query.directives if name in LOOKUPS)
        nodes = index.nodes(ids if keep else ids[:limit])
        kept = [nodes[node] for node in ids if keep(nodes[node])] if keep else list(nodes.values())
        total = len(kept) if keep else len(ids)
    else:
        bare, why = query.raw.strip().removeprefix("./"), "the path itself"
        node = index.node(bare) or index.node(bare.rpartition("#")[0]) if bare else None
        if node is None:
            return None
        kept, total = [node], 1
    reasons = (Reason("lookup", why, 1.0),)
    results = (Result(n.path, 1.0, kind=n.role, source="lookup", commit=index.commit, reasons=reasons) for n in kept)
    return Answer(tuple(results)[:limit], total, query)


def _named(index: Index, directives: Iterable[tuple[str, str]]) -> Named | None:
    """The artifacts that the directives for paths name together; None where there are none."""
    found: Named | None = None
    for name, values in _alternatives(directives).items():
        if name in LOOKUPS:
            hits = dict(hit for value in values for hit in _lookup_one(index, name, value))
            found = {node: path for node, path in (hits if found is None else found).items() if node in hits}
    return found if found is None else dict(sorted(found.items(), key=lambda hit: encode_path(hit[1])))


def _alternatives(directives: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Directive → its values, any of which will do."""
    found: dict[str, list[str]] = {}
    for name, value in directives:
        found.setdefault(name, []).append(value)
    return found


def _lookup_one(index: Index, name: str, value: str) -> list[tuple[int, str]]:
    """The artifacts that a directive names."""
    value = value.removeprefix("./")
    if name == "prefix":
        return index.under(value)
    if any(c in value for c in "*?"):
        return [(node, path) for node, path in index.paths() if matches(value, path)]
    node = index.node(value) if name == "path" or "/" in value else None
    if node is not None:
        return [(node.id, node.path)]
    tail = "/" + value.strip("/")
    return [hit for hit in index.named(value.rpartition("/")[2]) if f"/{hit[1]}".endswith(tail)]


def _limits(index: Index, query: Query, resolve_time: ResolveTime | None) -> tuple[list[Limit], tuple[str, ...]]:
    """(the limits in time, a note for each that means no time)."""
    found, notes = [], []
    for when in query.when:
        time = index.time - when.days * tables.DAY if when.days else resolve_time(when.at) if resolve_time else None
        if time is None:
            notes.append(f"{when.at} is no date, and no commit is named so: passed over")
        else:
            found.append((when.side, time))
    return found, tuple(notes)


def _filter(index: Index, query: Query, limits: list[Limit]) -> Keep | None:
    """What every result must pass beside what is named; None: nothing."""
    patterns = [word.lower() for word in query.excluded if _PATTERN.search(word)]
    words = [row for word in query.excluded if not _PATTERN.search(word) and (row := _row(word)).strip()]
    denied = _named(index, query.denied) or {}
    barred = [(name, value.lower()) for name, value in query.denied if name not in LOOKUPS]
    filters = {name: values for name, values in _alternatives(query.directives).items() if name not in LOOKUPS}
    # Filters, when they consumed everything; else only a lean of the ranking.
    roles, types = (query.roles, query.types) if query.wildcard else ((), ())
    if not (query.excluded or query.denied or limits or roles or types or filters):
        return None

    def keep(node: Node) -> bool:
        if node.id in denied or any(_passes(node, name, value) for name, value in barred):
            return False
        if (patterns or words) and _left_out(node, patterns, words):
            return False
        last = index.activity.get(node.id, (0, 0))[0]
        if any((last < time) == (side == "since") for side, time in limits):
            return False
        if (roles or types) and node.role not in roles and node.tags.get("content_type") not in types:
            return False
        return all(any(_passes(node, name, value.lower()) for value in values) for name, values in filters.items())

    return keep


def _both(named: Named | None, keep: Keep | None) -> Keep | None:
    """Named, and kept."""
    if named is None:
        return keep
    return lambda node: node.id in named and (keep is None or keep(node))


def _left_out(node: Node, patterns: Iterable[str], words: Iterable[str]) -> bool:
    """Whether it has one of the words, each " in a row ", or its path matches one of the patterns."""
    path = node.path.lower()  # as the patterns are
    if any(matches(pattern.rstrip("/"), path) or path.endswith("/" + pattern) for pattern in patterns):
        return True
    inside, whole = _row(node.path), {_row(node.role), *map(_row, node.tags.values())}
    return any(row in inside or row in whole for row in words)


def _row(text: str) -> str:
    """The stems of a text in a row, a blank around each."""
    return f" {' '.join(stems_of(text))} "


def _passes(node: Node, name: str, value: str) -> bool:
    if name == "lang":
        return value in (node.language, node.tags.get("format", ""))
    if name == "domain":
        return node.tags.get("domain", "").lower() == value
    if name == "type":
        role, content_type = tables.TYPE_WORDS.get(value, (value, value))
        return node.role == role or (bool(content_type) and node.tags.get("content_type") == content_type)
    return value in (tag.lower() for tag in node.tags.values())


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
