"""Which code made an index: a digest of what reads files, and one of what links and weighs them.

Knows where that code lies. Facts depend on the first alone and outlive a change of the second.
"""

from __future__ import annotations

import os
from functools import cache
from hashlib import sha256

from .. import graph
from ..extract.version import version


def graph_version() -> str:
    """A digest over the code that links and weighs, as the extractor version is over the code that reads."""
    found = sha256()
    top = os.path.dirname(graph.__file__)
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names if name.endswith(".py")]
    for path, name in sorted((path, os.path.relpath(path, top).replace(os.sep, "/")) for path in paths):
        with open(path, "rb") as file:
            found.update(f"\0{name}\0{sha256(file.read()).hexdigest()}".encode())
    return found.hexdigest()


@cache
def made_by() -> dict[str, str]:
    """Header key → digest of the code that this process has loaded: its files are read once, not for each question."""
    return {"extractor": version(), "graph": graph_version()}


def is_of_this_version(header: dict[str, object]) -> bool:
    """Whether this code made the index with that header."""
    return all(header.get(key) == value for key, value in made_by().items())
