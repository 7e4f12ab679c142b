"""A new worktree's index begins as a copy of another one's, where that is sound, and ends as if it were made anew."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from oracl_git.git import discover
from oracl_git.service import Oracl
from oracl_git.store import database, sibling
from oracl_git.store.settings import Report
from tests.rows import check, everything


@pytest.fixture
def repo(git: Any) -> Any:
    place = git.init("shop")
    place.commit("first", {"a.py": "import b\n", "b.py": "def price():\n    return 1\n", "doc.md": "# See `b.py`\n"})
    place.commit("second", {"c.py": "import b\n", "doc.md": "# See `b.py` and `c.py`\n"})
    with Oracl.at(str(place.path)) as oracl:
        oracl.update()
        oracl.fill()
    return place


def added(repo: Any, commit: str = "HEAD", name: str = "other") -> Path:
    repo("worktree", "add", "-q", "--detach", f"../{name}", commit)
    path: Path = repo.path.parent / name
    return path


def update(path: Path, **options: Any) -> Report:
    with Oracl.at(str(path)) as oracl:
        return oracl.update(**options)


@pytest.mark.parametrize(("commit", "changed", "parsed"), [("HEAD", 0, 0), ("HEAD~1", 2, 1)])
def test_a_new_worktree_costs_what_differs(repo: Any, git: Any, commit: str, changed: int, parsed: int) -> None:
    other = added(repo, commit)
    report = update(other)
    assert report.copied and not report.rebuilt
    assert (report.changed, report.parsed) == (changed, parsed)
    with Oracl.at(str(other)) as oracl:
        assert oracl.status().pending == 0  # vectors came along
    twin = git.clone(repo, "twin")
    twin("checkout", "-q", "--detach", repo("rev-parse", commit))
    assert not update(twin.path).copied
    check(everything(discover(str(other))), everything(discover(str(twin.path))), "copied | made anew")


def test_the_one_at_the_same_commit_is_preferred(repo: Any) -> None:
    update(added(repo, "HEAD~1", "old"))
    with Oracl.at(str(repo.path)) as oracl:  # the newest file is the one of another commit
        os.utime(database.place(oracl.repo, "index"))
    assert update(added(repo, "HEAD~1", "again")).changed == 0


def test_a_worktree_that_has_an_index_keeps_it(repo: Any) -> None:
    other = added(repo)
    update(other)
    repo.commit("third", {"d.py": "import c\n"})
    update(repo.path)
    subprocess.run(["git", "checkout", "-q", "--detach", repo("rev-parse", "HEAD")], cwd=other, check=True)
    assert not update(other).copied


def test_asked_to_start_from_nothing_it_does(repo: Any) -> None:
    report = update(added(repo), full=True)
    assert not report.copied and report.rebuilt


@pytest.mark.parametrize("what", ["settings", "version", "damage", "foreign", "empty"])
def test_what_is_not_copied(repo: Any, what: str) -> None:
    path = database.place(discover(str(repo.path)), "index")
    if what == "settings":
        update(repo.path, alpha=3.0)
    elif what == "version":
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("UPDATE header SET value='other' WHERE key='graph'")
    elif what == "damage":
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            page = db.execute("SELECT rootpage FROM sqlite_master WHERE name='edge_source'").fetchone()[0]
        with open(path, "r+b") as file:
            file.seek((page - 1) * 8192)
            file.write(b"\xff" * 8192)
    else:
        database.remove(path)
        Path(path).write_bytes(b"" if what == "empty" else b"not a database" * 1000)
    other = added(repo)
    report = update(other)
    assert not report.copied and report.rebuilt == "no index yet"
    with Oracl.at(str(other)) as oracl:
        assert oracl.search("price").results[0].path == "b.py"


def test_a_copy_that_fails_leaves_an_empty_index(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when another process writes, or the disk is full: it is made from nothing."""
    other = discover(str(added(repo)))
    index = database.connect(database.place(other, "index"), "index", write=True, wait=0)
    busy = database.connect(database.place(other, "index"), "index", write=True, wait=0)
    busy.execute("BEGIN IMMEDIATE")
    assert not sibling.begin(other, index, sibling.Settings(), str(other.head))
    busy.execute("ROLLBACK")
    assert index.execute("SELECT count(*) FROM node").fetchone() == (0,)
    assert sibling.begin(other, index, sibling.Settings(), str(other.head))
    assert not sibling.begin(other, index, sibling.Settings(), str(other.head))  # it holds something now
    index.close()
    busy.close()


def test_a_kill_while_it_is_copied_leaves_it_empty_or_whole(repo: Any) -> None:
    """The copy is one transaction of the database: killed in the middle of it, nothing of it is seen."""
    other = added(repo)
    script = (
        "import os, sqlite3, sys\n"
        "from oracl_git.git import discover\n"
        "from oracl_git.store import database\n"
        "here, there = (discover(path) for path in sys.argv[1:])\n"
        "index = database.connect(database.place(there, 'index'), 'index', write=True)\n"
        "source = database.connect(database.place(here, 'index'), 'index', write=False)\n"
        "source.backup(index, pages=7, progress=lambda *_: os.kill(os.getpid(), 9))\n"
    )

    assert subprocess.run([sys.executable, "-c", script, str(repo.path), str(other)]).returncode == -9
    report = update(other)
    assert report.copied and report.changed == 0
    with Oracl.at(str(other)) as oracl:
        assert oracl.search("price").results[0].path == "b.py"


def test_a_shallow_clone_that_was_deepened_is_so_in_every_worktree(repo: Any, git: Any) -> None:
    for number in range(8):
        repo.commit(f"change {number}", {"a.py": f"import b  # {number}\n"})
    shallow = git.clone(repo, "shallow", "--depth", "3")
    update(shallow.path)
    other = added(shallow, name="late")
    update(other)
    shallow("fetch", "-q", "--deepen", "4")
    update(added(shallow, name="new"))  # reads what came
    twin = git.clone(shallow, "twin")
    update(twin.path)
    for path in (shallow.path, other):
        update(path)
        check(everything(discover(str(path))), everything(discover(str(twin.path))), f"{path} | made anew")


def test_ten_at_once(repo: Any) -> None:
    places = [added(repo, name=f"w{number}") for number in range(10)]
    words = ["git", "oracl", "search", "price", "-z"]
    running = [subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE) for place in places]
    assert {process.communicate()[0].split(b"\0")[0] for process in running} == {b"b.py"}
