"""What each signal is worth: mean nDCG@10 with one signal taken away at a time.

    python tools/ablate.py --eval DIR --work DIR [--source-only]

`--eval` holds search.jsonl, related.jsonl, repos.json and bench.py; `--work` the
indexed clones that `bench.py --work` leaves behind. Every question's signals are
collected once, then ranked under each table of weights. Prints Markdown.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import pathlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from oracl_git.git import discover
from oracl_git.recall import hybrid, related, tables
from oracl_git.recall.query import compile_query
from oracl_git.store.index import Index, Node

Case = tuple[str, Index, Any, list[str], Any]  # repository, index, question, gold, collected signals


def main() -> None:
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--source-only", action="store_true")
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("bench", options.eval / "bench.py")
    assert spec and spec.loader
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    table("search", tables.SEARCH, *searched(bench, options))
    table("related", tables.RELATED, *kin(bench, options))


def cases(task: str, bench: ModuleType, options: argparse.Namespace) -> list[tuple[str, Index, str, list[str]]]:
    """The questions of a task with the index each is asked of."""
    opened: dict[str, Index] = {}
    rows = []
    for line in (options.eval / f"{task}.jsonl").read_text().splitlines():
        case = json.loads(line)
        repo = case["repo"]
        if repo not in opened:
            opened[repo] = Index(discover(str(options.work / repo)))
        gold = [path for path in case["gold"] if bench.keep(path, options.source_only)]
        if gold:
            rows.append((repo, opened[repo], case["query"].replace("\n", " "), gold))
    return rows


Ranked = Callable[[Case], list[str]]


def searched(bench: ModuleType, options: argparse.Namespace) -> tuple[list[Case], Ranked, Callable[..., float]]:
    """The cases of `search` with their signals, and how one is ranked and scored."""
    rows: list[Case] = []
    for repo, index, text, gold in cases("search", bench, options):
        query = compile_query(text)
        rows.append((repo, index, query, gold, hybrid.signals(index, query)))

    def rank(case: Case) -> list[str]:
        _, index, query, _, found = case
        hybrid.signals = lambda *_: found
        answer = hybrid.rank(index, query, _any, 60)
        return [result.path for result in answer.results]

    return rows, rank, scorer(bench, options)


def kin(bench: ModuleType, options: argparse.Namespace) -> tuple[list[Case], Ranked, Callable[..., float]]:
    """The cases of `related` with their signals, and how one is ranked and scored."""
    rows: list[Case] = []
    for repo, index, path, gold in cases("related", bench, options):
        node = index.node(path)
        if node is not None:
            rows.append((repo, index, node, gold, related.evidence(index, [node])))

    def rank(case: Case) -> list[str]:
        _, index, node, _, found = case
        related.evidence = lambda *_: found
        return [result.path for result in related.related(index, [node], limit=60).results]

    return rows, rank, scorer(bench, options)


def scorer(bench: ModuleType, options: argparse.Namespace) -> Callable[..., float]:
    """nDCG@10 of one ranking."""

    def score(ranked: list[str], gold: list[str]) -> float:
        kept = [path for path in ranked if bench.keep(path, options.source_only)]
        return float(bench.score(kept, gold)[3])

    return score


def table(name: str, weights: dict[str, float], rows: list[Case], rank: Ranked, score: Callable[..., float]) -> None:
    """One Markdown table: the whole, then each signal taken away, then each alone."""

    def mean() -> float:
        by_repo: dict[str, list[float]] = collections.defaultdict(list)
        for case in rows:
            by_repo[case[0]].append(score(rank(case), case[3]))
        return sum(sum(values) / len(values) for values in by_repo.values()) / len(by_repo)

    whole = dict(weights)
    base = mean()
    print(f"\n| {name} | without it | it alone |\n|---|---|---|\n| all signals | **{base:.3f}** | |")
    for signal in whole:
        weights.clear()
        weights.update({key: value for key, value in whole.items() if key != signal})
        without = mean()
        weights.clear()
        weights[signal] = whole[signal]
        alone = mean()  # 0: it only ranks what others find
        print(f"| {signal} | {without:.3f} ({without - base:+.3f}) | {f'{alone:.3f}' if alone else '–'} |", flush=True)
    weights.clear()
    weights.update(whole)


def _any(node: Node) -> bool:
    return True


if __name__ == "__main__":
    main()
