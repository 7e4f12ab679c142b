"""Refs of ours and the objects behind them: the only writes to a repository besides config.

Knows git's plumbing: a blob, a tree and a commit written by hand, a ref moved by
compare-and-swap, refs sent to and fetched from another repository. Touches no
index, no HEAD, no branch and no work tree; callers name refs below refs/oracl.
Knows nothing of what the objects mean.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from oracl_git.errors import GitFailed
from oracl_git.git.repository import Repository
from oracl_git.git.run import attempt, failure, git

# Whoever looks at the chain sees a program, at no time and of no place; an address
# that cannot exist. No signature of git's: who vouches is in the envelope.
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "oracl-git"), ("EMAIL", "oracl-git@invalid"))
}
_TRANSPORTS = "file:git:http:https:ssh"  # not ext::, which is a command
_BLOB, _TREE = "100644", "040000"
# What the reflog says of a commit that was made, as against one that was checked out, pulled or reset to.
_MADE = re.compile(
    r"commit\b|cherry-pick\b|revert\b|am\b"
    r"|(?:rebase|pull)\b.*\((?:pick|squash|fixup|reword|edit|continue)\)"
    r"|(?:merge|pull)\b.*: Merge made by"
)
_TIME = re.compile(rb"> (\d{1,18}) [+-]\d+$")
_REBASED = re.compile(r"(?:rebase|pull)\b.*\(finish\)")  # says nothing of whether anything was picked


class Item(NamedTuple):
    """One entry of one tree, as git stores it."""

    mode: str
    kind: str
    oid: str
    name: bytes


class Sent(NamedTuple):
    """What became of one ref of a push: ok, up to date, or why it was refused."""

    ref: str
    flag: str
    text: str


def list_refs(repo: Repository, prefix: str) -> list[tuple[str, str]]:
    """(name, object id) of every ref below a prefix, sorted. A ref that cannot be read raises GitFailed."""
    code, out, err = attempt(repo, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
    if code or b"broken ref" in err:
        raise failure(repo, ("for-each-ref",), code, err)
    rows = (line.split(" ", 1) for line in out.decode("utf-8", "surrogateescape").split("\n")[:-1])
    return [(name, oid) for oid, name in rows]


def read_ref(repo: Repository, name: str) -> str | None:
    """The object a ref points at; None when there is no such ref."""
    found = dict(list_refs(repo, name))
    return found.get(name)


def move_ref(repo: Repository, name: str, new: str, old: str | None) -> bool:
    """Point a ref at `new` if it still points at `old` (None: does not exist); whether it was so."""
    zero = "0" * len(new)
    code, _, err = attempt(repo, "update-ref", "--no-deref", name, new, old or zero)
    if code == 0:
        return True
    if b"cannot lock ref" in err and (b"expected" in err or b"already exists" in err or b"File exists" in err):
        return False
    raise failure(repo, ("update-ref",), code, err)


def tree(repo: Repository, treeish: str, *, recursive: bool = False) -> list[Item]:
    """The entries of one tree; with `recursive` all leaves below it, by full name."""
    options = ("-r",) if recursive else ()
    out = git(repo, "ls-tree", "-z", "--full-tree", *options, treeish)
    items = []
    for record in out.split(b"\0")[:-1]:
        head, _, name = record.partition(b"\t")
        mode, kind, oid = head.decode("ascii").split(" ")
        items.append(Item(mode, kind, oid, name))
    return items


def write_blob(repo: Repository, data: bytes) -> str:
    """Store bytes as a blob."""
    return git(repo, "hash-object", "-w", "--stdin", "--no-filters", input=data).decode("ascii").strip()


def write_tree(repo: Repository, items: Iterable[Item]) -> str:
    """Store one tree."""
    rows = b"".join(f"{i.mode} {i.kind} {i.oid}\t".encode() + i.name + b"\0" for i in items)
    return git(repo, "mktree", "-z", input=rows).decode("ascii").strip()


def write_commit(repo: Repository, tree: str, parent: str | None, message: str, when: int) -> str:
    """Store a commit made by nobody, at a time given in seconds."""
    date = {f"GIT_{who}_DATE": f"@{when} +0000" for who in ("AUTHOR", "COMMITTER")}
    parents = ("-p", parent) if parent else ()
    out = git(repo, "commit-tree", "--no-gpg-sign", tree, *parents, input=message.encode(), env={**_IDENTITY, **date})
    return out.decode("ascii").strip()


def blob_item(name: str, oid: str) -> Item:
    """A tree entry for a file."""
    return Item(_BLOB, "blob", oid, name.encode())


def tree_item(name: str, oid: str) -> Item:
    """A tree entry for a directory."""
    return Item(_TREE, "tree", oid, name.encode())


def commit_time(repo: Repository, commit: str) -> int:
    """When a commit says that it was made, in seconds."""
    out = git(repo, "cat-file", "commit", commit).partition(b"\n\n")[0]
    for line in out.split(b"\n"):
        if line.startswith(b"committer "):
            found = _TIME.search(line)
            return int(found[1]) if found else 0  # as git's own %ct has it, which is then empty
    raise GitFailed(f"commit {commit} has no committer")


def file_at(repo: Repository, commit: str, path: str) -> bytes | None:
    """The bytes of one regular file of a commit; None when it has none of that name."""
    out = git(repo, "ls-tree", "-z", "--full-tree", commit, "--", f":(literal,top){path}")
    for record in out.split(b"\0")[:-1]:
        head, _, name = record.partition(b"\t")
        mode, kind, oid = head.decode("ascii").split(" ")
        if name == path.encode() and kind == "blob" and mode in ("100644", "100755"):
            return git(repo, "cat-file", "blob", oid)
    return None


def made_here(repo: Repository) -> bool:
    """Whether HEAD's commit was made in this clone, as its reflog says; one that arrived was signed elsewhere."""
    # A config may want signatures shown, by a program that it names.
    code, out, _ = attempt(repo, "reflog", "show", "--no-show-signature", "-2", "--format=%H %gs", "HEAD", "--")
    if code:
        return False
    newest, _, before = out.decode("utf-8", "replace").partition("\n")
    if _REBASED.match(newest.partition(" ")[2]):
        newest = before
    commit, _, what = newest.partition(" ")
    return commit == repo.head and _MADE.match(what) is not None


