"""XML as a stream of events: no tree in memory, no document type, no entity, bounded depth.

Knows the namespaces of office formats by the short prefixes their specifications use, so
that a reader compares "w:p" whatever a file calls it. Knows no vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.parsers import expat

from .model import Limits, Refused

START, END, TEXT = 1, 2, 3
Event = tuple[int, str, dict[str, str]]  # (START, name, attributes), (END, name, {}), (TEXT, text, {})
_NONE: dict[str, str] = {}

_OPEN = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"  # the same vocabularies in the ISO standard's strict form
_OFFICE = {
    "wordprocessingml": "w", "spreadsheetml": "x", "presentationml": "p", "drawingml": "a",
    "officeDocument/math": "m", "officeDocument/relationships": "r",
    "drawingml/chart": "c", "drawingml/diagram": "dgm", "drawingml/wordprocessingDrawing": "wp",
}  # fmt: skip
_OTHER = {
    _OPEN + "markup-compatibility/2006": "mc",
    _OPEN + "package/2006/relationships": "rel",
    _OPEN + "package/2006/content-types": "ct",
    _OPEN + "package/2006/metadata/core-properties": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "x18tc",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0": "odf",
    "urn:oasis:names:tc:opendocument:xmlns:container": "ocf",
    "http://www.idpf.org/2007/opf/": "opf",
    "http://www.w3.org/XML/1998/namespace": "xml",
}  # fmt: skip
# Hancom's own names (…/hwpml/2011/paragraph), and the standard's (…/owpml/2024/paragraph).
_HANGUL = re.compile(r"http://www\.(?:hancom\.co\.kr/hwpml|owpml\.org/owpml)/\d{4}/([\w-]+)")
_HANGUL_PREFIXES = {
    "app": "ha", "paragraph": "hp", "section": "hs", "core": "hc", "head": "hh", "history": "hhs",
    "master-page": "hm",
}  # fmt: skip
_CHUNK = 1 << 14


def prefix(uri: str) -> str:
    """The short prefix of a namespace; "?" for one that nobody here asks for."""
    if uri in _OTHER:
        return _OTHER[uri]
    if uri.startswith(_OPEN):
        return _OFFICE.get(uri[len(_OPEN) :].replace("/2006", "").removesuffix("/main"), "?")
    if uri.startswith(_STRICT):
        return _OFFICE.get(uri[len(_STRICT) :].removesuffix("/main"), "?")
    hangul = _HANGUL.fullmatch(uri)
    return _HANGUL_PREFIXES.get(hangul[1], "?") if hangul else "?"


class _Names(dict[str, str]):
    """Names as expat gives them ("uri}local", or "local") → as readers compare them."""

    def __missing__(self, qualified: str) -> str:
        uri, mark, local = qualified.rpartition("}")
        self[qualified] = name = f"{prefix(uri)}:{local}" if mark else local
        return name


# Of these a reader sees the first of several that say the same in more than one way; the rest is passed over.
_ALTERNATIVES = frozenset(("mc:AlternateContent", "hp:switch"))


class Xml:
    """The events of a file, in order. Adjacent text may come in pieces.

    A reader that is given a START may `skip` the element, take its `text`, or walk `inside`
    it; whoever walks outside goes on behind it.
    """

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._events = _events(stream, limits)
        self._depth = 0

    def __iter__(self) -> Xml:
        return self

    def __next__(self) -> Event:
        event = next(self._events)
        if event[0] == START:
            self._depth += 1
        elif event[0] == END:
            self._depth -= 1
        return event

    def inside(self) -> Iterator[Event]:
        """What is in the element that has just started."""
        floor = self._depth
        for event in self:
            if self._depth < floor:
                return
            yield event

    def skip(self) -> None:
        """Pass the element that has just started."""
        floor = self._depth
        for _ in self:
            if self._depth < floor:
                return

    def text(self) -> str:
        """All text in the element that has just started."""
        return "".join([event[1] for event in self.inside() if event[0] == TEXT])


def _events(stream: BinaryIO, limits: Limits) -> Iterator[Event]:
    parser = expat.ParserCreate(namespace_separator="}")
    names = _Names()
    found: list[Event] = []
    depth = silent = 0  # silent: the depth of the alternative that is passed over
    chosen: list[tuple[int, bool]] = []  # open places with alternatives: (depth, whether one was taken)

    def start(qualified: str, attributes: dict[str, str]) -> None:
        nonlocal depth, silent
        depth += 1
        if depth > limits.xml_depth:
            raise Refused("bomb", f"the XML is nested more than {limits.xml_depth} deep")
        if silent:
            return
        if chosen and chosen[-1][0] == depth - 1:
            if chosen[-1][1]:
                silent = depth
                return
            chosen[-1] = (depth - 1, True)
        name = names[qualified]
        if name in _ALTERNATIVES:
            chosen.append((depth, False))
        found.append((START, name, {names[key]: value for key, value in attributes.items()} if attributes else _NONE))

    def end(qualified: str) -> None:
        nonlocal depth, silent
        if not silent:
            found.append((END, names[qualified], _NONE))
        elif silent == depth:
            silent = 0
        if chosen and chosen[-1][0] == depth:
            chosen.pop()
        depth -= 1

    def text(data: str) -> None:
        if not silent:
            found.append((TEXT, data, _NONE))

    def doctype(*_: object) -> None:
        raise Refused("bomb", "the XML declares a document type, where entities could multiply")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, doctype
    parser.buffer_text = True
    try:
        while data := stream.read(_CHUNK):
            parser.Parse(data, False)
            yield from found
            found.clear()
        parser.Parse(b"", True)
        yield from found
    except expat.ExpatError as error:
        raise Refused("malformed", f"the XML is broken: {error}") from error
