"""Names by the letters that a person types: the best first, however many others hold the letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracl_git.service import Oracl
from tests.worlds import Commit, Tree, found, plain

MANY = "".join(f"def budget_{number}():\n    pass\n" for number in range(6_000))
FILES = {
    "a/many.py": MANY,
    "b/get.py": "class Store:\n    def get(self):\n        pass\n\n    def getter(self):\n        pass\n",
    "z/last.py": "def get():\n    pass\n\n\ndef Get():\n    pass\n\n\ndef g_e_t():\n    pass\n",
    "z/100%_sure.md": "# Sure\n",
    "z/deep/get.py": "x = 1\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree: Tree = plain({path.encode(): text.encode() for path, text in FILES.items()})
    return Path(found(tmp_path_factory.mktemp("names") / "repo", [Commit(tree)]))


def names(place: Path, letters: str, limit: int = 100) -> list[tuple[str, str, str]]:
    with Oracl.at(str(place)) as oracl:
        return [(each.name, each.kind, each.path) for each in oracl.symbols(letters, limit=limit)]


def test_the_same_comes_first_then_a_last_part_then_a_beginning_then_a_part(place: Path) -> None:
    rows = names(place, "get", 9)
    assert rows[:6] == [
        ("get", "function", "z/last.py"),
        ("Store.get", "method", "b/get.py"),
        ("Get", "function", "z/last.py"),
        ("get.py", "file", "b/get.py"),
        ("get.py", "file", "z/deep/get.py"),
        ("Store.getter", "method", "b/get.py"),
    ]
    assert [name for name, _, _ in rows[6:]] == ["budget_0", "budget_1", "budget_2"]


def test_letters_in_order_are_the_last_resort(place: Path) -> None:
    assert names(place, "sgtr") == [("Store.getter", "method", "b/get.py")]
    assert ("g_e_t", "function", "z/last.py") in names(place, "g_e_t")


def test_a_slash_asks_for_paths(place: Path) -> None:
    assert names(place, "deep/g") == [("z/deep/get.py", "file", "z/deep/get.py")]
    assert names(place, "z/get")[0] == ("z/deep/get.py", "file", "z/deep/get.py")


@pytest.mark.parametrize("letters", ["%_s", "100%", "%_sure.md"])
def test_signs_stand_for_themselves(place: Path, letters: str) -> None:
    assert names(place, letters) == [("100%_sure.md", "file", "z/100%_sure.md")]


def test_as_many_as_were_asked_for(place: Path) -> None:
    for limit in (-1, 0, 1, 7):
        assert len(names(place, "e", limit)) == max(0, limit)
    assert names(place, "\udcff") == names(place, ".") == names(place, " ") == []