# -- other repositories -----------------------------------------------------------------------


def push(repo: Repository, remote: str, refs: Sequence[str]) -> list[Sent]:
    """Send refs under their own names, never by force; what became of each. Raises GitFailed when none was tried."""
    specs = [f"{ref}:{ref}" for ref in refs]
    options = ("--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed")
    code, out, err = attempt(repo, "push", *options, "--", remote, *specs, env=_online())
    sent = []
    for line in out.decode("utf-8", "surrogateescape").split("\n"):
        flag, tab, rest = line.partition("\t")
        if tab and len(flag) == 1 and "\t" in rest:
            spec, _, text = rest.partition("\t")
            sent.append(Sent(spec.rpartition(":")[2], flag, text))
    if code and not sent:
        raise failure(repo, ("push",), code, err)
    return sent


def fetch(repo: Repository, remote: str, pattern: str, into: str) -> None:
    """Bring the refs of a pattern from a remote to a place of ours, whatever lies there.

    In a shallow clone only their newest commits: a chain's newest tree holds all of it.
    """
    depth = ("--depth=1",) if repo.shallow else ()
    options = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--prune", "--quiet", "--no-auto-gc")
    code, _, err = attempt(repo, "fetch", *options, *depth, "--", remote, f"+{pattern}:{into}", env=_online())
    if code:
        raise failure(repo, ("fetch",), code, err)


def delete_refs(repo: Repository, names: Iterable[str]) -> None:
    """Remove refs of ours."""
    rows = "".join(f"delete {name}\0\0" for name in names)
    if rows:
        git(repo, "update-ref", "-z", "--stdin", input=rows.encode("utf-8", "surrogateescape"))


def _online() -> dict[str, str]:
    """What a command needs that may talk to another machine, as its user's own `git push` does."""
    allowed = os.environ.get("GIT_ALLOW_PROTOCOL", _TRANSPORTS)
    return {"GIT_ALLOW_PROTOCOL": allowed, "GIT_TERMINAL_PROMPT": "1"}
