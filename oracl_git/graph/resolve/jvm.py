"""Java and Kotlin: a full name leads to the file that declares it, or the type around it.

Knows nested types and members (`a.b.Type.member`), the classes that Kotlin makes of
files (`NameKt`), packages that a file sees whole, and source sets of one module that
declare the same name: the common one stands for all. Knows no types of values: what a
class has from those above it is not looked for.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, likely
from .packages import declared, only, outwards, seen

_COMMON = "/common"  # how the source set begins that says what the others fulfil


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The files an import, or a name used without one, means."""
    if reference.kind == "use":
        if reference.target:  # by its full name, which stands in the code
            full = f"{reference.target}.{reference.name}"
            return only(source, _common(declared(names, "jvm", source, full)), reference.name)
        return _used(names, source, reference.name)
    for name, rest in outwards(reference.target, "."):
        found = names.declaring("jvm", name) or ()
        if source in found:
            return EXTERNAL
        if found:
            symbol = ".".join(filter(None, (name.rpartition(".")[2], rest)))
            return seen(_common(declared(names, "jvm", source, name)), symbol)
    return likely(_file_class(names, reference.target), reference.target.rpartition(".")[2])


def _used(names: Names, source: str, name: str) -> Resolution:
    """The own package comes before those imported whole; a name that two of these have is nobody's.

    What another module has in a package of that name is not seen where the own module has the name.
    """
    own = _among(names, source, names.declared(source, "jvm package"), name)
    if any(_module(path) == _module(source) for path in own):
        return only(source, own, name)
    whole = _among(names, source, names.declared(source, "jvm star"), name)
    inside = tuple(path for path in whole if _module(path) == _module(source))
    return only(source, inside or own or whole, name)


def _among(names: Names, source: str, packages: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The files in which some packages, or classes, have a name."""
    found: dict[str, None] = {}
    for package in packages:
        full = f"{package}.{name}" if package else name
        known = _common(declared(names, "jvm", source, full)) or _nested(names, source, package, name)
        found.update(dict.fromkeys(known))
    return tuple(found)


def _nested(names: Names, source: str, around: str, name: str) -> tuple[str, ...]:
    """The files whose class, which is imported whole, has a name in it."""
    member = f"{around.rpartition('.')[2]}.{name}"
    return tuple(path for path in declared(names, "jvm", source, around) if member in names.members(path))


def _module(path: str) -> str:
    """The directory that a build tool knows a file's sources by."""
    return path.partition("/src/")[0]


def _common(found: tuple[str, ...]) -> tuple[str, ...]:
    """Of several source sets the common one."""
    return tuple(path for path in found if _COMMON in path) or found if len(found) > 1 else found


def _file_class(names: Names, target: str) -> tuple[str, ...]:
    """The Kotlin file whose functions Java knows as members of `NameKt`."""
    for name, _ in outwards(target, "."):
        package, _, last = name.rpartition(".")
        if last.endswith("Kt"):
            found = names.named(f"{last[:-2]}.kt") or ()
            return tuple(path for path in found if package in names.declared(path, "jvm package"))
    return ()
