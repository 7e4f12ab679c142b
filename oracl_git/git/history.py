"""What happened before a commit: which commits it reaches and what each touched.

Knows how to list commits and to read them: parents, time, words, touched paths.
Knows nothing of trees or contents, and keeps nothing: the caller remembers which
commits it has read already, and asks for the others only.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from oracl_git.errors import MissingObjects
from oracl_git.git.run import Stream, git, refill
from oracl_git.whole import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oracl_git.git.repository import Repository

# Beyond this many candidates on either side git looks for exact renames only, so
# that a commit which moves the world costs no more than any other.
RENAME_LIMIT = 400

_BATCH = 20_000
_LAST = 253_402_300_799  # the year 9999: git keeps 64 bits of what a committer claims, calendars end before
_BY_CONTENT = "-M"
_EXACT = "-M100%"  # compares ids only, so it needs no blob

_TRAILERS = ("cc:", "change-id:", "git-svn-id:", "reviewed-on:", "(cherry picked from")


class Touched(NamedTuple):
    """One path a commit touched; `source` is the old path of a rename, else empty."""

    path: bytes
    status: str
    source: bytes


class Commit(NamedTuple):
    """One commit: `body` is the first paragraph after the subject, trailers left out."""

    oid: str
    parents: tuple[str, ...]
    time: int
    subject: str
    body: str
    touched: tuple[Touched, ...]


def reachable(repo: Repository, commit: str, limit: int) -> list[str]:
    """The newest `limit` commits reachable from one, itself first."""
    return git(repo, "rev-list", f"--max-count={limit}", commit, "--").decode("ascii").split()


def is_linear_extension(repo: Repository, old: str, new: str, limit: int) -> list[str] | None:
    """The commits after `old` up to `new`, newest first, if they are one line of at most `limit`."""
    if old == new:
        return []
    found: list[str] = []
    options = (f"--max-count={limit + 1}", "--parents", "--first-parent")
    with Stream(repo, "rev-list", *options, new, "--") as stream:
        for line in stream.stdout:
            oid, *parents = line.decode("ascii").split()
            if oid == old:
                return found  # the rest of the walk is not waited for
            if len(parents) != 1:
                return None
            found.append(oid)
        stream.finish()
    return None


def commits(repo: Repository, oids: Iterable[str]) -> Iterator[Commit]:
    """Read exactly these commits, in this order.

    A merge touches nothing: what it brings was touched by the commits it merges.
    Neither does a commit at the edge of a shallow clone, whose parents are not here
    to compare with. Renames are found by content where the blobs are here; where
    one is not (a partial clone), by identity from that commit on.
    """
    edge = shallow_edge(repo)
    rest = iter(oids)
    while batch := list(islice(rest, _BATCH)):
        renames = _BY_CONTENT
        while batch:
            read = 0
            try:
                for commit in _read(repo, batch, renames, edge):
                    read += 1
                    yield commit
            except MissingObjects:
                if renames == _EXACT:
                    raise
                renames = _EXACT
            batch = batch[read:]


def _read(repo: Repository, oids: list[str], renames: str, edge: frozenset[str]) -> Iterator[Commit]:
    options = ("--stdin", "--root", "--always", "-r", "-z", "--raw", "--no-abbrev", renames)
    form = ("--encoding=UTF-8", "--format=%H%x00%P%x00%ct%x00%B")
    plain = (f"-l{RENAME_LIMIT}", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
    # A commit given with a parent is compared with that one instead of its own. At
    # the edge of a shallow clone: with itself, not with nothing, which is "all is new".
    wanted = "".join([f"{oid} {oid}\n" if oid in edge else f"{oid}\n" for oid in oids])
    with Stream(repo, "diff-tree", *options, *form, *plain, input=wanted.encode("ascii")) as stream:
        records = stream.records()
        record = next(records, None)
        for oid in oids:
            if record is None:
                stream.finish()
            if record != oid.encode("ascii"):  # git passes over a commit that it does not have
                raise MissingObjects(f"commit {oid} is not in this clone", refill(repo))
            parents, time, message = next(records, b""), next(records, b""), next(records, None)
            touched = []
            while (record := next(records, None)) is not None and record.lstrip(b"\n")[:1] == b":":
                status = chr(record[record.rindex(b" ") + 1])
                path, source = next(records, b""), b""
                if status in "RC":
                    path, source = next(records, b""), path
                touched.append(Touched(path, status, source))
            if record is None:
                stream.finish()  # if git died here, this commit is not whole
            if message is None:
                raise stream.failed()
            subject, body = split_message(message.decode("utf-8", "replace"))
            names = () if oid in edge else tuple(parents.decode("ascii").split())
            when = int(time or b"0")  # git says nothing where it can make nothing of what the commit says
            yield Commit(oid, names, min(when, _LAST), subject, body, tuple(touched))


def split_message(message: str) -> tuple[str, str]:
    """Subject, and the first paragraph after it without its trailers."""
    paragraphs: list[list[str]] = [[]]
    for line in message.split("\n"):
        text = line.strip()
        if text:
            paragraphs[-1].append(text)
        elif paragraphs[-1]:
            if len(paragraphs) == 2:
                break
            paragraphs.append([])
    subject = " ".join(paragraphs[0])
    body = [line for line in paragraphs[1] if not _is_trailer(line)] if len(paragraphs) > 1 else []
    return subject, "\n".join(body)


def _is_trailer(line: str) -> bool:
    """Whether a line names who was involved, rather than what was done."""
    key = line.lower()
    if key.startswith(_TRAILERS):
        return True
    name, colon, _ = key.partition(":")
    return bool(colon) and name.endswith("-by") and " " not in name


def shallow_state(repo: Repository) -> str:
    """A name for how deep this clone is: changes when it is deepened or made shallower."""
    edge = shallow_edge(repo)
    return f"{len(edge)}:{min(edge)}:{max(edge)}" if edge else ""


def shallow_edge(repo: Repository) -> frozenset[str]:
    """The commits whose parents this clone pretends they do not have."""
    if not repo.shallow:
        return frozenset()
    try:
        with open(os.path.join(repo.common_dir, "shallow"), encoding="ascii", opener=plain) as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()
