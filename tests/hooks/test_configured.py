"""Hooks in git's configuration, which git runs from 2.54 on.

With a git of that age on PATH, or in the directory that ORACL_TEST_NEW_GIT names, it is the real one. Else a
stand-in says that it is 2.54, and after what the real git did it runs the configured commands as that one does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Hooked = Any
NEW_GIT = os.environ.get("ORACL_TEST_NEW_GIT", "")  # before the environment is cleared
EVENTS = ["post-commit", "post-checkout", "post-merge", "post-rewrite"]
STAND_IN = r"""#!/bin/sh
real=@REAL@
for word; do case $word in -c | *=*) ;; *) break ;; esac; done
[ "$word" != version ] || { echo 'git version 2.54.0'; exit 0; }
fire() { # EVENT ARGUMENTS: what hook.oracl.command says, in the shell, at the top of the work tree
  event=$1; shift
  $real config --get-all hook.oracl.event | grep -qx "$event" || return 0
  [ "$($real config --type=bool hook.oracl.enabled)" != false ] || return 0
  text=$($real config hook.oracl.command)
  cd "$($real rev-parse --show-toplevel)"
  if [ $# = 0 ]; then sh -c "$text"; else sh -c "$text \"\$@\"" "$text" "$@"; fi
}
before=$($real rev-parse -q --verify HEAD 2> /dev/null)
$real "$@"; code=$?
[ $code = 0 ] || exit $code
case $word in
  commit) fire post-commit; case "$*" in *--amend*) fire post-rewrite amend ;; esac ;;
  checkout) fire post-checkout "$before" "$($real rev-parse HEAD)" 1 ;;
  merge) fire post-merge 0 ;;
esac
exit 0
"""


def version(git: str) -> tuple[int, ...]:
    out = subprocess.run([git, "version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", out)
    assert found
    return tuple(map(int, found.groups()))


@pytest.fixture
def new_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Put a git on PATH that runs configured hooks; whether it is a real one."""
    old = shutil.which("git")
    assert old
    given = NEW_GIT
    place = given or str(tmp_path / "bin")
    if not given and version(old) < (2, 54):
        (tmp_path / "bin").mkdir()
        stand_in = tmp_path / "bin/git"
        stand_in.write_text(STAND_IN.replace("@REAL@", old))
        stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", place + os.pathsep + os.environ["PATH"])
    return bool(given) or version(old) >= (2, 54)


def oracl(repo: Hooked, *args: str, ok: bool = True) -> str:
    """Not through `git oracl`: the real git would put itself before the stand-in."""
    return str(repo.run("git-oracl", *args, ok=ok).stdout)


def config(repo: Hooked) -> bytes:
    return bytes((repo.path / ".git/config").read_bytes())


def hook_files(repo: Hooked) -> set[str]:
    return {path.name for path in (repo.path / ".git/hooks").iterdir() if path.suffix != ".sample"}


def test_no_file_is_touched_and_no_trace_left(new_git: bool, bare_repo: Hooked) -> None:
    hook = bare_repo.path / ".git/hooks/post-commit"
    hook.write_text("#!/usr/bin/env python3\n")  # which could take no block
    before = config(bare_repo)
    files = hook_files(bare_repo)
    out = oracl(bare_repo, "hooks", "install")
    assert out == f"Hooks: {', '.join(EVENTS)} (git oracl hooks uninstall removes them).\n"
    assert hook_files(bare_repo) == files and hook.read_text() == "#!/usr/bin/env python3\n"
    once = config(bare_repo)
    assert once.startswith(before) and once.count(b'[hook "oracl"]') == 1
    if new_git:
        for event in EVENTS:
            assert bare_repo.git("hook", "list", event).splitlines()[0] == "oracl"
    status = oracl(bare_repo, "hooks", "status")
    assert status.count("installed, in git's configuration") == 4
    oracl(bare_repo, "hooks", "install")
    assert config(bare_repo) == once
    assert "config: hook.oracl" in oracl(bare_repo, "hooks", "uninstall")
    assert config(bare_repo) == before and hook_files(bare_repo) == files
    assert not (bare_repo.path / ".git/oracl").exists()
    assert oracl(bare_repo, "hooks", "uninstall") == "There was nothing to remove.\n"


