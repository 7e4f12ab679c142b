"""Files that are of no use are replaced once, however many processes meet them at the same time."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from oracl_git.service import Oracl
from oracl_git.service.opened import repaired
from oracl_git.store import database, taking
from oracl_git.store.schema import VERSIONS

MANY = 6


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between seeing that a file is of no use and taking it away, others come."""
    take = database.remove

    def remove(path: str) -> None:
        time.sleep(0.05)
        take(path)

    monkeypatch.setattr(database, "remove", remove)


def at_once(act: Callable[[int], object]) -> None:
    """Do something in many threads at the same time."""
    failures: list[BaseException] = []
    ready = threading.Barrier(MANY)

    def run(number: int) -> None:
        ready.wait()
        try:
            act(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(MANY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def write(path: str, number: int) -> None:
    with closing(database.connect(path, "index", write=True)) as db, database.transaction(db):
        db.execute("INSERT OR REPLACE INTO header VALUES(?,?)", (str(number), number))


def written(path: str) -> int:
    with closing(database.connect(path, "index", write=False)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(db.execute("SELECT count(*) FROM header").fetchone()[0])


@pytest.mark.parametrize("name", ["-wal", "-shm"])
def test_nobody_opens_a_file_while_its_journals_are_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """SQLite opens the journals some time after the file, by name: they may be another file's by then."""
    path = str(tmp_path / "index.sqlite")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE old(x)")
        db.execute(f"PRAGMA user_version={VERSIONS['index'] - 1}")
        for end in ("", "-wal"):  # as a kill leaves them
            Path(path + end + ".kept").write_bytes(Path(path + end).read_bytes())
    for end in ("", "-wal"):
        os.replace(path + end + ".kept", path + end)
    unlink = os.unlink

    def slowly(which: str) -> None:
        time.sleep(0.03 * which.endswith(name))
        unlink(which)

    class Slow(taking.Guarded):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            time.sleep(0.02 * random.random())

    monkeypatch.setattr(os, "unlink", slowly)
    monkeypatch.setattr(database, "Guarded", Slow)
    at_once(lambda number: write(path, number))
    assert written(path) == MANY


def test_a_directory_is_made_anew_as_often_as_it_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "oracl" / "index.sqlite"
    (tmp_path / "oracl").mkdir()

    def come_and_go(number: int) -> None:
        for _ in range(20):
            if number % 2:
                with suppress(FileNotFoundError, FileExistsError):
                    (tmp_path / "oracl").mkdir()
                with suppress(FileNotFoundError):
                    (tmp_path / "oracl" / f"{number}.log").write_text("a line")
                with suppress(FileNotFoundError):
                    taking.remove_all(str(tmp_path / "oracl"))
            else:
                write(str(path), number)

    at_once(come_and_go)


def test_what_is_made_when_there_was_nothing_to_take_away_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "oracl" / "index.sqlite"
    held = taking._held

    @contextmanager
    def meanwhile(directory: str, how: int, make: bool) -> Iterator[bool]:
        with held(directory, how, make) as there:
            monkeypatch.setattr(taking, "_held", held)
            write(str(path), 1)
            yield there

    for take in (lambda: taking.remove_all(str(path.parent)), lambda: database.start_over([str(path)], sure=True)):
        monkeypatch.setattr(taking, "_held", meanwhile)
        take()
        assert written(str(path)) == 1
        taking.remove_all(str(path.parent))


@pytest.mark.parametrize("why", ["older", "damaged"])
def test_nothing_that_was_written_meanwhile_is_lost(tmp_path: Path, slow: None, why: str) -> None:
    path = str(tmp_path / "index.sqlite")
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE old(x)")
        db.execute(f"PRAGMA user_version={VERSIONS['index'] - 1}")
    if why == "damaged":
        Path(path).write_bytes(b"no database" * 1000)
    at_once(lambda number: write(path, number))
    assert written(path) == MANY


def test_who_comes_second_takes_away_nothing(tmp_path: Path, slow: None) -> None:
    path = str(tmp_path / "index.sqlite")
    write(path, MANY)
    with open(path, "r+b") as file:
        file.seek(8192)
        file.write(os.urandom(8192))

    def mend(number: int) -> None:
        database.start_over([path], sure=False)
        write(path, number)

    at_once(mend)
    assert written(path) == MANY
    assert not database.start_over([path], sure=False)
    assert database.start_over([path], sure=True) and not os.path.exists(path)


@pytest.fixture
def place(git: Any) -> Path:
    """A repository with an index."""
    shop = git.init("shop")
    shop.commit("first", {"a.py": "import b\n", "b.py": "def price():\n    return 1\n"})
    with Oracl.at(str(shop.path)) as oracl:
        oracl.update()
    path: Path = shop.path
    return path


class Asked(Oracl):
    """Asks while another process does something between what is read and what is made of it."""

    meanwhile: Callable[[], object]
    times = 0

    @repaired
    def ask(self) -> int:
        count = self.index.count()
        self.times += 1
        if self.times == 1:
            self.meanwhile()
            raise KeyError("what a broken page said")
        return count

    def _brought(self, *_: object) -> bool:
        self._close_base()
        self.meanwhile()
        return False


def test_what_was_read_is_damaged_though_a_sound_file_lies_there_now(place: Path) -> None:
    path = place / ".git/oracl/index.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name='symbol'").fetchone()
    good = path.read_bytes()
    bad = bytearray(good)
    bad[(page - 1) * 8192 : page * 8192] = os.urandom(8192)
    path.write_bytes(bad)

    def mended() -> None:
        (place / "new").write_bytes(good)
        os.replace(place / "new", path)

    with Asked.at(str(place)) as oracl:
        oracl.meanwhile = mended
        assert oracl.ask() == 2 and oracl.times == 2
        assert oracl.notes == ["the index was damaged and has been made anew"]
        assert os.path.exists(path) and path.read_bytes() == good  # what another made stays


_POOR = """
import os, resource, sys
from oracl_git.errors import Shortage
from oracl_git.store.database import is_damage
from oracl_git.inherited import require_memory
pages, found = resource.getpagesize(), 0
for number in range(120):
    child = os.fork()
    if not child:
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * pages
        resource.setrlimit(resource.RLIMIT_AS, (size + (number << 15), -1))
        try:
            os._exit(is_damage(ValueError(), sys.argv[1]))
        except (MemoryError, Shortage):
            os._exit(0)
    found += os.waitpid(child, 0)[1]
print(found)
"""


def test_where_memory_is_short_nothing_is_damaged(tmp_path: Path) -> None:
    """To SQLite a page for which there is none looks broken."""
    path = str(tmp_path / "index.sqlite")
    with closing(database.connect(path, "index", write=True)) as db:
        db.execute("CREATE TABLE much(x PRIMARY KEY, y)")
        db.execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO much"
                   " SELECT randomblob(500), randomblob(500) FROM n")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", _POOR, path], capture_output=True, text=True, timeout=100)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_bug_is_no_damage(place: Path) -> None:
    with Asked.at(str(place)) as oracl:
        oracl.meanwhile = lambda: None
        with pytest.raises(KeyError):
            oracl.ask()


def test_an_index_that_another_takes_away_is_made_anew(place: Path) -> None:
    path = place / ".git/oracl/index.sqlite"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE header SET value='another' WHERE key='extractor'")
    with Asked.at(str(place)) as oracl:
        oracl.meanwhile = lambda: database.remove(str(path))
        assert oracl.search("price").results
