"""What is done before the client has spoken: git looks at the work tree while libraries are imported.

Knows that an editor starts the server in the folder of the project. Imports
nothing of the protocol.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from oracl_git.errors import OraclError
from oracl_git.service import Oracl


class Ahead(NamedTuple):
    """A repository that is being looked at, and since when."""

    oracl: Oracl
    since: float


def begin() -> Ahead | None:
    """Begin with the repository whose top is the current directory, if that is one."""
    try:
        oracl, since = Oracl.at(worktree=True), time.monotonic()
        if oracl.repo.work_tree is None or not os.path.samefile(oracl.repo.work_tree, os.curdir):
            return None
        oracl.follow()
    except (OraclError, OSError):
        return None  # the client may mean another folder
    oracl.look_meanwhile()
    return Ahead(oracl, since)
