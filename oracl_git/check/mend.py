"""References rewritten in the work tree.

Knows which files may be written: those whose work tree has what is staged, and
nothing that is reached through a link. A file is replaced at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from .. import whole
from ..errors import UsageError
from ..git import Repository
from ..graph.model import encode_path
from .change import Change
from .fix import rewrite
from .model import Finding


def mend(repo: Repository, findings: Iterable[Finding]) -> tuple[list[Finding], list[str]]:
    """(the findings that are done, what the user should know)."""
    if repo.work_tree is None:
        raise UsageError("a bare repository has no files to fix", "git worktree add ../fix")
    done: list[Finding] = []
    notes = []
    change = Change.staged(repo)
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.replacement:
            by_path.setdefault(finding.path, []).append(finding)
    for path, rows in by_path.items():
        full = os.path.join(os.fsencode(repo.work_tree), encode_path(path))
        if not os.path.isfile(full) or os.path.realpath(full) != full:
            continue
        with open(full, "rb") as file:
            data = file.read()
        if _unix(data) != _unix(change.text(change.entries.get(path)) or b""):
            notes.append(f"{path} has changes that are not staged, so it is left alone")
            continue
        text, fixed = rewrite(data, rows)
        if fixed:
            whole.write(full, text, None)
            done += fixed
    return done, notes


def _unix(data: bytes) -> bytes:
    """What a checkout may have done to the ends of lines, undone."""
    return data.replace(b"\r\n", b"\n")

