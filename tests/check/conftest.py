"""A small repository, and what `git oracl check` says of what is staged in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "pkg/__init__.py": "from .core import run\n",
    "pkg/core.py": "import os\n\nLIMIT = 3\n\n\ndef run():\n    return helper()\n\n\ndef helper():\n    return LIMIT\n",
    "pkg/util.py": "def tidy():\n    pass\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/deep.py": "from ..util import tidy\nfrom .. import core\n",
    "tests/test_core.py": "from pkg.core import helper, LIMIT\nimport pkg.util\n",
    "docs/index.md": "# Docs\n\n[Guide](guide.md#start) and [Core](../pkg/core.py).\n\n![Plan](img/plan.txt)\n",
    "docs/guide.md": "# Guide\n\n## Start\n\n[Back](index.md) or [home](/README.md).\n",
    "docs/img/plan.txt": "plan\n",
    "docs/api.rst": "API\n===\n\n.. include:: part.rst\n\n.. toctree::\n\n   more\n\nSee :doc:`more`.\n",
    "docs/part.rst": "part\n",
    "docs/more.rst": "More\n====\n",
    "README.md": "# Read\n\n[Docs](docs/) and [guide](docs/guide.md).\n",
    "scripts/build.sh": "#!/bin/sh\npython scripts/step.py\n",
    "scripts/step.py": "print(1)\n",
    "pyproject.toml": '[project]\nname = "pkg"\nreadme = "README.md"\n',
}  # fmt: skip


class World:
    """A repository with one commit; `check` is what the tool says of what is staged."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str, **env: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.path, capture_output=True, text=True, env={**os.environ, **env}, check=True
        )
        return done.stdout.removesuffix("\n")

    def write(self, path: str, text: str | bytes) -> None:
        full = self.path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text.encode() if isinstance(text, str) else text)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.path / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self, message: str = "x") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def run(self, *args: str, code: int | None = None, cwd: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["git", "oracl", "check", *args], cwd=self.path / cwd, capture_output=True, text=True,
            env={**os.environ, "PYTHONWARNINGS": "error", **env},
        )  # fmt: skip
        assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, done.stderr
        assert done.returncode != 3, done.stderr
        assert code is None or done.returncode == code, done
        return done

    def check(self, *args: str, **env: str) -> list[str]:
        """Stage everything; the lines of the report."""
        self.git("add", "-A", *(["-f"] if env.pop("force", "") else []))
        done = self.run(*args, **env)
        lines = done.stdout.splitlines()
        if not any("(" in line.split(": ")[2][:6] for line in lines):
            assert done.returncode == bool(lines), done
        return lines


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    world = World(tmp_path / "repo")
    world.path.mkdir()
    world.git("init", "-q", "-b", "main")
    for path, text in FILES.items():
        world.write(path, text)
    world.commit()
    return world
