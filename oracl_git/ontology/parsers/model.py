"""What a document is once it has been read: sections of text with their places; and what is refused.

Knows the limits every reader keeps, and the words for the reasons a file is refused.
Knows no format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from oracl_git.errors import OraclError

Kind = Literal[
    "heading", "paragraph", "table", "row", "note", "comment", "header", "footer", "textbox", "slide", "sheet",
    "page", "code", "ocr",
]  # fmt: skip
KINDS: frozenset[str] = frozenset(get_args(Kind))

PENDING, FAILED = "unsupported_pending_adapter", "parser_error"
SCANNED = "scanned_pages"  # metadata of a PDF: its pages that are pictures
# Why a file is refused, and the parser status that follows from it.
REASONS = {
    "unsupported": PENDING,  # no adapter for this suffix
    "missing": PENDING,  # the adapter's library or tool is not installed
    "password": PENDING,  # encrypted: a password or a certificate is needed
    "distribution": PENDING,  # a distribution document: its text is scrambled on purpose
    "no_text": PENDING,  # pictures of pages, and nothing that reads them
    "left_out": PENDING,  # a picture, when the time for OCR is over or none is given
    "malformed": FAILED,  # not what its format says it must be
    "wrong_suffix": FAILED,  # well known, but as something else than its name says
    "bomb": FAILED,  # small on disk, huge or endless inside
    "too_large": FAILED,  # honest, but more than the limits allow
    "timeout": FAILED,  # took longer than the limits allow
    "crashed": FAILED,  # the reader's process died
    "changed": FAILED,  # written to while it was being read
    "not_a_file": FAILED,  # a symlink, a FIFO, a device, a directory
    "unreadable": FAILED,  # gone, or no permission
}


class Refused(OraclError):
    """A document that is not read, and why; nothing of it may be taken for its text."""

    next_step = "mend it, or leave it out; what else was not read: git oracl ontology status"

    def __init__(self, reason_code: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.reason_code = reason_code

    @property
    def status(self) -> str:
        """The parser status of such a file."""
        return REASONS[self.reason_code]


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a document's text, in document order.

    `level` is the depth of a heading from 1, of a row the nesting of its table from 0, else 0.
    `location` says where it stands: "L10-20", "page 3", "slide 2", "Sheet1!A4:D4", "$.items[3]".
    """

    kind: Kind
    text: str
    level: int = 0
    location: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document: what format it really was, its title ("" if it has none), and its text."""

    format: str
    title: str
    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All sections, one below the other."""
        return "\n".join(section.text for section in self.sections)


@dataclass(slots=True)
class About:
    """What an adapter learns of a document beside its sections."""

    suffix: str
    title: str = ""
    warnings: list[str] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader may spend on one file. Sizes are in bytes unless said."""

    file_bytes: int = 64 << 20
    text_chars: int = 32 << 20  # of all sections together
    sections: int = 500_000
    members: int = 5_000  # of an archive
    member_bytes: int = 128 << 20  # one member, decompressed
    expanded_bytes: int = 256 << 20  # everything decompressed
    ratio: int = 100  # decompressed : compressed, once a member is past `ratio_from`; documents stay below 40
    ratio_from: int = 2 << 20
    xml_depth: int = 200
    pages: int = 5_000
    pixels: int = 60_000_000  # of a picture to be read
    ocr_seconds: float = 60.0  # of wall time, for the scanned pages of one document; 0: no OCR, of pictures neither
    cpu_seconds: float = 2.5  # and as many again as `cpu_seconds_per_mib` gives for the file's size
    cpu_seconds_per_mib: float = 3.0
    memory: int = 64 << 20  # address space of the reader beyond what it needs to start


LIMITS = Limits()
