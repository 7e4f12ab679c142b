"""Hangul documents in XML (.hwpx, OWPML): the same text as from .hwp, out of a ZIP file.

Knows the paragraph vocabulary as far as it holds text: runs, tables with captions and nested
tables, text boxes, notes, margins, hidden comments, memos, ruby, equations, form fields, tracked
changes as if accepted. Knows no layout.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import BinaryIO

from .archive import Archive
from .model import About, Kind, Limits, Refused, Section
from .tables import OBJECT, Place, flow, row
from .xml import END, START, TEXT, Xml

_MANIFEST, _CONTAINER, _CONTENTS = "META-INF/manifest.xml", "META-INF/container.xml", "Contents/content.hpf"
_SECTION = re.compile(r"contents/section(\d{1,5})\.xml", re.IGNORECASE)
_MASTER = re.compile(r"contents/masterpage\d{1,5}\.xml", re.IGNORECASE)
_CHARACTERS = {"hp:lineBreak": "\n", "hp:tab": "\t", "hp:nbSpace": " ", "hp:fwSpace": " ", "hp:hyphen": "-"}
# Elements that hold a list of paragraphs: what these are, and what their place is called.
_LISTS: dict[str, tuple[Kind, str]] = {
    "hp:header": ("header", "header"), "hp:footer": ("footer", "footer"), "hp:footNote": ("note", "footnote"),
    "hp:endNote": ("note", "endnote"), "hp:hiddenComment": ("comment", "hidden comment"),
    "hp:drawText": ("textbox", "text box"), "hp:caption": ("textbox", "caption"),
}  # fmt: skip
_OBJECTS = frozenset(
    f"hp:{name}"
    for name in "tbl pic rect line ellipse arc polygon curve connectLine container ole video textart".split()
)
_CAPTION_NUMBERS = ("PICTURE", "TABLE", "EQUATION")  # page and note numbers are layout
# Form objects and text art: the attribute that is shown.
_SHOWN = {"hp:btn": "caption", "hp:checkBtn": "caption", "hp:radioBtn": "caption"}
_PROPERTIES = {
    "creator": "author", "subject": "subject", "description": "description", "lastsaveby": "last_modified_by",
    "CreatedDate": "created", "ModifiedDate": "modified", "keyword": "keywords",
}  # fmt: skip
_LINE_END = "\u240d\u240a"  # how text art writes one


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a document."""
    archive = Archive(stream, limits)
    _locked(archive, limits)
    sections = _sections(archive, about, limits)
    reader = _Reader(_levels(archive, limits))
    for name in sections:
        xml = Xml(archive.open(name), limits)
        next(xml, None)
        yield from reader.paragraphs(xml, Place("paragraph", ""), 0)
    for name in filter(_MASTER.fullmatch, archive.names):
        yield from reader.master(Xml(archive.open(name), limits))


def _locked(archive: Archive, limits: Limits) -> None:
    """Refused when the manifest says that members are encrypted."""
    if archive.find(_MANIFEST):
        for kind, name, _ in Xml(archive.open(_MANIFEST), limits):
            if kind == START and name == "odf:encryption-data":
                raise Refused("password", "it is protected by a password", "save it in Hangul without one")


def _sections(archive: Archive, about: About, limits: Limits) -> list[str]:
    """The members that hold the body, in the order of the spine; without one, by their numbers."""
    items: dict[str, str] = {}
    spine: list[str] = []
    package = _package(archive, limits)
    if package:
        xml = Xml(archive.open(package), limits)
        for kind, name, attributes in xml:
            if kind != START:
                continue
            if name == "opf:item":
                items[attributes.get("id", "")] = attributes.get("href", "")
            elif name == "opf:itemref":
                spine.append(items.get(attributes.get("idref", ""), ""))
            elif name == "opf:title":
                about.title = xml.text().strip()
            elif name == "opf:meta" and attributes.get("name") in _PROPERTIES:
                value = xml.text().strip()
                if value:
                    about.metadata[_PROPERTIES[attributes["name"]]] = value
    found = [_member(archive, href, package) for href in spine]
    listed = [name for name in found if name and _SECTION.fullmatch(name)]
    numbered = ((int(match[1]), name) for name in archive.names if (match := _SECTION.fullmatch(name)))
    rest = [name for _, name in sorted(numbered) if name not in listed]
    if not listed and not rest:
        raise Refused("malformed", "the archive holds no Hangul document")
    return listed + rest


def _package(archive: Archive, limits: Limits) -> str:
    """The member that lists the others."""
    if archive.find(_CONTAINER):
        for kind, name, attributes in Xml(archive.open(_CONTAINER), limits):
            path = attributes.get("full-path", "")
            if kind == START and name == "ocf:rootfile" and path.endswith(".hpf") and archive.find(path):
                return path
    return _CONTENTS if archive.find(_CONTENTS) else ""


