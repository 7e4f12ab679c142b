"""A client that says what it likes: bytes in, messages out. No library of the protocol stands between."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

START = "import sys; from oracl_git.cli import main; sys.exit(main(['lsp', *sys.argv[1:]]))"
NOTHING: dict[str, Any] = {}
ALL = {
    "workspace": {"symbol": {}},
    "textDocument": {name: {} for name in ("documentLink", "codeAction", "codeLens", "callHierarchy", "references",
                                           "definition", "hover", "publishDiagnostics")},
}  # fmt: skip


class Raw:
    """One server; `got` holds what it said that was no response."""

    def __init__(self, cwd: Path, *args: str, flags: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *flags, "-c", START, *args], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        self.responses: dict[Any, Any] = {}
        self.got: list[Any] = []
        self.errors: list[bytes] = []
        self._number = 0
        self._news: queue.Queue[None] = queue.Queue()
        self._answer = True
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                assert line.lower().startswith((b"content-length:", b"content-type:")), line  # nothing but protocol
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not line:
                self._news.put(None)
                return
            message = json.loads(out.read(length))
            if "method" in message:
                self.got.append(message)
                if "id" in message and self._answer:
                    result = [None] if message["method"] == "workspace/configuration" else None
                    self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
            else:
                self.responses[message.get("id")] = message
            self._news.put(None)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.errors += self.process.stderr

    def bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.body(json.dumps(message).encode())

    def body(self, body: bytes) -> None:
        self.bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any = None) -> int:
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def wait(self, number: Any, seconds: float = 60) -> Any:
        until = time.monotonic() + seconds
        while number not in self.responses:
            assert self.process.poll() is None or number in self.responses, b"".join(self.errors).decode()
            assert time.monotonic() < until, f"no answer to {number}"
            try:
                self._news.get(timeout=0.2)
            except queue.Empty:
                pass
        return self.responses.pop(number)

    def ask(self, method: str, params: Any = None) -> Any:
        return self.wait(self.begin(method, params))

    def result(self, method: str, params: Any = None) -> Any:
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = None) -> int:
        answer = self.ask(method, params)
        assert "error" in answer, answer
        assert "Traceback" not in answer["error"]["message"] and "data" not in answer["error"]
        code: int = answer["error"]["code"]
        return code

    def start(self, *roots: str, capabilities: Any = None, options: Any = None) -> Any:
        folders = [{"uri": uri, "name": "same"} for uri in roots]
        answer = self.result("initialize", {
            "processId": os.getpid(), "rootUri": roots[0] if roots else None, "workspaceFolders": folders,
            "capabilities": ALL if capabilities is None else capabilities, "initializationOptions": options,
        })  # fmt: skip
        self.tell("initialized", {})
        return answer

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Any) -> None:
        self.tell("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": change} if isinstance(change, str) else change for change in changes],
        })  # fmt: skip

    def memory(self) -> int:
        """Resident kilobytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

    def cpu(self) -> float:
        """CPU seconds so far."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def leave(self) -> int:
        """shutdown, exit; the exit code."""
        assert self.ask("shutdown")["result"] is None
        self.tell("exit")
        return self.process.wait(20)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()  # type: ignore[union-attr]
            except OSError:
                pass
