"""Repositories with hooks installed, and a way to wait until their workers are gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Hooked:
    """One repository, or one worktree of it, in which git runs with our hooks."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *args: str, ok: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            list(args),
            cwd=self.path,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        assert done.returncode == 0 or not ok, (args, done.stdout, done.stderr)
        return done

    def git(self, *args: str, ok: bool = True, **env: str) -> str:
        return self.run("git", *args, ok=ok, **env).stdout.removesuffix("\n")

    def oracl(self, *args: str, ok: bool = True, **env: str) -> str:
        return self.run("git", "oracl", *args, ok=ok, **{"PYTHONWARNINGS": "error", **env}).stdout

    def write(self, path: str, text: str) -> None:
        full = self.path / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text)

    def commit(self, message: str, *options: str, **env: str) -> str:
        """Commit a change of its own."""
        self.write(f"{message}.py", f"NAME = {message!r}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, *options, **env)
        return self.git("rev-parse", "HEAD")

    @property
    def git_dir(self) -> Path:
        return Path(self.git("rev-parse", "--absolute-git-dir"))

    @property
    def status(self) -> Any:
        return json.loads(self.oracl("status", "--json", ok=False))

    @property
    def runs(self) -> list[Any]:
        """The worker's log."""
        log = self.git_dir / "oracl/worker.log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def settle(self) -> None:
        """Wait until nothing is queued and no worker is left."""
        until = time.monotonic() + 60
        common = self.path / self.git("rev-parse", "--git-common-dir")
        while time.monotonic() < until:
            places = [common, *(common / "worktrees").glob("*")]
            left = [
                p
                for place in places
                for n in ("spool", "spool.taken", "worker", "workers")
                if (p := place / "oracl" / n).exists()
            ]
            if not left and not workers(self.path):
                return
            time.sleep(0.05)
        raise AssertionError(f"still there: {left}, {workers(self.path)}")

    def at_head(self) -> bool:
        status = self.status
        return bool(status["commit"] == status["head"])


def workers(path: Path) -> list[str]:
    """The workers of repositories below a directory that are alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if b"oracl_git.hooks.worker" not in (entry / "cmdline").read_bytes():
                continue
            if os.fsencode(path.parent) in (entry / "environ").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


@pytest.fixture(autouse=True)
def hooks_on(isolated_git: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Hooks do work here; no worker outlives its test."""
    monkeypatch.delenv("ORACL_SKIP")
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    yield
    until = time.monotonic() + 60
    while workers(tmp_path / "x"):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def bare_repo(tmp_path: Path) -> Hooked:
    """A repository with one commit, no index and no hooks."""
    path = tmp_path / "repo"
    path.mkdir()
    repo = Hooked(path)
    repo.git("init", "-q", "-b", "main")
    repo.commit("first")
    return repo


@pytest.fixture
def repo(bare_repo: Hooked) -> Hooked:
    """… with both."""
    bare_repo.oracl("init")
    return bare_repo
