"""`query_knowledge_graph`: a concept, a node or its neighbours, asked in one way and answered in one form.

Knows how a question that carries a `:` names a node of the graph, and which use case of the
service answers which kind. Ranks nothing itself, and gives names only: paths and fragments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .. import telemetry
from ..errors import UnknownPath, UsageError
from ..graph.model import CONSTRAINT, CONSTRAINT_PREFIX, HUB, HUB_PREFIX, fragment
from ..graph.parameters import QUERY_NEIGHBOUR_GUARD
from ..recall.model import Answer, Reason, Result, Step
from ..recall.related import say_link
from ..service import Oracl
from ..store.index import Node

AUTO, CONCEPT, NODE, NEIGHBOURS = KINDS = ("auto", "concept", "node", "neighbours")
_NAMED = re.compile(r"(?:file|filename|path|artifact):(?=\S)")  # before a path, as `search` has it
_DOMAIN = re.compile(r"(?:hub:)?domain:(\S+)")
_AT = re.compile(r"(.+?):(\d{1,9})(?:[-:]\d{1,9})*")  # path:line, as compilers and grep write it
_ADDRESSES = (HUB_PREFIX, CONSTRAINT_PREFIX)  # nothing but the graph has such names
_LONGEST = 1_000  # characters of a name
_NAMESAKES = 100


class Retrieved(NamedTuple):
    """The best paths and fragments, best first."""

    kind: str  # concept, node or neighbours: what the question was taken for
    node: str  # which one; "" for a concept
    answer: Answer


def query_knowledge_graph(
    oracl: Oracl, query: str, kind: str = AUTO, k: int = 10, *, depth: int = 1, direction: str = "both"
) -> Retrieved:
    """The answer. `auto`: a node where the query carries a `:` and names one, else a concept. Raises UnknownPath."""
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind[:40]!r} of question", f"one of: {' '.join(KINDS)}")
    if direction not in ("in", "out", "both"):
        raise UsageError(f"there is no direction {direction[:40]!r}", "one of: in out both")
    if not query.strip():
        raise UsageError("nothing was asked", 'git oracl session ask "where is …"')
    query = query.strip()
    oracl.fresh()
    if kind == AUTO:
        kind = CONCEPT
        try:
            if query.startswith(_ADDRESSES) or (":" in query and find(oracl, query)):
                kind = NODE
        except UnknownPath as error:  # of a file that is there
            oracl.notes.append(f"{error.message}: taken for a concept")
    return _asked(oracl, query, kind, k, depth, direction)


def _asked(oracl: Oracl, query: str, kind: str, k: int, depth: int, direction: str) -> Retrieved:
    if kind == CONCEPT:
        return Retrieved(CONCEPT, "", oracl.search(query, limit=k))
    found = _of_node(oracl, query, kind, k, depth, direction)
    if oracl.log and telemetry.enabled(oracl.settings):
        rows = [(result.path, result.focus) for result in found.answer.results]
        telemetry.record(
            oracl.repo.git_dir, kind, query, (), rows, named=oracl.session, total=found.answer.total
        )
    return found


def _of_node(oracl: Oracl, query: str, kind: str, k: int, depth: int, direction: str) -> Retrieved:
    domain = _DOMAIN.fullmatch(query)
    place = HUB_PREFIX + domain[1] if domain else find(oracl, query) or _NAMED.sub("", query, count=1)
    if place.startswith(HUB_PREFIX):  # what it is, is what belongs to it
        return Retrieved(kind, place, oracl.hub(place.removeprefix(HUB_PREFIX), limit=k))
    if place.startswith(CONSTRAINT_PREFIX):
        return Retrieved(kind, place, _governed(oracl, place, k))
    node, start, end = oracl.resolve(place)  # with its own words for what it cannot find
    if kind == NODE:
        return Retrieved(kind, node.path, _node(oracl, node, start, end, k))
    return Retrieved(kind, node.path, _neighbours(oracl, node.path, k, depth, direction))


def find(oracl: Oracl, query: str) -> str:
    """What a node that a query names is called: hub:domain:…, constraint:…, or a file or lines; "" for none.

    Raises UnknownPath where the file is there, and what is named in it is not.
    """
    index = oracl.index
    missing: UnknownPath | None = None
    if len(query) > _LONGEST or "\n" in query:
        return ""
    if match := _DOMAIN.fullmatch(query):
        return HUB_PREFIX + match[1] if index.node(HUB_PREFIX + match[1], HUB) else ""
    if query.startswith(CONSTRAINT_PREFIX):
        return query if index.node(query, CONSTRAINT) else ""
    for name in _written(query):
        for place in (name, name.rpartition("#")[0]):
            if any(index.node(path) or index.called_now(path) for path in oracl.repository_paths(place)):
                try:
                    oracl.resolve(name)
                except UnknownPath as error:
                    missing = missing or error
                    break
                return name
    key = query.split(":", 2)  # domain:component:path, as edges are addressed
    node = index.node(key[2]) if len(key) == 3 else None
    if node and (node.tags.get("domain"), node.tags.get("component")) == (key[0], key[1]):
        return f":/{node.path}"
    if missing:
        raise missing
    return _alone(oracl, query) if _NAMED.match(query) else ""


def _alone(oracl: Oracl, query: str) -> str:
    """The one file of a name, or whose path ends so."""
    path = _NAMED.sub("", query, count=1)
    named = oracl.index.named(path.rpartition("/")[2], _NAMESAKES)
    found = [full for _, full in named if f"/{full}".endswith(f"/{path}")]
    return f":/{found[0]}" if len(found) == 1 else ""


def _written(query: str) -> Iterator[str]:
    """What `resolve` may know the name as: as it is, without a qualifier, with lines or a name inside."""
    yield query
    path = _NAMED.sub("", query, count=1)
    if path != query:
        yield path
    if match := _AT.fullmatch(path):
        yield f"{match[1]}#L{match[2]}"
    head, colon, inside = path.partition("::")  # path::Class::test, as pytest writes it
    if not colon:
        head, colon, inside = path.rpartition(":")
    if head and inside:
        yield f"{head}#{inside.replace('::', '.')}"
        yield f"{head}#{inside.rpartition('::')[2]}"


def _node(oracl: Oracl, node: Node, start: int, end: int, k: int) -> Answer:
    """The node itself, and the neighbours that its edges tie it to most."""
    rows = oracl.associations(f":/{node.path}", QUERY_NEIGHBOUR_GUARD)  # hubs are nodes among them
    total, rows = len(rows) + 1, rows[: k - 1]
    lines, title = fragment(start or 1, end or max(node.lines, 1)), ""
    focus = lines
    if start:  # what these lines are in
        around = [d for d in oracl.index.definitions(node.id) if d[1] <= start and end <= d[2]]
        if around:
            title, first, last, _ = min(around, key=lambda d: (d[2] - d[1], d[1]))
            lines = fragment(first, last)
    itself = Reason("node", f"in {title}" if title else "what was asked for", 1.0)
    results = [Result(node.path, 1.0, lines, focus, title, node.role, NODE, (itself,), oracl.index.commit)]
    roles = {other.path: other.role for other in oracl.index.nodes({i for _, e in rows for i in e[:2]}).values()}
    for path, link in rows:
        share = oracl.index.normalised(link.rank) / 1e6
        outgoing = link.source == node.id
        where = "" if outgoing else link.source_fragment
        reason = Reason("edge", say_link(link, outgoing), share)
        results.append(
            Result(path, share, where, where, link.target_fragment.lstrip("#"), roles.get(path, ""), NODE, (reason,),
                   oracl.index.commit)
        )  # fmt: skip
    return Answer(tuple(results), total)


def _governed(oracl: Oracl, place: str, k: int) -> Answer:
    """The files that a constraint governs."""
    index = oracl.index
    rule = index.node(place, CONSTRAINT)
    if rule is None:
        name = place.removeprefix(CONSTRAINT_PREFIX)[:80]
        raise UnknownPath(f"there is no constraint {name!r}", "git show HEAD:.agentlas/constraints.toml")
    ids = {end for way in ("out", "in") for link in index.links(rule.id, way) for end in link[:2]} - {rule.id}
    nodes = sorted(index.nodes(ids).values(), key=lambda node: node.path)
    reason = Reason("constraint", f"governed by {rule.path}", 1.0)
    results = [Result(n.path, 1.0, kind=n.role, source=NODE, reasons=(reason,), commit=index.commit) for n in nodes]
    return Answer(tuple(results[:k]), len(results))


def _neighbours(oracl: Oracl, path: str, k: int, depth: int, direction: str) -> Answer:
    """What is reached along the edges, the nearest first, and of equals by rank."""
    results: dict[str, Result] = {}
    level, distance = [oracl.trace(f":/{path}", direction=direction, depth=depth)], 1
    while level:
        for parent in level:
            for step in parent.children:
                if step.path != path and step.path not in results:
                    results[step.path] = _reached(oracl, parent, step, distance)
        level, distance = [step for parent in level for step in parent.children], distance + 1
    kinds = {path: node.role for path in list(results)[:k] if (node := oracl.index.node(path))}
    best = [result._replace(kind=kinds.get(result.path, "")) for result in list(results.values())[:k]]
    return Answer(tuple(best), len(results))


def _reached(oracl: Oracl, parent: Step, step: Step, distance: int) -> Result:
    relation = step.relation.replace("_", " ")
    told = f"{parent.path} {relation} it" if step.away else f"{relation} {parent.path}"
    reason = Reason("edge", told, 1 / distance)
    return Result(
        step.path, 1 / distance, step.fragment, step.fragment, step.symbol, "", NEIGHBOURS, (reason,),
        oracl.index.commit,
    )  # fmt: skip
