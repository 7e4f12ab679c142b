"""What stands behind the rest of a repository: copies of other projects' code, old versions, lists of changes.

Knows how paths say so, and when a question asks for them after all. Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .words import stems_of

# Where code of other projects is kept, as a whole, beside one's own.
_COPIES = frozenset(
    "vendor _vendor vendored _vendored third_party third-party thirdparty 3rdparty 3rd_party 3rd-party node_modules "
    "bower_components godeps pods".split()
)
_COPIES_ASKED = frozenset("vendor vendored third".split())
_KEPT = "versioned_docs/"  # what Docusaurus keeps of each release; the pages of today lie in docs/
_VERSION = re.compile(
    r"/(?:(?:version-|release-|v)?(?P<number>\d{1,4}(?:\.(?:\d{1,4}|x)){1,3})"
    r"|dev|next|main|master|current|latest|unreleased|nightly|stable)/"
)
_CHANGES = frozenset("changelog changes history news releasenotes releases".split())
_CHANGES_ASKED = frozenset("changelog change changed history new release released version note".split())
_PROSE = frozenset(("", "md", "rst", "txt", "adoc", "rdoc", "markdown"))


def copied(path: str) -> bool:
    """Whether a file belongs to another project's code that is kept here."""
    return not _COPIES.isdisjoint(path.lower().split("/")[:-1])


def _below(places: list[str], words: frozenset[str]) -> bool:
    """Whether a directory below the one with copies has one of the words, which are stems."""
    top = next(at for at, place in enumerate(places) if place in _COPIES)
    below = "/".join(places[top + 1 :])
    return any(word.rstrip("y") in below for word in words) and not words.isdisjoint(stems_of(below))


def _lists_changes(name: str) -> bool:
    stem, _, suffix = name.partition(".")
    return suffix in _PROSE and stem.replace("-", "").replace("_", "") in _CHANGES


def aside(paths: Mapping[int, str], words: frozenset[str], text: str) -> frozenset[int]:
    """Of the files found (node → path) those that stand behind the others; `words`: the stems of the question.

    A copy is asked for by the name of a directory that it lies in, a version by its number, changes by such a word.
    Of the copies of one file under several versions, the newest that was found stands as it is.
    """
    behind = set()
    copies: dict[str, list[tuple[tuple[int, ...], int, str]]] = {}
    for node, path in paths.items():
        *places, name = path.lower().split("/")
        if not _COPIES.isdisjoint(places):
            if not (words & _COPIES_ASKED or _below(places, words)):
                behind.add(node)
        elif _lists_changes(name) and not words & _CHANGES_ASKED:
            behind.add(node)
        version = _VERSION.search(f"/{path}")
        if version:
            number = version["number"] or ""
            if _KEPT in path and number not in text:
                behind.add(node)
            order = tuple(int(part) for part in number.split(".") if part != "x") if number else (1 << 30,)
            alike = f"{path[: version.start()]}*/{path[version.end() - 1 :]}"
            copies.setdefault(alike, []).append((order, node, number))
    for rows in copies.values():
        newest = max(rows)[0]
        behind.update(node for order, node, number in rows if order != newest and number not in text)
    return frozenset(behind)
