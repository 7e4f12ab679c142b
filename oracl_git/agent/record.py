"""What a session is made of: what was asked, opened and decided. Values, and the bounds they have.

Names only: a file is its path and the id of its blob, never its text. Knows nothing of where
a session is kept, nor of signatures.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
ID = re.compile(r"[0-9a-f]{16}")
BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
FRAGMENT = re.compile(r"(?:L\d{1,9}-\d{1,9})?")
ENTRIES = 200  # of each kind that a session has: the newest
ANSWERS = 5  # paths kept of the answer to a question
PATHS = 50  # of one decision
TEXT = 2_000  # characters of a decision
YEAR_10000 = 253_402_300_800  # seconds; no time and no number is greater
QUESTION = 4_000  # characters of a question


class File(NamedTuple):
    """A file by name: its path, and the blob it was then ("" where nobody asked)."""

    path: str
    blob: str = ""


class Asked(NamedTuple):
    """A question, and where its answer led first."""

    time: int  # seconds
    kind: str  # as telemetry calls it: search, related, context, node, neighbours
    question: str
    files: tuple[File, ...] = ()


class Opened(NamedTuple):
    """A file that was opened, or lines of it."""

    time: int
    file: File
    fragment: str = ""


class Decided(NamedTuple):
    """What was decided, in the words of whoever did, and what files it is about."""

    time: int
    text: str
    files: tuple[File, ...] = ()


class Session(NamedTuple):
    """All of one session, oldest first."""

    id: str  # the same wherever it is
    name: str
    started: int
    classification: str  # of the most delicate files that it may name where others read it
    asked: tuple[Asked, ...] = ()
    opened: tuple[Opened, ...] = ()
    decided: tuple[Decided, ...] = ()


def is_inside(path: str) -> bool:
    """Whether a path is one that git could have: relative, of the tree, and not of git's own directory."""
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
    return not odd and "\0" not in path and len(path) <= 4_096
