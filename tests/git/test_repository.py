"""Where the repository is, from every place and in every state git allows."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from oracl_git.errors import GitFailed, NotARepository, UsageError
from oracl_git.git import discover, open_objects, resolve_commit, set_config, settings, unset_config
from oracl_git.git.run import git as run_git


def test_plain(git, monkeypatch):
    repo = git.init()
    head = repo.commit("one", {"a/b/c.py": "x = 1\n"})
    found = discover(str(repo.path))
    assert (found.git_dir, found.common_dir) == (str(repo.path / ".git"),) * 2
    assert (found.work_tree, found.prefix) == (str(repo.path), "")
    assert (found.object_format, found.head, found.shallow, found.bare) == ("sha1", head, False, False)
    monkeypatch.chdir(repo.path / "a" / "b")
    below = discover()
    assert (below.work_tree, below.prefix) == (str(repo.path), "a/b/")
    assert below.git_dir == found.git_dir
    assert discover(os.curdir) == below


def test_is_one_process(git, monkeypatch):
    repo = git.init()
    started = []
    popen = subprocess.Popen

    def counted(*args, **options):
        started.append(args)
        return popen(*args, **options)

    monkeypatch.setattr(subprocess, "Popen", counted)
    discover(str(repo.path))
    settings(discover(str(repo.path)))
    assert len(started) == 3


def test_unborn_and_detached(git):
    repo = git.init()
    assert discover(str(repo.path)).head is None
    first = repo.commit("one", {"a": "1"})
    repo.commit("two", {"a": "2"})
    repo("checkout", "-q", "--detach", first)
    assert discover(str(repo.path)).head == first


def test_bare(git):
    repo = git.init("bare.git", "--bare")
    found = discover(str(repo.path))
    assert (found.bare, found.work_tree, found.head) == (True, None, None)
    assert found.git_dir == str(repo.path)
    assert settings(found) == {}


def test_inside_the_git_directory(git):
    repo = git.init()
    head = repo.commit()
    found = discover(str(repo.path / ".git"))
    assert (found.work_tree, found.bare, found.head) == (None, False, head)
    assert found.git_dir == str(repo.path / ".git")


def test_linked_worktree(git):
    repo = git.init()
    head = repo.commit("one", {"d/a": "1"})
    repo("worktree", "add", "-q", "../linked", "-b", "other")
    linked = git.at(repo.path.parent / "linked")
    other = linked.commit("two", {"d/b": "2"})
    found = discover(str(linked.path / "d"))
    assert found.git_dir == str(repo.path / ".git" / "worktrees" / "linked")
    assert found.common_dir == str(repo.path / ".git")
    assert (found.work_tree, found.prefix, found.head) == (str(linked.path), "d/", other)
    assert discover(str(repo.path)).head == head
    for backend in ("git", "pygit2"):
        with open_objects(found, backend) as objects:
            assert [entry.path for entry in objects.entries(objects.tree_of(other))] == [b"d/a", b"d/b"]


def test_repository_inside_a_repository(git):
    outer = git.init("outer")
    outer.commit("one", {"a": "1"})
    inner = git.init("outer/inner")
    assert discover(str(inner.path)).work_tree == str(inner.path)


@pytest.mark.parametrize("name", ["new\nline", "sp ace", "tab\t", "-dash", "ünï", "trailing "])
def test_odd_directory_names(git, name):
    repo = git.init(name)
    head = repo.commit("one", {f"{name}/a": "1"})
    found = discover(str(repo.path / name))
    assert (found.work_tree, found.prefix, found.head) == (str(repo.path), f"{name}/", head)
    assert found.git_dir == str(repo.path / ".git")
    assert run_git(found, "rev-parse", "HEAD").decode().strip() == head


def test_relative_git_dir_as_hooks_have_it(git, monkeypatch):
    repo = git.init()
    head = repo.commit("one", {"sub/a": "1"})
    other = git.init("other")
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    monkeypatch.setenv("GIT_PREFIX", "sub/")
    found = discover()
    assert (found.git_dir, found.work_tree, found.head) == (str(repo.path / ".git"), str(repo.path), head)
    monkeypatch.chdir(other.path)  # from here on the variables are wrong
    assert resolve_commit(found, "HEAD") == head
    with open_objects(found, "git") as objects:
        assert [entry.path for entry in objects.entries(objects.tree_of(head))] == [b"sub/a"]


def test_git_dir_and_work_tree_from_elsewhere(git, monkeypatch):
    repo = git.init()
    head = repo.commit("one", {"a": "1"})
    (repo.path.parent / "elsewhere").mkdir()
    monkeypatch.chdir(repo.path.parent / "elsewhere")
    monkeypatch.setenv("GIT_DIR", "../repo/.git")
    monkeypatch.setenv("GIT_WORK_TREE", "../repo")
    found = discover()
    assert (found.git_dir, found.work_tree, found.prefix) == (str(repo.path / ".git"), str(repo.path), "")
    assert found.head == head


def test_as_a_subcommand_of_git(git, tmp_path):
    """`git --git-dir=X -C Y -c k=v oracl` reaches us as variables and a directory."""
    repo = git.init()
    repo.commit("one", {"a/b": "1"})
    tool = tmp_path / "bin" / "git-where"
    tool.parent.mkdir()
    tool.write_text(
        f"#!{sys.executable}\nfrom oracl_git.git import *\nr = discover()\n"
        "print(r.git_dir, r.work_tree, r.prefix or '.', settings(r).get('oracl.x'))\n"
    )
    tool.chmod(0o755)
    path = f"{tool.parent}{os.pathsep}{os.environ['PATH']}"
    top = str(repo.path)
    assert repo("-C", "a", "-c", "oracl.X=1", "where", PATH=path).split() == [top + "/.git", top, "a/", "1"]
    away = git.init("away")
    assert away("--git-dir=../repo/.git", "where", PATH=path).split() == [
        top + "/.git",
        str(away.path),
        ".",
        "None",
    ]


def test_not_a_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(NotARepository) as raised:
        discover(str(tmp_path))
    assert raised.value.hint == "cd into one, or pass -C PATH: git -C PATH oracl search x"
    with pytest.raises(NotARepository):
        discover(str(tmp_path / "nowhere"))


def test_dubious_ownership(git):
    repo = git.init()
    code = (
        "import sys; from oracl_git.git import discover; from oracl_git.errors import GitFailed\n"
        "try: discover(sys.argv[1])\nexcept GitFailed as e: print(e.message); print(e.hint)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(repo.path)],
        env={**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert "dubious ownership" in out[0]
    assert out[1] == f"git config --global --add safe.directory {repo.path}"


def test_no_git(git, monkeypatch):
    repo = git.init()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitFailed) as raised:
        discover(str(repo.path))
    assert "install git" in raised.value.hint


def test_settings(git, monkeypatch):
    repo = git.init()
    found = discover(str(repo.path))
    assert settings(found) == {}
    set_config(found, "oracl.signingKey", "-dash\nand newline = ü")
    repo("config", "--add", "oracl.twice", "1")
    repo("config", "--add", "oracl.twice", "2")
    repo("config", "user.other", "x")
    with open(repo.path / ".git" / "config", "a") as config:
        config.write("[oracl]\n\tflag\n\tempty =\n")
    assert settings(found) == {
        "oracl.signingkey": "-dash\nand newline = ü",
        "oracl.twice": "2",
        "oracl.flag": "true",
        "oracl.empty": "",
    }
    set_config(found, "oracl.twice", "3")
    unset_config(found, "oracl.flag")
    unset_config(found, "oracl.flag")
    assert settings(found)["oracl.twice"] == "3"
    assert "oracl.flag" not in settings(found)
    (repo.path / ".git" / "config").write_text("[oracl\n")
    with pytest.raises(GitFailed):
        settings(found)


def test_resolve_commit(git):
    repo = git.init()
    first = repo.commit("one", {"a": "1"})
    head = repo.commit("two", {"a": "2"})
    repo("tag", "-a", "-m", "x", "v1", first)
    found = discover(str(repo.path))
    assert resolve_commit(found, "HEAD") == head
    assert resolve_commit(found, "v1") == first
    assert resolve_commit(found, head[:8] + "~1") == first
    for wrong in ("nope", "", "--all", "-h", "^HEAD", "HEAD:a", "HEAD~1..HEAD", "a\0b", "0" * 40):
        with pytest.raises(UsageError) as raised:
            resolve_commit(found, wrong)
        assert repr(wrong) in raised.value.message


def test_importing_the_package_is_light():
    heavy = {"pygit2", "_cffi_backend", "pathlib", "json", "tempfile"}
    code = f"import sys, oracl_git.git; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-S", "-c", _with_path(code)], text=True).strip() == "[]"


def _with_path(code: str) -> str:
    """`-S` keeps the test environment's own start-up hooks out of the count."""
    import oracl_git

    return f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(oracl_git.__file__))!r})\n{code}"
