"""PDF: the text layer page by page, filled-in forms, comments, and the outline as headings.

Knows PDFium through pypdfium2. Knows no OCR: a page that is a picture has no text, and says so;
`scan.py` looks at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ctypes import c_uint16, sizeof
from math import degrees
from typing import Any, BinaryIO

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from .model import SCANNED, About, Limits, Refused, Section
from .reading_order import Word, framed, in_order

_PROPERTIES = {
    "Author": "author", "Subject": "subject", "Keywords": "keywords", "CreationDate": "created", "ModDate": "modified",
    "Producer": "producer",
}  # fmt: skip
_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?(?:(\d{2})(\d{2})(\d{2})?)?")
_COMMENTS = (raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_STRIKEOUT,
             raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_CARET)  # fmt: skip
_HYPHENS = frozenset((0x02, 0xFFFE, 0xAD))  # PDFium's marks for a word that was broken at a line's end
_SPACE = 0x20
_NOT_LETTERS = re.compile(r"\W+")
_OUTLINE, _ANNOTATIONS = 2_000, 5_000  # the most that are looked at: in a document, on a page


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a document, one a page unless the outline parts it."""
    document = opened(stream, about, limits)
    pages = len(document)
    titles = outline(document)
    empty, pictures = [], 0
    for number in range(pages):
        text, has_picture, comments = page_text(document, number)
        location = f"page {number + 1}"
        if not text.strip():
            empty.append(number + 1)
            pictures += has_picture
        yield from parted(text, titles.get(number, []), location)
        yield from (Section("comment", comment, 0, location) for comment in comments)
    if pages and len(empty) == pages and pictures:
        what = "its only page is a picture" if pages == 1 else f"its {pages:,} pages are pictures"
        raise Refused("no_text", f"the PDF has no text layer: {what}", "install tesseract, or run OCR on it first")
    if pictures:
        about.metadata[SCANNED] = str(pictures)
    if empty:
        about.warnings.append(f"no text on {len(empty):,} of {pages:,} pages (first: page {empty[0]})")


def opened(stream: BinaryIO, about: About, limits: Limits) -> pdfium.PdfDocument:
    """A document ready to be read, with what it says of itself."""
    document = _open(stream)
    pages = len(document)
    if pages > limits.pages:
        raise Refused("too_large", f"the document has {pages:,} pages; {limits.pages:,} is the most")
    _properties(document, about)
    about.metadata["pages"] = str(pages)
    document.init_forms()  # gives fields that only have a value the look of it
    return document


def _open(stream: BinaryIO) -> pdfium.PdfDocument:
    try:
        document = pdfium.PdfDocument(stream)
        len(document)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise Refused("password", "it is protected by a password", "save it without one") from error
        raise Refused("malformed", "the PDF is broken, beyond what PDFium can mend") from error
    return document


def page_text(document: pdfium.PdfDocument, number: int) -> tuple[str, bool, list[str]]:
    """(text, whether there is a picture, comments) of a page from 0."""
    try:
        page = document[number]
    except pdfium.PdfiumError:
        return "", False, []
    try:
        comments = _comments(page)
        picture = next(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4), None) is not None
        # What was filled in or typed over a page is no part of its content until it is flattened.
        drawn = _count(page)
        if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
            page.close()
            page = document[number]
        text = in_order(_words(page, drawn))
    finally:
        page.close()
    return text, picture, comments


def _count(page: pdfium.PdfPage) -> int:
    """How many characters a page has."""
    textpage = page.get_textpage()
    try:
        return max(int(textpage.count_chars()), 0)
    finally:
        textpage.close()


def _words(page: pdfium.PdfPage, drawn: int) -> Iterator[Word]:
    """The words of a page as they were drawn; those past the first characters were filled in."""
    textpage = page.get_textpage()
    try:
        units = [raw.FPDFText_GetUnicode(textpage, index) for index in range(max(textpage.count_chars(), 0))]
        start, glued = 0, False
        for index, unit in enumerate([*units, _SPACE]):
            if unit in _HYPHENS or chr(unit).isspace():
                if start < index:
                    yield _word(textpage, units, (start, index), start >= drawn, glued)
                    glued = False
                glued = glued or unit in _HYPHENS
                start = index + 1
    finally:
        textpage.close()


def _word(textpage: pdfium.PdfTextPage, units: list[int], span: tuple[int, int], filled: bool, glued: bool) -> Word:
    """One word, its box by its first and last character: a few calls a word, not a character."""
    text = "".join(map(chr, units[slice(*span)])).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    turn = round(degrees(raw.FPDFText_GetCharAngle(textpage, span[0])) / 90) % 4 * 90
    boxes = [textpage.get_charbox(index, loose=True) for index in {span[0], span[1] - 1}]
    corners = [corner for left, bottom, right, top in boxes for corner in ((left, bottom), (right, top))]
    return Word(text, *framed(turn, corners), turn, filled, glued)


def _comments(page: pdfium.PdfPage) -> list[str]:
    """What people wrote beside the text: notes, and marks with words."""
    found = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        if raw.FPDFAnnot_GetSubtype(annotation) in _COMMENTS:
            found.append(_string(annotation, b"Contents"))
        raw.FPDFPage_CloseAnnot(annotation)
    return [text for text in found if text.strip()]


def _string(annotation: Any, key: bytes) -> str:
    """A text of an annotation; PDFium says first how large the buffer must be."""
    size = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if size <= sizeof(c_uint16):
        return ""
    buffer = (c_uint16 * (size // 2))()
    raw.FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _properties(document: pdfium.PdfDocument, about: About) -> None:
    for key, value in document.get_metadata_dict(skip_empty=True).items():
        if key == "Title":
            about.title = value
        elif key in _PROPERTIES:
            about.metadata[_PROPERTIES[key]] = _date(value) if key.endswith("Date") else value


def _date(value: str) -> str:
    """A PDF date as ISO 8601; as it is, if it is none."""
    match = _DATE.match(value)
    if not match:
        return value
    day = "-".join(filter(None, match.groups()[:3]))
    return day + (f" {match[4]}:{match[5]}:{match[6] or '00'}" if match[4] else "")


def outline(document: pdfium.PdfDocument) -> dict[int, list[tuple[str, int]]]:
    """Titles and levels of the outline, by page from 0."""
    found: dict[int, list[tuple[str, int]]] = {}
    for count, entry in enumerate(document.get_toc(max_depth=10)):
        destination = entry.get_dest()
        page = destination.get_index() if destination else None
        if page is not None and count < _OUTLINE:
            found.setdefault(page, []).append((entry.get_title(), entry.level + 1))
    return found


def parted(text: str, titles: list[tuple[str, int]], location: str) -> Iterator[Section]:
    """A page's text, parted at the lines the outline names; titles that are on no line are left out."""
    levels = {_plain(title): level for title, level in titles if _plain(title)}
    lines: list[str] = []
    for line in text.split("\n"):
        level = levels.pop(_plain(line), 0) if levels else 0
        if level:
            yield Section("page", "\n".join(lines), 0, location)
            yield Section("heading", line.strip(), level, location)
            lines = []
        else:
            lines.append(line)
    yield Section("page", "\n".join(lines), 0, location)


def _plain(title: str) -> str:
    """A title as it is compared: its letters and digits, without a number in front."""
    return _NOT_LETTERS.sub("", title).lstrip("0123456789").casefold()
