"""JavaScript and TypeScript: modules as node, tsc and bundlers find them.

Knows the kinds of names a module is imported by: a path, "#own", a name that
settings or an alias give, a package of the tree, one that a page maps. What manifests and settings
say, `npm` reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...extract.facts import Reference
from ..names import Names
from . import npm
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, parent
from .packages import beside, nearest_of

# How a path below the sources of a package is often written, and where those lie.
_ALIAS_PLACES = ("src", "", "app")
_ALIASES = {**dict.fromkeys(("@/", "~/", "~~/", "@@/"), _ALIAS_PLACES), "$lib/": ("src/lib",)}  # the last: SvelteKit's
_ROOTED = ("src/", "app/", "lib/", "test/", "tests/")
_PAGES = (".html", ".htm")
_SERVED = ("", "public", "src", "static")  # where "/x" may lie, in the directory that is served


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file that a module specifier means."""
    if source.endswith(".json") and reference.target.endswith(".json"):
        begun = npm.extended(names, source, reference.target)
        return exact(begun) if begun else EXTERNAL
    return find(names, source, reference.target, reference.name.strip("*"))


def find(names: Names, source: str, target: str, symbol: str = "") -> Resolution:
    """The file that a name means in a script, a component or a page."""
    target = target.rpartition("!")[2]  # loaders stand before it
    target = target.partition("?")[0]
    order = npm.TYPED if source.endswith(("ts", ".tsx", ".vue", ".svelte", ".astro")) else npm.PLAIN
    directory = parent(source)
    found = names.once(_find, join(directory, "x"), target, order)
    if isinstance(found, Resolution):
        return found
    path, certain = found
    return exact(path, symbol=symbol) if certain else likely((path,), symbol)


def _find(names: Names, source: str, target: str, order: tuple[str, ...]) -> npm.Found | Resolution:
    if target.startswith((".", "/")):
        return _by_path(names, source, target, order)
    if not target or ":" in target:
        return EXTERNAL
    if target.startswith("#") and (own := npm.internal(names, source, target, order)):
        return own
    found = npm.mapped(names, source, target, order)
    if found:
        return found, True
    if target.startswith("#"):
        return UNRESOLVED
    name, rest = npm.split(target)
    manifest = npm.package(names, source, name)
    if manifest:
        return npm.entry(names, manifest, rest, order) or UNRESOLVED
    return _aliased(names, source, target, order) or _mapped(names, source, target, order) or EXTERNAL


def _by_path(names: Names, source: str, target: str, order: tuple[str, ...]) -> npm.Found | Resolution:
    if target.startswith("/"):
        for place in above(source):
            for served in _SERVED:
                if found := npm.locate(names, join(place, f"{served}{target}".strip("/")), order):
                    return found, False
        return UNRESOLVED
    stem = inside(parent(source), target)
    if stem is None:
        return UNRESOLVED
    found = npm.locate(names, stem, order) or npm.rooted(names, source, stem, order)
    return (found, True) if found else UNRESOLVED


def _aliased(names: Names, source: str, target: str, order: tuple[str, ...]) -> npm.Found | None:
    for stem in aliases(names, source, target):
        if found := npm.locate(names, stem, order):
            return found, False
    return None


def _mapped(names: Names, source: str, target: str, order: tuple[str, ...]) -> npm.Found | None:
    """What the nearest pages of the tree call so, if they agree: the longest of the names that it may begin with."""
    if names.declaring("import maps", "") == ():
        return None
    for cut in (len(target), *(at + 1 for at in range(len(target) - 1, -1, -1) if target[at] == "/")):
        name, rest = target[:cut], target[cut:]
        found: dict[str, None] = {}
        for page in _pages(names, source, name):
            for address in names.declared(page, f"import map {name}"):
                meant = _by_path(names, page, address + rest, order)
                if not isinstance(meant, Resolution):
                    found[meant[0]] = None
        if found:
            return (next(iter(found)), False) if len(found) == 1 else None
    return None


def _pages(names: Names, source: str, name: str) -> tuple[str, ...]:
    """The pages nearest to a file that call some module so; of very many, those in a directory above it."""
    found = names.declaring("import map", name)
    if found is not None:
        return nearest_of(source, found)
    for place in above(source):
        if known := beside(names, "import map", place, _PAGES).get(name):
            return tuple(known)
    return ()


def aliases(names: Names, source: str, target: str) -> Iterator[str]:
    """What settings that are programs most often make of an alias."""
    alias = next((alias for alias in _ALIASES if target.startswith(alias)), "")
    if not alias and not target.startswith(_ROOTED):
        return
    for here in dict.fromkeys((npm.directory(names, source), "")):
        for place in _ALIASES[alias] if alias else ("", "src"):
            yield join(here, join(place, target[len(alias) :]))
