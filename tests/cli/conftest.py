"""`git oracl …` in subprocesses, on a small real repository with an index, copied for each test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

EPOCH = 1_700_000_000

UNWANTED = ("GIT_", "ORACL_", "COLUMNS", "NO_COLOR")
ENV = {
    "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "ORACL_SKIP": "1",  # no worker outlives a test; tests of hooks take it away
}


class Done(NamedTuple):
    """What a command did."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode("utf-8", "surrogateescape")

    @property
    def json(self) -> Any:
        """The one JSON object it printed, of the schema that is promised."""
        data = json.loads(self.raw)
        assert data["schema"] == 1
        return data

    @property
    def paths(self) -> list[bytes]:
        """What -z printed."""
        assert not self.raw or self.raw.endswith(b"\0")
        return self.raw.split(b"\0")[:-1]


class Place:
    """A directory in which git and `git oracl` run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commits = 0
        self.wrapper: tuple[str, ...] = ()  # a command that runs the command

    def run(
        self, *argv: str | bytes, input: bytes = b"", cwd: str | Path = "", env: dict[str, str] | None = None,
        **options: Any,
    ) -> Done:  # fmt: skip
        """Any command; nothing of the machine's settings reaches it."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(UNWANTED)}
        done = subprocess.run(
            [*self.wrapper, *argv], cwd=self.path / cwd, input=input, capture_output=True, timeout=120,
            env={**clean, **ENV, "HOME": str(self.path.parent), **(env or {})}, **options,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def git(self, *args: str | bytes, **options: Any) -> str:
        """git; it must succeed."""
        done = self.run("git", *args, **options)
        assert done.code == 0, (args, done.err)
        return done.out.removesuffix("\n")

    def oracl(
        self, *args: str | bytes, code: int | None = 0, env: dict[str, str] | None = None, **options: Any
    ) -> Done:
        """`git oracl …`; it must exit as told (None: any way but with a bug), and show no traceback and no warning."""
        strict = {"PYTHONWARNINGS": "error"}  # as in the tests themselves; other tools have warnings of their own
        done = self.run("git", "oracl", *args, env={**strict, **(env or {})}, **options)
        assert "Traceback" not in done.err and "Exception ignored" not in done.err, done.err
        assert done.code != 3 if code is None else done.code == code, (args, done)
        return done

    def write(self, path: str | bytes, content: str | bytes) -> None:
        full = os.path.join(os.fsencode(self.path), os.fsencode(path))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str, files: dict[str, str | bytes] | None = None) -> str:
        """Write the files and commit all there is, a day after the last commit."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "-A")
        self.commits += 1
        date = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{EPOCH + 86_400 * self.commits} +0000")
        self.git("commit", "-q", "--allow-empty", "-m", message, env=date)
        return self.git("rev-parse", "HEAD")

    def init(self, *options: str) -> Place:
        self.path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)
        return self


CART = '''"""The cart: what a customer is about to buy."""

from .prices import Price, total


class Cart:
    """Items with prices."""

    def __init__(self) -> None:
        self.items: list[Price] = []

    def add_item(self, price: Price) -> None:
        """Put one item in."""
        self.items.append(price)

    def amount(self) -> int:
        """What it all costs."""
        return total(self.items)
'''
PRICES = '''"""Prices, and how they are summed."""


class Price(int):
    """Whole cents."""


def total(prices: list[Price]) -> int:
    """Sum; the discount threshold is decided here."""
    return sum(prices)
'''
STORE = '''"""Where carts are kept."""

from .cart import Cart
from .events import notify


def save(cart: Cart) -> None:
    """Write a cart."""
    notify("saved")
'''
EVENTS = '''"""Who is told of what. Imports the store, which imports it: a cycle."""


def notify(what: str) -> None:
    """Tell everyone."""
    from .store import save

    print(what, save)
'''
TEST_CART = """\
from shop.cart import Cart


def test_amount() -> None:
    assert Cart().amount() == 0
"""
TEST_PRICES = """\
from shop.prices import total


def test_discount_threshold():
    assert total([]) == 0
"""
GUIDE = """# Guide

## Discounts

The discount threshold is decided in [prices](../shop/prices.py).

## Carts

See `shop/cart.py`.
"""


def build(place: Place) -> Place:
    """Nine commits: a package with a cycle, tests, docs, configuration; a rename and a merge."""
    place.init()
    place.commit("A basket", {
        "shop/__init__.py": "", "shop/basket.py": CART, "shop/prices.py": PRICES,
        "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\n',
    })  # fmt: skip
    place.git("mv", "shop/basket.py", "shop/cart.py")
    place.commit("Call the basket a cart", {"shop/__init__.py": "from .cart import Cart\n"})
    place.commit("Test the discount threshold", {
        "tests/test_cart.py": TEST_CART,
        "tests/test_prices.py": TEST_PRICES,
    })  # fmt: skip
    place.git("checkout", "-q", "-b", "docs")
    place.commit("Explain discounts", {"docs/guide.md": GUIDE, "README.md": "# Shop\n\n[Guide](docs/guide.md)\n"})
    place.git("checkout", "-q", "main")
    place.commit("Keep carts", {"shop/store.py": STORE, "shop/events.py": EVENTS})
    place.git("merge", "-q", "--no-ff", "-m", "Merge docs", "docs")
    place.commit("Discounts from prices", {
        "shop/prices.py": PRICES + "\n\nDISCOUNT_THRESHOLD = 100\n",
        "tests/test_prices.py": TEST_PRICES.replace("[]) == 0", "[1]) == 1"),
    })  # fmt: skip
    place.commit("A command", {
        "shop/cli.py": "from . import Cart\nfrom .store import save\n\n\ndef main() -> None:\n    save(Cart())\n",
        "config/settings.yaml": "prices: shop/prices.py\n", "logo.png": b"\x89PNG\0\0",
    })  # fmt: skip
    place.commit("Prices and carts move together", {
        "shop/prices.py": PRICES + "\n\nDISCOUNT_THRESHOLD = 200\n", "shop/cart.py": CART + "\n\nLIMIT = 50\n",
    })  # fmt: skip
    return place


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The sample with its index, made once. Not to be changed."""
    place = build(Place(tmp_path_factory.mktemp("template") / "shop"))
    place.oracl("init")
    return place


@pytest.fixture
def shop(template: Place, tmp_path: Path) -> Place:
    """A copy of the sample and its index that a test may change."""
    place = Place(tmp_path / "shop")
    shutil.copytree(template.path, place.path, symlinks=True)
    place.commits = template.commits
    return place


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., Place]:
    """Makes empty directories to run in."""
    return lambda name="repo": Place(tmp_path / name)
