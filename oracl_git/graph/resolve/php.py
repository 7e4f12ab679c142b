"""PHP: a full name leads to the file that declares it, and among several to the one composer would load.

Knows PSR-4 and PSR-0 prefixes of the composer.json above a file, and required paths.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, nearest, parent
from .packages import declared, only, seen


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file of a class or function, or the one that is required."""
    kind, target, name, *_ = reference
    if kind == "use":
        full = f"{target}\\{name}" if target else name
        return only(
            source, _declaring(names, source, full) or (_global(names, source, target, name)), name.rpartition("\\")[2]
        )
    if name == "file":
        return _required(names, source, target)
    return seen(_declaring(names, source, target), target.rpartition("\\")[2])


def _global(names: Names, source: str, space: str, name: str) -> tuple[str, ...]:
    """Functions, not classes, are also looked for outside any namespace."""
    return _declaring(names, source, name) if space and name[:1].islower() else ()


def _declaring(names: Names, source: str, full: str) -> tuple[str, ...]:
    """Who declares a name; of several the one that composer would load, or the nearest."""
    found = names.declaring("php", full)
    if source in (found or ()):
        return ()
    if found is None or len(found) > 1:
        loaded = [path for path in _loaded(names, source, full) if full in names.declared(path, "php")]
        return tuple(loaded[:1]) or declared(names, "php", source, full)
    return found


def _loaded(names: Names, source: str, full: str) -> list[str]:
    """Where composer would look for a class, longest prefix first."""
    manifest = nearest(names, source, "composer.json")
    rows = []
    for label in ("psr-4", "psr-0"):
        for said in names.declared(manifest, label) if manifest else ():
            prefix, _, directory = said.partition(" ")
            if full.startswith(prefix):
                rest = full[len(prefix) :] if label == "psr-4" else full.replace("_", "\\")
                path = join(join(parent(manifest or ""), directory.strip("/")), rest.replace("\\", "/") + ".php")
                rows.append((-len(prefix), path))
    return [path for _, path in sorted(rows)]


def _required(names: Names, source: str, target: str) -> Resolution:
    """From the directory of the file, or of one above it where programs are started."""
    if target.startswith("."):
        place = inside(parent(source), target)
        return exact(place) if place and names.exists(place) else UNRESOLVED
    for directory in (parent(source), *above(parent(source))):
        place = inside(directory, target.lstrip("/"))
        if place and names.exists(place):
            return exact(place)
    return EXTERNAL
