"""The how-to on adding a language is followed to the letter, on a copy of the package, and its questions asked."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import oracl_git.hooks
import oracl_git.lsp
import pytest

PAGE = Path(__file__).parents[2] / "docs/how-to/add-a-language.md"
BLOCK = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The copy, changed as the page says, and the repository it makes."""
    copy = tmp_path / "with-lua"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(oracl_git.__file__).parent, copy / "oracl_git", ignore=ignore)
    for package in (oracl_git.hooks, oracl_git.lsp):
        name = package.__name__.rpartition(".")[2]
        shutil.copytree(Path(package.__file__).parent, copy / "oracl_git" / name, ignore=ignore, dirs_exist_ok=True)
    for kind, name, body in BLOCK.findall(PAGE.read_text()):
        path = (tmp_path if name.startswith("game/") else copy) / name
        if kind == "diff":
            lines = body.splitlines()
            old, new = ("\n".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
            text = path.read_text()
            assert text.count(old) == 1, f"{name} has no single {old!r}"
            path.write_text(text.replace(old, new))
        elif kind in ("python", "scheme", "text"):
            assert not path.exists()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body)
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "A game")):
        subprocess.run(["git", *command], cwd=tmp_path / "game", check=True)
    return tmp_path


def ask(made: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(made / "with-lua"), "NO_COLOR": "1"}
    code = "import sys; from oracl_git.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=made / "game", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_makes_a_language(made: Path) -> None:
    (console,) = (body for kind, _, body in BLOCK.findall(PAGE.read_text()) if kind == "console")
    trace, expected = console.split("\n", 1)[0], console.split("\n", 1)[1].split("$ ")[0]
    assert ask(made, *trace.removeprefix("$ git oracl ").split()) == expected
    (hit,) = json.loads(ask(made, "search", "draws a line", "-n", "1", "--json"))["results"]
    assert hit["path"] == "src/lib/draw.lua"
    defined = json.loads(ask(made, "show", "src/lib/draw.lua", "--json"))
    assert "M.line" in json.dumps(defined)