def test_each_event_is_told(new_git: bool, bare_repo: Hooked) -> None:
    oracl(bare_repo, "init")
    spool = bare_repo.path / ".git/oracl/spool"
    (bare_repo.path / ".git/oracl/worker").write_text(f"{os.getpid()}\n")  # one is at work: events only wait

    def told() -> list[str]:
        text = spool.read_text() if spool.exists() else ""
        spool.unlink(missing_ok=True)
        return text.splitlines()

    bare_repo.commit("second")
    assert told() == ["post-commit"]
    bare_repo.git("checkout", "-q", "-b", "side", "HEAD~")
    assert told() == ["post-checkout"]
    bare_repo.commit("third")
    bare_repo.git("commit", "-q", "--amend", "-m", "amended")
    assert told() == ["post-commit", "post-commit"]  # an amended commit is told of once
    bare_repo.git("merge", "-q", "-m", "merged", "main")
    assert told() == ["post-merge"]
    bare_repo.git("checkout", "-q", "main", ORACL_SKIP="1")
    assert told() == []
    (bare_repo.path / ".git/oracl/worker").unlink()


def test_the_index_follows(new_git: bool, bare_repo: Hooked) -> None:
    oracl(bare_repo, "init")
    head = bare_repo.commit("second")
    bare_repo.settle()
    assert [run["commit"] for run in bare_repo.runs] == [head]
    oracl(bare_repo, "deinit")
    assert not (bare_repo.path / ".git/oracl").exists()
    done = bare_repo.run("git", "commit", "-q", "--allow-empty", "-m", "x")
    assert done.stderr == done.stdout == ""


def test_the_script_or_the_repository_is_elsewhere(new_git: bool, bare_repo: Hooked) -> None:
    """Nothing in the configuration names a place; and where there is no script, nothing is said."""
    oracl(bare_repo, "init")
    bare_repo.path = bare_repo.path.rename(bare_repo.path.parent / "it's moved")
    bare_repo.commit("second")
    bare_repo.settle()
    assert len(bare_repo.runs) == 1
    shutil.rmtree(bare_repo.path / ".git/oracl")
    done = bare_repo.run("git", "commit", "-q", "--allow-empty", "-m", "x")
    assert done.stderr == done.stdout == "" and not (bare_repo.path / ".git/oracl").exists()


def test_a_linked_worktree(new_git: bool, bare_repo: Hooked) -> None:
    oracl(bare_repo, "init")
    bare_repo.git("worktree", "add", "-q", "../linked", ORACL_SKIP="1")
    linked = type(bare_repo)(bare_repo.path.parent / "linked")
    linked.commit("there")
    bare_repo.settle()
    assert len(linked.runs) == 1 and not linked.runs[0]["error"]


