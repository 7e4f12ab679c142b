"""Go: a package is a folder, named from the module that holds it.

Knows go.mod files (and so replaced modules and workspaces: whichever go.mod of
the tree declares the name), vendored packages, trees from before modules, and
the files that a package embeds.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from ..parameters import NEIGHBOUR_CAP
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, nearest, parent, spread

_Package = dict[str, tuple[str, ...]]  # name → the files that define it; "" → those that stand for the package


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The files that define a name of a package; the package's own when nothing is named."""
    if reference.kind == "use":
        return _embedded(names, source, reference.target) if reference.target else _own(names, source, reference.name)
    directory, certain = _directory(names, source, reference.target)
    if directory is None:
        return UNRESOLVED if certain else EXTERNAL
    package = _package(names, directory)
    found = package.get(reference.name) or package.get("")
    if not found:
        return UNRESOLVED
    symbol = reference.name if reference.name in package else ""
    return exact(*found, symbol=symbol) if certain else likely(found, symbol)


def _own(names: Names, source: str, name: str) -> Resolution:
    found = _package(names, parent(source)).get(name, ())
    return exact(*found, symbol=name) if found and source not in found else EXTERNAL


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
    """(the folder of a package, whether that is certain)."""
    return names.once(("go", parent(source), target), lambda asked: _find(asked, source, target))


def _find(names: Names, source: str, target: str) -> tuple[str | None, bool]:
    manifest = nearest(names, source, "go.mod")
    for module in names.declared(manifest, "go module") if manifest else ():
        if target == module or target.startswith(module + "/"):
            return join(parent(manifest or ""), target[len(module) + 1 :]), True
    prefix = target
    while prefix:
        declaring = names.declaring("go module", prefix)
        if declaring:
            return join(parent(declaring[0]), target[len(prefix) + 1 :]), len(declaring) == 1
        prefix = parent(prefix)
    for place in above(source):
        if names.files(folder := join(place, f"vendor/{target}"), ".go"):
            return folder, True
    if manifest is None and "." in target.partition("/")[0]:  # before modules: the tree lay at some path below GOPATH
        parts = target.split("/")
        for cut in range(2, len(parts)):
            if names.files(folder := "/".join(parts[cut:]), ".go"):
                return folder, False
    return None, False


def _package(names: Names, directory: str) -> _Package:
    return names.once(("go package", directory), lambda asked: _read(asked, directory))


def _read(names: Names, directory: str) -> _Package:
    files = [path for path in names.files(directory, ".go") if not path.endswith("_test.go")]
    found: dict[str, list[str]] = {}
    for path in files:
        for name in names.members(path):
            found.setdefault(name, []).append(path)
    own = directory.rpartition("/")[2]
    first = [path for name in (own, "doc", "main") if (path := join(directory, f"{name}.go")) in files]
    return {name: tuple(paths) for name, paths in found.items()} | {"": tuple(first[:1] or files[:1])}
