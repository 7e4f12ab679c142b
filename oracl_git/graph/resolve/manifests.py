"""What a manifest needs: a project of the tree by the name it declares, by its path, or as Gradle counts them.

Knows that of several of one name, as in fixtures, the nearest is meant, and that Gradle's projects are named from
the directory of its settings.
"""

from __future__ import annotations

import re

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, Target, exact, first, inside, join, nearest, parent
from .packages import declared

_SETTINGS = ("settings.gradle.kts", "settings.gradle")
_BUILDS = ("/build.gradle.kts", "/build.gradle")


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The manifests of what is needed."""
    _, target, label, *_ = reference
    if not label:
        place = inside(parent(source), target)
        return exact(place) if place and names.exists(place) else EXTERNAL
    if label == "gradle project":
        build = _gradle(names, source, target)
        return exact(build) if build else EXTERNAL
    found = declared(names, label, source, target)
    return Resolution(tuple(Target(path, "", (1, len(found))) for path in found), "exact")


def _gradle(names: Names, source: str, target: str) -> str | None:
    settings = nearest(names, source, *_SETTINGS)
    if settings is None:
        return None
    if not target.startswith(":"):  # as accessors spell it
        spelled = _plain(target)
        known = (name for name in names.declared(settings, "gradle project") if _plain(name) == spelled)
        target = next(known, f":{target}")
    moved = dict(value.split(" ", 1) for value in names.declared(settings, "gradle place"))
    place = moved.get(target) or target.strip(":").replace(":", "/")
    return first(names, join(parent(settings), place), _BUILDS)


def _plain(name: str) -> str:
    return re.sub(r"[-_]", "", name.strip(":").replace(":", ".")).lower()
