"""Pages, single-file components and style sheets: what they load, by path or as their bundlers do.

Knows partials of Sass and load paths by their looks. What is no style sheet is
found as a script finds it.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ...extract.styles import BY_IMPORT
from ..names import Candidates, Names
from . import npm
from .javascript import aliases, find
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, first, inside, join, likely, parent

_SHEETS = (".css", ".scss", ".sass", ".less", ".pcss", ".styl")
_SASS = (".scss", ".sass", ".css")
_MADE = ".import"  # x.import.scss stands for x, for @import alone
_SASS_BY_IMPORT = (*(f"{_MADE}{suffix}" for suffix in _SASS), *_SASS)
_LESS = (".less", ".css")
# Directories that builds of Sass are told to look in, below any directory above the sheet.
_LOAD_PATHS = ("", "src", "scss", "sass", "styles", "src/styles", "src/scss", "assets")


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file that a page, a component or a style sheet names."""
    target = reference.target.partition("?")[0]
    name = reference.name
    suffixes = _LESS if source.endswith(".less") else _SASS_BY_IMPORT if name == BY_IMPORT else _SASS
    if source.endswith(_SHEETS):
        return _sheet(names, source, target, suffixes)
    found = find(names, source, target, "" if name == BY_IMPORT else name.strip("*"))
    if not found.targets and (target.endswith(_SHEETS) or name in ("", BY_IMPORT)):
        sheet = _sheet(names, source, target, suffixes)
        return sheet if sheet.targets else found
    return found


def _sheet(names: Names, source: str, target: str, suffixes: tuple[str, ...]) -> Resolution:
    bare = target.removeprefix("~")
    if not bare or ":" in bare:
        return EXTERNAL
    if bare == target and not target.startswith("/"):
        stem = inside(parent(source), target)
        found = _partial(names, stem, suffixes) if stem is not None else None
        if found:
            return exact(found)
        if target.startswith("."):
            return find(names, source, target)
    name, rest = npm.split(bare)
    manifest = npm.package(names, source, name)
    for place in npm.styles(names, manifest, rest) if manifest else ():
        if found := _partial(names, place, suffixes):
            return exact(found)
    alias = find(names, source, bare)
    if alias.targets and (alias.targets[0].path.endswith(_SHEETS) or "." in bare.rpartition("/")[2]):
        return alias
    for stem in aliases(names, source, bare):
        if found := _partial(names, stem, suffixes):
            return likely((found,))
    if manifest and (found := _partial(names, join(parent(manifest), rest), suffixes)):
        return exact(found)
    if bare == target and not target.startswith("@"):
        for place in above(source):
            for folder in _LOAD_PATHS:
                if found := _partial(names, join(place, join(folder, target.strip("/"))), suffixes):
                    return likely((found,))
    if alias.targets:  # a script that takes part in making styles
        return alias
    if bare == target and not target.startswith(("@", "/")) and (ends := _below_a_load_path(names, target, suffixes)):
        return likely(ends)
    return UNRESOLVED if manifest or target.startswith("/") else EXTERNAL


def _below_a_load_path(names: Names, target: str, suffixes: tuple[str, ...]) -> Candidates:
    """The sheets that a name with a directory in it ends the path of: builds are told of load paths elsewhere."""
    directory, _, name = target.strip("/").rpartition("/")
    stems = (f"{directory}/{name}", f"{directory}/_{name}") if directory else ()
    ends = [stem + suffix for suffix in (("",) if name.endswith(_SHEETS) else suffixes) for stem in stems]
    ends += (f"{directory}/{name}/_index{suffix}".strip("/") for suffix in suffixes)
    return next(filter(None, (names.named(end) for end in ends)), None)


def _partial(names: Names, stem: str, suffixes: tuple[str, ...]) -> str | None:
    """x → x.scss, _x.scss, x/_index.scss, …; what is made for @import comes before what it stands for."""
    if not stem:
        return None
    made = tuple(suffix for suffix in suffixes if suffix.startswith(_MADE))
    if stem.endswith(_SHEETS):
        bare, _, suffix = stem.rpartition(".")
        return (_either(names, f"{bare}{_MADE}", (f".{suffix}",)) if made else None) or _either(names, stem, ("",))
    for place in (stem, f"{stem}/index"):
        for group in (made, suffixes[len(made) :]):
            if found := _either(names, place, group):
                return found
    return first(names, stem, ("",))


def _either(names: Names, stem: str, suffixes: tuple[str, ...]) -> str | None:
    """The file of a stem, or of one that begins with an underscore."""
    name = stem.rpartition("/")[2]
    return first(names, stem, suffixes) or first(names, join(parent(stem), f"_{name}"), suffixes)
