"""What clients should not do, and what happens to a repository while one edits in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import raw

Shop = Raw = Any  # conftest's
PARSE, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, FAILED, MODIFIED, CANCELLED = -32002, -32803, -32801, -32800


def related(uri: str, limit: int = 5) -> tuple[str, dict[str, Any]]:
    return "oracl/related", {"uri": uri, "limit": limit}


def works(server: Raw, shop: Shop) -> None:
    """It still answers, and rightly."""
    found = server.result(*related(shop.uri("shop/cart.py")))
    assert "tests/test_cart.py" in [row["path"] for row in found["results"]]


def test_streams_that_do_not_wait(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that runs on events may leave its pipes so."""
    monkeypatch.setattr(raw, "START", "import os\nfor n in 0, 1: os.set_blocking(n, False)\n" + raw.START)
    server = raw.Raw(shop.path)
    try:
        time.sleep(0.5)  # it finds nothing to read
        server.start(shop.uri())
        works(server, shop)
        assert server.leave() == 0
    finally:
        server.kill()


# -- messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE), (b"\xff\xfe", PARSE), (b"", PARSE), (b"[" * 100_000, PARSE), (b"NaN", INVALID_REQUEST),
        (b"[]", INVALID_REQUEST), (b'[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]', INVALID_REQUEST),
        (b"3", INVALID_REQUEST), (b'{"id":7,"method":"shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":7,"method":"shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","params":' + b'{"a":' * 500 + b"1" + b"}" * 500 + b"}", INVALID_REQUEST),
    ],
    ids=range(14),
)  # fmt: skip
def test_no_message(server: Raw, shop: Shop, body: bytes, code: int) -> None:
    server.body(body)
    assert server.wait(None)["error"]["code"] == code
    works(server, shop)


