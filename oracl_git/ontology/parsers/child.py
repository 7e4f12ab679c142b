"""A process that reads, seen from outside: started when needed, kept, ended when it misbehaves.

Knows how long it may take and that its answer is not to be trusted: it speaks of hostile
files. Whatever happens to it, the caller gets sections or Refused. Knows no format.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Mapping

from .files import File
from .formats import Format
from .model import KINDS, About, Limits, Refused, Section
from .worker import request

_FILES = 200  # read by one process before a new one takes over, so that memory stays low
_PATIENCE = 4.0  # wall seconds for each CPU second: the machine may be busy
_START = 20.0  # wall seconds on top
_CHUNK = 1 << 16
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE", re.IGNORECASE)  # in names of variables
# -P: a directory of the user's is no place for modules. Our own is appended, behind the library.
_RUN = "import sys; sys.path.append(sys.argv[1]); from oracl_git.ontology.parsers.worker import main; main(%s)"
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Gone(Refused):
    """The process had ended before it was given the file."""

    def __init__(self) -> None:
        super().__init__("crashed", "the process that should read it cannot be started, or ends at once")


class Child:
    """One reader's process."""

    def __init__(self, programs: bool) -> None:
        self._socket, theirs = socket.socketpair()
        self.owner, self.served, self.broken = os.getpid(), 0, False
        flags = ["-P", *(["-E"] if sys.flags.ignore_environment else []), *(["-s"] if sys.flags.no_user_site else [])]
        with theirs:
            self._process = _start([sys.executable, *flags, "-c", _RUN % programs, _ROOT], theirs.fileno())

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def fit(self) -> bool:
        """Whether it may be given another file."""
        return not self.broken and self.served < _FILES and self.owner == os.getpid() and self._process.poll() is None

    def read(self, form: Format, file: File, about: About, limits: Limits) -> Iterator[Section]:
        """The sections of a file; what it is about is filled in at the end."""
        self.served += 1
        self.broken = True  # until it has answered to the end
        seconds = limits.cpu_seconds + limits.cpu_seconds_per_mib * file.size / (1 << 20)
        deadline = time.monotonic() + _START + _PATIENCE * seconds * form.patience
        try:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            socket.send_fds(self._socket, [request(form.name, about.suffix, file.size, limits)], [file.fd])
        except OSError as error:
            raise Gone() from error
        try:
            for line in self._lines(deadline, limits):
                said = _understand(line, about)
                if isinstance(said, Section):
                    yield said
                    continue
                # After too large a file its memory is not what it was: the next one gets a new process.
                self.broken = said is not None and said.reason_code == "too_large"
                if said is not None:
                    raise said
                return
        except OSError as error:
            raise self._died() from error
        raise self._died()

    def _lines(self, deadline: float, limits: Limits) -> Iterator[bytes]:
        rest, most = b"", limits.text_chars * 6 + _CHUNK  # JSON's longest escape of a character
        while len(rest) <= most:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                data = self._socket.recv(_CHUNK)
            except TimeoutError as error:
                raise Refused("timeout", "reading it took too long") from error
            if not data:
                return
            if b"\n" in data:
                first, *lines = (rest + data).split(b"\n")
                yield first
                rest = lines.pop()
                yield from lines
            else:
                rest += data
        raise Refused("too_large", "it holds more text than a document may")

    def _died(self) -> Refused:
        """Why there is no answer."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            code = 0
        if code == -signal.SIGXCPU:
            return Refused("timeout", "reading it took too long")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Refused("crashed", f"the process that read it ended ({name})")

    def end(self) -> None:
        """End the process, whatever it does."""
        self._socket.close()
        if self.owner == os.getpid():
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has ended
            self._process.wait()


def _start(command: list[str], stdin: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # what it starts ends with it; a ^C is the caller's
            env={**_open(os.environ), "OMP_THREAD_LIMIT": "1", "MALLOC_ARENA_MAX": "1"},
        )
    except OSError as error:
        raise Gone() from error


def _open(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment without what opens doors: who reads a hostile file has nothing to give away."""
    return {name: value for name, value in variables.items() if not _SECRET.search(name)}


def _understand(line: bytes, about: About) -> Section | Refused | None:
    """One line of the answer; None is the last one of a document."""
    try:
        kind, *rest = json.loads(line)
        if kind == "section" and rest[0] in KINDS:
            return Section(rest[0], str(rest[1]), int(rest[2]), str(rest[3]))
        if kind == "done":
            about.title, about.warnings = str(rest[0]), [str(one) for one in rest[1]]
            about.metadata = {str(key): str(value) for key, value in rest[2].items()}
            return None
        reason, message, hint = map(str, rest)
        answer = Refused(reason, message, hint)
        answer.status  # noqa: B018 — a reason that is not known is no answer
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise Refused("crashed", "the process that read it gave no sensible answer") from error
    return answer


_lock = threading.RLock()
_children: dict[bool, Child] = {}


def read(form: Format, file: File, about: About, limits: Limits) -> Generator[Section, None, None]:
    """Read a file in the process kept for it; one file at a time."""
    with _lock:
        try:
            yield from _with(_fit(form.programs), form, file, about, limits)
        except Gone:  # it was killed while it was idle
            yield from _with(_fit(form.programs), form, file, about, limits)


def _with(child: Child, form: Format, file: File, about: About, limits: Limits) -> Iterator[Section]:
    try:
        yield from child.read(form, file, about, limits)
    finally:
        if child.broken:
            child.end()
            _children.pop(form.programs, None)


def _fit(programs: bool) -> Child:
    """The process that is kept, or a new one."""
    child = _children.get(programs)
    if child is None or not child.fit:
        if child is not None:
            child.end()
        child = _children[programs] = Child(programs)
    return child


@atexit.register
def close() -> None:
    """End the processes that are kept."""
    with _lock:
        for child in _children.values():
            child.end()
        _children.clear()
