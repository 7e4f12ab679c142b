"""What a question leaves out, names and limits, against the page of the query language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import oracl_git
from oracl_git.recall.query import compile_query
from oracl_git.service import Oracl

from ..conftest import Git

FILES = {
    "shop/cart.py": "walrus = 1\n", "shop/cart.md": "# Walrus\n", "web/cart.py": "walrus = 2\n",
    "web/merge_queue.py": "walrus = 3\n", "web/queueMerger.py": "walrus = 4\n", "my dir/my file.txt": "walrus\n",
    "größe/übung.py": "walrus = 5\n", "größe/文档.md": "# walrus\n", ".ci/run.py": "walrus = 6\n",
    "-dash.py": "x = 1\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracl]:
    repo = Git(tmp_path_factory.mktemp("zoo")).init()
    repo.commit("Start", FILES)
    with oracl_git.open(str(repo.path)) as oracl:
        yield oracl


@pytest.mark.parametrize(("text", "left_out"), [
    ("-*.md", ("*.md",)), ("-.ci", (".ci",)), ("-übung", ("übung",)), ("-文档", ("文档",)), ("-/docs/", ("/docs/",)),
    ('-"two words"', ("two words",)), ('except "two words"', ("two words",)), ("without *.md.", ("*.md",)),
    ("but not Docs", ("Docs",)), ("-docs.", ("docs",)), ("-b -b", ("b",)),
    ("-- b", ()), ("- b", ()), ("-* b", ()), ("-. b", ()), ("b-c", ()), ("not b c", ()),
])  # fmt: skip
def test_what_is_left_out(text: str, left_out: tuple[str, ...]) -> None:
    assert compile_query(f"a {text}").excluded == left_out


@pytest.mark.parametrize(("text", "paths"), [
    ("-*.md", {"shop/cart.md", "größe/文档.md"}), ("-.ci", {".ci/run.py"}), ("-文档", {"größe/文档.md"}),
    ("-ÜBUNG", {"größe/übung.py"}), ("without größe", {"größe/übung.py", "größe/文档.md"}),
    ("-queue", {"web/merge_queue.py", "web/queueMerger.py"}), ("-merge_queue", {"web/merge_queue.py"}),
    ('-"merge queue"', {"web/merge_queue.py"}), ('-"queue merge"', set()), ("-queueMerger", {"web/queueMerger.py"}),
    ('-"my file"', {"my dir/my file.txt"}), ("-cart.py", {"shop/cart.py", "web/cart.py"}), ('-" "', set()),
    ("-shop/cart.py", {"shop/cart.py"}), ("-carts", {"shop/cart.py", "shop/cart.md", "web/cart.py"}),
    ("-path:shop/*", {"shop/cart.py", "shop/cart.md"}), ("-lang:md", {"shop/cart.md", "größe/文档.md"}),
    ("-lang:md -filename:cart.py", {"shop/cart.md", "größe/文档.md", "shop/cart.py", "web/cart.py"}),
    ("-path:nowhere", set()),
])  # fmt: skip
def test_files_left_out(zoo: Oracl, text: str, paths: set[str]) -> None:
    every = {result.path for result in zoo.search("walrus").results} - {"-dash.py"}
    for limit in (1, 50):
        found = zoo.search(f"walrus {text}", limit=limit)
        assert {result.path for result in found.results} - {"-dash.py"} == every - paths or limit == 1
        assert not paths & {result.path for result in found.results}


PAIRS = [
    ("path:shop/* path:web/*", {"shop/cart.py", "shop/cart.md", "web/cart.py", "web/merge_queue.py",
                                "web/queueMerger.py"}),
    ("path:shop/* filename:cart.py", {"shop/cart.py"}), ("filename:cart.py prefix:web", {"web/cart.py"}),
    ("lang:md lang:txt", {"shop/cart.md", "größe/文档.md", "my dir/my file.txt"}),
    ("path:shop/* lang:py lang:md", {"shop/cart.py", "shop/cart.md"}), ("path:/shop/cart.py", {"shop/cart.py"}),
    ("path:shop/* filename:queueMerger.py", set()), ("path:nowhere", set()), ("path:shop/* -cart.md", {"shop/cart.py"}),
    ("path:shop/* -lang:md", {"shop/cart.py"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "paths"), PAIRS)
@pytest.mark.parametrize("words", ["", " walrus", " recent", " since 2000"])
@pytest.mark.parametrize("ranker", ["hybrid", "classic"])
def test_directives_mean_the_same_with_and_without_words(
    zoo: Oracl, text: str, paths: set[str], words: str, ranker: str
) -> None:
    answer = zoo.search(text + words, ranker=ranker)
    assert {result.path for result in answer.results} == paths
    assert words == " walrus" or answer.total == len(paths)


def test_the_path_itself_is_no_negation(zoo: Oracl) -> None:
    assert [result.path for result in zoo.search("-dash.py").results] == ["-dash.py"]


def test_a_lookup_counts_all_and_lists_some(zoo: Oracl) -> None:
    answer = zoo.search("path:*.py", limit=2)
    assert (len(answer.results), answer.total) == (2, sum(path.endswith(".py") for path in FILES))


def test_recent_orders_what_is_named(git: Git) -> None:
    repo = git.init()
    for name in ("b", "c", "a"):
        repo.commit(f"Add {name}", {f"src/{name}.py": f"{name} = 1\n"})
    with oracl_git.open(str(repo.path)) as oracl:
        assert [r.path for r in oracl.search("prefix:src/").results] == ["src/a.py", "src/b.py", "src/c.py"]
        assert [r.path for r in oracl.search("prefix:src/ recent").results] == ["src/a.py", "src/c.py", "src/b.py"]


@pytest.mark.parametrize("when", ["2024-02-30", "2024-13", "2024-01-00", "v9.9"])
def test_a_time_that_is_none_is_told(zoo: Oracl, when: str) -> None:
    answer = zoo.search(f"walrus since {when}")
    assert answer.results == zoo.search("walrus").results
    assert answer.notes[0] == f"{when} is no date, and no commit is named so: passed over"
