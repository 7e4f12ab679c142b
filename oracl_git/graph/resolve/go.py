"""Go: a package is a folder, named from the module that holds it.

Knows go.mod files (what one replaces, and so workspaces: whichever go.mod of the tree
declares the name, the nearest of several), vendored packages, trees from before modules,
and the files that a package embeds. Knows that what tests define is for tests of the same
package, and that a folder may hold programs and a package beside its own.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from ..parameters import NEIGHBOUR_CAP
from ..stems import is_test
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, nearest, parent, spread
from .packages import nearest_of

_Package = dict[str, tuple[str, ...]]  # name → the files that define it; "" → those that stand for the package
_TESTS = "_test.go"


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The files that define a name of a package; the package's own when nothing is named."""
    if reference.kind == "use":
        return _embedded(names, source, reference.target) if reference.target else _own(names, source, reference.name)
    directory, certain = _directory(names, source, reference.target)
    if directory is None:
        return UNRESOLVED if certain else EXTERNAL
    package = _package(names, directory, "", False)
    found = package.get(reference.name) or package.get("")
    if not found:
        return UNRESOLVED
    symbol = reference.name if reference.name in package else ""
    return exact(*found, symbol=symbol) if certain else likely(found, symbol)


def _own(names: Names, source: str, name: str) -> Resolution:
    own = next(iter(names.declared(source, "go package")), "")
    for tests in (False, True) if source.endswith(_TESTS) else (False,):
        found = _package(names, parent(source), own, tests).get(name, ())
        if source in found:
            break
        if found:
            return exact(*found, symbol=name)
    return EXTERNAL


def _embedded(names: Names, source: str, pattern: str) -> Resolution:
    """The files of a `go:embed` pattern: a directory takes in what is below it, but for hidden files."""
    place = inside(parent(source), pattern.removeprefix("all:"))
    if not place:
        return EXTERNAL
    if "*" not in place and names.exists(place):
        return exact(place)
    found = dict.fromkeys((*spread(names, place), *spread(names, f"{place}/**/*")))
    depth = place.count("/") + 1
    everything = pattern.startswith("all:")
    kept = [path for path in found if everything or not _hidden(path.split("/")[depth:])]
    return exact(*kept[:NEIGHBOUR_CAP]) if kept else EXTERNAL


def _hidden(segments: list[str]) -> bool:
    return any(segment[:1] in "._" for segment in segments)


def _directory(names: Names, source: str, target: str) -> tuple[str | None, bool]:
    """(the folder of a package, whether that is certain): one for the files of a folder, one for its tests."""
    return names.once(_find, join(parent(source), f"x{_TESTS}" if is_test(source) else "x.go"), target)


def _find(names: Names, source: str, target: str) -> tuple[str | None, bool]:
    manifest = nearest(names, source, "go.mod")
    own: str | None = None
    for module, place in _modules(names, manifest) if manifest else ():
        if target == module or target.startswith(module + "/"):
            folder = join(place, target[len(module) + 1 :])
            own = folder if own is None else own
            if names.files(folder, ".go"):
                return folder, True
    prefix = target
    while prefix:
        declaring = names.declaring("go module", prefix)
        if declaring and declaring != (manifest,):
            near = nearest_of(source, declaring)
            return join(parent(near[0]), target[len(prefix) + 1 :]), len(near) == 1
        prefix = parent(prefix)
    if own is not None:
        return own, True
    for place in above(source):
        if names.files(folder := join(place, f"vendor/{target}"), ".go"):
            return folder, True
    if manifest is None and "." in target.partition("/")[0]:  # before modules: the tree lay at some path below GOPATH
        parts = target.split("/")
        for cut in range(2, len(parts)):
            if names.files(folder := "/".join(parts[cut:]), ".go"):
                return folder, False
    return None, False


def _modules(names: Names, manifest: str) -> list[tuple[str, str]]:
    """(module, its directory) of what a manifest declares and of what it replaces, the longest names first."""
    here = parent(manifest)
    rows = [(module, here) for module in names.declared(manifest, "go module")]
    for row in names.declared(manifest, "go replace"):
        module, _, target = row.partition(" ")
        place = inside(here, target)
        if place is not None:
            rows.append((module, place))
    return sorted(rows, key=lambda row: -len(row[0]))


def _package(names: Names, directory: str, called: str, tests: bool) -> _Package:
    """What the files of a package in a directory define, or its tests; "" for the name by which others import it."""
    return names.once(_read, directory, called, tests)


def _read(names: Names, directory: str, called: str, tests: bool) -> _Package:
    files = [path for path in names.files(directory, ".go") if path.endswith(_TESTS) == tests]
    packages = {path: "".join(names.declared(path, "go package")) for path in files}
    known = {name for name in packages.values() if name not in ("main", "")}
    if called or known:  # programs that generate something may lie beside a package
        files = [path for path in files if (packages[path] == called if called else packages[path] in known)]
    found: dict[str, list[str]] = {}
    for path in files:
        for name in names.members(path):
            found.setdefault(name, []).append(path)
    own = directory.rpartition("/")[2]
    first = [path for name in (own, "doc", "main") if (path := join(directory, f"{name}.go")) in files]
    return {name: tuple(paths) for name, paths in found.items()} | {"": tuple(first[:1] or files[:1])}
