"""Where the index stands, what it holds in numbers, and whether all is well.

Reads, exports and reports; changes nothing but the evidence partitions it is asked for.
"""

from __future__ import annotations

import os
from typing import IO, Any, NamedTuple

from ..errors import EmbeddingUnusable, NoIndex
from ..inherited import require_memory
from ..recall import tables
from ..store import database
from ..store.index import Index
from .opened import FETCH_ALL, Opened, repaired


class Status(NamedTuple):
    """Where the index stands against HEAD."""

    commit: str | None
    head: str | None
    tree: str | None
    root: str | None
    artifacts: int
    edges: int
    behind: int  # commits between the index and HEAD
    skipped: dict[str, int]  # files that were left out, by reason
    unparsed: dict[str, int]  # files that are known by their text alone, by reason
    pending: int  # chunks that wait for the worker
    problems: tuple[str, ...]  # entries of tracked settings that were not believed
    shallow: bool
    history: int  # commits of history the index lies on
    stale: str  # why the index is to be made anew, or that there is none; "" when it is as it should be
    hint: str = ""  # what to do about that


class Check(NamedTuple):
    """One finding of `doctor`."""

    name: str
    ok: bool
    text: str
    hint: str = ""


class Upkeep(Opened):
    """Looks after an index."""

    @repaired
    def status(self) -> Status:
        """Where the index stands; reads, never updates."""
        try:
            index = self.present()
        except NoIndex as error:
            return Status(
                None, self.repo.head, None, None, 0, 0, 0, {}, {}, 0, (), self.repo.shallow, 0,
                error.message, error.hint,
            )  # fmt: skip
        import json

        head = index.header
        root = head.get("root")
        artifacts = len(index.paths())
        return Status(
            index.commit, self.repo.head, str(head["tree"]), str(root) if root else None, artifacts,
            int(str(head["edges"])), self._behind(index.commit), dict(index.skipped()),
            dict(index.unparsed()), self._pending(index), tuple(json.loads(str(head.get("problems", "[]")))),
            self.repo.shallow, len(index.reach), self._stale(index), "git oracl update",
        )  # fmt: skip

    def _pending(self, index: Index) -> int:
        asset = self.embedding
        if asset is None:
            return 0
        try:
            return index.vectors.pending if index.embedding[0] == asset.model else index.chunk_count
        except EmbeddingUnusable as error:
            self.notes.append(error.message)
            return index.chunk_count

    def diagnose(self) -> list[Check]:
        """Is everything as it should be?"""
        import platform
        import sqlite3

        from .. import __version__
        from ..git.run import attempt

        _, out, _ = attempt(None, "version")
        checks = [
            Check(
                "oracl-git", True, f"{__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
            ),
            Check("git", bool(out), out.decode("utf-8", "replace").strip() or "git was not found", "install git"),
        ]
        place = os.path.join(self.repo.git_dir, "oracl")
        writable = os.access(place if os.path.isdir(place) else self.repo.git_dir, os.W_OK)
        checks.append(Check("writable", writable, place, f"check who owns {self.repo.git_dir}"))
        checks.append(self._embedding_check())
        try:
            index = self.present()
        except NoIndex as error:
            return [*checks, Check("index", self.repo.head is None, error.message, error.hint)]
        require_memory()
        try:
            sound = index.db.execute("PRAGMA quick_check").fetchone()[0]
        except database.DatabaseError as error:
            sound = str(error)
        checks.append(Check("index", sound == "ok", f"{index.commit[:7]}, {sound}", "git oracl update --full"))
        behind = index.commit == self.repo.head
        checks.append(Check("freshness", behind, "at HEAD" if behind else "behind HEAD", "git oracl update"))
        rooted = index.header.get("root") is not None
        checks.append(
            Check("root", rooted, str(index.header.get("root") or "objects are missing"), FETCH_ALL)
        )
        return checks

    def _embedding_check(self) -> Check:
        asset = self.embedding
        if asset is None:
            return Check("embedding", True, "switched off (oracl.embedding)")
        try:
            asset.verify()
        except EmbeddingUnusable as error:
            return Check("embedding", False, error.message, error.hint)
        return Check("embedding", True, f"{asset.manifest['name']}, every file as its manifest says")

    @repaired
    def stats(self, deep: bool = False) -> dict[str, object]:
        """Counts, the numbers of the header, and on request centralities."""
        from collections import Counter

        from ..graph.link import RESOLUTIONS

        index = self.fresh()
        kinds: Counter[str] = Counter()
        languages: Counter[str] = Counter()
        imports = [0] * len(RESOLUTIONS)
        for node in index.all_nodes():
            if node.role:
                kinds[node.role] += 1
                languages[node.language] += 1
                if node.resolutions:
                    imports = [a + b for a, b in zip(imports, node.resolutions, strict=True)]
        mu, sigma = index.statistics
        found: dict[str, object] = {
            "commit": index.commit, "root": index.header.get("root"), "nodes": index.header["nodes"],
            "edges": index.header["edges"], "mu": mu, "sigma": sigma, "max_r": index.max_rank,
            "extractor": index.header["extractor"], "imports": dict(zip(RESOLUTIONS, imports, strict=True)),
            "relations": dict(index.relation_counts()), "kinds": dict(kinds.most_common()),
            "languages": dict(languages.most_common()), "domains": dict(index.domains()),
            "skipped": dict(index.skipped()), "unparsed": dict(index.unparsed()),
        }  # fmt: skip
        if deep:
            from ..recall.export import centralities

            found["centralities"] = centralities(index)
        return found

    def recall_table(self) -> dict[str, object]:
        """The published constants of recall."""
        return {
            name.lower(): value
            for name, value in vars(tables).items()
            if name.isupper() and isinstance(value, (dict, int, float))
        }

    def export(self, form: str, file: IO[bytes]) -> None:
        """Write the graph as graphml, gexf, node-link or dot."""
        from ..recall.export import write

        write(self.fresh(), form, file)

    def to_networkx(self) -> Any:
        """The graph as a networkx.MultiDiGraph."""
        from ..recall.export import to_networkx

        return to_networkx(self.fresh())

    def two_layer(self) -> dict[str, int]:
        """Append the evidence partitions and make the committed view; partition → edges."""
        from ..store.evidence import append

        return append(self.index)
