"""CMake: directories, modules and sources, from the directory a list file stands in.

Knows the variables that stand for directories, those that the directories above
set, and where modules are looked for. A module is run where it is included: what
it names lies beside it or in a directory above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, parent, spread
from .packages import declared, only

_LIST = "CMakeLists.txt"
_VARIABLE = re.compile(r"\$\{(\w[\w.+-]*)\}/?")
_HERE = ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR")
# Where trees keep their modules, below any directory above.
_MODULES = ("cmake", "CMake", "cmake/modules", "cmake/Modules", "CMake/Modules", "Modules", "build/cmake", "")
_MOST = 8  # variables that stand for each other
_FEW = 50  # directories that one may stand for: those that each choose among several multiply


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The list file, module, source or function that is named."""
    kind, target, name, *_ = reference
    if not target:
        return only(source, declared(names, "cmake function", source, name))
    if name == "module":
        return _module(names, source, target)
    if "*" in target:
        for place in _places(names, source, target):
            if found := spread(names, place):
                return exact(*found)
        return EXTERNAL
    for place in _places(names, source, target):
        if place != source and names.exists(place):
            return exact(place)
    head, _, tail = target.rpartition("}")
    if head and kind == "import" and "BINARY" not in head and "/" in tail.strip("/"):
        return likely(names.named(tail.strip("/")))
    return UNRESOLVED if kind == "import" and "$" not in target else EXTERNAL


def _module(names: Names, source: str, target: str) -> Resolution:
    for place in above(source):
        for value in reversed(names.declared(join(place, _LIST), "cmake set CMAKE_MODULE_PATH")):
            for folder in _places(names, join(place, _LIST), value):
                if names.exists(path := join(folder, target)):
                    return exact(path)
    for place in above(source):
        for folder in _MODULES:
            path = join(join(place, folder), target)
            if path != source and names.exists(path):
                return likely((path,))
    return EXTERNAL


def _places(names: Names, source: str, target: str, steps: int = _MOST) -> Iterator[str]:
    """The paths that may be meant, best first."""
    variable = _VARIABLE.match(target)
    if not variable:
        bases: Iterator[str] | tuple[str, ...] = (parent(source),) if source.endswith(_LIST) else above(source)
    elif variable[1] in _HERE:
        bases = (parent(source),)
        if variable[1] == _HERE[0] and not source.endswith(_LIST):
            bases = above(source)
    else:
        bases = _meant(names, source, variable[1], steps)
    rest = target[variable.end() :] if variable else target
    if "$" not in rest:
        for base in bases:
            place = inside(base, rest or ".")
            if place is not None:
                yield place


def _meant(names: Names, source: str, name: str, steps: int) -> tuple[str, ...]:
    """The directories a variable may stand for, best first."""
    return names.once(_meant_in, parent(source), name, steps)


def _meant_in(names: Names, directory: str, name: str, steps: int) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(_may_mean(names, join(directory, _LIST), name, steps)), _FEW))


def _may_mean(names: Names, source: str, name: str, steps: int) -> Iterator[str]:
    holding = [place for place in above(source) if names.exists(join(place, _LIST))]
    if name in ("PROJECT_SOURCE_DIR", "CMAKE_SOURCE_DIR"):
        if name == "PROJECT_SOURCE_DIR":
            yield from (place for place in holding if names.declared(join(place, _LIST), "cmake project"))
        yield from reversed(holding)
        return
    if name.endswith("_SOURCE_DIR"):
        for path in names.declaring("cmake project", name.removesuffix("_SOURCE_DIR")) or ():
            yield parent(path)
    for place in holding if steps else ():
        for value in names.declared(join(place, _LIST), f"cmake set {name}"):
            if f"${{{name}}}" not in value:
                yield from _places(names, join(place, _LIST), value, steps - 1)
