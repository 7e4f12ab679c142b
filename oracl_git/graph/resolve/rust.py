"""Rust: a path of names is walked through modules, from file to file.

Knows where the file of a module lies, which crate a file belongs to and how a
name is handed on (`use`, globs). Does not know macros or `cfg`: of two variants
of a module both are meant.
"""

from __future__ import annotations

from typing import NamedTuple

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, nearest, parent

_STANDARD = frozenset("std core alloc proc_macro test".split())
_ROOTS = frozenset("lib.rs main.rs mod.rs build.rs".split())  # whose modules lie beside them
_MAX_STEPS = 12  # re-exports that are followed
_DEEPEST = 64


class _Module(NamedTuple):
    """A module: the file it is in, and its name there when it is an inline one."""

    file: str
    within: str = ""

    def name(self, segment: str) -> str:
        """How a file calls what this module holds."""
        return f"{self.within}::{segment}" if self.within else segment


class _Found(NamedTuple):
    """Where a path ends: files (variants of one module), the symbol in them, and how sure the crate is."""

    files: tuple[str, ...]
    symbol: str = ""


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file that defines what a path names; the module's own when it names a module, or what no text shows."""
    if reference.kind != "import":
        return EXTERNAL
    path = tuple(filter(None, (*reference.target.split("::"), reference.name)))
    if path[0] in _STANDARD:
        return EXTERNAL
    starts, rest, certain = _starts(names, source, path)
    if not starts and _knows(names, _Module(source), path[0], _MAX_STEPS):  # by a glob: `use super::*`
        starts, rest = (_Module(source),), path
    if not starts:
        return UNRESOLVED if certain else EXTERNAL
    found = _walk(names, starts[0], rest, _MAX_STEPS)
    if found is None:
        return UNRESOLVED if certain else EXTERNAL
    if len(starts) > 1:
        return likely(tuple(start.file for start in starts))
    return exact(*found.files, symbol=found.symbol)


def _starts(names: Names, source: str, path: tuple[str, ...]) -> tuple[tuple[_Module, ...], tuple[str, ...], bool]:
    """(the modules a path may begin in, what is left of it, whether it must be there)."""
    head, rest = path[0], path[1:]
    if head == "crate":
        return (_Module(_root(names, source)),), rest, True
    if head in ("self", "super"):
        module = _Module(source)
        left = list(rest if head == "self" else path)
        while left and left[0] == "super":
            left.pop(0)
            module = _Module(_parent(names, module.file) or module.file)
        return (module,), tuple(left), True
    if _binds(names, _Module(source), head):
        return (_Module(source),), path, False
    crates = _crates(names, source, head)
    if crates:
        return tuple(map(_Module, crates)), rest, False
    root = _root(names, source)
    if _from_root(names, source) and _binds(names, _Module(root), head):
        return (_Module(root),), path, False
    return (), path, False


def _from_root(names: Names, source: str) -> bool:
    """Whether a path may begin at the crate without a word: in the edition of 2015, which is meant if none is said."""
    manifest = nearest(names, source, "Cargo.toml")
    return manifest is None or not names.declared(manifest, "crate edition")


def _binds(names: Names, module: _Module, segment: str) -> bool:
    """Whether a module itself has a name; `use name::…` takes one from elsewhere, from a crate of that name."""
    name = module.name(segment)
    if name in names.declared(module.file, "rust module") or name.replace("::", ".") in names.members(module.file):
        return True
    bound = names.export(module.file, name)
    return bound is not None and bound[0].partition("::")[0] != segment


def _walk(names: Names, start: _Module, path: tuple[str, ...], steps: int) -> _Found | None:
    """Follow a path from a module; what is not found in the last module stays there."""
    module = start
    for index, segment in enumerate(path):
        if segment == "*":
            break
        name = module.name(segment)
        files = _children(names, module.file, name)
        if files:
            if index == len(path) - 1:
                return _Found(files)
            module = _Module(files[0])
            continue
        if name in names.declared(module.file, "rust module"):
            return None  # written by a build, or not there
        symbol = name.replace("::", ".")
        if symbol in names.members(module.file):
            if index + 1 < len(path) and segment.islower():  # a module by its looks
                module = _Module(module.file, name)
                continue
            deeper = ".".join((symbol, *path[index + 1 :]))
            return _Found((module.file,), deeper if deeper in names.members(module.file) else symbol)
        handed = _handed(names, module, segment, path[index + 1 :], steps)
        if handed:
            return handed
        return _Found((module.file,), module.within.replace("::", "."))
    return _Found((module.file,), module.within.replace("::", "."))


def _handed(names: Names, module: _Module, segment: str, rest: tuple[str, ...], steps: int) -> _Found | None:
    """What a module hands on under a name, by itself or with all of another module."""
    if steps <= 0:
        return None
    bound = names.export(module.file, module.name(segment))
    if bound is not None:
        target, original = bound
        path = tuple(filter(None, (*target.split("::"), original, *rest)))
        return _again(names, module, path, steps)
    stars = names.stars(module.file) if not module.within else _inner_stars(names, module)
    for target in stars:
        path = tuple(target.split("::"))
        starts, left, _ = _starts(names, module.file, path)
        for start in starts[:1]:
            into = _into(names, start, left)
            if into is not None and into != module and _knows(names, into, segment, steps - 1):
                return _walk(names, into, (segment, *rest), steps - 1)
    return None


def _inner_stars(names: Names, module: _Module) -> tuple[str, ...]:
    bound = names.export(module.file, module.name("*"))
    return (bound[0],) if bound else ()


def _again(names: Names, module: _Module, path: tuple[str, ...], steps: int) -> _Found | None:
    if path[0] in _STANDARD:
        return None
    starts, left, _ = _starts(names, module.file, path)
    return _walk(names, starts[0], left, steps - 1) if len(starts) == 1 else None


