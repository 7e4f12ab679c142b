"""The real pre-commit, lefthook, husky and git-lfs, installed before and after ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oracl_git.git import git_version

Hooked = Any
ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(git_version() >= (2, 54), reason="such a git runs ours whatever others do: test_configured.py"),
]
CONFIG = """\
repos:
  - repo: local
    hooks:
      - {id: theirs, name: theirs, language: system, entry: touch ran, always_run: true, pass_filenames: false,
         stages: [post-commit, post-checkout]}
"""
KEY = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n"
HOOK = 'echo theirs >> "$PWD/ran"'


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory to fetch tools into."""
    return tmp_path_factory.mktemp("tools")


def fetched(*command: str, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{command[0]} could not fetch it: {done.stderr[-200:]}")


def works(repo: Hooked, theirs: bool = True) -> None:
    """A commit runs both hooks."""
    ran = repo.path / "ran"
    ran.unlink(missing_ok=True)
    before = len(repo.runs)
    repo.write("change.py", f"N = {before}\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "change")
    repo.settle()
    assert ran.exists() == theirs
    assert len(repo.runs) > before and repo.at_head()


def hooks(repo: Hooked) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((repo.path / ".git/hooks").iterdir())}


@pytest.fixture
def framework(bare_repo: Hooked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hooked:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    bare_repo.write(".pre-commit-config.yaml", CONFIG)
    bare_repo.write(".gitignore", "ran\n")
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "config")
    return bare_repo


def test_pre_commit_before_ours(framework: Hooked) -> None:
    framework.run("pre-commit", "install", "-t", "post-commit", "-t", "post-checkout")
    before = hooks(framework)
    framework.oracl("init")
    works(framework)
    framework.oracl("deinit")
    assert hooks(framework) == before


def test_pre_commit_after_ours(framework: Hooked) -> None:
    before = hooks(framework)
    framework.oracl("init")
    framework.run("pre-commit", "install", "-t", "post-commit", "-t", "post-checkout")
    works(framework)
    framework.oracl("hooks", "install")
    works(framework)
    assert "moved to post-commit.legacy, which is run" in framework.oracl("hooks", "status")
    framework.run("pre-commit", "uninstall", "-t", "post-commit", "-t", "post-checkout")
    works(framework, theirs=False)
    framework.oracl("deinit")
    assert hooks(framework) == before


def test_pre_commit_after_ours_and_ours_taken_out_first(framework: Hooked) -> None:
    before = hooks(framework)
    framework.oracl("init")
    framework.run("pre-commit", "install", "-t", "post-commit")
    framework.oracl("deinit")
    framework.run("pre-commit", "uninstall", "-t", "post-commit")
    assert hooks(framework) == before


@pytest.fixture
def lefthook(bare_repo: Hooked, tools: Path) -> str:
    if not (tools / "lefthook").exists():
        fetched(
            sys.executable, "-m", "pip", "install", "-q", "--target", str(tools / "lefthook"), "lefthook", cwd=tools
        )
    bare_repo.write(".gitignore", "ran\n")
    bare_repo.write("lefthook.yml", "post-commit:\n  commands:\n    theirs:\n      run: touch ran\n")
    bare_repo.git("add", "-A")
    bare_repo.git("commit", "-q", "-m", "config")
    found = [path for path in (tools / "lefthook").rglob("lefthook") if path.is_file() and path.parent.name != "bin"]
    found += list((tools / "lefthook/bin").glob("lefthook"))
    return str(found[0])


def run_lefthook(repo: Hooked, lefthook: str, *args: str) -> None:
    env = {
        "PATH": os.path.dirname(lefthook) + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": str(Path(lefthook).parents[1]),
    }
    repo.run(lefthook, *args, **env)


def test_lefthook_before_ours(bare_repo: Hooked, lefthook: str) -> None:
    os.environ["PATH"] = os.path.dirname(lefthook) + os.pathsep + os.environ["PATH"]
    run_lefthook(bare_repo, lefthook, "install")
    before = hooks(bare_repo)
    bare_repo.oracl("init")
    works(bare_repo)
    bare_repo.oracl("deinit")
    assert hooks(bare_repo) == before


def test_lefthook_after_ours(bare_repo: Hooked, lefthook: str) -> None:
    before = hooks(bare_repo)
    bare_repo.oracl("init")
    run_lefthook(bare_repo, lefthook, "install", "--force")
    assert "displaced, moved to post-commit.old" in bare_repo.run("git", "oracl", "hooks", "status", ok=False).stdout
    bare_repo.oracl("hooks", "install")
    works(bare_repo)
    bare_repo.oracl("deinit")
    run_lefthook(bare_repo, lefthook, "uninstall")
    assert {name for name in hooks(bare_repo) if not name.endswith(".sample")} == {
        name for name in before if not name.endswith(".sample")
    }


@pytest.mark.skipif(not shutil.which("npm"), reason="no npm")
@pytest.mark.parametrize("ours_first", [True, False])
def test_husky(bare_repo: Hooked, tools: Path, ours_first: bool) -> None:
    if not (tools / "node_modules/husky").exists():
        fetched("npm", "install", "--silent", "--no-audit", "--prefix", str(tools), "husky@9", cwd=tools)
    bare_repo.write("package.json", '{"name": "x"}\n')
    bare_repo.write(".gitignore", "ran\n")
    if ours_first:
        bare_repo.oracl("init")
    bare_repo.run("node", str(tools / "node_modules/husky/bin.js"))
    assert bare_repo.git("config", "core.hooksPath") == ".husky/_"
    bare_repo.write(".husky/post-commit", HOOK + "\n")
    bare_repo.write(".husky/pre-commit", "true\n")
    before = {path: path.read_bytes() for path in (bare_repo.path / ".husky").rglob("*") if path.is_file()}
    out = bare_repo.oracl("init")
    assert f"Add this line to {bare_repo.path}/.husky/post-commit:" in out
    assert {path: path.read_bytes() for path in (bare_repo.path / ".husky").rglob("*") if path.is_file()} == before
    line = next(row.strip() for row in out.splitlines() if 'hook.sh" post-commit' in row)
    bare_repo.write(".husky/post-commit", f"{HOOK}\n{line}\n")
    works(bare_repo)
    bare_repo.oracl("deinit")
    assert not (bare_repo.path / ".git/oracl").exists()


@pytest.fixture
def lfs(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("git-lfs"):
        if not shutil.which("apt-get"):
            pytest.skip("no git-lfs")
        if not (tools / "lfs").exists():
            fetched("apt-get", "download", "-q", "git-lfs", cwd=tools)
            fetched("dpkg", "-x", str(next(tools.glob("git-lfs*.deb"))), str(tools / "lfs"), cwd=tools)
        monkeypatch.setenv("PATH", f"{tools}/lfs/usr/bin{os.pathsep}{os.environ['PATH']}")


def test_git_lfs_before_ours(bare_repo: Hooked, lfs: None) -> None:
    bare_repo.git("lfs", "install", "--local")
    before = hooks(bare_repo)
    assert b"git lfs post-commit" in before["post-commit"]
    bare_repo.oracl("init")
    works(bare_repo, theirs=False)
    bare_repo.oracl("deinit")
    assert hooks(bare_repo) == before


def test_git_lfs_after_ours(bare_repo: Hooked, lfs: None) -> None:
    bare_repo.oracl("init")
    before = hooks(bare_repo)
    done = bare_repo.run("git", "lfs", "install", "--local", ok=False)
    assert "Hook already exists" in done.stdout + done.stderr
    assert {name: text for name, text in hooks(bare_repo).items() if name in before} == before
    works(bare_repo, theirs=False)


# -- our own hooks in the framework -----------------------------------------------------------


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project as a repository with one commit."""
    path: Path = tmp_path_factory.mktemp("mirror") / "git-oracl"
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, names)):
        if (ROOT / name).is_file():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, path / name)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *words], cwd=path, check=True, env={**os.environ, "ORACL_SKIP": "1", **_WHO})
    return path


_WHO = {f"GIT_{role}_{what}": f"x@{what}.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.mark.parametrize(("hook", "stage"), [
    ("oracl-check", "pre-commit"), ("oracl-update", "manual"), ("oracl-verify", "manual"), ("oracl-verify", "pre-push"),
])  # fmt: skip
def test_try_repo(framework: Hooked, mirror: Path, hook: str, stage: str) -> None:
    ends = ("--from-ref", "HEAD~", "--to-ref", "HEAD") if stage == "pre-push" else ()
    command = ("pre-commit", "try-repo", str(mirror), hook, "--verbose", "--hook-stage", stage, *ends)
    done = framework.run(*command, ok=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout
    if hook == "oracl-update":
        assert framework.at_head()
    elif hook == "oracl-verify":
        assert "no snapshot" in done.stdout
        framework.oracl("snapshot", "create")  # signed by nobody, and there is nobody to trust
        done = framework.run(*command, ok=False)
        assert done.returncode == 1 and "nobody is trusted" in done.stdout
    else:
        framework.write("key.pem", KEY)
        framework.git("add", "-A")
        done = framework.run("pre-commit", "try-repo", str(mirror), hook, "--verbose", ok=False)
        assert done.returncode == 1 and "key.pem:1: key-file:" in done.stdout


def test_the_manifest_is_valid() -> None:
    subprocess.run(["pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], check=True)
