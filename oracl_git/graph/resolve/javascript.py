"""JavaScript and TypeScript: modules by path, as node, tsc and bundlers find them.

Knows which files `./name` may mean.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, UNRESOLVED, Resolution, exact, first, inside, parent

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json")
_TRIED = ("", *_SUFFIXES, *(f"/index{suffix}" for suffix in _SUFFIXES))
# What TypeScript writes → what it may have been written as.
_SOURCES = {".js": (".ts", ".tsx", ".d.ts", ".jsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file that a module specifier means."""
    target = reference.target
    if not target.startswith("."):
        return EXTERNAL
    stem = inside(parent(source), target)
    if stem is None:
        return UNRESOLVED
    found = first(names, stem, _TRIED) or _written_as(names, stem)
    return exact(found, symbol=reference.name.strip("*")) if found else UNRESOLVED


def _written_as(names: Names, stem: str) -> str | None:
    for suffix, sources in _SOURCES.items():
        if stem.endswith(suffix):
            return first(names, stem.removesuffix(suffix), sources)
    return None
