"""related: what a person who touches these files also needs to look at.

Knows co-change, a file's own rare words, edges, kinship of paths, and how each
becomes a reason in words that can be checked. Several files are one question.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log
from posixpath import splitext

from ..embedding import LENGTH, dots, together
from ..graph.model import decode_path
from ..graph.parameters import QUERY_NEIGHBOUR_GUARD
from ..store.index import Index, Link, Node
from . import tables
from .aside import copied
from .model import Answer, Reason, Result
from .semantic import say_waiting
from .words import split_words

Scores = dict[int, float]


class Evidence:
    """Raw signal values for each candidate, and the facts behind them."""

    def __init__(self) -> None:
        self.values: dict[str, Scores] = defaultdict(dict)
        self.together: dict[int, int] = {}  # node → commits in common
        self.entries: list[int] = []  # commits of the question's files, newest first
        self.speaks: dict[int, tuple[float, int]] = {}  # node → (share, commit) of the commit that counts most for it
        self.oids: dict[int, str] = {}  # of those commits that are told of
        self.told: dict[int, list[str]] = defaultdict(list)  # and what they have in common, the best first
        self.said: list[tuple[str, Sequence[int]]] = []  # stem in common, the best first, and the commits that say it
        self.links: dict[int, list[tuple[Link, bool]]] = defaultdict(list)  # (edge, whether it points at the candidate)
        self.words: dict[str, str] = {}  # stem → the word as it stands in the files
        self.topics: dict[str, str] = {}  # stem → the word as it stands in messages
        self.holders: list[tuple[str, float, Mapping[int, int]]] = []  # stem, its weight, how often each node has it
        self.bearers: list[tuple[str, frozenset[int]]] = []  # word of a path, the rarest first, and the files with it
        self.cosines: Scores = {}  # node → how alike it is
        self.days: dict[int, int] = {}  # node → days from its last commit to the indexed one
        self.notes: list[str] = []


def related(
    index: Index, nodes: list[Node], *, text: str = "", limit: int = 20, kind: str = "",
    strangers: Sequence[str] = (),
) -> Answer:  # fmt: skip
    """Files related to all of `nodes` as one question, and to the `strangers`: paths that are no artifacts, with
    the `text` that they have."""
    found = evidence(index, nodes, text, strangers)
    asked = {node.id for node in nodes}
    priors = _priors(nodes, strangers)
    scale = sum(tables.RELATED.values()) * max(most for row in tables.RELATED_PRIOR.values() for most in row.values())
    totals: Scores = {}
    trust = len(found.entries) / (len(found.entries) + tables.TRUST)
    terms = _weighed(found.values, trust, asked, totals)
    pool = index.best(totals, len(totals) if kind else max(tables.POOL, 3 * limit))
    near = pool[: tables.NEARBY]
    late = {"meaning": _alike(index, nodes, near, found), "recency": _recent(index, near, found)}
    terms += _weighed(late, trust, asked, totals)
    cards = index.cards(pool)
    copies = {node for node in pool if copied(decode_path(cards[node][0]))}
    if any(copied(path) for path in (*(node.path for node in nodes), *strangers)):
        copies.clear()
    ranked = sorted(
        (-(totals[node] / scale) * priors[role] * (tables.ASIDE if node in copies else 1.0), decode_path(path), node)
        for node in pool
        for path, role in [cards[node]]
        if role and (not kind or role == kind)
    )
    _tell(index, {found.speaks[other][1] for _, _, other in ranked[:limit] if other in found.speaks}, found)
    results = []
    for negative, path, other in ranked[:limit]:
        role = cards[other][1]
        prior = priors[role] * (tables.ASIDE if other in copies else 1.0) / scale
        shares = [(name, weight * values[other] / top) for name, values, weight, top in terms if other in values]
        shares.sort(key=lambda row: -row[1])
        reasons = tuple(Reason(name, _say(name, other, found), share * prior) for name, share in shares)
        where = _where(other, found)
        results.append(Result(path, -negative, where, where, "", role, "related", reasons, index.commit))
    return Answer(tuple(results), len(ranked), None, tuple(found.notes))


def _weighed(
    signals: Mapping[str, Scores], trust: float, asked: set[int], totals: Scores
) -> list[tuple[str, Scores, float, float]]:
    """(signal, its values, its weight, its best value) of the signals that say something; added to `totals`."""
    terms = []
    for name, weight in tables.RELATED.items():
        values = signals.get(name, {})
        for node in asked & values.keys():
            del values[node]
        weight *= trust if name in tables.FROM_HISTORY else 1
        top = max(values.values(), default=0.0)
        if top > 0:
            terms.append((name, values, weight, top))
            for node, value in values.items():
                totals[node] = totals.get(node, 0.0) + weight * value / top
    return terms


def _priors(nodes: list[Node], strangers: Sequence[str]) -> dict[str, float]:
    """Role → how much likelier such a file is to be meant: the mean over the files that are asked of."""
    rows = [tables.RELATED_PRIOR[node.role] for node in nodes]
    if strangers:
        from ..graph.tags import role

        rows += [tables.RELATED_PRIOR[role(path)] for path in strangers]
    rows = rows or [tables.RELATED_PRIOR["code"]]  # of nothing
    return {role: sum(row[role] for row in rows) / len(rows) for role in tables.ROLES}


def evidence(index: Index, nodes: list[Node], text: str = "", strangers: Sequence[str] = ()) -> Evidence:
    """Every signal for the question."""
    found = Evidence()
    paths = [*(node.path for node in nodes), *strangers]
    past = index.remember(("together", *paths), lambda: _past(index, paths, {node.id for node in nodes}))
    found.values.update(past.values)
    found.together, found.entries = past.together, past.entries
    found.speaks, found.said, found.topics = past.speaks, past.said, past.topics
    found.notes += past.notes
    _terms(index, nodes, text, found)
    _edges(index, nodes, found)
    _named(index, paths, found)
    return found


# -- history ------------------------------------------------------------------------------


def _past(index: Index, paths: list[str], asked: set[int]) -> Evidence:
    """What history says."""
    found = Evidence()
    _cochange(index, paths, asked, found)
    _topics(index, found)
    return found


def _cochange(index: Index, paths: list[str], asked: set[int], found: Evidence) -> None:
    if index.past is None or not index.reach:
        found.notes.append("without history: this clone has none")
        return
    distance = index.distance
    lists = [index.commits_of(path, tables.RELATED_COMMITS) for path in paths]
    entries = sorted({entry for entries in lists for entry in entries}, key=distance.__getitem__)
    found.entries = entries
    touched = index.touched(entries, tables.COMMIT_FILES)
    together: Scores = defaultdict(float)
    total = 0.0
    for entry in entries:
        count, others = touched[entry]
        if not count:
            continue
        weight = 0.5 ** (distance[entry] / tables.HALF_LIFE) / count**0.5
        total += weight
        for node in others:
            together[node] += weight
            found.together[node] = found.together.get(node, 0) + 1
    if not total:
        return
    activity = index.activity
    found.values["together"] = {node: value / total for node, value in together.items()}
    found.values["cosine"] = {
        node: value / (1 + activity.get(node, (0, 1))[1]) ** 0.5 for node, value in together.items()
    }
    _walk(index, asked, together, found)


def _walk(index: Index, asked: set[int], together: Scores, found: Evidence) -> None:
    """What changes together with what changes together with these."""
    first = index.best({node: value for node, value in together.items() if node not in asked}, 8)
    cards, distance = index.cards(first), index.distance
    walks = [(together[node], index.commits_of(decode_path(cards[node][0]), tables.WALK_COMMITS)) for node in first]
    touched = index.touched([entry for _, entries in walks for entry in entries], tables.COMMIT_FILES)
    values: Scores = defaultdict(float)
    for near, entries in walks:
        for entry in entries:
            count, others = touched[entry]
            if count:
                weight = 0.5 ** (distance[entry] / tables.HALF_LIFE) / count
                for other in others:
                    if other not in asked:
                        values[other] += weight * near
    found.values["walk"] = dict(values)


def _topics(index: Index, found: Evidence) -> None:
    """Files touched by commits that speak of the same things."""
    lines = index.commit_lines(found.entries[: tables.TOPIC_COMMITS]).values()
    counts = Counter(word for _, subject, _ in lines for word in split_words(subject))
    words = sorted((w for w in counts if _telling(w)), key=lambda word: (-counts[word], word))
    weights, costs = _weigh(index.spoken_words(words, tables.TOPIC_POSTINGS), counts, len(index.reach), found.topics)
    own = _affordable(weights, costs, tables.TOPIC_WORDS, tables.TOPIC_POSTINGS)
    scores: Scores = defaultdict(float)
    for stem in own:
        weight, entries = weights[stem], index.commits_saying(stem)
        found.said.append((stem, entries))
        for entry in entries:
            scores[entry] += weight
    best = sorted(scores, key=index.distance.__getitem__)
    best.sort(key=scores.__getitem__, reverse=True)  # of equals the newest stays first
    del best[tables.TOPIC_POOL :]
    touched = index.touched(best, tables.COMMIT_FILES)
    values: Scores = defaultdict(float)
    for entry in best:
        count, others = touched[entry]
        if count:
            share = scores[entry] ** tables.TOPIC_POWER / count**0.5
            for node in others:
                values[node] += share
                if share > found.speaks.get(node, (0.0, 0))[0]:
                    found.speaks[node] = (share, entry)
    found.values["topic"] = dict(values)


# -- words -----------------------------------------------------------------------------------


def _telling(word: str) -> bool:
    return len(word) > 2 and not word.isdigit() and word.isalnum() and word not in tables.STOP_WORDS


def _weigh(
    known: list[tuple[str, str, int]], counts: dict[str, int], total: int, words: dict[str, str]
) -> tuple[dict[str, float], dict[str, int]]:
    """Stem → BM25 weight of a word that is there so often; stem → how many hold it. Notes each word under its stem."""
    weights: dict[str, float] = {}
    costs: dict[str, int] = {}
    for word, stem, frequency in known:
        if frequency > 1:
            tf = counts[word]
            weights[stem] = log(1 + total / frequency) * tf / (tf + tables.K1)
            costs[stem] = frequency
            words[stem] = word
    return weights, costs


def _terms(index: Index, nodes: list[Node], text: str, found: Evidence) -> None:
    """BM25 of the files' own rarest words, at file grain."""
    said = [f"{title} {body}" for node in nodes for title, body in index.texts(node)]
    counts = Counter(" ".join(said).lower().replace("_", " ").split())
    counts.update(split_words(text) if text else ())
    chunks = index.chunk_count
    most = max(10, tables.COMMON * chunks)
    known = [row for row in index.rare_words([word for word in counts if _telling(word)]) if row[2] <= most]
    weights, costs = _weigh(known, counts, chunks, found.words)
    own = _affordable(weights, costs, tables.OWN_TERMS, tables.POSTINGS)
    files, having = len(index.sizes), index.files_with(own)
    for stem in own:
        holders, tf = having[stem], counts[found.words[stem]]
        weight = log(1 + files / max(1, len(holders))) ** tables.RARE_POWER * tf / (tf + tables.K1)
        found.holders.append((stem, weight, holders))
    sizes, least = index.sizes, tables.SIZE_FLOOR * index.usual_size
    values: Scores = defaultdict(float)
    for _, weight, holders in found.holders:
        for node, tf in holders.items():
            values[node] += weight * tf / (tf + tables.K1)
    found.values["terms"] = {n: value / (sizes[n] + least) ** tables.SIZE_POWER for n, value in values.items()}


