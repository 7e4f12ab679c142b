"""What one blob says: the record that extraction produces and everything else reads.

Knows the shape of Facts and its byte form. Knows neither paths (a relative
import stays relative) nor how any language is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, NamedTuple


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
    "template",  # a template that another one, or code, names as its loader would
    "use",  # a name of its own package, or of one it imports whole, that no import statement names; a test's fixture
    "link",  # a hyperlink or include to a path in the repository; name = anchor without "#"
    "doc",  # a document named without its suffix (toctree entry, :doc:), or, without a target, by a label in it (:ref:)
    "symbol",  # a dotted name in code markup: `pkg.mod.Class`, :class:`~pkg.Class`
    "path",  # a value of a configuration file, or a file a script sources or runs
    "file",  # what a tool reads at that place, "/" being the top: a file, of a pattern, or a directory's manifest;
    #          name "above": or at that place from the nearest directory above that has something there
    "module",  # a dotted module-like value of a configuration file
    "entry",  # "pkg.mod:func" as an entry point; name = the function
    "mention",  # a path-like word in prose or in a string
    "comment",  # a path-like word in a comment
    "depends",  # a package that a manifest needs: target as the package is called, name = the key it is declared under
    "provides",  # a file that a manifest offers, relative to it
)


# Why a file is known by its text alone: a parser was not given it, gave it up, did not survive it, or we have a bug.
UNPARSED = frozenset(("too deep", "too broken", "crash", "extractor"))


class Chunk(NamedTuple):
    """A span of lines that is searched as one; title is its definition or heading."""

    start: int
    end: int
    title: str


Texts = list[tuple[str, str]]  # (title, text) of each chunk, as space-separated words


class Facts(NamedTuple):
    """Everything extraction learned from one blob read as one language."""

    language: str
    checksum: str = ""  # SHA-256 of the content, hex
    lines: int = 0
    skip: str = ""  # reason to leave the file out of the graph ("binary", "generated", …)
    error: str = ""  # what went wrong: one of UNPARSED, or "syntax", "encoding" where most of it was read
    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    exports: tuple[tuple[str, str, str], ...] = ()  # (bound name, module, imported name) at module level
    anchors: tuple[tuple[str, int], ...] = ()  # (anchor, line)
    headings: tuple[tuple[str, int], ...] = ()  # (text, line)
    names: str = ""  # the names it defines and its headings, as words for full-text search
    chunks: tuple[Chunk, ...] = ()
    declares: tuple[tuple[str, str], ...] = ()  # (label, value) by which others resolve: its package, …
    tags: tuple[tuple[str, str], ...] = ()  # structural tags, field → value
    risk: tuple[tuple[str, int], ...] = ()  # (rule, how many times it matched)
    public: int = 0  # public definitions
    documented: int = 0  # … of them with a docstring or doc comment
    entry_point: bool = False  # it is meant to be run (__main__ guard, shebang)
    placeholder: bool = False  # it says of itself that it is not there yet

    def encode(self) -> tuple[bytes, bytes]:
        """The record as compact JSON in two parts: its outline, and what linking reads."""
        return _dump(_outline_of(self)), _dump(_links_of(self))


# A build goes over all files twice, for their rows and for their links: it decodes each part once.
_OUTLINE = (
    "language", "checksum", "lines", "skip", "error", "definitions", "names", "chunks", "placeholder", "declares",
)  # fmt: skip
_LINKS = (
    "language", "references", "exports", "anchors", "headings", "tags", "risk", "public", "documented", "entry_point",
    "placeholder",
)  # fmt: skip
_outline_of, _links_of = attrgetter(*_OUTLINE), attrgetter(*_LINKS)
_ROWS: dict[str, Callable[[Iterable[Any]], Any]] = {
    "definitions": Definition._make, "references": Reference._make, "chunks": Chunk._make,
    "exports": tuple, "anchors": tuple, "headings": tuple, "tags": tuple, "risk": tuple,
    "declares": tuple,
}  # fmt: skip


_compact = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def _dump(fields: Iterable[object]) -> bytes:
    return _compact(fields).encode()


def _load(names: tuple[str, ...], data: bytes) -> dict[str, Any]:
    values = dict(zip(names, json.loads(data), strict=True))
    for name, make in _ROWS.items():
        if name in values:
            values[name] = tuple(map(make, values[name]))
    return values


def decode(outline: bytes, links: bytes) -> Facts:
    """The inverse of `Facts.encode`."""
    return Facts(**(_load(_OUTLINE, outline) | _load(_LINKS, links)))


def decode_outline(outline: bytes) -> Facts:
    """The outline alone; what linking reads is left empty."""
    return Facts(**_load(_OUTLINE, outline))


def decode_links(links: bytes) -> Facts:
    """What linking reads; the rest of the outline is left empty."""
    return Facts(**_load(_LINKS, links))
