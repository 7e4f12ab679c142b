"""Where Python's own import machinery says that the imports of a repository lead.

    python tools/eval/truth_python.py REPOSITORY [ROOT …] > TRUTH.jsonl

`ast` reads each file; `importlib`'s finders look for each module, first in the directory that would be
on the path for the file (the one its outermost package lies in), then in the roots given, which are those
that are installed (src, say). A name that is no module leads to its package, or to the file that a chain
of re-exports ends in. Run it with the packages of the repository and what they need installed: each module of the
roots is then also really imported, and what its `__file__` says must agree (counts go to standard error).
Notebooks are read cell by cell.
A line: {"source": path, "targets": [path, …]}.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from typing import Any

Place = tuple[str, tuple[str, ...]]  # a module's file ("" for a namespace), and where its submodules lie


@cache
def find(name: str, path: tuple[str, ...]) -> Place | None:
    """The module of a dotted name, by the finders alone."""
    places: tuple[str, ...] = path
    file = ""
    for part in name.split("."):
        spec = PathFinder.find_spec(part, list(places)) if places else None
        if spec is None:
            return None
        file = spec.origin if spec.origin and spec.has_location else ""
        places = tuple(spec.submodule_search_locations or ())
    return file, places


def cells(notebook: dict[str, Any]) -> ast.Module:
    """The cells of code of a notebook in Python; magic lines, and cells that are no Python for them, are left out."""
    whole = ast.Module([], [])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            text = "".join(cell["source"])
            lines = ["pass" if row.lstrip().startswith(("%", "!", "?")) else row for row in text.splitlines()]
            with contextlib.suppress(SyntaxError, ValueError):
                whole.body += ast.parse("\n".join(lines)).body
    return whole


@cache
def tree(file: str) -> ast.Module | None:
    """The syntax of a file; None when it is no Python."""
    try:
        with open(file, "rb") as opened:
            return cells(json.load(opened)) if file.endswith(".ipynb") else ast.parse(opened.read())
    except (KeyError, TypeError, SyntaxError, ValueError, OSError, RecursionError):
        return None


def package_of(file: str) -> tuple[str, str]:
    """(dotted name of the package a file is in, the directory its outermost package lies in)."""
    directory = os.path.dirname(file)
    names: list[str] = []
    while os.path.exists(os.path.join(directory, "__init__.py")):
        directory, name = os.path.split(directory)
        names.insert(0, name)
    return ".".join(names), directory


def path_of(file: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    """What `sys.path` would begin with."""
    return tuple(dict.fromkeys((package_of(file)[1], *roots)))


def absolute(file: str, node: ast.ImportFrom) -> str | None:
    """The module of a `from` statement; None when it leaves its package."""
    if not node.level:
        return node.module
    parts = package_of(file)[0].split(".")
    if node.level > len(parts) or not parts[0]:
        return None
    return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])


def bindings(file: str) -> Iterator[ast.ImportFrom]:
    """The `from` statements outside functions and classes."""
    top = tree(file)
    stack: list[ast.AST] = list(top.body) if top else []
    while stack:
        node = stack.pop()
        if isinstance(node, ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler | ast.For | ast.While):
            stack.extend(ast.iter_child_nodes(node))


def origins(file: str, name: str, roots: tuple[str, ...], depth: int = 0) -> set[str]:
    """The files that a name of a module is handed on from."""
    found: set[str] = set()
    for node in bindings(file) if depth < 8 else ():
        for alias in node.names:
            if alias.name == "*" or (alias.asname or alias.name) == name:
                wanted = name if alias.name == "*" else alias.name
                found |= named(file, node, wanted, roots, depth + 1, star=alias.name == "*")
    return found


def defines(file: str, name: str) -> bool:
    """Whether a module says the name anywhere."""
    top = tree(file)
    return top is not None and any(
        name in (getattr(node, "name", None), getattr(node, "id", None), getattr(node, "asname", None))
        for node in ast.walk(top)
    )


def named(
    file: str, node: ast.ImportFrom, name: str, roots: tuple[str, ...], depth: int = 0, star: bool = False
) -> set[str]:
    """The files that one name of a `from` statement may mean."""
    module = absolute(file, node)
    place = find(module, path_of(file, roots)) if module else None
    if place is None or module is None:
        return set()
    submodule = find(f"{module}.{name}", path_of(file, roots)) if name != "*" and place[1] else None
    found = {submodule[0]} if submodule and submodule[0] else set()
    if place[0]:
        further = origins(place[0], name, roots, depth) if name != "*" else set()
        if not star or further or defines(place[0], name):
            found |= further | {place[0]}
    return found


def imports(file: str, roots: tuple[str, ...]) -> Iterator[set[str]]:
    """The files of each name that a file imports."""
    top = tree(file)
    for node in ast.walk(top) if top else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                place = find(alias.name, path_of(file, roots))
                if place and place[0]:
                    yield {place[0]}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield named(file, node, alias.name, roots)


def check(files: list[str], roots: tuple[str, ...]) -> None:
    """Import the modules of the roots for real, and compare."""
    same = other = failed = 0
    for file in files:
        root = next((root for root in roots if file.startswith(root + os.sep)), "")
        package, top = package_of(file)
        stem = os.path.basename(file).removesuffix(".py")
        if not package or top != root or stem.startswith("__"):
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                module = importlib.import_module(f"{package}.{stem}")
        except BaseException:  # what it needs is not installed, say
            failed += 1
            continue
        agrees = os.path.realpath(module.__file__ or "") == os.path.realpath(file)
        same, other = same + agrees, other + (not agrees)
    print(f"really imported: {same} from their files, {other} from others, {failed} not at all", file=sys.stderr)


def main() -> None:
    """Print the truth."""
    place = os.path.realpath(sys.argv[1])
    roots = tuple(os.path.normpath(os.path.join(place, root)) for root in sys.argv[2:])
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=place, capture_output=True, check=True).stdout
    tracked = set(filter(None, listed.decode().split("\0")))
    files = [os.path.join(place, path) for path in sorted(tracked) if path.endswith((".py", ".ipynb"))]
    for file in files:
        source = os.path.relpath(file, place)
        for found in imports(file, roots):
            targets = sorted({os.path.relpath(each, place) for each in found} & tracked - {source})
            if targets:
                print(json.dumps({"source": source, "targets": targets}))
    sys.path[:0] = list(roots)
    check([file for file in files if file.endswith(".py")], roots)


if __name__ == "__main__":
    main()
