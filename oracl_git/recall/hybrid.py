"""The `hybrid` ranker: several signals, each scaled to its best (meaning: to a fixed likeness), added up.

Knows each signal and the one table of weights (`tables.SEARCH`). A result's
reasons are exactly the terms of its score. Knows nothing of the graph's making.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..extract import split_identifiers
from ..graph.model import fragment
from ..graph.tags import split_name
from ..store.index import Index, Node, Span
from . import semantic, tables
from .lines import grown, stems
from .model import Answer, Reason, Result
from .query import Query
from .words import any_of, split_words

if TYPE_CHECKING:
    from .faults import Fault

Scores = dict[int, float]
_FILLED_IN = re.compile(r"""(?<!\w)(['"`])(?:(?!\1).){0,80}\1(?!\w)|\b\d+\b|[/\\]\S+""")  # the blanks of a message


class Signals:
    """The raw value of each signal for each candidate, and what explains it."""

    def __init__(self) -> None:
        self.values: dict[str, Scores] = {}
        self.spans: dict[int, Span] = {}  # the best passage
        self.passages: dict[int, list[Span]] = {}  # all that match, best first
        self.named: dict[int, Span] = {}  # the definition that the question names
        self.words: frozenset[str] = frozenset()  # of the question, their stems
        self.commits: dict[int, int] = {}  # node → how many matching commits touched it
        self.exact: dict[int, str] = {}
        self.faults: dict[int, Fault] = {}
        self.alike: dict[int, Span] = {}  # node → its passage nearest in meaning; `score` is the cosine
        self.said: dict[int, Span] = {}  # where the words of an error message stand in a row
        self.asked: dict[int, str] = {}  # node → the question it was opened for
        self.notes: list[str] = []

    def place(self, index: Index, node: int) -> Span | None:
        """The lines of a result to look at: the fault, the definition that is named, else the best passage."""
        fault = self.faults.get(node)
        if fault and fault.span:
            return fault.span
        lines = self.said.get(node) or self.named.get(node)
        return lines or grown(index, self.passages.get(node, []), self.words) or self.spans.get(node)


def expression(query: Query) -> str:
    """The full-text expression of a question's words, names and phrases; "" when it has none."""
    words = [w for w in split_words(query.text) if w not in tables.STOP_WORDS] or split_words(query.text)
    return any_of([*words[: tables.WORDS], *query.phrases, *query.identifiers])


def signals(index: Index, query: Query, meaning: bool = True) -> Signals:
    """Collect every signal for the question; without meaning unless `meaning`."""
    found = Signals()
    asked = expression(query)
    if asked:
        _text(index, asked, found)
        _history(index, asked, found)
    _exact(index, query, found)
    found.words = stems(query.text)
    _message(index, query, found)
    _asked(index, found)
    if query.frames:
        from .faults import faults

        found.faults = faults(index, query.frames)
    found.values["trace"] = {node: fault.value for node, fault in found.faults.items()}
    if meaning and not found.faults:
        _meaning(index, query, found)
    return found


def weights(found: Signals) -> dict[str, float]:
    """The table of weights a question is ranked by: where the text is a trace, its places come before its words."""
    table = {**tables.SEARCH, "message": tables.MESSAGE} if found.said else tables.SEARCH
    if found.faults:
        return {"trace": tables.TRACE, **{name: weight * tables.TRACE_WORDS for name, weight in table.items()}}
    return {**table, "asked": tables.ASKED} if found.asked else table


def _meaning(index: Index, query: Query, found: Signals) -> None:
    """By how much the best passage is nearer than the last one looked at: what all have in common says nothing.

    What no word leads to has to be near in itself, and not much less than the nearest.
    """
    near = semantic.passages(index, query.text, found.notes)
    if not near:
        return
    floor, enough = near[-1].score, max(tables.NEAR, tables.NEAR_BEST * near[0].score)
    led_to = {node for values in found.values.values() for node in values}
    values: Scores = {}
    for span in near:
        if span.node not in values and (span.node in led_to or span.score >= enough):
            values[span.node], found.alike[span.node] = ((span.score - floor) / tables.SURE) ** 2, span
            found.spans.setdefault(span.node, span)
    found.values["meaning"] = values


def _text(index: Index, expression: str, found: Signals) -> None:
    best: Scores = {}
    total: Scores = defaultdict(float)
    seen: dict[int, int] = defaultdict(int)
    for span in index.match_chunks(expression, tables.CHUNK_TITLE, tables.CHUNK_BODY, tables.CHUNK_POOL):
        if span.node not in best:
            best[span.node] = span.score
            found.spans[span.node] = span
        found.passages.setdefault(span.node, []).append(span)
        total[span.node] += span.score / (1 + seen[span.node])
        seen[span.node] += 1
    found.values["passage"], found.values["text"] = best, dict(total)
    for name, path, names in (("path", 1.0, 0.0), ("names", 0.0, 1.0)):
        hits = index.match_files(f"{{{name}}} : ({expression})", path, names, tables.FILE_POOL)
        found.values[name] = dict(hits)


def _history(index: Index, expression: str, found: Signals) -> None:
    hits = index.match_commits(expression, tables.COMMIT_POOL)
    if index.past is None or not index.reach:
        found.notes.append("without history: this clone has none")
        return
    files = index.commit_files([entry for entry, _ in hits])
    todays = index.todays(hid for paths in files.values() if len(paths) <= tables.COMMIT_FILES for hid in paths)
    values: Scores = defaultdict(float)
    for entry, score in hits:
        paths = files.get(entry, ())
        if not 0 < len(paths) <= tables.COMMIT_FILES:
            continue
        for node in {todays[hid] for hid in paths if hid in todays}:
            values[node] += score**tables.COMMIT_POWER / len(paths)
            found.commits[node] = found.commits.get(node, 0) + 1
    found.values["history"] = {node: value ** (1 / tables.COMMIT_POWER) for node, value in values.items()}


def _message(index: Index, query: Query, found: Signals) -> None:
    """Where the words of an error message stand in a row. What was filled in, in quotes or digits, breaks a row."""
    rows: list[str] = []
    for part in _FILLED_IN.sub("\n", query.message).split("\n"):
        words = split_identifiers(part).replace("_", " ").split()
        rows += [" ".join(words[at : at + tables.MESSAGE_ROW]) for at in range(len(words) - tables.MESSAGE_ROW + 1)]
    values: Scores = {}
    asked = any_of(dict.fromkeys(rows[: tables.MESSAGE_ROWS]))
    for span in index.match_chunks(asked, 1.0, 1.0, tables.CHUNK_POOL) if asked else ():
        if span.node not in values:
            values[span.node], found.said[span.node] = span.score, span
    found.values["message"] = values


def _asked(index: Index, found: Signals) -> None:
    """Files that people opened for this question, by what the commit has learned."""
    values: Scores = {}
    for path, question, kappa in index.asked if found.words else ():
        theirs = stems(question)
        alike = len(theirs & found.words) / len(theirs | found.words)
        node = index.node(path) if alike >= tables.ASKED_ALIKE else None
        if node is not None and kappa * alike > values.get(node.id, 0.0):
            values[node.id], found.asked[node.id] = kappa * alike, question
    found.values["asked"] = {node: value / 1_000_000 for node, value in values.items()}


def _exact(index: Index, query: Query, found: Signals) -> None:
    """Identifiers and paths that stand in the question, exactly as they are."""
    values: Scores = {}

    def note(node: int, value: float, why: str) -> None:
        if value > values.get(node, 0.0):
            values[node], found.exact[node] = value, why

    for path in query.paths:
        hits = _path_hits(index, path)
        for node in hits[:5]:
            note(node, 1.0 / len(hits), f"{path} is named")
    for name in dict.fromkeys([*query.identifiers, *(p.strip() for p in query.phrases if " " not in p.strip())]):
        symbols = index.symbols_named([name], 20)
        for _, node, start, end in symbols[:20]:
            note(node, 1.0 / (1 + 0.5 * (len(symbols) - 1)), f"defines {name}")
            found.named.setdefault(node, Span(0, node, start, end, name, 0.0))
    found.values["exact"] = values


def _path_hits(index: Index, name: str) -> list[int]:
    """Artifacts a written path may mean: as it is, or by its longest suffix that exists."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not parts:
        return []
    named = index.named(parts[-1], 200)
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        hits = [node for node, path in named if path == tail or path.endswith("/" + tail)]
        if hits:
            return hits if start < len(parts) - 1 or len(parts) == 1 else hits[:3] if len(hits) <= 3 else []
    return []


def combine(found: Signals) -> dict[int, list[tuple[str, float]]]:
    """Node → (signal, share) terms, before recency and role."""
    terms: dict[int, list[tuple[str, float]]] = defaultdict(list)
    for name, weight in weights(found).items():
        values = found.values.get(name)
        if not values:
            continue
        top = 1.0 if name in ("asked", "meaning") else max(values.values())  # these are shares as they are
        if top <= 0:
            continue
        for node, value in values.items():
            terms[node].append((name, weight * value / top))
    return terms


def rank(
    index: Index, query: Query, keep: Callable[[Node], bool], limit: int, meaning: bool = True
) -> tuple[Answer, tuple[str, ...]]:
    """The best artifacts for a compiled query; ties by path."""
    found = signals(index, query, meaning)
    terms = combine(found)
    base = {node: sum(share for _, share in rows) for node, rows in terms.items()}
    filtered = query.directives or query.excluded or query.when  # then any of them may be all that is left
    size = len(base) if filtered else max(tables.POOL, 3 * limit)
    pool = index.best(base, size)
    nodes = index.nodes(pool)
    persona = tables.PERSONAS[query.persona]
    scored = []
    for node_id in pool:
        node = nodes[node_id]
        if not keep(node):
            continue
        factor = _recency(index, node_id, query.recent)
        prior = tables.ROLE_PRIOR[node.role] * (tables.ROLE_LEAN if node.role in query.roles else 1.0)
        prior *= persona.get(split_name(node.path)[2], 1.0) if persona else 1.0
        scored.append((-base[node_id] * factor * prior, node.path, node, factor, prior))
    scored.sort(key=lambda row: row[:2])
    results = []
    scale = sum(weights(found).values())
    for negative, path, node, factor, prior in scored[:limit]:
        span = found.place(index, node.id)
        rows = [(name, share * prior / scale) for name, share in terms[node.id]]
        rows.append(("recency", base[node.id] * prior * (factor - 1) / scale))
        reasons = tuple(
            Reason(name, _say(name, node.id, found), share) for name, share in sorted(rows, key=lambda r: -r[1])
        )
        results.append(
            Result(
                path, -negative / scale, fragment(span.start, span.end) if span else "", span.title if span else "",
                node.role, "hybrid", reasons, index.commit,
            )
        )  # fmt: skip
    return Answer(tuple(results), len(base), query), tuple(found.notes)


def _recency(index: Index, node: int, recent: bool) -> float:
    last = index.activity.get(node, (0, 0))[0]
    if not last:
        return 1.0
    age = max(0, index.time - last) / tables.DAY
    return 1 + (3 if recent else 1) * tables.RECENCY * 2 ** (-age / tables.RECENCY_DAYS)


def _say(name: str, node: int, found: Signals) -> str:
    if name == "history":
        count = found.commits.get(node, 0)
        return f"{count} commit{'s' * (count != 1)} speak{'s' * (count == 1)} of it"
    if name == "trace":
        frame = found.faults[node].frame
        return f"line {frame.line} of it{f', in {frame.name},' if frame.name else ''} is in the text"
    if name == "message":
        return "the message's words in a row"
    if name == "asked":
        return f"opened for: {found.asked[node]}"
    if name == "exact":
        return found.exact.get(node, "named exactly")
    if name == "meaning":
        alike = found.alike[node]
        return f"alike in meaning: {fragment(alike.start, alike.end)} (cosine {alike.score:.2f})"
    if name == "passage" and (span := found.spans.get(node)) and span.title:
        return f"in {span.title}"
    return {
        "path": "words in its path",
        "names": "words in its names",
        "passage": "words in one passage",
        "text": "words in its text",
        "recency": "changed lately",
    }[name]
