"""Where hooks go, whom they leave alone, and that they leave without a trace."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracl_git.hooks import shim

from oracl_git.git import git_version

Hooked = Any
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(git_version() >= (2, 54), reason="such a git needs no hook files: test_configured.py")


def picture(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a directory: mode and bytes; directories too."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        found[name] = (path.lstat().st_mode, b"" if path.is_dir() else path.read_bytes())
    return found


def states(repo: Hooked) -> dict[str, str]:
    import json

    done = repo.run("git", "oracl", "hooks", "status", "--json", ok=False)
    return {row["event"]: row["state"] for row in json.loads(done.stdout)["hooks"]}


def test_install_and_uninstall_leave_no_trace(bare_repo: Hooked) -> None:
    before = picture(bare_repo.path)
    out = bare_repo.oracl("hooks", "install")
    assert out == (
        "Hooks: post-commit, post-checkout, post-merge, post-rewrite (git oracl hooks uninstall removes them).\n"
    )
    assert set(states(bare_repo).values()) == {"installed"}
    once = picture(bare_repo.path)
    bare_repo.oracl("hooks", "install")
    assert picture(bare_repo.path) == once
    bare_repo.oracl("hooks", "uninstall")
    assert picture(bare_repo.path) == before
    assert bare_repo.oracl("hooks", "uninstall") == "There was nothing to remove.\n"


def test_uninstall_after_the_worker_ran(repo: Hooked) -> None:
    repo.commit("second")
    repo.settle()
    assert repo.runs
    repo.oracl("hooks", "uninstall")
    left = {path.name for path in (repo.path / ".git/oracl").iterdir()}
    assert left <= {f"{name}.sqlite{end}" for name in ("index", "facts", "history") for end in ("", "-wal", "-shm")} | {
        "index.sqlite-reading"
    }


def test_no_hooks_directory_comes_and_goes(bare_repo: Hooked) -> None:
    for path in (bare_repo.path / ".git/hooks").iterdir():
        path.unlink()
    (bare_repo.path / ".git/hooks").rmdir()
    before = picture(bare_repo.path)
    bare_repo.oracl("hooks", "install")
    bare_repo.oracl("hooks", "uninstall")
    assert picture(bare_repo.path) == before


@pytest.mark.parametrize("text", [
    "#!/bin/sh\necho theirs >> ran\n",
    "#!/usr/bin/env bash\nset -euo pipefail\necho theirs >> ran\nexec true",
    "#!/bin/sh",
    "echo theirs >> ran\n",
    "#!/bin/sh\r\n",
    "",
])  # fmt: skip
def test_the_hook_that_is_there_still_runs(bare_repo: Hooked, text: str) -> None:
    hook = bare_repo.path / ".git/hooks/post-commit"
    hook.write_bytes(text.encode())
    hook.chmod(0o750)
    before = picture(bare_repo.path)
    bare_repo.oracl("init")
    assert states(bare_repo)["post-commit"] == "installed"
    if "\r" not in text:  # git cannot run that one with or without us
        bare_repo.commit("second")
        assert ("theirs" in text) == (bare_repo.path / "ran").exists()
        if text != "#!/bin/sh":
            bare_repo.settle()
            assert bare_repo.at_head() and bare_repo.runs
    bare_repo.oracl("deinit")
    after = picture(bare_repo.path)
    assert after[".git/hooks/post-commit"] == before[".git/hooks/post-commit"]


def test_an_old_block_is_brought_up_to_date(bare_repo: Hooked) -> None:
    hook = bare_repo.path / ".git/hooks/post-commit"
    hook.write_text("#!/bin/sh\necho before\n# >>> git-oracl >>>\nan older block\n# <<< git-oracl <<<\necho after\n")
    hook.chmod(0o755)
    bare_repo.oracl("hooks", "install")
    text = hook.read_text()
    assert "an older block" not in text and text.index("before") < text.index("oracl/hook.sh") < text.index("after")
    assert text.count("# >>> git-oracl >>>") == 1
    bare_repo.oracl("hooks", "uninstall")
    assert hook.read_text() == "#!/bin/sh\necho before\necho after\n"


def test_what_a_user_added_to_our_file_stays(bare_repo: Hooked) -> None:
    bare_repo.oracl("hooks", "install")
    hook = bare_repo.path / ".git/hooks/post-merge"
    hook.write_text(hook.read_text() + "echo mine\n")
    bare_repo.oracl("hooks", "install")
    bare_repo.oracl("hooks", "uninstall")
    assert hook.read_text() == "#!/bin/sh\necho mine\n"


@pytest.mark.parametrize(("make", "why"), [
    (lambda hook: (hook.write_text("#!/usr/bin/env python3\n"), hook.chmod(0o755)), "is not a shell script"),
    (lambda hook: (hook.write_bytes(b"\x7fELF\0\0"), hook.chmod(0o755)), "is not a shell script"),
    (lambda hook: (hook.write_text("#!/bin/sh\n"), hook.chmod(0o644)), "is not executable"),
    (lambda hook: os.symlink("../../tracked.sh", hook), "is a link"),
])  # fmt: skip
def test_what_is_left_alone(bare_repo: Hooked, make: Any, why: str) -> None:
    bare_repo.write("tracked.sh", "#!/bin/sh\n")
    (bare_repo.path / "tracked.sh").chmod(0o755)
    hook = bare_repo.path / ".git/hooks/post-commit"
    make(hook)
    before = hook.read_bytes()
    done = bare_repo.run("git", "oracl", "hooks", "install", ok=False)
    assert done.returncode == 1 and f"post-commit, the hook that is there {why}" in done.stdout
    assert 'oracl/hook.sh" post-commit "$@"' in done.stdout
    assert hook.read_bytes() == before
    assert states(bare_repo)["post-merge"] == "installed"


def test_hooks_path_inside_the_repository(bare_repo: Hooked) -> None:
    bare_repo.write("githooks/post-commit", "#!/bin/sh\n")
    bare_repo.git("config", "core.hooksPath", "githooks")
    before = (bare_repo.path / "githooks/post-commit").read_bytes()
    done = bare_repo.run("git", "oracl", "hooks", "install", ok=False)
    assert done.returncode == 1
    assert f"Add this line to {bare_repo.path}/githooks/post-commit:" in done.stdout
    assert (bare_repo.path / "githooks/post-commit").read_bytes() == before
    line = next(row.strip() for row in done.stdout.splitlines() if "hook.sh" in row and "post-commit" in row)
    assert str(bare_repo.path) not in line  # it is tracked, and works in every clone
    bare_repo.write("githooks/post-commit", f"#!/bin/sh\n{line}\n")
    (bare_repo.path / "githooks/post-commit").chmod(0o755)
    bare_repo.oracl("init")
    assert states(bare_repo)["post-commit"] == "installed"
    bare_repo.commit("second")
    bare_repo.settle()
    assert bare_repo.at_head() and len(bare_repo.runs) == 1
    bare_repo.oracl("deinit")
    assert not (bare_repo.path / ".git/oracl").exists()
    done = bare_repo.run("git", "commit", "-q", "--allow-empty", "-m", "x")
    assert done.stderr == "" and not (bare_repo.path / ".git/oracl").exists()


def test_hooks_path_of_all_repositories(bare_repo: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path}/all\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    before = picture(bare_repo.path)
    done = bare_repo.run("git", "oracl", "hooks", "install", ok=False)
    assert done.returncode == 128 and "core.hooksPath (global)" in done.stderr and "hint: git config" in done.stderr
    assert picture(bare_repo.path) == before and not list((tmp_path / "all").iterdir())
    assert "No hooks: core.hooksPath (global)" in bare_repo.oracl("init")  # the index is made all the same
    hint = done.stderr.splitlines()[-1].removeprefix("hint: ")
    bare_repo.run("sh", "-c", hint)
    bare_repo.oracl("hooks", "install")
    assert set(states(bare_repo).values()) == {"installed"}


def test_hooks_path_outside(bare_repo: Hooked, tmp_path: Path) -> None:
    bare_repo.git("config", "core.hooksPath", str(tmp_path / "elsewhere"))
    done = bare_repo.run("git", "oracl", "hooks", "install", ok=False)
    assert done.returncode == 128 and "core.hooksPath (local)" in done.stderr


def test_linked_worktrees_share_the_hooks(repo: Hooked) -> None:
    repo.git("worktree", "add", "-q", "../linked")
    linked = type(repo)(repo.path.parent / "linked")
    repo.settle()
    assert set(states(linked).values()) == {"installed"}
    linked.commit("there")
    repo.settle()
    assert linked.at_head() and linked.runs[-1]["error"] == ""
    linked.oracl("hooks", "uninstall")
    assert set(states(repo).values()) == {"missing"}


def test_no_hooks_means_none(bare_repo: Hooked) -> None:
    before = picture(bare_repo.path / ".git/hooks")
    assert "Hooks:" not in bare_repo.oracl("init", "--no-hooks")
    assert picture(bare_repo.path / ".git/hooks") == before


def test_deinit_waits_for_the_worker_and_leaves_nothing(bare_repo: Hooked) -> None:
    before = picture(bare_repo.path / ".git/hooks")
    bare_repo.oracl("init")
    bare_repo.commit("second")
    bare_repo.oracl("deinit")
    bare_repo.settle()
    assert not (bare_repo.path / ".git/oracl").exists()
    assert picture(bare_repo.path / ".git/hooks") == before


@given(st.one_of(st.binary(), st.text("#!/binsh \r\n>", max_size=40).map(str.encode)))
@example(b"#!/bin/sh")
@example(b"#!/bin/sh\n")
def test_removing_is_the_inverse_of_inserting(hook: bytes) -> None:
    with_block = shim.inserted(hook, "post-commit")
    assert shim.has_block(with_block) and shim.removed(with_block) == hook
    assert shim.inserted(with_block, "post-commit") == with_block
    assert shim.removed(shim.inserted(None, "post-commit")) is None  # type: ignore[arg-type]


def test_the_distribution_names_every_package() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    there = {"oracl_git.hooks", "oracl_git.lsp"}
    there |= {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "oracl_git").rglob("__init__.py")}
    assert set(config["packages"]) == there
