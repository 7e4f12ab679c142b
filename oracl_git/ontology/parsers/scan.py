"""A scanned PDF: its text layer where there is one, and what Tesseract sees on pages that are pictures.

Knows how a page becomes a picture of bounded size, and when to stop. What is on a page with
text `pdf.py` knows, how Tesseract is asked `image.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import BinaryIO

import pypdfium2 as pdfium

from . import image, pdf
from .model import About, Limits, Refused, Section

_RESOLUTION = 200  # dots an inch, of 72 points: what Tesseract reads well
_PIXELS = 12_000_000  # of one page: a larger one is drawn coarser


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a document, pages that are pictures read by Tesseract until the time for it is over."""
    started = time.monotonic()
    document = pdf.opened(stream, about, limits)
    language = image.language()
    about.metadata["ocr"] = f"tesseract {language}"
    outline = pdf.outline(document)
    seen, left, doubtful, worded = 0, 0, 0, False
    for number in range(len(document)):
        location = f"page {number + 1}"
        text, picture, comments = pdf.page_text(document, number)
        if text.strip() or not picture:
            worded = worded or bool(text.strip())
            yield from pdf.parted(text, outline.get(number, []), location)
        elif time.monotonic() - started >= limits.ocr_seconds:
            left += 1
        else:
            seen += 1
            sure, unsure = image.paragraphs(_drawn(document, number), language)
            doubtful += unsure
            worded = worded or bool(sure)
            yield from (Section("ocr", words, 0, location) for words in sure)
        yield from (Section("comment", comment, 0, location) for comment in comments)
    if not worded:
        if left:
            raise Refused("left_out", "its pages are pictures, and the time for OCR is over")
        raise Refused("no_text", "its pages are pictures, and Tesseract sees no words in them")
    about.warnings.append(f"{seen:,} scanned pages read by Tesseract")
    if doubtful:
        about.warnings.append(f"{doubtful} paragraphs left out: Tesseract is not sure of them")
    if left:
        about.metadata["ocr_left"] = str(left)
        about.warnings.append(f"{left:,} scanned pages left out: OCR took {limits.ocr_seconds:.0f} seconds")


def _drawn(document: pdfium.PdfDocument, number: int) -> bytes:
    """A page as a grey picture (PGM)."""
    page = document[number]
    try:
        width, height = page.get_size()
        scale = min(_RESOLUTION / 72, (_PIXELS / max(1.0, width * height)) ** 0.5)
        bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
        rows = memoryview(bitmap.buffer).cast("B")
        lines = [bytes(rows[y * bitmap.stride : y * bitmap.stride + bitmap.width]) for y in range(bitmap.height)]
        head = b"P5\n%d %d\n255\n" % (bitmap.width, bitmap.height)
        bitmap.close()
        return head + b"".join(lines)
    finally:
        page.close()
