"""Concept, node and neighbour questions: what a question is taken for, and what answers it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import oracl_git
from oracl_git.agent.retrieval import Retrieved, find, query_knowledge_graph
from oracl_git.errors import UnknownPath, UsageError
from oracl_git.service import Oracl

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": '"""Prices and the discount threshold."""\n\nTHRESHOLD = 100\n\n\ndef total(prices):\n    """Sum'
    ' of all, less the discount."""\n    return sum(prices)\n\n\nclass Tax:\n    def rate(self):\n        return 19\n',
    "shop/cart.py": '"""The cart."""\n\nfrom .prices import total\n\n\nclass Cart:\n    def sum(self):\n'
    "        return total([])\n",
    "shop/cli.py": "from .cart import Cart\n\n\ndef main():\n    return Cart()\n",
    "tests/test_prices.py": "from shop.prices import Tax, total\n\n\nclass TestTax:\n    def test_rate(self):\n"
    "        assert Tax().rate() == 19\n",
    "src/deep/lonely.py": "def move():\n    return 1\n",
    "odd/a:b.txt": "A name with a colon.\n",
    ".agentlas/oracl.toml": '[domains]\nshop = "money"\n',
    ".agentlas/constraints.toml": '[[constraint]]\nid = "pure"\npaths = ["shop/prices.py"]\nrule = "No I/O."\n'
    'forbid = ["import:os"]\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracl]:
    path = tmp_path_factory.mktemp("retrieval")
    for name, text in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "The shop"]):
        subprocess.run(["git", *words], cwd=path, check=True)
    with oracl_git.open(str(path)) as oracl:
        oracl.fresh()
        yield oracl


def ask(shop: Oracl, query: str, kind: str = "auto", k: int = 10, **more: object) -> Retrieved:
    return query_knowledge_graph(shop, query, kind, k, **more)  # type: ignore[arg-type]


def paths(found: Retrieved) -> list[str]:
    return [result.path for result in found.answer.results]


def test_words_are_a_concept(shop: Oracl) -> None:
    found = ask(shop, "where is the discount threshold")
    assert (found.kind, found.node) == ("concept", "") and paths(found)[0] == "shop/prices.py"


@pytest.mark.parametrize(
    ("query", "node", "focus"),
    [
        (":/shop/prices.py", "shop/prices.py", "L1-13"),
        ("file:shop/prices.py", "shop/prices.py", "L1-13"),
        ("path:shop/prices.py", "shop/prices.py", "L1-13"),
        ("filename:lonely.py", "src/deep/lonely.py", "L1-2"),
        ("file:deep/lonely.py", "src/deep/lonely.py", "L1-2"),
        ("shop/prices.py:8", "shop/prices.py", "L8-8"),
        ("shop/prices.py:8:12", "shop/prices.py", "L8-8"),
        ("shop/prices.py:total", "shop/prices.py", "L6-8"),
        ("shop/prices.py::total", "shop/prices.py", "L6-8"),
        ("tests/test_prices.py::TestTax::test_rate", "tests/test_prices.py", "L5-6"),
        ("file:shop/prices.py#L7-8", "shop/prices.py", "L7-8"),
        ("money:prices:shop/prices.py", "shop/prices.py", "L1-13"),
        ("odd/a:b.txt", "odd/a:b.txt", "L1-1"),
    ],
)
def test_a_colon_may_name_a_node(shop: Oracl, query: str, node: str, focus: str) -> None:
    found = ask(shop, query)
    assert (found.kind, found.node) == ("node", node)
    first = found.answer.results[0]
    assert (first.path, first.focus) == (node, focus)


def test_lines_are_told_with_the_definition_they_are_in(shop: Oracl) -> None:
    first = ask(shop, "shop/prices.py:12").answer.results[0]
    assert (first.fragment, first.focus, first.title) == ("L12-13", "L12-12", "Tax.rate")


@pytest.mark.parametrize(
    "query",
    ["std::move", "error: cannot find total", "domain:nowhere", "file:nowhere.py", "nowhere:nowhere:shop/prices.py",
     "shop/prices.py:nothing_of_it", ":", "a\n:b", "x:" * 4_000],
)  # fmt: skip
def test_a_colon_that_names_no_node_is_a_concept(shop: Oracl, query: str) -> None:
    assert ask(shop, query).kind == "concept"


