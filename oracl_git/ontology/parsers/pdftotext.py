"""PDF where PDFium is not installed, or does not open it: what pdftotext prints, page by page.

Knows the program, its exit codes and its form feeds. Knows no outline, form field or comment.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import BinaryIO

from .model import About, Limits, Refused, Section

_COMMAND = ("pdftotext", "-enc", "UTF-8", "-eol", "unix", "-", "-")


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a document, one a page; the program inherits this process's limits."""
    pages = _printed(stream).split("\f")[:-1]
    if len(pages) > limits.pages:
        raise Refused("too_large", f"the document has {len(pages):,} pages; {limits.pages:,} is the most")
    about.metadata["pages"] = str(len(pages))
    about.warnings.append("read by pdftotext: without outline, notes and form fields")
    if not any(page.strip() for page in pages):
        raise Refused("no_text", "the PDF has no text layer", "run OCR on it first")
    for number, page in enumerate(pages, 1):
        yield Section("page", page, 0, f"page {number}")


def _printed(stream: BinaryIO) -> str:
    stream.seek(0)
    try:
        done = subprocess.run(_COMMAND, stdin=stream, capture_output=True, check=False)
    except OSError as error:
        raise Refused("missing", f"the program pdftotext cannot be run ({error.strerror})") from error
    if done.returncode < 0:
        raise Refused("timeout", "pdftotext took too long, or too much memory, and was ended")
    if done.returncode and b"password" in done.stderr.lower():
        raise Refused("password", "it is protected by a password", "save it without one")
    if done.returncode:
        raise Refused("malformed", "the PDF is broken, beyond what pdftotext can mend")
    return done.stdout.decode("utf-8", "replace")
