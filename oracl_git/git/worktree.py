"""What is not committed: the files of the work tree that differ from HEAD.

Knows how to ask git which paths differ, and how to read a file:
never through a symlink, never through a filter a repository may name. Knows nothing of
what the bytes mean, and writes nothing.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from oracl_git.git.run import git
from oracl_git.whole import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oracl_git.git.repository import Repository

_REGULAR, _EXECUTABLE, _SYMLINK = 0o100644, 0o100755, 0o120000
MAX_READ = 1 << 20  # a larger file stays out of the index whatever it says
_PACKED = ("packed-refs", "reftable/tables.list")  # where a ref may be that has no file of its own
_EMPTY, _FALSE = "ORACL_EMPTY", "ORACL_FALSE"  # variables that hold values for git
_VALUES = {_EMPTY: "", _FALSE: "false"}


class Laid(NamedTuple):
    """One file as it would be committed. `size` may exceed `data`, which is cut at 1 MiB."""

    mode: int
    oid: str
    size: int
    data: bytes


def head_state(repo: Repository) -> tuple[object, ...]:
    """What changes whenever HEAD may have moved: one file read, and a stat or two."""
    head = _bytes_of(os.path.join(repo.git_dir, "HEAD"))
    name = head.removeprefix(b"ref: ").strip() if head.startswith(b"ref: ") else b""
    ref = _bytes_of(os.path.join(os.fsencode(repo.common_dir), name)) if name else b""
    return (head, ref, *(stamp(os.path.join(repo.common_dir, packed)) for packed in _PACKED))


def stamp(path: str) -> tuple[int, int, int] | None:
    """When a file was last written, its size and identity; None when it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _bytes_of(path: str | bytes) -> bytes:
    try:
        with open(path, "rb", opener=plain) as file:
            return file.read(4096)
    except OSError:
        return b""


def differences(repo: Repository) -> Iterator[bytes]:
    """The paths whose file differs from HEAD, or may: changed, new (unless ignored), gone."""
    options = ("--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
    out = git(repo, *_no_filters(repo), "status", *options, index=True, cwd=repo.work_tree, env=_VALUES)
    for record in out.split(b"\0"):
        kind = record[:1]
        if kind == b"1":  # 1 XY sub mH mI mW hH hI path
            yield record.split(b" ", 8)[8]
        elif kind == b"u":  # u XY sub m1 m2 m3 mW h1 h2 h3 path
            yield record.split(b" ", 10)[10]
        elif kind == b"?" and not record.endswith(b"/"):  # with a slash: another repository
            yield record[2:]


def _no_filters(repo: Repository) -> list[str]:
    """Options that take every configured filter away: to compare a file git would run it."""
    out = git(repo, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|required)$", ok=(0, 1))
    found = []
    for name in dict.fromkeys(out.decode("utf-8", "surrogateescape").split("\0")[:-1]):
        off = name.endswith(".required")
        if "=" in name:  # -c takes what is before the first one for the key
            found.append(f"--config-env={name}={_FALSE if off else _EMPTY}")
        else:
            found += ["-c", f"{name}={'false' if off else ''}"]
    return found


def read(repo: Repository, path: bytes) -> Laid | None:
    """A file of the work tree; None when there is none.

    A symlink is itself; what lies beyond one on the way, or inside a git directory, is not there.
    """
    top = os.fsencode(repo.work_tree or "")
    full = os.path.join(top, path)
    place = os.path.dirname(full)
    if not top or b".git" in path.lower().split(b"/") or os.path.realpath(place) != place:
        return None
    try:
        found = os.lstat(full)
        if stat.S_ISLNK(found.st_mode):
            target = os.readlink(full)
            return Laid(_SYMLINK, blob_id(repo, target), len(target), b"")
        if not stat.S_ISREG(found.st_mode):
            return None
        mode = _EXECUTABLE if found.st_mode & 0o100 else _REGULAR
        if found.st_size > MAX_READ:
            return Laid(mode, blob_id(repo, b"%d %d" % (found.st_size, found.st_mtime_ns)), found.st_size, b"")
        descriptor = os.open(full, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            data = file.read(MAX_READ + 1)
    except OSError:
        return None
    return laid(repo, data, mode)


def laid(repo: Repository, data: bytes, mode: int = _REGULAR) -> Laid:
    """Text as a file of these bytes would be committed."""
    return Laid(mode, blob_id(repo, data), len(data), data[:MAX_READ])


def blob_id(repo: Repository, data: bytes) -> str:
    """The name git gives to these bytes."""
    import hashlib  # OpenSSL takes longer to load than a question may

    return hashlib.new(repo.object_format, b"blob %d\0" % len(data) + data).hexdigest()


def ignored(repo: Repository, paths: Iterable[bytes]) -> set[bytes]:
    """Those that the work tree's rules keep out of git: made, not missing."""
    wanted = [path for path in dict.fromkeys(paths) if path and b"\0" not in path]
    if not wanted or repo.work_tree is None:
        return set()
    listed = b"".join(path + b"\0" for path in wanted)
    out = git(repo, "check-ignore", "--no-index", "-z", "--stdin", input=listed, ok=(0, 1, 128), index=True,
              cwd=repo.work_tree)  # fmt: skip
    return set(out.split(b"\0")) - {b""}
