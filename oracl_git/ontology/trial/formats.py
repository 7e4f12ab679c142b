"""Which formats are read here, and what is said of those that are not.

Knows the formats that the source's list names.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator

from ..model import PARSED, UNSUPPORTED
from ..project import HOME, INBOX
from ..runtime import Runtime
from .check import Check

_REQUIRED = ("pdf", "hwp", "hwpx", "docx", "xlsx", "pptx", "image")


def formats(runtime: Runtime) -> Iterator[Check]:
    from ..parsers import FORMATS

    db = runtime.reader
    sql = "SELECT source_type, count(*) FROM sources WHERE status=? AND uri LIKE 'corpus/%' GROUP BY 1"
    rows = dict(db.execute(sql, (PARSED,)))
    forms = sorted(FORMATS.items(), key=lambda item: item[0] not in _REQUIRED)
    for name, form in ((name, form) for name, form in forms if form.suffixes):
        like = " OR ".join("uri LIKE ?" for _ in form.suffixes)
        sql = f"SELECT count(*) FROM sources WHERE uri LIKE 'corpus/%' AND ({like})"
        there = db.execute(sql, [f"%{suffix}" for suffix in form.suffixes]).fetchone()[0]
        read = rows.get(name, 0) + (rows.get("scan", 0) if name == "pdf" else 0)
        if not there and name in _REQUIRED:
            yield Check(f"{name} adapter", None, "there is none among the documents")
        elif there and (why := form.unavailable()):
            yield Check(f"{name} adapter", None, why)
        elif there:
            yield Check(f"{name} adapter", read > 0, f"{read} of {there} read")


def missing(runtime: Runtime) -> Iterator[Check]:
    """A picture where no program for OCR can be found, and formats without an adapter: pending, with the reason."""
    inbox = os.path.join(runtime.project.root, HOME, INBOX)
    for name, data in (("scan.png", _picture()), ("old.xls", b"x"), ("old.hml", b"<HWPML/>")):
        with open(os.path.join(inbox, name), "wb") as file:
            file.write(data)
    path = os.environ.get("PATH", "")
    os.environ["PATH"] = ""
    try:
        runtime.ingest()
    finally:
        os.environ["PATH"] = path
    rows = runtime.reader.execute("SELECT uri, status, reason FROM sources WHERE root LIKE '%inbox'")
    found = {os.path.basename(uri): (status, reason) for uri, status, reason in rows}
    for name, word in (("scan.png", "tesseract is not installed"), ("old.xls", ".xls"), ("old.hml", ".hml")):
        status, reason = found.get(name, ("", ""))
        yield Check(name, status == UNSUPPORTED and word in reason, f"{status}, {reason}")
        os.unlink(os.path.join(inbox, name))
    sql = "SELECT reason FROM sources WHERE status=?"
    reasons = [reason for (reason,) in runtime.reader.execute(sql, (UNSUPPORTED,))]
    yield Check("each says why", bool(reasons) and all(reasons), f"{len(reasons)} pending an adapter")


def _picture() -> bytes:
    """One white pixel, as PNG."""
    found = b"\x89PNG\r\n\x1a\n"
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0\xff")), (b"IEND", b"")):
        found += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return found
