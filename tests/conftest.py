"""Real git repositories for tests: fixed dates and identity, no user or system config."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

EPOCH = 1_700_000_000

# What is started here hears signals, also where the tests run in the background, which ignores them.
for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)

_FIXED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "ORACL_SKIP": "1",  # no worker outlives a test; tests of hooks take it away
}


class Repo:
    """One repository (or directory) that git commands run in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commits = 0

    def __call__(self, *args: str | bytes, input: bytes | None = None, ok: bool = True, **env: str) -> str:
        """Run git here; its output without the last newline."""
        return self.bytes(*args, input=input, ok=ok, **env).decode("utf-8", "surrogateescape").removesuffix("\n")

    def bytes(self, *args: str | bytes, input: bytes | None = None, ok: bool = True, **env: str) -> bytes:
        done = subprocess.run(
            ["git", *args], cwd=self.path, input=input or b"", capture_output=True, env={**os.environ, **env}
        )
        assert done.returncode == 0 or not ok, f"git {args}: {done.stderr.decode()}"
        return done.stdout

    def write(self, path: str | bytes, content: str | bytes = "") -> None:
        full = os.path.join(os.fsencode(self.path), os.fsencode(path))
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "change", files: dict[str, str] | None = None, *options: str) -> str:
        """Write `files`, commit everything that changed (a minute later each time), give the id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self("add", "-A")
        date = f"{EPOCH + 60 * self.commits} +0000"
        self.commits += 1
        options = ("--allow-empty", "--allow-empty-message", "--no-verify", "-q", *options)
        self("commit", *options, "-m", message, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
        return self("rev-parse", "HEAD")

    def commit_tree(self, tree: str, message: str, *parents: str) -> str:
        """A commit object made by hand, without touching index, HEAD or work tree."""
        date = f"{EPOCH + 60 * self.commits} +0000"
        self.commits += 1
        given = [word for parent in parents for word in ("-p", parent)]
        env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return self("commit-tree", tree, *given, input=message.encode(), **env)


class Git:
    """Makes repositories below one temporary directory."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def init(self, name: str = "repo", *options: str) -> Repo:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        repo = Repo(path)
        repo("init", "-q", "-b", "main", *options)
        return repo

    def clone(self, source: Repo, name: str, *options: str) -> Repo:
        """A clone over file://, so that depth and filters are honoured."""
        Repo(self.root)("clone", "-q", *options, f"file://{source.path}", name)
        return Repo(self.root / name)

    def at(self, path: Path) -> Repo:
        return Repo(path)


def isolate(patch: pytest.MonkeyPatch, home: Path) -> None:
    """No test sees the machine's git settings, nor the repository the tests lie in."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "ORACL_")):
            patch.delenv(name)
    for name, value in _FIXED.items():
        patch.setenv(name, value)
    patch.setenv("HOME", str(home))


@pytest.fixture(autouse=True, scope="session")
def isolated_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What fixtures of a module see, which are made before any test's own."""
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, tmp_path_factory.getbasetemp())
        yield


@pytest.fixture(autouse=True)
def isolated_git(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What each test sees, whatever the one before it set."""
    isolate(monkeypatch, tmp_path_factory.getbasetemp())


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git(tmp_path)
