"""Where the fixture lies that an argument of a Python test names.

Knows pytest's rule: the own module, then each `conftest.py` from the own directory
to the top, with what that imports. Knows no plugins, which lie outside of the tree.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from . import python
from .model import EXTERNAL, Resolution, above, exact, join, parent


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The `conftest.py` with a fixture of that name, or the module that it has it from."""
    name = reference.name
    if name in names.members(source) and not source.endswith("conftest.py"):
        return EXTERNAL  # the own one: nothing else is named
    directory = parent(source)
    for path in names.once(_conftests, directory):
        if path != source:  # a fixture may take the one that it stands before
            found = names.once(_in, path, name)
            if found.targets:
                return found
    return EXTERNAL


def _conftests(names: Names, directory: str) -> tuple[str, ...]:
    places = (directory, *above(directory)) if directory else ("",)
    return tuple(path for place in places if names.exists(path := join(place, "conftest.py")))


def _in(names: Names, path: str, name: str) -> Resolution:
    """A fixture as one `conftest.py` has it: defined there, imported, or imported with all of a module."""
    if name in names.members(path):
        return exact(path, symbol=name)
    bound = names.export(path, name)
    if bound and bound[0]:
        return python.resolve(names, path, Reference("import", *bound, 0, 0))
    for module in names.stars(path):
        found = python.resolve(names, path, Reference("import", module, name, 0, 0))
        if any(target.symbol in names.members(target.path) for target in found.targets):
            return found
    return EXTERNAL
