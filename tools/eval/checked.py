"""Uses of names in a sample of a repository: how many are followed, and how rightly.

    python tools/eval/checked.py REPOSITORY CHECKED.jsonl [--misses N]

The answers of Polly, FluentValidation, okhttp and kotlinx.serialization were proposed by a search for declarations;
all but the last were then read through. Those of ohmyzsh, dokku, micropython, arm-trusted-firmware, pgtap and
db-sample-schemas are what an index said, read through and corrected. All others were decided by hand from the sources
and the tree, before anything was measured.

A line of CHECKED is one place of a sample: {"source": path, "name": what stands there, "targets": [path, …]},
where no targets means that the name stands for nothing in the repository, although something there has it.
"line" instead of "name": all that this line names; of several lines of a file that name the same, an index keeps
the first, and it counts for each. "also": what a line names besides, which is not asked for. Lines whose
targets an index leaves out (images, generated files) are not asked for; their number is printed.

    recall     of the lines with targets, those with an edge for the name to one of them
    precision  of the edges for the names of all lines, those that lead to a target
"""

from __future__ import annotations

import argparse
import json
import sys

from oracl_git.git import discover
from oracl_git.store.index import Index
from oracl_git.store.update import update


def main() -> None:
    """Compare, and print one line of figures."""
    parser = argparse.ArgumentParser(description="Hold names that are followed against a sample of them.")
    parser.add_argument("repository")
    parser.add_argument("checked")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show so many faults")
    asked = parser.parse_args()
    with open(asked.checked, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    repo = discover(asked.repository)
    update(repo)
    found: dict[tuple[str, str | int], set[str]] = {}
    whole: dict[str, set[str]] = {}
    with Index(repo) as index:
        nodes = {node.id: node for node in index.all_nodes()}
        indexed = {node.path for node in nodes.values()}
        for link in index.all_links():
            if link.relation in ("imports", "references"):
                source, target = nodes[link.source].path, nodes[link.target].path
                whole.setdefault(source, set()).add(target)
                found.setdefault((source, link.target_fragment.rpartition(".")[2]), set()).add(target)
                first, _, last = link.source_fragment.removeprefix("L").partition("-")
                for line in range(int(first or 0), int(last or -1) + 1):
                    found.setdefault((source, line), set()).add(target)
    hits = meant = right = made = left_out = 0
    faults = []
    for row in rows:
        if row["targets"] and not indexed & set(row["targets"]):
            left_out += 1
            continue
        said = row.get("line") or row["name"]
        edges = found.get((row["source"], said), set()) - set(row.get("also", ()))
        if "line" in row:
            edges = edges | whole.get(row["source"], set()) & set(row["targets"])
        meant += bool(row["targets"])
        hits += bool(edges & set(row["targets"]))
        made += len(edges)
        right += len(edges & set(row["targets"]))
        if edges - set(row["targets"]) or (row["targets"] and not edges):
            faults.append(f"{row['source']} {said}: {sorted(edges)}, not {row['targets']}")
    for fault in faults[: asked.misses]:
        print(fault, file=sys.stderr)
    print(f"{len(rows)} checked: recall {hits}/{meant}, precision {right}/{made} ({left_out} more of files left out)")


if __name__ == "__main__":
    main()
