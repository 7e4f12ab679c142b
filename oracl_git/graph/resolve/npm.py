"""npm packages of a tree, and the settings of its TypeScript and JavaScript projects.

Knows what manifests declare (the labels stand in `extract/npm.py`), and how what
is built is named after what it is built from. Nothing is installed: a package is
found when the tree itself holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..names import Names
from .model import above, first, inside, join, nearest, parent

# The order in which files of one stem are looked for, by who asks.
TYPED = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".json")
PLAIN = (".js", ".json", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts")
_COMPONENTS = (".vue", ".svelte", ".astro")
# What TypeScript writes → what it may have been written as.
_SOURCES = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_BUILT = frozenset("dist build lib out output es esm cjs umd types typings compiled js bundle".split())
_BUILT_SUFFIXES = (".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".css")
_SOURCE_FOLDERS = ("src", "", "source", "lib")
_TYPES = frozenset(("types", "typings"))
_STYLES = frozenset(("sass", "scss", "less", "style"))
_SETTINGS = ("tsconfig.json", "jsconfig.json")
_MAX_DEPTH = 8  # of settings that begin with others
_MAX_PROJECTS = 20

Found = tuple[str, bool]  # a file, and whether it is certainly meant


class Settings(NamedTuple):
    """What settings say of names: (pattern, places) pairs, where all others lie, and directories that are one."""

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None
    roots: tuple[str, ...] = ()


def locate(names: Names, stem: str, order: tuple[str, ...]) -> str | None:
    """The file that a path means, with or without its suffix, or the main one of a directory."""
    dot = stem.rfind(".", stem.rfind("/") + 1)
    written = _SOURCES.get(stem[dot:], ()) if dot > 0 else ()
    if written and order is TYPED:
        found = first(names, stem[:dot], written[:3])
        if found:
            return found
    if stem and names.exists(stem):
        return stem
    if written and (found := first(names, stem[:dot], written)):
        return found
    if stem and (found := first(names, stem, order)):
        return found
    manifest = join(stem, "package.json")
    if names.exists(manifest):
        rows = [row for row in _rows(names, manifest, "npm entry") if not row[1].startswith("exports")]
        for place in _places(stem, rows, "", order):
            if place != stem and (found := _file(names, place, order)):
                return found
    return first(names, join(stem, "index"), order) or (first(names, stem, _COMPONENTS) if stem else None)


def _file(names: Names, stem: str, order: tuple[str, ...]) -> str | None:
    return stem if names.exists(stem) else first(names, stem, order) or first(names, f"{stem}/index", order)


# ------------------------------------------------------------------ packages


def directory(names: Names, source: str) -> str:
    """The directory of the package a file belongs to."""
    manifest = nearest(names, source, "package.json")
    return parent(manifest) if manifest else ""


def package(names: Names, source: str, name: str) -> str | None:
    """The manifest of a package of the tree, the nearest of several that are called so."""
    own = nearest(names, source, "package.json")
    if own and name in names.declared(own, "npm package"):
        return own
    found = [path for path in names.declaring("npm package", name) or () if path.rpartition("/")[2] == "package.json"]
    return min(found, key=lambda path: (-_shared(source, path), path.count("/"), path)) if found else None


def _shared(a: str, b: str) -> int:
    """How many directories two paths have in common."""
    count = 0
    for left, right in zip(a.split("/")[:-1], b.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


def split(target: str) -> tuple[str, str]:
    """(name of the package, rest) of a name that is no path."""
    parts = target.split("/", 2 if target.startswith("@") else 1)
    cut = 2 if target.startswith("@") else 1
    return "/".join(parts[:cut]), "/".join(parts[cut:])


def entry(names: Names, manifest: str, rest: str, order: tuple[str, ...]) -> Found | None:
    """The file that a package offers under a subpath, or the one it is built from."""
    here = parent(manifest)
    offered = list(_offered(names, manifest, "npm entry", f"./{rest}" if rest else ".", order))
    for place in offered:
        if found := _file(names, place, order):
            return found, True
    if rest and (found := locate(names, join(here, rest), order)):
        return found, True
    for place in offered:
        if found := _built_from(names, here, place, order):
            return found, False
    for folder in _SOURCE_FOLDERS:
        if found := first(names, join(here, join(folder, rest or "index")), order) or (
            first(names, join(here, join(folder, f"{rest}/index")), order) if rest else None
        ):
            return found, False
    return None


def styles(names: Names, manifest: str, rest: str) -> Iterator[str]:
    """The style sheets that a package offers under a subpath."""
    key = f"./{rest}" if rest else "."
    for row in _rows(names, manifest, "npm entry"):
        filled = _match(row[0], key)
        if filled is not None and not _STYLES.isdisjoint(row[1].split(".")):
            yield from _places(parent(manifest), [row], filled, PLAIN)


def internal(names: Names, source: str, target: str, order: tuple[str, ...]) -> Found | None:
    """The file that a name beginning with "#" means in the package of a file."""
    manifest = nearest(names, source, "package.json")
    if manifest is None:
        return None
    offered = list(_offered(names, manifest, "npm import", target, order))
    for place in offered:
        if found := locate(names, place, order):
            return found, True
    for place in offered:
        if found := _built_from(names, parent(manifest), place, order):
            return found, False
    return None


def _rows(names: Names, manifest: str, label: str) -> Iterator[tuple[str, str, str]]:
    for row in names.declared(manifest, label):
        key, condition, target = row.split("\t", 2)
        yield key, condition, target


def _offered(names: Names, manifest: str, label: str, key: str, order: tuple[str, ...]) -> Iterator[str]:
    """The places that a manifest names under a key: of the best pattern, in the order in which they are asked."""
    rows = list(_rows(names, manifest, label))
    patterns = [pattern for pattern, _, _ in rows if _match(pattern, key) is not None]
    if not patterns:
        return
    best = max(patterns, key=lambda pattern: (pattern == key, len(pattern.partition("*")[0])))
    filled = _match(best, key) or ""
    yield from _places(parent(manifest), [row for row in rows if row[0] == best], filled, order)


def _places(here: str, rows: list[tuple[str, str, str]], filled: str, order: tuple[str, ...]) -> Iterator[str]:
    """Where rows lead, declarations of types first or last."""
    types = [row for row in rows if not _TYPES.isdisjoint(row[1].split("."))]
    others = [row for row in rows if row not in types]
    for _, _, target in types + others if order is TYPED else others + types:
        place = inside(here, target.replace("*", filled) if "*" in target else target + filled)
        if place:
            yield place


def _match(pattern: str, key: str) -> str | None:
    """What a pattern leaves open, when it fits."""
    if pattern == key:
        return ""
    head, star, tail = pattern.partition("*")
    if star:
        if key.startswith(head) and key.endswith(tail) and len(key) >= len(pattern) - 1:
            return key[len(head) : len(key) - len(tail)]
    elif pattern.endswith("/") and key.startswith(pattern):
        return key[len(pattern) :]
    return None


def _built_from(names: Names, here: str, place: str, order: tuple[str, ...]) -> str | None:
    """dist/esm/x.d.ts → src/x.ts: what a built file is most likely built from."""
    rest = place[len(here) + 1 :] if here else place
    parts = rest.split("/")
    if len(parts) < 2 or parts[0] not in _BUILT:
        return None
    for suffix in _BUILT_SUFFIXES:
        if parts[-1].endswith(suffix):
            parts[-1] = parts[-1].removesuffix(suffix)
            break
    cut = 1
    while True:
        for folder in _SOURCE_FOLDERS[:2]:
            if folder != parts[0] and (found := first(names, join(here, join(folder, "/".join(parts[cut:]))), order)):
                return found
        if cut + 1 >= len(parts) or parts[cut] not in _BUILT:
            return None
        cut += 1


# ------------------------------------------------------------------ settings


def mapped(names: Names, source: str, target: str, order: tuple[str, ...]) -> str | None:
    """The file that the settings of a project give for a name that is no path."""
    for settings in projects(names, parent(source)):
        fitting = [(pattern, places) for pattern, places in settings.paths if _match(pattern, target) is not None]
        if fitting:
            pattern, places = max(fitting, key=lambda row: (row[0] == target, len(row[0].partition("*")[0])))
            filled = _match(pattern, target) or ""
            for place in places:
                stem = inside("", place.replace("*", filled))
                if stem is not None and (found := locate(names, stem, order)):
                    return found
        if settings.base is not None and (found := locate(names, join(settings.base, target), order)):
            return found
    return None


def rooted(names: Names, source: str, stem: str, order: tuple[str, ...]) -> str | None:
    """A relative import that leads into another of the directories that are one."""
    for settings in projects(names, parent(source)):
        for own in settings.roots:
            if stem.startswith(own + "/") or not own:
                for root in settings.roots:
                    if root != own and (found := locate(names, join(root, stem[len(own) + 1 :]), order)):
                        return found
    return None


def projects(names: Names, directory: str) -> tuple[Settings, ...]:
    """The settings that may hold for the files of a directory: the nearest, what they stand for, those further up."""
    return names.once(_projects, directory)


def _projects(names: Names, directory: str) -> tuple[Settings, ...]:
    return tuple(_in_order(names, directory))


def _in_order(names: Names, directory: str) -> Iterator[Settings]:
    for place in (directory, *above(directory)) if directory else ("",):
        for name in _SETTINGS:
            path = join(place, name)
            if names.exists(path):
                yield from filter(any, (_settings(names, path, 0),))
                for project in names.declared(path, "ts project")[:_MAX_PROJECTS]:
                    where = inside(place, project)
                    if where is not None:
                        where = where if names.exists(where) else join(where, "tsconfig.json")
                        if parent(where) == place:  # those of other directories are for files there
                            yield from filter(any, (_settings(names, where, 0),))
                break


def _settings(names: Names, path: str, depth: int) -> Settings:
    return names.once(_read, path, depth)


def _read(names: Names, path: str, depth: int) -> Settings:
    found = Settings()
    here = parent(path)
    for target in names.declared(path, "ts extends") if depth < _MAX_DEPTH else ():
        begun = _extended(names, path, target)
        if begun:
            other = _settings(names, begun, depth + 1)
            found = Settings(
                other.paths or found.paths, found.base if other.base is None else other.base, other.roots or found.roots
            )
    for base in names.declared(path, "ts base")[:1]:
        found = found._replace(base=inside(here, base))
    paths: dict[str, list[str]] = {}
    for row in names.declared(path, "ts path"):
        pattern, _, target = row.partition("\t")
        place = inside(here if found.base is None else found.base, target.replace("${configDir}/", ""))
        if place is not None:
            paths.setdefault(pattern, []).append(place)
    if paths:
        found = found._replace(paths=tuple((pattern, tuple(places)) for pattern, places in paths.items()))
    roots = [place for root in names.declared(path, "ts root") if (place := inside(here, root)) is not None]
    return found._replace(roots=tuple(roots)) if roots else found


def extended(names: Names, source: str, target: str) -> str | None:
    """The file of settings that others begin with: a path, or one of a package."""
    return _extended(names, source, target)


def _extended(names: Names, path: str, target: str) -> str | None:
    if target.startswith("."):
        stem = inside(parent(path), target)
    else:
        name, rest = split(target)
        manifest = package(names, path, name)
        stem = join(parent(manifest), rest) if manifest else None
    return first(names, stem, ("", ".json", "/tsconfig.json")) if stem else None
