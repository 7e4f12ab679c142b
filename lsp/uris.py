"""URIs to absolute paths and back.

Knows percent encoding, and which URIs name a file of this machine at all. What
contains a NUL, `.` or `..` after decoding, an authority (UNC), or another
scheme is refused. Knows nothing of repositories.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote_to_bytes

_FILE = re.compile(r"file:(?://(?P<authority>[^/?#]*))?(?P<path>/[^?#]*)\Z", re.IGNORECASE)
_DRIVE = re.compile(rb"/[A-Za-z]:(?=/|\Z)")
_MOST = 8_192


class Refused(ValueError):
    """A URI that names no file here; the message is a sentence for the client."""


def to_path(uri: str) -> str:
    """The absolute path a file URI names. Raises Refused."""
    match = _FILE.match(uri) if len(uri) <= _MOST else None
    if match is None:
        raise Refused("only file: URIs with an absolute path are answered")
    if (match["authority"] or "").lower() not in ("", "localhost"):
        raise Refused("a file on another host is not answered")
    try:
        raw = unquote_to_bytes(match["path"])
    except UnicodeEncodeError:
        raise Refused("a path that is no text is not answered") from None
    parts = raw.replace(b"\\", b"/").split(b"/") if os.name == "nt" else raw.split(b"/")
    if b"\0" in raw or b".." in parts or b"." in parts or raw.startswith(b"//"):
        raise Refused("a path that is not plain is not answered")
    if os.name == "nt" and _DRIVE.match(raw):
        raw = raw[1:]
    return os.fsdecode(raw)


def to_uri(path: str) -> str:
    """The file URI of an absolute path."""
    raw = os.fsencode(path)
    if os.name == "nt":
        raw = b"/" + raw.replace(b"\\", b"/")
    return "file://" + quote(raw, safe="/")
