"""References rewritten to where git knows their target went.

Knows how a reference is told apart from the same letters elsewhere: the readers that
found it are asked again, of the text with another name at that place. Pure: text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import quote

from . import links, python
from .model import BROKEN_IMPORT, Finding

_BEFORE, _AFTER = rb"(?<![\w./%-])", rb"(?![\w/%-]|\.\w)"
_PROBE = "oracl0probe"  # what nothing is called
_MOST = 100  # places of one word that are looked at
_LAST = re.compile(r"[^/.]+(?=(?:\.\w+)*/?$)")  # the stem of the last part of a path
_PYTHON = (".py", ".pyi")


def rewrite(data: bytes, findings: Iterable[Finding]) -> tuple[bytes, list[Finding]]:
    """The text with what can be rewritten, and the findings that are thereby done.

    A reference that is written several times may be told once: all places where it is one are rewritten.
    """
    done = []
    gone: set[tuple[str, str]] = set()  # what was rewritten already
    for finding in findings:
        if not finding.replacement or finding.line < 1:
            continue
        what = (finding.written, finding.replacement)
        if what not in gone:
            for written, replacement in _spellings(finding):
                places = list(_places(data, finding, written))
                for start, end in reversed(places):
                    data = data[:start] + replacement + data[end:]
                if places:
                    gone.add(what)
                    break
        if what in gone:
            done.append(finding)
    return data, done


def _places(data: bytes, finding: Finding, written: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of the places where the word is a reference."""
    text = written.decode("utf-8", "surrogateescape")
    python_module = finding.code == BROKEN_IMPORT and finding.path.endswith(_PYTHON)
    if python_module:
        start = len(text) - len(text.rpartition(".")[2])
        probe = text[:start] + _PROBE
    else:
        probe = _LAST.sub(_PROBE, text, count=1)
    if probe == text:
        return
    pattern = re.compile(_BEFORE + re.escape(written) + _AFTER)
    for match in islice(pattern.finditer(data), _MOST):
        other = data[: match.start()] + probe.encode("utf-8", "surrogateescape") + data[match.end() :]
        if _imports(other) if python_module else links.names(finding.path, other, _PROBE):
            yield match.span()


def _imports(data: bytes) -> bool:
    """Whether a module of the name that is tried is imported, and must be there."""
    return any(_PROBE in each.module and each.name and not each.optional for each in python.imports(data))


def spot(text: str, word: str) -> list[tuple[int, int]]:
    """(start, end) of the places where a reference stands in a text, as it is or percent-encoded."""
    for written in dict.fromkeys((word, quote(word, errors="surrogateescape"))):
        pattern = _BEFORE.decode() + re.escape(written) + _AFTER.decode()
        found = [match.span() for match in re.finditer(pattern, text)]
        if found:
            return found
    return []


def _spellings(finding: Finding) -> list[tuple[bytes, bytes]]:
    """As it is, percent-encoded, and from a directory that the file need not name (`docs/` of a site)."""
    old, new = finding.written, finding.replacement
    pairs = [(old, new)]
    while "/" in old and "/" in new and old.partition("/")[0] == new.partition("/")[0] not in ("", ".", ".."):
        old, new = old.partition("/")[2], new.partition("/")[2]
        pairs.append((old, new))
    encoded = [(quote(a), quote(b)) for a, b in pairs if a.isprintable() and quote(a) != a]
    return [
        (a.encode("utf-8", "surrogateescape"), b.encode("utf-8", "surrogateescape")) for a, b in (*encoded, *pairs)
    ]
