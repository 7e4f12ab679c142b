"""What hooks leave behind in $GIT_DIR/oracl: the spool, the worker's lock, its log.

Knows these files, and how two workers never work at once. Knows nothing of
git or the index. Reading costs little: `git oracl status` does it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from ..whole import plain

SPOOL, TAKEN, LOCK, LOG = "spool", "spool.taken", "worker", "worker.log"
OLD_LOG = LOG + ".1"
FILES = (SPOOL, TAKEN, LOCK, LOG, OLD_LOG)
_KEEP = 1 << 18  # bytes of log; a longer one is put aside once


class Run(NamedTuple):
    """One run of the worker, as the log has it."""

    time: str
    events: int
    commit: str
    changed: int
    seconds: float
    error: str


class Activity(NamedTuple):
    """What `status` tells: the last run, events that wait, runs that failed since one did not."""

    last: Run | None
    queued: int
    failures: int


def place(git_dir: str, name: str) -> str:
    """Where one of the files lies."""
    return os.path.join(git_dir, "oracl", name)


# -- the spool ------------------------------------------------------------------------------


def waiting(git_dir: str) -> int:
    """How many events wait, those of a worker that was killed included."""
    return _lines(place(git_dir, SPOOL)) + _lines(place(git_dir, TAKEN))


def take(git_dir: str) -> int:
    """Take what waits; how many events. Until `done`, a killed worker loses none."""
    count = _lines(place(git_dir, TAKEN))
    try:
        os.replace(place(git_dir, SPOOL), place(git_dir, TAKEN))
    except OSError:
        return count
    return count + _lines(place(git_dir, TAKEN))


def done(git_dir: str) -> None:
    """What was taken is worked off."""
    _unlink(place(git_dir, TAKEN))


def _lines(path: str) -> int:
    try:
        with open(path, "rb", opener=plain) as file:
            return file.read(1 << 20).count(b"\n")
    except OSError:
        return 0


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


# -- the lock -------------------------------------------------------------------------------


@contextmanager
def locked(path: str, wait: bool = False) -> Iterator[bool]:
    """Whether this process is now the one; none is where the directory is gone.

    The file holds its id, and is gone afterwards.
    A lock on a file that is removed is a lock on nothing: who gets one looks
    whether the file it locked is still the file of that name.
    """
    import fcntl

    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            yield False
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            os.close(descriptor)
            yield False
            return
        try:
            if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                break
        except OSError:
            pass
        os.close(descriptor)
    try:
        with suppress(OSError):  # a full disk, or a pipe: the lock holds all the same, and `deinit` must make room
            os.truncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        yield True
    finally:
        _unlink(path)
        os.close(descriptor)


# -- the log --------------------------------------------------------------------------------


def write(git_dir: str, events: int, commit: str, changed: int, seconds: float, error: str = "") -> None:
    """Add a run to the log; a full disk is no reason to fail."""
    path = place(git_dir, LOG)
    run = Run(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), events, commit, changed, round(seconds, 3), error)
    try:
        if os.path.exists(path) and os.path.getsize(path) > _KEEP:
            os.replace(path, place(git_dir, OLD_LOG))
        line = json.dumps(run._asdict()).encode() + b"\n"
        with open(path, "ab+", opener=plain) as file:
            size = file.seek(0, os.SEEK_END)
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":  # a disk that was full cut the last one
                line = b"\n" + line
            file.write(line)
    except OSError:
        pass


def runs(git_dir: str) -> list[Run]:
    """The newest runs of the log, oldest first."""
    found = []
    try:
        with open(place(git_dir, LOG), "rb", opener=plain) as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - 65_536))
            lines = file.read().splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            found.append(Run(**json.loads(line)))
        except (ValueError, TypeError):
            continue  # cut off, or of another version
    return found


def activity(git_dir: str) -> Activity:
    """What the log and the spool say."""
    known = runs(git_dir)
    failures = 0
    for run in reversed(known):
        if not run.error:
            break
        failures += 1
    return Activity(known[-1] if known else None, waiting(git_dir), failures)
