"""A process that reads blobs for another one.

Knows how batches go to it and what comes back: one at a time, so a pipe that is full stops
nobody and memory stays flat. It ends when its input does, when its parent is gone, or when what
it reads would take more memory than any file should. Knows nothing of what is read.
"""

from __future__ import annotations

import gc
import marshal
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from ..git.run import without_secrets
from .facts import Row, Said, extracted

Piece = tuple[str, list[str], bytes | None]  # blob, the languages it is read as, its bytes
Answer = list[tuple[Row, Said | None]]  # in the order of a piece's languages; none when its bytes are missing

_MEMORY = 1 << 30  # bytes beside what a process has: a parser that takes them has run away
_HARMLESS = 1 << 13  # bytes of a text that no parser runs away with
_SIZE = 8  # bytes of a length
_LARGEST = 1 << 30  # bytes of a message: what says it is longer is none of ours
# Modules are found where the parent finds them: what lies in the current directory is none.
_RUN = "import sys; sys.path[:] = sys.argv[1:]; from oracl_git.store.helper import serve; serve()"


def read_piece(piece: Piece, parse: bool = True) -> Answer:
    """What a piece says; `parse`: whether it is given to a parser.

    Ends the process where a parser would take more memory than any file should. Raises MemoryError where
    that much is not to be had: it says nothing of the file.
    """
    _, languages, data = piece
    if data is None:
        return []
    if len(data) <= _HARMLESS or not parse:
        return [extracted(data, language, parse) for language in languages]
    poor = is_poor()
    with _limited_memory():
        try:
            return [extracted(data, language) for language in languages]
        except MemoryError:
            if poor:
                raise
    return [extracted(data, language, parse=False) for language in languages]


def is_poor() -> bool:
    """Whether this process may not take the memory that a file may."""
    found = _memory()
    return found is not None and 0 <= found[1] < found[0]


def start() -> Helper | None:
    """A helper, or None where there is no memory, no file or no process left for one."""
    try:
        return Helper()
    except OSError:
        return None


class Helper:
    """Another process. Raises OSError where none can be started."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _RUN, *filter(None, sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=without_secrets(),
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._take, self._give = self._process.stdout, self._process.stdin
        self.number = self._take.fileno()  # of the pipe it answers through

    def send(self, pieces: list[Piece]) -> bool:
        """Give it a batch; it has answered the one before. False when it is gone."""
        try:
            _put(self._give, [piece[1:] for piece in pieces])
        except OSError:
            return False
        return True

    def receive(self, count: int) -> list[Answer] | None:
        """What it made of a batch of so many pieces: nothing when it could not read, None when it is gone."""
        try:
            answers = _get(self._take)
            if answers is not None and len(answers) in (0, count):
                return [[(row, None) for row in rows] for rows in answers]
        except (OSError, ValueError, EOFError, TypeError):
            pass
        return None

    def close(self) -> None:
        """End it."""
        self._process.kill()
        for stream in (self._give, self._take):
            with suppress(OSError):  # what waits to be written has no reader
                stream.close()
        self._process.wait()


def serve() -> None:
    """Answer batches until there are no more."""
    gc.disable()  # as in an update
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is the parent's to handle, and ends our input
    _leave_no_core()
    parent = os.getppid()
    # Not those of `sys`: where Python is told not to buffer, they write what fits and leave out the rest.
    with open(0, "rb", closefd=False) as take, open(1, "wb", closefd=False) as give:
        while (batch := _get(take)) is not None:
            answers = []
            try:
                for languages, data in batch:
                    if os.getppid() != parent:
                        return
                    answers.append([row for row, _ in read_piece(("", languages, data))])
            except (MemoryError, OSError, ImportError):  # whoever asked reads it, and says what is the matter
                answers.clear()
            _put(give, answers)


@contextmanager
def _limited_memory() -> Iterator[None]:
    """While this process gets little more memory than it has: a parser that asks for more ends it.

    Nothing is limited where the system does not tell what a process has.
    """
    before = _limit_memory()
    try:
        yield
    finally:
        if before:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, before)


def _limit_memory() -> tuple[int, int] | None:
    """Lower the limit; what it was before, or None where it cannot be told or lowered."""
    found = _memory()
    if found is None:
        return None
    import resource

    most, before, hard = found
    try:
        resource.setrlimit(resource.RLIMIT_AS, (min(most, before) if before >= 0 else most, hard))
    except (OSError, ValueError):
        return None
    return before, hard


def _memory() -> tuple[int, int, int] | None:
    """The bytes this process has and those that a file may take, and the limits there are; negative: none."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + _MEMORY
        return (most, *resource.getrlimit(resource.RLIMIT_AS))
    except (ImportError, OSError, ValueError):
        return None


def _leave_no_core() -> None:
    """What ends a helper is expected: no file is to be left of it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _put(stream: IO[bytes], value: list[Any]) -> None:
    packed = marshal.dumps(value)
    stream.write(len(packed).to_bytes(_SIZE, "little") + packed)
    stream.flush()


def _get(stream: IO[bytes]) -> list[Any] | None:
    """One value, or None at the end of the stream, a torn one too."""
    head = stream.read(_SIZE)
    if len(head) < _SIZE:
        return None
    size = int.from_bytes(head, "little")
    packed = stream.read(size) if size <= _LARGEST else b""
    return marshal.loads(packed) if len(packed) == size else None
