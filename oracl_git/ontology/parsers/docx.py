"""Word (.docx): body in document order, with text boxes, notes and comments where they are anchored.

Knows WordprocessingML as far as it holds text: tracked changes as if
accepted (what they deleted is a comment), content
controls, fields by their result, ruby, symbols, equations by their letters. Knows no layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from .model import About, Limits, Section
from .opc import Package
from .tables import Place, row
from .xml import START, Xml

_MAIN = ("word/document.xml",)
_SILENT = frozenset((
    "w:rPr", "w:moveFrom", "w:instrText", "w:delInstrText", "w:sdtPr", "w:sdtEndPr", "w:tblPr",
    "w:tblGrid", "w:tcPr", "w:tblPrEx", "w:fldData", "w:smartTagPr", "w:customXmlPr", "w:rubyPr", "wp:docPr",
))  # fmt: skip
_CHARACTERS = {"w:tab": "\t", "w:ptab": "\t", "w:cr": "\n", "w:noBreakHyphen": "-"}
_NOTES = {"w:footnoteReference": "footnotes", "w:endnoteReference": "endnotes", "w:commentReference": "comments"}
_SEPARATORS = frozenset(("separator", "continuationSeparator", "continuationNotice"))
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_BODY_LEVEL = 9  # an outline level that is none
_PRIVATE_USE = range(0xF000, 0xF100)  # a symbol font's own places: no character


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a document."""
    package = Package(stream, limits)
    main = package.main(_MAIN)
    package.properties(about)
    package.embedded(main, about)
    reader = _Reader(package, main)
    yield from reader.part(main, "")
    yield from reader.leftovers()