def test_messages_that_say_nothing(server: Raw, shop: Shop) -> None:
    """None of these has an answer that anybody waits for; all are passed over."""
    for message in (
        {"method": "textDocument/didChange", "params": None}, {"method": "textDocument/didChange", "params": 3},
        {"method": "textDocument/didOpen", "params": {"textDocument": 1}}, {"method": "$/nobody/knows"},
        {"method": "nobody/knows", "params": [1]}, {"id": 999, "result": 5}, {"id": "x", "error": {"code": 1}},
        {"method": "$/cancelRequest", "params": {"id": 12345}}, {"method": "$/setTrace", "params": {"value": "odd"}},
        {"method": "workspace/didChangeConfiguration", "params": {"settings": {"oracl": {"limit": "many"}}}},
        {"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{"uri": "file:///nowhere", "type": 9}]}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///never/opened"}}},
    ):  # fmt: skip
        server.send({"jsonrpc": "2.0", **message})
    server.change(shop.uri("shop/cart.py"), 9, "never opened")
    works(server, shop)


def test_requests_that_ask_nothing(server: Raw, shop: Shop) -> None:
    uri = shop.uri("shop/cart.py")
    assert server.error("no/such/method") == NO_METHOD
    assert server.error("textDocument/documentLink", {"textDocument": 3}) == INVALID_PARAMS
    assert server.error("textDocument/documentLink", [1, 2]) == INVALID_PARAMS
    for params in (
        None, [], {"uri": 3}, {"uri": uri, "limit": "5"}, {"uri": uri, "limit": True}, {"uri": uri, "kind": "odd"},
        {"uri": uri, "uris": [1]}, {"uri": "x" * 20_000}, 7,
    ):  # fmt: skip
        assert server.error("oracl/related", params) == INVALID_PARAMS, params
    assert server.error("workspace/executeCommand", {"command": "rm"}) == INVALID_PARAMS
    assert server.error("workspace/executeCommand", {"command": "oracl.search", "arguments": [1, 2]}) == INVALID_PARAMS
    assert server.error("initialize", {"capabilities": {}}) == INVALID_REQUEST
    odd = {"textDocument": {"uri": uri}, "position": {"line": 4_000_000_000, "character": 4_000_000_000}}
    server.ask("textDocument/prepareCallHierarchy", odd)
    for line, character in ((0, 0), (10_000, 5), (2, 99_999)):
        place = {"line": line, "character": character}
        asked = {"textDocument": {"uri": uri}, "position": place, "context": {"includeDeclaration": True}}
        assert "error" not in server.ask("textDocument/prepareCallHierarchy", asked)
    assert server.result("workspace/symbol", {"query": "\ud800 % _ \\ '\""}) == []
    for query in ("\0", "\ud800", '"', "AND OR NOT", "x" * 5_000, ""):
        assert "result" in server.ask("oracl/search", {"query": query})
    works(server, shop)


def test_order_of_life(raw: Callable[..., Raw], shop: Shop) -> None:
    server = raw()
    assert server.error("oracl/status") == NOT_INITIALIZED
    server.tell("textDocument/didOpen", {"textDocument": {}})
    server.open(shop.uri("shop/cart.py"), "early")
    server.start(shop.uri())
    works(server, shop)
    assert server.ask("shutdown")["result"] is None
    assert server.error(*related(shop.uri("shop/cart.py"))) == INVALID_REQUEST
    server.open(shop.uri("shop/cart.py"), "late")
    server.tell("exit")
    assert server.process.wait(20) == 0


def test_exit_without_shutdown(server: Raw) -> None:
    server.tell("exit")
    assert server.process.wait(20) == 1


@pytest.mark.parametrize("early", [True, False])
def test_stdin_closed(raw: Callable[..., Raw], shop: Shop, early: bool) -> None:
    server = raw()
    if not early:
        server.start(shop.uri())
        server.begin("oracl/search", {"query": "cart"})
    server.process.stdin.close()
    assert server.process.wait(20) == 1


def test_half_a_message_and_no_frame(raw: Callable[..., Raw], shop: Shop) -> None:
    for data in (b"Content-Length: 100\r\n\r\n{", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 99_999, b"x" * 99_999):
        server = raw()
        try:
            server.bytes(data)
            server.process.stdin.close()
        except BrokenPipeError:
            pass  # it has seen enough
        assert server.process.wait(20) == 1
        assert not any(b"Traceback" in line for line in server.errors)


def test_frames_of_other_kinds(raw: Callable[..., Raw], shop: Shop) -> None:
    server = raw()
    body = b'{"jsonrpc":"2.0","id":"a","method":"oracl/status"}'
    server.bytes(b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:%d\r\n\r\n" % len(body))
    server.bytes(body)
    assert server.wait("a")["error"]["code"] == NOT_INITIALIZED
    for byte in b"Content-Length: %d\n\n" % len(body) + body.replace(b'"a"', b'"b"'):
        server.bytes(bytes((byte,)))
    assert server.wait("b")["error"]["code"] == NOT_INITIALIZED


def test_an_id_that_is_in_use(server: Raw, shop: Shop) -> None:
    for _ in range(2):
        server.send({"jsonrpc": "2.0", "id": "twice", "method": "oracl/search", "params": {"query": "cart"}})
    first = server.wait("twice")
    second = server.wait("twice")
    assert {"error" in first, "error" in second} == {True, False}
    works(server, shop)


# -- buffers ----------------------------------------------------------------------------------


def test_a_storm_of_changes(server: Raw, shop: Shop) -> None:
    """Two thousand keystrokes, questions in between: each is answered, the last one about the last text."""
    uri, text = shop.uri("shop/store.py"), shop.read("shop/store.py")
    server.open(uri, text)
    numbers = []
    for version in range(2, 2_002):
        place = {"line": 3, "character": version - 2}
        server.change(uri, version, {"range": {"start": place, "end": place}, "text": "#"})
        if version % 100 == 0:
            numbers.append(server.begin(*related(uri)))
            numbers.append(server.begin("textDocument/documentLink", {"textDocument": {"uri": uri}}))
    server.change(uri, 2_002, text + "from .prices import total\n")
    tree = server.result("oracl/trace", {"uri": uri, "depth": 1})
    assert {child["path"] for child in tree["tree"]["children"]} == {"shop/cart.py", "shop/prices.py"}
    answers = [server.wait(number) for number in numbers]
    assert all("result" in answer or answer["error"]["code"] == MODIFIED for answer in answers)


def test_changes_in_odd_places(server: Raw, shop: Shop) -> None:
    """The client's text and ours stay the same, whatever lines and columns are."""
    uri = shop.uri("shop/odd.md")
    text = "a\r\nb\rc\n\x0cd\u2028e \U0001f6d2\u00e9 x\n[l](../README.md)"
    server.open(uri, text)
    edits = [
        ((0, 1), (1, 0), "\n"), ((3, 4), (3, 6), "[m](prices.py) "), ((99, 0), (120, 9), "\nend"),
        ((2, 50), (2, 60), "!"), ((1, 0), (0, 0), ""),
    ]  # fmt: skip
    for version, (start, end, new) in enumerate(edits, 2):
        span = {name: {"line": p[0], "character": p[1]} for name, p in (("start", start), ("end", end))}
        server.change(uri, version, {"range": span, "text": new})
    top = {"line": 0, "character": 0}
    server.change(uri, 9, {"range": {"start": top, "end": top}, "text": ""})
    links = server.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert {link["target"] for link in links} == {shop.uri("README.md"), shop.uri("shop/prices.py")}


@pytest.mark.parametrize("size", [200_000, 3_000_000])
def test_a_huge_buffer(server: Raw, shop: Shop, size: int) -> None:
    uri = shop.uri("shop/huge.py")
    line = "from shop.cart import Cart  # " + "x" * 50 + "\n"
    server.open(uri, line * (size // len(line)))
    for version in range(2, 5):
        server.change(uri, version, {"range": {"start": {"line": 0, "character": 0},
                                               "end": {"line": 0, "character": 0}}, "text": "y = 1\n"})  # fmt: skip
    answer = server.ask("oracl/trace", {"uri": uri, "depth": 1})
    if size < 1 << 20:
        assert [child["path"] for child in answer["result"]["tree"]["children"]] == ["shop/cart.py"]
    else:  # over 1 MiB: out of the graph, and it says so
        assert answer["error"]["code"] == FAILED and "shop/huge.py" in answer["error"]["message"]
    server.open(shop.uri("shop/odd.py"), "(" * 300_000)
    server.open(shop.uri("shop/wide.py"), "x = '" + "\u00e9" * 400_000 + "'")
    server.open(shop.uri("shop/zero.py"), "\0" * 1000)
    works(server, shop)


# -- cancelled and stale -----------------------------------------------------------------------


def test_cancelled(server: Raw, shop: Shop) -> None:
    works(server, shop)
    numbers = [server.begin("oracl/search", {"query": "discount threshold cart " * 20}) for _ in range(30)]
    for number in numbers[1:]:
        server.tell("$/cancelRequest", {"id": number})
    answers = [server.wait(number) for number in numbers]
    assert "result" in answers[0]
    codes = [answer["error"]["code"] for answer in answers[1:] if "error" in answer]
    assert codes and set(codes) == {CANCELLED}
    works(server, shop)


def test_stale(server: Raw, shop: Shop) -> None:
    uri, text = shop.uri("shop/cart.py"), shop.read("shop/cart.py")
    server.open(uri, text)
    works(server, shop)
    codes = []
    for version in range(2, 22):  # the change follows the question at once: links of the old text are of no use
        asked = {"jsonrpc": "2.0", "id": version * 1000, "method": "textDocument/documentLink",
                 "params": {"textDocument": {"uri": uri}}}  # fmt: skip
        change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": "\n" + text}],
        }}  # fmt: skip
        bodies = [json.dumps(message).encode() for message in (asked, change)]
        server.bytes(b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies))
        codes.append(server.wait(version * 1000).get("error", {}).get("code"))
    assert MODIFIED in codes and set(codes) <= {MODIFIED, None}
    links = server.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert [link["range"]["start"]["line"] for link in links][:1] == [3]


# -- places ------------------------------------------------------------------------------------


def odd_uris(shop: Shop, outside: Path) -> list[str]:
    top = shop.uri()
    return [
        f"{top}/../outside/secret.py", f"{top}/%2e%2e/outside/secret.py", f"{top}/..%2foutside/secret.py",
        f"{top}/shop%2F..%2F..%2Foutside%2Fsecret.py", f"{top}/shop/./cart.py", f"{top}/link.py",
        f"{top}/linked/secret.py",
        outside.as_uri() + "/secret.py", "file://server/share/x.py", "file:////server/share/x.py", "file:relative.py",
        "untitled:Untitled-1", "https://example.com/x.py", "git:" + top, "vscode-remote://x" + str(shop.path), "",
        "file:///" + "x" * 10_000, f"{top}/a%00b.py", f"{top}/.git/config", f"{top}/.GIT/config", top, f"{top}?q#f",
        "file:///\ud800", f"{top}/nowhere/at/all.py",
    ]  # fmt: skip


def test_uris_that_are_refused(server: Raw, shop: Shop, tmp_path: Path) -> None:
    """What lies outside is neither read nor named; nothing fails."""
    outside = tmp_path.resolve() / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("PASSWORD_OF_NOBODY = 1\n")
    os.symlink(outside / "secret.py", shop.path / "link.py")
    os.symlink(outside, shop.path / "linked")
    for uri in odd_uris(shop, outside):
        for method, params in (
            related(uri), ("oracl/trace", {"uri": uri}), ("oracl/pick", {"uri": uri}),
            ("oracl/related", {"uri": shop.uri("shop/cart.py"), "uris": [uri]}),
        ):  # fmt: skip
            answer = server.ask(method, params)
            assert answer.get("error", {}).get("code") in (INVALID_PARAMS, FAILED), (method, uri, answer)
        server.open(uri, "from shop.cart import Cart\n")
        document = {"textDocument": {"uri": uri}}
        for method in ("textDocument/documentLink", "textDocument/codeLens", "textDocument/prepareCallHierarchy"):
            answer = server.ask(method, {**document, "position": {"line": 0, "character": 0}})
            assert "error" not in answer or answer["error"]["code"] == INVALID_PARAMS, (method, uri, answer)
        server.tell("textDocument/didSave", document)
        server.tell("textDocument/didClose", document)
    assert server.result("oracl/search", {"query": "PASSWORD_OF_NOBODY"})["results"] == []
    works(server, shop)


def test_a_file_outside_every_folder(raw: Callable[..., Raw], shop: Shop) -> None:
    server = raw()
    server.start()  # a single file, no folder
    assert server.error(*related(shop.uri("shop/cart.py"))) == INVALID_PARAMS
    server.open(shop.uri("shop/cart.py"), shop.read("shop/cart.py"))
    works(server, shop)


def test_a_folder_reached_through_a_symlink(raw: Callable[..., Raw], shop: Shop, tmp_path: Path) -> None:
    """Files are named as the client names them, or it would open them twice."""
    os.symlink(shop.path, tmp_path / "alias")
    server = raw()
    server.start((tmp_path / "alias").as_uri())
    uri = (tmp_path / "alias/shop/cart.py").as_uri()
    found = server.result(*related(uri))
    assert found["results"] and all(row["uri"].startswith((tmp_path / "alias").as_uri()) for row in found["results"])


def test_two_folders_of_one_name(raw: Callable[..., Raw], shop: Shop, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "elsewhere" / "shop"
    shutil.copytree(shop.path, other)
    (other / "shop/extra.py").write_text("from .cart import Cart\nUNIQUE_TO_THE_OTHER = 1\n")
    server = raw()
    server.start(shop.uri(), other.as_uri())
    names = [root["uri"] for root in server.result("oracl/status")["roots"]]
    assert sorted(names) == sorted([shop.uri(), other.as_uri()])
    found = server.result("oracl/search", {"query": "UNIQUE_TO_THE_OTHER"})["results"]
    assert found[0]["uri"] == (other / "shop/extra.py").as_uri() and found[0]["root"] == other.as_uri()
    here = server.result("oracl/search", {"query": "UNIQUE_TO_THE_OTHER", "root": shop.uri()})["results"]
    assert all(row["root"] == shop.uri() for row in here)
    users = server.result("oracl/trace", {"uri": (other / "shop/cart.py").as_uri(), "direction": "in", "depth": 1})
    assert "shop/extra.py" in [child["path"] for child in users["tree"]["children"]]
    assert "extra" not in str(server.result("oracl/trace", {"uri": shop.uri("shop/cart.py"), "direction": "in"}))
    event = {"added": [], "removed": [{"uri": other.as_uri(), "name": "shop"}]}
    server.tell("workspace/didChangeWorkspaceFolders", {"event": event})
    assert len(server.result("oracl/status")["roots"]) == 1
    assert server.error(*related((other / "shop/cart.py").as_uri())) == INVALID_PARAMS
    server.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": event["removed"], "removed": []}})
    assert len(server.result("oracl/status")["roots"]) == 2


def test_repositories_below_a_folder(raw: Callable[..., Raw], shop: Shop) -> None:
    server = raw()
    server.start(shop.path.parent.as_uri())
    assert server.result("oracl/status")["roots"] == []
    assert server.error("oracl/search", {"query": "x"}) == FAILED
    works(server, shop)
    assert [root["uri"] for root in server.result("oracl/status")["roots"]] == [shop.uri()]


def test_a_directory_that_is_made_later(server: Raw, shop: Shop) -> None:
    """A buffer is open before its directory is: an editor makes it when it saves."""
    uri = shop.uri("shop/new/parts.py")
    server.open(uri, "from shop.prices import total\n")
    assert "shop/prices.py" in {row["path"] for row in server.result(*related(uri))["results"]}
    shop.write("shop/new/parts.py", "from shop.prices import total\n")
    assert "shop/prices.py" in {row["path"] for row in server.result(*related(uri))["results"]}


@pytest.mark.parametrize("method", ["workspace/didChangeWatchedFiles", "workspace/didDeleteFiles"])
def test_a_directory_that_went_with_its_files(server: Raw, shop: Shop, method: str) -> None:
    """A client tells of each file, and the directory of none is there any more."""
    asked = ("oracl/search", {"query": "filename:cart.py"})
    assert [row["path"] for row in server.result(*asked)["results"]] == ["shop/cart.py"]
    shutil.rmtree(shop.path / "shop")
    gone = {"uri": shop.uri("shop/cart.py")}
    server.tell(method, {"changes": [{**gone, "type": 3}]} if "Watched" in method else {"files": [gone]})
    assert server.result(*asked)["results"] == []


def test_two_folders_of_one_repository(raw: Callable[..., Raw], shop: Shop) -> None:
    """One goes; the other still lies in it."""
    server = raw()
    server.start(shop.uri("shop"), shop.uri("docs"))
    gone = {"added": [], "removed": [{"uri": shop.uri("shop"), "name": "shop"}]}
    server.tell("workspace/didChangeWorkspaceFolders", {"event": gone})
    assert [root["uri"] for root in server.result("oracl/status")["roots"]] == [shop.uri()]
    assert server.result("oracl/search", {"query": "discounts"})["results"]


def test_a_way_leads_to_no_other_repository(raw: Callable[..., Raw], shop: Shop, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(shop.path, other / "shop")
    server = raw()
    server.start(shop.uri(), (other / "shop").as_uri())
    asked = {"uri": shop.uri("shop/cart.py"), "to": (other / "shop/shop/prices.py").as_uri()}
    assert server.error("oracl/trace", asked) == INVALID_PARAMS


def test_bytes_that_are_no_text(server: Raw, shop: Shop) -> None:
    name = b"caf\xe9 \xf0\x9f\x9b\x92#x.py"
    with open(os.path.join(os.fsencode(shop.path), name), "wb") as file:
        file.write(b"from shop.cart import Cart\n")
    uri = shop.uri() + "/caf%E9%20%F0%9F%9B%92%23x.py"
    server.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 1}]})
    users = server.result("oracl/trace", {"uri": shop.uri("shop/cart.py"), "direction": "in", "depth": 1})
    assert uri in [child["uri"] for child in users["tree"]["children"]]
    found = server.result("oracl/trace", {"uri": uri, "depth": 1})
    assert [child["path"] for child in found["tree"]["children"]] == ["shop/cart.py"]