def _into(names: Names, start: _Module, path: tuple[str, ...]) -> _Module | None:
    """The module a path names, without re-exports."""
    module = start
    for segment in path:
        name = module.name(segment)
        files = _children(names, module.file, name)
        if files:
            module = _Module(files[0])
        elif name.replace("::", ".") in names.members(module.file):
            module = _Module(module.file, name)
        else:
            return None
    return module


def _knows(names: Names, module: _Module, segment: str, steps: int) -> bool:
    """Whether a module defines a name or hands it on."""
    if _binds(names, module, segment):
        return True
    if steps <= 0:
        return False
    for target in names.stars(module.file) if not module.within else _inner_stars(names, module):
        starts, left, _ = _starts(names, module.file, tuple(target.split("::")))
        for start in starts[:1]:
            into = _into(names, start, left)
            if into is not None and into != module and _knows(names, into, segment, steps - 4):
                return True
    return False


def _children(names: Names, file: str, name: str) -> tuple[str, ...]:
    """The files a module declared in a file may lie in."""
    return names.once(_find_children, file, name)


def _find_children(names: Names, file: str, name: str) -> tuple[str, ...]:
    if name not in names.declared(file, "rust module"):
        return ()
    directory, base = parent(file), file.rpartition("/")[2]
    own = join(directory, base.removesuffix(".rs"))
    *inline, last = name.split("::")
    places = names.declared(file, f"rust module {name}")
    if places:  # beside the file; within an inline module, below what it stands for
        base_directory = join(directory if base in _ROOTS else own, "/".join(inline)) if inline else directory
        found = [path for place in places if (path := inside(base_directory, place)) and names.exists(path)]
        if found:
            return tuple(found)
    below = "/".join((*inline, last))
    for folder in (directory, own) if base in _ROOTS else (own, directory):
        for path in (join(folder, f"{below}.rs"), join(folder, f"{below}/mod.rs")):
            if path != file and names.exists(path):
                return (path,)
    return ()


def _parent(names: Names, file: str) -> str | None:
    """The file that declares the module a file is; None at the root of a crate."""
    return names.once(_find_parent, file)


def _find_parent(names: Names, file: str) -> str | None:
    directory, base = parent(file), file.rpartition("/")[2]
    for path in names.declaring("rust file", base) or ():
        for name in names.declared(path, "rust module"):
            if file in _children(names, path, name):
                return path
    if base in ("lib.rs", "main.rs", "build.rs"):
        return None
    if base == "mod.rs":
        if not directory:
            return None
        stem, directory = directory.rpartition("/")[2], parent(directory)
    else:
        stem = base.removesuffix(".rs")
    for path in _declarers(directory):
        if path != file and stem in names.declared(path, "rust module") and file in _children(names, path, stem):
            return path
    return _inline_parent(names, file, stem, directory)


def _declarers(directory: str) -> tuple[str, ...]:
    """The files that may declare a module of a directory."""
    found = [join(directory, name) for name in ("mod.rs", "lib.rs", "main.rs")]
    return (*found[:1], f"{directory}.rs", *found[1:]) if directory else tuple(found)


def _inline_parent(names: Names, file: str, stem: str, directory: str) -> str | None:
    """A file that declares it within an inline module, or a root of another name beside it."""
    tail = stem
    for place in above(file):
        if place == directory:
            continue
        tail = f"{directory[len(place) + 1 if place else 0 :].replace('/', '::')}::{stem}"
        for path in _declarers(place):
            if tail in names.declared(path, "rust module") and file in _children(names, path, tail):
                return path
        if tail.count("::") > 2:
            break
    for path in names.files(directory, ".rs"):
        if path != file and stem in names.declared(path, "rust module") and file in _children(names, path, stem):
            return path
    return None


def _root(names: Names, file: str) -> str:
    """The root file of the crate a file belongs to."""
    return names.once(_find_root, file)


def _find_root(names: Names, file: str) -> str:
    for _ in range(_DEEPEST):
        found = _parent(names, file)
        if found is None:
            break
        file = found
    return file


def _crates(names: Names, source: str, name: str) -> tuple[str, ...]:
    """The roots of the crate that goes by a name in a file."""
    manifest = nearest(names, source, "Cargo.toml") or ""
    return names.once(_find_crates, manifest, name)


def _find_crates(names: Names, manifest: str, name: str) -> tuple[str, ...]:
    label = "crate"
    if manifest:
        saying = _saying(names, manifest, name)
        for path in names.declared(saying, f"crate path {name}"):
            place = inside(parent(saying), f"{path}/Cargo.toml")
            root = _library(names, place) if place else None
            if root:
                return (root,)
        for alias in names.declared(saying, f"crate alias {name}"):  # of a package, whatever its library is called
            name, label = alias, "cargo package"
        if name in names.declared(manifest, label):
            root = _library(names, manifest)
            return (root,) if root else ()
    found = [_library(names, place) for place in names.declaring(label, name) or () if place.endswith("Cargo.toml")]
    return tuple(filter(None, found))


def _saying(names: Names, manifest: str, name: str) -> str:
    """The manifest that says what a name of a dependency stands for: that of the workspace, when it is inherited."""
    if name in names.declared(manifest, "crate inherited"):
        for place in above(manifest):
            found = join(place, "Cargo.toml")
            if found != manifest and names.exists(found):
                return found
    return manifest


def _library(names: Names, manifest: str) -> str | None:
    for path in (*names.declared(manifest, "crate root"), "src/lib.rs", "src/main.rs"):
        place = inside(parent(manifest), path)
        if place and names.exists(place):
            return place
    return None
