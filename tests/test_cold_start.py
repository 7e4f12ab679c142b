"""The verbs that answer import nothing heavy: most of the time of a short command is its imports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest import fixture, mark

HEAVY = {
    "pygit2", "networkx", "numpy", "pygls", "lsprotocol", "mcp", "cryptography", "rich", "tree_sitter",
    "tree_sitter_python", "asyncio", "pathlib", "tempfile", "logging", "email", "http", "ssl", "urllib.request",
    "concurrent.futures", "multiprocessing", "shutil", "importlib.metadata", "pkg_resources", "setuptools",
}  # fmt: skip
BUILDERS = {"oracl_git.extract.extractor", "oracl_git.graph.link", "oracl_git.graph.governance"}  # what makes an index
VERBS = {
    "search": ["search", "where is the answer"],
    "related": ["related", "a.py"],
    "trace": ["trace", "a.py"],
    "show": ["show", "a.py"],
    "status": ["status"],
    "session": ["session", "show"],
    "session ask": ["session", "ask", "a.py:1"],
    "help": ["-h"],
}
START = "import sys; sys.argv[0] = 'git-oracl'; from oracl_git.cli import main; sys.exit(main())"


@fixture(scope="module")
def repository(tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("cold")
    (path / "a.py").write_text('"""Where the answer is."""\nimport b\n')
    (path / "b.py").write_text("ANSWER = 42\n")
    identity = ["-c", "user.name=A U Thor", "-c", "user.email=author@example.com"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "The answer"]):
        subprocess.run(["git", *words], cwd=path, check=True)
    for words in (["init"], ["session", "start", "cold"]):
        subprocess.run([sys.executable, "-c", START, *words], cwd=path, check=True, capture_output=True)
    return path


@mark.parametrize("verb", VERBS)
def test_nothing_heavy(repository: Path, verb: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", START, *VERBS[verb]], cwd=repository, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    names = re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", done.stderr, re.MULTILINE)
    ours = [name for name in names if name.startswith("oracl_git")]
    assert ours
    start = names.index(ours[0]) if "site" not in names else names.index("site")
    found = {name for name in names[start:] if name in HEAVY or name.partition(".")[0] in HEAVY}
    if verb != "show":  # it says which rules hold for a file
        found |= BUILDERS.intersection(names)
    assert not found


def test_the_package_itself_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import oracl_git; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name for name in done.stdout.split() if name.startswith("oracl_git")} == {"oracl_git"}


def test_a_question_to_the_ontology_loads_nothing_that_reads_documents(repository: Path) -> None:
    readers = {f"oracl_git.ontology.{name}" for name in ("ingest", "entities", "naming", "statements", "parsers")}
    run = [sys.executable, "-X", "importtime", "-c", START, "ontology"]
    subprocess.run([*run, "init"], cwd=repository, check=True, capture_output=True)
    done = subprocess.run([*run, "query", "where is the answer"], cwd=repository, capture_output=True, text=True)
    names = set(re.findall(r"^import time: +\d+ \| +\d+ \| +(\S+)$", done.stderr, re.MULTILINE))
    assert "oracl_git.ontology.search" in names
    assert not names & (readers | {"numpy", "tree_sitter", "pygit2"})
