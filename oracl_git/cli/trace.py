"""git oracl trace: what depends on what; what a change can break."""

from __future__ import annotations

import argparse
import sys

from ..graph.parameters import RELATION_WEIGHTS
from ..recall.model import Step, path_json
from ..recall.trace import walk
from ..service import Oracl
from . import output
from .parser import machine, positive, worktree

_BESIDE = 12  # columns that a long path leaves to what is said of it

_EPILOG = """\
examples:
  git oracl trace src/app.py --in --depth 2
  git oracl trace src/app.py --to src/db.py
  git oracl trace --impact --staged --tests -z | xargs -0 pytest
  git oracl trace src/app.py --out --dot | dot -Tsvg > app.svg"""


def configure_trace(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("paths", nargs="*", metavar="PATH", help="where to start")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--out", dest="direction", action="store_const", const="out", help="what it depends on (default)")
    way.add_argument("--in", dest="direction", action="store_const", const="in", help="what depends on it")
    way.add_argument("--both", dest="direction", action="store_const", const="both", help="both ways")
    parser.set_defaults(direction="out")
    parser.add_argument("--depth", type=positive, default=2, metavar="N", help="how far to walk (default 2)")
    parser.add_argument(
        "--relation", nargs="+", action="extend", default=[], metavar="R",
        help=f"only edges of these relations: {', '.join(RELATION_WEIGHTS)}",
    )  # fmt: skip
    parser.add_argument("--to", metavar="PATH", default="", help="the shortest paths to another file")
    parser.add_argument("--impact", action="store_true", help="what a change of these files can break, tests first")
    parser.add_argument("--staged", action="store_true", help="with --impact: the staged files")
    parser.add_argument("--commit", metavar="REV", default="", help="with --impact: the files of a commit")
    parser.add_argument("--diff", metavar="RANGE", default="", help="with --impact: the files of A..B")
    parser.add_argument("--tests", action="store_true", help="with --impact: tests only")
    worktree(parser)
    machine(parser)
    parser.add_argument("-z", action="store_true", help="paths only, each ended by a NUL")
    parser.add_argument("--dot", action="store_true", help="as a Graphviz graph")
    parser.add_argument("--mermaid", action="store_true", help="as a Mermaid graph")


def run_trace(args: argparse.Namespace) -> int:
    """Walk; 1 when there is nothing to show."""
    # `--relation imports PATH`: what is no relation is the path.
    args.paths += [word for word in args.relation if word not in RELATION_WEIGHTS]
    args.relation = [word for word in args.relation if word in RELATION_WEIGHTS]
    with Oracl.at(worktree=args.worktree) as oracl:
        if args.impact:
            return _impact(oracl, args)
        if args.staged or args.commit or args.diff or args.tests:
            print(
                "git-oracl: --staged, --commit, --diff and --tests go with --impact.\nhint: git oracl trace -h",
                file=sys.stderr,
            )
            return 2
        if len(args.paths) != 1:
            print("git-oracl: trace starts at one path.\nhint: git oracl trace -h", file=sys.stderr)
            return 2
        if args.to:
            return _paths(oracl, args)
        tree = oracl.trace(args.paths[0], direction=args.direction, depth=args.depth, relations=args.relation)
        output.note(oracl.notes)
        _show(tree, args)
        return 0 if tree.children else 1


def _show(tree: Step, args: argparse.Namespace) -> None:
    if args.json:
        output.emit({"direction": args.direction, "depth": args.depth, "tree": tree.to_json()})
    elif args.z:
        seen: dict[str, None] = {}
        walk(tree, lambda step, parent: seen.setdefault(step.path) if parent else None)
        output.write_paths(seen)
    elif args.dot or args.mermaid:
        _drawing(tree, args)
    else:
        print(output.paint(output.plain(tree.path), "path"))
        _branches(tree)
        if not tree.children:
            output.note(["nothing in that direction"])


def _branches(tree: Step) -> None:
    room = output.width()
    todo = [(child, "", child is tree.children[-1]) for child in reversed(tree.children)]
    while todo:
        step, indent, last = todo.pop()
        says = output.plain(f"{step.relation} {step.symbol}".strip()) + (" (shown above)" if step.cycle else "")
        stem = indent + ("└─ " if last else "├─ ")
        beside = min(len(says), max(_BESIDE, len(step.relation)))
        name = output.fit(output.place(step.path, step.fragment), max(12, room - len(stem) - beside - 2))
        rest = room - len(stem) - len(name) - 2
        print(f"{stem}{output.paint(name, 'path')}" + (f"  {output.cut(says, rest)}" if rest > 3 else ""))
        below = indent + ("   " if last else "│  ")
        todo.extend((child, below, child is step.children[-1]) for child in reversed(step.children))


def _drawing(tree: Step, args: argparse.Namespace) -> None:
    numbers: dict[str, int] = {}
    edges: dict[tuple[str, str, str], None] = {}

    def visit(step: Step, parent: Step | None) -> None:
        numbers.setdefault(step.path, len(numbers))
        if parent:
            ends = (parent.path, step.path) if step.away else (step.path, parent.path)
            edges.setdefault((*ends, step.relation))

    walk(tree, visit)
    if args.dot:
        print("digraph oracl {\n  rankdir=LR;\n  node [shape=box, fontname=monospace];")
        for path, number in numbers.items():
            print(f"  n{number} [label={_quoted(path)}];")
        for source, target, relation in edges:
            print(f"  n{numbers[source]} -> n{numbers[target]} [label={_quoted(relation)}];")
        print("}")
        return
    print("graph LR")
    for path, number in numbers.items():
        label = output.plain(path).replace('"', "#quot;")
        print(f'  n{number}["{label}"]')
    for source, target, relation in edges:
        print(f"  n{numbers[source]} -->|{relation}| n{numbers[target]}")


def _quoted(text: str) -> str:
    return '"' + output.plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _paths(oracl: Oracl, args: argparse.Namespace) -> int:
    found = oracl.paths_between(args.paths[0], args.to, direction=args.direction, relations=args.relation)
    output.note(oracl.notes)
    if args.json:
        output.emit({"direction": args.direction, "paths": [[step.to_json() for step in path] for path in found]})
    elif args.z:
        output.write_paths(dict.fromkeys(step.path for path in found for step in path))
    else:
        for path in found:
            print(output.paint(output.plain(path[0].path), "path"))
            for step in path[1:]:
                print(f"  ─{step.relation}→ {output.paint(output.plain(step.path), 'path')}")
        if not found:
            output.note(["no path in that direction"])
    return 0 if found else 1


def _impact(oracl: Oracl, args: argparse.Namespace) -> int:
    paths = list(args.paths)
    if args.staged or args.commit or args.diff:
        paths += [":/" + path for path in oracl.changed_paths(staged=args.staged, commit=args.commit, diff=args.diff)]
        if not paths:
            output.empty_change(args.staged)
            return 1
    if not paths:
        print("git-oracl: --impact needs a path or a change.\nhint: git oracl trace -h", file=sys.stderr)
        return 2
    rows = oracl.impact(paths, depth=args.depth, relations=args.relation or None)
    if args.tests:
        tests = [row[0].path for row in rows if row[0].role == "tests"]
        changed = sorted(node.path for node in oracl.artifacts(paths) if node.role == "tests")
        keep = dict.fromkeys([*changed, *tests])
        rows = [row for row in rows if row[0].path in keep]
        listed = list(keep)
    else:
        listed = [row[0].path for row in rows]
    output.note(note.replace(":/", "") for note in oracl.notes)
    if args.json:
        output.emit({
            "changed": [path_json(oracl.meant(name)) for name in paths],
            "impact": [
                {**path_json(node.path), "kind": node.role, "distance": distance, "relation": how.relation,
                 "fragment": how.fragment, "via": how.path}
                for node, distance, how in rows
            ],
        })  # fmt: skip
    elif args.z:
        output.write_paths(listed)
    else:
        room = output.width()
        for node, distance, how in rows:
            via = output.plain(how.path)
            beside = min(len(how.relation) + 1 + len(via), max(_BESIDE, len(how.relation)))
            where = output.fit(output.place(node.path, how.fragment), max(12, room - beside - 5))
            rest = room - len(where) - 5
            far = rest - len(how.relation) - 1
            says = f"{how.relation} {output.fit(via, far)}" if far > 4 else output.cut(how.relation, rest)
            print(f"{distance}  {output.paint(where, 'path')}" + (f"  {says}" if rest > 4 else ""))
        if not rows:
            output.note(["nothing in the index depends on it"])
    return 0 if listed else 1
