"""Uncommitted changes: what is answered with them laid over is what is answered after they are committed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, os.path.dirname(__file__))
import rows
import worlds

import oracl_git.store.update as product
from oracl_git.errors import GitFailed
from oracl_git.git import Laid, discover, laid
from oracl_git.git.worktree import blob_id
from oracl_git.service import Oracl
from oracl_git.store import database
from oracl_git.store.index import Index
from oracl_git.store.overlay import Overlay
from oracl_git.uncommitted import Uncommitted

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
@given(
    history=worlds.histories(), whole=st.sampled_from([3, 400]), detours=st.lists(st.integers(0, 30), max_size=3),
    meanwhile=st.booleans(),
)  # fmt: skip
def test_laid_over_is_committed(
    history: list[worlds.Commit], whole: int, detours: list[int], meanwhile: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = worlds.found(Path(place) / "base", history)
        shutil.copytree(base, Path(place) / "other")
        repo, other = discover(str(base)), discover(str(Path(place) / "other"))
        product.update(repo, commit=history[0].oid)
        overlay = Overlay(repo, Index(repo))
        first = all_rows(overlay.index.db, repo)
        if meanwhile:
            overlay.copy_meanwhile()
        with mock.patch.object(product, "_WHOLE", whole):
            for number in [*range(len(history)), *detours, 0]:
                commit = history[number % len(history)]
                files = as_laid(repo, commit.tree, history[0].tree)
                try:
                    overlay.lay(files)
                except LookupError:  # it says that it does not know: then one starts anew
                    overlay.close()
                    overlay = Overlay(repo, Index(repo))
                    overlay.lay(files)
                product.update(other, commit=commit.oid)
                with Index(other) as index:
                    committed = all_rows(index.db, other)
                rows.check(all_rows(overlay.index.db, repo), committed, f"laid over | committed, {number}")
        with Index(repo) as index:
            rows.check(all_rows(index.db, repo), first, "the index on disk | as it was")
        overlay.close()


def test_nothing_is_copied_while_nothing_differs(tmp_path: Path) -> None:
    """Buffers that say what the commit says, of whatever mode, are asked of the index itself."""
    tree = {b"run.sh": ("100755", b"echo\n"), b"a.py": ("100644", b"import b\n"), b"b.py": ("100644", b"")}
    base = worlds.found(tmp_path / "base", [worlds.Commit(tree)])
    place = str(tmp_path / "clone")
    subprocess.run(["git", "clone", "-q", base, place], check=True)
    with Oracl.at(place) as oracl:
        oracl.update()

    def out(oracl: Oracl, path: str) -> list[str]:
        return [link.relation for link in oracl.index.links(oracl.resolve(f":/{path}")[0].id, "out")]

    with Oracl.at(place, worktree=True) as oracl, mock.patch.object(database, "connect_copy") as copied:
        assert oracl.uncommitted is not None
        for path, (_, text) in tree.items():
            oracl.uncommitted.type(path.decode(), text)
        oracl.fresh()
        copied.assert_not_called()
        assert out(oracl, "a.py") == ["imports"]
    with Oracl.at(place, worktree=True) as oracl:
        assert oracl.uncommitted is not None
        oracl.fresh()
        oracl.copy_meanwhile()
        for said, found in ((b"import b\nimport nowhere\n", ["imports"]), (b"", []), (b"import b\n", ["imports"])):
            oracl.uncommitted.type("a.py", said)
            oracl.fresh()
            assert out(oracl, "a.py") == found


def test_a_copy_that_is_begun_when_the_index_has_moved(tmp_path: Path) -> None:
    """It would be of another index than the one that is asked: it is not taken."""
    one = {b"a.py": ("100644", b"x = 1\n")}
    history = [worlds.Commit(one), worlds.Commit({**one, b"b.py": ("100644", b"")}, [0])]
    repo = discover(str(worlds.found(tmp_path / "base", history)))
    product.update(repo, commit=history[0].oid)
    overlay = Overlay(repo, Index(repo))
    product.update(repo, commit=history[1].oid)
    overlay.copy_meanwhile()
    index = overlay.lay({b"c.py": laid(repo, b"import a\n", 0o100644)})
    assert [path for _, path in index.paths()] == ["a.py", "c.py"] and not overlay.follows()
    overlay.close()


def test_a_file_that_is_saved_while_the_work_tree_is_looked_at(tmp_path: Path) -> None:
    """What a look that began before finds there is not the last word."""
    base = worlds.found(tmp_path / "base", [worlds.Commit({b"a.py": ("100644", b"x = 1\n")})])
    subprocess.run(["git", "clone", "-q", base, str(tmp_path / "clone")], check=True)
    repo = discover(str(tmp_path / "clone"))
    uncommitted = Uncommitted(repo)
    uncommitted.look_meanwhile()
    assert uncommitted._looked is not None and uncommitted._looked.result() == {}
    (tmp_path / "clone" / "a.py").write_bytes(b"x = 2\n")
    uncommitted.look_at(["a.py"])
    found = uncommitted.files()[b"a.py"]
    assert found is not None and found.data == b"x = 2\n"


def test_files_that_were_moved_are_found_however_many_came(tmp_path: Path) -> None:
    """A directory of two hundred files, among as many of another kind that are new; one is edited, too."""
    texts = {n: b"".join(b"x%d = %d\n" % (n, m) for m in range(9)) for n in range(200)}
    files: worlds.Tree = {b"old/m%03d.py" % n: ("100644", text) for n, text in texts.items()}
    base = worlds.found(tmp_path / "base", [worlds.Commit(files)])
    subprocess.run(["git", "clone", "-q", base, str(tmp_path / "clone")], check=True)
    place = tmp_path / "clone"
    (place / "old").rename(place / "new")
    (place / "new/m150.py").write_bytes(texts[150] + b"more = 1\n")
    for number in range(150):
        (place / f"note{number}.txt").write_text(f"note {number}\n")
    with Oracl.at(str(place), worktree=True) as oracl:
        assert oracl.fresh(True, None).node("new/m000.py")
        assert oracl.uncommitted is not None
        found = oracl.uncommitted.renames()
    assert found == {f"old/m{n:03}.py": f"new/m{n:03}.py" for n in range(200)}


def test_a_look_that_nobody_waits_for(tmp_path: Path) -> None:
    """What was seen before counts until it has ended, and a question that is being answered sees one state."""
    base = worlds.found(tmp_path / "base", [worlds.Commit({b"a.py": ("100644", b"x = 1\n")})])
    subprocess.run(["git", "clone", "-q", base, str(tmp_path / "clone")], check=True)
    uncommitted = Uncommitted(discover(str(tmp_path / "clone")))
    assert uncommitted.files() == {}
    (tmp_path / "clone" / "a.py").write_bytes(b"x = 2\n")
    uncommitted.look_anew()
    assert uncommitted._looked is not None and b"a.py" in uncommitted._looked.result()
    assert uncommitted.files() == {}
    uncommitted.has_looked()
    assert set(uncommitted.files()) == {b"a.py"}
    with mock.patch.object(Uncommitted, "_look", side_effect=GitFailed("git is busy")):
        uncommitted.look_anew()
        assert uncommitted._looked is not None and uncommitted._looked.exception() is not None
    with pytest.raises(GitFailed):
        uncommitted.has_looked()
    assert set(uncommitted.files()) == {b"a.py"}
