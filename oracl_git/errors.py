"""Every failure a user can meet, by kind.

    OraclError                 exit 128: cannot run here
    ├── NotARepository         no git repository at this place
    ├── GitFailed              git, or the object store, refused
    │   └── MissingObjects     a blob or commit is not in this clone
    ├── UsageError             exit 2: the question is malformed
    ├── UnknownPath            exit 1: no such path in the indexed commit
    ├── NothingIndexed         there is no commit to index yet
    └── IndexUnusable          the index cannot be read or written

Knows messages, hints and exit codes. Knows nothing of how they are shown.
A message is a sentence without a full stop; a hint is a command or an act.
"""

from __future__ import annotations


class OraclError(Exception):
    """An expected failure: a sentence, a next step and an exit code."""

    exit_code = 128

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotARepository(OraclError):
    """There is no git repository at the place that was asked about."""


class GitFailed(OraclError):
    """git, or the object store, refused an operation."""


class MissingObjects(GitFailed):
    """An object that is needed is not in this clone (partial, shallow or damaged)."""


class UsageError(OraclError):
    """The command line or the query object is malformed."""

    exit_code = 2


class UnknownPath(OraclError):
    """The path is not in the indexed commit, or lies outside the repository."""

    exit_code = 1


class NothingIndexed(OraclError):
    """The repository has no commit yet, so there is nothing to index."""


class IndexUnusable(OraclError):
    """The index can neither be read nor rebuilt (permissions, disk, newer version)."""
