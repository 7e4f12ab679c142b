"""What git's users do not notice: nothing may be written, the disk is full, Python or the tool is gone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Hooked = Any
COMMANDS = (
    ("commit", "-q", "--allow-empty", "-m", "x"),
    ("checkout", "-q", "-b", "other"),
    ("commit", "-q", "--amend", "--allow-empty", "-m", "y"),
    ("checkout", "-q", "main"),
    ("merge", "-q", "--no-edit", "other"),
    ("rebase", "-q", "--force-rebase", "HEAD~"),
)


def works_silently(repo: Hooked) -> None:
    """Every command that has a hook does what it does without one, and says nothing."""
    for words in COMMANDS:
        done = repo.run("git", *words)
        assert done.returncode == 0 and done.stdout == done.stderr == "", (words, done)


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Nothing can be written below a directory: by its modes, or for root, who may all the same, by its mount."""
    if os.geteuid():
        modes = {each: each.stat().st_mode for each in (path, *path.rglob("*"))}
        for each, mode in modes.items():
            each.chmod(mode & ~0o222)
        yield
        for each, mode in modes.items():
            each.chmod(mode)
        return
    if subprocess.run(["mount", "--bind", path, path], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", path], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def test_our_directory_is_read_only(repo: Hooked) -> None:
    with read_only(repo.path / ".git/oracl"):
        works_silently(repo)
        repo.settle()
        assert not (repo.path / ".git/oracl/spool").exists() and not repo.runs
    head = repo.commit("second")
    repo.settle()
    assert [run["commit"] for run in repo.runs] == [head]


def test_git_s_directory_is_read_only(repo: Hooked) -> None:
    """What reads works; what would write says so in one line."""
    with read_only(repo.path / ".git"):
        for words in ("status", "log -1", "oracl check", "oracl check --all", "oracl hooks status", "oracl status"):
            done = repo.run("git", *words.split())
            assert done.stderr == "", done
        assert "first.py" in repo.run("git", "oracl", "search", "first").stdout
        for action in ("install", "uninstall"):
            done = repo.run("git", "oracl", "hooks", action, ok=False)
            assert done.returncode == 128 and done.stderr.startswith("git-oracl: cannot write"), done


@pytest.fixture
def small_disk(repo: Hooked) -> Iterator[Path]:
    """Our directory on a disk of its own, four megabytes large."""
    place = repo.path / ".git/oracl"
    kept = repo.path.parent / "kept"
    shutil.copytree(place, kept)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", place], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        shutil.copytree(kept, place, dirs_exist_ok=True)
        yield place
        repo.settle()
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill(place: Path) -> Path:
    """Not a byte is left."""
    path = place / "filler"
    with path.open("ab", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return path


def test_the_disk_is_full(repo: Hooked, small_disk: Path) -> None:
    filler = fill(small_disk)
    works_silently(repo)
    assert not repo.runs
    filler.unlink()
    head = repo.commit("second")
    repo.settle()
    assert repo.runs[-1]["commit"] == head


def test_the_disk_fills_while_the_worker_is_at_work(repo: Hooked, small_disk: Path) -> None:
    """It leaves the index of before, whole, and the next question says what is wrong or mends it."""
    for number in range(400):
        repo.write(f"src/module{number}.py", "".join(f"def f{number}_{n}(): return {n}\n" for n in range(40)))
    repo.git("add", "-A")
    done = repo.run("git", "commit", "-q", "-m", "large")
    assert done.stdout == done.stderr == ""
    repo.settle()
    assert repo.status["commit"] != repo.git("rev-parse", "HEAD")
    assert not any(path.name.startswith("bug") for path in small_disk.iterdir())
    done = repo.run("git", "oracl", "search", "--no-update", "first", ok=False)
    assert done.returncode in (0, 128) and "Traceback" not in done.stderr, done
    works_silently(repo)


def test_a_limit_on_the_size_of_files(repo: Hooked) -> None:
    """A quota that our files exceed, and git's do not: it ends a process by a signal."""
    (repo.path / ".git/oracl/spool").write_bytes(b"post-commit\n" * 10_000)
    (repo.path / ".git/oracl/worker").write_text(f"{os.getpid()}\n")  # nobody works it off
    try:
        for words in COMMANDS:
            done = repo.run("sh", "-c", 'ulimit -f 64; exec git "$@"', "sh", *words)
            assert done.stdout == done.stderr == "", (words, done)
    finally:
        (repo.path / ".git/oracl/worker").unlink()
        (repo.path / ".git/oracl/spool").unlink()


def test_a_worker_whose_parent_ignores_how_children_end(tmp_path: Path) -> None:
    """What git refuses is in the log in git's words, and is not taken for an answer."""
    (tmp_path / "oracl").mkdir()
    (tmp_path / "oracl/spool").write_text("post-commit\n")
    command = "trap '' CHLD; exec \"$0\" -P -m oracl_git.hooks.worker"
    env = {**os.environ, "GIT_DIR": str(tmp_path)}
    assert subprocess.run(["sh", "-c", command, sys.executable], cwd=tmp_path, env=env).returncode == 0
    for line in (tmp_path / "oracl/worker.log").read_text().splitlines():
        assert json.loads(line)["error"] == f"GIT_DIR is {tmp_path}, which is not a git repository"


def test_the_tool_is_uninstalled(bare_repo: Hooked, tmp_path: Path) -> None:
    """An environment of its own, removed while the hooks stay: first the package, then Python."""
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    import oracl_git.hooks

    import oracl_git

    (site / "oracl_git").mkdir()
    for path in Path(oracl_git.__file__).parent.iterdir():
        (site / "oracl_git" / path.name).symlink_to(path)
    if not (site / "oracl_git/hooks").exists():
        (site / "oracl_git/hooks").symlink_to(Path(oracl_git.hooks.__file__).parent)
    (site / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")) + "\n")
    bare_repo.run(str(venv / "bin/python"), "-P", "-c", "from oracl_git.cli import main; main(['init'])")
    assert str(venv) in (bare_repo.path / ".git/oracl/hook.sh").read_text()
    bare_repo.commit("second")
    bare_repo.settle()
    assert len(bare_repo.runs) == 1 and not bare_repo.runs[0]["error"]
    shutil.rmtree(site)
    works_silently(bare_repo)
    shutil.rmtree(venv)
    for path in (bare_repo.path / ".git/oracl").glob("spool*"):
        path.unlink()
    bare_repo.git("branch", "-q", "-D", "other")
    works_silently(bare_repo)
    time.sleep(0.3)
    assert len(bare_repo.runs) == 1 and not (bare_repo.path / ".git/oracl/spool").exists()
