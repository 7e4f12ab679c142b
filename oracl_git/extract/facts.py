"""What one blob says: the record that extraction produces and everything else reads.

Knows the shape of Facts and its byte form. Knows neither paths (a relative
import stays relative) nor how any language is read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple


class Definition(NamedTuple):
    """A named thing a file defines. Lines are 1-based and inclusive."""

    name: str  # qualified inside the file: "Parser.parse"
    kind: str  # class | function | method | constant
    start: int
    end: int
    public: bool
    documented: bool


class Reference(NamedTuple):
    """A place where a file names something else. Lines are 1-based and inclusive.

    kind      what stands there; one of REFERENCE_KINDS
    target    what is named: a module with its leading dots, a path, a stem
    name      the imported name, the anchor, or "" ("*" for a star import)
    """

    kind: str
    target: str
    name: str
    start: int
    end: int


REFERENCE_KINDS = (
    "import",  # target "pkg.mod" or "..mod"; name = imported name, "*", or "" for a plain import
    "link",  # a hyperlink or include to a path in the repository; name = anchor without "#"
    "doc",  # a document named without its suffix (toctree entry, :doc:)
    "symbol",  # a dotted name in code markup: `pkg.mod.Class`, :class:`~pkg.Class`
    "path",  # a value of a configuration file, or a file a script sources or runs
    "module",  # a dotted module-like value of a configuration file
    "entry",  # "pkg.mod:func" as an entry point; name = the function
    "mention",  # a path-like word in prose or in a string
    "comment",  # a path-like word in a comment
)


class Chunk(NamedTuple):
    """A span of lines that is searched as one; title is its definition or heading."""

    start: int
    end: int
    title: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything extraction learned from one blob read as one language."""

    language: str
    checksum: str  # SHA-256 of the content, hex
    lines: int = 0
    skip: str = ""  # reason to leave the file out of the graph ("binary", "generated", …)
    error: str = ""  # why it is known by path and text alone ("too deep", "syntax", …)
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    exports: tuple[tuple[str, str, str], ...] = ()  # (bound name, module, imported name) at module level
    anchors: tuple[tuple[str, int], ...] = ()  # (anchor, line)
    headings: tuple[tuple[str, int], ...] = ()  # (text, line)
    chunks: tuple[Chunk, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()  # structural tags, field → value
    risk: tuple[tuple[str, int], ...] = ()  # (rule, how many times it matched)
    public: int = 0  # public definitions
    documented: int = 0  # … of them with a docstring or doc comment
    entry_point: bool = False  # it is meant to be run (__main__ guard, shebang)
    placeholder: bool = False  # it says of itself that it is not there yet
    uses: tuple[tuple[str, str, int], ...] = ()  # (definition, imported or local name it uses, line)

    def encode(self) -> bytes:
        """The record as compact JSON, without `uses` (see `encode_uses`)."""
        fields = [getattr(self, name) for name in _FIELDS]
        return json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode()

    def encode_uses(self) -> bytes:
        """`uses` alone: only a symbol-grain trace reads it."""
        return json.dumps(self.uses, ensure_ascii=True, separators=(",", ":")).encode() if self.uses else b""


_FIELDS = tuple(name for name in Facts.__dataclass_fields__ if name != "uses")


def decode(data: bytes) -> Facts:
    """The inverse of `Facts.encode` (with `uses` empty)."""
    values = dict(zip(_FIELDS, json.loads(data), strict=True))
    values["definitions"] = tuple(map(Definition._make, values["definitions"]))
    values["references"] = tuple(map(Reference._make, values["references"]))
    values["chunks"] = tuple(map(Chunk._make, values["chunks"]))
    for field in ("exports", "anchors", "headings", "tags", "risk"):
        values[field] = tuple(map(tuple, values[field]))
    return Facts(**values)
