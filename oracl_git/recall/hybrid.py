"""The `hybrid` ranker: several signals, each scaled to its best (meaning: to a fixed likeness), added up.

Knows each signal and the one table of weights (`tables.SEARCH`). A result's
reasons are exactly the terms of its score. Knows nothing of the graph's making.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..extract.words import split_identifiers
from ..graph.model import decode_path, fragment
from ..graph.stems import split_name
from ..store.index import Index, Node, Span
from . import semantic, tables
from .aside import aside
from .lines import Lines, chosen, stems
from .model import Answer, Reason, Result
from .query import Query
from .words import any_of, askable, split_words

if TYPE_CHECKING:
    from .faults import Fault

Scores = dict[int, float]
Scored = tuple[int, float]  # a passage and its score
_FILLED_IN = re.compile(r"""(?<!\w)(['"`])(?:(?!\1).){0,80}\1(?!\w)|\b\d+\b|[/\\]\S+""")  # the blanks of a message


class Signals:
    """The raw value of each signal for each candidate, and what explains it."""

    def __init__(self) -> None:
        self.values: dict[str, Scores] = {}
        self.passages: dict[int, list[Scored]] = {}  # node → the passages that match, best first
        self.named: dict[int, Span] = {}  # the definition that the question names
        self.words: frozenset[str] = frozenset()  # of the question, their stems
        self.commits: dict[int, int] = {}  # node → how many matching commits touched it
        self.exact: dict[int, str] = {}
        self.faults: dict[int, Fault] = {}
        self.alike: dict[int, Scored] = {}  # node → its passage nearest in meaning, and the cosine
        self.said: dict[int, Span] = {}  # where the words of an error message stand in a row
        self.asked: dict[int, str] = {}  # node → the question it was opened for
        self.notes: list[str] = []


class Places:
    """Where the results are: the passages of some files, read at once."""

    def __init__(self, index: Index, found: Signals, nodes: list[int]) -> None:
        self._found = found
        placed = [node for node in nodes if node in found.passages or node in found.alike]
        self._chunks = index.chunks(placed)
        self._spans = {span.id: span for node in placed for span in self._chunks[node]}

    def lines(self, node: int) -> Lines | None:
        """The lines of a result: the fault, the definition that is named, else the best of its passages."""
        found = self._found
        fault = found.faults.get(node)
        if fault and fault.span:
            return Lines(fault.span, fault.span)
        named = found.said.get(node) or found.named.get(node)
        if node in found.passages and (named is None or named.end - named.start + 1 < tables.LINES_NAMED):
            near = found.alike.get(node, (0, 0.0))[0]
            lines = chosen(self._chunks[node], dict(found.passages[node]), found.words, near)
            if lines and named is None:
                return lines
            if lines and named and lines.range.start <= named.start and named.end <= lines.range.end:
                return lines._replace(focus=named)
        span = named or self.alike(node)
        return Lines(span, span) if span else None

    def best(self, node: int) -> Span | None:
        """The passage that matches best."""
        mine = self._found.passages.get(node)
        return self._spans[mine[0][0]] if mine else None

    def alike(self, node: int) -> Span | None:
        """The passage nearest in meaning."""
        near = self._found.alike.get(node)
        return self._spans[near[0]] if near else None


def phrases(query: Query) -> list[str]:
    """A question's words, names and phrases, as full text takes them."""
    words = [w for w in split_words(query.text) if w not in tables.STOP_WORDS] or split_words(query.text)
    return askable([*words[: tables.WORDS], *query.phrases, *query.identifiers])


def expression(query: Query) -> str:
    """The full-text expression of a question's words, names and phrases; "" when it has none."""
    return any_of(phrases(query))


def signals(index: Index, query: Query, meaning: bool = True) -> Signals:
    """Collect every signal for the question; without meaning unless `meaning`."""
    found = Signals()
    asked = expression(query)
    if asked:
        _text(index, asked, found)
        _history(index, query, found)
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
    floor, enough = near[-1][2], max(tables.NEAR, tables.NEAR_BEST * near[0][2])
    values: Scores = {}
    for chunk, node, cosine in near:
        if node not in values and (cosine >= enough or any(node in others for others in found.values.values())):
            values[node], found.alike[node] = ((cosine - floor) / tables.SURE) ** 2, (chunk, cosine)
    found.values["meaning"] = values


def _text(index: Index, expression: str, found: Signals) -> None:
    rows = index.best_chunks(expression, tables.CHUNK_TITLE, tables.CHUNK_BODY, tables.CHUNK_POOL)
    homes, passages = index.homes([chunk for chunk, _ in rows]), found.passages
    best: Scores = {}
    total: Scores = {}
    for row in rows:
        node = homes[row[0]]
        if node not in best:
            passages[node], best[node], total[node] = [row], row[1], row[1]
        else:
            mine = passages[node]
            total[node] += row[1] / (1 + len(mine))
            mine.append(row)
    found.values["passage"], found.values["text"] = best, total
    for name, path, names in (("path", 1.0, 0.0), ("names", 0.0, 1.0)):
        hits = index.match_files(f"{{{name}}} : ({expression})", path, names, tables.FILE_POOL)
        found.values[name] = dict(hits)


def _history(index: Index, query: Query, found: Signals) -> None:
    hits = index.match_commits(phrases(query), tables.COMMIT_POOL)
    if index.past is None or not index.reach:
        found.notes.append("without history: this clone has none")
        return
    touched = index.touched([entry for entry, _ in hits], tables.COMMIT_FILES)
    values: Scores = defaultdict(float)
    for entry, score in hits:
        count, nodes = touched[entry]
        for node in nodes:
            values[node] += score**tables.COMMIT_POWER / count
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


def terms(found: Signals) -> list[tuple[str, Scores, float, float]]:
    """(signal, its values, its weight, its best value) of the signals that say something, before recency and role."""
    rows = []
    for name, weight in weights(found).items():
        values = found.values.get(name)
        if values:
            top = 1.0 if name in ("asked", "meaning") else max(values.values())  # these are shares as they are
            if top > 0:
                rows.append((name, values, weight, top))
    return rows


def rank(
    index: Index, query: Query, keep: Callable[[Node], bool] | None, limit: int, meaning: bool = True
) -> Answer:
    """The best artifacts for a compiled query; ties by path. `keep`: which may be among them; None: all."""
    found = signals(index, query, meaning)
    rows = terms(found)
    base: Scores = {}
    for _, values, weight, top in rows:
        for node, value in values.items():
            base[node] = base.get(node, 0.0) + weight * value / top
    pool = index.best(base, len(base) if keep else max(tables.POOL, 3 * limit))  # any may be all that is kept
    if keep is not None:
        nodes = index.nodes(pool)
        pool = [node for node in pool if keep(nodes[node])]
    results = []
    scale = sum(weights(found).values())
    chosen = _best(index, query, found, base, pool, limit)
    places = Places(index, found, [row[3] for row in chosen])
    for score, path, role, node, factor, prior in chosen:
        lines = places.lines(node)
        shares = [(name, weight * values[node] / top * prior / scale) for name, values, weight, top in rows
                  if node in values]  # fmt: skip
        shares.append(("recency", base[node] * prior * (factor - 1) / scale))
        shares.sort(key=lambda row: -row[1])
        reasons = tuple(Reason(name, _say(name, node, found, places, lines), share) for name, share in shares)
        where, focus = (fragment(span.start, span.end) for span in lines) if lines else ("", "")
        title = lines.focus.title if lines else ""
        results.append(Result(path, score / scale, where, focus, title, role, "hybrid", reasons, index.commit))
    return Answer(tuple(results), len(base), query, tuple(found.notes))


def _best(
    index: Index, query: Query, found: Signals, base: Scores, pool: list[int], limit: int
) -> list[tuple[float, str, str, int, float, float]]:  # fmt: skip
    """The best `limit` of the pool by score × recency × prior: (score, path, role, node, recency, prior)."""
    persona = tables.PERSONAS[query.persona]
    priors = role_priors(query)
    boost = max((1.0, *persona.values()))
    most = (max(priors.values()) * boost, 1 + (3 if query.recent else 1) * tables.RECENCY)
    cards = index.cards(pool)
    behind = _behind(found, query, {node: decode_path(cards[node][0]) for node in pool})
    scored: list[tuple[float, str, str, int, float, float]] = []
    heap: list[float] = []  # the best `limit` scores so far
    for node in pool:
        if 0 < limit == len(heap) and base[node] * most[1] * most[0] < heap[0]:
            break  # nor can any of those that follow, which have less
        path, role = decode_path(cards[node][0]), cards[node][1]
        factor = _recency(index, node, query.recent)
        prior = priors[role] * (tables.ASIDE if node in behind else 1.0)
        prior *= persona.get(split_name(path)[2], 1.0) if persona else 1.0
        score = base[node] * factor * prior
        scored.append((score, path, role, node, factor, prior))
        if len(heap) < limit:
            heapq.heappush(heap, score)
        else:
            heapq.heappushpop(heap, score)
    return sorted(scored, key=lambda row: (-row[0], row[1]))[:limit]


def role_priors(query: Query) -> dict[str, float]:
    """Kind → how much likelier such a file is to be meant."""
    priors = dict(tables.ROLE_PRIOR)
    if query.spoken and not query.roles:
        priors["tests"] *= tables.SPOKEN_TESTS
    for role in query.roles:
        priors[role] *= tables.ROLE_ASKED if role in query.asked else tables.ROLE_LEAN
    return priors


def _behind(found: Signals, query: Query, paths: dict[int, str]) -> frozenset[int]:
    """The files that stand behind the others; not what is named exactly, nor the places of a trace."""
    if found.faults:
        return frozenset()
    return aside(paths, found.words, query.text) - found.exact.keys()


def _recency(index: Index, node: int, recent: bool) -> float:
    last = index.activity.get(node, (0, 0))[0]
    if not last:
        return 1.0
    age = max(0, index.time - last) / tables.DAY
    return 1 + (3 if recent else 1) * tables.RECENCY * 2 ** (-age / tables.RECENCY_DAYS)


def _say(name: str, node: int, found: Signals, places: Places, lines: Lines | None) -> str:
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
        near, (_, cosine) = places.alike(node), found.alike[node]
        return f"alike in meaning: {fragment(near.start, near.end) if near else ''} (cosine {cosine:.2f})"
    if name == "passage" and (best := places.best(node)) and best.title:
        shown = lines and lines.focus.start <= best.start and best.end <= lines.focus.end
        return f"in {best.title}" if shown else f"in {best.title} at {fragment(best.start, best.end)}"
    return {
        "path": "words in its path",
        "names": "words in its names",
        "passage": "words in one passage",
        "text": "words in its text",
        "recency": "changed lately",
    }[name]
