"""Path patterns of governance files: `*` within a segment, `**` across them.

Knows how a pattern matches a path. A pattern without a slash matches the name
at any depth; a leading slash anchors it; a trailing slash means all below.
"""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression for `fullmatch` on a repository path."""
    anchored = "/" in pattern.rstrip("/")
    body = pattern.lstrip("/")
    below = body.endswith("/")
    body = body.rstrip("/")
    out, i = [], 0
    while i < len(body):
        if body.startswith("**/", i):
            out.append("(?:[^/]+/)*")
            i += 3
        elif body.startswith("**", i):
            out.append(".*")
            i += 2
        elif body[i] == "*":
            out.append("[^/]*")
            i += 1
        elif body[i] == "?":
            out.append("[^/]")
            i += 1
        else:
            out.append(re.escape(body[i]))
            i += 1
    head = "" if anchored else "(?:.*/)?"
    tail = "/.*" if below else "(?:/.*)?"
    return re.compile(head + "".join(out) + tail, re.DOTALL)


def matches(pattern: str, path: str) -> bool:
    """Whether the path, or a directory above it, matches the pattern."""
    return compiled(pattern).fullmatch(path) is not None
