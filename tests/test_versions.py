"""What the versions of Python that are promised ask of the code, as far as any one of them can show it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import oracl_git.hooks
import oracl_git.lsp

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
