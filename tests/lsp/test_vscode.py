"""The extension for VS Code: in a stand-in host, packaged, and in VS Code itself.

The stand-in (lsp/clients/vscode/test/host.js) is quick and reaches what a person cannot see. VS Code
itself is its server (code-server, of which only what npm has already built is used: no terminal, no
search in files, no colours), seen in a Chromium without a window.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

Shop = Any  # conftest's
HERE = Path(__file__).parent
CLIENT = HERE.parents[1] / "lsp" / "clients" / "vscode"
COMMAND = [sys.executable, "-c", "import sys; from oracl_git.cli import main; sys.exit(main(['lsp']))"]
CHROMIUM = shutil.which("chromium")
SERVER = "node_modules/code-server/lib/vscode/out/server-main.js"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not shutil.which("npm"), reason="no npm")]


def run(place: Path, *command: str) -> str:
    env = {**os.environ, "ORACL_LSP_COMMAND": json.dumps(COMMAND), "npm_config_cache": str(place.parent / "npm")}
    done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (command, done.stdout[-3000:], done.stderr[-2000:])
    return done.stdout


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension, tested and packaged as its page says."""
    place = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(CLIENT, place, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    for command in ("ci --no-audit --no-fund", "test", "run package"):
        run(place, "npm", *command.split())
    return place


def test_package(client: Path) -> None:
    with zipfile.ZipFile(client / "oracl-git.vsix") as archive:
        names = set(archive.namelist())
    assert {"extension/out/extension.js", "extension/package.json", "extension/media/oracl.svg"} <= names
    assert not any("node_modules" in name or "test" in name or name.endswith(".ts") for name in names)
    manifest = json.loads((CLIENT / "package.json").read_text())
    declared = {entry["command"] for entry in manifest["contributes"]["commands"]}
    source = "".join(path.read_text() for path in (CLIENT / "src").glob("*.ts"))
    assert all(f"register('{name}'" in source for name in declared)


@pytest.fixture
def host(client: Path, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """VS Code with the packaged extension, and nothing else, installed: where it lies and where it answers."""
    place = tmp_path / "vscode"
    shutil.copytree(HERE / "vscode", place)
    run(place, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    settings = {"User": {"security.workspace.trust.enabled": False}, "Machine": {"oracl.command": COMMAND}}
    for scope, values in settings.items():
        (place / "user" / scope).mkdir(parents=True)
        (place / "user" / scope / "settings.json").write_text(json.dumps(values))
    begin = ["node", SERVER, "--accept-server-license-terms", "--user-data-dir", str(place / "user"),
             "--extensions-dir", str(place / "extensions"), "--server-data-dir", str(place / "server")]  # fmt: skip
    said = run(place, *begin, "--install-extension", str(client / "oracl-git.vsix"))
    assert "was successfully installed" in said
    log = place / "log"
    with log.open("wb") as out:
        server = subprocess.Popen([*begin, "--host", "127.0.0.1", "--port", "0", "--without-connection-token"],
                                  cwd=place, stdout=out, stderr=out)  # fmt: skip
    try:
        for _ in range(300):
            if port := re.search(r"listening on (\d+)", log.read_text()):
                break
            time.sleep(0.1)
        assert port, log.read_text()[-2000:]
        yield place, f"http://127.0.0.1:{port[1]}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_in_vscode(shop: Shop, host: tuple[Path, str]) -> None:
    place, address = host
    seen = json.loads(run(place, "env", f"CHROMIUM={CHROMIUM}", "node", "drive.mjs", address, str(shop.path)))
    assert {"tests/test_cart.py", "shop/prices.py", "shop/store.py"} <= set(seen["cart"])
    assert {"shop/cart.py", "config/settings.yaml"} <= set(seen["prices"]), "the view follows the editor"
    first, more = ([row.split(":")[0] for row in rows] for rows in seen["search"])
    assert first == ["shop/cart.py"] and {"shop/prices.py", "docs/guide.md"} <= set(more), "answers while one types"
    assert seen["status"].strip() == "oracl"
