"""A Chromium without a window, asked over a pipe: what a page shows, and to whom.

Speaks the DevTools protocol. Knows nothing of what a page is about.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
_FLAGS = "--headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars --remote-debugging-pipe".split()


class Browser:
    """One page. `said`: what it complained of; `asked`: what it wanted to be fetched."""

    def __init__(self, down: int, up: int) -> None:
        self._down, self._up, self._rest, self._count, self._session = down, up, b"", 0, ""
        self.said: list[str] = []
        self.asked: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> Any:
        """What it answers to a command of the DevTools protocol."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._down, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._up, 1 << 20)
            assert more, "the browser went away"
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(one)
        event, params = answer.get("method", ""), answer.get("params", {})
        if event == "Log.entryAdded" or event == "Runtime.exceptionThrown":
            self.said.append(json.dumps(params))
        elif event == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        return answer

    def look(self, width: int = 1280, height: int = 900, **features: str) -> None:
        """Of which size the window is, and what its owner prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=wanted)

    def open(self, place: Path, view: str = "") -> None:
        self.asked.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=place.as_uri() + (f"#{view}" if view else ""))
        self.ask("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        self.settle()

    def settle(self) -> None:
        """Let it draw."""
        self.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def ask(self, script: str) -> Any:
        """What a script in the page comes to."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)
        self.settle()

    def picture(self, place: Path) -> None:
        place.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def browsing(home: Path) -> Iterator[Browser]:
    """A browser with nothing of anyone's in it."""
    assert CHROMIUM
    reads, writes = os.pipe(), os.pipe()

    def pipes() -> None:  # Chromium reads from 3 and writes to 4
        low, high = os.dup2(reads[0], 103), os.dup2(writes[1], 104)
        os.dup2(low, 3)
        os.dup2(high, 4)

    with (home / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            [CHROMIUM, *_FLAGS, f"--user-data-dir={home}/chromium"],
            preexec_fn=pipes, close_fds=False, stdout=log, stderr=log,
        )  # fmt: skip
    os.close(reads[0])
    os.close(writes[1])
    try:
        yield Browser(reads[1], writes[0])
    finally:
        process.terminate()
        process.wait(30)
        os.close(reads[1])
        os.close(writes[0])
