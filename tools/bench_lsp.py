"""Measure the language server as a client sees it, while it types.

    python tools/bench_lsp.py [REPOSITORY] [--quick]

Works on a clone that borrows objects, with its index made beforehand. One
buffer is edited twenty times a second; between the edits related and search are
asked, and each answer is waited for. Figures are wall time at the client, CPU
and resident memory of the server's process.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from typing import Any

PACE = 1 / 20  # seconds between two keystrokes
QUESTIONS = ("where is the retry budget decided", "how is the configuration file parsed", "release notes template",
             "test that checks the error message", "cache invalidation on update")  # fmt: skip


class Client:
    """A client that waits for one answer at a time."""

    def __init__(self, root: pathlib.Path) -> None:
        command = shutil.which("git-oracl") or "git-oracl"
        self.process = subprocess.Popen([command, "lsp", "--log", "error"], cwd=root, stdin=-1, stdout=-1)
        self.number = 0

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> tuple[float, Any]:
        """(milliseconds, answer)."""
        self.number += 1
        started = time.perf_counter()
        self.send(id=self.number, method=method, params=params)
        while (answer := self.read()).get("id") != self.number or "method" in answer:
            if "method" in answer and "id" in answer:
                self.send(id=answer["id"], result=None)
        took = (time.perf_counter() - started) * 1000
        assert "error" not in answer, answer["error"]
        return took, answer

    def read(self) -> Any:
        out, length = self.process.stdout, 0
        assert out
        while (line := out.readline()).strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.split(b":")[1])
        return json.loads(out.read(length))

    def cpu(self) -> float:
        words = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Resident megabytes."""
        pages = int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def percentile(values: list[float], share: float) -> float:
    """The value below which that share lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def files_of(clone: pathlib.Path, count: int) -> list[str]:
    """Python files of ordinary size, spread over the repository."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=clone, capture_output=True, text=True, check=True).stdout
    usual = [name for name in listed.splitlines() if 1_000 < (clone / name).stat().st_size < 40_000]
    return usual[:: max(1, len(usual) // count)][:count] or listed.splitlines()[:count]


def measure(clone: pathlib.Path, repeat: int) -> dict[str, float]:
    """Every figure, of one server."""
    started = time.perf_counter()
    client, top = Client(clone), clone.as_uri()
    client.ask("initialize", {"processId": None, "rootUri": top, "capabilities": {"textDocument": {}}})
    client.send(method="initialized", params={})
    names = files_of(clone, 5)
    texts = {name: (clone / name).read_text(encoding="utf-8", errors="replace") for name in names}
    _open(client, top, names[0], texts[names[0]])
    client.ask("oracl/related", {"uri": f"{top}/{names[0]}"})
    figures = {"initialize → first related": (time.perf_counter() - started) * 1000}
    figures["… of it CPU"] = client.cpu() * 1000
    taken: dict[str, list[float]] = {"related": [], "search": []}
    used = client.cpu()
    for name in names:
        uri = f"{top}/{name}"
        if name != names[0]:
            _open(client, top, name, texts[name])
        client.ask("oracl/related", {"uri": uri})  # what is known of its past is known from here on
        version, due = 1, time.perf_counter()
        for step in range(2 * repeat):
            due += PACE
            time.sleep(max(0.0, due - time.perf_counter()))
            version += 1
            place = {"line": 0, "character": step % 40}
            change = {"range": {"start": place, "end": place}, "text": "#" if step % 40 == 0 else "x"}
            client.send(method="textDocument/didChange", params={
                "textDocument": {"uri": uri, "version": version}, "contentChanges": [change],
            })  # fmt: skip
            if step % 2:
                taken["related"].append(client.ask("oracl/related", {"uri": uri})[0])
            else:
                query = QUESTIONS[step // 2 % len(QUESTIONS)]
                taken["search"].append(client.ask("oracl/search", {"query": query})[0])
    figures["CPU a question, with its typing"] = (client.cpu() - used) * 1000 / sum(map(len, taken.values()))
    for kind, values in taken.items():
        figures[f"{kind} p50 while typing"] = percentile(values, 0.5)
        figures[f"{kind} p95 while typing"] = percentile(values, 0.95)
    time.sleep(2)
    before = client.cpu()
    time.sleep(3)
    figures["idle CPU, ms a second"] = (client.cpu() - before) / 3 * 1000
    figures["resident MB"] = client.memory()
    client.ask("shutdown", None)
    client.send(method="exit")
    client.process.wait(20)
    return figures


def _open(client: Client, top: str, name: str, text: str) -> None:
    item = {"uri": f"{top}/{name}", "languageId": "python", "version": 1, "text": text}
    client.send(method="textDocument/didOpen", params={"textDocument": item})


def bench_lsp(source: pathlib.Path, repeat: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="oracl-bench-") as work:
        clone = pathlib.Path(work) / "clone"
        subprocess.run(["git", "clone", "-q", "--shared", str(source), str(clone)], check=True, capture_output=True)
        subprocess.run(["git-oracl", "init", "--no-hooks"], cwd=clone, check=True, capture_output=True)
        print(f"\nlanguage server, {repeat * 5} of a kind, 20 changes a second; load {os.getloadavg()[0]:.0f}")
        for name, value in measure(clone, repeat).items():
            print(f"{name:34} {value:8.1f}" + ("" if "MB" in name or "idle" in name else " ms"))


def main() -> int:
    """Measure one repository."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="?", default=".")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    options = parser.parse_args()
    bench_lsp(pathlib.Path(options.repository).resolve(), 5 if options.quick else 20)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
