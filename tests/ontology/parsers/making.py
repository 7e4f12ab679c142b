"""Documents for tests, one of each format, all saying the same."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

from tools.corpus import hwp, packages, pdf

WORDS = ("Retention", "해지")


def docx() -> bytes:
    return packages.docx([packages.w_paragraph(" ".join(WORDS))], "Made")


def xlsx() -> bytes:
    return packages.xlsx({"Sheet": [[" ".join(WORDS)]]}, "Made")


def pptx() -> bytes:
    return packages.pptx([packages.Slide("Made", [" ".join(WORDS)])], "Made")


def hwpx() -> bytes:
    return packages.hwpx([[packages.hp_paragraph(" ".join(WORDS))]], "Made")


def hwp_file() -> bytes:
    return hwp.document([hwp.paragraph(hwp.section_start(), " ".join(WORDS))])


def pdf_file() -> bytes:
    return pdf.pdf([list(WORDS)], "Made")


def png(width: int = 40, height: int = 40, rows: bytes | None = None) -> bytes:
    """A white picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    pixels = zlib.compress(b"".join(b"\0" + b"\xff" * width for _ in range(height)) if rows is None else rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


MADE: dict[str, Callable[[], bytes]] = {
    ".docx": docx,
    ".xlsx": xlsx,
    ".pptx": pptx,
    ".hwpx": hwpx,
    ".hwp": hwp_file,
    ".pdf": pdf_file,
    ".png": png,
    ".html": lambda: "<p>Retention <b>해지</b></p>".encode(),
    ".json": lambda: '{"Retention": ["해지"]}'.encode(),
    ".txt": lambda: "Retention 해지\n".encode(),
    ".md": lambda: "# Retention\n\n해지\n".encode(),
    ".rst": lambda: "Retention\n=========\n\n해지\n".encode(),
    ".csv": lambda: "Retention,해지\n".encode(),
}
