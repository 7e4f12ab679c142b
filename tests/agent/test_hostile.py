"""Arguments, files and clients that mean no good, and what may never be told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

Shop = Agent = Any  # conftest's
pytestmark = pytest.mark.asyncio
# What names no file of the graph, in words that a client may try.
NAMES = (
    "../outside.py", "shop/../../outside.py", "/etc/passwd", "~/.ssh/id_ed25519", "file:///etc/passwd", ".git/config",
    ".GIT/config", "shop/\0cart.py", ":/../outside.py", ":(glob)**", "--upload-pack=x", "-rf", "C:\\Windows",
    "\\\\host\\x", "link.py", "way/outside.py", ".agentlas/ontology-inbox/plan.md",
    ".agentlas/ontology-runtime.sqlite", "notes.log", "untracked.py",
    "shop", "\ud800", "x" * 4_000, "shop/cart.py#L", "%2e%2e/outside.py",
)  # fmt: skip


def trap(shop: Shop) -> None:
    """Files around, beside and below, that are none of the graph."""
    (shop.path.parent / "outside.py").write_text("OUTSIDE = 'chimera'\n")
    os.symlink(shop.path.parent / "outside.py", shop.path / "link.py")
    os.symlink(shop.path.parent, shop.path / "way")
    shop.commit("Ways out")
    shop.write("notes.log", "chimera\n")
    shop.write("untracked.py", "chimera = 'the discount of a chimera'\n")
    shop.write(".agentlas/ontology-inbox/plan.md", "# Plan\n\nThe chimera of prices.\n")


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_that_is_no_file_of_the_graph(shop: Shop, name: str) -> None:
    trap(shop)
    async with shop.inside() as agent:
        for tool, arguments in (
            ("oracl_show", {"at": name}), ("oracl_related", {"paths": [name]}), ("oracl_trace", {"path": name}),
            ("oracl_trace", {"path": "shop/cart.py", "to": name}),
        ):  # fmt: skip
            answer = await agent.client.call_tool(tool, arguments)
            said = answer.content[0].text
            assert "chimera" not in said and "root:" not in said
            if (tool, name) == ("oracl_related", "link.py"):  # git tracks it: history may know, its text is not read
                assert answer.structured_content["results"] == []
                continue
            assert answer.is_error, (tool, said)
            assert "(" in said or "ask again" in said, "what to do next"
            assert str(shop.path.parent) not in said or str(shop.path.parent) in name
        packed = await agent.client.call_tool("oracl_agent_context", {"question": "chimera", "paths": [name]})
        assert packed.is_error or packed.structured_content["fragments"] == []
        uri = "oracl://artifact/" + name.encode("utf-8", "replace").decode()
        with pytest.raises(MCPError) as refused:
            await agent.client.read_resource(uri)
        assert "chimera" not in str(refused.value)


@pytest.mark.parametrize(
    "name",
    ["%2e%2e/outside.py", "shop%2F..%2F..%2Foutside.py", "shop/./cart.py", "shop//cart.py", "/shop/cart.py",
     "%2fetc%2fpasswd", "..%5coutside.py", "%252e%252e/outside.py", "shop/cart.py%00", ".git%2fconfig", "logo.png",
     "shop/x/../cart.py", "", "shop/cart.py#L1-3", "shop/cart.py?x=1"],
)  # fmt: skip
async def test_resources_have_one_name_each(shop: Shop, name: str) -> None:
    trap(shop)
    shop.write("logo.png", b"\x89PNG\r\n\x1a\n\0\0")
    shop.commit("A picture")
    async with shop.inside() as agent:
        with pytest.raises(MCPError):
            await agent.client.read_resource("oracl://artifact/" + name)


async def test_resources(shop: Shop) -> None:
    shop.write("docs/esc.md", "a \x1b[2Jb\n")
    shop.write("docs/much.txt", "many words\n" * 95_000)
    shop.commit("More")
    async with shop.inside() as agent:
        for name, path in (("shop/cart.py", "shop/cart.py"), ("docs/two%20words.md", "docs/two words.md")):
            (read,) = (await agent.client.read_resource("oracl://artifact/" + name)).contents
            assert read.text == (shop.path / path).read_text()  # type: ignore[union-attr]
        (read,) = (await agent.client.read_resource("oracl://artifact/docs/esc.md")).contents
        assert read.text == "a \\x1b[2Jb\n"  # type: ignore[union-attr]
        shop.write("shop/cart.py", "changed, and not committed\n")
        (read,) = (await agent.client.read_resource("oracl://artifact/shop/cart.py")).contents
        assert "The cart" in read.text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("oracl_search", {}, "query"), ("oracl_search", {"query": ""}, "query"),
        ("oracl_search", {"query": "x" * 10_001}, "query"), ("oracl_search", {"query": 7}, "query"),
        ("oracl_search", {"query": "\ud800"}, "query"),
        ("oracl_search", {"query": "x", "limit": 0}, "limit"), ("oracl_search", {"query": "x", "limit": 51}, "limit"),
        ("oracl_search", {"query": "x", "repository": "/etc"}, "takes no 'repository'"),
        ("oracl_related", {"paths": []}, "paths"), ("oracl_related", {"paths": ["x"] * 51}, "paths"),
        ("oracl_related", {"paths": "shop"}, "paths"), ("oracl_related", {"paths": ["a"], "kind": "all"}, "kind"),
        ("oracl_trace", {"path": "shop/cart.py", "direction": "up"}, "direction"),
        ("oracl_trace", {"path": "shop/cart.py", "depth": 10**30}, "depth"),
        ("oracl_show", {"at": {"path": "x"}}, "at"), ("oracl_status", {"path": "/etc"}, "takes no 'path'"),
        ("oracl_agent_context", {"question": "x", "budget": 499}, "budget"),
        ("oracl_agent_context", {"question": "x", "budget": "much"}, "budget"),
        ("oracl_agent_run", {"task": "x"}, "there is no tool"), ("oracl_\x1b[2J", {}, "there is no tool"),
    ],
)  # fmt: skip
async def test_arguments_that_are_none(shop: Shop, tool: str, arguments: Any, said: str) -> None:
    async with shop.inside() as agent:
        told = await agent.error(tool, **arguments)
        assert said in told and len(told) < 500 and "\x1b" not in told and "pydantic" not in told


@pytest.mark.parametrize(
    "query",
    ["\0", '"', "' OR 1=1 --", "NEAR(a b)", "file:../../etc/passwd", "path:/etc", "before --upload-pack=x", "-x -y",
     "\x1b]0;x\x07", "\u202e\u2066", "* " * 3_000, "(" * 5_000, "since 9999-99-99", "😀" * 2_000, " "],
)  # fmt: skip
async def test_every_string_is_a_question(shop: Shop, query: str) -> None:
    async with shop.inside() as agent:
        await agent.call("oracl_search", query=query, snippet=True)
        packed = await agent.call("oracl_agent_context", question=query, budget=500)
        assert packed["tokens"] <= 500


async def test_text_of_the_repository_can_only_be_read(shop: Shop) -> None:
    """`call` and `text` hold every string of every answer against that."""
    odd = "evil\x1b[2J\u202e\u2066\u200b\U000e0041\x07name"
    shop.write(f"shop/{odd}.py", f'"""A chimera {odd} of discounts.\r\n```\n"""\n\n\ndef chimera():\n    "{odd}"\n')
    shop.write("docs/chimera.md", f"# Chimera {odd}\n\n[chimera](../shop/{odd}.py) ``` {odd}\n")
    shop.write(b"shop/caf\xe9.py".decode("latin-1"), "chimera = 2\n")
    os.rename(shop.path / "shop/café.py", os.fsencode(shop.path) + b"/shop/caf\xe9.py")
    shop.commit(f"Chimera {odd}")
    async with shop.inside() as agent:
        found = await agent.call("oracl_search", query="chimera", snippet=True)
        places = {hit["at"].partition("#")[0] for hit in found["results"]}
        assert "shop/caf\\xe9.py" in places
        assert any(place.startswith("shop/evil\\x1b[2J\\xe2\\x80\\xae") for place in places)
        packed = await agent.call("oracl_agent_context", question="chimera")
        assert any("evil\\x1b[2J" in fragment["text"] for fragment in packed["fragments"])
        text = await agent.text("oracl_agent_context", question="chimera")
        assert "\x1b" not in text and "\r" not in text and "\u202e" not in text
        for tool, arguments in (
            ("oracl_related", {"paths": ["docs/chimera.md"]}), ("oracl_trace", {"path": "docs/chimera.md"}),
            ("oracl_show", {"at": "docs/chimera.md"}), ("oracl_status", {}),
        ):  # fmt: skip
            await agent.call(tool, **arguments)


