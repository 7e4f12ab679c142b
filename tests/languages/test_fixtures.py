"""pytest's fixtures: from an argument to the `conftest.py` that has a fixture of its name."""

from __future__ import annotations

import pytest

from .reading import facts

CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef {0}():\n    pass\n"


def named(text: str) -> list[str]:
    return [reference.name for reference in facts("test_a.py", text).references if reference.kind == "use"]


@pytest.mark.parametrize(("text", "names"), [
    ("def test_a(shop, cart): pass", ["cart", "shop"]),
    ("async def test_a(shop: Shop, *, cart: dict[str, int]): pass", ["cart", "shop"]),
    ("class TestA:\n    def test_a(self, shop): pass", ["shop"]),
    ("@pytest.fixture()\ndef till(shop, request): pass", ["shop"]),
    ("def test_a(\n    shop,  # a, b\n    cart,\n): pass", ["cart", "shop"]),
    ("def test_a(shop=1, n: int = 2): pass", []),
    ("def helper(shop): pass", []),
    ("def test_a(): pass", []),
    ("class test_a(Shop): pass", []),
])  # fmt: skip
def test_arguments(text: str, names: list[str]) -> None:
    assert sorted(named(text)) == names


def test_the_nearest_conftest_has_it(edges) -> None:
    found = edges({
        "conftest.py": CONFTEST.format("shop") + CONFTEST.format("till"),
        "tests/conftest.py": CONFTEST.format("shop"),
        "tests/web/test_a.py": "def test_a(shop, till, tmp_path): pass\n",
        "tests/web/test_own.py": "def shop(): pass\n\n\ndef test_a(shop): pass\n",
        "other/conftest.py": CONFTEST.format("tmp_path"),
        "src/shop.py": "def shop(): pass\n",
    })  # fmt: skip
    assert {edge for edge in found if edge[0] == "references"} == {
        ("references", "tests/web/test_a.py", "tests/conftest.py"),
        ("references", "tests/web/test_a.py", "conftest.py"),
    }


def test_a_fixture_may_stand_before_one_of_its_name(edges) -> None:
    over = "import pytest\n\n\n@pytest.fixture\ndef shop(shop):\n    pass\n"
    assert ("references", "tests/conftest.py", "conftest.py") in edges(
        {"conftest.py": CONFTEST.format("shop"), "tests/conftest.py": over}
    )


def test_what_a_conftest_imports_lies_where_it_is_defined(edges) -> None:
    found = edges({
        "conftest.py": "from fixtures.shops import shop\nfrom fixtures.tills import *\n",
        "fixtures/__init__.py": "",
        "fixtures/shops.py": CONFTEST.format("shop"),
        "fixtures/tills.py": CONFTEST.format("till"),
        "test_a.py": "def test_a(shop, till, other): pass\n",
    })  # fmt: skip
    assert {edge for edge in found if edge[1] == "test_a.py"} == {
        ("references", "test_a.py", "fixtures/shops.py"), ("references", "test_a.py", "fixtures/tills.py"),
    }  # fmt: skip
