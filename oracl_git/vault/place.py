"""Where chains are, what this clone calls itself as a writer, and how git is told of both.

Knows names and git's settings, and loads nothing heavy: `git oracl status` asks it.
Knows nothing of what a chain holds.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256

from .. import whole
from ..git import Repository
from ..git.refs import list_refs
from ..git.repository import add_config, config_values, drop_config
from ..git.scope import user_setting
from .memory import locked

PREFIX = "refs/oracl/snapshots/"
_REFSPEC = f"{PREFIX}*:{PREFIX}*"
_DECORATION = ("log.excludeDecoration", "refs/oracl/*")


def writer_id(repo: Repository) -> str:
    """The name of this clone as a writer. A copy of the clone is another writer: two would split one chain.

    Where every run has a clone of its own, as in CI, `oracl.writer` names the one chain they go on with.
    """
    if named := user_setting(repo, "oracl.writer"):
        return sha256(b"oracl-git writer\0" + named.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    path = _path(repo)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with locked(path + ".lock"):
        writer = _kept(repo)
        if not writer:
            writer = os.urandom(8).hex()
            whole.write(path, f"{writer} {_here(repo)}\n".encode())
        return writer


def known_writer(repo: Repository) -> str:
    """The name of this clone as a writer, if it has one."""
    return writer_id(repo) if user_setting(repo, "oracl.writer") else _kept(repo)


def _path(repo: Repository) -> str:
    return os.path.join(repo.common_dir, "oracl", "writer")


def _here(repo: Repository) -> str:
    """What tells this clone from a copy of it."""
    known_as = f"{os.path.realpath(repo.common_dir)}\0{os.stat(repo.common_dir).st_ino}"
    return sha256(known_as.encode("utf-8", "surrogateescape")).hexdigest()


def _kept(repo: Repository) -> str:
    """The name that this very clone was given; "" when none, or when it was copied from another."""
    try:
        with open(_path(repo), encoding="ascii", opener=whole.plain) as file:
            writer, _, place = file.read(200).strip().partition(" ")
    except (OSError, ValueError):
        return ""
    return writer if place == _here(repo) and re.fullmatch(r"[0-9a-f]{16}", writer) else ""


def sharing(repo: Repository, remote: str = "origin") -> tuple[int, list[str]]:
    """(chains in this clone, refspecs `git fetch` lacks to bring those of a remote and prune none of ours)."""
    count = len(list_refs(repo, PREFIX))
    wanted = [_REFSPEC]
    if writer := known_writer(repo):
        wanted.append(f"^{PREFIX}*/{writer}")
    known = config_values(repo, f"remote.{remote}.fetch")
    return count, [spec for spec in wanted if spec not in known]


def quiet_log(repo: Repository, quiet: bool = True) -> None:
    """Let git's log decorate no chain, or undo that. A config that cannot be written is left alone."""
    key, value = _DECORATION
    if (value in config_values(repo, key)) != quiet:
        (add_config if quiet else drop_config)(repo, key, value)
