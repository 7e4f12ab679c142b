"""A real server in its own process, a real client with the capabilities of known editors, small real repositories."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

sys.path.insert(0, os.path.dirname(__file__))
from raw import START, Raw

EDITORS = {
    "vscode": "visual_studio_code@v1.65.2",
    "neovim": "neovim@v0.11.0",
    "emacs": "emacs@v29.1",
}
CART = '''"""The cart: what a customer is about to buy."""

from .prices import Price, total


class Cart:
    """Items with prices."""

    def amount(self, items: list[Price]) -> int:
        """What it all costs."""
        return total(items)
'''
PRICES = '''"""Prices, and how they are summed."""


class Price(int):
    """Whole cents."""


def total(prices: list[Price]) -> int:
    """Sum; the discount threshold is decided here."""
    return sum(prices)
'''
FILES = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": CART,
    "shop/prices.py": PRICES,
    "shop/store.py": '"""Where carts are kept."""\n\nfrom .cart import Cart\n\n\ndef save(cart: Cart) -> None: ...\n',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_amount():\n    assert Cart().amount([]) == 0\n",
    "docs/guide.md": "# Guide\n\n## Discounts\n\nDecided in [prices](../shop/prices.py).\n\n"
    "See `shop/cart.py`, and [old news](../NEWS.md).\n",
    "README.md": "# Shop\n\n[Guide](docs/guide.md#discounts), [more](docs/missing.md)\n",
    "NEWS.md": "# News\n\nNothing.\n",
    "config/settings.yaml": "prices: shop/prices.py\n",
    ".gitignore": "*.log\nbuilt/\n",
}


class Shop:
    """A repository that a test may change."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, path: str, text: str | bytes) -> None:
        full = self.path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, message: str = "change") -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def read(self, path: str) -> str:
        return (self.path / path).read_text()

    def uri(self, path: str = "") -> str:
        return (self.path / path).as_uri()

    def index(self) -> None:
        subprocess.run([sys.executable, "-c", START.replace("'lsp', ", ""), "init", "--no-hooks"], cwd=self.path,
                       check=True, capture_output=True)  # fmt: skip


def build(path: Path) -> Shop:
    """Two commits: everything, then NEWS.md moves."""
    shop = Shop(path)
    path.mkdir(parents=True)
    shop.git("init", "-q", "-b", "main")
    for name, text in FILES.items():
        shop.write(name, text)
    shop.commit("A shop")
    shop.git("mv", "NEWS.md", "docs/news.md")
    shop.commit("News are documents")
    return shop


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{name}_NAME", "A U Thor")
            patch.setenv(f"GIT_{name}_EMAIL", "author@example.com")
        shop = build(tmp_path_factory.mktemp("lsp").resolve() / "shop")
        shop.index()
    return shop


@pytest.fixture
def shop(template: Shop, tmp_path: Path) -> Shop:
    """A copy of the sample and its index."""
    path = tmp_path.resolve() / "shop"
    shutil.copytree(template.path, path, symlinks=True)
    return Shop(path)


