"""Repositories of every kind and size: each works, or says what it cannot do."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pytest import mark, skip

Place = Any  # conftest's
QUESTION = ("search", "discount threshold", "-z")


def test_ten_worktrees_updated_at_once(shop: Place, place: Callable[..., Place], tmp_path: Path) -> None:
    shop.oracl("deinit")
    trees = []
    for number in range(10):
        shop.git("worktree", "add", "-q", "-b", f"b{number}", str(tmp_path / f"w{number}"), f"HEAD~{number % 4}")
        tree = place(f"w{number}")
        tree.commit(f"Own {number}", {f"own/m{number}.py": f"import shop.cart\nOWN_{number} = {number}\n"})
        trees.append(tree)
    with ThreadPoolExecutor(10) as pool:
        reports = list(pool.map(lambda tree: tree.update(), trees))
    # Two that start together may both read a blob, but what one has written no other reads again.
    roots = [tree.state()["root"] for tree in trees]
    for tree, root in list(zip(trees, roots, strict=True))[::3]:
        assert tree.update("--full")["parsed"] == 0
        assert tree.state()["root"] == root
    assert shop.update()["parsed"] <= max(report["parsed"] for report in reports)
    late = place("late")
    shop.git("worktree", "add", "-q", "--detach", str(late.path), "b3")
    assert late.update()["parsed"] == 0
    assert late.state()["root"] == roots[3]


def test_shallow_then_deepened(shop: Place, place: Callable[..., Place]) -> None:
    shallow = place("shallow")
    shop.git("clone", "-q", "--depth", "1", f"file://{shop.path}", str(shallow.path))
    shallow.oracl("init")
    question = ("related", "shop/prices.py", "--json")
    assert "of 1 commit" in shallow.oracl("init").out or shallow.state()["history"] == 1
    assert shallow.oracl(*question).raw != shop.oracl(*question).raw
    shallow.git("fetch", "-q", "--unshallow")
    assert shallow.oracl(*question).raw == shop.oracl(*question).raw
    assert shallow.state()["history"] == shop.state()["history"]
    shallow.same_as_fresh()


def test_a_partial_clone_is_indexed_without_a_fetch(shop: Place, place: Callable[..., Place]) -> None:
    partial = place("partial")
    shop.git("config", "uploadpack.allowFilter", "true")
    shop.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{shop.path}", str(partial.path))
    packs = sorted(os.listdir(partial.path / ".git/objects/pack"))
    partial.git("remote", "set-url", "origin", "ext::sh -c touch% /tmp/never")
    state = partial.oracl("init", "--json").json
    assert state["root"] is None and state["artifacts"] == 0
    # A name can tell what a file is before its content is wanted.
    assert state["skipped"] == {"missing": len(partial.git("ls-tree", "-r", "HEAD").splitlines()) - 1, "binary": 1}
    for words in (["search", "cart"], ["show", "shop/cart.py"], ["related", "shop/cart.py"], ["trace", "shop/cart.py"]):
        partial.oracl(*words, code=1)
    told = "git fetch --refetch --no-filter && git oracl update"
    count = state["skipped"]["missing"]
    assert f"left out, as not in this clone: {count} files ({told})\n" in partial.oracl("search", "cart", code=1).err
    assert f"hint: {told}\n" in partial.oracl("doctor", code=1).out
    assert "none: objects are missing" in partial.oracl("status").out
    assert sorted(os.listdir(partial.path / ".git/objects/pack")) == packs


def test_a_partial_clone_that_is_filled_later(shop: Place, place: Callable[..., Place]) -> None:
    partial = place("partial")
    shop.git("config", "uploadpack.allowFilter", "true")
    shop.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{shop.path}", str(partial.path))
    partial.oracl("init")
    linked = place("linked")
    partial.git("worktree", "add", "-q", "--no-checkout", "--detach", str(linked.path))
    linked.oracl("init")
    count = partial.state()["skipped"]["missing"]
    assert linked.state()["skipped"]["missing"] == count
    blob = partial.git("rev-parse", "HEAD:shop/cart.py")
    partial.git("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "origin", blob)
    assert "may lack files that have been fetched since" in partial.oracl("status").out
    assert partial.oracl("show", "shop/cart.py").out  # a question takes in what came, too
    assert partial.state()["skipped"]["missing"] == count - 1 and partial.state()["root"] is None
    assert partial.update()["changed"] == 0
    assert linked.update()["changed"] == 1
    partial.git("checkout", "-q", "main")
    for each in (partial, linked):
        assert each.update()["changed"] == count - 1
        assert each.state()["root"] == shop.state()["root"] and each.state()["stale"] == ""
        each.same_as_fresh()


def test_a_repository_that_holds_nothing_to_read(place: Callable[..., Place]) -> None:
    pictures = place("pictures")
    pictures.path.mkdir()
    pictures.git("init", "-q", "-b", "main")
    for number in (1, 2):
        pictures.commit(f"Picture {number}", {"a.png": f"picture {number}\n", f"{number}.png": "another\n"})
        pictures.oracl("init")
        assert pictures.state()["skipped"] == {"binary": 1 + number}
    pictures.same_as_fresh()


def test_a_clone_without_trees_says_what_it_lacks(shop: Place, place: Callable[..., Place]) -> None:
    treeless = place("treeless")
    shop.git("config", "uploadpack.allowFilter", "true")
    shop.git("clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{shop.path}", str(treeless.path))
    for verb in (["init"], ["search", "cart"], ["update"]):
        told = treeless.fails(*verb)
        assert "or its tree, is not in this clone" in told and "hint: git fetch --refetch --no-filter" in told
    treeless.git("fetch", "-q", "--refetch", "--no-filter")
    treeless.oracl("init", "--no-hooks")
    assert treeless.state()["root"] == shop.state()["root"]


def test_a_worktree_whose_repository_is_gone(shop: Place, place: Callable[..., Place]) -> None:
    linked = place("linked")
    shop.git("worktree", "add", "-q", "--detach", str(linked.path))
    os.rename(shop.path, shop.path.parent / "elsewhere")
    told = linked.fails("search", "cart")
    assert "worktrees/linked, where none is" in told and "git worktree repair" in told


def test_before_the_first_commit(place: Callable[..., Place]) -> None:
    unborn = place("unborn").init()
    for verb in (["search", "x"], ["init"], ["snapshot", "create"], ["snapshot", "export", "out"], ["stats"]):
        assert "hint: make a first commit" in unborn.fails(*verb)
    assert "hint: make a first commit" in unborn.fails("verify", code=16)
    done = unborn.oracl("status", code=1)
    assert done.err == "git-oracl: there is no commit to index yet\nhint: make a first commit, then: git oracl init\n"


def test_a_bare_repository_has_no_stage(shop: Place, place: Callable[..., Place]) -> None:
    bare = place("bare.git")
    shop.git("clone", "-q", "--bare", str(shop.path), str(bare.path))
    for verb in (["check"], ["related", "--staged"], ["trace", "--impact", "--staged"]):
        assert "nothing is staged" in bare.fails(*verb, code=2)
    assert bare.oracl("check", "--all", code=None).out == shop.oracl("check", "--all", code=None).out
    assert bare.oracl("related", "--commit", "HEAD", "--json").json


def test_a_repository_of_a_newer_git(shop: Place) -> None:
    shop.git("config", "core.repositoryformatversion", "1")
    with open(shop.path / ".git/config", "a") as file:
        file.write("[extensions]\n\tfromTheFuture = true\n")
    told = shop.oracl("search", "cart", code=128).err
    assert "fromthefuture" in told.lower() and "hint: upgrade git" in told


def test_settings_that_a_partial_clone_gets_later(shop: Place, place: Callable[..., Place]) -> None:
    partial = place("partial")
    shop.commit("Settings", {
        ".agentlas/oracl.toml": "[[override]]\npaths = ['shop/']\nclassification = 'code'\ndomain = 'tills'\n",
        ".agentlas/learned_tags.json": '{"version": 1, "tags": {}}',
    })  # fmt: skip
    shop.git("config", "uploadpack.allowFilter", "true")
    shop.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{shop.path}", str(partial.path))
    partial.git("checkout", "-q", "HEAD", "--", "shop", "docs", "README.md")
    partial.oracl("init")
    assert partial.state()["root"] is None
    partial.git("reset", "-q", "--hard")
    partial.oracl("search", "cart")
    shop.update()
    assert partial.state()["root"] == shop.state()["root"]
    partial.same_as_fresh()


def test_sparse(shop: Place) -> None:
    root = shop.state()["root"]
    shop.git("status")  # a copy's files look changed until git has looked
    shop.git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")
    assert not (shop.path / "shop").exists()
    shop.update("--full")
    assert shop.state()["root"] == root
    assert shop.oracl("search", "discount threshold", "--snippet").out
    assert shop.oracl("related", "shop/prices.py", "-z").paths
    shop.oracl("related", "--staged", code=1)
    shop.commit("More", {"docs/more.md": "# A voucher\n"})
    assert shop.oracl("search", "voucher", "-z").paths[0] == b"docs/more.md"


def test_submodules_and_a_repository_inside(shop: Place, place: Callable[..., Place], tmp_path: Path) -> None:
    inner = place("inner").init()
    inner.commit("Inner", {"wombat.py": "def wombat(): ...\n"})
    shop.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "lib/inner")
    shop.commit("A submodule")
    shop.update()
    assert shop.oracl("search", "wombat", "-z", code=None).paths == []
    assert shop.state()["skipped"]["submodule"] == 1
    nested = type(shop)(shop.path / "nested").init()
    nested.commit("Nested", {"quokka.py": "def quokka(): ...\n"})
    assert nested.oracl("search", "quokka", "-z").paths == [b"quokka.py"]
    assert shop.oracl("search", "quokka", "-z", code=1).paths == []
    assert type(shop)(shop.path / "lib/inner").oracl("search", "wombat", "-z").paths == [b"wombat.py"]


def test_alternates(shop: Place, place: Callable[..., Place]) -> None:
    shared = place("shared")
    shop.git("clone", "-q", "--shared", "--no-checkout", str(shop.path), str(shared.path))
    shared.oracl("init")
    assert shared.state()["root"] == shop.state()["root"]
    assert shared.oracl(*QUESTION).paths == shop.oracl(*QUESTION).paths
    shutil.rmtree(shop.path / ".git/objects")
    shared.fails("update", "--full")
    assert shared.oracl(*QUESTION).paths  # what was indexed still answers
    assert "the text of shop/cart.py is not in this clone" in shared.oracl("show", "shop/cart.py").err
    shared.oracl("search", "discount threshold", "--snippet")


def test_grafts_and_replaced_objects_are_ignored(shop: Place) -> None:
    before = shop.state()
    blob, other = shop.git("rev-parse", "HEAD:shop/cart.py"), shop.git("rev-parse", "HEAD:docs/guide.md")
    shop.git("replace", "-f", blob, other)
    shop.git("replace", "-f", shop.git("rev-parse", "HEAD"), shop.git("rev-parse", "HEAD~3"))
    (shop.path / ".git/info/grafts").write_text(
        shop.git("rev-parse", "HEAD", env={"GIT_NO_REPLACE_OBJECTS": "1"}) + "\n"
    )
    shop.oracl("deinit")
    shop.oracl("init")
    after = shop.state()
    assert (after["root"], after["history"]) == (before["root"], before["history"])
    assert "def add_item" in shop.oracl("show", "shop/cart.py").out


def test_someone_elses_repository(shop: Place) -> None:
    for words in (["search", "cart"], ["update"], ["status"], ["related", "shop/cart.py"], ["deinit"]):
        err = shop.fails(*words, env={"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
        assert "dubious ownership" in err and "safe.directory" in err.splitlines()[-1]


def test_two_hundred_branches(place: Callable[..., Place]) -> None:
    repo = place().init()
    repo.commit("Base", {"base.py": "BASE = 1\n"})
    stream = []
    for number in range(200):
        data = b"import base\nWOMBAT_%d = 1\n" % number
        stream.append(
            b"commit refs/heads/b%d\ncommitter A <a@b> %d +0000\ndata 1\nx\nfrom refs/heads/main^0\n"
            b"M 100644 inline own%d.py\ndata %d\n%s\n" % (number, 1_700_100_000 + number, number, len(data), data)
        )
    assert repo.run("git", "fast-import", "--quiet", input=b"".join(stream)).code == 0
    repo.oracl("init", "--no-hooks")
    for number in (0, 199, 7, 0, 100):
        repo.git("symbolic-ref", "HEAD", f"refs/heads/b{number}")
        assert repo.oracl("search", f"wombat_{number}", "-z").paths[0] == b"own%d.py" % number
        assert repo.state()["artifacts"] == 2
    repo.git("symbolic-ref", "HEAD", "refs/heads/b7")
    assert repo.update()["parsed"] == 0
    repo.same_as_fresh()


_LISTING = """
import resource, sys
from oracl_git.git import discover, open_objects
repo = discover(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open_objects(repo) as objects:
    count = sum(1 for entry in objects.entries(objects.tree_of(repo.head)))
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_hundred_thousand_files(place: Callable[..., Place]) -> None:
    """Listing them streams: memory does not grow with their number."""
    repo = place().init()
    repo.fast_import([(b"Many", ((b"d%d/e%d/f%d.txt" % (n % 100, n % 7, n), b"x") for n in range(100_000)))])
    out = repo.run(sys.executable, "-c", _LISTING, str(repo.path)).out.split()
    assert out[0] == "100000" and int(out[1]) < 8_000  # KB


def test_very_deep(place: Callable[..., Place]) -> None:
    repo = place().init()
    deep = b"d/" * 1500
    repo.fast_import([(b"Deep", [(deep + b"wombat.py", b"def wombat(): ...\n"), (deep + b"b.py", b"import wombat\n")])])
    repo.oracl("init", "--no-hooks")
    path = deep + b"wombat.py"
    assert path in repo.oracl("search", "wombat", "-z").paths
    for words in (["show"], ["related"], ["trace", "--both"], ["trace", "--impact"]):
        repo.oracl(*words, path, code=None)
    assert all(len(line) <= 80 for line in repo.oracl("search", "wombat").out.splitlines())
    repo.oracl("graph", "export")
    repo.same_as_fresh()


def test_a_long_history(place: Callable[..., Place]) -> None:
    repo = place().init()
    repo.fast_import(
        (
            b"Change %d of the wombat" % n,
            [(b"d/m%d.py" % (n % 50), b"X=%d\n" % n), (b"n%d.py" % (n % 40), b"Y=%d\n" % n)],
        )
        for n in range(5_000)
    )
    repo.git("config", "oracl.historyDepth", "1000")
    assert repo.oracl("init", "--no-hooks", "--json").json["history"] == 1_000
    assert "changed together" in repo.oracl("related", "d/m3.py").out
    repo.git("config", "oracl.historyDepth", "5000")
    assert repo.update()["commits"] == 5_000
    repo.git("update-ref", "refs/heads/main", "main~3000")
    assert repo.oracl("search", "wombat", "-z").paths  # though more commits that are not reached speak of it
    assert repo.state()["history"] == 2_000
    for bad in ("0", "-1", "²", "many", "9" * 5000, "99999999999999999999"):
        assert "oracl.historyDepth must be a whole number" in repo.fails("update", code=2, env={
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "oracl.historyDepth", "GIT_CONFIG_VALUE_0": bad})  # fmt: skip


def test_the_indexed_commit_is_gone(shop: Place) -> None:
    shop.commit("To be lost", {"shop/lost.py": "def wombat(): ...\n", "shop/cart.py": "from .lost import wombat\n"})
    assert shop.oracl("search", "wombat", "-z").paths
    lost = shop.git("rev-parse", "HEAD")
    shop.git("reset", "-q", "--hard", "HEAD~2")
    shop.commit("Instead", {"shop/kept.py": "def quokka(): ...\n"})
    shop.git("reflog", "expire", "--expire=all", "--all")
    shop.git("gc", "-q", "--prune=now")
    assert shop.run("git", "cat-file", "-e", lost).code
    assert shop.oracl("search", "quokka", "-z").paths == [b"shop/kept.py"]
    assert b"shop/lost.py" not in shop.oracl("search", "wombat", "-z", code=None).paths
    assert lost not in shop.oracl("related", "shop/cart.py", "--json", code=None).out
    shop.same_as_fresh()


def test_an_octopus(shop: Place) -> None:
    for number in range(5):
        shop.git("checkout", "-q", "-b", f"arm{number}", "main")
        shop.commit(f"Arm {number}", {f"arms/a{number}.py": f"from shop import cart\nARM = {number}\n"})
    shop.git("checkout", "-q", "main")
    shop.oracl("update")
    shop.git("merge", "-q", "-m", "Octopus", *(f"arm{number}" for number in range(5)))
    assert len(shop.git("log", "-1", "--format=%P").split()) >= 5
    assert shop.update()["changed"] == 5
    assert shop.oracl("related", "--commit", "HEAD", code=None)
    shop.same_as_fresh()


def test_a_file_becomes_a_directory_and_back(shop: Place) -> None:
    shop.git("rm", "-q", "shop/cart.py")
    shop.commit("A directory", {"shop/cart.py/inside.py": "WOMBAT = 1\n", "shop/cart.py/__init__.py": ""})
    assert shop.oracl("search", "wombat", "-z").paths == [b"shop/cart.py/inside.py"]
    shop.oracl("show", "shop/cart.py", code=1)
    shop.same_as_fresh()
    shop.git("rm", "-rq", "shop/cart.py")
    shop.commit("A file", {"shop/cart.py": "QUOKKA = 1\n"})
    assert shop.oracl("search", "quokka", "-z").paths[0] == b"shop/cart.py"
    assert shop.oracl("search", "wombat", "-z", code=None).paths == []
    shop.same_as_fresh()


SECRET = "xyzzyplugh"


def test_symlinks_are_never_followed(shop: Place, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_text(f"def {SECRET}(): discount threshold shop cart prices\n" * 20)
    for name, target in (
        ("passwd", "/etc/passwd"), ("out", "../secret"), ("file", "../secret/file"), ("loop", "loop"),
        ("zero", "/dev/zero"), ("CODEOWNERS", "/dev/zero"), ("shop/up", ".."), ("git", ".git"),
    ):  # fmt: skip
        os.symlink(target, shop.path / name)
    shop.write(".agentlas/x", "")
    os.symlink("../../secret/file", shop.path / ".agentlas/oracl.toml")
    shop.commit("Links")
    assert shop.update("--full")["changed"]
    assert shop.state()["skipped"]["symlink"] == 9
    shop.oracl("search", SECRET, code=1)
    assert SECRET not in shop.oracl("search", "file passwd out discount", "--snippet", "--json").out
    os.symlink("../secret", shop.path / "late")  # not in the commit
    os.symlink("/etc/passwd", shop.path / "late.txt")
    os.mkfifo(shop.path / "pipe")
    names = (
        "passwd", "out/file", "file", "late/file", "late.txt", "shop/up/late/file", "zero", "loop", "git/config", "pipe",
        ".git/config", "/etc/passwd", "../secret/file", str(tmp_path / "secret/file"),
    )  # fmt: skip
    rows = shop.oracl("related", "--stdin", input="\n".join(names).encode()).raw.splitlines()
    assert len(rows) == len(names)
    answers = dict(zip(names, map(json.loads, rows), strict=True))
    for name in ("passwd", "file", "zero", "loop"):  # left out: known by path and history, not by what they lead to
        reasons = [reason for result in answers.pop(name)["results"] for reason in result["reasons"]]
        assert not any(reason["signal"] == "terms" for reason in reasons)
    outside = {"/etc/passwd", "../secret/file", str(tmp_path / "secret/file")}
    for name, row in answers.items():
        said = "outside of this repository" if name in outside else "neither in the indexed commit nor in the work tree"
        assert said in row["error"]
    for name in ("passwd", "out/file", "/etc/passwd"):
        shop.fails("show", name, code=1)


def test_names_that_differ_in_case(place: Callable[..., Place]) -> None:
    repo = place().init()
    repo.fast_import(
        [(b"Twins", [(b"Read.py", b"WOMBAT_A = 1\n"), (b"read.py", b"WOMBAT_B = 1\n"), (b"READ.py", b"import read\n")])]
    )
    repo.oracl("init", "--no-hooks")
    for name in ("Read.py", "read.py"):
        assert repo.oracl("show", name).out.startswith(f"{name} ")
    assert repo.oracl("trace", "READ.py", "-z").paths == [b"read.py"]
    assert len(repo.oracl("search", "wombat", "-z").paths) == 2


def test_reftable(place: Callable[..., Place]) -> None:
    repo = place()
    repo.path.mkdir()
    if repo.run("git", "init", "-q", "--ref-format=reftable").code:
        skip("this git has no reftable")
    repo.commit("One", {"a.py": "import b\n", "b.py": "X = 1\n"})
    repo.oracl("init")
    assert repo.oracl("trace", "a.py", "-z").paths == [b"b.py"]


GONE = "git-oracl: this directory is not there any more.\nhint: "


@mark.parametrize("verb", [["search", "discount"], ["show", "shop/cart.py"], ["status"], ["update"]])
def test_places_that_are_none(shop: Place, place: Callable[..., Place], verb: list[str]) -> None:
    shop.fails(*verb, env={"GIT_DIR": "/nowhere"})
    assert "README.md" in shop.oracl(*verb, code=128, env={"GIT_DIR": str(shop.path / "README.md")}).err
    gone = place("gone")
    gone.path.mkdir()
    script = f"rmdir {gone.path}; exec git oracl {' '.join(verb)}"
    done = gone.run("sh", "-c", script)
    assert done.code == 128 and done.err.startswith(GONE), done


@mark.parametrize("verb", ["ontology status", "ontology init", "curate list", "hooks status", "deinit"])
def test_a_place_that_is_gone(place: Callable[..., Place], verb: str) -> None:
    gone = place("gone")
    gone.path.mkdir()
    done = gone.run("sh", "-c", f"rmdir {gone.path}; exec git oracl {verb}")
    assert done.code == 128 and done.err.startswith(GONE), done


@mark.parametrize("broken", ["HEAD", "config", "objects", "ref"])
def test_a_damaged_repository(shop: Place, broken: str) -> None:
    if broken == "objects":
        shop.git("repack", "-qad")
        for pack in (shop.path / ".git/objects/pack").glob("*.pack"):
            os.chmod(pack, 0o644)
            pack.write_bytes(pack.read_bytes()[:200] + os.urandom(1000))
    elif broken == "ref":
        (shop.path / ".git/refs/heads/main").write_text("f" * 40 + "\n")
    else:
        (shop.path / ".git" / broken).write_bytes(b"\xff\0[[[")
    done = shop.oracl("update", "--full", code=128)  # with a broken config it is git that says so
    assert done.raw == b"" and re.match("(git-oracl|fatal): ", done.err) and done.err.count("\n") <= 2, done
    before = json.dumps(sorted(os.listdir(shop.path / ".git/oracl")))
    shop.oracl("search", "discount", code=None)
    assert not [name for name in json.loads(before) if name.startswith("bug")]


def test_two_updates_at_once(shop: Place) -> None:
    shop.oracl("deinit")
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: shop.oracl("update"), range(4)))
    assert sum("Now at" in one.out for one in done) >= 1
    shop.same_as_fresh()


def test_killed_without_mercy(place: Callable[..., Place]) -> None:
    """What was read before is not read again, and what the index said it still says."""
    repo = place().init()
    repo.fast_import([(b"Many", ((b"d%d/f%d.py" % (n % 30, n), b"def f%d(): ...\n" % n * 30) for n in range(1500)))])
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    process = subprocess.Popen(
        ["git-oracl", "update"], cwd=repo.path, env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL
    )
    repo.wait_for_facts(process)
    process.kill()
    assert process.wait(30) == -9
    report = repo.update()
    assert report["parsed"] < 1500 and repo.state()["artifacts"] == 1500
    repo.same_as_fresh()
