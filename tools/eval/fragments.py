"""Are the lines of a result the right ones? How often its fragment overlaps what a later commit changed.

    python tools/eval/fragments.py --cases search.jsonl --work DIR [--limit 10] [--repo NAME …]

`--cases` has one JSON object a line: repo, base, query, gold (paths) and src, the later commit; `--work`
holds a clone per repo, indexed at base, in which src can be read. For each gold file among the first
`--limit` answers, the lines that src changed are traced back to base; those that do not exist there are
left out. Prints, per repository, the share of files whose fragment overlaps a changed line, the mean
length of fragments, what a blind fragment of that length would have reached at a random place, and the same
share and length of the focus alone.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from statistics import fmean

from oracl_git.service import Oracl

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
Hunk = tuple[int, int, int, int]  # (old start, old count, new start, new count)


@cache
def hunks(repo: Path, old: str, new: str, path: str) -> list[Hunk]:
    """The hunks of one file between two commits, without context."""
    done = subprocess.run(
        ["git", "diff", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", old, new, "--", path],
        cwd=repo, capture_output=True,
    )  # fmt: skip
    text = done.stdout.decode("utf-8", "replace")
    return [(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in _HUNK.findall(text)]


def changed_at_base(repo: Path, base: str, src: str, path: str) -> set[int]:
    """The lines of a file at base that `src` changed; where it only added, the lines on both sides."""
    touched: set[int] = set()
    for start, count, _, _ in hunks(repo, f"{src}^", src, path):
        touched.update(range(start, start + count) if count else (start, start + 1))
    moved = hunks(repo, base, f"{src}^", path)
    found = set()
    for line in touched:
        shift = 0
        for _, count, start, added in moved:
            end = start + added if added else start + 1
            if added and start <= line < end:
                break  # written between base and src
            if line >= end:
                shift = shift + count - added
        else:
            found.add(line + shift)
    return {line for line in found if line > 0}


def main() -> None:
    """One row a repository, and their mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--repo", action="append")
    options = parser.parse_args()
    by_repo = collections.defaultdict(list)
    for line in options.cases.read_text().splitlines():
        case = json.loads(line)
        if not options.repo or case["repo"] in options.repo:
            by_repo[case["repo"]].append(case)
    print("| repository | files | overlap | of long files | mean lines | blind | focus | its lines |")
    print("|---|---|---|---|---|---|---|---|")
    means = []
    for repo, cases in by_repo.items():
        rows = measured(options.work / repo, cases, options.limit)
        long = [row for row in rows if row[2] > 100]
        means.append([
            len(rows), fmean(r[0] for r in rows), fmean(r[0] for r in long), *(
                fmean(r[column] for r in rows) for column in (1, 3, 4, 5)
            ),
        ])  # fmt: skip
        print(f"| {repo} | {len(rows)} |", " | ".join(f"{value:.3f}" for value in means[-1][1:]), "|", flush=True)
    total = [fmean(column) for column in zip(*means, strict=True)]
    print("| **mean** | |", " | ".join(f"{value:.3f}" for value in total[1:]), "|")


def measured(clone: Path, cases: list[dict[str, str]], limit: int) -> list[tuple[bool, int, int, float, bool, int]]:
    """Of each gold file: whether its fragment overlaps, the fragment's lines, the file's, the chance of a blind one,
    and whether the focus overlaps, and its lines."""
    rows = []
    with Oracl.at(str(clone)) as oracl:
        oracl.settings["oracl.telemetry"] = "false"
        for case in cases:
            for result in oracl.search(case["query"].replace("\n", " "), limit=limit, update=False).results:
                if result.path not in case["gold"]:
                    continue
                node = oracl.index.node(result.path)
                changed = changed_at_base(clone, case["base"], case["src"], result.path)
                changed = {line for line in changed if node and line <= node.lines}  # none stands below the end
                if not changed or node is None:
                    continue
                first, _, last = (result.fragment or f"L1-{node.lines}")[1:].partition("-")
                start, stop = int(first), int(last or first)
                size = stop - start + 1
                places = max(1, node.lines - size + 1)
                near = {s for line in changed for s in range(max(1, line - size + 1), min(line, places) + 1)}
                hit = any(start <= line <= stop for line in changed)
                first, _, last = (result.focus or f"L1-{node.lines}")[1:].partition("-")
                low, high = int(first), int(last or first)
                focus = any(low <= line <= high for line in changed), high - low + 1
                rows.append((hit, size, node.lines, min(1.0, len(near) / places), *focus))
    return rows


if __name__ == "__main__":
    main()
