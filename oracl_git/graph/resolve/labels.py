"""Labels of documents (Sphinx): the document that holds a place by the name others refer to it by.

Knows that the documents of one site share one space of labels, and that a tree may hold several sites.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, exact
from .packages import declared


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The document that declares a label, the nearest of several."""
    found = declared(names, "document label", source, reference.name)
    return exact(*found) if len(found) == 1 else EXTERNAL
