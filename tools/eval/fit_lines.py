"""What is a line of a passage worth? Fits the exponents of a result's lines, on some repositories for the others.

    python tools/eval/fit_lines.py --cases search.jsonl --work DIR [--limit 10] [--folds 5]

Cases and clones as for `fragments.py`. For each right file among the first answers, the passages that the
later commit changed are to hold as much of the file's worth as can be: the exponents that make the sum of
log shares greatest, by Newton's method. Prints them for each fold of repositories that was left out, how
often the ranges they choose there overlap the changed lines, and the same for all repositories at once and
for the table as it is.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from fragments import changed_at_base

from oracl_git.recall import tables
from oracl_git.recall.hybrid import Places, Signals, signals
from oracl_git.recall.lines import stems
from oracl_git.service import Oracl
from oracl_git.store.index import Span

NAMES = ("LINES_BM25", "LINES_TITLE", "LINES_MEANING")
Vector = list[float]
Row = tuple[tuple[float, ...], int, float]  # what a passage has of each, its lines, its share of the passages changed


class File(NamedTuple):
    """A right answer: how its lines are chosen, how many it has, which of them changed, its passages."""

    repo: str
    places: Places
    node: int
    lines: int
    changed: set[int]
    rows: list[Row]


def read(repo: str, clone: Path, cases: list[dict[str, str]], limit: int) -> list[File]:
    """The right files among the first answers to the questions of one repository."""
    files = []
    oracl = Oracl.at(str(clone))  # stays open: places are read from it
    oracl.settings["oracl.telemetry"] = "false"
    for case in cases:
        answer = oracl.search(case["query"].replace("\n", " "), limit=limit, update=False)
        right = [node for r in answer.results if r.path in case["gold"] and (node := oracl.index.node(r.path))]
        found = signals(oracl.index, answer.query) if right else Signals()
        for node in right:
            changed = {
                n for n in changed_at_base(clone, case["base"], case["src"], node.path) if n <= node.lines
            }  # fmt: skip
            if changed:
                kept = Signals()
                kept.words = found.words
                for name in ("passages", "named", "faults", "alike", "said"):
                    mine = getattr(found, name)
                    setattr(kept, name, {node.id: mine[node.id]} if node.id in mine else {})
                places = Places(oracl.index, kept, [node.id])
                rows = passages(oracl.index.chunks([node.id])[node.id], kept, node.id, changed)
                files.append(File(repo, places, node.id, node.lines, changed, rows))
    return files


def passages(chunks: list[Span], found: Signals, node: int, changed: set[int]) -> list[Row]:
    """The passages of a file, as the fit sees them."""
    scores = dict(found.passages.get(node, []))
    top = max(scores.values(), default=1.0) or 1.0
    near = found.alike.get(node, (0, 0.0))[0]
    touched = [any(span.start <= line <= span.end for line in changed) for span in chunks]
    rows = []
    for span, hit in zip(chunks, touched, strict=True):
        title, of = stems(span.title), (0.0, 0.0, 0.0)
        if span.id in scores or span.id == near:
            of = scores.get(span.id, 0.0) / top, len(title & found.words) / len(title or "-"), float(span.id == near)
        rows.append((of, span.end - span.start + 1, hit / max(1, sum(touched))))
    return rows if scores else []


def fitted(files: list[File]) -> Vector:
    """The exponents (of 2) that make the sum of log shares greatest."""
    at = [0.0] * len(NAMES)
    every = range(len(at))
    for _ in range(12):
        slope, bend = [0.0] * len(at), [[1e-9 * (i == j) for j in every] for i in every]
        for file in files:
            worths = [lines * math.exp(sum(b * x for b, x in zip(at, of, strict=True))) for of, lines, _ in file.rows]
            total = sum(worths) or 1.0
            mean = [sum(w * row[0][i] for w, row in zip(worths, file.rows, strict=True)) / total for i in every]
            for of, _, share in file.rows:
                for i in every:
                    slope[i] += share * (of[i] - mean[i])
            for worth, (of, _, _) in zip(worths, file.rows, strict=True):
                if any(of):
                    for i in every:
                        for j in every:
                            bend[i][j] += worth / total * of[i] * of[j]
            for i in every:
                for j in every:
                    bend[i][j] -= mean[i] * mean[j]
        at = [b + step for b, step in zip(at, solved(bend, slope), strict=True)]
    return [b / math.log(2) for b in at]


def solved(matrix: list[Vector], right: Vector) -> Vector:
    """x of matrix · x = right, by elimination; the matrix is positive."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i, pivot in enumerate(rows):
        rows[i] = pivot = [value / pivot[i] for value in pivot]
        for j, row in enumerate(rows):
            if j != i:
                rows[j] = [value - row[i] * up for value, up in zip(row, pivot, strict=True)]
    return [row[-1] for row in rows]


def overlaps(files: list[File], exponents: Vector) -> list[tuple[str, bool, int]]:
    """(repository, whether the range overlaps, its lines) of each file, with these exponents."""
    for name, value in zip(NAMES, exponents, strict=True):
        setattr(tables, name, value)
    found = []
    for file in files:
        span = file.places.lines(file.node)
        start, stop = (span.start, span.end) if span else (1, file.lines)
        found.append((file.repo, any(start <= line <= stop for line in file.changed), stop - start + 1))
    return found


def told(name: str, exponents: Vector, rows: list[tuple[str, bool, int]]) -> None:
    """One row of the table: overlap is the mean of the repositories."""
    by_repo = collections.defaultdict(list)
    for repo, hit, _ in rows:
        by_repo[repo].append(hit)
    sizes = sorted(row[2] for row in rows)
    cells = [
        *((f"{value:.2f}" for value in exponents) if exponents else [""] * len(NAMES)),
        f"{fmean(map(fmean, by_repo.values())):.3f}",
    ]
    print(f"| {name} | {' | '.join(cells)} | {fmean(sizes):.1f} | {sizes[int(0.9 * len(sizes))]} |", flush=True)


def main() -> None:
    """One row a fold, then all that were left out, all ten as fitted on all, and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    by_repo = collections.defaultdict(list)
    for line in options.cases.read_text().splitlines():
        case = json.loads(line)
        by_repo[case["repo"]].append(case)
    files = [f for repo, cases in by_repo.items() for f in read(repo, options.work / repo, cases, options.limit)]
    table: Vector = [getattr(tables, name) for name in NAMES]
    print("| tried on | BM25 | title | meaning | overlap | mean lines | 90 % |\n|---|---|---|---|---|---|---|")
    held_out = []
    for fold in range(options.folds):
        left = sorted(by_repo)[fold :: options.folds]
        exponents = fitted([file for file in files if file.repo not in left])
        rows = overlaps([file for file in files if file.repo in left], exponents)
        told(", ".join(left), exponents, rows)
        held_out += rows
    told("**all that were left out**", [], held_out)
    everything = fitted(files)
    told("all, fitted on all", everything, overlaps(files, everything))
    told("all, the table", table, overlaps(files, table))


if __name__ == "__main__":
    main()
