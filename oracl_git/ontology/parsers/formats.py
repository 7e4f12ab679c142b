"""The formats there are: their suffixes, where they are read, and what they need.

Knows one table. A format whose library or tool is missing is in it all the same, and says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from .model import About, Limits, Refused, Section

Adapter = Callable[[BinaryIO, About, Limits], Iterator[Section]]


@dataclass(frozen=True, slots=True)
class Format:
    """One adapter, and the spans (section kind → span type) its sections have."""

    name: str
    title: str  # what a person calls it
    suffixes: tuple[str, ...]
    adapter: str  # module:function in this package
    spans: tuple[tuple[str, str], ...]  # "": any other kind
    family: str = "text"  # what its first bytes show it to be
    library: str = ""
    tool: str = ""
    system: str = ""  # the only one it is read on, as sys.platform has it; "": any
    child: bool = True  # read in a process of its own
    memory: int = 1  # times what a document may have
    patience: int = 1  # times the seconds

    @property
    def programs(self) -> bool:
        """Whether its reader has to start a program."""
        return bool(self.tool)

    def load(self) -> Adapter:
        """The function that reads it."""
        module, _, function = self.adapter.partition(":")
        adapter: Adapter = getattr(importlib.import_module(f".{module}", __package__), function)
        return adapter

    def unavailable(self) -> str:
        """Why it cannot be read here; "" when it can."""
        if self.system and self.system != sys.platform:
            return f"it is read on {self.system} alone"
        if self.library and importlib.util.find_spec(self.library) is None:
            return f"the library {self.library} is not installed"
        if self.tool and shutil.which(self.tool) is None:
            return f"the program {self.tool} is not installed"
        return ""

    def span(self, kind: str) -> str:
        """The type of span a section of this kind has, in the words of the store."""
        spans = dict(self.spans)
        return spans.get(kind) or spans[""]


_LINES = (("", "line_range"),)
_TABLE = (
    Format("txt", "plain text", (".txt", ".text", ".log"), "plain:text", _LINES, child=False),
    Format("md", "Markdown", (".md", ".markdown"), "markdown:read", _LINES, child=False),
    Format("rst", "reStructuredText", (".rst",), "rst:read", _LINES, child=False),
    Format("csv", "CSV", (".csv", ".tsv"), "plain:table", (("", "csv_row"),), child=False),
    Format("json", "JSON", (".json", ".jsonl", ".ndjson"), "json_records:read", (("", "json_path"),)),
    Format("html", "HTML", (".html", ".htm", ".xhtml"), "html:read", _LINES),
    Format(
        "docx", "Word document", (".docx", ".docm", ".dotx", ".dotm"), "docx:read",
        (("row", "docx_table"), ("", "docx_paragraph")), "docx",
    ),
    Format("xlsx", "Excel workbook", (".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx:read", (("", "xlsx_row"),), "xlsx"),
    Format(
        "pptx", "PowerPoint presentation", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), "pptx:read",
        (("note", "pptx_notes"), ("", "pptx_slide")), "pptx",
    ),
    Format("pdf", "PDF", (".pdf",), "pdf:read", (("", "pdf_page"),), "pdf", library="pypdfium2", memory=4, patience=2),
    # A PDF where PDFium is not installed, or holds that it is locked.
    Format("pdftotext", "PDF", (), "pdftotext:read", (("", "pdf_page"),), "pdf", tool="pdftotext", memory=16,
           patience=2),
    # A PDF again, by who may start a program, when pages of it turn out to be pictures.
    Format("scan", "scanned PDF", (), "scan:read", (("ocr", "image_ocr"), ("", "pdf_page")), "pdf", library="pypdfium2",
           tool="tesseract", memory=16, patience=2),
    Format(
        "hwpx", "Hangul document (OWPML)", (".hwpx", ".hwtx"), "hwpx:read",
        (("row", "hwpx_table"), ("", "hwpx_paragraph")), "hwpx",
    ),
    Format("hwp", "Hangul document (HWP 5)", (".hwp", ".hwt"), "hwp:read", (("", "hwp5_para_text"),), "hwp",
           library="olefile"),
    Format(
        "image", "picture",
        (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".pbm", ".pgm", ".ppm", ".pnm"),
        "image:read", (("", "image_ocr"),), "image", tool="tesseract", memory=16, patience=20,
    ),
    # A picture on macOS where Tesseract is not installed.
    Format("vision", "picture", (), "vision:read", (("", "image_ocr"),), "image", tool="osascript", system="darwin",
           memory=16, patience=20),
)  # fmt: skip
FORMATS: dict[str, Format] = {one.name: one for one in _TABLE}
SUFFIXES: dict[str, Format] = {suffix: one for one in _TABLE for suffix in one.suffixes}
# Formats that are known and not read, and what to do about it.
_ADVICE = {
    ".doc": "save it as .docx", ".rtf": "save it as .docx", ".odt": "save it as .docx", ".xls": "save it as .xlsx",
    ".xlsb": "save it as .xlsx", ".ods": "save it as .xlsx", ".ppt": "save it as .pptx", ".odp": "save it as .pptx",
    ".hml": "save it as .hwpx", ".hwp3": "save it as .hwpx",
}  # fmt: skip


_INSTEAD = {"pdf": "pdftotext", "image": "vision"}  # who reads a format whose library or tool is missing
SECOND = frozenset(_INSTEAD.values())


def by_suffix(suffix: str) -> Format:
    """The format of a suffix (with its dot, any case), as it can be read here; Refused when there is none."""
    found = SUFFIXES.get(suffix.lower())
    if found is None:
        raise unsupported(suffix.lower())
    second = FORMATS.get(_INSTEAD.get(found.name, ""))
    return second if second and found.unavailable() and not second.unavailable() else found


def unsupported(suffix: str, what: str = "") -> Refused:
    """The refusal of a format that has no adapter."""
    name = what or suffix or "a file without suffix"
    return Refused("unsupported", f"there is no adapter for {name}", _ADVICE.get(suffix, ""))
