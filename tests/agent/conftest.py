"""A small real repository with an index, and clients of its server: in this process, and of a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from oracl_git.agent.asking import Asking
from oracl_git.agent.server import Server, build

START = "import sys; from oracl_git.cli import main; sys.exit(main(sys.argv[1:]))"
FILES = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": '"""The cart: what a customer is about to buy."""\n\nfrom .prices import Price, total\n\n\n'
    'class Cart:\n    """Items with prices."""\n\n    def amount(self, items: list[Price]) -> int:\n'
    '        """What it all costs."""\n        return total(items)\n',
    "shop/prices.py": '"""Prices, and how they are summed."""\n\n\nclass Price(int):\n    """Whole cents."""\n\n\n'
    'def total(prices: list[Price]) -> int:\n    """Sum; the discount threshold is decided here."""\n'
    "    return sum(prices)\n",
    "shop/long.py": '"""Rows."""\n' + "".join(f"row_{n} = 'the discount of row {n}'\n" for n in range(2_000)),
    "shop/salt.py": '"""How the till is salted."""\nPEPPER = 1\n',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_amount():\n    assert Cart().amount([]) == 0\n",
    "docs/guide.md": "# Guide\n\n## Discounts\n\nDecided in [prices](../shop/prices.py), `shop/cart.py`.\n",
    "docs/two words.md": "# Two words\n\nA basket of pears.\n",
    "Makefile": "all:\n\techo tabs stay\n",
    ".agentlas/oracl.toml": '[[override]]\npaths = ["shop/salt.py"]\nclassification = "sensitive"\n',
    ".gitignore": "*.log\n",
}


class Shop:
    """A repository that a test may change."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def oracl(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", START, *args], cwd=self.path, capture_output=True, text=True)

    def write(self, path: str, text: str | bytes) -> None:
        full = self.path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    @asynccontextmanager
    async def inside(self) -> AsyncIterator[Agent]:
        """A client of a server in this process."""
        asking = Asking(str(self.path))
        try:
            server = build(asking)
            async with Client(server) as client:
                yield Agent(client, asking, server)
        finally:
            await asking.close()
            asking._pool.shutdown()  # a process would end: here the next test follows

    @asynccontextmanager
    async def outside(self, *args: str, cwd: Path | None = None) -> AsyncIterator[Agent]:
        """A client of a process of its own."""
        started = StdioServerParameters(
            command=sys.executable, args=["-c", START, "mcp", *args], cwd=cwd or self.path, env=dict(os.environ)
        )
        async with Client(stdio_client(started)) as client:
            yield Agent(client)


class Agent:
    """Calls tools, and holds each answer against what is promised of all."""

    def __init__(self, client: Client, asking: Asking | None = None, server: Server | None = None) -> None:
        self.client, self._asking, self._server = client, asking, server

    @property
    def asking(self) -> Asking:
        assert self._asking is not None, "only in this process"
        return self._asking

    async def call(self, name: str, **arguments: Any) -> Any:
        """The data of an answer."""
        answer = await self.client.call_tool(name, arguments)
        assert not answer.is_error, answer.content
        (block,) = answer.content
        data = answer.structured_content
        for text in strings([block.text, data]):  # type: ignore[union-attr]
            odd = [char for char in text if not char.isprintable() and char not in "\n\t"]
            assert not odd, (odd, text)
        return data

    async def text(self, name: str, **arguments: Any) -> str:
        """The text of an answer."""
        answer = await self.client.call_tool(name, arguments)
        assert not answer.is_error, answer.content
        return str(answer.content[0].text)  # type: ignore[union-attr]

    async def error(self, name: str, **arguments: Any) -> str:
        """What a failure says."""
        answer = await self.client.call_tool(name, arguments)
        assert answer.is_error and answer.structured_content is None, answer
        (block,) = answer.content
        text = str(block.text)  # type: ignore[union-attr]
        assert "Traceback" not in text and 'File "' not in text and "\n" not in text
        return text


def strings(value: Any) -> list[str]:
    """Every string in some data, keys too."""
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "A U Thor")
            patch.setenv(f"GIT_{name}_EMAIL", "author@example.com")
        path = tmp_path_factory.mktemp("agent").resolve() / "shop"
        path.mkdir()
        shop = Shop(path)
        shop.git("init", "-q", "-b", "main")
        for name, text in FILES.items():
            shop.write(name, text)
        shop.commit("A shop")
        shop.write("shop/prices.py", FILES["shop/prices.py"] + "\n\nTHRESHOLD = 10\n")
        shop.write("shop/cart.py", FILES["shop/cart.py"] + "\n\nEMPTY = Cart()\n")
        shop.commit("The discount threshold is ten")
        assert shop.oracl("init", "--no-hooks").returncode == 0
    return shop


@pytest.fixture
def shop(template: Shop, tmp_path: Path) -> Shop:
    """A copy of the sample and its index."""
    path = tmp_path.resolve() / "shop"
    shutil.copytree(template.path, path, symlinks=True)
    return Shop(path)
