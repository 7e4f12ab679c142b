"""The `classic` ranker: Eq. 11 to the letter, a filtered linear scan.

    s(a,q) = φ_ext(a) · [ (Σ_t Σ_f ω_t · b_f · 1[t ∈ f(a)]) · (1 + η·(m − 1)) + 1[q ⊆ τ(a)] ]

Knows that formula and its fields. Kept exact for comparison; not the default.
"""

from __future__ import annotations

from collections.abc import Callable

from ..extract.words import split_identifiers
from ..graph.stems import split_name
from ..graph.tags import tag_string
from ..store.index import Index, Node
from . import tables
from .model import Answer, Reason, Result
from .query import Query
from .words import any_of


def rank(
    index: Index, query: Query, keep: Callable[[Node], bool] | None, limit: int
) -> Answer:
    """Score every artifact that may be among the results (`keep`; None: all); ties by path."""
    tokens = {token.text: token.weight for token in query.tokens}
    whole = " ".join(token.text for token in query.tokens)
    multipliers = tables.PERSONAS[query.persona]
    in_text: dict[str, set[int]] = {
        t: {hit.node for hit in index.match_chunks(expression, 0.0, 1.0, -1)}
        if (expression := any_of([t], "body"))
        else set()
        for t in tokens
    }
    scored = []
    for node in index.all_nodes():
        if node.kind != 0 or not (keep is None or keep(node)):
            continue
        terms = _terms(index, node, tokens, in_text)
        matched = len({token for token, _, _ in terms})
        total = sum(value for _, _, value in terms)
        amplified = total * (1 + tables.AMPLIFICATION * (matched - 1)) if matched else 0.0
        bonus = 1.0 if whole and whole in tag_string(node.tags).lower() else 0.0
        phi = multipliers.get(node.tags.get("format", ""), 1.0)
        score = phi * (amplified + bonus)
        if score > 0:
            reasons = tuple(
                Reason(
                    f"{field}:{token}",
                    f"{token} in its {field}",
                    phi * value * (1 + tables.AMPLIFICATION * (matched - 1)),
                )
                for token, field, value in terms
            )
            reasons += (Reason("tags", "the whole question in its tags", phi),) if bonus else ()
            scored.append((-score, node.path, node, reasons))
    scored.sort(key=lambda row: row[:2])
    results = tuple(
        Result(path, -score, kind=node.role, source="classic", reasons=reasons, commit=index.commit)
        for score, path, node, reasons in scored[:limit]
    )
    return Answer(results, len(scored), query)


def _terms(
    index: Index, node: Node, tokens: dict[str, float], in_text: dict[str, set[int]]
) -> list[tuple[str, str, float]]:
    directory, stem, _ = split_name(node.path)
    fields = {
        "name": set(_words(stem)),
        "path": set(_words(directory)),
        "tag": {value.lower() for value in node.tags.values()},
    }
    symbols: set[str] = set()
    headings: set[str] = set()
    for name, _, _, _ in index.definitions(node.id):
        symbols.update(_words(name))
    if node.role == "docs":
        for chunk in index.chunks([node.id])[node.id]:
            headings.update(_words(chunk.title))
    fields |= {"symbol": symbols, "heading": headings}
    found = []
    for token, weight in tokens.items():
        for name, words in fields.items():
            if token in words:
                found.append((token, name, weight * tables.FIELD_BOOSTS[name]))
        if node.id in in_text[token]:
            found.append((token, "text", weight * tables.FIELD_BOOSTS["text"]))
    return found


def _words(text: str) -> list[str]:
    split = split_identifiers(text).lower().replace("_", " ").replace(".", " ").replace("-", " ").replace("/", " ")
    return split.split()