class Editor:
    """One client, what it opened, and what it was told."""

    def __init__(self, client: LanguageClient, name: str) -> None:
        self.client, self.name = client, name
        self.result: types.InitializeResult | None = None
        self.chosen: str | None = None  # the start of the title that the person clicks on
        self.asked: list[types.ShowMessageRequestParams] = []
        self.statuses: list[Any] = []
        self.refreshed = 0
        self.registered: list[str] = []

    async def start(self, *roots: str, options: Any = None, capabilities: Any = None) -> types.InitializeResult:
        """initialize, initialized."""
        params = types.InitializeParams(
            capabilities=capabilities or client_capabilities(EDITORS[self.name]), process_id=os.getpid(),
            root_uri=roots[0] if roots else None, initialization_options=options,
            workspace_folders=[types.WorkspaceFolder(uri, "folder") for uri in roots],
        )  # fmt: skip
        self.result = await self.client.initialize_session(params)
        return self.result

    def open(self, uri: str, text: str, language: str = "python") -> None:
        item = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, version: int, text: str, at: types.Range | None = None) -> None:
        event = (
            types.TextDocumentContentChangePartial(range=at, text=text)
            if at else types.TextDocumentContentChangeWholeDocument(text=text)
        )  # fmt: skip
        document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [event]))

    async def ask(self, method: str, params: Any) -> Any:
        """A request of our own; the result as JSON has it."""
        return plain(await self.client.protocol.send_request_async(method, params))

    async def actions(self, uri: str, span: types.Range, *only: str, told: Any = ()) -> Any:
        """Code actions as JSON has them: the client's library takes each for a mere command."""
        context = types.CodeActionContext(diagnostics=list(told), only=list(only) or None)  # type: ignore[arg-type]
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), span, context)
        number = f"actions {uri} {only} {len(self.asked)} {id(context)}"
        waiting = self.client.protocol.send_request(types.TEXT_DOCUMENT_CODE_ACTION, params, msg_id=number)
        self.client.protocol._result_types[number] = None
        return plain(await asyncio.wrap_future(waiting))

    async def command(self, name: str, params: Any) -> Any:
        return plain(
            await self.client.workspace_execute_command_async(types.ExecuteCommandParams(name, arguments=[params]))
        )

    async def diagnostics(self, uri: str, count: int) -> list[types.Diagnostic]:
        """What is told of a buffer, once it is so much."""
        for _ in range(200):
            found = list(self.client.diagnostics.get(uri, ()))
            if len(found) == count and uri in self.client.diagnostics:
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(f"{count} wanted: {self.client.diagnostics.get(uri)}")


def plain(value: Any) -> Any:
    """What pygls made of a JSON value it knows no type of."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


@pytest_asyncio.fixture
async def editors() -> AsyncIterator[Callable[..., Any]]:
    """Starts servers, each with its client."""
    made: list[Editor] = []

    async def start(name: str, *, args: tuple[str, ...] = (), configuration: Any = None) -> Editor:
        client = make_test_lsp_client()
        client._configuration = {"": configuration or {}}
        editor = Editor(client, name)
        _answers(client, editor)
        await client.start_io(sys.executable, "-c", START, *args)
        made.append(editor)
        return editor

    yield start
    for editor in made:
        if editor.client._server and editor.client._server.returncode is None:
            if editor.result is not None:
                await editor.client.shutdown_session()
            else:
                editor.client._server.kill()
        await editor.client.stop()


def _answers(client: LanguageClient, editor: Editor) -> None:
    """What a person and an editor do when they are asked."""

    @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    def choose(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        editor.asked.append(params)
        for action in params.actions or ():
            if editor.chosen and action.title.startswith(editor.chosen):
                return action
        return None

    if editor.name == "emacs":  # what eglot 1.12 of Emacs 29 does not know
        del client.protocol.fm.features[types.WINDOW_SHOW_DOCUMENT]

    @client.feature("oracl/didChangeStatus")
    def status(params: Any) -> None:
        editor.statuses.append(plain(params))

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(params: Any) -> None:
        editor.refreshed += 1

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        editor.registered += [each.method for each in params.registrations]


@pytest.fixture(params=EDITORS)
def editor_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture
async def editor(editors: Callable[..., Any], shop: Shop, editor_name: str) -> Editor:
    """Each editor in turn, at home in the shop."""
    started: Editor = await editors(editor_name, configuration={"oracl": {"hover": True, "definition": True}})
    await started.start(shop.uri())
    return started


@pytest.fixture
def raw(shop: Shop) -> Iterator[Callable[..., Any]]:
    """Starts servers that are spoken to in bytes."""
    made: list[Raw] = []

    def start(*args: str, flags: Sequence[str] = ()) -> Raw:
        made.append(Raw(shop.path, *args, flags=flags))
        return made[-1]

    yield start
    for each in made:
        each.kill()


@pytest.fixture
def server(raw: Callable[..., Any], shop: Shop) -> Any:
    """One of them, at home in the shop."""
    started = raw()
    started.start(shop.uri())
    return started
