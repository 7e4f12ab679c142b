"""nDCG@10 and MRR on the questions of `questions.py`, per kind and half, beside plain BM25.

    python tools/eval/run.py --mirrors DIR --work DIR --questions FILE [--half tuned|untouched] [--out FILE]

The baseline is BM25 (k₁ 1.2, b 0.75) over whole files, identifiers split, plurals folded, the words of
the path counted three times: what a careful person writes in an afternoon.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

from questions import PINNED

from oracl_git.service import Oracl

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
K1, B = 1.2, 0.75


def words(text: str) -> list[str]:
    """Words as the baseline has them."""
    return [w[:-1] if len(w) > 3 and w.endswith("s") else w for w in (m.lower() for m in _WORD.findall(text))]


class Baseline:
    """BM25 over whole files."""

    def __init__(self, files: dict[str, str]) -> None:
        self.counts = {path: Counter(words(text) + 3 * words(path)) for path, text in files.items()}
        self.sizes = {path: sum(counts.values()) for path, counts in self.counts.items()}
        self.usual = fmean(self.sizes.values())
        self.holders: dict[str, list[str]] = defaultdict(list)
        for path, counts in self.counts.items():
            for word in counts:
                self.holders[word].append(path)

    def rank(self, query: str, limit: int = 100) -> list[str]:
        """Paths, best first."""
        scores: dict[str, float] = defaultdict(float)
        for word in set(words(query)):
            held = self.holders.get(word, ())
            idf = math.log(1 + (len(self.counts) - len(held) + 0.5) / (len(held) + 0.5))
            for path in held:
                tf = self.counts[path][word]
                scores[path] += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * self.sizes[path] / self.usual))
        return sorted(scores, key=lambda path: (-scores[path], path))[:limit]


def score(ranked: list[str], case: dict[str, Any]) -> tuple[float, float, float]:
    """(nDCG@10, reciprocal rank of the first gold file, whether the most important one is first)."""
    kept = [path for path in dict.fromkeys(ranked) if path not in case["ignore"]]
    ranks = sorted(kept.index(path) for path in case["gold"] if path in kept)
    ideal = sum(1 / math.log2(2 + place) for place in range(min(10, len(case["gold"]))))
    gain = sum(1 / math.log2(2 + rank) for rank in ranks if rank < 10) / ideal
    return gain, 1 / (1 + ranks[0]) if ranks else 0.0, float(kept[:1] == case["gold"][:1])


def clone(mirrors: Path, work: Path, repo: str, base: str) -> Path:
    """A clone whose only commit-ish is `base`, indexed."""
    place = work / repo
    if not place.exists():
        mirror = (mirrors / PINNED[repo][0].replace("/", "+") / "repo").resolve()
        subprocess.run(["git", "init", "-q", "-b", "base", str(place)], check=True)
        (place / ".git/objects/info/alternates").write_text(f"{mirror / 'objects'}\n")
        subprocess.run(["git", "update-ref", "refs/heads/base", base], cwd=place, check=True)
    with Oracl.at(str(place)) as oracl:
        oracl.fresh()
    return place


def texts(place: Path) -> dict[str, str]:
    """Every indexed file."""
    with Oracl.at(str(place)) as oracl:
        index = oracl.fresh()
        return {node.path: oracl.lines(node, 1, node.lines) for node in index.all_nodes() if node.kind == 0}


def main() -> None:
    """One table a half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--half", choices=("tuned", "untouched"))
    parser.add_argument("--out", type=Path, help="every question with both first answers, as JSON lines")
    options = parser.parse_args()
    cases = [json.loads(line) for line in options.questions.read_text().splitlines()]
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    log = []
    for repo in dict.fromkeys(case["repo"] for case in cases):
        mine = [case for case in cases if case["repo"] == repo and options.half in (None, case["half"])]
        place = clone(options.mirrors, options.work, repo, mine[0]["base"])
        baseline = Baseline(texts(place))
        with Oracl.at(str(place)) as oracl:
            oracl.settings["oracl.telemetry"] = "false"
            for case in mine:
                ours = [r.path for r in oracl.search(case["query"], limit=100, update=False).results]
                theirs = baseline.rank(case["query"])
                rows[case["half"], case["kind"]].append((*score(ours, case), *score(theirs, case)))
                log.append({**case, "first": ours[:5], "baseline": theirs[:5]})
    for half in ("tuned", "untouched"):
        kinds = [kind for part, kind in rows if part == half]
        if kinds:
            print(f"\n| {half} | questions | nDCG@10 | MRR | first | BM25 + path: nDCG@10 | MRR | first |")
            print("|---|---|---|---|---|---|---|---|")
            for kind in kinds:
                _print(kind, rows[half, kind])
            _print("**all**", [row for kind in kinds for row in rows[half, kind]])
    if options.out:
        options.out.write_text("".join(json.dumps(row) + "\n" for row in log))


def _print(name: str, rows: list[tuple[float, ...]]) -> None:
    print(f"| {name} | {len(rows)} |", " | ".join(f"{fmean(column):.3f}" for column in zip(*rows, strict=True)), "|")


if __name__ == "__main__":
    main()
