"""Templates: named from any `templates` directory, as their loaders find them.

Knows the directories by the names that frameworks give them; the nearest one to the file wins.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, above, exact, inside, join, likely, parent

_DIRECTORIES = ("templates", "jinja2", "")
# What the directories are called that a name without one may lie in.
_ROOTS = frozenset("templates jinja2 _templates template views layouts layout partials themes theme".split())


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file of a template's name."""
    target = reference.target.lstrip("/")
    if source.endswith(".txt") and _ROOTS.isdisjoint(source.split("/")):
        return EXTERNAL  # prose that shows how templates are written
    if target.startswith("."):
        place = inside(parent(source), target)
        return exact(place) if place and names.exists(place) else EXTERNAL
    if "/" not in target and (rooted := _rooted(names, source, target)):
        return exact(rooted)
    for place in above(source):
        for directory in _DIRECTORIES:
            path = join(join(place, directory), target)
            if path != source and names.exists(path):
                return exact(path)
    found = names.named(target)
    if found and len(found) > 1:  # applications and themes hold their own
        kept = tuple(path for path in found if f"/templates/{target}" in path and path != source)
        found = kept or found
    if found and "/" not in target:  # an application that is not here may hold the template, too
        found = tuple(path for path in found if parent(path).rpartition("/")[2] in _ROOTS)
    return likely(tuple(path for path in found if path != source) if found else found)


def _rooted(names: Names, source: str, target: str) -> str | None:
    """The template of a name without a directory: in the loader's own that a template lies in, or the only one else.

    Not the one beside it, unless that is there: `{% extends "base.html" %}` in app/templates/app/base.html.
    """
    for place in above(source):
        kind = place.rpartition("/")[2]
        if kind in _DIRECTORIES and kind:
            path = join(place, target)
            if path != source and names.exists(path):
                return path
            found = names.named(f"{kind}/{target}") or ()
            return found[0] if len(found) == 1 and found[0] != source else None
    return None
