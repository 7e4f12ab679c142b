"""References rewritten to where git knows their target went.

Knows how a reference is told apart on its line from the same letters in
another word. Pure: text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from .model import Finding

_BEFORE, _AFTER = rb"(?<![\w./%-])", rb"(?![\w/%-]|\.\w)"


def rewrite(data: bytes, findings: Iterable[Finding]) -> tuple[bytes, list[Finding]]:
    """The text with what can be rewritten, and the findings that are thereby done."""
    rows = data.splitlines(keepends=True)
    done = []
    for finding in findings:
        if not finding.replacement or not 0 < finding.line <= len(rows):
            continue
        for written, replacement in _spellings(finding):
            pattern = _BEFORE + re.escape(written) + _AFTER
            # A reference that is written several times is told once, at its first place.
            hits = [number for number in range(finding.line - 1, len(rows)) if re.search(pattern, rows[number])]
            if hits and hits[0] == finding.line - 1:
                for number in hits if finding.code == "broken-link" else hits[:1]:
                    rows[number] = re.sub(pattern, lambda match, text=replacement: text, rows[number])  # type: ignore[misc]
                done.append(finding)
                break
    return b"".join(rows), done


def spot(text: str, word: str) -> list[tuple[int, int]]:
    """(start, end) of the places where a reference stands in a text, as it is or percent-encoded."""
    for written in dict.fromkeys((word, quote(word, errors="surrogateescape"))):
        pattern = _BEFORE.decode() + re.escape(written) + _AFTER.decode()
        found = [match.span() for match in re.finditer(pattern, text)]
        if found:
            return found
    return []


def _spellings(finding: Finding) -> list[tuple[bytes, bytes]]:
    """As it is, and percent-encoded."""
    pairs = [(finding.written, finding.replacement)]
    if finding.written.isprintable() and quote(finding.written) != finding.written:
        pairs.insert(0, (quote(finding.written), quote(finding.replacement)))
    return [(a.encode("utf-8", "surrogateescape"), b.encode("utf-8", "surrogateescape")) for a, b in pairs]
