"""Where several files have the name that a test's name points at, its place decides."""

from __future__ import annotations

import pytest

MIRRORED = [
    (
        "tests/docker/test_supervisor.py",
        ["app/supervisor.py", "app/docker/supervisor.py", "app/api/supervisor.py", "app/supervisor/__init__.py"],
        ["app/docker/supervisor.py"],
    ),
    (
        "core/spec/models/stock/estimator_spec.rb",
        ["core/app/models/stock/estimator.rb", "api/app/models/stock/estimator.rb", "core/lib/estimator.rb"],
        ["core/app/models/stock/estimator.rb"],
    ),
    (
        "one/src/test/java/org/shop/CartTest.java",
        ["one/src/main/java/org/shop/Cart.java", "two/src/main/java/org/shop/Cart.java"],
        ["one/src/main/java/org/shop/Cart.java"],
    ),
    ("src/ui/__tests__/cart.test.js", ["src/ui/cart.js", "src/api/cart.js"], ["src/ui/cart.js"]),
    ("tests/test_cart.py", ["shop/a/cart.py", "shop/b/cart.py"], ["shop/a/cart.py", "shop/b/cart.py"]),
]


@pytest.mark.parametrize(("test", "files", "tested"), MIRRORED)
def test_the_place_of_a_test_decides(edges, test: str, files: list[str], tested: list[str]) -> None:
    found = edges(dict.fromkeys([test, *files], "x = 1\n"))
    assert {row for row in found if row[0] == "tests"} == {("tests", test, path) for path in tested}
