"""Sessions in refs of a remote: refs/oracl/sessions/KEY/ID, each a commit that holds one bundle.

Moves them with git alone, between this clone and a remote that it knows by name. Knows the ref and
the tree behind it. What comes is bytes, until `bundle` believes them; its refs are gone again then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import Unverified, UsageError
from ..git import Repository, open_objects, refs
from ..git.repository import config_values
from ..git.run import attempt
from ..vault.place import quiet_log, writer_id
from . import bundle

PREFIX = "refs/oracl/sessions/"
_INCOMING = "refs/oracl/incoming-sessions/"
_NAME = re.compile(r"([0-9a-f]{64})/([0-9a-f]{16})")
_FILE = "session.dsse.json"
_ATTEMPTS = 10
_NO_FAST_FORWARD = ("fetch first", "non-fast-forward", "stale info", "needs force")


class Incoming(NamedTuple):
    """What a remote has at one ref. It is there until the next one is asked for."""

    key_id: str
    session_id: str
    commit: str


def require_remote(repo: Repository, remote: str) -> None:
    """Raise UsageError for anything but the name of a remote of this repository."""
    if not any(config_values(repo, f"remote.{remote}.{key}") for key in ("url", "pushurl")):
        known = attempt(repo, "remote")[1].decode("utf-8", "replace").split()
        raise UsageError(f"{remote[:80]!r} is no remote of this repository",
                         f"one of: {' '.join(known)}" if known else "git remote add origin URL")  # fmt: skip


def _ref(name: str) -> str:
    return PREFIX + name.replace(".", "/")


def kept(repo: Repository, name: str) -> bytes:
    """The bundle that was sent last; empty where none was."""
    oid = refs.read_ref(repo, _ref(name))
    return read(repo, oid)[0] if oid else b""


def put(repo: Repository, name: str, data: bytes, commit: str) -> None:
    """Add a bundle to the ref of its session."""
    ref = _ref(name)
    for _ in range(_ATTEMPTS):
        old = refs.read_ref(repo, ref)
        tree = refs.write_tree(repo, [refs.blob_item(_FILE, refs.write_blob(repo, data))])
        new = refs.write_commit(repo, tree, old, "Session\n", refs.commit_time(repo, commit))
        if refs.move_ref(repo, ref, new, old):
            quiet_log(repo)
            return
    raise Unverified(Unverified.UNCHECKED, f"{ref} is moved by others all the time", "git oracl session push")


def push(repo: Repository, remote: str, name: str) -> tuple[str, str]:
    """(state, what the remote said) of sending the ref of a session, never by force."""
    (sent,) = refs.push(repo, remote, [_ref(name)])
    if sent.flag == "!":
        return ("rejected" if any(word in sent.text for word in _NO_FAST_FORWARD) else "refused"), sent.text
    return {"*": "new", " ": "updated", "=": "same"}.get(sent.flag, "refused"), sent.text


def fetch(repo: Repository, remote: str) -> Iterator[Incoming]:
    """What a remote has, one after the other; no ref of it stays."""
    place = f"{_INCOMING}{writer_id(repo)}/"
    try:
        refs.fetch(repo, remote, f"{PREFIX}*", f"{place}*")
        for ref, oid in refs.list_refs(repo, place):
            if match := _NAME.fullmatch(ref.removeprefix(place)):  # others are not ours
                yield Incoming(match[1], match[2], oid)
    finally:
        refs.delete_refs(repo, [name for name, _ in refs.list_refs(repo, place)])


def read(repo: Repository, commit: str) -> tuple[bytes, str]:
    """(the one file of a commit's tree, why there is none); one that is too long to be a bundle is not read."""
    code, out, _ = attempt(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{_FILE}")
    blob = out.decode("ascii", "replace").strip()
    if code:
        return b"", f"it holds no {_FILE}"
    with open_objects(repo) as objects:
        ((_, size),) = objects.sizes([blob])
        if size is None or size > bundle.LIMIT:
            return b"", "its bundle is not there" if size is None else f"it has {size:,} bytes"
        ((_, data),) = objects.blobs([blob])
    return data or b"", "" if data else "its bundle is no file"
