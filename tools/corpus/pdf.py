"""Writes PDFs: lines of text on pages, in English or Korean, with an outline, and pages without text.

Knows the smallest file that a reader takes for a whole one. Fonts are named, not embedded.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

_KOREAN = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium /Encoding /UniKS-UTF16-H /DescendantFonts [ "
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium /CIDSystemInfo "
    "<< /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> /FontDescriptor << /Type /FontDescriptor /FontName "
    "/HYSMyeongJo-Medium /Flags 6 /FontBBox [0 -148 1001 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 "
    "/StemV 93 >> >> ] >>"
)
_LATIN = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_TOP, _LEADING, _SIZE = 780, 20, 12


def pdf(pages: Sequence[Sequence[str]], title: str = "", outline: Sequence[tuple[str, int]] = ()) -> bytes:
    """A PDF with these lines on its pages; `outline` is (title, page from 0)."""
    objects = ["", "", _LATIN, _KOREAN, f"<< /Title {_text(title)} >>"]  # catalog and pages come last
    kids = []
    for lines in pages:
        content = zlib.compress("\n".join(_line(line, n) for n, line in enumerate(lines)).encode("latin-1"))
        stream = f"<< /Length {len(content)} /Filter /FlateDecode >>\nstream\n{content.decode('latin-1')}\nendstream"
        kids.append(_add(objects, ""))
        objects[kids[-1] - 1] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> "
            f"/Contents {_add(objects, stream)} 0 R >>"
        )
    catalog = "<< /Type /Catalog /Pages 2 0 R"
    if outline:
        root = len(objects) + 1
        objects.append("")
        entries = [root + 1 + n for n in range(len(outline))]
        for n, (name, page) in enumerate(outline):
            sides = (f" /Prev {entries[n - 1]} 0 R" if n else "") + (
                f" /Next {entries[n + 1]} 0 R" if n + 1 < len(entries) else ""
            )
            _add(objects, f"<< /Title {_text(name)} /Parent {root} 0 R{sides} /Dest [{kids[page]} 0 R /XYZ 0 800 0] >>")
        objects[root - 1] = (
            f"<< /Type /Outlines /First {entries[0]} 0 R /Last {entries[-1]} 0 R /Count {len(entries)} >>"
        )
        catalog += f" /Outlines {root} 0 R"
    objects[0] = f"{catalog} >>"
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>"
    return _file(objects)


def picture_pdf(width: int = 200, height: int = 100) -> bytes:
    """A PDF of one page that is a grey picture."""
    pixels = zlib.compress(bytes(width * height))
    image = (
        f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 8 "
        f"/Filter /FlateDecode /Length {len(pixels)} >>\nstream\n{pixels.decode('latin-1')}\nendstream"
    )
    content = "q 400 0 0 200 50 500 cm /I Do Q"
    return _file([
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /I 4 0 R >> >> /Contents 5 0 R >>",
        image,
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< >>",
    ])  # fmt: skip


def _add(objects: list[str], content: str) -> int:
    """Another object; returns its number."""
    objects.append(content)
    return len(objects)


def _line(line: str, number: int) -> str:
    latin = line.isascii()
    escaped = line.translate({40: "\\(", 41: "\\)", 92: "\\\\"})
    shown = f"({escaped})" if latin else f"<{line.encode('utf-16-be').hex()}>"
    return f"BT /{'F1' if latin else 'F2'} {_SIZE} Tf 60 {_TOP - _LEADING * number} Td {shown} Tj ET"


def _text(text: str) -> str:
    return f"<feff{text.encode('utf-16-be').hex()}>"


def _file(objects: Sequence[str]) -> bytes:
    """Objects numbered from 1, and the table that finds them; the fifth or last is the information."""
    out = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += "".join(f"{place:010} 00000 n \n" for place in places).encode()
    information = min(5, len(objects))
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {information} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