def _member(archive: Archive, href: str, package: str) -> str | None:
    """A member by its reference: from the root of the archive, or from beside the package."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(package), href))
    return archive.find(href) or archive.find(beside)


def _levels(archive: Archive, limits: Limits) -> dict[str, int]:
    """The outline level of paragraph shapes that are headings, by id."""
    levels: dict[str, int] = {}
    header = archive.find("Contents/header.xml")
    if header is None:
        return levels
    shape = ""
    for kind, name, attributes in Xml(archive.open(header), limits):
        if kind == START and name == "hh:paraPr":
            shape = attributes.get("id", "")
        elif kind == START and name == "hh:heading" and attributes.get("type") == "OUTLINE":
            level = attributes.get("level", "")
            levels[shape] = int(level) + 1 if level.isdecimal() else 1
    return levels


class _Reader:
    """One document: what was counted so far."""

    def __init__(self, levels: dict[str, int]) -> None:
        self._levels = levels
        self._paragraphs = self._tables = 0
        self._counts: dict[str, int] = {}
        self._deleted: list[str] | None = None  # inside text that a tracked change took out: its pieces

    def paragraphs(self, xml: Xml, place: Place, depth: int) -> Iterator[Section]:
        """The paragraphs in the element that has just started."""
        for kind, name, attributes in xml.inside():
            if kind == START and name == "hp:p":
                yield from self._paragraph(xml, attributes, place, depth)

    def master(self, xml: Xml) -> Iterator[Section]:
        """The paragraphs of a master page: what stands on every page."""
        next(xml, None)
        yield from self.paragraphs(xml, self._place("header", "master page"), 0)

    def _paragraph(self, xml: Xml, attributes: dict[str, str], place: Place, depth: int) -> Iterator[Section]:
        if not place.name:
            self._paragraphs += 1
        location = place.name or f"paragraph {self._paragraphs}"
        pieces: list[str] = []
        after: list[Section] = []
        for kind, name, values in xml.inside():
            if kind == START:
                self._take(xml, name, values, pieces, after, location, depth)
        text = flow(pieces)
        level = self._levels.get(attributes.get("paraPrIDRef", ""), 0)
        if level and place.kind == "paragraph":
            yield Section("heading", text, level, location)
        else:
            yield Section(place.kind, text, 0, location)
        yield from after

    def _take(
        self, xml: Xml, name: str, attributes: dict[str, str], pieces: list[str], after: list[Section], location: str,
        depth: int,
    ) -> None:  # fmt: skip
        """What an element in a paragraph gives; an element not known here is looked through."""
        if name in _OBJECTS:
            pieces.append(OBJECT)
        if name == "hp:t":
            self._text(xml, pieces, after, location)
        elif name == "hp:tbl":
            after += self._table(xml, location, depth)
        elif name in _LISTS:
            after += self.paragraphs(xml, self._place(*_LISTS[name]), 0)
        elif name == "hp:fieldBegin" and attributes.get("type") == "MEMO":
            after += self.paragraphs(xml, self._place("comment", "memo"), 0)
        elif name == "hp:script":
            pieces += (OBJECT, xml.text().strip(), OBJECT)
        elif name == "hp:dutmal":
            pieces.append(_ruby(xml))
        elif name == "hp:autoNum":
            if attributes.get("numType") in _CAPTION_NUMBERS:
                pieces.append(attributes.get("num", ""))
            xml.skip()
        elif name == "hp:textart":
            after.append(Section("textbox", attributes.get("text", "").replace(_LINE_END, "\n"), 0, location))
        elif name == "hp:compose":
            pieces.append(attributes.get("composeText", ""))
        elif name in _SHOWN:
            pieces += (OBJECT, attributes.get(_SHOWN[name], ""), OBJECT)
        elif name == "hp:edit":
            pieces.append("".join(xml.text() for kind, inner, _ in xml.inside() if (kind, inner) == (START, "hp:text")))
        elif name in ("hp:secPr", "hp:parameters", "hp:shapeComment", "hp:indexmark", "hp:linesegarray"):
            xml.skip()

    def _text(self, xml: Xml, pieces: list[str], after: list[Section], location: str) -> None:
        """The text of a run; what a tracked change deleted is not part of it."""
        for kind, name, _ in xml.inside():
            into = pieces if self._deleted is None else self._deleted
            if kind == TEXT:
                into.append(name)
            elif kind == START and name in _CHARACTERS:
                into.append(_CHARACTERS[name])
            elif kind == START and name == "hp:deleteBegin":
                self._deleted = []
            elif kind == START and name == "hp:deleteEnd" and self._deleted is not None:
                after.append(Section("comment", "".join(self._deleted), 0, f"{location} deletion"))
                self._deleted = None

    def _place(self, kind: Kind, name: str) -> Place:
        """The next place of this name."""
        self._counts[name] = self._counts.get(name, 0) + 1
        return Place(kind, f"{name} {self._counts[name]}")

    def _table(self, xml: Xml, location: str, depth: int) -> Iterator[Section]:
        if not depth:
            self._tables += 1
        table = location if depth else f"table {self._tables}"
        number = 0
        cells: list[list[Section]] = []
        for kind, name, _ in xml.inside():
            if kind == START and name == "hp:caption":
                yield from self.paragraphs(xml, Place("table", table), 0)
            elif kind == START and name == "hp:tr":
                number += 1
                cells = []
            elif kind == START and name == "hp:tc":
                cells.append(list(self.paragraphs(xml, Place("paragraph", f"{table} row {number}"), depth + 1)))
            elif kind == END and name == "hp:tr":
                yield from row(cells, f"{table} row {number}", depth)


def _ruby(xml: Xml) -> str:
    """Text with its reading: base(reading)."""
    parts = {name: xml.text() for kind, name, _ in xml.inside() if kind == START}
    main, above = parts.get("hp:mainText", ""), parts.get("hp:subText", "")
    return f"{main}({above})" if above else main
