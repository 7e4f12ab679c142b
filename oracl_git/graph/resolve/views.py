"""Views of Rails and their kin: files by the name that code renders them by.

Knows the directories of views, the nearest first, that a partial's file begins with an underscore, and
that one view has a file for each format.
"""

from __future__ import annotations

from itertools import islice

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, above, exact, inside, join, likely, parent

_ROOTS = ("app/views", "views")
_MOST_ROOTS = 20  # that code names beside them
_SUFFIXES = (".erb", ".haml", ".slim", ".jbuilder", ".builder", ".ruby")
_USUAL = (".html.erb", ".html.haml", ".html.slim", ".json.jbuilder", ".text.erb", ".erb")


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The files of a view."""
    kind = reference.name
    hidden = join(parent(reference.target), "_" + reference.target.rpartition("/")[2])
    forms = {"partial": (hidden,), "": (reference.target, hidden)}.get(kind, (reference.target,))
    for place in _places(names, source):
        for form in forms:
            if found := _there(names, source, inside(place, form)):
                return exact(*found)
    if kind == "implicit" or "/" not in reference.target:
        return EXTERNAL
    for form in forms:
        for suffix in _USUAL:
            if elsewhere := names.named(f"views/{form}{suffix}"):
                return likely(elsewhere)
    return EXTERNAL


def _places(names: Names, source: str) -> list[str]:
    """The directories that names of views start at; a view's own first, and at last what every controller shows."""
    head, views, _ = source.rpartition("/views/")
    own = [parent(source), f"{head}{views}".rstrip("/")] if views else []
    named = names.once(_roots)
    roots = [join(place, root) for place in above(source) for root in (*named, *_ROOTS)]
    return [*own, *roots, *(join(root, "application") for root in (*own[1:], *roots))]


def _roots(names: Names) -> tuple[str, ...]:
    """The directories that code says views lie in, too."""
    declaring = names.declaring("view roots", "") or ()
    return tuple(islice((root for path in declaring for root in names.declared(path, "view root")), _MOST_ROOTS))


def _there(names: Names, source: str, stem: str | None) -> tuple[str, ...]:
    if not stem:
        return ()
    directory, name = parent(stem), stem.rpartition("/")[2]
    listed = names.once(_listed, directory)
    return tuple(path for path in listed.get(name.partition(".")[0], ()) if path != source)


def _listed(names: Names, directory: str) -> dict[str, list[str]]:
    """Name without format → the files of a view."""
    found: dict[str, list[str]] = {}
    for suffix in _SUFFIXES:
        for path in names.files(directory, suffix):
            found.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)
    return found
