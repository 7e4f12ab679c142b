"""C#: a name is looked for in the namespaces around it, then in those the file or its project sees whole.

A name with dots begins in a namespace around it: it is a type that this one, or one within it, has.

Knows partial types (all their files are meant), generic ones, and global usings of
a project: those of the files and of the .csproj right in its directory, and of .props and
.targets above it.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, above, exact
from .packages import nearest_of, only, outwards, seen


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The files of a type, or nothing when a name could mean several."""
    if reference.kind == "use":
        return _used(names, source, reference.target, reference.name)
    if reference.name == "*":
        known = names.declaring("csharp package", reference.target)
        return EXTERNAL if known == () else Resolution((), "exact")
    for name, _ in outwards(reference.target, "."):
        found = _type(names, source, name)
        if found:
            return seen(found, name.rpartition(".")[2])
    return EXTERNAL


def _used(names: Names, source: str, space: str, name: str) -> Resolution:
    around, whole = names.once(_scope, source)
    if space or "." in name:
        return _qualified(names, source, around, space, name)
    symbol = name.rstrip("<")
    for namespace in around:
        found = _type(names, source, f"{namespace}.{name}" if namespace else name)
        if found:
            return _parts(names, source, found, f"{namespace}.{name}" if namespace else name, symbol)
    said = {full: found for each in whole if (found := _type(names, source, full := f"{each}.{name}"))}
    if len(said) != 1:
        return EXTERNAL
    full, found = said.popitem()
    return _parts(names, source, found, full, symbol)


def _qualified(names: Names, source: str, around: tuple[str, ...], space: str, name: str) -> Resolution:
    """The longest beginning of a name that is a type of a namespace around; `space`: what an alias in it stands for.

    A type that it begins with, or that an alias is of, was followed by its own name.
    """
    around = ("",) if space == "global::" else around
    first = name.partition(".")[0] if space in ("", "global::") else space
    name = name if space in ("", "global::") else f"{space}.{name}"
    for namespace in around:
        inside = f"{namespace}." if namespace else ""
        if _type(names, source, inside + first):
            return EXTERNAL
        for part, _ in outwards(name, "."):
            found = _type(names, source, inside + part) if len(part) > len(first) else ()
            if found:
                return _parts(names, source, found, inside + part, part.rpartition(".")[2].rstrip("<"))
    return EXTERNAL


def _type(names: Names, source: str, name: str) -> tuple[str, ...]:
    """Who declares a type; a generic one also where its parameters are left off, and the other way round."""
    for spelled in (name, name[:-1] if name.endswith("<") else f"{name}<"):
        found = names.declaring("csharp", spelled)
        if found is None:  # in very many parts: the file that is called like it
            found = names.named(f"{spelled.rstrip('<').rpartition('.')[2]}.cs") or ()
            found = tuple(path for path in found if spelled in names.declared(path, "csharp"))
        if source in found:
            return (source,)
        if found:
            parts = tuple(path for path in found if spelled in names.declared(path, "csharp partial"))
            return found if parts == found else nearest_of(source, found)
    return ()


def _parts(names: Names, source: str, found: tuple[str, ...], name: str, symbol: str) -> Resolution:
    if source in found:
        return EXTERNAL
    if len(found) > 1 and names.declared(found[0], "csharp partial"):
        return exact(*found, symbol=symbol)
    return only(source, found, symbol)


def _scope(names: Names, source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(the namespaces around what stands in a file, innermost first and "" last; those it sees whole)."""
    around = [name for package in names.declared(source, "csharp package") for name, _ in outwards(package, ".")]
    whole = list(names.declared(source, "csharp using"))
    for place in above(source):
        shared = (*names.files(place, ".props"), *names.files(place, ".targets"))
        whole += (name for path in shared for name in names.declared(path, "csharp global"))
        projects = names.files(place, ".csproj")
        if projects:
            files = (*projects, *names.files(place, ".cs"), *names.files(f"{place}/Properties".lstrip("/"), ".cs"))
            whole += (name for path in files for name in names.declared(path, "csharp global"))
    around = sorted(dict.fromkeys(around), key=lambda name: -name.count("."))
    whole = [named for each in whole for named in (each, *(f"{name}.{each}" for name in around))]
    return (*around, ""), tuple(dict.fromkeys(each for each in whole if each not in around))