# -- the repository underneath ------------------------------------------------------------------


def test_head_moves(server: Raw, shop: Shop) -> None:
    """Commit, reset, checkout: the next question is about what is there now."""
    asked = ("oracl/trace", {"uri": shop.uri("shop/prices.py"), "direction": "in", "depth": 1})

    def users() -> set[str]:
        return {child["path"] for child in server.result(*asked)["tree"]["children"]}

    before = users()
    shop.write("shop/more.py", "from .prices import total\n")
    shop.commit("More")
    assert users() == before | {"shop/more.py"}
    status = server.result("oracl/status")["roots"][0]
    assert status["commit"] == status["head"] == shop.git("rev-parse", "HEAD")
    shop.git("reset", "-q", "--hard", "HEAD~1")
    assert users() == before
    shop.git("checkout", "-q", "--detach", "HEAD~1")
    assert users() == before
    shop.git("checkout", "-q", "main")
    assert users() == before


def test_the_index_is_made_anew_underneath(server: Raw, shop: Shop) -> None:
    uri = shop.uri("shop/store.py")
    server.open(uri, shop.read("shop/store.py") + "from .prices import total\n")
    for step in range(4):
        if step == 1:
            rebuild = [sys.executable, "-m", "oracl_git.service.indexer", str(shop.path)]
            (shop.path / ".git/oracl/index.sqlite").unlink()
            subprocess.run(rebuild, check=True, capture_output=True)
        elif step == 2:
            while (shop.path / ".git/oracl").exists():  # the server may open it meanwhile
                shutil.rmtree(shop.path / ".git/oracl", ignore_errors=True)
        elif step == 3:
            (shop.path / ".git/oracl/index.sqlite").write_bytes(b"not a database at all" * 1000)
        found = None
        for _ in range(100):
            answer = server.ask("oracl/trace", {"uri": uri, "depth": 1})
            if "result" in answer:
                found = {child["path"] for child in answer["result"]["tree"]["children"]}
                break
            assert answer["error"]["code"] == FAILED
            time.sleep(0.1)
        assert found == {"shop/cart.py", "shop/prices.py"}, (step, answer)


