"""A file in the place of another, whole or not at all; and a file that is one.

Knows that a kill or a full disk must leave one of the two, and that a link may stand at
either name: it is replaced, never followed. Knows that a pipe may stand where a file was left,
and that whoever opens one waits. Knows nothing of what is written.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

_ANEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def plain(path: str | bytes, flags: int, mode: int = 0o666) -> int:
    """As os.open, and the `opener` of open(), for a file of ours. Raises PermissionError for a pipe or a device."""
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0), mode)
    except OSError as error:
        if error.errno != errno.ENXIO:  # a pipe that nobody reads
            raise
    else:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
    raise PermissionError(errno.EACCES, "it is no file", os.fsdecode(path))


def write(path: str | bytes, data: bytes, mode: int | None = 0o644) -> None:
    """Put bytes there. Raises OSError; then what was there is as it was."""
    with replacing(path, mode) as file:
        file.write(data)


@contextmanager
def replacing(path: str | bytes, mode: int | None = 0o644, *, sync: bool = True) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when the block ends well.

    `mode` None: that of the file which is there. `sync`: a power cut leaves it whole, too.
    """
    full = os.fsencode(path)
    beside = full + b".%d.tmp" % os.getpid()
    with suppress(FileNotFoundError):
        os.unlink(beside)  # of a process that was killed, or a link that somebody left
    descriptor = os.open(beside, _ANEW, 0o600 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is None:
                os.fchmod(descriptor, stat.S_IMODE(os.stat(full).st_mode))
            yield file
            file.flush()
            if sync:
                os.fsync(descriptor)
        os.replace(beside, full)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise
