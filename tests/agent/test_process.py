"""The server as clients start it: a process of its own, on stdin and stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ResourceTemplateReference

START = "import sys; from oracl_git.cli import main; sys.exit(main(sys.argv[1:]))"
Shop = Agent = Any  # conftest's


class Raw:
    """A client that says what it likes, line by line."""

    def __init__(self, cwd: Path, *args: str, before: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", before + START, "mcp", *args], cwd=cwd, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def say(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def tell(self, method: str, number: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({} if number is None else {"id": number})}
        self.say(json.dumps(message).encode())

    def hear(self) -> Any:
        """The next line, which is protocol."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read().decode()
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def start(self) -> Any:
        client = {"name": "test", "version": "1"}
        self.tell("initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        answer = self.hear()
        self.tell("notifications/initialized")
        return answer["result"]

    def leave(self) -> tuple[int, bytes, bytes]:
        """Close stdin: (exit code, what is left of stdout, stderr)."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def raw() -> Iterator[Any]:
    made: list[Raw] = []

    def start(*args: Any, **options: Any) -> Raw:
        made.append(Raw(*args, **options))
        return made[-1]

    yield start
    for each in made:
        each.process.kill()
        each.process.communicate()


@pytest.mark.asyncio
async def test_a_client_of_the_library(shop: Shop, tmp_path: Path) -> None:
    async with shop.outside(str(shop.path), cwd=tmp_path) as agent:
        assert len((await agent.client.list_tools()).tools) == 6
        found = await agent.call("oracl_search", query="where is the discount threshold decided")
        assert found["results"][0]["at"].startswith("shop/prices.py")
        commit = None
        for number in range(2):
            shop.write("shop/more.py", f"from .prices import total\n\nMORE = {number}\n")
            commit = shop.commit("More")
            assert (await agent.call("oracl_agent_context", question="file:shop/more.py"))["commit"] == commit
        (read,) = (await agent.client.read_resource("oracl://artifact/shop/more.py")).contents
        assert "MORE = 1" in read.text
        assert "is not in the indexed commit" in await agent.error("oracl_show", at="nowhere.py")
        completion = await agent.client.complete(
            ResourceTemplateReference(uri="oracl://artifact/{+path}"), {"name": "path", "value": "shop/c"}
        )
        assert completion.completion.values == ["shop/cart.py"]


def test_nothing_but_protocol(shop: Shop, raw: Any) -> None:
    """Also where something prints, there is no index yet, and a line is no message."""
    assert shop.oracl("deinit").returncode == 0
    printing = (
        "import os, sys, oracl_git.service as s; usual = s.Oracl.search\n"
        "def search(*a, **k): print('printed'); os.system('echo from a child'); return usual(*a, **k)\n"
        "s.Oracl.search = search; "
    )
    server = raw(shop.path, before=printing)
    assert server.start()["serverInfo"]["name"] == "oracl"
    server.say(b"no message at all \xff")
    server.say(b'{"jsonrpc": "2.0", "id": 7}')
    server.tell("tools/call", 1, name="oracl_search", arguments={"query": "discount"})
    while (answer := server.hear()).get("id") != 1:
        pass
    assert answer["result"]["structuredContent"]["results"] and not answer["result"]["isError"]
    code, out, err = server.leave()
    assert code == 0 and b"printed" in err and b"from a child" in err
    assert all(json.loads(line) for line in out.splitlines())


def test_it_ends_with_its_client(shop: Shop, raw: Any) -> None:
    """Whatever it is at: a question that takes long does not hold it, nor does an index that is being made."""
    slow = "import time, oracl_git.service as s; s.Oracl.related = lambda *a, **k: time.sleep(60); "
    server = raw(shop.path, before=slow)
    server.start()
    server.tell("tools/call", 1, name="oracl_related", arguments={"paths": ["shop/cart.py"]})
    time.sleep(0.5)
    started = time.monotonic()
    assert server.leave()[0] == 0 and time.monotonic() - started < 20


def test_streams_that_do_not_wait(shop: Shop) -> None:
    """A parent that runs on events may share its pipes so: nothing has come yet, and not all goes out at once."""
    (hears, says), (reads, writes) = os.pipe(), os.pipe()
    for stream in (hears, writes):
        os.set_blocking(stream, False)
    process = subprocess.Popen([sys.executable, "-c", START, "mcp"], cwd=shop.path, stdin=hears, stdout=writes)
    os.close(hears)
    os.close(writes)
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    with open(says, "wb", buffering=0) as to, open(reads, "rb") as of:
        to.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}).encode() + b"\n")
        assert json.loads(of.readline())["id"] == 0
        to.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        for number in range(1, 21):  # more than a pipe holds
            to.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/list"}).encode() + b"\n")
        time.sleep(1)
        answers = [json.loads(of.readline()) for _ in range(20)]
        assert {len(answer["result"]["tools"]) for answer in answers} == {6}
        to.close()
        assert process.wait(60) == 0


def test_a_client_that_stopped_to_listen(shop: Shop, raw: Any) -> None:
    server = raw(shop.path)
    server.start()
    server.process.stdout.close()
    server.tell("tools/list", 1)
    server.process.stdin.close()
    assert server.process.wait(60) == 0
    assert b"Traceback" not in server.process.stderr.read()
    server.process.stdin = server.process.stdout = None


def test_a_signal_ends_it(shop: Shop, raw: Any) -> None:
    server = raw(shop.path)
    server.start()
    server.process.terminate()
    assert server.process.wait(20) == -15


def run(cwd: Path, *args: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", before + START, "mcp", *args], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip


def test_where_there_is_no_repository(shop: Shop, tmp_path: Path) -> None:
    for cwd, args in ((tmp_path, ()), (shop.path, (str(tmp_path),)), (shop.path, (str(tmp_path / "nowhere"),))):
        done = run(cwd, *args)
        assert done.returncode == 128 and done.stdout == "" and "hint: " in done.stderr, done.stderr


def test_without_the_extra(shop: Shop) -> None:
    done = run(shop.path, before="import sys; sys.modules['mcp'] = None; ")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "git-oracl: the server for agents needs the library mcp.", "hint: pip install 'oracl-git[mcp]'"
    ]  # fmt: skip


def test_too_little_memory_for_its_threads(shop: Shop) -> None:
    """One that found none would hang, and the server with it: that is said instead."""
    before = (
        "import resource\nfrom oracl_git.cli import main\nimport oracl_git.agent.server\n"
        "with open('/proc/self/statm') as file: size = int(file.read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + (48 << 20), -1)); "
    )
    done = run(shop.path, before=before)
    told = "git-oracl: there is not enough memory.\nhint: end what takes it, or raise the limit: ulimit -v\n"
    assert (done.returncode, done.stdout, done.stderr) == (128, "", told)


def test_modules_of_the_folder_are_not_run(shop: Shop, tmp_path: Path) -> None:
    """A client starts the server in the folder it shows: what lies there is text, also to the process that indexes."""
    for name in ("json.py", "oracl_git/__init__.py", "mcp/__init__.py"):
        shop.write(name, "open('ran', 'w').close()\n")
    assert shop.oracl("deinit").returncode in (0, 1, 2, 3, 128)
    (shop.path / "ran").unlink(missing_ok=True)
    started = [sys.executable, "-P", "-c", START, "mcp"]
    search = {"name": "oracl_search", "arguments": {"query": "x"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": search}
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
    with subprocess.Popen(started, cwd=shop.path, stdin=-1, stdout=-1, stderr=-1) as process:
        assert process.stdin and process.stdout
        for message in (begin, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
    assert answers[1]["result"]["structuredContent"]["commit"], answers
    assert not (shop.path / "ran").exists()
