"""What stands behind the rest of a repository: copies of other projects' code, old versions, lists of changes.

Knows how paths say so, and when a question asks for them after all. Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .words import stems_of

# Where code of other projects is kept, as a whole, beside one's own.
_COPIED = re.compile(
    r"(?:^|/)(?:_?vendor|_?vendored|third[-_]?party|3rd[-_]?party|node_modules|bower_components|godeps|pods)/", re.I
)
_KEPT = re.compile(r"(?:^|/)versioned_docs/")  # what Docusaurus keeps of each release; the pages of today lie in docs/
_VERSION = re.compile(
    r"(?<![^/])(?:(?:version-|release-|v)?(?P<number>\d{1,4}(?:\.(?:\d{1,4}|x)){1,3})"
    r"|(?P<next>dev|next|main|master|current|latest|unreleased|nightly|stable))(?=/)"
)
_CHANGES = re.compile(
    r"(?:^|/)(?:changelog|changes|history|news|release[-_]?notes|releases)(?:\.(?:md|rst|txt|adoc|rdoc|markdown))?$",
    re.IGNORECASE,
)
_CHANGES_ASKED = frozenset("changelog change changed history new release released version note".split())
_COPIED_ASKED = frozenset("vendor vendored third".split())


def copied(path: str) -> bool:
    """Whether a file belongs to another project's code that is kept here."""
    return _COPIED.search(path) is not None


def aside(paths: Mapping[int, str], words: frozenset[str], text: str) -> frozenset[int]:
    """Of the files found (node → path) those that stand behind the others; `words`: the stems of the question.

    A copy is asked for by the name of a directory that it lies in, a version by its number, changes by such a word.
    Of the copies of one file under several versions, the newest that was found stands as it is.
    """
    behind = set()
    copies: dict[str, list[tuple[tuple[int, ...], int, str]]] = {}
    for node, path in paths.items():
        copied = _COPIED.search(path)
        if copied:
            names = frozenset(stems_of(path[copied.end() :].rpartition("/")[0]))
            if not (words & names or words & _COPIED_ASKED):
                behind.add(node)
        elif _CHANGES.search(path) and not words & _CHANGES_ASKED:
            behind.add(node)
        version = _VERSION.search(path)
        if version:
            number = version["number"] or ""
            if _KEPT.search(path) and number not in text:
                behind.add(node)
            order = tuple(int(part) for part in number.split(".") if part != "x") if number else (1 << 30,)
            copies.setdefault(f"{path[: version.start()]}*{path[version.end() :]}", []).append((order, node, number))
    for rows in copies.values():
        newest = max(rows)[0]
        behind.update(node for order, node, number in rows if order != newest and number not in text)
    return frozenset(behind)