def test_no_index_yet_and_progress(raw: Callable[..., Raw], shop: Shop) -> None:
    shutil.rmtree(shop.path / ".git/oracl")
    server = raw()
    can = {"window": {"workDoneProgress": True}, "workspace": {"codeLens": {"refreshSupport": True}}}
    server.start(shop.uri(), capabilities=can, options={"statusNotifications": True})
    for _ in range(200):
        answer = server.ask(*related(shop.uri("shop/cart.py")))
        if "result" in answer:
            break
        assert answer["error"]["code"] == FAILED and "being made" in answer["error"]["message"]
        time.sleep(0.05)
    works(server, shop)
    deadline = time.monotonic() + 20
    while "workspace/codeLens/refresh" not in [message["method"] for message in server.got]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    server.result("oracl/status")
    methods = [message["method"] for message in server.got]
    kinds = [message["params"]["value"]["kind"] for message in server.got if message["method"] == "$/progress"]
    assert kinds[0] == "begin" and kinds[-1] == "end" and "workspace/codeLens/refresh" in methods
    states = [m["params"]["roots"][0]["state"] for m in server.got if m["method"] == "oracl/didChangeStatus"]
    assert states[0] == "indexing" and "ready" in states


def test_a_client_that_refuses(raw: Callable[..., Raw], shop: Shop) -> None:
    """It says that it can, and does not answer."""
    shutil.rmtree(shop.path / ".git/oracl")
    server = raw()
    server._answer = False
    server.start(shop.uri(), capabilities={"window": {"workDoneProgress": True}, "workspace": {"configuration": True}})
    deadline = time.monotonic() + 30
    while "result" not in server.ask(*related(shop.uri("shop/cart.py"))):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_repository_is_deleted(server: Raw, shop: Shop, tmp_path: Path) -> None:
    works(server, shop)
    shop.path.rename(tmp_path / "moved")
    assert server.error(*related(shop.uri("shop/cart.py"))) in (FAILED, INVALID_PARAMS)
    assert server.error("oracl/search", {"query": "cart"}) == FAILED
    deadline = time.monotonic() + 30
    while (state := server.result("oracl/status")["roots"][0]["state"]) == "indexing":  # it is tried once more
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert state in ("waiting", "failed")
    server.open(shop.uri("shop/cart.py"), "x = 1\n")
    (tmp_path / "moved").rename(shop.path)
    works(server, shop)
    shutil.rmtree(shop.path)
    assert server.error(*related(shop.uri("shop/cart.py"))) in (FAILED, INVALID_PARAMS)
    assert server.leave() == 0


