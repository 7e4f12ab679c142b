"""What the versions of Python that are promised ask of the code, as far as any one of them can show it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import oracl_git.hooks
import oracl_git.lsp
import pytest

from oracl_git.extract import version
from oracl_git.service import Oracl
from oracl_git.store import made_by
from tests.worlds import Commit, found, plain

PLACES = [Path(package.__file__).parent for package in (oracl_git, oracl_git.hooks, oracl_git.lsp)]
NUMBERED = re.compile(r"[=<>(, ]\?\d")


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
