"""Git: what a repository holds and what changed in it.

Knows where the repository is (repository.py), what a commit contains (objects.py,
libgit2.py), what happened before it (history.py), what is not committed (worktree.py,
ends.py), and how git is run so that no
repository can make it run something else (run.py). No other package starts git
or imports pygit2. Paths are bytes; object ids are hex strings of either length.
Knows nothing of languages, graphs or the index, and never writes to git's
objects, refs, index or work tree; only `set_config` writes, and only config.
"""

from oracl_git.git.ends import stored
from oracl_git.git.history import Commit, Touched, commits, is_linear_extension, reachable, shallow_state
from oracl_git.git.objects import GITLINK, SYMLINK, Change, Entry, GitObjects, Objects, open_objects
from oracl_git.git.repository import (
    Repository,
    discover,
    resolve_commit,
    set_config,
    settings,
    unset_config,
)
from oracl_git.git.run import git_version, pack_state
from oracl_git.git.worktree import Laid, differences, head_state, ignored, laid, read, stamp

__all__ = [
    "GITLINK",
    "SYMLINK",
    "Change",
    "Commit",
    "Entry",
    "GitObjects",
    "Laid",
    "Objects",
    "Repository",
    "Touched",
    "commits",
    "differences",
    "discover",
    "git_version",
    "head_state",
    "ignored",
    "is_linear_extension",
    "laid",
    "open_objects",
    "pack_state",
    "reachable",
    "read",
    "resolve_commit",
    "set_config",
    "settings",
    "shallow_state",
    "stamp",
    "stored",
    "unset_config",
]