def test_hooks_of_all_repositories_are_no_hindrance(new_git: bool, bare_repo: Hooked, tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    bare_repo.git("config", "core.hooksPath", str(tmp_path / "all"))
    oracl(bare_repo, "init")
    bare_repo.commit("second")
    bare_repo.settle()
    assert len(bare_repo.runs) == 1 and not list((tmp_path / "all").iterdir())


def test_blocks_of_an_older_git_give_way_and_come_back(
    bare_repo: Hooked, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if version("git") >= (2, 54):
        pytest.skip("there is no older git")
    hook = bare_repo.path / ".git/hooks/post-commit"
    hook.write_text("#!/bin/sh\necho theirs > ran\n")
    hook.chmod(0o755)
    before = config(bare_repo)
    old_path = os.environ["PATH"]
    bare_repo.oracl("hooks", "install")
    assert "oracl" in hook.read_text() and config(bare_repo) == before
    request.getfixturevalue("new_git")
    assert oracl(bare_repo, "hooks", "status").count("installed") == 4  # they still run
    oracl(bare_repo, "hooks", "install")
    assert hook.read_text() == "#!/bin/sh\necho theirs > ran\n" and hook_files(bare_repo) == {"post-commit"}
    bare_repo.commit("second")
    assert (bare_repo.path / "ran").exists()
    monkeypatch.setenv("PATH", old_path)
    assert oracl(bare_repo, "hooks", "status", ok=False).count("missing") == 4
    bare_repo.oracl("hooks", "install")
    assert config(bare_repo) == before and "oracl" in hook.read_text()
    bare_repo.settle()


def test_switched_off_in_the_configuration(new_git: bool, bare_repo: Hooked) -> None:
    oracl(bare_repo, "init")
    bare_repo.git("config", "hook.oracl.enabled", "false")
    assert oracl(bare_repo, "hooks", "status", ok=False).count(" off, git config hook.oracl.enabled") == 4
    out = oracl(bare_repo, "hooks", "install", ok=False)  # which is to mend, not to overrule
    assert out.count("Switched off: ") == 4
    assert oracl(bare_repo, "hooks", "status", ok=False).count(" off, ") == 4
    bare_repo.commit("second")
    bare_repo.settle()
    assert not bare_repo.runs
    if new_git and version("git") >= (2, 55):
        bare_repo.git("config", "--unset", "hook.oracl.enabled")
        bare_repo.git("config", "hook.post-merge.enabled", "false")
        assert "post-merge     off, " in oracl(bare_repo, "hooks", "status", ok=False)
        bare_repo.git("config", "--unset", "hook.post-merge.enabled")
    oracl(bare_repo, "deinit")
    assert b"oracl" not in config(bare_repo)


def test_half_a_section_is_completed(new_git: bool, bare_repo: Hooked) -> None:
    bare_repo.git("config", "hook.oracl.command", "an older one")
    bare_repo.git("config", "--add", "hook.oracl.event", "post-commit")
    oracl(bare_repo, "hooks", "install")
    assert bare_repo.git("config", "--get-all", "hook.oracl.event").splitlines() == EVENTS
    assert "an older one" not in config(bare_repo).decode()


def test_a_rebase_starts_nothing_while_it_picks(new_git: bool, bare_repo: Hooked) -> None:
    if not new_git:
        pytest.skip("the stand-in runs nothing within a rebase")
    oracl(bare_repo, "init")
    bare_repo.git("checkout", "-q", "-b", "topic", ORACL_SKIP="1")
    for number in range(10):
        bare_repo.commit(f"c{number}", ORACL_SKIP="1")
    bare_repo.git("checkout", "-q", "main", ORACL_SKIP="1")
    bare_repo.commit("base", ORACL_SKIP="1")
    bare_repo.git("checkout", "-q", "topic", ORACL_SKIP="1")
    bare_repo.git("rebase", "-q", "main")
    bare_repo.settle()
    assert 1 <= len(bare_repo.runs) <= 2 and bare_repo.at_head()


TEXTS = st.lists(
    st.sampled_from([
        "[user]\n\tname = x\n", "# a comment\n", "\n", '[hook "other"]\n\tcommand = true\n\tevent = post-commit\n',
        "[alias]\n\tx = !echo \\\"a\\\"\n", "[core] ; here\n\thooksPath = x", "[x]\r\n\ty = z\r\n",
        "[hook]\n\tjobs = 1\n",
    ]),
    max_size=5,
).map("".join)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_any_configuration_comes_back_byte_for_byte(bare_repo: Hooked, text: str) -> None:
    from oracl_git.hooks import configured

    from oracl_git.git import discover

    place = bare_repo.path / ".git/config"
    before = place.read_bytes()
    (bare_repo.path / ".git/oracl").mkdir(exist_ok=True)
    try:
        with place.open("ab") as file:
            file.write(text.encode())
        if subprocess.run(["git", "config", "-l"], cwd=bare_repo.path, capture_output=True).returncode:
            return  # git itself cannot read it
        given_text = place.read_bytes()
        repo = discover(str(bare_repo.path))
        configured.add(repo)
        assert place.read_bytes() != given_text
        assert configured.remove(repo) and place.read_bytes() == given_text
    finally:
        place.write_bytes(before)
