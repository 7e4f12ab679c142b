"""Where a Python import leads inside the tree.

Knows roots (src-layouts, several packages in one repository, scripts beside
their modules), regular and namespace packages, and re-exports through
`__init__`. Asks the tree through `Names` only. Knows nothing of edges.

A *root* is a directory that would be on sys.path: one that is not itself a
regular package. Roots are tried nearest first: the importer's ancestors and
their conventional layouts are exact; a regular package found at one single root
of the repository is exact too (that is what would be installed); any other hit
is known by its suffix only.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ...extract.facts import Reference
from ..names import Names
from ..parameters import EXACT, MAX_CANDIDATES, PYTHON_LAYOUTS, UNIQUE_SUFFIX
from .model import EXTERNAL, UNRESOLVED, Resolution, Target
from .model import join as _join
from .model import parent as _parent
from .stdlib import STDLIB

_MANY_ROOTS = 64
_LOOP = ("", "")  # re-exports that come back on themselves: the name stays where the text has it


class _Module(NamedTuple):
    path: str  # "" for a namespace package
    directory: str  # where its submodules live; "" for a plain module
    package: bool


def _locate(names: Names, root: str, parts: list[str]) -> _Module | None:
    """The module `parts` under a root, as the import system would find it."""
    stem = root
    for part in parts:
        stem = _join(stem, part)
    for path in (f"{stem}/__init__.py", f"{stem}/__init__.pyi"):
        if names.exists(path):
            return _Module(path, stem, True)
    for path in (f"{stem}.py", f"{stem}.pyi"):
        if names.exists(path):
            return _Module(path, "", False)
    return _Module("", stem, True) if names.python_under(stem) else None


def _is_package(names: Names, directory: str) -> bool:
    return names.exists(_join(directory, "__init__.py"))


def _absolute(names: Names, directory: str, parts: list[str]) -> tuple[list[tuple[_Module, tuple[int, int]]], bool]:
    """(modules with κ, whether the first name is the repository's own)."""
    roots = names.roots(parts[0])
    if not roots:
        return [], False
    known = set(roots)
    stdlib = parts[0] in STDLIB
    mine = False
    for root in _search_path(directory, not stdlib):
        if root not in known or _is_package(names, root):
            continue
        found = _locate(names, root, parts)
        if found:
            return [(found, EXACT)], True
        mine = mine or _is_package(names, _join(root, parts[0]))
    if stdlib or len(roots) > _MANY_ROOTS:
        return [], mine
    regular, loose = [], []
    for root in roots:
        if _is_package(names, root):
            continue
        found = _locate(names, root, parts)
        if found is None:
            mine = mine or _is_package(names, _join(root, parts[0]))
        elif _is_package(names, _join(root, parts[0])):
            regular.append((root, found))
        elif found.path and (len(parts) > 1 or root.partition("/")[0] == directory.partition("/")[0]):
            loose.append((root, found))
    hits = _nearest(regular or loose, directory)
    if len(hits) == 1:
        return [(hits[0], EXACT if len(regular) == 1 else UNIQUE_SUFFIX)], True
    if hits and len(hits) <= MAX_CANDIDATES:
        return [(hit, (1, len(hits))) for hit in hits], True
    return [], mine or bool(hits)


@lru_cache(maxsize=1024)  # each import of a directory asks
def _search_path(directory: str, layouts: bool) -> tuple[str, ...]:
    """The roots that a module may lie under, by nearness to the importer's directory."""
    places = [directory]
    while places[-1]:
        places.append(_parent(places[-1]))
    return tuple(_join(place, layout) if layout else place
                 for place in places for layout in (PYTHON_LAYOUTS if layouts else ("",)))  # fmt: skip


def _nearest(found: list[tuple[str, _Module]], directory: str) -> list[_Module]:
    """Those whose root shares the most leading segments with the importer's directory."""

    def shared(root: str) -> int:
        count = 0
        for a, b in zip(root.split("/"), directory.split("/"), strict=False):
            if a != b:
                break
            count += 1
        return count

    best = max((shared(root) for root, _ in found), default=0)
    return [module for root, module in found if shared(root) == best]


def _relative(names: Names, directory: str, module: str) -> _Module | None:
    rest = module.lstrip(".")
    for _ in range(len(module) - len(rest) - 1):
        if not directory:
            return None
        directory = _parent(directory)
    if rest:
        return _locate(names, directory, rest.split("."))
    for path in (_join(directory, "__init__.py"), _join(directory, "__init__.pyi")):
        if names.exists(path):
            return _Module(path, directory, True)
    return _Module("", directory, True)


def modules(names: Names, importer: str, module: str) -> tuple[list[tuple[_Module, tuple[int, int]]], bool]:
    """The candidates for a module as written in a file, and whether it is internal."""
    return names.once(_modules, _parent(importer), module)


def _modules(names: Names, directory: str, module: str) -> tuple[list[tuple[_Module, tuple[int, int]]], bool]:
    if module.startswith("."):
        found = _relative(names, directory, module)
        return ([(found, EXACT)] if found else []), True
    return _absolute(names, directory, module.split("."))


def _member(names: Names, module: _Module, name: str) -> tuple[str, str] | None:
    """(path, symbol) of `name` as seen through a module; None when it has no such member."""
    if not module.package:
        return (module.path, name)
    found = names.once(_of_package, module, name)
    return (module.path, name) if found == _LOOP else found


def _of_package(names: Names, module: _Module, name: str) -> tuple[str, str] | None:
    return _in_package(names, module, name, set())


def _in_package(names: Names, module: _Module, name: str, seen: set[tuple[str, str]]) -> tuple[str, str] | None:
    """A member of a package: what its `__init__` binds, else the submodule of that name."""
    if module.path and (module.path, name) not in seen:
        seen.add((module.path, name))
        bound = names.export(module.path, name)
        if bound == ("", ""):
            return (module.path, name)
        if bound is None:
            for star in names.stars(module.path):
                followed = _through(names, module.path, star, name, seen)
                if followed and followed != _LOOP and names.export(*followed) is not None:
                    return followed
        else:
            followed = _through(names, module.path, bound[0], bound[1], seen)
            if followed == _LOOP and _names_itself(names, module, bound, name):
                below = _locate(names, module.directory, [name])
                return (below.path, "") if below and below.path else (module.path, name)
            return followed or (module.path, name)
    below = _locate(names, module.directory, [name])
    return (below.path, "") if below and below.path else None


def _names_itself(names: Names, module: _Module, bound: tuple[str, str], name: str) -> bool:
    """Whether an `__init__` imports `name` from its own package: that is the submodule."""
    return bound[1] == name and [m.path for m, _ in modules(names, module.path, bound[0])[0]] == [module.path]


def _through(names: Names, importer: str, module: str, name: str, seen: set[tuple[str, str]]) -> tuple[str, str] | None:
    found, _ = modules(names, importer, module)
    if len(found) != 1:
        return None
    target = found[0][0]
    if not name:
        return (target.path, "") if target.path else None
    if not target.package:
        return (target.path, name)
    if (target.path, name) in seen:
        return _LOOP
    return _in_package(names, target, name, seen)


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The targets of one imported name: "" for `import module`, "*" for a star import."""
    name = reference.name
    found, internal = modules(names, source, reference.target)
    if not found:
        return UNRESOLVED if internal else EXTERNAL
    targets = []
    for hit, confidence in found:
        if name in ("", "*"):
            if hit.path:
                targets.append(Target(hit.path, "", confidence))
            continue
        member = _member(names, hit, name)
        if member:
            targets.append(Target(*member, confidence))
        elif hit.path:
            targets.append(Target(hit.path, name, confidence))
    if not targets:
        return Resolution((), "exact") if name in ("", "*") else UNRESOLVED  # a bare namespace package is no file
    confidence = found[0][1]
    how = "exact" if confidence == EXACT else "suffix" if confidence == UNIQUE_SUFFIX else "ambiguous"
    return Resolution(tuple(targets), how)


def resolve_dotted(names: Names, importer: str, dotted: str) -> list[Target]:
    """A dotted name in prose or configuration: the longest module, the rest as its symbol."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        found, _ = modules(names, importer, ".".join(parts[:cut]))
        if len(found) != 1:
            continue
        module, confidence = found[0]
        rest = parts[cut:]
        if not rest:
            return [Target(module.path, "", confidence)] if module.path else []
        member = _member(names, module, rest[0])
        if member is None:
            return []
        path, symbol = member
        return [Target(path, ".".join([symbol, *rest[1:]] if symbol else rest[1:]), confidence)]
    return []
