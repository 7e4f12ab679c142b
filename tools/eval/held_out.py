"""How well a table finds functions by their docstrings, in packages it was not made from.

    python tools/eval/held_out.py WHEELS [--role test|dev] [--asset DIR]

WHEELS is a folder with the wheels of tools/embedding/packages.json (the `wheels`
folder that tools/build_embedding.py makes). Needs numpy.

CODE: the first paragraph of a docstring is the question; every function of the
package that has a docstring is a candidate, without it. PROSE: the first sentence
of a README section or of a longer docstring is the question, what follows those of
all packages are the candidates. Lexical is BM25 over split, stemmed identifiers, as
search has it; fused is the sum of both, each as z-scores over the candidates of
the question. Figures are MRR@10, the mean over all questions; a candidate that
scores the same as the answer counts as before it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sqlite3
import sys
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from embedding.pairs import functions, modules, sections

from oracl_git.embedding import DIMENSIONS, Asset, Encoder
from oracl_git.extract.words import split_identifiers

Floats = NDArray[np.float64]
QUESTIONS = 60  # of one package
FEWEST = 50  # functions of a package that is asked about
PACKAGES = ROOT / "tools/embedding/packages.json"


class Pool(NamedTuple):
    """Questions, each with the place of its answer among the candidates."""

    name: str
    questions: list[str]
    answers: list[int]
    candidates: list[str]


def code_pool(path: str, seed: int = 1) -> Pool:
    """The functions of one wheel; of equal docstrings the first stays."""
    rows: dict[str, str] = {}
    for name, tree, lines in modules(path):
        for function in functions(tree, lines, name):
            doc = " ".join(function.doc.split())
            if 4 <= len(doc.split()) <= 60:
                rows.setdefault(doc, function.source)
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    chosen = order[:QUESTIONS]
    docs = list(rows)
    return Pool(
        Path(path).name.split("-")[0], [split_identifiers(docs[n]) for n in chosen], chosen,
        [split_identifiers(source) for source in rows.values()],
    )  # fmt: skip


def prose_pool(paths: Sequence[str], seed: int = 1) -> Pool:
    """First sentences and the texts that follow them, of all wheels together."""
    rows: dict[str, str] = {}
    for path in paths:
        here: dict[str, str] = {}
        texts = [text for _, text in sections(path)]
        for name, tree, lines in modules(path):
            texts += [f"{f.doc}\n\n{f.rest}" for f in functions(tree, lines, name)]
        for text in texts:
            first, _, rest = " ".join(text.split()).partition(". ")
            if 5 <= len(first.split()) <= 40 and len(rest.split()) >= 15:
                here.setdefault(first, rest)
        some = sorted(here.items())
        random.Random(seed).shuffle(some)
        rows.update(some[:QUESTIONS])
    return Pool("prose", [split_identifiers(q) for q in rows], list(range(len(rows))),
                [split_identifiers(text) for text in rows.values()])  # fmt: skip


def lexical(pool: Pool) -> Floats:
    """BM25 of every candidate for every question [questions, candidates]."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE text USING fts5(body, content='', tokenize='porter unicode61 remove_diacritics 2')"
    )
    db.executemany("INSERT INTO text(rowid, body) VALUES(?,?)", enumerate(c.replace("_", " ") for c in pool.candidates))
    scores = np.zeros((len(pool.questions), len(pool.candidates)))
    for row, question in enumerate(pool.questions):
        words = dict.fromkeys(re.findall(r"[^\W_]+", question.lower()))
        expression = " OR ".join(f'"{word}"' for word in words)
        for place, score in db.execute("SELECT rowid, -bm25(text) FROM text WHERE text MATCH ?", (expression,)):
            scores[row, place] = score
    return scores


def semantic(pool: Pool, encoder: Encoder) -> Floats:
    """The cosine of every candidate with every question."""

    def unit(texts: Sequence[str]) -> Floats:
        codes = (array("b", encoder.encode(text) or bytes(DIMENSIONS)) for text in texts)
        rows = np.array(list(codes), dtype=np.float64)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return unit(pool.questions) @ unit(pool.candidates).T


def fused(first: Floats, second: Floats, weight: float = 1.0) -> Floats:
    """The sum of both, each with mean 0 and deviation 1 over the candidates."""
    return _standard(first) + weight * _standard(second)


def _standard(scores: Floats) -> Floats:
    return (scores - scores.mean(1, keepdims=True)) / np.maximum(scores.std(1, keepdims=True), 1e-9)


def reciprocal(scores: Floats, answers: Sequence[int]) -> list[float]:
    """1/rank of each answer among the first ten, else 0; candidates that score the same as it count before it."""
    own = scores[np.arange(len(answers)), answers][:, None]
    ranks = (scores >= own).sum(1)
    return [1 / int(rank) if rank <= 10 else 0.0 for rank in ranks]


def joined(pools: Sequence[Pool]) -> Pool:
    """All questions, each with the candidates of all pools."""
    questions, answers, candidates = [], [], []
    for pool in pools:
        answers += [len(candidates) + answer for answer in pool.answers]
        questions += pool.questions
        candidates += pool.candidates
    return Pool("all", questions, answers, candidates)


def report(wheels: Path, asset: Path, role: str = "test") -> str:
    """The figures of one role's packages, as a Markdown table."""
    encoder = Asset(str(asset)).encoder()
    paths = [str(wheels / row["file"]) for row in json.loads(PACKAGES.read_text())["packages"] if row["role"] == role]
    pools = [pool for pool in map(code_pool, paths) if len(pool.candidates) >= FEWEST]
    lines = ["| | questions | candidates | lexical | static | fused |", "|---|---|---|---|---|---|"]

    def row(name: str, asked: Sequence[Pool]) -> None:
        found: list[list[float]] = [[], [], []]
        for pool in asked:
            words, meaning = lexical(pool), semantic(pool, encoder)
            for column, scores in zip(found, (words, meaning, fused(words, meaning)), strict=True):
                column += reciprocal(scores, pool.answers)
        size = sum(len(pool.candidates) for pool in asked) / len(asked)
        figures = " | ".join(f"{np.mean(column):.3f}" for column in found)
        lines.append(f"| {name} | {len(found[0]):,} | {size:,.0f} | {figures} |")

    row(f"CODE, one of {len(pools)} packages at a time", pools)
    row("CODE, all of them at once", [joined(pools)])
    row("PROSE", [prose_pool(paths)])
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--role", choices=("test", "dev"), default="test")
    parser.add_argument("--asset", type=Path, default=ROOT / "oracl_git/embedding/asset")
    options = parser.parse_args()
    print(report(options.wheels, options.asset, options.role))


if __name__ == "__main__":
    main()
