"""The clients for Neovim and Emacs, in the editors they are for: real ones, headless."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Shop = Any  # conftest's
HERE = Path(__file__).parent
CLIENTS = HERE.parents[1] / "lsp" / "clients"
COMMAND = [sys.executable, "-c", "import sys; from oracl_git.cli import main; sys.exit(main(['lsp']))"]
pytestmark = pytest.mark.slow


def environment(shop: Shop, tmp_path: Path) -> dict[str, str]:
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), str(tmp_path))
    return {
        **os.environ, **homes, "SHOP": str(shop.path), "OUT": str(tmp_path / "out.json"),
        "ORACL_LSP_COMMAND": json.dumps(COMMAND), "NVIM_LOG_FILE": str(tmp_path / "nvim.log"),
    }  # fmt: skip


@pytest.mark.skipif(not shutil.which("nvim"), reason="no Neovim")
def test_neovim(shop: Shop, tmp_path: Path) -> None:
    plugin = f"set rtp+={CLIENTS}/neovim noswapfile"
    done = subprocess.run(
        ["nvim", "--headless", "--clean", "--cmd", plugin, "-S", str(HERE / "neovim.lua")],
        env=environment(shop, tmp_path), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    out = json.loads((tmp_path / "out.json").read_text())
    assert "failed" not in out and done.returncode == 0, (out, done.stderr[-2000:])
    assert any(row.startswith("tests/test_cart.py  0.") for row in out["offered"])
    assert out["opened"] == str(shop.path / "tests/test_cart.py")
    assert out["search"][0]["path"] == str(shop.path / "shop/prices.py") and out["search"][0]["text"]
    assert str(shop.path / "shop/prices.py") in out["trace"]
    assert "docs/news.md" in out["diagnostics"][0]["text"]
    assert any("[old news](news.md)" in line for line in out["fixed"])
    assert "ready" in out["told"][-1]


@pytest.mark.skipif(not shutil.which("emacs"), reason="no Emacs")
def test_emacs(shop: Shop, tmp_path: Path) -> None:
    begin = ["emacs", "--batch", "-L", str(CLIENTS / "emacs"), "--eval", "(package-initialize)"]
    done = subprocess.run(
        [*begin, "-l", str(HERE / "emacs.el")],
        env=environment(shop, tmp_path), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    line = next((row for row in done.stdout.splitlines() if row.startswith("JSON")), "")
    assert line, (done.stdout[-2000:], done.stderr[-3000:])
    out = json.loads(line.removeprefix("JSON"))
    assert out["server"] and "tests/test_cart.py" in out["related"]
    assert out["opened"] == str(shop.path / "tests/test_cart.py")
    assert out["found"] == str(shop.path / "shop/prices.py")
    assert "shop/store.py" in out["trace"] and "shop/prices.py" in out["trace"]
    assert {"store.py", "test_cart.py"} <= {Path(group).name for group in out["references"]}
