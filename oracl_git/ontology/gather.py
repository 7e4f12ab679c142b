"""Which documents there are to read now: the inbox and the registered sources, in git and on disk.

Knows how tracked files are found by the same tree diff as the graph, which others
lie beside them, and whose root decides a file's scope. Reads names only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..git import GITLINK, SYMLINK, Repository, open_objects
from ..git.run import attempt
from . import files, policy
from .model import INTERNAL, Counts
from .project import HOME, INBOX, Project, Root

INBOX_ROOT = Root(f"{HOME}/{INBOX}", INTERNAL, "inbox")
_TYPE = 0o170000


@dataclass(frozen=True)
class Found:
    """One document to look at: a blob of the commit, or a file below `base`."""

    uri: str
    root: Root
    blob: str = ""
    base: str = ""
    relative: str = ""


@dataclass
class Gathered:
    """What is there, and what is there no more."""

    found: list[Found] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)  # uris that git or the disk holds no longer
    tree: str = ""  # of the commit the tracked part is of


class Roots:
    """The roots that may be read; the longest path decides which one a file belongs to."""

    def __init__(self, project: Project, roots: Iterable[Root], counts: Counts, allow: bool = False) -> None:
        self.project = project
        self.rows: list[Root] = []
        for root in roots:
            reason = policy.forbidden(project, root) if allow else policy.allowed(project, root)
            if reason:
                counts.refused.append((root.path, reason))
            else:
                self.rows.append(root)
        self._inside = {_clean(root.path): root for root in self.rows if not root.outside}
        self._outside = {root.path: root for root in self.rows if root.outside}

    def of(self, uri: str) -> Root | None:
        """The root a source belongs to; None when nothing registered holds it."""
        table = self._outside if os.path.isabs(uri) else self._inside
        place = uri
        while place:
            if place in table:
                return table[place]
            place = place[: max(0, place.rfind("/"))]
        return table.get("/" if os.path.isabs(uri) else "")

    def signature(self) -> str:
        """The same for the same roots."""
        return "\n".join(sorted(f"{r.path}\t{r.scope}\t{r.kind}" for r in self.rows))


def _clean(path: str) -> str:
    return "" if path == "." else path


def shown(path: str) -> str:
    """A path as the store keeps it: bytes that are not UTF-8 as \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def tracked(project: Project, roots: Roots, old_tree: str, known: dict[str, str], counts: Counts) -> Gathered:
    """The tracked documents that differ between the tree ingested last ("": none) and HEAD's.

    `known`: uri → blob of what is held; what has the same blob is not read again.
    """
    gathered = Gathered()
    repo = project.repo
    inside = [root for root in roots.rows if not root.outside and root.kind != "inbox"]
    if repo is None or repo.head is None or not inside:
        gathered.gone = set(known)
        return gathered
    with open_objects(repo) as objects:
        gathered.tree = objects.tree_of(repo.head)
        if old_tree == gathered.tree:
            return gathered
        for change in objects.changes(old_tree or None, gathered.tree):
            path = os.fsdecode(change.path)
            uri = shown(path)
            root = roots.of(path)
            if root is None or root.outside:
                continue
            if not change.new_mode:
                gathered.gone.add(uri)
            elif change.new_mode & _TYPE in (SYMLINK, GITLINK):
                counts.skip("symlink" if change.new_mode & _TYPE == SYMLINK else "another repository")
                gathered.gone.add(uri)
            elif _kept_out(path, root):
                counts.skip("place for keys")
            elif known.get(uri) != change.new_oid:
                gathered.found.append(Found(uri, root, blob=change.new_oid))
        if not old_tree:
            present = {shown(os.fsdecode(entry.path)) for entry in objects.entries(gathered.tree)}
            gathered.gone |= set(known) - present
    return gathered


def _kept_out(path: str, root: Root) -> bool:
    """Whether a tracked file lies in a place for keys that its root does not name, or is our own."""
    below = path[len(_clean(root.path)) :] if path.startswith(_clean(root.path)) else path
    return any(part in policy.KEY_PLACES for part in below.split("/")) or path.startswith(f"{HOME}/")


def on_disk(project: Project, roots: Roots, tracked_paths: set[str], counts: Counts) -> Iterator[Found]:
    """The documents that are in no commit: the inbox, files beside the tracked ones, sources elsewhere."""
    seen: set[str] = set()
    for root in roots.rows:
        base, relative = (project.root, root.path) if not root.outside else os.path.split(root.path)
        hidden = _ignored(project.repo, root) if not root.outside and root.kind != "inbox" else frozenset()
        for path in files.walk(base, relative, counts.skip, hidden):
            full = os.path.join(base, path) if root.outside else path
            if full in seen or roots.of(full) is not root:
                continue
            if full in tracked_paths:
                if root.kind == "inbox":
                    counts.skip("in the inbox, but brought by git")
                continue
            seen.add(full)
            yield Found(shown(full), root, base=base, relative=path)


def _ignored(repo: Repository | None, root: Root) -> frozenset[str]:
    """What git ignores below a root; nothing where the root itself is ignored, for then it is meant."""
    if repo is None or repo.work_tree is None:
        return frozenset()
    code, out, _ = attempt(
        repo,
        "ls-files",
        "-z",
        "--others",
        "--ignored",
        "--exclude-standard",
        "--directory",
        "--",
        root.path,
        cwd=repo.work_tree,
        index=True,
    )
    rows = frozenset(os.fsdecode(raw) for raw in out.split(b"\0") if raw) if code == 0 else frozenset()
    above = [root.path[: place + 1] for place, letter in enumerate(f"{root.path}/") if letter == "/"]
    return frozenset() if not rows.isdisjoint((*above, root.path, f"{root.path}/")) else rows


def tracked_paths(repo: Repository | None, roots: Roots) -> set[str]:
    """The paths below the roots that HEAD tracks."""
    if repo is None or repo.head is None or not any(not r.outside and r.kind != "inbox" for r in roots.rows):
        return set()
    with open_objects(repo) as objects:
        paths = (os.fsdecode(entry.path) for entry in objects.entries(objects.tree_of(repo.head)))
        return {path for path in paths if roots.of(path) is not None}
