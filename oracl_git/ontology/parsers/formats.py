"""The formats there are: their suffixes, where they are read, and what they need.

Knows one table. A format whose library or tool is missing is in it all the same, and says so.
"""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass

from .model import Refused


@dataclass(frozen=True, slots=True)
class Format:
    """One adapter: its module in this package, and the spans (kind → span type) its sections have."""

    name: str
    adapter: str
    suffixes: tuple[str, ...]
    title: str  # what a person calls it
    spans: tuple[tuple[str, str], ...]  # section kind, or "" for any other
    library: str = ""
    tool: str = ""
    child: bool = True  # read in a process of its own

    def unavailable(self) -> str:
        """Why it cannot be read here; "" when it can."""
        if self.library and importlib.util.find_spec(self.library) is None:
            return f"the library {self.library} is not installed"
        if self.tool and shutil.which(self.tool) is None:
            return f"{self.tool} is not installed"
        return ""

    def span(self, kind: str) -> str:
        """The type of span a section of this kind has, in the words of the store."""
        return dict(self.spans).get(kind) or dict(self.spans)[""]


_LINES = (("", "line_range"),)
FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("txt", "plain", (".txt", ".text", ".log"), "plain text", _LINES, child=False),
        Format("md", "plain", (".md", ".markdown"), "Markdown", _LINES, child=False),
        Format("rst", "plain", (".rst",), "reStructuredText", _LINES, child=False),
        Format("csv", "plain", (".csv", ".tsv"), "CSV", (("", "csv_row"),), child=False),
    )
}
SUFFIXES: dict[str, Format] = {suffix: one for one in FORMATS.values() for suffix in one.suffixes}


def by_suffix(suffix: str) -> Format:
    """The format of a suffix (with its dot, any case); Refused when there is none."""
    found = SUFFIXES.get(suffix.lower())
    if found is None:
        raise Refused("unsupported", f"there is no adapter for {suffix or 'a file without suffix'}")
    return found
