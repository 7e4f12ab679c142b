"""What git waits for without an end: a pipe, or a device, where it reads a file.

Knows which files of a repository git opens without a look at what they are. Is asked only once git has
said nothing for long: to look through a repository takes time, too. Knows nothing of processes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

# Beside the git directory's own files, which are told by their names, git reads what lies in these.
_FILES = ("HEAD", "config", "config.worktree", "packed-refs", "index", "shallow", "commondir", "ORIG_HEAD")
_DIRECTORIES = ("refs", "info", "objects", "logs", "worktrees")
_IN_WORK_TREE = frozenset((".gitattributes", ".gitignore", ".gitmodules", ".mailmap"))
_POINTER = 4096  # bytes of a path


def endless(git_dir: str, work_tree: str | None) -> str | None:
    """The first pipe or device that git may read, or None."""
    return next(_endless(git_dir, work_tree), None)


def git_directory(path: str) -> tuple[str, str | None]:
    """Where git most likely finds a repository, and its work tree, told without git; ("", None): nowhere."""
    here = os.path.abspath(path)
    while True:
        place = os.path.join(here, ".git")
        if os.path.isdir(place):
            return place, here
        if (leads := _line(place)).startswith("gitdir: "):
            return os.path.join(here, leads.removeprefix("gitdir: ")), here
        if os.path.isdir(os.path.join(here, "objects")) and os.path.lexists(os.path.join(here, "HEAD")):
            return here, None
        above = os.path.dirname(here)
        if above == here:
            return "", None
        here = above


def _endless(git_dir: str, work_tree: str | None) -> Iterator[str]:
    common = os.path.join(git_dir, _line(os.path.join(git_dir, "commondir")))
    for place in dict.fromkeys((git_dir, common)):
        for name in _FILES:
            if _has_no_end(path := os.path.join(place, name)):
                yield path
        for name in _DIRECTORIES:
            yield from _below(os.path.join(place, name), None)
    if work_tree is not None:
        yield from _below(work_tree, _IN_WORK_TREE)


def _below(top: str, names: frozenset[str] | None) -> Iterator[str]:
    """Those in a directory and all below it, of these names."""
    stack = [top]
    while stack:
        try:
            with os.scandir(stack.pop()) as found:
                entries = list(found)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git":
                    stack.append(entry.path)
            elif (names is None or entry.name in names) and _has_no_end(entry.path):
                yield entry.path


def _has_no_end(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _line(path: str) -> str:
    """The first line of a file, "" where none can be read."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_POINTER).partition(b"\n")[0])
    except OSError:
        return ""
