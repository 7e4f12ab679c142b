"""The file to be read: opened once, never through a symlink, watched for changes.

Knows paths, descriptors and sizes. Knows nothing of what is inside.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from typing import BinaryIO, NamedTuple

from .model import Limits, Refused

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY  # a FIFO must not make us wait
_LINKS = (errno.ELOOP, errno.EMLINK)
_NOT_FILES = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISLNK, "a symlink"),
              (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))  # fmt: skip


class Stamp(NamedTuple):
    """What tells one state of a file from the next."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


class File:
    """A regular file, open for reading; leaving the `with` block closes what was opened here."""

    def __init__(self, path: str | bytes | int, limits: Limits) -> None:
        self._own = not isinstance(path, int)
        self.fd = path if isinstance(path, int) else _open(path)
        try:
            self._stamp = self._look()
            if self._stamp.size > limits.file_bytes:
                size, most = (f"{n / (1 << 20):,.0f} MiB" for n in (self._stamp.size, limits.file_bytes))
                raise Refused("too_large", f"the file has {size}; {most} is the most that is read")
        except BaseException:
            self.close()
            raise
        self.size = self._stamp.size

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back, if it is ours."""
        if self._own:
            os.close(self.fd)
            self._own = False

    def stream(self) -> BinaryIO:
        """It from its start; closing the stream leaves the file open."""
        stream = os.fdopen(os.dup(self.fd), "rb")
        stream.seek(0)
        return stream

    def unchanged(self) -> None:
        """Refused when anyone wrote to it since it was opened."""
        if self._look() != self._stamp:
            raise Refused("changed", "the file changed while it was being read", "try again when it is written")

    def _look(self) -> Stamp:
        try:
            found = os.fstat(self.fd)
        except OSError as error:
            raise Refused("unreadable", f"the file cannot be read ({error.strerror})") from error
        for is_it, name in _NOT_FILES:
            if is_it(found.st_mode):
                raise Refused("not_a_file", f"this is {name}, not a file")
        return Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class Memory(File):
    """Bytes as a file that has no name."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        # memfd_create is Linux's; elsewhere the file is unlinked as soon as it is open.
        descriptor = os.memfd_create("document") if hasattr(os, "memfd_create") else _nameless()
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            stream.write(data)
        super().__init__(descriptor, limits)
        self._own = True


def _nameless() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _open(path: str | bytes) -> int:
    try:
        return os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        if number in _LINKS:
            raise Refused("not_a_file", "this is a symlink, and those are not followed") from error
        if number == errno.ENXIO:
            raise Refused("not_a_file", "this is a socket or a FIFO, not a file") from error
        raise Refused("unreadable", f"the file cannot be opened ({getattr(error, 'strerror', error)})") from error
