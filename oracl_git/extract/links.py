"""Link destinations: which of them stay in the repository, and what they name.

Knows URLs and percent encoding. Knows no markup.
"""

from __future__ import annotations

import re

from .source import Findings

_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:|//|[/\\]?$")
_TEMPLATE = re.compile(rb"[{}$*\n\0]|%\(")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_MAX = 500


def local(destination: bytes) -> tuple[str, str]:
    """(path, anchor) of a destination; both empty when it leaves the repository or is a template."""
    destination = destination.strip()
    if len(destination) > _MAX or _SCHEME.match(destination) or _TEMPLATE.search(destination):
        return "", ""
    path, _, anchor = destination.partition(b"#")
    return unquote(path.partition(b"?")[0]), unquote(anchor)


def add_link(found: Findings, destination: bytes, line: int) -> None:
    """Note a link, unless it leaves the repository or is a template."""
    path, anchor = local(destination)
    if path or anchor:
        found.refer("link", path, anchor, line)


def unquote(text: bytes) -> str:
    """Percent-decoded text."""
    if b"%" in text:
        text = _PERCENT.sub(lambda match: bytes((int(match[1], 16),)), text)
    return text.decode("utf-8", "replace")
