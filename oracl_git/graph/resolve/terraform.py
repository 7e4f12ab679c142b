"""Terraform: the files of a directory are one module.

Knows that a name is defined in some file beside the one that uses it, and which file stands for a module.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, UNRESOLVED, Resolution, exact, inside, join, parent


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file of the same module that defines a name; the main file of a module in a directory."""
    directory = parent(source)
    if reference.kind == "import":
        place = inside(directory, reference.target)
        files = names.files(place, ".tf") if place is not None else ()
        main = join(place or "", "main.tf")
        return exact(main if main in files else files[0]) if files else UNRESOLVED
    module = names.once(_module, directory)
    found = module.get(reference.name)
    return exact(found, symbol=reference.name) if found else EXTERNAL


def _module(names: Names, directory: str) -> dict[str, str]:
    return {name: path for path in reversed(names.files(directory, ".tf")) for name in names.members(path)}
