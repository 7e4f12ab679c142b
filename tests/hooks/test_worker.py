"""What git does, and how often the worker runs because of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

Hooked = Any


def test_a_commit_is_followed(repo: Hooked) -> None:
    head = repo.commit("second")
    repo.settle()
    assert repo.at_head()
    (run,) = repo.runs
    assert run["commit"] == head and run["events"] == 1 and not run["error"]
    assert repo.status["hooks"]["last_run"] == run
    assert f"hooks      last run {run['time']}, at {head[:7]}" in repo.oracl("status")


def test_the_commit_does_not_wait(repo: Hooked) -> None:
    """The worker holds none of git's descriptors: a reader of its output sees the end at once."""
    repo.write("big.py", "".join(f"def f{n}(): pass\n" for n in range(1_000)))
    repo.git("add", "-A")
    started = time.monotonic()
    done = repo.run("sh", "-c", "git commit -q -m second 2>&1 | cat")
    assert done.stdout == "" and time.monotonic() - started < 0.5
    repo.settle()
    assert repo.at_head()


def test_descriptors_and_session_of_the_worker(repo: Hooked) -> None:
    repo.git("config", "oracl.historyDepth", "100")
    (repo.path / ".git/sequencer").mkdir()  # it waits while picks are under way
    repo.commit("second")
    until = time.monotonic() + 10
    while not (pid := _pid(repo)) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.1)
    links = [os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")]
    (repo.path / ".git/sequencer").rmdir()
    assert {link for link in links if link != "/dev/null"} <= {str(repo.path / ".git/oracl/worker")}
    repo.settle()


def _pid(repo: Hooked) -> str:
    try:
        return str((repo.path / ".git/oracl/worker").read_text().strip())
    except OSError:
        return ""


def test_many_commits_are_few_runs(repo: Hooked) -> None:
    for number in range(10):
        repo.commit(f"c{number}")
    repo.settle()
    assert repo.at_head() and len(repo.runs) <= 2 and sum(run["events"] for run in repo.runs) == 10


def test_a_rebase_of_a_hundred_commits(repo: Hooked) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    for number in range(100):
        repo.commit(f"c{number:03}", ORACL_SKIP="1")
    repo.git("checkout", "-q", "main", ORACL_SKIP="1")
    repo.commit("base", ORACL_SKIP="1")
    repo.git("checkout", "-q", "topic", ORACL_SKIP="1")
    repo.git("rebase", "-q", "main")
    repo.settle()
    assert repo.at_head() and 1 <= len(repo.runs) <= 2


def test_an_aborted_rebase(repo: Hooked) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("first.py", "MINE = 1\n")
    repo.git("commit", "-q", "-am", "mine")
    repo.git("checkout", "-q", "main")
    repo.write("first.py", "THEIRS = 1\n")
    repo.git("commit", "-q", "-am", "theirs")
    repo.git("checkout", "-q", "topic")
    repo.settle()
    before = len(repo.runs)
    assert repo.run("git", "rebase", "main", ok=False).returncode
    repo.git("rebase", "--abort")
    repo.settle()
    assert repo.at_head() and len(repo.runs) - before <= 2


def test_amend_squash_octopus_revert_and_picks(repo: Hooked) -> None:
    for name in ("one", "two", "three"):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.commit(name)
    repo.git("checkout", "-q", "main")
    repo.settle()

    def once(*args: str) -> None:
        before = len(repo.runs)
        repo.git(*args)
        repo.settle()
        assert repo.at_head(), args
        assert 1 <= len(repo.runs) - before <= 2, args

    once("merge", "-q", "-m", "octopus", "one", "two")
    repo.git("merge", "-q", "--squash", "three")
    once("commit", "-q", "-m", "squashed")
    once("commit", "-q", "--amend", "-m", "amended")
    once("revert", "--no-edit", "HEAD")
    repo.git("checkout", "-q", "-b", "picks", "one")
    repo.settle()
    once("cherry-pick", "two", "three")
    repo.git("checkout", "-q", "main")
    repo.settle()
    once("checkout", "-q", "picks")


def test_what_fires_nothing_is_seen_by_the_next_question(repo: Hooked) -> None:
    repo.commit("second")
    repo.settle()
    before = len(repo.runs)
    repo.git("reset", "-q", "--hard", "HEAD~")
    repo.write("first.py", "CHANGED = 1\n")
    repo.git("stash", "-q")
    repo.git("stash", "pop", "-q")
    repo.git("checkout", "--", "first.py")
    repo.settle()
    assert len(repo.runs) == before
    assert "second.py" not in repo.oracl("search", "second", "-z", ok=False)
    assert repo.at_head()


def test_am(repo: Hooked) -> None:
    repo.commit("second")
    patch = repo.git("format-patch", "-1", "--stdout")
    repo.git("reset", "-q", "--hard", "HEAD~")
    (repo.path.parent / "mail").write_text(patch + "\n")
    repo.git("am", "-q", "../mail")
    repo.settle()
    assert "second.py" in repo.oracl("search", "second", "-z")
    assert repo.at_head()


def test_bisect(repo: Hooked) -> None:
    for number in range(8):
        repo.commit(f"c{number}")
    repo.settle()
    before = len(repo.runs)
    repo.git("bisect", "start", "HEAD", "HEAD~8")
    repo.git("bisect", "run", "test", "!", "-e", "c5.py")
    repo.git("bisect", "reset")
    repo.settle()
    assert repo.at_head() and len(repo.runs) - before <= 2


def test_ten_worktrees_at_once(repo: Hooked) -> None:
    trees = []
    for number in range(10):
        repo.git("worktree", "add", "-q", f"../w{number}", ORACL_SKIP="1")
        trees.append(type(repo)(repo.path.parent / f"w{number}"))
        trees[-1].write("here.py", f"NUMBER = {number}\n")
        trees[-1].git("add", "-A")
    running = [subprocess.Popen(["git", "commit", "-q", "-m", "x"], cwd=tree.path) for tree in trees]
    assert [process.wait() for process in running] == [0] * 10
    repo.settle()
    for tree in trees:
        assert tree.at_head()
        assert 1 <= len(tree.runs) <= 2 and not any(run["error"] for run in tree.runs)


def test_a_killed_worker_is_made_up_for(repo: Hooked) -> None:
    (repo.path / ".git/sequencer").mkdir()
    repo.commit("second")
    until = time.monotonic() + 10
    while not _pid(repo) and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(int(_pid(repo)), signal.SIGKILL)
    (repo.path / ".git/sequencer").rmdir()
    time.sleep(0.1)
    assert repo.status["hooks"]["queued"] == 1
    assert "1 event waiting" in repo.oracl("status")
    repo.commit("third")
    repo.settle()
    assert repo.at_head() and sum(run["events"] for run in repo.runs) == 2


@pytest.mark.parametrize("how", ["environment", "config", "command line"])
def test_switched_off(repo: Hooked, how: str) -> None:
    if how == "environment":
        repo.commit("second", ORACL_SKIP="1")
    elif how == "config":
        repo.git("config", "oracl.hooks", "false")
        repo.commit("second")
        assert "switched off" in repo.oracl("hooks", "status")
    else:
        repo.git("-c", "oracl.hooks=false", "commit", "-q", "--allow-empty", "-m", "second")
    repo.settle()
    assert not repo.runs and not repo.at_head()


def silent(repo: Hooked, *args: str) -> None:
    done = repo.run(*args)
    assert done.stderr == "" and done.stdout == ""


def test_python_is_gone(repo: Hooked) -> None:
    script = repo.path / ".git/oracl/hook.sh"
    script.write_text(script.read_text().replace("oracl_python=", "oracl_python=/nowhere", 1))
    silent(repo, "git", "commit", "-q", "--allow-empty", "-m", "x")
    silent(repo, "git", "checkout", "-q", "-b", "other")
    assert not (repo.path / ".git/oracl/spool").exists()


def test_the_tool_is_gone(repo: Hooked, tmp_path: Path) -> None:
    """An interpreter that does not know us."""
    script = repo.path / ".git/oracl/hook.sh"
    other = tmp_path / "python with 'quotes'"
    other.write_text(f'#!/bin/sh\nexec {sys._base_executable} -I "$@"\n')  # type: ignore[attr-defined]
    other.chmod(0o755)
    from oracl_git.hooks import shim

    script.write_bytes(shim.script(str(other)))
    silent(repo, "git", "commit", "-q", "--allow-empty", "-m", "x")
    time.sleep(0.3)
    assert not repo.runs


def test_the_script_is_gone(repo: Hooked) -> None:
    shutil.rmtree(repo.path / ".git/oracl")
    silent(repo, "git", "commit", "-q", "--allow-empty", "-m", "x")
    assert not (repo.path / ".git/oracl").exists()


def test_a_hook_that_cannot_write(repo: Hooked, tmp_path: Path) -> None:
    """Read-only, or full: the spool cannot be written (root may write anything, so a directory is in its place)."""
    (repo.path / ".git/oracl/spool").mkdir()
    silent(repo, "git", "commit", "-q", "--allow-empty", "-m", "x")
    (repo.path / ".git/oracl/spool").rmdir()
    os.symlink("/dev/full", repo.path / ".git/oracl/spool")
    silent(repo, "git", "commit", "-q", "--allow-empty", "-m", "x")
    (repo.path / ".git/oracl/spool").unlink()
    assert not repo.runs


def test_an_update_that_fails_is_told(repo: Hooked) -> None:
    repo.git("config", "oracl.historyDepth", "none")
    repo.commit("second")
    repo.settle()
    repo.commit("third")
    repo.settle()
    assert "oracl.historyDepth" in repo.runs[-1]["error"]
    repo.git("config", "--unset", "oracl.historyDepth")
    assert repo.status["hooks"]["failures"] == 2
    assert "2 runs failed in a row" in repo.oracl("status")


def test_the_log_is_put_aside(repo: Hooked) -> None:
    log = repo.path / ".git/oracl/worker.log"
    log.write_text('{"not": "a run"}\n' * 20_000)
    repo.commit("second")
    repo.settle()
    assert len(repo.runs) == 1 and (repo.path / ".git/oracl/worker.log.1").stat().st_size > 1 << 18


def test_modules_of_the_repository_are_not_run(repo: Hooked) -> None:
    repo.write("json.py", "open('ran', 'w')\nraise SystemExit\n")
    repo.write("oracl_git/__init__.py", "open('ran', 'w')\n")
    repo.commit("second")
    repo.settle()
    assert repo.at_head() and not (repo.path / "ran").exists()


def test_odd_places(tmp_path: Path, bare_repo: Hooked) -> None:
    """A space, a quote and a line end in the path; a bare repository; --git-dir and --work-tree."""
    odd = type(bare_repo)(tmp_path / "it's a $HOME `x` \n dir")
    shutil.copytree(bare_repo.path, odd.path)
    odd.oracl("init")
    odd.commit("second")
    odd.settle()
    assert odd.at_head() and len(odd.runs) == 1
    apart = type(bare_repo)(tmp_path / "apart")
    apart.path.mkdir()
    (odd.path / ".git").rename(tmp_path / "apart.git")
    options = ("--git-dir=../apart.git", "--work-tree=.")
    apart.git(*options, "commit", "-q", "--allow-empty", "-m", "third")
    until = time.monotonic() + 20
    while time.monotonic() < until and (tmp_path / "apart.git/oracl/spool").exists():
        time.sleep(0.05)
    time.sleep(0.5)
    log = (tmp_path / "apart.git/oracl/worker.log").read_text().splitlines()
    assert len(log) == 2 and '"error": ""' in log[1]


def test_hooks_write_nothing_of_git_s(repo: Hooked) -> None:
    repo.write("first.py", "DIRTY = 1\n")
    repo.git("commit", "-q", "--allow-empty", "-m", "x")
    index, head = (repo.path / ".git/index").read_bytes(), (repo.path / ".git/HEAD").read_bytes()
    repo.settle()
    assert (repo.path / ".git/index").read_bytes() == index and (repo.path / ".git/HEAD").read_bytes() == head
    assert (
        repo.git("status", "--porcelain") == "M first.py" or repo.git("status", "--porcelain").strip() == "M first.py"
    )
