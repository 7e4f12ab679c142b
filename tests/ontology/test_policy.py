"""What may be read: a clone asks for anything and gets nothing; the owner of a machine approves."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracl_git.errors import NotAllowed
from oracl_git.ontology import policy
from oracl_git.ontology.project import Project, Root

from .conftest import World

START = [sys.executable, "-c", "import sys; from oracl_git.cli import main; sys.exit(main(sys.argv[1:]))"]


def hostile(world: World) -> list[str]:
    """A repository whose tracked files ask for everything; the places a tool must not read."""
    (world.home / ".ssh").mkdir()
    (world.home / ".ssh/id_ed25519").write_text("the secret key is periwinkle\n")
    sibling = world.path.parent / "sibling"
    sibling.mkdir()
    (sibling / "plan.txt").write_text("the sibling plan is periwinkle\n")
    os.symlink(sibling, world.path / "docs-link")
    os.symlink(world.home / ".ssh", world.path / "keys-link")
    (world.path / "real").mkdir()
    os.symlink(sibling / "plan.txt", world.path / "real/plan.txt")
    os.symlink("/etc", world.path / "real/etc")
    asked = [
        "/etc", "/etc/passwd", "~/.ssh", str(world.home / ".ssh"), str(world.home), "..", "../sibling", "docs-link", "keys-link",
        "docs-link/plan.txt", "real/../../sibling", "real", "/", "./../sibling/./plan.txt", "keys-link/../.ssh", "/proc/self/environ",
        "/dev/stdin", ".git", ".git/config", ".agentlas", ".agentlas/ontology-runtime.sqlite", "..//..//..//etc", "real/etc/passwd",
    ]  # fmt: skip
    rows = [{"path": path, "scope": "public", "kind": "project"} for path in asked]
    rows += [{"path": 3}, {"path": "a\0b"}, {"path": "\ud800"}, {"path": "x", "scope": "everyone"}, None, "plain"]  # type: ignore[list-item]
    world.write(".agentlas/ontology-sources.json", json.dumps({"schema": 1, "sources": rows}))
    world.commit()
    return ["/etc/passwd", str(world.home / ".ssh"), str(sibling)]


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_no_read_happens_at_places_a_clone_asks_for(world: World, tmp_path: Path) -> None:
    forbidden = hostile(world)
    trace = tmp_path / "trace"
    done = subprocess.run(
        ["strace", "-f", "-y", "-s", "0", "-e", "trace=openat,open,openat2,read,pread64,readv,mmap,getdents64,readlink,readlinkat",
         "-o", str(trace), *START, "ontology", "--embedding-adapter", "hash", "ingest"],
        cwd=world.path, env=world.env, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "registered, but" in done.stderr
    log = trace.read_text(errors="replace")
    # -y writes the path of each descriptor: what was opened, and what was read from.
    opened = re.findall(r"\bopen(?:at2?)?\(.*\) = \d+<([^>\n]*)>$", log, re.MULTILINE)
    read = re.findall(r"\b(?:read|pread64|readv|getdents64)\(\d+<([^>\n]*)>", log)
    assert any(path.endswith("ontology-sources.json") for path in read)  # the trace sees what is read
    for place in forbidden:
        assert not [path for path in (*opened, *read) if path == place or path.startswith(place + "/")], place
    assert not {"/", "/etc", str(world.home), str(world.path.parent), "/proc/self/environ"} & set(read)
    assert world.uris("periwinkle", "public", "internal", "private") == []
    with world.runtime() as runtime:
        uris = {uri for (uri,) in runtime.reader.execute("SELECT uri FROM sources")}
    assert all(not uri.startswith(("/", "..")) and "link" not in uri for uri in uris)


def test_the_whole_of_etc_is_refused_even_as_a_query_or_update(world: World) -> None:
    hostile(world)
    world.run("init", "--no-hooks")
    world.run("update")
    world.run("ontology", "query", "periwinkle", code=1)
    world.run("related", "real/plan.txt", code=None)
    assert "periwinkle" not in world.err


def test_outside_needs_the_owner_and_the_approval_stays_on_the_machine(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "company"
    outside.mkdir()
    (outside / "policy.txt").write_text("Travel is booked through the concierge desk.\n")
    world.run("ontology", "sources", "add", str(outside), "--kind", "company", code=128)
    assert "--allow-outside" in world.err
    world.run("ontology", "sources", "add", str(outside), "--kind", "company", "--scope", "internal", "--allow-outside")
    world.run("ontology", "ingest")
    assert world.uris("who books travel") == [str(outside / "policy.txt")]
    approvals = world.home / ".agentlas/approvals.json"
    assert str(outside) in approvals.read_text() and oct(approvals.parent.stat().st_mode & 0o777) == "0o700"
    # The same request in another project, or in a wider scope, is another question.
    data = json.loads((world.path / ".agentlas/ontology-sources.json").read_text())
    data["sources"][0]["scope"] = "public"
    world.write(".agentlas/ontology-sources.json", json.dumps(data))
    world.run("ontology", "ingest", code=1)
    assert world.uris("who books travel") == []
    other = World(tmp_path / "other", world.home)
    with other.runtime() as runtime:
        runtime.init()
    data["sources"][0]["scope"] = "internal"
    other.write(".agentlas/ontology-sources.json", json.dumps(data))
    other.run("ontology", "ingest", code=1)
    assert other.uris("who books travel") == []


def test_a_symlink_at_our_own_places_is_refused(world: World, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir()
    database = world.path / ".agentlas/ontology-runtime.sqlite"
    database.unlink()
    os.symlink(target / "stolen.sqlite", database)
    world.run("ontology", "init", code=128)
    world.run("ontology", "ingest", code=128)
    assert not list(target.iterdir())
    database.unlink()
    inbox = world.path / ".agentlas/ontology-inbox"
    inbox.rmdir()
    (target / "x.txt").write_text("the stolen teapot\n")
    os.symlink(target, inbox)
    world.run("ontology", "init", code=128)
    os.unlink(inbox)
    shutil.rmtree(world.path / ".agentlas")
    os.symlink(target, world.path / ".agentlas")
    world.run("ontology", "init", code=128)
    assert sorted(path.name for path in target.iterdir()) == ["x.txt"]


def test_a_store_that_comes_with_a_clone_is_not_active_by_itself(world: World, tmp_path: Path) -> None:
    """What is tracked names no place to write and no policy but ours."""
    world.write(".agentlas/ontology-runtime.json", json.dumps({"policy": "read_everything", "database": "/tmp/x"}))
    world.run("ontology", "ingest", code=128)
    assert "policy" in world.err


def test_a_store_that_git_tracks_is_not_asked(world: World, tmp_path: Path) -> None:
    """What is approved in it, and what is public, was decided by whoever sent it."""
    world.commit({"docs/a.md": "The heron stands here.\n"})
    world.register("docs")
    world.ingest()
    assert "heron" in world.run("ontology", "query", "heron", "--no-code")
    world.git("add", "-f", ".agentlas/ontology-runtime.sqlite")
    world.git("commit", "-q", "-m", "a store")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", world.path, clone], env=world.env, check=True)
    for order in (["ontology", "query", "heron"], ["ontology", "ingest"], ["curate", "apply"], ["ontology", "init"]):
        world.run(*order, code=128, cwd=clone)
        assert "tracked by git" in world.err
    assert "Now at" in world.run("update", cwd=clone) and "tracked by git" in world.err  # the index does without
    subprocess.run(["git", "rm", "-q", ".agentlas/ontology-runtime.sqlite"], cwd=clone, env=world.env, check=True)
    world.run("ontology", "init", cwd=clone)
    world.run("ontology", "query", "heron", "--no-code", code=1, cwd=clone)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text("./~ab\0é", min_size=1, max_size=12)
    | st.sampled_from(["..", "../..", "/", "/etc", "~", ".ssh", "a/.ssh/b", ".agentlas", "a/../.."])
)
def test_no_unapproved_root_lies_outside_the_project_or_in_a_place_for_keys(tmp_path: Path, text: str) -> None:
    project = Project("/srv/work/project")
    root = Root(os.path.normpath(text) if text else ".")
    full = policy.absolute(project, root)
    inside = full == project.root or full.startswith(project.root + "/")
    keys = any(part in policy.KEY_PLACES for part in full[len(project.root) :].split("/")) if inside else True
    if not policy.forbidden(project, root) and not policy.needs_approval(project, root):
        assert inside and not keys and ".git" not in full.split("/")


def test_nobody_approves_git_or_the_store(world: World) -> None:
    with world.runtime() as runtime:
        for path in (".git", ".git/config", ".agentlas/ontology-runtime.sqlite", ".agentlas"):
            with pytest.raises(NotAllowed):
                runtime.permit(Root(path), True)


def test_the_home_folder_as_a_project_is_not_scanned_by_registering_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(world.path))
    project = world.runtime().project
    assert policy.allowed(project, Root(".")) == policy.HOMELIKE
    assert policy.allowed(project, Root("docs")) == ""


def test_rules_that_come_with_a_clone_let_nothing_private_into_git(world: World) -> None:
    rules = (world.path / ".agentlas/.gitignore").read_text()
    world.write(".agentlas/.gitignore", rules + "!ontology-runtime.sqlite\n!ontology-inbox/\n!*\n")
    world.inbox("letter.txt", "private\n")
    with world.runtime() as runtime:
        runtime.init()
        assert runtime.init()[0] == []
    world.git("add", "-A")
    assert not [name for name in world.git("ls-files").splitlines() if "sqlite" in name or "inbox" in name]


def test_a_place_that_no_store_can_name_is_refused(world: World) -> None:
    os.makedirs(os.fsencode(world.path) + b"/caf\xe9")
    world.run("ontology", "sources", "add", os.fsdecode(b"caf\xe9"), code=2)
    assert "is not UTF-8" in world.err


def test_of_many_who_register_at_once_none_is_lost(world: World, tmp_path: Path) -> None:
    places = [tmp_path / "elsewhere" / str(number) for number in range(8)]
    for number, place in enumerate(places):
        place.mkdir(parents=True)
        world.write(f"docs/{number}/a.md", "text")
    orders = [["sources", "add", f"docs/{number}"] for number in range(8)]
    orders += [["sources", "add", str(place), "--allow-outside"] for place in places]
    running = [
        subprocess.Popen(["git", "oracl", "ontology", *order], cwd=world.path, env=world.env, stdout=subprocess.DEVNULL)
        for order in orders
    ]
    assert [each.wait() for each in running] == [0] * len(orders)
    with world.runtime() as runtime:
        assert len(runtime.project.roots()[0]) == 16
        assert [row["reason"] for row in runtime.sources()] == [""] * 17  # … and none is unapproved
