"""Each feature, as VS Code, Neovim and Emacs see it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

Editor = Shop = Any  # conftest's
pytestmark = pytest.mark.asyncio


def at(line: int, character: int = 0) -> types.Position:
    return types.Position(line, character)


def paths(rows: list[dict[str, Any]]) -> list[str]:
    return [row["path"] for row in rows]


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """The text after edits of single lines (in ASCII)."""
    lines = text.split("\n")
    for edit in edits:
        start, end = edit["range"]["start"], edit["range"]["end"]
        row = lines[start["line"]]
        lines[start["line"]] = row[: start["character"]] + edit["newText"] + row[end["character"] :]
    return "\n".join(lines)


async def test_what_is_announced(editor: Editor) -> None:
    can = editor.result.capabilities
    assert can.workspace_symbol_provider and can.code_action_provider
    assert bool(can.document_link_provider) == (editor.name == "vscode")  # the others do not speak of it
    assert set(can.execute_command_provider.commands) == {
        f"oracl.{name}" for name in ("search", "related", "trace", "status", "pick", "open")
    }
    assert bool(can.call_hierarchy_provider) == (editor.name != "emacs")
    assert bool(can.references_provider) == (editor.name == "emacs")  # the fallback
    assert bool(can.code_lens_provider) == (editor.name != "emacs")


async def test_names(editor: Editor, shop: Shop) -> None:
    found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("Cart"))
    assert found[0].name == "Cart" and found[0].kind == types.SymbolKind.Class
    assert found[0].location.uri == shop.uri("shop/cart.py") and found[0].location.range.start.line == 5
    found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("tcrt"))  # letters in order
    assert "test_cart.py" in [each.name for each in found]
    assert not await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("zzz%_\\"))


async def test_search(editor: Editor, shop: Shop) -> None:
    asked = {"query": "where are whole cents summed", "limit": 3, "snippet": True}
    answer = await editor.ask("oracl/search", asked)
    best = answer["results"][0]
    assert best["path"] == "shop/prices.py" and best["uri"] == shop.uri("shop/prices.py")
    assert best["root"] == shop.uri() and best["reasons"] and "total" in best["snippet"]
    assert best["range"]["start"]["line"] + 1 == int(best["focus"][1:].partition("-")[0])
    again = await editor.command("oracl.search", asked)
    assert again == answer


async def test_unsaved_text_counts(editor: Editor, shop: Shop) -> None:
    """A new import typed in the buffer shows in related, trace, links and hierarchy before it is saved."""
    uri = shop.uri("shop/store.py")
    text = shop.read("shop/store.py")
    editor.open(uri, text)
    before = await editor.ask("oracl/trace", {"uri": uri, "depth": 1})
    assert paths(before["tree"]["children"]) == ["shop/cart.py"]
    editor.change(uri, 2, "from .prices import total\n", types.Range(at(3), at(3)))
    after = await editor.ask("oracl/trace", {"uri": uri, "depth": 1})
    assert set(paths(after["tree"]["children"])) == {"shop/cart.py", "shop/prices.py"} and after["version"] == 2
    related = await editor.ask("oracl/related", {"uri": shop.uri("shop/prices.py")})
    row = next(row for row in related["results"] if row["path"] == "shop/store.py")
    assert any("imports total" in reason["text"] for reason in row["reasons"]), row
    back = await editor.ask("oracl/trace", {"uri": shop.uri("shop/prices.py"), "direction": "in", "depth": 1})
    assert "shop/store.py" in paths(back["tree"]["children"])
    if editor.name == "vscode":
        links = await editor.client.text_document_document_link_async(
            types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
        )
        assert shop.uri("shop/prices.py") in {link.target.partition("#")[0] for link in links}
    editor.change(uri, 3, text)
    undone = await editor.ask("oracl/trace", {"uri": uri, "depth": 1})
    assert paths(undone["tree"]["children"]) == ["shop/cart.py"]
    editor.change(uri, 4, text + "from .prices import total\n")
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    closed = await editor.ask("oracl/trace", {"uri": uri, "depth": 1})
    assert paths(closed["tree"]["children"]) == ["shop/cart.py"] and closed["version"] is None
    assert "total" not in shop.read("shop/store.py")


async def test_a_buffer_that_is_no_file_yet(editor: Editor, shop: Shop) -> None:
    uri = shop.uri("shop/new.py")
    editor.open(uri, "from .prices import total\n")
    answer = await editor.ask("oracl/trace", {"uri": uri})
    assert paths(answer["tree"]["children"]) == ["shop/prices.py"]
    editor.open(shop.uri("built/new.py"), "import shop.prices\n")  # git ignores it
    back = await editor.ask("oracl/trace", {"uri": shop.uri("shop/prices.py"), "direction": "in", "depth": 1})
    found = paths(back["tree"]["children"])
    assert "shop/new.py" in found and "built/new.py" not in found


async def test_related_in_a_list_and_by_choice(editor: Editor, shop: Shop) -> None:
    uri = shop.uri("shop/cart.py")
    answer = await editor.ask("oracl/related", {"uri": uri, "limit": 5})
    assert "tests/test_cart.py" in paths(answer["results"]) and answer["results"] == sorted(
        answer["results"], key=lambda row: -row["score"]
    )
    only = await editor.ask("oracl/related", {"uri": uri, "kind": "tests"})
    assert paths(only["results"]) == ["tests/test_cart.py"]
    both = await editor.ask("oracl/related", {"uri": uri, "uris": [shop.uri("tests/test_cart.py")]})
    assert not {"shop/cart.py", "tests/test_cart.py"} & set(paths(both["results"]))

    editor.chosen = "tests/test_cart.py"
    opened = await editor.command("oracl.pick", {"uri": uri})
    assert opened == {"uri": shop.uri("tests/test_cart.py")}
    assert "shop/cart.py" in editor.asked[0].message and len(editor.asked[0].actions) <= 8
    if editor.name == "emacs":  # it cannot show a document
        assert editor.client.messages[-1].message == "tests/test_cart.py"
    else:
        assert editor.client.shown_documents[-1].uri == shop.uri("tests/test_cart.py")
    editor.chosen = None
    assert await editor.command("oracl.pick", {"uri": uri}) == {"uri": None}


async def test_a_client_that_neither_asks_nor_says_that_it_shows(editors: Callable[..., Any], shop: Shop) -> None:
    """Helix before 25.07: an action a file, which opens it; a question that it refuses becomes a sentence."""
    editor = await editors("helix")
    del editor.client.protocol.fm.features[types.WINDOW_SHOW_MESSAGE_REQUEST]
    window = types.WindowClientCapabilities(work_done_progress=True)
    text = types.TextDocumentClientCapabilities(code_action=types.CodeActionClientCapabilities())
    await editor.start(shop.uri(), capabilities=types.ClientCapabilities(window=window, text_document=text))
    uri = shop.uri("shop/cart.py")
    offered = await editor.actions(uri, types.Range(at(0), at(0)))
    (action,) = [row for row in offered if row["title"].startswith("tests/test_cart.py")]
    assert await editor.command(action["command"], action["arguments"][0]) == {"uri": shop.uri("tests/test_cart.py")}
    assert editor.client.shown_documents[-1].uri == shop.uri("tests/test_cart.py")
    assert await editor.command("oracl.pick", {"uri": uri}) == {"uri": None}
    told = editor.client.messages[-1].message
    assert told.startswith("Related to shop/cart.py: ") and "tests/test_cart.py" in told
    for outside in ("file:///etc/passwd", shop.uri(".git/config"), shop.uri("a/%2e%2e/%2e%2e/x")):
        with pytest.raises(JsonRpcException):
            await editor.command("oracl.open", {"uri": outside})


async def test_code_action_and_lens(editor: Editor, shop: Shop) -> None:
    uri = shop.uri("shop/cart.py")
    whole = types.Range(at(0), at(0))

    for only in ((), ("source",), ("source.oracl.related",)):
        offered = await editor.actions(uri, whole, *only)
        assert {action["kind"] for action in offered} == {"source.oracl.related"}
        if editor.name != "emacs":
            assert [action["command"]["command"] for action in offered] == ["oracl.pick"]
            continue
        action = next(row for row in offered if row["title"].startswith("tests/test_cart.py (tests it"))
        assert len(offered) <= 8 and action["command"]["command"] == "oracl.open"  # it does not say that it asks
    assert await editor.actions(uri, whole, "refactor") == await editor.actions(uri, whole, "source.or") == []
    if editor.name == "emacs":
        return
    (lens,) = await editor.client.text_document_code_lens_async(types.CodeLensParams(types.TextDocumentIdentifier(uri)))
    assert lens.range.start.line == 0 and lens.command is None
    lens = await editor.client.code_lens_resolve_async(lens)
    assert lens.command.title == "4 files use this · 1 test · uses 1 · related files"
    assert lens.command.command == "oracl.pick" and lens.command.arguments[0]


async def test_trace_as_hierarchy_or_references(editor: Editor, shop: Shop) -> None:
    uri = shop.uri("shop/cart.py")
    if editor.name == "emacs":
        params = types.ReferenceParams(
            types.ReferenceContext(include_declaration=False), types.TextDocumentIdentifier(uri), at(7)
        )
        found = await editor.client.text_document_references_async(params)
        rows = {(each.uri, each.range.start.line) for each in found}
        assert {(shop.uri("shop/store.py"), 2), (shop.uri("tests/test_cart.py"), 0)} <= rows
        params.position = at(2, 8)  # on `.prices`: who refers to that
        found = await editor.client.text_document_references_async(params)
        assert shop.uri("docs/guide.md") in {each.uri for each in found}
        return
    (item,) = await editor.client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(types.TextDocumentIdentifier(uri), at(7))
    )
    assert item.name == "shop/cart.py" and item.kind == types.SymbolKind.File
    calls = await editor.client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item))
    by_name = {call.from_.name: call for call in calls}
    assert set(by_name) == {"shop/__init__.py", "shop/store.py", "tests/test_cart.py", "docs/guide.md"}
    assert "tests" in by_name["tests/test_cart.py"].from_.detail
    assert "imports Cart" in by_name["shop/store.py"].from_.detail
    assert by_name["shop/store.py"].from_ranges[0].start.line == 2
    calls = await editor.client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(item))
    assert [call.to.name for call in calls] == ["shop/prices.py"]
    assert calls[0].from_ranges[0].start.line == 2
    further = types.CallHierarchyIncomingCallsParams(calls[0].to)
    assert len(await editor.client.call_hierarchy_incoming_calls_async(further)) == 3


async def test_trace_between_two(editor: Editor, shop: Shop) -> None:
    asked = {"uri": shop.uri("shop/store.py"), "to": shop.uri("shop/prices.py")}
    answer = await editor.command("oracl.trace", asked)
    assert [paths(way) for way in answer["paths"]] == [["shop/store.py", "shop/cart.py", "shop/prices.py"]]
    configures = {"uri": shop.uri("shop/prices.py"), "direction": "in", "relations": ["configures"]}
    only = await editor.ask("oracl/trace", configures)
    assert paths(only["tree"]["children"]) == ["config/settings.yaml"]


async def test_links_definition_and_card(editor: Editor, shop: Shop) -> None:
    uri = shop.uri("docs/guide.md")
    text = shop.read("docs/guide.md").replace("Decided", "\U0001f6d2 D\u00e9cided")  # a column is no byte
    editor.open(uri, text, "markdown")
    encoding = str(editor.result.capabilities.position_encoding)
    assert encoding == {"vscode": "utf-16", "neovim": "utf-8", "emacs": "utf-32"}[editor.name]
    number, line = next((n, line) for n, line in enumerate(text.splitlines()) if "prices.py" in line)
    codec, wide = {"utf-16": ("utf-16-le", 2), "utf-8": ("utf-8", 1), "utf-32": ("utf-32-le", 4)}[encoding]
    start = len(line.partition("../shop")[0].encode(codec)) // wide
    if editor.name == "vscode":
        links = await editor.client.text_document_document_link_async(
            types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
        )
        targets = {link.target.partition("#")[0]: link.range for link in links}
        assert set(targets) == {shop.uri("shop/prices.py"), shop.uri("shop/cart.py")}
        assert targets[shop.uri("shop/prices.py")] == types.Range(at(number, start), at(number, start + 17))
    middle = at(number, start)
    found = None
    for _ in range(50):  # the settings come after `initialized`
        try:
            found = await editor.client.text_document_definition_async(
                types.DefinitionParams(types.TextDocumentIdentifier(uri), middle)
            )
        except JsonRpcException:
            pass
        if found:
            break
        await asyncio.sleep(0.1)
    assert [each.uri for each in found] == [shop.uri("shop/prices.py")]
    card = await editor.client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(uri), middle))
    assert "shop/prices.py" in card.contents.value and "priority" in card.contents.value
    nothing = types.HoverParams(types.TextDocumentIdentifier(uri), at(0))
    assert await editor.client.text_document_hover_async(nothing) is None


async def test_broken_references_and_their_fix(editor: Editor, shop: Shop) -> None:
    guide, readme, cart = shop.uri("docs/guide.md"), shop.uri("README.md"), shop.uri("shop/cart.py")
    editor.open(guide, shop.read("docs/guide.md"), "markdown")
    (found,) = await editor.diagnostics(guide, 1)
    assert found.code == "broken-link" and "docs/news.md" in found.message and found.source == "oracl"
    line = shop.read("docs/guide.md").splitlines()[found.range.start.line]
    assert line[found.range.start.character : found.range.end.character] == "../NEWS.md"
    (action,) = await editor.actions(guide, found.range, "quickfix", told=[found])
    fixed = edited(shop.read("docs/guide.md"), action["edit"]["changes"][guide])
    assert "[old news](news.md)" in fixed and fixed.count("\n") == shop.read("docs/guide.md").count("\n")
    editor.change(guide, 2, fixed)
    await editor.diagnostics(guide, 0)

    editor.open(readme, shop.read("README.md"), "markdown")
    (found,) = await editor.diagnostics(readme, 1)  # it never led anywhere
    assert "docs/missing.md" in found.message
    editor.open(cart, shop.read("shop/cart.py").replace("import Price,", "import Cost,"))
    (found,) = await editor.diagnostics(cart, 1)
    assert found.code == "broken-import" and "does not define Cost" in found.message and found.range.start.line == 2
    editor.change(cart, 2, "from .prices import Cost  # oracl: ignore\n")
    await editor.diagnostics(cart, 0)


async def test_a_rename_that_is_not_committed_breaks_and_fixes(editor: Editor, shop: Shop) -> None:
    store = shop.uri("shop/store.py")
    editor.open(store, shop.read("shop/store.py"))
    (shop.path / "shop/cart.py").rename(shop.path / "shop/basket.py")
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([
        types.FileEvent(shop.uri("shop/cart.py"), types.FileChangeType.Deleted),
        types.FileEvent(shop.uri("shop/basket.py"), types.FileChangeType.Created),
    ]))  # fmt: skip
    (found,) = await editor.diagnostics(store, 1)
    assert "shop/basket.py" in found.message
    action = (await editor.actions(store, found.range, told=[found]))[0]
    fixed = edited(shop.read("shop/store.py"), action["edit"]["changes"][store])
    assert action["isPreferred"] and "from .basket import Cart\n" in fixed and "cart: Cart" in fixed
    editor.change(store, 2, fixed)
    await editor.diagnostics(store, 0)
