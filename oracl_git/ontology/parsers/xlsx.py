"""Excel (.xlsx): sheets in the order of their tabs, rows as text, values as their format shows them.

Knows SpreadsheetML: shared and inline strings, dates by their number format, results of
formulas (the formula itself where no result is kept), comments, margins, text boxes. Knows no styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from .cells import Dates, Strings, rich
from .model import About, Kind, Limits, Section
from .opc import Package, drawing_text
from .xml import START, Xml

_MAIN = ("xl/workbook.xml",)
_MARGINS: dict[str, Kind] = {
    "x:oddHeader": "header", "x:evenHeader": "header", "x:firstHeader": "header",
    "x:oddFooter": "footer", "x:evenFooter": "footer", "x:firstFooter": "footer",
}  # fmt: skip
_MARGIN_CODES = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|[LCRPNDTZFAGBIUESXYOHK&])')
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?\d+")
_THREADED = "[Threaded comment]"  # what old programs are shown instead of the comments below


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a workbook."""
    package = Package(stream, limits)
    main = package.main(_MAIN)
    package.properties(about)
    relations = package.relations(main)
    sheets: list[tuple[str, str]] = []
    since_1904 = False
    for kind, name, attributes in package.xml(main):
        if kind == START and name == "x:sheet":
            relation = relations.get(attributes.get("r:id", ""))
            if relation and package.archive.find(relation.target):
                sheets.append((attributes.get("name", ""), relation.target))
        elif kind == START and name == "x:workbookPr":
            since_1904 = attributes.get("date1904") in ("1", "true")
    strings, dates = Strings(), Dates(since_1904)
    for part in package.related(main, "sharedStrings"):
        strings.load(package.xml(part))
    for part in package.related(main, "styles"):
        dates.load(package.xml(part))
    for name, part in sheets:
        package.embedded(part, about)
        yield Section("sheet", name, 1, name)
        yield from _rows(package.xml(part), name, strings, dates)
        yield from _beside(package, part, name)
    about.metadata["sheets"] = str(len(sheets))


def _rows(xml: Xml, sheet: str, strings: Strings, dates: Dates) -> Iterator[Section]:
    row = 0
    for kind, name, attributes in xml:
        if kind != START:
            continue
        if name == "x:row":
            number = attributes.get("r", "")
            row = int(number) if number.isdecimal() else row + 1
            yield from _row(xml, sheet, row, strings, dates)
        elif name in _MARGINS:
            text = " ".join(_MARGIN_CODES.sub(" ", xml.text()).split())
            yield Section(_MARGINS[name], text, 0, sheet)


def _row(xml: Xml, sheet: str, row: int, strings: Strings, dates: Dates) -> Iterator[Section]:
    """A row's cells that hold anything."""
    cells: list[str] = []
    first = last = ""
    column = 0
    for kind, name, attributes in xml.inside():
        if kind == START and name == "x:c":
            match = _REFERENCE.fullmatch(attributes.get("r", ""))
            column = _number(match[1]) if match else column + 1
            text = _cell(xml, attributes, strings, dates)
            if text:
                cells.append(text)
                last = f"{_letters(column)}{row}"
                first = first or last
    if cells:
        yield Section("row", " | ".join(cells), 0, f"{sheet}!{first}" + (f":{last}" if last != first else ""))


def _cell(xml: Xml, attributes: dict[str, str], strings: Strings, dates: Dates) -> str:
    """What a cell shows."""
    value = formula = ""
    for kind, name, _ in xml.inside():
        if kind != START:
            continue
        if name == "x:v":
            value = xml.text()
        elif name == "x:is":
            value = rich(xml)
        elif name == "x:f":
            formula = xml.text()
    if not value:
        return f"={formula}" if formula else ""
    sort = attributes.get("t", "n")
    if sort == "s":
        return strings[value]
    if sort == "b":
        return str(value.strip() == "1")
    return dates.show(value, attributes.get("s", "")) if sort == "n" else value


def _beside(package: Package, part: str, sheet: str) -> Iterator[Section]:
    """What is on a sheet and not in its cells: comments, text boxes, charts."""
    threaded = package.related(part, "threadedComment")
    for comments in threaded + package.related(part, "comments"):
        xml = package.xml(comments)
        place = sheet
        for kind, name, attributes in xml:
            if kind != START:
                continue
            if name in ("x:comment", "x18tc:threadedComment"):
                place = f"{sheet}!{attributes.get('ref', '')}"
            elif name in ("x:text", "x18tc:text"):
                text = rich(xml) if name == "x:text" else xml.text()
                if not (threaded and text.startswith(_THREADED)):
                    yield Section("comment", text, 0, place)
    for drawing in package.related(part, "drawing"):
        yield Section("textbox", "\n".join(drawing_text(package.xml(drawing))), 0, sheet)
        for chart in package.related(drawing, "chart", "diagramData"):
            yield Section("textbox", package.drawn(chart), 0, sheet)


def _number(letters: str) -> int:
    """A column's number from 1: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _letters(number: int) -> str:
    """A column's letters."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