def test_no_commit_yet(raw: Callable[..., Raw], shop: Shop, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "fresh")], check=True)
    server = raw()
    server.start((tmp_path / "fresh").as_uri())
    answer = server.ask("oracl/search", {"query": "x"})
    assert answer["error"]["code"] == FAILED and "no commit" in answer["error"]["message"]
    assert server.result("workspace/symbol", {"query": "x"}) is None


# -- over other ways, and over a long time -------------------------------------------------------


@pytest.mark.parametrize("way", ["--tcp", "--ws"])
def test_over_a_socket(raw: Callable[..., Raw], shop: Shop, way: str) -> None:
    import socket

    server = raw(way, "0")
    while not server.errors:
        time.sleep(0.05)
    port = int(server.errors[0].rpartition(b":")[2])
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                  "params": {"processId": None, "rootUri": shop.uri(), "capabilities": {}}}  # fmt: skip
    bye = [{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
    if way == "--ws":
        from websockets.sync.client import connect

        with connect(f"ws://127.0.0.1:{port}") as client:
            client.send(json.dumps(initialize))
            assert json.loads(client.recv())["result"]["serverInfo"]["name"] == "git-oracl"
            client.send("{")
            assert json.loads(client.recv())["error"]["code"] == PARSE
            for message in bye:
                client.send(json.dumps(message))
    else:
        with socket.create_connection(("127.0.0.1", port)) as client:
            file = client.makefile("rwb")
            for message in [initialize, *bye]:
                body = json.dumps(message).encode()
                file.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                file.flush()
            assert b"git-oracl" in file.read()
    assert server.process.wait(20) == 0


def test_pages_of_the_web_are_not_answered(raw: Callable[..., Raw], shop: Shop) -> None:
    """Any of them may connect to a port of the loopback, and read what a client may read."""
    import socket

    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    def listening(way: str) -> int:
        server = raw(way, "0")
        while not server.errors:
            time.sleep(0.05)
        return int(server.errors[0].rpartition(b":")[2])

    port = listening("--ws")
    for origin in ("https://example.com", "null", "http://localhost.example.com", "file://"):
        with pytest.raises(InvalidStatus), connect(f"ws://127.0.0.1:{port}", origin=origin):  # type: ignore[arg-type]
            pass
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                  "params": {"processId": None, "rootUri": shop.uri(), "capabilities": {}}}  # fmt: skip
    with connect(f"ws://127.0.0.1:{port}", origin="http://localhost:3000") as client:  # type: ignore[arg-type]
        client.send(json.dumps(initialize))
        assert "result" in json.loads(client.recv())
    body = json.dumps(initialize).encode()
    with socket.create_connection(("127.0.0.1", listening("--tcp"))) as plain:
        plain.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert plain.makefile("rb").read() == b""


def test_idle_is_idle(server: Raw, shop: Shop) -> None:
    server.open(shop.uri("shop/cart.py"), shop.read("shop/cart.py"))
    works(server, shop)
    time.sleep(1)
    before = server.cpu()
    time.sleep(2)
    assert server.cpu() - before <= 0.01


@pytest.mark.slow
def test_ten_thousand_requests_in_the_same_memory(server: Raw, shop: Shop) -> None:
    uri, text = shop.uri("shop/store.py"), shop.read("shop/store.py")
    server.open(uri, text)

    def some(count: int) -> None:
        for number in range(count):
            server.change(uri, some.version, text + f"# {some.version} word{some.version}\n")
            some.version += 1
            method, params = (
                related(uri), ("oracl/search", {"query": f"word{number} cart"}), ("oracl/trace", {"uri": uri}),
                ("workspace/symbol", {"query": "Cart"}), ("textDocument/documentLink", {"textDocument": {"uri": uri}}),
            )[number % 5]  # fmt: skip
            assert "error" not in server.ask(method, params)

    some.version = 2
    some(4_000)  # until what is kept of words, which is bounded, has been filled
    before = server.memory()
    some(6_000)
    after = server.memory()
    assert after < before + 8_192, f"{before} → {after} kB"


def test_modules_of_the_folder_are_not_run(raw: Callable[..., Raw], shop: Shop) -> None:
    """An editor starts the server in the folder it shows: what lies there is text."""
    for name in ("json.py", "oracl_git/__init__.py"):
        shop.write(name, "open('ran', 'w').close()\n")
    shutil.rmtree(shop.path / ".git/oracl")
    server = raw(flags=("-P",))
    server.start(shop.uri())
    for _ in range(200):
        if "result" in server.ask(*related(shop.uri("shop/cart.py"))):
            break
        time.sleep(0.05)
    works(server, shop)
    assert not (shop.path / "ran").exists()


def test_too_few_files_for_its_loop(shop: Shop) -> None:
    script = "import resource, sys\nfrom oracl_git.cli import main\nimport oracl_git.lsp.main\n"
    script += "resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), 64)); sys.exit(main(['lsp']))"
    for most in (5, 6):
        done = subprocess.run([sys.executable, "-c", script, str(most)], cwd=shop.path, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        told = "git-oracl: there are too many open files.\nhint: raise the limit: ulimit -n 1024\n"
        assert (done.returncode, done.stdout, done.stderr) == (128, "", told)


def test_too_little_memory_for_its_threads(shop: Shop) -> None:
    """One that found none would hang, and the server with it: that is said instead."""
    script = "import resource, sys\nfrom oracl_git.cli import main\nimport oracl_git.lsp.main\n"
    script += "with open('/proc/self/statm') as file: size = int(file.read().split()[0]) * resource.getpagesize()\n"
    script += "resource.setrlimit(resource.RLIMIT_AS, (size + (48 << 20), -1)); sys.exit(main(['lsp']))"
    done = subprocess.run([sys.executable, "-c", script], cwd=shop.path, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    told = "git-oracl: there is not enough memory.\nhint: end what takes it, or raise the limit: ulimit -v\n"
    assert (done.returncode, done.stdout, done.stderr) == (128, "", told)
