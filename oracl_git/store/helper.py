"""Processes that read blobs beside this one, for a first index of much text.

Knows how batches go to them and come back, and that they are never needed: whatever is
wrong with one, its batch is read here, and the rest too. Whoever is free takes the next
batch, this process too while it has nothing to write; one batch at a time is on its way
to each, so a pipe that is full stops nobody and memory stays flat; answers are taken in
the order of the batches, so nothing depends on who was faster. They end when their
input does, or when their parent is gone. Knows nothing of what is read.
"""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, Any

from .facts import Row, Said, extracted

Piece = tuple[str, list[str], bytes | None]  # blob, the languages it is read as, its bytes
Answer = list[tuple[Row, Said | None]]  # in the order of a piece's languages; none when its bytes are missing

WORTH = 1 << 22  # bytes from which another process pays: a smaller text is read while it starts
_MOST = 3  # processes: what they find is written by this one alone
_BATCH = 1 << 19  # bytes, and …
_PIECES = 256  # … pieces of a batch
_AHEAD = 4  # batches that are read, or wait to be, for each process
_SIZE = 8  # bytes of a length
_LARGEST = 1 << 30  # bytes of a message: what says it is longer is none of ours
# Modules are found where the parent finds them: what lies in the current directory is none.
_RUN = "import sys; sys.path[:] = sys.argv[1:]; from oracl_git.store.helper import serve; serve()"


def read_all(pieces: Iterable[Piece], size: int) -> Iterator[tuple[Piece, Answer]]:
    """What each piece says, in order; `size` is about how many bytes they are."""
    count = min(_MOST, _cores() - 1, size // WORTH) if size >= WORTH else 0
    if count < 1:
        yield from ((piece, _read(piece)) for piece in pieces)
        return
    work = _Work(pieces, count)
    try:
        yield from work.answers()
    finally:
        work.close()


def _cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read(piece: Piece) -> Answer:
    _, languages, data = piece
    return [] if data is None else [extracted(data, language) for language in languages]


class _Batch:
    """Some pieces, and what they say once somebody has read them."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.answers: list[Answer] | None = None


def _batches(pieces: Iterable[Piece]) -> Iterator[_Batch]:
    batch: list[Piece] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece[2] or b"")
        if size >= _BATCH or len(batch) >= _PIECES:
            yield _Batch(batch)
            batch, size = [], 0
    if batch:
        yield _Batch(batch)


class _Work:
    """Batches in order, and who reads them."""

    def __init__(self, pieces: Iterable[Piece], count: int) -> None:
        self._batches = _batches(pieces)
        self._ahead: deque[_Batch] = deque()  # those whose answers were not given yet, in order
        self._open: deque[_Batch] = deque()  # those of them that nobody has begun
        self._helpers: dict[int, _Helper] = {}  # by what they answer through
        self._poll = select.poll()
        for helper in filter(None, (_start() for _ in range(count))):
            self._helpers[helper.number] = helper
            self._poll.register(helper.number, select.POLLIN)

    def answers(self) -> Iterator[tuple[Piece, Answer]]:
        """What each piece says, in order; between any two of them whoever has finished gets more to do."""
        while self._fetch():
            self._deal()
            if self._ahead[0].answers is not None:
                batch = self._ahead.popleft()
                for pair in zip(batch.pieces, batch.answers or (), strict=True):
                    yield pair
                    self._deal()
            elif self._open:
                batch, answers = self._open.popleft(), []
                for piece in batch.pieces:
                    answers.append(_read(piece))
                    self._deal()
                batch.answers = answers
            else:  # all is with the others
                self._deal(wait=True)

    def _fetch(self) -> bool:
        """Have batches at hand for everybody; whether there are any."""
        while len(self._ahead) < _AHEAD * (len(self._helpers) + 1):
            batch = next(self._batches, None)
            if batch is None:
                break
            self._ahead.append(batch)
            self._open.append(batch)
        return bool(self._ahead)

    def _deal(self, wait: bool = False) -> None:
        """Take what the others have read, and give them more."""
        for number, _ in self._poll.poll(None if wait else 0):
            helper = self._helpers[number]
            batch, helper.batch = helper.batch, None
            answers = helper.receive()
            if batch is not None and answers is not None and len(answers) == len(batch.pieces):
                batch.answers = answers
            else:
                self._dismiss(helper, batch)
        if self._open:
            for helper in [each for each in self._helpers.values() if each.batch is None]:
                if self._open:
                    helper.batch = self._open.popleft()
                    if not helper.send(helper.batch.pieces):
                        self._dismiss(helper, helper.batch)

    def _dismiss(self, helper: _Helper, batch: _Batch | None) -> None:
        """Do without one that failed."""
        if batch is not None:
            self._open.appendleft(batch)
        self._poll.unregister(helper.number)
        del self._helpers[helper.number]
        helper.close()

    def close(self) -> None:
        """End the others."""
        for helper in self._helpers.values():
            helper.close()


def _start() -> _Helper | None:
    try:
        return _Helper()
    except OSError:  # no memory, no files, no processes left
        return None


class _Helper:
    """Another process, and the batch it reads. Raises OSError where none can be started."""

    def __init__(self) -> None:
        self.batch: _Batch | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _RUN, *filter(None, sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._take, self._give = self._process.stdout, self._process.stdin
        self.number = self._take.fileno()

    def send(self, pieces: list[Piece]) -> bool:
        """Give it a batch; it has answered the one before."""
        try:
            _put(self._give, [piece[1:] for piece in pieces])
        except OSError:
            return False
        return True

    def receive(self) -> list[Answer] | None:
        """What it made of its batch; None when it made nothing of it."""
        try:
            answers = _get(self._take)
            return answers and [[(row, None) for row in rows] for rows in answers]
        except (OSError, ValueError, EOFError, TypeError):
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
    packed = stream.read(size) if size <= _LARGEST else b""
    return marshal.loads(packed) if len(packed) == size else None
