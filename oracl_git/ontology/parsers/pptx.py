"""PowerPoint (.pptx): slides in the order they are shown, with their tables, notes and comments.

Knows PresentationML as far as it holds text: shapes and groups in drawing order, charts and
diagrams by their words. What a layout or a master shows is not the slide's, and is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from .model import About, Kind, Limits, Section
from .opc import Package, Relation, paragraph
from .xml import START, Xml

_MAIN = ("ppt/presentation.xml",)
_TITLES = frozenset(("title", "ctrTitle"))
_NOT_NOTES = frozenset(("sldImg", "sldNum", "dt", "hdr", "ftr"))  # placeholders of a notes page that hold no notes


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a presentation."""
    package = Package(stream, limits)
    main = package.main(_MAIN)
    package.properties(about)
    relations = package.relations(main)
    number = 0
    for kind, name, attributes in package.xml(main):
        if kind != START or name != "p:sldId":
            continue
        number += 1
        slide = relations.get(attributes.get("r:id", ""))
        if slide and package.archive.find(slide.target):
            yield from _slide(package, slide.target, f"slide {number}", about)
        else:
            about.warnings.append(f"slide {number} is missing from the file")
    about.metadata["slides"] = str(number)


def _slide(package: Package, part: str, location: str, about: About) -> Iterator[Section]:
    relations = package.relations(part)
    package.embedded(part, about)
    xml = package.xml(part)
    for kind, name, attributes in xml:
        if kind == START and name == "p:sld" and attributes.get("show") in ("0", "false"):
            about.warnings.append(f"{location} is hidden")
        elif kind == START and name == "p:spTree":
            yield from _shapes(package, xml, relations, location)
    for notes in package.related(part, "notesSlide"):
        yield from _notes(package.xml(notes), f"{location} notes")
    for comments in package.related(part, "comments"):
        yield from _comments(package.xml(comments), f"{location} comment")


def _shapes(package: Package, xml: Xml, relations: dict[str, Relation], location: str) -> Iterator[Section]:
    for kind, name, attributes in xml.inside():
        if kind != START:
            continue
        if name in ("p:sp", "p:cxnSp"):
            placeholder, text = _shape(xml)
            title: Kind = "heading" if placeholder in _TITLES else "slide"
            yield Section(title, text, 1 if title == "heading" else 0, location)
        elif name == "a:tbl":
            yield from _table(xml, location)
        elif name in ("c:chart", "dgm:relIds"):
            target = relations.get(attributes.get("r:dm") or attributes.get("r:id", ""))
            if target:
                yield Section("textbox", package.drawn(target.target), 0, location)


def _shape(xml: Xml) -> tuple[str, str]:
    """(the type of placeholder a shape is, its text)."""
    placeholder = ""
    lines: list[str] = []
    for kind, name, attributes in xml.inside():
        if kind != START:
            continue
        if name == "p:ph":
            placeholder = attributes.get("type", "body")
        elif name == "a:p":
            lines.append(paragraph(xml))
        elif name in ("p:spPr", "p:style"):
            xml.skip()
    return placeholder, "\n".join(lines).strip("\n")


def _table(xml: Xml, location: str) -> Iterator[Section]:
    """A table's rows; a merged cell's text stands where the cell starts."""
    cells: list[list[str]] = []
    row = 0
    for kind, name, _ in xml.inside():
        if kind == START and name == "a:tr":
            if any(map(any, cells)):
                yield _row(cells, f"{location} row {row}")
            cells, row = [], row + 1
        elif kind == START and name == "a:tc":
            cells.append([])
        elif kind == START and name == "a:p" and cells:
            cells[-1].append(paragraph(xml))
    if any(map(any, cells)):
        yield _row(cells, f"{location} row {row}")


def _row(cells: list[list[str]], location: str) -> Section:
    return Section("row", " | ".join("\n".join(cell).strip("\n") for cell in cells), 0, location)


def _notes(xml: Xml, location: str) -> Iterator[Section]:
    for kind, name, _ in xml:
        if kind == START and name == "p:sp":
            placeholder, text = _shape(xml)
            if placeholder not in _NOT_NOTES:
                yield Section("note", text, 0, location)


def _comments(xml: Xml, location: str) -> Iterator[Section]:
    """Comments of either kind: of old, plain text; since 2018, paragraphs with replies."""
    for kind, name, _ in xml:
        if kind != START:
            continue
        if name == "p:text":
            yield Section("comment", xml.text(), 0, location)
        elif name == "p188:txBody":
            lines = [paragraph(xml) for inner, tag, _ in xml.inside() if inner == START and tag == "a:p"]
            yield Section("comment", "\n".join(lines), 0, location)
