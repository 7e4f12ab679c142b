"""Who reads the blobs that no cache knows: this process, others beside it, and one that may die of what it reads.

Knows that for a first index of much text other processes pay, and that they are never needed.
Whoever is free takes the next batch, this process too while it has nothing to write; answers are
taken in the order of the batches, so nothing depends on who was faster. What a process died of
is read again, piece by piece, in one that may die of it too, and then without a parser. Knows
nothing of what is read.
"""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress

from ..whole import plain
from . import helper
from .helper import Answer, Helper, Piece, is_poor, read_piece

WORTH = 1 << 22  # bytes from which another process pays: a smaller text is read while it starts
_MOST = 3  # processes: what they find is written by this one alone
_BATCH = 1 << 19  # bytes, and …
_PIECES = 256  # … pieces of a batch
_AHEAD = 4  # batches that are read, or wait to be, for each process
_TRIES = 2  # deaths of a piece: one may be the work of somebody who ends processes


def read_all(pieces: Iterable[Piece], size: int, witness: Witness) -> Iterator[tuple[Piece, Answer]]:
    """What each piece says, in order; `size` is about how many bytes they are."""
    count = min(_MOST, _cores() - 1, size // WORTH) if size >= WORTH else 0
    work = _Work(pieces, max(0, count), witness)
    try:
        yield from work.answers()
    finally:
        work.close()
        witness.close()


def _cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Witness:
    """A file that names the blob which is being read: where a process died, the next one knows of what.

    `path` is where it lies; none is kept where that is "", or cannot be written.
    """

    _LENGTH = 64

    def __init__(self, path: str) -> None:
        self._file = -1
        self.suspect = ""  # the blob that the process before was reading when it died
        if path:
            with suppress(OSError):
                self._file = plain(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                self.suspect = os.read(self._file, self._LENGTH).decode("ascii", "replace").strip()

    def note(self, blob: str) -> None:
        """This blob is read next."""
        if self._file >= 0:
            with suppress(OSError):
                os.pwrite(self._file, blob.encode().ljust(self._LENGTH), 0)

    def close(self) -> None:
        """Nothing is read any more."""
        if self._file >= 0:
            file, self._file = self._file, -1
            with suppress(OSError):
                os.ftruncate(file, 0)
            os.close(file)


class _Batch:
    """Some pieces, and what they say once somebody has read them."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.answers: list[Answer] | None = None
        self.deadly = False  # whether somebody died of one of them


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

    def __init__(self, pieces: Iterable[Piece], count: int, witness: Witness) -> None:
        self._batches = _batches(pieces)
        self._witness = witness
        self._ahead: deque[_Batch] = deque()  # those whose answers were not given yet, in order
        self._open: deque[_Batch] = deque()  # those of them that nobody has begun
        self._given: dict[int, _Batch] = {}  # what is read by a helper, by its number
        self._helpers: dict[int, Helper] = {}
        self._poll = select.poll()
        for each in filter(None, (helper.start() for _ in range(count))):
            self._helpers[each.number] = each
            self._poll.register(each.number, select.POLLIN)

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
                self._read(self._open.popleft())
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

    def _read(self, batch: _Batch) -> None:
        """Read a batch here."""
        answers = []
        with _Guard() as guard:
            for piece in batch.pieces:
                if batch.deadly or piece[0] == self._witness.suspect:
                    answers.append(guard.read(piece))
                else:
                    self._witness.note(piece[0])
                    answers.append(read_piece(piece))
                self._deal()
        batch.answers = answers

    def _deal(self, wait: bool = False) -> None:
        """Take what the others have read, and give them more."""
        if not self._helpers:
            return
        for number, _ in self._poll.poll(None if wait else 0):
            batch = self._given.pop(number, None)
            answers = self._helpers[number].receive(len(batch.pieces)) if batch else None
            if batch and answers:
                batch.answers = answers
            else:
                self._dismiss(number, batch, deadly=answers is None)
        for number in self._helpers.keys() - self._given.keys():
            if not self._open or self._open[0].deadly:
                break
            batch = self._open.popleft()
            if self._helpers[number].send(batch.pieces):
                self._given[number] = batch
            else:
                self._dismiss(number, batch)

    def _dismiss(self, number: int, batch: _Batch | None, deadly: bool = True) -> None:
        """Do without one that failed; `deadly`: it died."""
        if batch is not None:
            batch.deadly = deadly
            self._open.appendleft(batch)
        self._poll.unregister(number)
        self._helpers.pop(number).close()

    def close(self) -> None:
        """End the others."""
        for each in self._helpers.values():
            each.close()


class _Guard:
    """Reads what a process died of, in one that may die of it, too."""

    def __init__(self) -> None:
        self._helper: Helper | None = None

    def __enter__(self) -> _Guard:
        return self

    def __exit__(self, *_: object) -> None:
        if self._helper:
            self._helper.close()

    def read(self, piece: Piece) -> Answer:
        """What a piece says; without a parser, when no process survives it; here, when there are no processes.

        Raises MemoryError when a process that survived it could not have had the memory it takes.
        """
        for _ in range(_TRIES):
            if self._helper is None:
                self._helper = helper.start()
                if self._asked([]) is None:  # it does not work at all
                    return read_piece(piece)
            answers = self._asked([piece])
            if answers is not None:
                return answers[0] if answers else read_piece(piece)
        if is_poor():
            raise MemoryError
        return read_piece(piece, parse=False)

    def _asked(self, pieces: list[Piece]) -> list[Answer] | None:
        """What the helper says, which is closed when it says nothing."""
        if self._helper is None:
            return None
        answers = self._helper.receive(len(pieces)) if self._helper.send(pieces) else None
        if answers is None:
            self._helper.close()
            self._helper = None
        return answers