def _affordable(weights: dict[str, float], costs: dict[str, int], most: int, budget: int) -> list[str]:
    """The heaviest stems whose postings fit the budget together: a question costs the same everywhere."""
    chosen: list[str] = []
    for stem in sorted(weights, key=lambda stem: (-weights[stem], stem)):
        if costs[stem] <= budget:
            budget -= costs[stem]
            chosen.append(stem)
            if len(chosen) == most:
                break
    return chosen


# -- graph and paths --------------------------------------------------------------------------


def _edges(index: Index, nodes: list[Node], found: Evidence) -> None:
    values: Scores = defaultdict(float)
    for node in nodes:
        for direction in ("out", "in"):
            for link in index.links(node.id, direction):
                other = link.target if direction == "out" else link.source
                found.links[other].append((link, direction == "out"))
                values[other] = max(values[other], index.normalised(link.rank) / 1_000_000)
                if link.relation in ("tests", "configures"):
                    standing = found.values[link.relation].get(other, 0.0)
                    found.values[link.relation][other] = max(standing, link.weight / 1_000_000)
    found.values["graph"] = dict(values)


def _named(index: Index, paths: list[str], found: Evidence) -> None:
    """Words of their paths that other paths have, too, the rarer the more."""
    names = " ".join(splitext(path)[0] for path in paths)
    words = [word for word in split_words(names) if len(word) > 1]
    total = len(index.sizes)
    most = max(tables.FEW, tables.COMMON * total)
    known = {stem: (word, files) for word, stem, files in index.named_words(words) if 1 < files <= most}
    weights = {stem: log(1 + total / files) for stem, (_, files) in known.items()}
    costs = {stem: files for stem, (_, files) in known.items()}
    values: Scores = defaultdict(float)
    for stem in _affordable(weights, costs, tables.OWN_TERMS, tables.POSTINGS):
        files = index.files_named(stem)
        found.bearers.append((known[stem][0], files))
        for node in files:
            values[node] += weights[stem]
    found.values["path"] = dict(values)


