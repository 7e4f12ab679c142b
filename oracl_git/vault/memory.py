"""What this clone has seen: the newest (seq, digest) of every chain, kept outside every tree.

Knows one small file, and that nothing in it ever goes back. Whoever rolls a chain
back cannot roll this back with it. Knows nothing of signatures.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .. import whole
from ..errors import Unverified
from ..git import Repository
from . import canonical

_FILE = "seen.json"
_LIMIT = 1 << 22
_PATIENCE = 10.0  # seconds for another process
_ROW = re.compile(r"(\d{1,18}):([0-9a-f]{64}):([0-9a-f]{40}|[0-9a-f]{64})")
_HINT = "git oracl verify --memory FILE keeps it elsewhere"


class Seen(NamedTuple):
    """The newest of one chain."""

    seq: int
    digest: str  # SHA-256 of its payload
    oid: str  # the chain's commit


def place(repo: Repository) -> str:
    """Where the memory of a repository lies."""
    return os.path.join(repo.common_dir, "oracl", _FILE)


def read(path: str) -> dict[str, Seen]:
    """Chain ("key id/writer") → its newest. Raises Unverified (16) for a file that cannot be understood."""
    try:
        with open(path, "rb", opener=whole.plain) as file:
            data = file.read(_LIMIT)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Unverified(
            Unverified.UNCHECKED, f"what was seen before cannot be read from {path}: {error.strerror}", _HINT
        ) from None
    try:
        return {name: _row(text) for name, text in canonical.loads(data.rstrip(b"\n")).items()}
    except (canonical.NotCanonical, AttributeError, TypeError, ValueError):
        raise Unverified(
            Unverified.UNCHECKED, f"{path} is damaged: what was seen before is not known",
            f"compare the chains with another clone's, then: rm {path}",
        ) from None  # fmt: skip


def _row(text: str) -> Seen:
    match = _ROW.fullmatch(text)
    if match is None:
        raise ValueError
    return Seen(int(match[1]), match[2], match[3])


def remember(path: str, news: dict[str, Seen]) -> None:
    """Add what was seen; a higher sequence beats a lower one, whoever writes last. Raises Unverified (16)."""
    try:
        with locked(path + ".lock"):
            known = read(path)
            merged = {**known, **{n: s for n, s in news.items() if n not in known or s.seq >= known[n].seq}}
            if merged == known:
                return
            rows = {name: f"{seen.seq}:{seen.digest}:{seen.oid}" for name, seen in merged.items()}
            whole.write(path, canonical.dumps(rows) + b"\n")
    except OSError as error:
        raise Unverified(
            Unverified.UNCHECKED, f"what was seen cannot be kept in {path}: {error.strerror}", _HINT
        ) from None


@contextmanager
def locked(path: str) -> Iterator[None]:
    """One process at a time. Raises Unverified (16) after waiting in vain."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Unverified(
                        Unverified.UNCHECKED, f"another process holds {path}", "wait for it, then try again"
                    ) from None
                time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)
