"""A second process that reads blobs beside this one, for a first index of much text.

Knows how batches go to it and come back, and that it is never needed: whatever is
wrong with it, its batch is read here, and the rest too. One batch at a time is on
its way, so a pipe that is full stops nobody and memory stays flat; answers are
taken in the order of the batches, so nothing depends on who was faster. It ends
when its input does, or when its parent is gone. Knows nothing of what is read.
"""

from __future__ import annotations

import gc
import marshal
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, Any

from .facts import Row, Said, extracted

Piece = tuple[str, list[str], bytes | None]  # blob, the languages it is read as, its bytes
Answer = list[tuple[Row, Said | None]]  # in the order of a piece's languages; none when its bytes are missing

WORTH = 1 << 22  # bytes from which a second process pays: a smaller text is read while one starts
_BATCHES = (1 << 20, 1 << 19)  # bytes of its batches and of ours: we write the rows, too
_PIECES = 256  # of a batch
_SIZE = 8  # bytes of a length
# Modules are found where the parent finds them: what lies in the current directory is none.
_RUN = "import sys; sys.path[:] = sys.argv[1:]; from oracl_git.store.helper import serve; serve()"


def read_all(pieces: Iterable[Piece], size: int) -> Iterator[tuple[Piece, Answer]]:
    """What each piece says, in order; `size` is about how many bytes they are."""
    if size < WORTH or _cores() < 2:
        yield from ((piece, _read(piece)) for piece in pieces)
        return
    helper = _Helper()
    try:
        batches = _batches(pieces)
        theirs = next(batches, [])
        sent = helper.send(theirs)
        while theirs:
            ours = next(batches, [])
            answers: Iterable[Answer] = [_read(piece) for piece in ours] if sent else map(_read, ours)
            said = helper.receive(theirs) if sent else map(_read, theirs)
            following = next(batches, [])
            sent = helper.send(following)  # it reads while the rows of these are written
            yield from zip(theirs, said, strict=True)
            yield from zip(ours, answers, strict=True)
            theirs = following
    finally:
        helper.close()


def _cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read(piece: Piece) -> Answer:
    _, languages, data = piece
    return [] if data is None else [extracted(data, language) for language in languages]


def _batches(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Batches of whole pieces, by turns of their size and of ours."""
    batch: list[Piece] = []
    size = turn = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece[2] or b"")
        if size >= _BATCHES[turn] or len(batch) >= _PIECES:
            yield batch
            batch, size, turn = [], 0, 1 - turn
    if batch:
        yield batch


class _Helper:
    """The other process, as long as it works."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _RUN, *filter(None, sys.path)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError:  # no memory, no files, no processes left
            pass

    def send(self, batch: list[Piece]) -> bool:
        """Give it a batch; it has answered the one before."""
        if not batch or self._process is None or self._process.stdin is None:
            return False
        try:
            _put(self._process.stdin, [piece[1:] for piece in batch])
        except OSError:
            self.close()
            return False
        return True

    def receive(self, batch: list[Piece]) -> list[Answer]:
        """What it made of the batch; read here when it made nothing of it."""
        try:
            if self._process is not None and self._process.stdout is not None:
                answers = _get(self._process.stdout)
                if answers is not None:
                    return [[(row, None) for row in rows] for rows in answers]
        except (OSError, ValueError, EOFError):
            pass
        self.close()
        return [_read(piece) for piece in batch]

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what waits to be written has no reader
                        stream.close()
            process.wait()


def serve() -> None:
    """Answer batches until there are no more."""
    gc.disable()  # as in an update
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is the parent's to handle, and ends our input
    parent = os.getppid()
    take, give = sys.stdin.buffer, sys.stdout.buffer
    while (batch := _get(take)) is not None:
        answers = []
        for languages, data in batch:
            if os.getppid() != parent:
                return
            answers.append([row for row, _ in _read(("", languages, data))])
        _put(give, answers)


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
    packed = stream.read(size)
    return marshal.loads(packed) if len(packed) == size else None
