"""Uncommitted changes: what is answered with them laid over is what is answered after they are committed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, os.path.dirname(__file__))
import rows
import worlds

import oracl_git.store.update as product
from oracl_git.git import Laid, discover, laid
from oracl_git.git.worktree import blob_id
from oracl_git.store import database
from oracl_git.store.index import Index
from oracl_git.store.overlay import Overlay

EXAMPLES = int(os.environ.get("ORACL_LAWS", "25"))
OF_THE_COMMIT = ("header", "activity", "alias")  # history says so, and history does not know of it yet


def laws(examples: int) -> settings:
    return settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )


def all_rows(db: sqlite3.Connection, repo: Any) -> dict[str, object]:
    """Every row, but what history says; and of the header what is no name of the commit."""
    past = database.connect(database.place(repo, "history"), "history", write=False)
    try:
        found = rows._everything(db, past)
    finally:
        past.close()
    header: dict[str, object] = found["header"]  # type: ignore[assignment]
    kept = ("root", "nodes", "edges", "connected", "sum_a", "sum_a2", "max_r", "governance", "problems")
    return {
        **{name: value for name, value in found.items() if name not in OF_THE_COMMIT},
        "header": {name: header.get(name) for name in kept},
    }


def as_laid(repo: Any, tree: worlds.Tree, over: worlds.Tree) -> dict[bytes, Laid | None]:
    """What makes one tree of the other."""
    found: dict[bytes, Laid | None] = {path: None for path in over if path not in tree}
    for path, (mode, content) in tree.items():
        if over.get(path) != (mode, content):
            if mode == worlds.MODULE:
                found[path] = Laid(int(mode, 8), content.decode(), 0, b"")
            elif mode == worlds.LINK:
                found[path] = Laid(int(mode, 8), blob_id(repo, content), len(content), b"")
            else:
                found[path] = laid(repo, content, int(mode, 8))
    return found


@laws(EXAMPLES)
@given(history=worlds.histories(), whole=st.sampled_from([3, 400]), detours=st.lists(st.integers(0, 30), max_size=3))
def test_laid_over_is_committed(history: list[worlds.Commit], whole: int, detours: list[int]) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = worlds.found(Path(place) / "base", history)
        shutil.copytree(base, Path(place) / "other")
        repo, other = discover(str(base)), discover(str(Path(place) / "other"))
        product.update(repo, commit=history[0].oid)
        with Index(repo) as index:
            overlay = Overlay(repo, index)
            first = all_rows(index.db, repo)
        with mock.patch.object(product, "_WHOLE", whole):
            for number in [*range(len(history)), *detours, 0]:
                commit = history[number % len(history)]
                files = as_laid(repo, commit.tree, history[0].tree)
                try:
                    overlay.lay(files)
                except LookupError:  # it says that it does not know: then one starts anew
                    with Index(repo) as index:
                        overlay = Overlay(repo, index)
                    overlay.lay(files)
                product.update(other, commit=commit.oid)
                with Index(other) as index:
                    committed = all_rows(index.db, other)
                rows.check(all_rows(overlay.index.db, repo), committed, f"laid over | committed, {number}")
        with Index(repo) as index:
            rows.check(all_rows(index.db, repo), first, "the index on disk | as it was")
        overlay.close()
