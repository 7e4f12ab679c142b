"""Who may open a database, and who may take one away, at the same time: never both.

SQLite finds a database's journals by name, when it opens the database and again when
it closes it. One whose file was put away and made anew in between has another's: it
reads what is not its own, and takes away what another has just written. So whoever
opens or closes one holds its directory together with others, and whoever takes one
away holds it alone. In between nothing is held: what is open goes on to the end with
files that have no name any more. Who reads a file, and writes it again with a change, holds its
directory alone too, so that of two who do no change is lost. Knows nothing of what is in a file.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

JOURNALS = ("-wal", "-shm", "-journal")
_UNLOCKED = -1
_TRIES = 9  # to delete a directory that others write into: a log, a lock


class Guarded(sqlite3.Connection):
    """A connection that closes while nobody takes its file away. `place` is the file.

    `replaced` is what was the matter with one that had to be taken away to make it, or "".
    """

    place = ""
    replaced = ""

    def close(self) -> None:
        with together(self.place):
            self.drop()

    def drop(self) -> None:
        """Close it, for who holds the directory anyway."""
        super().close()


@contextmanager
def together(path: str, make: bool = False) -> Iterator[None]:
    """While a database is opened or closed; with `make` its directory is made where there is none (OSError)."""
    with _held(os.path.dirname(path), fcntl.LOCK_SH, make):
        yield


@contextmanager
def alone(path: str, make: bool = False) -> Iterator[bool]:
    """While a database is taken away: nobody opens or closes one that lies beside it.

    Nor does another take it away, and with it what the first has made in its place. False where
    there is no directory: one that is made since is not held, so nothing may be taken away.
    """
    with _held(os.path.dirname(path), fcntl.LOCK_EX, make) as there:
        yield there


@contextmanager
def _held(directory: str, how: int, make: bool) -> Iterator[bool]:
    descriptor = _locked(directory, how, make)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None and descriptor != _UNLOCKED:
            os.close(descriptor)


def _locked(directory: str, how: int, make: bool) -> int | None:
    """A descriptor that holds a directory; None where there is none, _UNLOCKED where it cannot be held."""
    while True:
        if make:
            _make(directory)
        try:
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            if make:
                continue  # taken away since it was made
            return None
        except OSError:
            return _UNLOCKED
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, how)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(directory)):
                return descriptor
        os.close(descriptor)  # taken away while we waited: it may have been made anew


def _make(directory: str) -> None:
    try:
        os.makedirs(directory, exist_ok=True)
    except FileExistsError:
        if os.path.lexists(directory) and not os.path.isdir(directory):
            raise  # and else another was faster


def taken_back(error: sqlite3.DatabaseError, uri: str) -> bool:
    """Whether a reader failed as a killed process left a change half made, which is undone now.

    It is so while a file is made, before it has a WAL; readers must not undo it themselves.
    """
    if getattr(error, "sqlite_errorname", "") != "SQLITE_READONLY_ROLLBACK":
        return False
    with closing(sqlite3.connect(f"{uri}?mode=rw", uri=True)) as db:
        db.execute("PRAGMA user_version")
    return True


def remove(path: str) -> None:
    """Delete a database and its journals. The caller holds their directory alone, or is alone anyway."""
    for suffix in ("", *JOURNALS):
        try:
            os.unlink(path + suffix)
        except FileNotFoundError:
            pass
        except OSError:
            if not os.path.isdir(path + suffix):
                raise
            from shutil import rmtree

            rmtree(path + suffix)


def remove_all(directory: str) -> None:
    """Delete a directory with all databases in it, and whatever else, also while others write and delete there."""
    from shutil import rmtree

    with alone(os.path.join(directory, "")) as there, suppress(FileNotFoundError):
        if not there:
            return
        found = os.stat(directory)
        for last in (*[False] * _TRIES, True):
            try:
                rmtree(directory)
            except OSError as error:
                if last or error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                    raise
            if not os.path.samestat(found, os.stat(directory)):
                return  # one that was made since
