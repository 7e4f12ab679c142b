"""The reference lists what the server registers, and nothing else."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

from lsprotocol import types
from oracl_git.lsp import messages, reference
from oracl_git.lsp.features import FEATURES, _add
from oracl_git.lsp.options import Options
from oracl_git.lsp.server import Server

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/language-server.md").read_text(encoding="utf-8")
Shop = Raw = Any  # conftest's


def registered() -> tuple[set[str], set[str]]:
    """(methods, commands) of a server with every feature on."""

    async def make() -> Server:
        server = Server()
        for feature in FEATURES:
            _add(server, feature)
        return server

    manager = asyncio.run(make()).protocol.fm
    return {*manager.features, *manager.builtin_features}, set(manager.commands)


def test_it_is_current() -> None:
    assert reference.page() == PAGE, "make man writes it anew"


def test_every_registration_is_listed_and_nothing_else() -> None:
    methods, commands = registered()
    notebooks = {method for method in methods if method.startswith("notebookDocument/")}  # the library's own
    listed = set(reference.USED_FOR) | set(reference.TOLD) | {message.method for message in messages.MESSAGES}
    assert methods - notebooks == listed - {types.CANCEL_REQUEST}
    assert commands == {message.command for message in messages.MESSAGES}
    for name in listed | commands | set(reference.SENT):
        assert f"`{name}`" in PAGE or f"### {name}\n" in PAGE, name


def test_everything_that_is_sent_is_listed() -> None:
    source = "".join(path.read_text() for path in (ROOT / "lsp").glob("*.py"))
    called = set(re.findall(r"\.((?:window|client|workspace|text_document)_\w+?)(?:_async)?\(", source))
    known = {re.sub(r"(?<!^)([A-Z])", r"_\1", name.replace("/", "_")).lower() for name in reference.SENT}
    pygls = {name for name in called if name in ("window_show_message", *known)}
    assert {name for name in called if hasattr(Server, name)} == pygls


def test_every_option_parameter_and_key(shop: Shop, server: Raw) -> None:
    for each in dataclasses.fields(Options):
        assert f"| `{each.name}` |" in PAGE
    uri = shop.uri("shop/cart.py")
    asked = {
        "search": {"query": "cart", "snippet": True}, "related": {"uri": uri}, "trace": {"uri": uri}, "status": {},
        "pick": {"uri": uri}, "open": {"uri": uri},
    }  # fmt: skip
    for message in messages.MESSAGES:
        section = PAGE.partition(f"### {message.method}\n")[2].partition("\n### ")[0]
        assert all(f"`{name}`" in section for name in (*message.params, *message.result))
        result = server.result(message.method, asked[message.name])
        assert set(result) <= set(message.result), message.name
    result = server.result("oracl/search", asked["search"])["results"][0]
    assert set(result) == set(messages.RESULT)
    assert set(server.result("oracl/trace", {"uri": uri})["tree"]) == set(messages.STEP)
    assert set(server.result("oracl/status")["roots"][0]) == set(messages.ROOT)
    assert json.dumps(result)


def test_options_of_clients_are_options() -> None:
    manifest = json.loads((ROOT / "lsp/clients/vscode/package.json").read_text())
    names = {name.removeprefix("oracl.") for name in manifest["contributes"]["configuration"]["properties"]}
    defaults = {each.name: each.default for each in dataclasses.fields(Options)}
    assert names - {"command"} <= set(defaults)
    for name, declared in manifest["contributes"]["configuration"]["properties"].items():
        if name != "oracl.command":
            assert declared["default"] == defaults[name.removeprefix("oracl.")], name