async def test_what_is_private_stays_private(shop: Shop) -> None:
    """A private document, an agent's memory and a ticket, all of which speak of the discount threshold."""
    assert shop.oracl("ontology", "init").returncode == 0
    shop.write(".agentlas/ontology-inbox/open.md", "# Open plan\n\nThe discount threshold of prices: wyvern.\n")
    shop.write("private/secret.md", "# Secret plan\n\nThe discount threshold of shop/prices.py: chimera.\n")
    for words in (
        ["ontology", "sources", "add", "private", "--scope", "private"], ["ontology", "ingest"],
        ["ontology", "experience", "ingest", "--agent", "a", "The discount threshold is a basilisk"],
        ["curate", "propose", "fact", "The discount threshold is a manticore.", "--evidence", "shop/prices.py:1-3",
         "--reason", "asked for"],
    ):  # fmt: skip
        done = shop.oracl(*words)
        assert done.returncode == 0, (words, done.stderr)
    told = ""
    async with shop.inside() as agent:
        for tool, arguments in (
            ("oracl_search", {"query": "discount threshold chimera basilisk manticore", "snippet": True}),
            ("oracl_agent_context", {"question": "discount threshold chimera basilisk manticore"}),
            ("oracl_related", {"paths": ["shop/prices.py"]}), ("oracl_show", {"at": "shop/prices.py"}),
            ("oracl_trace", {"path": "shop/prices.py", "direction": "both"}), ("oracl_status", {}),
        ):  # fmt: skip
            told += str(await agent.call(tool, **arguments))
    assert not [word for word in ("chimera", "basilisk", "manticore", "secret") if word in told.lower()]
    assert "open.md" in told, "what is not private goes with the files it speaks of"


