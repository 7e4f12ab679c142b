"""What was asked, kept on this machine: `$GIT_DIR/oracl/search_history.jsonl`.

Knows the record of one query, how the last one is found again, and which session a record
belongs to. Never leaves the machine, never fails a query, stops with
`git config oracl.telemetry false`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .whole import plain

_FALSE = ("false", "no", "off", "0")
_KEEP = 4 << 20  # bytes; a larger file is rotated once
_TAIL = 1 << 18  # bytes in which the last question is looked for
_LONGEST = 4_000  # characters of a question that are kept
_RESULTS = 20  # that can be opened by number
_COST_PER_SECOND = 1.2e-5  # US dollars of one core, for the estimated cost
_PATIENCE = 1.0  # seconds a record waits for others; one that waited in vain is lost
_NAME = 200  # bytes of the file that names the session
QUESTIONS = ("search", "related", "context", "node", "neighbours")  # classes of records that have results


def place(git_dir: str) -> str:
    """The history file of a worktree."""
    return os.path.join(git_dir, "oracl", "search_history.jsonl")


def enabled(settings: dict[str, str]) -> bool:
    """Whether `oracl.telemetry` allows a record."""
    return settings.get("oracl.telemetry", "true").lower() not in _FALSE


def session_place(git_dir: str) -> str:
    """The file that names the session which goes on in a worktree (`git oracl session start`)."""
    return os.path.join(git_dir, "oracl", "session")


def session(git_dir: str) -> str:
    """The session that was named: by ORACL_SESSION, else by `git oracl session start`; "" when none was."""
    named = os.environ.get("ORACL_SESSION")
    if named is None:
        with suppress(OSError), open(session_place(git_dir), "rb") as file:
            named = file.read(_NAME).decode("utf-8", "replace").strip()
    return named or ""


def resident() -> int:
    """This process's memory now, in bytes (0 where the system does not say)."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def record(
    git_dir: str, kind: str, raw: object, parsed: object, results: list[tuple[str, str]], named: str = "",
    **figures: float,
) -> None:  # fmt: skip
    """Append one record; any failure is silent. `results` are (path, fragment); `named`: the session, if not that."""
    latency = figures.get("latency_ms", 0.0)
    row = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "class": kind,
        "query": raw[:_LONGEST] if isinstance(raw, str) else raw,
        "parsed": parsed,
        "count": figures.pop("total", len(results)),
        **figures,
        "cost_usd": round(latency / 1000 * _COST_PER_SECOND, 9),
        "session": _session(git_dir, named),
        "results": [path for path, _ in results[:_RESULTS]],
        "fragments": [fragment for _, fragment in results[:_RESULTS]],
    }
    _append(git_dir, row)


def opened(git_dir: str, query: object, path: str, rank: int) -> None:
    """Append the choice a person made among the results of a query."""
    _append(git_dir, {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "class": "open", "query": query, "path": path,
        "rank": rank, "session": _session(git_dir),
    })  # fmt: skip


def read(git_dir: str, path: str, fragment: str, named: str = "") -> None:
    """Append that a program read a file or lines of it: no choice of a person's, so nothing is learned from it."""
    _append(git_dir, {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "class": "read", "path": path,
        "fragment": fragment, "session": _session(git_dir, named),
    })  # fmt: skip


def _session(git_dir: str, named: str = "") -> str:
    return named or session(git_dir) or str(os.getppid())


def _append(git_dir: str, row: dict[str, object]) -> None:
    try:
        path = place(git_dir)
        if os.path.exists(path) and os.path.getsize(path) > _KEEP:
            os.replace(path, path + ".1")
        line = json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n"
        descriptor = _log(path)
        try:
            size = os.fstat(descriptor).st_size
            whole = not size or os.pread(descriptor, 1, size - 1) == b"\n"  # a disk that was full may have cut the last
            os.write(descriptor, line.encode() if whole else b"\n" + line.encode())
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        pass


def _log(path: str, patience: float = _PATIENCE) -> int:
    """The log, locked: whoever forgets a session puts another file in its place. Raises OSError."""
    import fcntl

    until = time.monotonic() + patience
    while True:
        descriptor = plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.exists(path) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(descriptor)
                raise
            time.sleep(0.002)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def forget(git_dir: str, name: str) -> int:
    """Take all records of a session out of the log; how many. Raises OSError."""
    from . import whole

    gone = 0
    for path in (place(git_dir) + ".1", place(git_dir)):
        if not os.path.exists(path):
            continue
        descriptor = _log(path, 10 * _PATIENCE)
        try:
            with open(path, "rb") as file, whole.replacing(path, 0o600) as anew:
                for line in file:
                    if _is_of(line, name):
                        gone += 1
                    else:
                        anew.write(line)
        finally:
            os.close(descriptor)
    return gone


def of_session(git_dir: str, name: str) -> Iterator[dict[str, Any]]:
    """The records of a session, oldest first."""
    for line in lines(git_dir):
        if _is_of(line, name):
            yield json.loads(line)


def _is_of(line: bytes, name: str) -> bool:
    if json.dumps(name).encode() not in line:  # most are not, and need not be understood
        return False
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and row.get("session") == name


def lines(git_dir: str) -> Iterator[bytes]:
    """All records, oldest first, as they stand."""
    for name in (place(git_dir) + ".1", place(git_dir)):
        try:
            with open(name, "rb", opener=plain) as file:
                yield from file
        except OSError:
            continue


def last(git_dir: str) -> dict[str, Any] | None:
    """The newest query that had results."""
    try:
        with open(place(git_dir), "rb", opener=plain) as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL))
            tail = file.read().split(b"\n")
    except OSError:
        tail = []
    # It may be longer than that, or have been put aside with the file just now.
    return _newest(tail) or _newest(list(lines(git_dir)))


def _newest(rows: list[bytes]) -> dict[str, Any] | None:
    for line in reversed(rows):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and row.get("results") and row.get("class") in QUESTIONS:
            return row
    return None
