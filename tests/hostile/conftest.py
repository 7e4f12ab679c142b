"""The places of tests/cli, and repositories made by the thousand files in one stream."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

_NAME = "oracl_tests_cli_conftest"


def _shared() -> Any:
    if _NAME not in sys.modules:
        spec = spec_from_file_location(_NAME, Path(__file__).parents[1] / "cli" / "conftest.py")
        assert spec and spec.loader
        module = module_from_spec(spec)
        sys.modules[_NAME] = module
        spec.loader.exec_module(module)
    return sys.modules[_NAME]


Place = _shared().Place


class Hostile(Place):  # type: ignore[misc, valid-type]
    """A place with what these tests ask again and again."""

    def fails(self, *words: str | bytes, code: int = 128, **options: Any) -> str:
        """`git oracl …` must refuse in one sentence and a hint."""
        done = self.oracl(*words, code=code, **options)
        rows = done.err.splitlines()
        assert rows[-2].startswith("git-oracl: ") and rows[-1].startswith("hint: "), done
        return str(done.err)

    def state(self, **options: Any) -> dict[str, Any]:
        return dict(self.oracl("status", "--json", code=None, **options).json)

    def update(self, *words: str, **options: Any) -> dict[str, Any]:
        return dict(self.oracl("update", "--json", *words, **options).json)

    def same_as_fresh(self, **options: Any) -> None:
        """The index must equal one made from nothing."""
        before = self.state(**options)["root"]
        assert before and self.update("--full", **options)["rebuilt"]
        assert self.state(**options)["root"] == before

    def settled(self, name: str) -> Path:
        """One database as a single file, no journal beside it."""
        path = Path(self.path) / f".git/oracl/{name}.sqlite"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for tail in ("-wal", "-shm"):
            path.with_name(path.name + tail).unlink(missing_ok=True)
        return path

    def wait_for_facts(self, process: subprocess.Popen[bytes]) -> None:
        """Until a running update has kept the first of what it read."""
        path = Path(self.path) / ".git/oracl/facts.sqlite"
        while process.poll() is None:
            time.sleep(0.001)
            if not path.exists():
                continue
            db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                if db.execute("SELECT count(*) FROM facts").fetchone()[0]:
                    return
            except sqlite3.Error:
                continue  # not made yet
            finally:
                db.close()

    def fast_import(self, commits: Iterable[tuple[bytes, Iterable[tuple[bytes, bytes]]]], start: int = 10**9) -> None:
        """(message, files) of each commit on main, a minute apart, in one stream."""
        out = []
        for number, (message, files) in enumerate(commits):
            out.append(b"commit refs/heads/main\ncommitter \x1b[31mA <a@b> %d +0000\n" % (start + 60 * number))
            out.append(b"data %d\n%s\n" % (len(message), message))
            for path, data in files:
                out.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(data), data))
        done = self.run("git", "fast-import", "--quiet", "--force", input=b"".join(out))
        assert done.code == 0, done.err


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., Hostile]:
    """Makes empty directories to run in."""
    return lambda name="repo": Hostile(tmp_path / name)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    place = Hostile(tmp_path_factory.mktemp("hostile") / "shop")
    _shared().build(place)
    place.oracl("init", "--no-hooks")
    for name in ("index", "facts", "history"):
        place.settled(name)
    return place


@pytest.fixture
def shop(template: Hostile, tmp_path: Path) -> Hostile:
    """A copy of the sample and its index that a test may change."""
    place = Hostile(tmp_path / "shop")
    shutil.copytree(template.path, place.path, symlinks=True)
    place.commits = template.commits
    return place


@pytest.fixture
def powerless(shop: Hostile) -> Hostile:
    """The sample for someone to whom permissions apply."""
    if os.geteuid() == 0:
        shop.wrapper = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
        if not shutil.which("setpriv") or shop.run("git", "oracl", "--version").code:
            pytest.skip("root may read everything here")
    return shop
