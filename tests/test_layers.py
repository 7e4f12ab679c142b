"""The layering, checked by the imports themselves.

cli, lsp, hooks, agent → service → recall, vault, ontology, graph, store → extract, git
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import oracl_git.hooks
import oracl_git.lsp
from pytest import mark

ROOT = Path(oracl_git.__file__).parent
# Imported by names that are not their places.
ELSEWHERE = {Path(package.__file__).parent: package.__name__ for package in (oracl_git.hooks, oracl_git.lsp)}
# Package → how high it stands. Modules of one level may import each other, in one direction.
LEVELS = {
    "errors": 0, "embedding": 1, "extract": 1, "git": 1, "graph": 2, "store": 2, "check": 2, "recall": 2, "vault": 2,
    "ontology": 2, "telemetry": 2, "uncommitted": 2, "learn": 2, "companion": 3, "service": 3, "cli": 4, "lsp": 4,
    "hooks": 4, "agent": 4, "script": 5, "whole": 0, "inherited": 0, "plain": 0,
}  # fmt: skip
# What touches the world outside, and the only package that may.
OWNERS = {
    "pygit2": {"git"},
    "subprocess": {"git", "ontology", "store"},
    "tree_sitter": {"extract"},
    "tree_sitter_python": {"extract"},
    "sqlite3": {"store", "ontology"},
    "cryptography": {"vault"},
    "networkx": {"recall"},
    "rich": {"cli"},
    "anyio": {"agent"},
    "mcp": {"agent"},
    "pydantic": {"agent"},
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
}
# The parsers stand for themselves: text goes in, and they know nothing of where it goes.
PARSERS = "oracl_git.ontology.parsers"
# `doctor` names the version of SQLite.
EXCEPTIONS = {("service", "sqlite3")}
NO_IO = {
    "graph": "os io pathlib sqlite3 subprocess socket shutil tempfile time datetime random threading logging",
    "extract": "sqlite3 subprocess socket shutil tempfile time datetime random threading logging",
}


@cache
def modules() -> dict[str, Path]:
    """The file of every module, by its dotted name."""
    places = [(path, ROOT.parent) for path in ROOT.rglob("*.py")]
    places += [(path, top) for top in ELSEWHERE for path in top.glob("*.py")]
    files = {}
    for path, top in sorted(places):
        parts = path.relative_to(top).with_suffix("").parts
        if top in ELSEWHERE:
            parts = (*ELSEWHERE[top].split("."), *parts)
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return files


def package(name: str) -> str:
    """oracl_git.store.index → store; oracl_git itself → ""."""
    return name.split(".")[1] if "." in name else ""


@cache
def imports(name: str) -> list[tuple[str, bool]]:
    """(absolute name, whether it happens when the module is loaded) of everything a module imports."""
    path = modules()[name]
    base = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    tree = ast.parse(path.read_bytes())
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
        for node in ast.walk(block)
    }
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for node in ast.walk(function)
    }
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        loaded = id(node) not in inner
        if isinstance(node, ast.Import):
            found += [(alias.name, loaded) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = base[: len(base) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{module}.{alias.name}"
                found.append((full if full in modules() else module, loaded))
    return found


def test_no_arrow_points_up() -> None:
    wrong = []
    for name in modules():
        here = package(name)
        for target, _ in imports(name):
            there = package(target) if target.startswith("oracl_git.") else ""
            if here and there and LEVELS[there] > LEVELS[here]:
                wrong.append(f"{name} imports {target}")
    assert not wrong


def test_parsers_know_nothing_of_the_rest() -> None:
    allowed = (f"{PARSERS}.", "oracl_git.errors.")
    wrong = [
        f"{name} imports {target}"
        for name in modules()
        if f"{name}.".startswith(f"{PARSERS}.")
        for target, _ in imports(name)
        if target.startswith("oracl_git.") and not f"{target}.".startswith(allowed)
    ]
    assert not wrong


def test_every_package_has_a_level() -> None:
    assert {package(name) for name in modules()} - {""} <= set(LEVELS)


def test_packages_form_no_cycle() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for name in modules():
        for target, _ in imports(name):
            there = package(target) if target.startswith("oracl_git.") else ""
            if there and there != package(name) and package(name):
                arrows[package(name)].add(there)
    assert not _cycle(arrows)


def test_modules_form_no_cycle_when_they_are_loaded() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for name in modules():
        for target, loaded in imports(name):
            if loaded and target.startswith("oracl_git.") and target != name:
                arrows[name].add(target)
    # A package may name its own modules: that is what its __init__ is for.
    for name in arrows:
        arrows[name] = {t for t in arrows[name] if t != name.rpartition(".")[0]}
    assert not _cycle(arrows)


def _cycle(arrows: dict[str, set[str]]) -> list[str]:
    """Some cycle, or nothing."""
    done: set[str] = set()

    def visit(node: str, way: tuple[str, ...]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        for following in sorted(arrows.get(node, ())):
            found = visit(following, (*way, node))
            if found:
                return found
        done.add(node)
        return []

    for start in sorted(arrows):
        found = visit(start, ())
        if found:
            return found
    return []


@mark.parametrize("outside", OWNERS)
def test_one_package_touches_it(outside: str) -> None:
    wrong = []
    for name in modules():
        for target, _ in imports(name):
            allowed = package(name) in OWNERS[outside] or (package(name), outside) in EXCEPTIONS
            if target.partition(".")[0] == outside and not allowed:
                wrong.append(f"{name} imports {target}")
    assert not wrong


@mark.parametrize("pure", NO_IO)
def test_a_pure_package_reads_nothing_but_its_arguments(pure: str) -> None:
    forbidden = set(NO_IO[pure].split())
    wrong = []
    for name, path in modules().items():
        if package(name) == pure:
            wrong += [f"{name} imports {target}" for target, _ in imports(name) if target in forbidden]
            calls = [node.func for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call)]
            if pure == "graph":
                wrong += [f"{name} opens a file" for call in calls if isinstance(call, ast.Name) and call.id == "open"]
    assert not wrong


def test_every_module_says_what_it_knows() -> None:
    for name, path in modules().items():
        text = ast.get_docstring(ast.parse(path.read_bytes()))
        assert text and len(text) > 20, name
