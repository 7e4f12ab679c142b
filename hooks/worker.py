"""The process a hook leaves behind: brings the index to HEAD, signs what was made here, encodes what is new.

Knows how to be nobody's child, how to wait until a storm of events is over,
and that whatever goes wrong is for the log. Started by the shim as
`python -P -m oracl_git.hooks.worker` with GIT_DIR set, in the work tree.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from .. import inherited
from ..errors import OraclError
from . import journal

if TYPE_CHECKING:
    from ..service import Oracl

_QUIET = 0.15  # seconds without an event: then it is over
_PATIENCE = 10.0  # seconds to wait for that
_KEPT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")


def main() -> None:
    """Work off the spool of the repository GIT_DIR names."""
    inherited.signals()
    _detach()
    git_dir = os.environ["GIT_DIR"]
    while journal.waiting(git_dir):
        with journal.locked(journal.place(git_dir, journal.LOCK)) as mine:
            if not mine:
                return  # who has the lock looks once more when it has given it up
            while journal.waiting(git_dir):
                _settle(git_dir)
                _run(git_dir)
                _fill(git_dir)


def _detach() -> None:
    """Leave the terminal, the process group and whatever git had open."""
    try:
        os.setsid()
        os.nice(5)
    except OSError:
        pass
    os.closerange(3, 256)
    for name in list(os.environ):
        if name.startswith("GIT_") and name not in _KEPT and not name.startswith("GIT_CONFIG"):
            del os.environ[name]


def _settle(git_dir: str) -> None:
    """Wait until no event has come for a moment, and no sequence of picks is under way."""
    spool, picks = journal.place(git_dir, journal.SPOOL), os.path.join(git_dir, "sequencer")
    until = time.monotonic() + _PATIENCE
    before = -1
    while time.monotonic() < until:
        try:
            now = os.path.getsize(spool)
        except OSError:
            now = 0
        if now == before and not os.path.exists(picks):
            return
        before = now
        time.sleep(_QUIET)


def _run(git_dir: str) -> None:
    """One update to the newest HEAD, and its line in the log."""
    from ..service import Oracl

    started = time.monotonic()
    events = journal.take(git_dir)
    try:
        with Oracl.at() as oracl:
            place = os.path.join(oracl.repo.common_dir, "oracl")
            os.makedirs(place, exist_ok=True)
            # One worktree after the other: ten at once would only be in each other's way.
            with journal.locked(os.path.join(place, "workers"), wait=True):
                if oracl.repo.head is None:
                    return
                report = oracl.update()
                oracl.sync_ontology()
            signing = _vouch(oracl)
        journal.write(git_dir, events, report.commit, report.changed, time.monotonic() - started, signing)
    except OraclError as error:
        journal.write(git_dir, events, "", 0, time.monotonic() - started, error.message)
    except Exception as error:
        journal.write(git_dir, events, "", 0, time.monotonic() - started, f"{type(error).__name__}: {error}")
    finally:
        journal.done(git_dir)


def _vouch(oracl: Oracl) -> str:
    """Sign the graph of a commit that was made here, when a key is configured; what went wrong, or ""."""
    try:
        oracl.snapshot_if_made_here()
    except OraclError as error:  # the index is at HEAD all the same
        return f"no snapshot: {error.message}"
    return ""


def _fill(git_dir: str) -> None:
    """Encode what the update left without vectors, until another event comes; other worktrees need not wait for it."""
    from ..service import Oracl

    started = time.monotonic()
    try:
        with Oracl.at() as oracl:
            if oracl.repo.head is not None:
                oracl.fill(stop=lambda: journal.waiting(git_dir) > 0)
    except OraclError as error:
        journal.write(git_dir, 0, "", 0, time.monotonic() - started, error.message)
    except Exception as error:
        journal.write(git_dir, 0, "", 0, time.monotonic() - started, f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
