"""The facts cache: many keys at once, and reading while it learns."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import oracl_git
from oracl_git.store import database
from oracl_git.store.facts import FactsCache
from tests.worlds import Commit, found, plain


def test_of_many_keys_those_that_are_cached_are_known() -> None:
    cache = FactsCache(database.connect_memory("facts"))
    blobs = [f"{number:040x}" for number in range(1500)]
    for number, blob in enumerate(blobs[::2]):
        cache.remember(blob, "text", ("generated" if number % 5 == 0 else "", b"", b"", b""))
    cache.remember(blobs[0], "json", ("binary", b"", b"", b""))
    cache.flush()
    asked = {(blob, "text") for blob in blobs} | {(blobs[0], "yaml"), (blobs[2], "json")}
    expected = {(blob, "text"): "generated" if number % 5 == 0 else "" for number, blob in enumerate(blobs[::2])}
    assert cache.known(asked) == expected
    assert cache.known({(blobs[0], "json")}) == {(blobs[0], "json"): "binary"}
    assert cache.known(()) == {}
    cache.close()


def test_what_is_learned_while_the_file_is_held_is_kept(tmp_path) -> None:
    path = str(tmp_path / "facts.sqlite")
    cache = FactsCache(database.connect(path, "facts", write=True))
    cache.learn("1" * 40, "text", b"one\n")
    cache.flush()
    other = FactsCache(database.connect(path, "facts", write=True))
    with cache.held():
        assert cache.outline("1" * 40, "text") is not None
        other.learn("2" * 40, "text", b"two\n")
        other.flush()  # whoever reads stops no writer
        cache.learn("3" * 40, "text", b"three\n")
        cache.flush()
        assert cache.links("3" * 40, "text") is not None
    assert other.texts("3" * 40, "text") == [("", "three")]
    assert cache.known({("2" * 40, "text")}) == {("2" * 40, "text"): ""}
    cache.close()
    other.close()


def test_an_index_that_is_closed_lets_go_of_every_file(tmp_path: Path) -> None:
    place = found(tmp_path / "repo", [Commit(plain({"a.py": "import b\n", "b.py": "def f():\n    pass\n"}))])
    with oracl_git.open(str(place)) as oracl:
        oracl.related([":/a.py"])
        facts = oracl.index.facts_cache
        assert facts is not None
        held = [*oracl.index.opened(), facts.connection]
        assert len(held) == 3
    for db in held:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            db.execute("SELECT 1")