# -- what the best candidates are like -----------------------------------------------------------


def _alike(index: Index, nodes: list[Node], near: list[int], found: Evidence) -> Scores:
    """The cosine of what a file says and what the files of the question say, as wholes."""
    if nodes:
        say_waiting(index, index.vectors.pending, found.notes)
    mine = together([code for _, code in index.vectors.of_files(node.id for node in nodes)])
    rows = index.vectors.of_files(near) if mine else []
    products = dots(mine, [code for _, code in rows])
    found.cosines = {node: product / LENGTH**2 for (node, _), product in zip(rows, products, strict=True)}
    return {node: cosine for node, cosine in found.cosines.items() if cosine > 0}


def _recent(index: Index, near: list[int], found: Evidence) -> Scores:
    """How lately a file changed, halved every RECENCY_DAYS before the indexed commit."""
    activity = index.activity
    found.days = {node: max(0, index.time - activity[node][0]) // tables.DAY for node in near if node in activity}
    return {node: 0.5 ** (days / tables.RECENCY_DAYS) for node, days in found.days.items()}


# -- reasons -----------------------------------------------------------------------------------

_VERBS = {
    "imports": ("it imports {}", "imports {}"),
    "tests": ("it tests {}", "tests {}"),
    "references": ("it refers to {}", "refers to {}"),
    "references_placeholder": ("it refers to {}, a placeholder", "refers to {}"),
    "configures": ("it configures {}", "configures {}"),
    "mentions": ("it names {}", "names {}"),
    "provides": ("it provides {}", "provides {}"),
    "depends_on": ("it depends on {}", "depends on {}"),
    "governs": ("it governs {}", "governs {}"),
    "learned_association": ("a person linked them", "a person linked them"),
}


_PASSIVE = {
    "imports": "imported by it", "tests": "tested by it", "configures": "configured by it",
    "learned_association": "a person linked them",
}  # fmt: skip


def _tell(index: Index, entries: set[int], found: Evidence) -> None:
    """Look up what is told of some commits: their names, and the words they have in common with the question."""
    found.oids = {entry: oid for entry, (oid, _, _) in index.commit_lines(list(entries)).items()}
    for stem, saying in found.said:
        for entry in entries.intersection(saying):
            found.told[entry].append(found.topics[stem])


def _say(name: str, node: int, found: Evidence) -> str:
    if name in ("together", "cosine"):
        return f"changed together in {found.together[node]} of {len(found.entries)} commits"
    if name == "walk":
        return "changes with what changes with it"
    if name == "topic":
        entry = found.speaks[node][1]
        return f"commit {found.oids[entry][:7]} on it speaks of {', '.join(found.told[entry][:3])}"
    if name == "meaning":
        return f"alike in meaning (cosine {found.cosines[node]:.2f})"
    if name == "recency":
        days = found.days[node]
        return "last changed " + (f"{days} day{'s' * (days > 1)} before" if days else "less than a day before")
    if name == "terms":
        shares = [(weight * holders[node] / (holders[node] + tables.K1), stem)
                  for stem, weight, holders in found.holders if node in holders]  # fmt: skip
        best = heapq.nlargest(3, shares)
        return "shares " + ", ".join(found.words[stem] for _, stem in best)
    if name == "path":
        return "has " + ", ".join([word for word, files in found.bearers if node in files][:3]) + " in its path"
    if name in ("tests", "configures"):
        pairs = [pair for pair in found.links[node] if pair[0].relation == name]
        return say_link(*max(pairs, key=lambda pair: (pair[0].rank, pair[0].source_fragment)))
    link, outgoing = max(
        found.links[node], key=lambda pair: (pair[0].rank, pair[0].relation, pair[0].source_fragment)
    )
    return say_link(link, outgoing)


def say_link(link: Link, outgoing: bool) -> str:
    """An edge in words, seen from the file that was asked about (`outgoing`: it is the source)."""
    symbol = link.target_fragment.lstrip("#")
    if outgoing:
        verb = _PASSIVE.get(link.relation, f"named by it ({link.relation})")
        return (
            f"{verb}{f' ({symbol})' if symbol else ''}{f' at {link.source_fragment}' if link.source_fragment else ''}"
        )
    verb = _VERBS.get(link.relation, ("", link.relation + " {}"))[1].format(symbol or "it")
    return f"{verb}{f' at {link.source_fragment}' if link.source_fragment else ''}"


def _where(node: int, found: Evidence) -> str:
    """The lines to look at: where it names the file."""
    for link, outgoing in sorted(found.links.get(node, ()), key=lambda pair: -pair[0].rank):
        if not outgoing and link.source_fragment:
            return link.source_fragment
    return ""


def why(index: Index, a: Node, b: Node) -> list[Reason]:
    """Everything that ties two files."""
    answer = related(index, [a], limit=100_000)
    for result in answer.results:
        if result.path == b.path:
            return list(result.reasons)
    return []


def top_k_associations(index: Index, node: int, k: int) -> list[tuple[int, Link]]:
    """v's neighbours ordered by R̂ alone (heap selection under the neighbour guard)."""
    best: dict[int, Link] = {}
    for link in index.top_links(node, QUERY_NEIGHBOUR_GUARD):
        other = link.target if link.source == node else link.source
        if other != node and (other not in best or link.rank > best[other].rank):
            best[other] = link
    return [(node, best[node]) for node in index.best({node: link.rank for node, link in best.items()}, k)]