class _Reader:
    """One document: its styles, its notes, and what it has counted so far."""

    def __init__(self, package: Package, main: str) -> None:
        self._package, self._main = package, main
        self._relations = package.relations(main)
        self._levels = self._styles()
        self._paragraphs = self._tables = 0
        self._notes: dict[str, dict[str, list[Section]]] = {}
        self._used: set[str] = set()  # header and footer parts that were given out

    def part(self, part: str, kind: str) -> Iterator[Section]:
        """The blocks of a part: the body, or a header or footer."""
        place = Place("paragraph", "")
        if kind:
            self._used.add(part)
            number = sum(1 for name in self._used if kind in name.lower())
            place = Place("header" if kind == "header" else "footer", f"{kind} {number}")
        xml = self._package.xml(part)
        next(xml, None)
        yield from self._blocks(xml, place, 0)

    def leftovers(self) -> Iterator[Section]:
        """Notes and comments that nothing in the body refers to."""
        for kind in ("footnotes", "endnotes", "comments"):
            for sections in self._load(kind).values():
                yield from sections

    def _blocks(self, xml: Xml, place: Place, depth: int) -> Iterator[Section]:
        """Paragraphs and tables in the element that has just started; what wraps them is looked through."""
        for kind, name, attributes in xml.inside():
            if kind != START:
                continue
            if name == "w:p":
                yield from self._paragraph(xml, place)
            elif name == "w:tbl":
                yield from self._table(xml, place, depth)
            elif name in ("w:headerReference", "w:footerReference"):
                yield from self._margin(name, attributes)
            elif name in _SILENT:
                xml.skip()

    def _margin(self, name: str, attributes: dict[str, str]) -> Iterator[Section]:
        """A header or footer a section of the document names; each is given out once."""
        relation = self._relations.get(attributes.get("r:id", ""))
        if relation and relation.target not in self._used and self._package.archive.find(relation.target):
            yield from self.part(relation.target, "header" if name == "w:headerReference" else "footer")

    def _paragraph(self, xml: Xml, place: Place) -> Iterator[Section]:
        if not place.name:
            self._paragraphs += 1
        location = place.name or f"paragraph {self._paragraphs}"
        pieces: list[str] = []
        after: list[Section] = []
        level = self._runs(xml, pieces, after, location)
        text = "".join(pieces).strip("\n")
        if level and place.kind == "paragraph":
            yield Section("heading", text, level, location)
        else:
            yield Section(place.kind, text, 0, location)
        yield from after

    def _runs(self, xml: Xml, pieces: list[str], after: list[Section], location: str) -> int:
        """Gather the text of a paragraph, and what is anchored in it; returns its level as a heading, or 0."""
        level = 0
        for kind, name, attributes in xml.inside():
            if kind != START:
                continue
            if name in ("w:t", "m:t"):
                pieces.append(xml.text())
            elif name == "w:del":
                deleted = "".join(xml.text() for event, tag, _ in xml.inside() if (event, tag) == (START, "w:delText"))
                after.append(Section("comment", deleted, 0, f"{location} deletion"))
            elif name == "w:pPr":
                level = self._properties(xml, after)
            elif name in _SILENT:
                xml.skip()
            elif name in _CHARACTERS:
                pieces.append(_CHARACTERS[name])
            elif name == "w:br":
                pieces.append("\n" if attributes.get("w:type", "textWrapping") == "textWrapping" else "")
            elif name == "w:sym":
                pieces.append(_symbol(attributes.get("w:char", "")))
            elif name == "w:ruby":
                pieces.append(self._ruby(xml, after, location))
            elif name == "w:txbxContent":
                after += self._blocks(xml, Place("textbox", f"{location} text box"), 0)
            elif name in _NOTES:
                after += self._load(_NOTES[name]).pop(attributes.get("w:id", ""), [])
            elif name in ("dgm:relIds", "c:chart"):
                self._drawn(attributes.get("r:dm") or attributes.get("r:id", ""), after, location)
        return level

    def _properties(self, xml: Xml, after: list[Section]) -> int:
        """A paragraph's level as a heading; its section properties name headers and footers."""
        level = None
        style = 0
        for kind, name, attributes in xml.inside():
            if kind != START:
                continue
            if name == "w:pStyle":
                style = self._levels.get(attributes.get("w:val", ""), 0)
            elif name == "w:outlineLvl":
                level = _level(attributes)
            elif name in ("w:headerReference", "w:footerReference"):
                after += self._margin(name, attributes)
            elif name in ("w:rPr", "w:pPrChange"):
                xml.skip()
        return style if level is None else level

    def _ruby(self, xml: Xml, after: list[Section], location: str) -> str:
        """Text with its reading: base(reading)."""
        above: list[str] = []
        base: list[str] = []
        for kind, name, _ in xml.inside():
            if kind == START and name in ("w:rt", "w:rubyBase"):
                self._runs(xml, above if name == "w:rt" else base, after, location)
            elif kind == START:
                xml.skip()
        return f"{''.join(base)}({''.join(above)})" if above else "".join(base)

    def _drawn(self, relation: str, after: list[Section], location: str) -> None:
        """The text of a chart or a diagram."""
        found = self._relations.get(relation)
        if found:
            after.append(Section("textbox", self._package.drawn(found.target), 0, f"{location} drawing"))

    def _table(self, xml: Xml, place: Place, depth: int) -> Iterator[Section]:
        """A table's rows; a table in a cell follows the row that holds it."""
        if not depth and not place.name:
            self._tables += 1
        name = place.name or f"table {self._tables}"
        number = 0
        for kind, tag, attributes in xml.inside():
            if kind != START:
                continue
            if tag == "w:tr":
                number += 1
                yield from self._row(xml, f"{name} row {number}", depth)
            elif tag == "w:tblCaption":
                yield Section("table", attributes.get("w:val", ""), 0, name)
            elif tag in ("w:tblGrid", "w:del"):
                xml.skip()

    def _row(self, xml: Xml, location: str, depth: int) -> Iterator[Section]:
        cells: list[list[Section]] = []
        deleted = False
        for kind, name, _ in xml.inside():
            if kind != START:
                continue
            if name == "w:tc":
                cells.append(list(self._blocks(xml, Place("paragraph", location), depth + 1)))
            elif name == "w:trPr":
                deleted = "w:del" in [inner for _, inner, _ in xml.inside()]
            elif name in _SILENT:
                xml.skip()
        if not deleted:
            yield from row(cells, location, depth)

    def _load(self, kind: str) -> dict[str, list[Section]]:
        """The notes or comments that were not given out yet, by id."""
        if kind not in self._notes:
            self._notes[kind] = {}
            for part in self._package.related(self._main, kind):
                xml = self._package.xml(part)
                for event, name, attributes in xml:
                    if event == START and name in ("w:footnote", "w:endnote", "w:comment"):
                        self._note(xml, kind, attributes)
        return self._notes[kind]

    def _note(self, xml: Xml, kind: str, attributes: dict[str, str]) -> None:
        number = attributes.get("w:id", "")
        if attributes.get("w:type") in _SEPARATORS:
            return xml.skip()
        author = attributes.get("w:author", "")
        location = f"{kind[:-1]} {number}" + (f" by {author}" if author else "")
        place = Place("comment" if kind == "comments" else "note", location)
        self._notes[kind][number] = list(self._blocks(xml, place, 0))
        return None

    def _styles(self) -> dict[str, int]:
        """Which paragraph styles are headings: style id → level."""
        levels: dict[str, int] = {}
        based: dict[str, str] = {}
        for part in self._package.related(self._main, "styles"):
            style = ""
            xml = self._package.xml(part)
            for kind, name, attributes in xml:
                if kind != START:
                    continue
                value = attributes.get("w:val", "")
                if name == "w:style":
                    style = attributes.get("w:styleId", "") if attributes.get("w:type") == "paragraph" else ""
                elif name == "w:name" and style:
                    match = _HEADING.fullmatch(value)
                    if match or value.lower() == "title":
                        levels[style] = int(match[1]) if match else 1
                elif name == "w:basedOn" and style:
                    based[style] = value
                elif name == "w:outlineLvl" and style:
                    levels.setdefault(style, _level(attributes))
        for style in based:
            parent, seen = style, {style}
            while parent not in levels and based.get(parent, "") not in seen | {""}:
                parent = based[parent]
                seen.add(parent)
            levels.setdefault(style, levels.get(parent, 0))
        return levels


def _level(attributes: dict[str, str]) -> int:
    """An outline level, counted from 1; 0 for body text."""
    value = attributes.get("w:val", "")
    return int(value) + 1 if value.isdecimal() and int(value) < _BODY_LEVEL else 0


def _symbol(code: str) -> str:
    """A character given by its number."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "" if number in _PRIVATE_USE or number > 0xFFFF else chr(number)
