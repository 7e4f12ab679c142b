"""Reading files that anybody may have put there: no symlink, pipe, device or loop is ever followed.

Knows how to walk and open relative to an open directory, one component at a time,
and how to tell that a file changed while it was read. Knows nothing of what is in it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import IO

from .policy import KEY_PLACES

MAX_FILES = 200_000  # of one root
MAX_DEPTH = 64
MAX_BYTES = 64 << 20  # of one file
_CHUNK = 1 << 20
_ATTEMPTS = 3
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# Names that are never a document: what tools leave behind.
_CLUTTER = frozenset((".DS_Store", "Thumbs.db", "desktop.ini", ".gitkeep", ".gitignore"))

Skip = Callable[[str], None]


class Unreadable(Exception):
    """A file that is not read, with the reason."""


@dataclass(frozen=True)
class Copy:
    """A file as it was at one instant."""

    checksum: str
    size: int


def _open_directory(root: str, relative: str) -> int:
    """A descriptor of root/relative; every component below the root must be a real directory."""
    descriptor = os.open(root, _DIRECTORY)
    try:
        for part in filter(None, relative.split("/")):
            if part in (".", ".."):
                if part == ".":
                    continue
                raise Unreadable("the path climbs out")
            following = os.open(part, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = following
        return descriptor
    except OSError as error:
        os.close(descriptor)
        raise Unreadable(_why(error)) from None
    except BaseException:
        os.close(descriptor)
        raise


def _why(error: OSError) -> str:
    import errno

    if error.errno in (errno.ELOOP, errno.EMLINK):
        return "symlink"
    if error.errno == errno.ENOTDIR:
        return "symlink, or not a directory"
    if error.errno == errno.ENOENT:
        return "not there"
    return (error.strerror or "unreadable").lower()


def kind_of(root: str, relative: str) -> str:
    """file, directory, or why it is neither."""
    parent, _, name = relative.rpartition("/")
    if not name or name == ".":
        return "directory" if os.path.isdir(root) and not os.path.islink(root) else "not there"
    try:
        descriptor = _open_directory(root, parent)
    except Unreadable as error:
        return str(error)
    try:
        return _kind(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
    except OSError as error:
        return _why(error)
    finally:
        os.close(descriptor)


def _kind(mode: int) -> str:
    for test, name in (
        (stat.S_ISREG, "file"),
        (stat.S_ISDIR, "directory"),
        (stat.S_ISLNK, "symlink"),
        (stat.S_ISFIFO, "pipe"),
        (stat.S_ISSOCK, "socket"),
    ):
        if test(mode):
            return name
    return "device"


def walk(root: str, relative: str, skip: Skip, hidden: Collection[str] = ()) -> Iterator[str]:
    """The files below root/relative, as paths below root, in order. What is no file is counted by `skip`.

    Directories for keys, git's own, other repositories and `.agentlas` are not entered; nor is what is `hidden`:
    paths below root, a directory's with a slash behind it.
    """
    what = kind_of(root, relative)
    if what == "file":
        yield relative
        return
    if what != "directory":
        skip(what)
        return
    seen: set[tuple[int, int]] = set()
    todo = ["" if relative == "." else relative]
    count = 0
    while todo:
        place = todo.pop()
        try:
            descriptor = _open_directory(root, place)
        except Unreadable as error:
            skip(str(error))
            continue
        try:
            about = os.fstat(descriptor)
            if (about.st_dev, about.st_ino) in seen:
                skip("directory loop")
                continue
            seen.add((about.st_dev, about.st_ino))
            with os.scandir(descriptor) as found:
                entries = sorted(found, key=lambda entry: entry.name)
            if place not in ("", relative) and any(entry.name == ".git" for entry in entries):
                skip("another repository")
                continue
            below = []
            for entry in entries:
                path = f"{place}/{entry.name}" if place else entry.name
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    if entry.name == ".git" or entry.name == ".agentlas" or f"{path}/" in hidden:
                        continue
                    if entry.name in KEY_PLACES:
                        skip("place for keys")
                    elif path.count("/") >= MAX_DEPTH:
                        skip("too deep")
                    else:
                        below.append(path)
                elif not stat.S_ISREG(mode):
                    skip(_kind(mode))
                elif entry.name in KEY_PLACES:
                    skip("place for keys")
                elif entry.name not in _CLUTTER and path not in hidden:
                    count += 1
                    if count > MAX_FILES:
                        skip(f"beyond {MAX_FILES:,} files")
                    else:
                        yield path
            todo += reversed(below)
        except OSError as error:
            skip(_why(error))
        finally:
            os.close(descriptor)


def copy(root: str, relative: str, target: IO[bytes]) -> Copy:
    """Copy a file as it is at one instant into an open one. Raises Unreadable for what does not hold still."""
    for _ in range(_ATTEMPTS):
        found = _copy(root, relative, target)
        if found is not None:
            return found
    raise Unreadable("changed while it was read")


def _read(file: IO[bytes], most: int) -> bytes:
    try:
        return file.read(min(most, _CHUNK))
    except OSError as error:  # a failure to write the copy is another matter
        raise Unreadable(_why(error)) from None


def _copy(root: str, relative: str, target: IO[bytes]) -> Copy | None:
    parent, _, name = relative.rpartition("/")
    directory = _open_directory(root, parent)
    try:
        before = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if not stat.S_ISREG(before.st_mode):
            raise Unreadable(_kind(before.st_mode))
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except OSError as error:
        raise Unreadable(_why(error)) from None
    finally:
        os.close(directory)
    with open(descriptor, "rb") as file:
        opened = os.fstat(descriptor)
        if not stat.S_ISREG(opened.st_mode) or (opened.st_dev, opened.st_ino) != (before.st_dev, before.st_ino):
            return None
        if opened.st_size > MAX_BYTES:
            raise Unreadable(f"larger than {MAX_BYTES >> 20} MiB")
        digest, size = hashlib.sha256(), 0
        target.seek(0)
        target.truncate()
        # No further than it was when it was opened: a file that grows would never end.
        while size < opened.st_size and (data := _read(file, opened.st_size - size)):
            size += len(data)
            digest.update(data)
            target.write(data)
        target.flush()
        after = os.fstat(descriptor)
    try:
        named = os.stat(os.path.join(root, relative), follow_symlinks=False)
    except OSError:
        return None
    same = all(
        (s.st_ino, s.st_size, s.st_mtime_ns) == (opened.st_ino, size, opened.st_mtime_ns) for s in (after, named)
    )
    return Copy(digest.hexdigest(), size) if same else None
