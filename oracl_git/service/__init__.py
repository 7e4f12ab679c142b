"""The use cases. The CLI, the language server and hooks call these and nothing deeper.

One room a kind: opened, named, questions, changes, snapshots, upkeep. Knows nothing of
terminals or protocols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..git import Repository
from ..store import database
from .changes import Changes
from .opened import FRESHNESS_BUDGET, Progress, repaired
from .questions import Questions, Shown
from .snapshots import Snapshots
from .upkeep import Check, Status, Upkeep

if TYPE_CHECKING:
    from ..store.mirror import Found

__all__ = [
    "FRESHNESS_BUDGET", "Check", "Oracl", "Progress", "Shown", "Status", "check_mirror", "database_place",
    "query_mirror", "repaired",
]  # fmt: skip


class Oracl(Questions, Changes, Snapshots, Upkeep):
    """One repository's memory. Close it, or use it as a context manager."""


def query_mirror(directory: str, text: str, limit: int = 20) -> list[Found]:
    """Artifacts of an export's SQLite bundle, by exact name or prefix; needs no repository."""
    from ..store import mirror

    return mirror.query(directory, text, limit)


def check_mirror(directory: str) -> dict[str, Any]:
    """The manifest of a bundle whose parts agree. Raises Unverified (11)."""
    from ..store import mirror

    return mirror.check(directory)


def database_place(repo: Repository, name: str) -> str:
    """Where one of the databases lies, for `doctor` and `status`."""
    return database.place(repo, name)