async def test_a_bug_tells_nothing(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("/home/someone/secret")

    async with shop.inside() as agent:
        monkeypatch.setattr("oracl_git.service.Oracl.search", fail)
        monkeypatch.setattr("oracl_git.service.Oracl.text", fail)
        said = await agent.error("oracl_search", query="x")
        assert "this is a bug of git-oracl (RuntimeError)" in said and "secret" not in said and "/" not in said
        with pytest.raises(MCPError) as refused:
            await agent.client.read_resource("oracl://artifact/shop/cart.py")
        assert "secret" not in str(refused.value) and "this is a bug" in str(refused.value)
    assert "/home/someone/secret" in caplog.text, "the log says more"


async def test_a_shortage_is_no_bug(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise MemoryError

    async with shop.inside() as agent:
        monkeypatch.setattr("oracl_git.service.Oracl.search", fail)
        assert "there is not enough memory" in await agent.error("oracl_search", query="x")


async def test_answers_write_nothing(shop: Shop) -> None:
    """The index is read in a connection that cannot write, the query log is a person's, and the work tree is left."""

    def lying(top: Path) -> dict[str, tuple[int, int]]:
        shared = ("-shm", "-wal")  # of readers too, though nothing is in them
        found = {str(p): p.stat() for p in top.rglob("*") if p.is_file()}
        return {p: (s.st_mtime_ns, s.st_size) for p, s in found.items() if s.st_size and not p.endswith(shared)}

    async with shop.inside() as agent:
        await agent.call("oracl_search", query="discount")
        before = lying(shop.path)
        for tool, arguments in (
            ("oracl_search", {"query": "discount threshold", "snippet": True}), ("oracl_status", {}),
            ("oracl_agent_context", {"question": "discount"}), ("oracl_related", {"paths": ["shop/cart.py"]}),
            ("oracl_trace", {"path": "shop/cart.py"}), ("oracl_show", {"at": "shop/cart.py"}),
        ):  # fmt: skip
            await agent.call(tool, **arguments)
        assert lying(shop.path) == before

        def write(oracl: Any) -> str:
            try:
                oracl.index.db.execute("DELETE FROM node")
            except sqlite3.OperationalError as error:
                return str(error)
            return "written"

        assert "readonly" in await agent.asking.ask(write)
        assert await agent.asking.ask(lambda o: o.index.db.execute("PRAGMA query_only").fetchone()[0]) == 1
    assert not (shop.path / ".git/oracl/search_history.jsonl").exists()


async def test_another_directory_is_the_same_repository(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was chosen when the server started: paths mean the same wherever that was, and whatever the process does."""
    monkeypatch.chdir(shop.path / "shop")
    async with type(shop)(shop.path / "shop").inside() as agent:
        monkeypatch.chdir("/")
        shown = await agent.call("oracl_show", at="shop/cart.py")
        assert shown["at"].startswith("shop/cart.py")
        assert (await agent.call("oracl_show", at=str(shop.path / "shop/cart.py")))["at"] == shown["at"]
        subprocess.run(["git", "mv", "shop/cart.py", "shop/basket.py"], cwd=shop.path, check=True)
        shop.commit("Renamed")
        renamed = await agent.call("oracl_show", at="shop/cart.py")
        assert renamed["at"].startswith("shop/basket.py") and "is called shop/basket.py now" in renamed["notes"][0]
