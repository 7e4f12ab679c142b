"""What a process is given by whoever started it, made to be relied on: its streams, one signal, files and memory.

Knows that a stream may be set not to wait (a parent that runs on events shares its pipes so), may
take half of what it is given, or may be gone; and that where the death of children is ignored,
nobody learns how they ended. Knows nothing of what is read or said.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .errors import Shortage

_ECHO = 1.0  # seconds in which a second signal is the first one once more
_told: float | None = None  # when this process was told to end
_CHECK = 1 << 24  # bytes that SQLite may take to check a file
THREAD = 1 << 25  # bytes without which no thread is started: one that finds none hangs, and the process with it
_FILES = 5  # that one database may have open: itself, its directory, its journals


class Lost(OSError):
    """stdin cannot be read, or stdout cannot be written. `filename` is which."""


class _Patient(io.RawIOBase):
    """A descriptor that is waited for where it says that it is not ready."""

    def __init__(self, descriptor: int, keep: object = None) -> None:
        self._descriptor = descriptor
        self._keep = keep  # who would close the descriptor when nobody holds it

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def _wait(self, event: int) -> None:
        poll = select.poll()
        poll.register(self._descriptor, event)
        poll.poll()


class _Input(_Patient):
    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        while True:
            try:
                data = os.read(self._descriptor, len(view))
            except BlockingIOError:
                self._wait(select.POLLIN)
            except OSError as error:
                raise Lost(error.errno, error.strerror, "stdin") from error
            else:
                view[: len(data)] = data
                return len(data)


class _Output(_Patient):
    """What cannot be written is said once, and then nothing more is tried: not at the end of the process, either."""

    lost: OSError | None = None
    unsure: OSError | None = BrokenPipeError()  # what an interruption leaves behind

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        try:
            return self._write(data)
        except BrokenPipeError as error:
            self.lost = error
            self.complain(error)
        except OSError as error:
            self.lost = Lost(error.errno, error.strerror, "stdout")
            self.complain(self.lost)
        except BaseException:  # an interruption: nobody knows what was written, and nothing is to be written twice
            self.lost = self.unsure
            raise
        return memoryview(data).nbytes

    def _write(self, data: Buffer) -> int:
        while self.lost is None:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                self._wait(select.POLLOUT)
        return memoryview(data).nbytes

    def complain(self, error: OSError) -> None:
        raise error


class _Talk(_Output):
    """An answer does not depend on whether anybody hears what is said beside it."""

    unsure = None  # why there is no answer is said all the same

    def complain(self, error: OSError) -> None:
        pass


def output(descriptor: int) -> BinaryIO:
    """A stream that writes all it is given to a descriptor, or raises BrokenPipeError or Lost."""
    return io.BufferedWriter(_Output(descriptor))


def streams() -> None:
    """Have stdin, stdout and stderr wait, and write all they are given; one that is closed is /dev/null."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # nothing else may take its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for name, kind in (("stdin", _Input), ("stdout", _Output), ("stderr", _Talk)):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        raw = getattr(stream.buffer, "raw", stream.buffer)
        # A terminal that lacks a character must not end us.
        errors = stream.errors if kind is _Input else "backslashreplace"
        if not isinstance(raw, io.FileIO):
            stream.reconfigure(errors=errors)
            continue
        patient = kind(raw.fileno(), stream)
        buffer = io.BufferedReader(patient) if kind is _Input else io.BufferedWriter(patient)
        lines = stream.line_buffering or stream.write_through
        setattr(sys, name, io.TextIOWrapper(cast(BinaryIO, buffer), stream.encoding, errors, line_buffering=lines))


def finish() -> None:
    """Write what stdout still holds. Raises what it lost, also where somebody passed over that: argparse does."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, _Output) and raw.lost:
        raise raw.lost


def signals() -> None:
    """Learn how children end: a failure would be taken for success."""
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def last_words() -> None:
    """Say nothing of a lack of memory beside the one sentence: it is met again wherever something is given back."""
    usual = sys.unraisablehook

    def tell(met: sys.UnraisableHookArgs) -> None:
        if met.exc_type is not MemoryError:
            usual(met)

    sys.unraisablehook = tell


class Ended(BaseException):
    """Somebody ends this process: what it made for itself goes first. `args` is the number of the signal."""


def endings(raised: bool = True) -> None:
    """Have the signals that end a process raise Ended, or KeyboardInterrupt, once; or not.

    One ^C may come twice: from the terminal, and from the git that started us.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # no other may say what a signal does
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        replaced = (usual, signal.SIG_DFL) if raised else (_end,)
        if signal.getsignal(number) in replaced:  # a parent may have it ignored: nohup
            signal.signal(number, _end if raised else usual)


def _end(number: int, frame: object) -> None:
    global _told
    if _told is None:
        _told = time.monotonic()
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)
    if time.monotonic() - _told > _ECHO:
        die(number)


def die(number: int) -> None:
    """End as a signal ends a process, for whoever looks how it ended."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def too_many_files() -> Shortage | None:
    """What is lacking where no more files can be opened, which is not told when SQLite, or a loop of events, fails."""
    from .errors import shortage  # what a process needs that has not enough

    with ExitStack() as stack:
        try:
            for _ in range(_FILES):
                stack.enter_context(open(os.devnull, "rb"))
        except OSError as error:
            return shortage(error)
    return None


def require_memory(size: int = _CHECK) -> None:
    """Raise Shortage where this process may not take so many bytes more.

    Whoever has SQLite check a file asks first: to it a page that found no memory looks broken.
    """
    from .errors import shortage

    try:
        import mmap

        mmap.mmap(-1, size).close()
    except (OSError, ImportError) as error:
        raise shortage(error) or error from None
