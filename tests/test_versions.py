"""What the versions of Python that are promised ask of the code, as far as any one of them can show it."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

import oracl_git.hooks
import oracl_git.lsp
import pytest

from oracl_git.extract import version
from oracl_git.service import Oracl
from oracl_git.store import made_by
from tests.worlds import Commit, found, plain

TOP = Path(__file__).parent.parent
PLACES = [Path(package.__file__).parent for package in (oracl_git, oracl_git.hooks, oracl_git.lsp)]
NUMBERED = re.compile(r"[=<>(, ]\?\d")

_KNOWN = r"[\w.]+ is not None"
TELLS_A_TYPE = re.compile(rf"{_KNOWN}( and {_KNOWN})*|isinstance\([\w.]+, \w+\)")


def test_the_oldest_version_that_is_promised_is_the_one_that_is_checked() -> None:
    told = tomllib.loads((TOP / "pyproject.toml").read_text())
    project, tools = told["project"], told["tool"]
    head = "Programming Language :: Python :: "
    named = [word.removeprefix(head) for word in project["classifiers"] if word.startswith(f"{head}3.")]
    oldest = named[0]
    assert project["requires-python"] == f">={oldest}" and tools["mypy"]["python_version"] == oldest
    assert tools["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    assert named == [f"3.{minor}" for minor in range(int(oldest[2:]), int(oldest[2:]) + len(named))]


def test_no_parameter_of_sql_is_numbered() -> None:
    """What is bound to `?1` from a sequence is deprecated in 3.12: it is `?`, or `:name` from a dictionary."""
    files = [path for place in PLACES for path in place.rglob("*.py")]
    found = [
        f"{path.name}:{node.lineno} {node.value}"
        for path in files
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NUMBERED.search(node.value)
    ]
    assert found == []
    assert NUMBERED.search("SELECT 1 FROM node WHERE path=?1") and len(files) > 100


def test_an_index_of_another_python_is_told_and_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has another edition of Unicode, and with it another extractor; what none of them disputes has one root."""
    text = "from b import größe, 名前\n\nΣ = größe('ſtraße')\n"
    place = str(found(tmp_path / "repo", [Commit(plain({"a.py": text, "b.py": "größe = 名前 = str\n", "c.md": text}))]))
    with Oracl.at(place) as oracl:
        oracl.update()
        root = oracl.status().root
        assert oracl.status().stale == "" and root
    monkeypatch.setattr(version, "unicodedata", SimpleNamespace(unidata_version="99.0.0"))
    made_by.made_by.cache_clear()
    try:
        with Oracl.at(place) as oracl:
            assert oracl.status().stale == "was made by another version of oracl-git or Python"
            assert oracl.update().rebuilt == "another version of oracl-git or Python"
            assert oracl.status().stale == "" and oracl.status().root == root
    finally:
        made_by.made_by.cache_clear()


def test_what_is_asserted_only_tells_a_type() -> None:
    """`python -O` runs no assert: none does anything, and none stands before what must be refused."""
    found = [
        f"{path}:{node.lineno}"
        for place in PLACES
        for path in place.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Assert) and not TELLS_A_TYPE.fullmatch(ast.unparse(node.test))
    ]
    assert found == []
    assert not TELLS_A_TYPE.fullmatch("trusted(key) is not None")


# Says which it is, and makes environments whose Python says so.
FAKE = """#!/bin/sh
name=${0##*/}
case $* in
    -VV) echo "$name" ;;
    "-m venv --clear "*)
        rm -rf "$4" && mkdir -p "$4/bin" && echo "$name made it" >> made
        printf '#!/bin/sh\\n' > "$4/bin/pip"
        printf '#!/bin/sh\\necho tested by %s\\n' "$name" > "$4/bin/python"
        chmod +x "$4/bin/pip" "$4/bin/python" ;;
esac
"""


def test_the_environment_is_of_the_python_that_is_asked_for(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(TOP / name, tmp_path / name)
    for name in ("one", "other"):
        (tmp_path / name).write_text(FAKE)
        (tmp_path / name).chmod(0o755)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make test`
    for name in ("one", "one", "other", "other", "one"):
        done = subprocess.run(
            ["make", "-s", "test", f"PYTHON=./{name}"], cwd=tmp_path, env=clean, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        assert done.stdout == f"tested by {name}\n"
    assert (tmp_path / "made").read_text() == "one made it\nother made it\none made it\n"
