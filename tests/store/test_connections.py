"""What is opened is closed: by whoever opened it, and when it was, also where something fails in between."""

from __future__ import annotations

import gc
import shutil
import sqlite3
import tempfile
import threading
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from typing import Any

import pytest

from oracl_git.errors import IndexUnusable
from oracl_git.git import Repository, discover
from oracl_git.ontology import store
from oracl_git.service import Oracl
from oracl_git.store import database, taking, wording
from oracl_git.store.index import Index
from oracl_git.store.update import update
from oracl_git.store.wording import stems_of
from tests.worlds import Commit, found, plain


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = discover(str(found(tmp_path / "repo", [Commit(plain({"a.py": "import b\n", "b.py": ""}))])))
    update(repo)
    return repo


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[taking.Guarded]:
    """The connections that are open."""
    left: list[taking.Guarded] = []

    class Noted(taking.Guarded):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            left.append(self)

        def drop(self) -> None:
            super().drop()
            with suppress(ValueError):
                left.remove(self)

    monkeypatch.setattr(database, "Guarded", Noted)
    return left


def spoil(repo: Repository, name: str, statement: str) -> None:
    with closing(database.connect(database.place(repo, name), name, write=True)) as db:
        db.execute(statement)


@pytest.mark.parametrize("name", ["facts", "history"])
def test_an_update_that_cannot_open_one_of_its_files(repo: Repository, left: list[taking.Guarded], name: str) -> None:
    """A server goes on after it, and asks again."""
    spoil(repo, name, "PRAGMA user_version=99")
    with pytest.raises(IndexUnusable, match="newer oracl-git"):
        update(repo, full=True)
    assert left == [] and gc.isenabled()


def test_an_index_whose_other_files_cannot_be_read(repo: Repository, left: list[taking.Guarded]) -> None:
    spoil(repo, "facts", "DROP TABLE extractor")
    spoil(repo, "history", "DROP TABLE meta")
    with Index(repo) as index:
        for name in ("facts_cache", "past"):
            with pytest.raises(database.DatabaseError, match="no such table"):
                getattr(index, name)
            assert left == [index.db]
    assert left == []


def test_an_index_that_holds_nothing(repo: Repository, left: list[taking.Guarded]) -> None:
    spoil(repo, "index", "DELETE FROM header")
    with pytest.raises(FileNotFoundError):
        Index(repo)
    assert left == []


def test_a_copy_that_cannot_be_made(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Copy(database.Connection):
        def close(self) -> None:
            closed.append(self)
            super().close()

    connect = database.sqlite3.connect
    monkeypatch.setattr(database.sqlite3, "connect", lambda *a, **k: connect(*a, **{"factory": Copy, **k}))
    with closing(database.connect(database.place(repo, "index"), "index", write=False)) as source:
        source.drop()
        with pytest.raises(database.sqlite3.ProgrammingError):
            database.connect_copy(source)
    assert len(closed) == 1


def test_a_thread_that_ends_leaves_nothing_that_stems(monkeypatch: pytest.MonkeyPatch) -> None:
    made, closed = [], []

    class Noted(database.Scratch):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            made.append(id(self))

        def close(self) -> None:
            super().close()
            closed.append(id(self))

    monkeypatch.setattr(database, "Scratch", Noted)
    stems = []
    thread = threading.Thread(target=lambda: stems.extend(stems_of(["unheardofgreetings"])))
    thread.start()
    thread.join()
    gc.collect()  # a connection is part of a cycle
    assert stems == [("unheardofgreet",)] and len(made) == 1 and closed == made


def test_what_another_thread_forgets_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "_STEMS", 4)
    monkeypatch.setattr(wording, "_stems", {"greetings": ("greet",)})
    begin = database.transaction

    def meanwhile(db: sqlite3.Connection) -> AbstractContextManager[None]:
        monkeypatch.setattr(wording.database, "transaction", begin)
        other = threading.Thread(target=lambda: stems_of(["one", "two", "three", "four"]))
        other.start()
        other.join()
        return begin(db)

    monkeypatch.setattr(wording.database, "transaction", meanwhile)
    assert stems_of(["greetings", "parsers"]) == [("greet",), ("parser",)]


def half_made(path: str) -> None:
    """A database as one leaves it who is killed while it is made: part of it is written, and how to undo that."""
    Path(path).parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / Path(path).name
        with closing(sqlite3.connect(made, isolation_level=None)) as db:
            db.execute("PRAGMA cache_size=1")
            db.execute("BEGIN")
            db.execute("CREATE TABLE node(x)")
            db.execute("INSERT INTO node VALUES(zeroblob(100000))")  # more than is kept: it is written
            for end in ("", "-journal"):
                shutil.copy(f"{made}{end}", path + end)
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db, pytest.raises(sqlite3.OperationalError):
        db.execute("PRAGMA user_version")


def test_an_index_whose_maker_was_killed(tmp_path: Path) -> None:
    """A question makes it, as if there were none."""
    commits = [Commit(plain({"a.py": "import b\n", "b.py": ""}))]
    repo = discover(str(found(tmp_path / "repo", commits)))
    for name in ("history", "facts", "index"):
        half_made(database.place(repo, name))
    with pytest.raises(FileNotFoundError):
        Index(repo)
    half_made(database.place(repo, "index"))
    with Oracl(repo) as oracl:
        assert oracl.fresh().commit == commits[0].oid
        assert oracl.notes == []


def test_a_store_whose_maker_was_killed(tmp_path: Path) -> None:
    path = str(tmp_path / "made" / "store.sqlite")
    half_made(path)
    with pytest.raises(FileNotFoundError):
        store.connect(path, write=False)
    with closing(store.connect(path, write=True)) as db:
        assert db.execute("SELECT count(*) FROM sources").fetchone() == (0,)


def test_what_is_freed_is_overwritten_where_people_forget_things(repo: Repository, tmp_path: Path) -> None:
    """Not where all comes from git: there it would cost a tenth of an update."""

    def overwrites(db: sqlite3.Connection) -> int:
        return int(db.execute("PRAGMA secure_delete").fetchone()[0])

    with database.writing(repo, "index", "facts", "history") as opened:
        assert [overwrites(db) for db in opened] == [0, 0, 0]
        with closing(database.connect_copy(opened[0])) as copy:
            assert overwrites(copy) == 0
    with closing(store.connect(str(tmp_path / "own" / "store.sqlite"), write=True)) as db:
        assert overwrites(db) == 1
