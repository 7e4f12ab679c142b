"""Where it is asked: directories, worktrees, bare and unborn repositories, places that cannot be written."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest import fixture, mark, skip

Place = Any  # conftest's
QUESTION = ("search", "discount threshold", "-z")


def test_elsewhere(shop: Place, tmp_path: Path) -> None:
    expected = shop.oracl(*QUESTION).paths
    away = {"cwd": tmp_path}
    git_dir, top = str(shop.path / ".git"), str(shop.path)
    assert shop.run("git", "-C", top, "oracl", *QUESTION, **away).paths == expected
    assert shop.run("git", f"--git-dir={git_dir}", "oracl", *QUESTION, **away).paths == expected
    assert shop.run("git", f"--git-dir={git_dir}", f"--work-tree={top}", "oracl", *QUESTION, **away).paths == expected
    env = {"GIT_DIR": git_dir, "GIT_WORK_TREE": top}
    assert shop.run("git", "oracl", *QUESTION, env=env, **away).paths == expected
    assert shop.run("git-oracl", *QUESTION, env={"GIT_DIR": git_dir}, **away).paths == expected


def test_from_a_subdirectory(shop: Place) -> None:
    assert shop.oracl(*QUESTION, cwd="shop").paths == shop.oracl(*QUESTION).paths
    expected = shop.oracl("related", "shop/prices.py", "-z").paths
    assert shop.oracl("related", "prices.py", "-z", cwd="shop").paths == expected
    assert shop.oracl("related", "./prices.py", "-z", cwd="shop").paths == expected
    assert shop.oracl("related", "../shop/prices.py", "-z", cwd="docs").paths == expected
    assert shop.oracl("related", "shop/prices.py", "-z", cwd="docs").paths == expected
    assert shop.oracl("related", str(shop.path / "shop/prices.py"), "-z", cwd="docs").paths == expected
    assert shop.oracl("show", "../pyproject.toml", cwd="docs").out.startswith("pyproject.toml ")
    assert shop.oracl("related", "../../etc/passwd", code=1).raw == b""


def test_from_inside_the_git_directory(shop: Place) -> None:
    assert shop.oracl(*QUESTION, cwd=".git").paths == shop.oracl(*QUESTION).paths


def test_outside_a_repository(place: Callable[..., Place], tmp_path: Path) -> None:
    outside = place("outside")
    outside.path.mkdir()
    env = {"GIT_CEILING_DIRECTORIES": str(tmp_path)}
    for words in (
        ["search", "x"], ["related", "x"], ["trace", "x"], ["show", "x"], ["hub"], ["open", "1"], ["init"], ["update"],
        ["status"], ["stats"], ["doctor"], ["deinit"], ["graph", "export"],
    ):  # fmt: skip
        done = outside.oracl(*words, code=128, env=env)
        assert done.raw == b""
        assert done.err == (
            "git-oracl: this directory is not in a git repository.\n"
            "hint: cd into one, or pass -C PATH: git -C PATH oracl search x\n"
        )
    assert outside.oracl("-h", env=env).out and outside.oracl("completion", "bash", env=env).out


def test_before_the_first_commit(place: Callable[..., Place]) -> None:
    unborn = place().init()
    for words in (
        ["search", "x"],
        ["related", "x"],
        ["trace", "x"],
        ["show", "x"],
        ["hub"],
        ["init"],
        ["update"],
        ["stats"],
    ):
        done = unborn.oracl(*words, code=128)
        assert done.err.startswith("git-oracl: there is no commit to index yet.\nhint: make a first commit, then")
    assert unborn.oracl("status", "--json", code=1).json["head"] is None
    assert unborn.oracl("doctor").code == 0
    unborn.oracl("deinit")


def test_an_empty_commit(place: Callable[..., Place]) -> None:
    empty = place().init()
    empty.commit("Nothing")
    assert "0 artifacts, 0 edges, 1 commit of history" in empty.oracl("init").out
    assert empty.oracl("search", "x", code=1).raw == b""
    assert empty.oracl("hub", code=1).raw == b""
    for form in ("graphml", "gexf", "node-link", "dot"):
        assert empty.oracl("graph", "export", "--format", form).raw
    assert empty.oracl("stats", "--deep").out


def test_bare(shop: Place, place: Callable[..., Place]) -> None:
    bare = place("bare.git")
    shop.git("clone", "-q", "--bare", str(shop.path), str(bare.path))
    assert bare.oracl("init").out.startswith("Indexed ")
    assert bare.oracl(*QUESTION).paths == shop.oracl(*QUESTION).paths
    assert bare.oracl("related", "shop/prices.py", "-z").paths == shop.oracl("related", "shop/prices.py", "-z").paths
    assert bare.oracl("open", "1", "--print").out
    assert bare.oracl("status", "--json").json["root"] == shop.oracl("status", "--json").json["root"]
    assert bare.oracl("show", "shop/prices.py").out
    bare.oracl("deinit")
    assert not (bare.path / "oracl").exists()


def test_a_linked_worktree(shop: Place, place: Callable[..., Place], tmp_path: Path) -> None:
    shop.git("worktree", "add", "-q", str(tmp_path / "other"), "HEAD~1")
    other = place("other")
    data = other.oracl("search", "discount threshold", "--json").json
    assert data["commit"] == other.git("rev-parse", "HEAD") != shop.git("rev-parse", "HEAD")
    assert shop.oracl("search", "discount threshold", "--json").json["commit"] == shop.git("rev-parse", "HEAD")


def test_a_shallow_clone(shop: Place, place: Callable[..., Place]) -> None:
    shallow = place("shallow")
    shop.git("clone", "-q", "--depth", "2", f"file://{shop.path}", str(shallow.path))
    assert "This clone is shallow" in shallow.oracl("init").out
    assert shallow.oracl("status", "--json").json["root"] == shop.oracl("status", "--json").json["root"]
    assert "git fetch --unshallow" in shallow.oracl("status").out
    assert shallow.oracl(*QUESTION).paths


def test_a_sha256_repository(place: Callable[..., Place]) -> None:
    long = place("long").init("--object-format=sha256")
    long.commit("One", {"a.py": "import b\n", "b.py": "X = 1\n"})
    long.oracl("init")
    assert long.oracl("trace", "a.py", "-z").paths == [b"b.py"]
    assert len(long.oracl("status", "--json").json["commit"]) == 64


def test_a_detached_and_moved_head(shop: Place) -> None:
    shop.git("checkout", "-q", "HEAD~3")
    assert shop.oracl("search", "discount threshold", "--json").json["commit"] == shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "main")
    shop.git("reset", "-q", "--hard", "HEAD~1")
    assert shop.oracl("search", "discount threshold", "--json").json["commit"] == shop.git("rev-parse", "HEAD")


# -- places that cannot be written ----------------------------------------------------------


@fixture
def powerless(shop: Place) -> Place:
    """The sample for someone to whom permissions apply: root gives up the power to override them."""
    if os.geteuid() == 0:
        shop.wrapper = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
        if not shutil.which("setpriv") or shop.run("git", "oracl", "--version").code:
            skip("root may write everywhere")
    return shop


def _lock(directory: Path, lock: bool = True) -> None:
    for root, folders, files in os.walk(directory):
        for name in files:
            os.chmod(os.path.join(root, name), 0o444 if lock else 0o644)
        for name in (*folders, "."):
            os.chmod(os.path.join(root, name), 0o555 if lock else 0o755)


@mark.parametrize("moved", [False, True])
def test_a_read_only_repository_with_an_index(powerless: Place, moved: bool) -> None:
    place = powerless
    if moved:
        place.commit("More", {"shop/voucher.py": "VOUCHER = 1\n"})
    _lock(place.path / ".git")
    try:
        done = place.oracl(*QUESTION)
        assert done.paths
        assert done.err == (
            "git-oracl: index is 1 commit behind HEAD (git oracl update brings it up to date)\n" if moved else ""
        )
        assert place.oracl("related", "shop/prices.py", "-z").paths
        assert place.oracl("show", "shop/prices.py").out
        if moved:
            assert "hint: check who owns" in place.oracl("update", code=128).err
        err = place.oracl("deinit", code=128).err
        assert err.endswith(": Permission denied.\nhint: check who owns it, then try again\n") and err.count("\n") == 2
    finally:
        _lock(place.path / ".git", False)


def test_a_read_only_repository_without_an_index(powerless: Place) -> None:
    place = powerless
    place.oracl("deinit")
    _lock(place.path / ".git")
    try:
        done = place.oracl(*QUESTION, code=128)
        assert done.err.startswith(f"git-oracl: cannot write {place.path / '.git/oracl'}: Permission denied.\n")
        assert "bad  writable" in place.oracl("doctor", code=1).out
    finally:
        _lock(place.path / ".git", False)


def test_a_git_dir_that_is_none(shop: Place) -> None:
    for value in ("/nowhere", str(shop.path / "README.md"), "shop"):
        done = shop.run("git-oracl", *QUESTION, env={"GIT_DIR": value})
        assert done.code == 128
        assert done.err == f"git-oracl: GIT_DIR is {value}, which is not a git repository.\nhint: unset GIT_DIR\n"


@mark.parametrize("name", ["latin-1", "POSIX", "C"])
def test_a_locale_that_reads_bytes_otherwise(shop: Place, tmp_path: Path, name: str) -> None:
    """What is typed is bytes, as paths are: the locale changes nothing."""
    path = "shop/größe.py"
    shop.commit("Sizes", {path: "GRÖSSE = 1\n"})
    shop.oracl("update")
    env = {"LC_ALL": name, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    if name == "latin-1":
        made = ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", str(tmp_path / "de_DE.ISO-8859-1")]
        if not shutil.which("localedef") or subprocess.run(made, capture_output=True).returncode:
            skip("no such locale can be made here")
        env |= {"LC_ALL": "de_DE.ISO-8859-1", "LOCPATH": str(tmp_path)}
    assert shop.run("git-oracl", "show", "--json", path, env=env).json["path"] == path
    assert path.encode() in shop.run("git-oracl", "search", "-z", "größe", env=env).paths
    assert shop.run("git-oracl", "show", path, env=env).code == 0
    assert "no/gr" in shop.run("git-oracl", "show", "no/grö.py", env=env).err
