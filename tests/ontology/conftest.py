"""Real repositories with an ontology, made by each test; nothing of the machine's own reaches them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracl_git.git import discover
from oracl_git.ontology.model import Counts
from oracl_git.ontology.project import CONFIG, Project, Root, write_json
from oracl_git.ontology.runtime import Runtime

ENV = {
    "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A U Thor", "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter", "GIT_COMMITTER_EMAIL": "committer@example.com", "LC_ALL": "C.UTF-8",
    "ORACL_SKIP": "1", "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip


class World:
    """A repository with an ontology in it."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path, self.home = path, home
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "ORACL_", "AGENTLAS_"))}
        self.env = {**clean, **ENV, "HOME": str(home)}
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.path, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout.strip()

    def run(self, *args: str, code: int | None = 0, input: str = "", cwd: Path | None = None, **env: str) -> str:
        """`git oracl …`; its output."""
        done = subprocess.run(
            ["git", "oracl", *args], cwd=cwd or self.path, capture_output=True,
            env={**self.env, "PYTHONWARNINGS": "error", **env}, input=input.encode(), timeout=120,
        )  # fmt: skip
        self.err = done.stderr.decode("utf-8", "replace")
        out = done.stdout.decode("utf-8", "replace")
        assert "Traceback" not in self.err and "Exception ignored" not in self.err, self.err
        assert done.returncode != 3 if code is None else done.returncode == code, (args, done.returncode, out, self.err)
        return out

    def write(self, path: str, content: str | bytes) -> Path:
        full = self.path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content.encode() if isinstance(content, str) else content)
        return full

    def commit(self, files: dict[str, str | bytes] | None = None, message: str = "change") -> str:
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def inbox(self, name: str, content: str | bytes) -> Path:
        return self.write(f".agentlas/ontology-inbox/{name}", content)

    def runtime(self, embedding: str = "hash") -> Runtime:
        return Runtime(Project(str(self.path.resolve()), discover(str(self.path))), embedding=embedding)

    def register(self, path: str, scope: str = "internal") -> None:
        with self.runtime() as runtime:
            runtime.project.register(Root(path, scope))

    def ingest(self) -> Counts:
        with self.runtime() as runtime:
            return runtime.ingest()

    def uris(self, question: str, *scopes: str) -> list[str]:
        """Where the answers to a question stand, best first."""
        with self.runtime() as runtime:
            return [hit.uri for hit in runtime.search(question, scopes or ("public", "internal"))]


@pytest.fixture
def worlds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], World]]:
    """Makes repositories, each with the ontology activated."""
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "ORACL_", "AGENTLAS_"))]:
        monkeypatch.delenv(name)
    for name, value in {**ENV, "HOME": str(home)}.items():
        monkeypatch.setenv(name, value)

    def make(name: str = "project") -> World:
        world = World(tmp_path / name, home)
        with world.runtime() as runtime:
            runtime.init()
            config = runtime.project.place(CONFIG)
            write_json(config, {**runtime.project.config(), "embedding_adapter": "hash"})
        return world

    yield make


@pytest.fixture
def world(worlds: Callable[[str], World]) -> World:
    return worlds("project")
