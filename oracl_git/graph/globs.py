"""Path patterns of governance files: `*` within a segment, `**` across them.

Knows how a pattern matches a path. A pattern without a slash matches the name
at any depth; a leading slash anchors it; a trailing slash means all below. A
directory that matches takes what is below it along, unless the last segment
has a `*` (as CODEOWNERS has it). Patterns come from the repository, so matching
never backtracks: each wildcard takes the first place where what follows fits,
which is enough for globs, and an atomic group keeps it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Generic, TypeVar

T = TypeVar("T")

_END = r"(?=/|\Z)"


@lru_cache(maxsize=1 << 14)  # more than the rules that are believed: each is asked of every path
def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression for `fullmatch` on a repository path."""
    below = pattern.endswith("/")
    anchored = "/" in pattern.rstrip("/")
    segments = [segment for segment in pattern.split("/") if segment]
    if not anchored:
        segments.insert(0, "**")
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            groups.append([])
        else:
            groups[-1].append(_segment(segment))
    tail = "/.*" if below else "" if segments and "*" in segments[-1] else "(?:/.*)?"
    first, *others = ["/".join(group) for group in groups]
    out = first
    for position, group in enumerate(others):
        slash = "/" if out else ""
        if position < len(others) - 1 or (group and tail):
            out += f"{slash}(?>(?:[^/]+/)*?{group}{_END})" if group else ""
        else:  # the end of the path decides where it stands
            out += f"{slash}(?:[^/]+/)*{group}" if group else f"{slash}.+"
    return re.compile(out + tail, re.DOTALL)


def _segment(text: str) -> str:
    """One segment: literal pieces between stars, each at its first place, the last at the end."""
    pieces = ["".join("[^/]" if char == "?" else re.escape(char) for char in piece) for piece in re.split(r"\*+", text)]
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[1:-1])
    return f"{pieces[0]}{middle}[^/]*{pieces[-1]}{_END}"


def matches(pattern: str, path: str) -> bool:
    """Whether the path, or a directory above it, matches the pattern."""
    return compiled(pattern).fullmatch(path) is not None


_WILD = re.compile(r"[*?]")


class Rules(Generic[T]):
    """Many rules, each of some patterns and a value, of which only those that can match a path are tried.

    A pattern is filed under a segment that a path must have (`docs/**/api` under
    `docs`), or under the suffix that its name must have (`*.py`); the few that
    demand neither are tried on every path. What comes out is what trying them
    all would give.
    """

    def __init__(self, rules: Iterable[tuple[Iterable[str], T]]) -> None:
        self._values: list[T] = []
        self._filed: dict[str, list[tuple[int, str]]] = {}
        for number, (patterns, value) in enumerate(rules):
            self._values.append(value)
            for pattern in patterns:
                self._filed.setdefault(_demand(pattern), []).append((number, pattern))

    def __len__(self) -> int:
        return len(self._values)

    def matching(self, path: str) -> Iterator[T]:
        """The values of the rules that the path matches, from the last rule to the first."""
        if not self._filed:
            return
        segments = path.split("/")
        _, dot, suffix = segments[-1].rpartition(".")
        keys = {"", *(f"{segment}/" for segment in segments), *((f".{suffix}",) if dot else ())}
        told = len(self._values)
        for number, pattern in sorted((row for key in keys for row in self._filed.get(key, ())), reverse=True):
            if number < told and matches(pattern, path):
                told = number  # another pattern of the same rule adds nothing
                yield self._values[number]


def _demand(pattern: str) -> str:
    """What a path must have to match: "segment/", or ".suffix" of its last one; "" when that is not plain."""
    segments = [segment for segment in pattern.split("/") if segment]
    literal = [segment for segment in segments if not _WILD.search(segment)]
    if literal:
        return f"{max(literal, key=len)}/"
    if segments and not pattern.endswith("/") and "*" in segments[-1]:
        _, dot, suffix = segments[-1].rpartition("*")[2].rpartition(".")
        if dot and "?" not in suffix:
            return f".{suffix}"
    return ""
