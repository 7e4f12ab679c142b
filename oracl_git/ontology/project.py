"""A project's ontology on disk: its paths, its policy, and the sources registered in it.

Knows `.agentlas/ontology-runtime.json` and `ontology-sources.json`. Both may have
come with a clone, so nothing in them names a place to write, and what they ask to
read is only ever a request: see `policy.py`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import whole
from ..errors import NotAllowed, OntologyInactive, StoreUnusable, UsageError
from ..git import Repository
from ..store.taking import alone
from .model import INTERNAL, SCOPES

HOME = ".agentlas"
CONFIG = "ontology-runtime.json"
SOURCES = "ontology-sources.json"
INBOX = "ontology-inbox"
DATABASE = "ontology-runtime.sqlite"
DASHBOARD = "ontology-gui"
IGNORE = ".gitignore"
POLICY = "inbox_and_registered_sources_only"
SCHEMA = 1
# What is private to this clone, as .agentlas/.gitignore says it.
PRIVATE_PATHS = (f"{DATABASE}*", f"{INBOX}/", f"{DASHBOARD}/", "*.tmp")
_MAX_JSON = 1 << 20
_MAX_SOURCES = 10_000


@dataclass(frozen=True)
class Root:
    """A registered source: a file or a directory. `path` is relative to the project, or absolute outside it."""

    path: str
    scope: str = INTERNAL
    kind: str = "project"

    @property
    def outside(self) -> bool:
        """Whether it lies elsewhere on this machine."""
        return os.path.isabs(self.path)


@dataclass(frozen=True)
class Project:
    """The directory an ontology belongs to."""

    root: str  # absolute, symlinks resolved
    repo: Repository | None = None

    def place(self, name: str) -> str:
        """The absolute path of a file in .agentlas."""
        return os.path.join(self.root, HOME, name)

    @property
    def database(self) -> str:
        """Where the store is."""
        return self.place(DATABASE)

    def activate(self) -> list[str]:
        """Make what is missing; which files were made. Raises NotAllowed where a symlink stands in the way."""
        home = os.path.join(self.root, HOME)
        for path in (home, *(self.place(name) for name in (CONFIG, SOURCES, INBOX, DATABASE, IGNORE, DASHBOARD))):
            if os.path.islink(path):
                raise NotAllowed(f"{path} is a symlink, and is not followed", f"rm {path}")
        made = []
        for path in (home, self.place(INBOX)):
            if not os.path.isdir(path):
                os.makedirs(path, mode=0o700 if path != home else 0o755)
                made.append(path)
        config = {
            "schema": SCHEMA,
            "policy": POLICY,
            "embedding_adapter": "auto",
            "default_scopes": ["public", "internal"],
        }
        for name, content in ((CONFIG, config), (SOURCES, {"schema": SCHEMA, "policy": POLICY, "sources": []})):
            if not os.path.exists(self.place(name)):
                write_json(self.place(name), content)
                made.append(self.place(name))
        if self._ignore():
            made.append(self.place(IGNORE))
        return made

    def _ignore(self) -> bool:
        """Keep what is private out of git; whether anything had to be added."""
        path, lines = self.place(IGNORE), []
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="surrogateescape", opener=whole.plain) as file:
                lines = file.read().splitlines()
        # The last line that fits decides: what a `!` that came with a clone lets in again is kept out again.
        last = max((number for number, line in enumerate(lines) if line.startswith("!")), default=-1)
        missing = [pattern for pattern in PRIVATE_PATHS if pattern not in lines[last + 1 :]]
        if missing:
            write_whole(path, "\n".join([*lines, *missing, ""]).encode("utf-8", "surrogateescape"))
        return bool(missing)

    def config(self) -> dict[str, Any]:
        """The configuration; a policy other than ours is refused."""
        found = read_json(self.place(CONFIG))
        if found is None:
            raise OntologyInactive("no ontology has been activated here", "git oracl ontology init")
        if not isinstance(found, dict) or found.get("policy") != POLICY:
            raise NotAllowed(f"{HOME}/{CONFIG} asks for a policy other than {POLICY}", "git oracl ontology init")
        return found

    def roots(self) -> tuple[list[Root], list[tuple[str, str]]]:
        """(registered sources, [(what was not believed, why)])."""
        data = read_json(self.place(SOURCES))
        rows = data.get("sources") if isinstance(data, dict) else None
        if data is not None and not isinstance(rows, list):
            return [], [(SOURCES, "is not a list of sources")]
        found: dict[str, Root] = {}
        refused: list[tuple[str, str]] = []
        for row in (rows or [])[:_MAX_SOURCES]:
            path = row.get("path") if isinstance(row, dict) else row
            scope = row.get("scope", INTERNAL) if isinstance(row, dict) else INTERNAL
            kind = row.get("kind", "project") if isinstance(row, dict) else "project"
            if not isinstance(path, str) or not path or "\0" in path or not is_text(path):
                refused.append((str(path)[:80], "is not a path"))
            elif scope not in SCOPES:
                refused.append((path, f"has no scope of {', '.join(SCOPES)}"))
            else:
                clean = os.path.normpath(path)
                found[clean] = Root(clean, scope, str(kind)[:40])
        return list(found.values()), refused

    def register(self, root: Root) -> bool:
        """Write a source into ontology-sources.json; whether that changed anything."""
        return self._edit(root.path, root)

    def unregister(self, path: str) -> bool:
        """Take a source out; whether it was there."""
        return self._edit(path, None)

    def _edit(self, path: str, root: Root | None) -> bool:
        """Put a root in the place of what is registered for a path; whether that changed anything."""
        with alone(self.place(SOURCES)):
            before = self.roots()[0]
            roots = [row for row in before if row.path != path] + ([root] if root else [])
            if sorted(before, key=lambda r: r.path) == sorted(roots, key=lambda r: r.path):
                return False
            rows = [{"path": r.path, "kind": r.kind, "scope": r.scope} for r in sorted(roots, key=lambda r: r.path)]
            write_json(self.place(SOURCES), {"schema": SCHEMA, "policy": POLICY, "sources": rows})
        return True


def unlinked(project: Project, relative: str) -> None:
    """Raise NotAllowed for a directory below the project that a symlink stands on the way to."""
    place = project.root
    for part in relative.split("/"):
        place = os.path.join(place, part)
        if os.path.islink(place):
            raise NotAllowed(f"{place} is a symlink, and is not followed", f"rm {place}")


def is_text(path: str) -> bool:
    """Whether a path can be written into a JSON file and a store."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def read_json(path: str, loads: Callable[[bytes], Any] = json.loads) -> Any:
    """A small JSON file; None when there is none. Never through a symlink."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotAllowed(f"{path} cannot be read: {error.strerror}", f"ls -l {path}") from None
    with open(descriptor, "rb") as file:
        data = file.read(_MAX_JSON + 1)
    if len(data) > _MAX_JSON:
        raise UsageError(f"{path} is larger than {_MAX_JSON >> 20} MiB", "make it anew: git oracl ontology init")
    try:
        return loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}", f"mend it, or remove it: rm {path}") from None


def write_json(path: str, data: Any) -> None:
    """A JSON file, whole or not at all."""
    write_whole(path, (json.dumps(data, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode("utf-8"))


def write_whole(path: str, data: bytes, mode: int = 0o644) -> None:
    """A file, whole or not at all; never through a symlink. Its directory is made. Raises NotAllowed, StoreUnusable."""
    if os.path.islink(path):
        raise NotAllowed(f"{path} is a symlink, and is not followed", f"rm {path}")
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        whole.write(path, data, mode)
    except OSError as error:
        raise StoreUnusable(
            f"{path} cannot be written: {error.strerror}", f"ls -ld {os.path.dirname(path) or '.'}"
        ) from None
