"""How many imports of a repository lead where its own tools say they lead.

    python tools/eval/imports.py REPOSITORY TRUTH.jsonl [--language NAME …] [--misses N]

A line of TRUTH is one import inside the repository, as a compiler or another tool of
the language resolves it: {"source": path, "targets": [path, …]}. Several targets are
one answer (the files of a package); any edge to one of them counts as found. Imports of files that the
index leaves out (pictures, generated and minified ones) are not asked for; their number is printed.
With "asked": false a line says what is true, but outside what the tool was asked for: it counts for precision alone.

    recall     imports of TRUTH with an edge to a target
    precision  `imports` edges of the sources that TRUTH names which lead to a target of theirs

Names used without an import (of the same package, or of one imported whole) become
`references`: --relation references, or both, holds those against a TRUTH that has them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable

from oracl_git.git import discover
from oracl_git.store.index import Index
from oracl_git.store.update import update


def edges(
    place: str, languages: Iterable[str], relations: Iterable[str], judged: Iterable[str], aside: Iterable[str]
) -> tuple[dict[str, set[str]], set[str]]:
    """Source → the targets of its edges of some relations, of and to files in some languages (none: of all).

    `aside` are languages whose files are no target here.
    Also all paths that the index holds.
    """
    repo = discover(place)
    update(repo)
    found: dict[str, set[str]] = defaultdict(set)
    wanted, kinds, others = set(languages), set(judged), set(aside)
    with Index(repo) as index:
        nodes = {node.id: node for node in index.all_nodes()}
        for link in index.all_links():
            source = nodes[link.source]
            target = nodes[link.target]
            asked = (not wanted or source.language in wanted) and (not kinds or target.language in kinds)
            if link.relation in relations and asked and target.language not in others:
                found[source.path].add(target.path)
    return found, {node.path for node in nodes.values()}


def main() -> None:
    """Compare, and print one line of figures."""
    parser = argparse.ArgumentParser(description="Hold imports against what a language's own tool says.")
    parser.add_argument("repository")
    parser.add_argument("truth")
    parser.add_argument("--language", action="append", default=[], help="only edges of files in this language")
    parser.add_argument("--relation", action="append", default=[], help="edges that count (default: imports)")
    parser.add_argument(
        "--judged", action="append", default=[], metavar="LANGUAGE", help="only edges to what the tool itself looks for"
    )
    parser.add_argument(
        "--aside",
        action="append",
        default=[],
        metavar="LANGUAGE",
        help="wrong edges that are none of the tool's matter",
    )
    parser.add_argument(
        "--through",
        default="",
        metavar="LANGUAGE",
        help="what a file in this language names, those that name it do, too",
    )
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show so many of each kind of fault")
    asked = parser.parse_args()
    with open(asked.truth, encoding="utf-8") as file:
        truth = [json.loads(line) for line in file]
    relations = asked.relation or ["imports"]
    found, indexed = edges(asked.repository, asked.language, relations, asked.judged, [])
    matter, _ = edges(asked.repository, asked.language, relations, asked.judged, asked.aside)
    if asked.through:
        lists, _ = edges(asked.repository, [asked.through], relations, asked.judged, [])
        naming, _ = edges(asked.repository, asked.language, relations, [asked.through], [])
        for source, between in naming.items():
            further = set().union(*(lists[each] for each in between))
            found[source], matter[source] = found[source] - between | further, matter[source] | further
    targets: dict[str, set[str]] = defaultdict(set)
    also: dict[str, set[str]] = defaultdict(set)
    missing, left_out = [], 0
    for row in truth:
        wanted = set(row["targets"]) - {row["source"]}
        if not row.get("asked", True):
            also[row["source"]] |= wanted
            continue
        if wanted and not (wanted & indexed and row["source"] in indexed):
            left_out += 1
            continue
        targets[row["source"]] |= wanted
        if wanted and not wanted & found[row["source"]]:
            missing.append(row)
    made = [
        (source, target)
        for source in targets
        for target in sorted(found[source])
        if target in matter[source] or target in targets[source]
    ]
    wrong = [(source, target) for source, target in made if target not in targets[source] | also[source]]
    for row in missing[: asked.misses]:
        print(f"missing  {row['source']} → {' | '.join(row['targets'][:3])}", file=sys.stderr)
    for source, target in wrong[: asked.misses]:
        print(f"wrong    {source} → {target}", file=sys.stderr)
    asked_for = sum(row.get("asked", True) for row in truth) - left_out
    recall = 1 - len(missing) / asked_for if asked_for else 0.0
    precision = 1 - len(wrong) / len(made) if made else 0.0
    print(
        f"{len(targets)} files, {asked_for} imports: recall {recall:.3f}, precision {precision:.3f} of {len(made)}"
        f" ({left_out} more of files that the index leaves out)"
    )


if __name__ == "__main__":
    main()