def test_what_a_file_does_not_define_is_said(shop: Oracl) -> None:
    shop.notes.clear()
    ask(shop, "tests/test_prices.py::TestTax::test_nothing")
    assert shop.notes == ["tests/test_prices.py defines no TestTax.test_nothing: taken for a concept"]
    shop.notes.clear()
    ask(shop, "std::move")
    assert shop.notes == []
    with pytest.raises(UnknownPath, match="defines no"):
        ask(shop, "shop/prices.py:nothing", "node")


def test_a_node_comes_with_what_it_is_tied_to(shop: Oracl) -> None:
    found = ask(shop, "file:shop/prices.py")
    assert {"shop/cart.py", "tests/test_prices.py"} <= set(paths(found)[1:])
    cart = next(result for result in found.answer.results if result.path == "shop/cart.py")
    assert "imports" in cart.reasons[0].text and cart.focus == "L3-3"
    assert found.answer.total == len(paths(found))
    few = ask(shop, "file:shop/prices.py", k=2)
    assert paths(few) == paths(found)[:2] and few.answer.total == found.answer.total


def test_hubs_and_constraints_are_nodes(shop: Oracl) -> None:
    for query in ("hub:domain:money", "domain:money"):
        found = ask(shop, query)
        assert (found.kind, found.node) == ("node", "hub:domain:money")
        assert set(paths(found)) == {path for path in FILES if path.startswith("shop/")}
    for query in ("hub:domain:nowhere", "constraint:none"):
        with pytest.raises(UnknownPath, match="there is no"):
            ask(shop, query)
    rule = ask(shop, "constraint:pure")
    assert (rule.kind, paths(rule)) == ("node", ["shop/prices.py"])


def test_neighbours_are_reached_nearest_first(shop: Oracl) -> None:
    near = ask(shop, "shop/prices.py", "neighbours", direction="in")
    assert near.kind == "neighbours" and "shop/cart.py" in paths(near) and "shop/cli.py" not in paths(near)
    far = ask(shop, "shop/prices.py", "neighbours", direction="in", depth=2)
    assert paths(far).index("shop/cart.py") < paths(far).index("shop/cli.py")
    assert [r.score for r in far.answer.results] == sorted((r.score for r in far.answer.results), reverse=True)
    assert "shop/prices.py" not in paths(far)
    told = {r.path: r.reasons[0].text for r in far.answer.results}
    assert told["shop/cart.py"] == "imports shop/prices.py" and told["shop/cli.py"] == "imports shop/cart.py"
    out = ask(shop, "shop/cart.py:Cart", "neighbours", direction="out")
    assert paths(out) == ["shop/prices.py"] and out.answer.results[0].reasons[0].text == "shop/cart.py imports it"


def test_what_is_asked_for_by_kind_is_of_that_kind_or_nothing(shop: Oracl) -> None:
    assert ask(shop, "shop/prices.py:8", "concept").kind == "concept"
    assert ask(shop, "shop/prices.py", "node").node == "shop/prices.py"
    for query in ("file:nowhere.py", "domain:nowhere", "constraint:none", "std::move", "shop"):
        for kind in ("node", "neighbours"):
            with pytest.raises(UnknownPath) as failed:
                ask(shop, query, kind)
            assert failed.value.hint
    for query, kind, direction in (("", "auto", "in"), ("x", "thing", "in"), ("x", "auto", "up")):
        with pytest.raises(UsageError):
            ask(shop, query, kind, direction=direction)


def test_names_only(shop: Oracl) -> None:
    for query in ("discount", "file:shop/prices.py", "domain:money"):
        assert not any(result.snippet for result in ask(shop, query).answer.results)


def test_a_node_is_found_from_below(shop: Oracl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(str(shop.repo.work_tree)) / "shop")
    with oracl_git.open() as here:
        here.fresh()
        assert ask(here, "prices.py:8").node == ask(here, "shop/prices.py:8").node == "shop/prices.py"
        assert find(here, "nowhere.py") == ""
    assert os.getcwd().endswith("shop")
