"""Relative imports of JavaScript and TypeScript, as node and bundlers find them.

Knows which files `./name` may mean. Knows nothing of aliases, base URLs or
packages: what does not begin with a dot is not looked at.
"""

from __future__ import annotations

import posixpath
import re

from .tree import Tree

SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_TRIED = (*SUFFIXES, ".d.ts", ".d.mts", ".d.cts", ".json", ".node", ".vue", ".svelte")
# What TypeScript writes → what it was written as.
_SOURCES = {
    ".js": (".ts", ".tsx", ".jsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts", ".d.mts"), ".cjs": (".cts", ".d.cts"),
}  # fmt: skip
_MADE = (".css", ".wasm", ".html")  # of a file of the same name, often
# What lies beside a module and is not it.
_BESIDE = re.compile(r"(?:test|spec|test-d|bench|stories|story)\b|(?:[jt]sx?\.snap|md|mdx|(?:d\.ts|js|css)\.map)$")
_BEFORE = 500  # bytes looked at before an import
_OPTIONAL = re.compile(rb"\btry\b[ \t]*\{[^}]*\Z")  # within a try block: it may fail


def resolve(tree: Tree, source: str, target: str) -> tuple[str, str] | None:
    """(the file, what it is called by beyond what is written) that an import leads to; None when to none."""
    if not target.startswith("."):
        return None
    place = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if place.startswith("..") or place == ".":
        return None
    if tree.exists(place):
        return place, ""
    for suffix in (*_TRIED, *(f"/index{suffix}" for suffix in _TRIED)):
        if tree.exists(place + suffix):
            return place + suffix, suffix
    stem, written = posixpath.splitext(place)
    for suffix in _SOURCES.get(written, ()):
        if tree.exists(stem + suffix):
            return stem + suffix, f"{suffix}<{written}"
    return None


def uncertain(tree: Tree, source: str, target: str) -> bool:
    """Whether something else may be meant: a manifest names it, or a file of another kind, or for some platform."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if tree.exists(f"{place}/package.json") or tree.stems.get(f"{place}/index"):
        return True
    directory, slash, name = place.rpartition("/")
    stem, suffix = posixpath.splitext(name)
    names = (name, stem) if suffix in (*_TRIED, *_MADE) else (name,)
    for path in tree.stems.get(f"{directory}{slash}{name.partition('.')[0]}", ()):
        other = path.rpartition("/")[2]
        for each in names:
            kind = other.removeprefix(f"{each}.")
            if kind != other and not _BESIDE.match(kind):
                return True
    return False


def renamed(source: str, suffix: str, goal: str) -> str:
    """How the file would be written now, in the manner of the old; "" when that is not plain."""
    kept, _, written = suffix.partition("<")
    if kept and not goal.endswith(kept):  # without a suffix, as before
        kept = posixpath.splitext(goal)[1]
        if written or kept not in SUFFIXES:
            return ""
    goal = goal[: len(goal) - len(kept)] + written
    text = posixpath.relpath(goal, posixpath.dirname(source) or ".")
    return text if text.startswith("../") else f"./{text}"


def optional(text: bytes) -> bool:
    """Whether an import at the end of a text stands in a `try` block."""
    return _OPTIONAL.search(text[-_BEFORE:]) is not None
