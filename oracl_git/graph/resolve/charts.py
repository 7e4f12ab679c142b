"""Helm: the file that defines a named template, in the same chart or in one that a release has with it.

Knows that charts keep their files below `templates`, that the templates of a release share one space of names, and
that of several files with a name the nearest is meant.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import Resolution, above
from .packages import beside, declared, only

_SUFFIXES = (".tpl", ".yaml", ".yml", ".txt", ".gotmpl")


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file that defines what a template takes in."""
    name = reference.name
    found: tuple[str, ...] = ()
    if names.declaring("helm", name) is not None:
        found = declared(names, "helm", source, name)
    else:  # charts that begin as copies of one another
        for directory in above(source):
            found = tuple(path for path in beside(names, "helm", directory, _SUFFIXES).get(name, ()) if path != source)
            if found or directory.endswith("templates"):
                break
    return only(source, found, name)

