"""Where names and modules of Terraform lead: the truth for tools/eval/imports.py.

    python tools/eval/truth_terraform.py REPOSITORY > TRUTH.jsonl

Needs `terraform` (for `terraform get`, which without a network still resolves modules by path) and `python-hcl2`.
A line is a call of a module in a directory of the tree, which leads to any file of that directory, or a
name that another file of the same directory defines, as python-hcl2 reads both.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import hcl2

_NAMED = re.compile(
    r"(?<![\w.\"-])(?:(var|local|module)\.([A-Za-z_][\w-]*)|(data\.)?([a-z][a-z0-9]*_\w+)\.([A-Za-z_][\w-]*))"
)

_FOUND = re.compile(r"^- ([^\s.]+) in (.+)$", re.MULTILINE)


def _plain(name: str) -> str:
    return name.strip('"')


def defined(tree: dict[str, Any]) -> Iterator[str]:
    """What a file defines, as expressions name it."""
    for kind, head in (("variable", "var"), ("module", "module")):
        for block in tree.get(kind, []):
            yield from (f"{head}.{_plain(name)}" for name in block)
    for block in tree.get("locals", []):
        yield from (f"local.{_plain(name)}" for name in block)
    for kind, head in (("resource", ""), ("data", "data.")):
        for block in tree.get(kind, []):
            for sort, named in block.items():
                yield from (f"{head}{_plain(sort)}.{_plain(name)}" for name in named)


def expressions(value: Any) -> Iterator[str]:
    """All text of a tree that may hold expressions."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from expressions(each)
    elif isinstance(value, list):
        for each in value:
            yield from expressions(each)
    elif isinstance(value, str):
        yield from re.findall(r"\$\{.*\}", value, re.DOTALL)


def modules(directory: str, trees: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Name of a module by path → where `terraform get` says it lies, relative to the directory."""
    calls = {
        _plain(name): _plain(said["source"])
        for tree in trees
        for block in tree.get("module", [])
        for name, said in block.items()
    }
    for name in os.listdir(directory):  # what comes from a registry would end the whole of it
        if name.endswith((".tf", ".tf.json")):
            os.remove(os.path.join(directory, name))
    with open(os.path.join(directory, "calls.tf"), "w", encoding="utf-8") as file:
        for name, source in calls.items():
            if source.startswith("."):
                file.write(f'module "{name}" {{\n  source = "{source}"\n}}\n')
    with tempfile.TemporaryDirectory() as data:
        run = subprocess.run(
            ["terraform", "get", "-no-color"],
            cwd=directory,
            env=os.environ | {"TF_DATA_DIR": data, "TF_CLI_CONFIG_FILE": os.devnull},
            capture_output=True,
            text=True,
        )
    return dict(_FOUND.findall(run.stdout))


def main() -> None:
    """Print the truth."""
    place = os.path.realpath(sys.argv[1])
    listed = subprocess.run(["git", "-C", place, "ls-files", "-z", "*.tf"], capture_output=True, check=True)
    folders: dict[str, list[str]] = defaultdict(list)
    for path in sorted(filter(None, listed.stdout.decode().split("\0"))):
        folders[os.path.dirname(path)].append(path)
    for folder, files in folders.items():
        trees = {}
        for path in files:
            with open(os.path.join(place, path), encoding="utf-8") as file:
                try:
                    trees[path] = hcl2.load(file)
                except Exception:
                    print(f"not read: {path}", file=sys.stderr)
        where = {name: path for path, tree in trees.items() for name in defined(tree)}
        copy = tempfile.mkdtemp()
        shutil.copytree(place, copy, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        leads = modules(os.path.join(copy, folder), trees.values())
        shutil.rmtree(copy)
        for path, tree in trees.items():
            for block in tree.get("module", []):
                for name in map(_plain, block):
                    target = os.path.normpath(os.path.join(folder, leads.get(name, "\0")))
                    if target in folders or (target == "." and "" in folders):
                        row = {"source": path, "module": name, "targets": folders["" if target == "." else target]}
                        print(json.dumps(row))
            used = {match for text in expressions(tree) for match in _NAMED.findall(text)}
            for kind, own, data, sort, named in sorted(used):
                name = f"{kind}.{own}" if kind else f"{data}{sort}.{named}"
                target = where.get(name, path)
                if target != path:
                    print(json.dumps({"source": path, "name": name, "targets": [target]}))


if __name__ == "__main__":
    main()
