"""Chains: append-only, one for each key and clone; concurrent writers, gc, depth 1, mirrors, forks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from vaults import BASE, KEY, Vault, make

import oracl_git

_CREATE = "import sys; from oracl_git.cli import main; sys.exit(main(['snapshot', 'create', sys.argv[1]]))"


def bare(vault: Vault, name: str = "remote.git") -> Path:
    """A bare repository that is the remote of a clone."""
    path = vault.path.parent / name
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    vault.git("remote", "add", "origin", f"file://{path}")
    vault.git("push", "-q", "-u", "origin", "main")
    vault.git("remote", "set-head", "origin", "main")
    return path


def sequences(vault: Vault) -> dict[str, list[int]]:
    with oracl_git.open(str(vault.path)) as oracl:
        return {chain.ref: [s.statement.seq for s in chain.snapshots] for chain in oracl.chains()}


def test_a_chain_holds_everything(signed: Vault) -> None:
    first = signed.git("rev-parse", "HEAD")
    second = signed.commit("second", {"b.py": ""})
    signed.create()
    names = set(signed.git("ls-tree", "-r", "--name-only", signed.ref).splitlines())
    for commit in (first, second):
        assert f"{commit[:2]}/{commit}.dsse.json" in names and f"{commit[:2]}/{commit}.shards" in names
    assert sum(name.startswith("parameters/") for name in names) == 1  # once, by digest
    assert (
        signed.git("log", "--format=%an <%ae> %cn", signed.ref).splitlines()
        == ["oracl-git <oracl-git@invalid> oracl-git"] * 2
    )
    assert signed.git("status", "--porcelain") == ""
    data = signed.cli("snapshot", "list", "--json")["chains"][0]
    assert data["snapshots"] == 2 and data["seq"] == 2 and data["commit"] == second
    assert "2 snapshots" in signed.cli("snapshot", "list")
    shown = signed.cli("snapshot", "show", "--json")["snapshots"][0]
    payload = json.loads(signed.cli("snapshot", "show", "--payload"))
    assert payload["predicate"]["schema"] == shown["schema"] and payload["predicate"]["seq"] == 2


def test_the_same_commit_signed_anew_keeps_the_old_envelope(signed: Vault) -> None:
    commit = signed.git("rev-parse", "HEAD")
    with oracl_git.open(str(signed.path)) as oracl:
        oracl.update(full=True, alpha=0.5)
    assert signed.create().fresh
    names = signed.git("ls-tree", "-r", "--name-only", signed.ref).splitlines()
    assert f"{commit[:2]}/{commit}.1.dsse.json" in names
    assert list(sequences(signed).values()) == [[1, 2]]
    signed.forget()
    assert signed.code() == 0 and signed.code(rebuild=True) == 0  # with the parameters that were signed


def test_24_writers_in_one_clone(vault: Vault) -> None:
    commits = [vault.commit(str(n), {f"{n}.py": f"n = {n}\n"}) for n in range(24)]
    vault.cli("init")
    env = {**os.environ, KEY: str(vault.key)}
    running = [
        subprocess.Popen([sys.executable, "-c", _CREATE, commit], cwd=vault.path, env=env, stdout=subprocess.DEVNULL)
        for commit in commits
    ]
    assert [process.wait() for process in running] == [0] * 24
    assert list(sequences(vault).values()) == [list(range(1, 25))]
    assert all(vault.code(commit) == 0 for commit in commits)


def test_compare_and_swap_is_what_counts(vault: Vault, monkeypatch: object) -> None:
    """Another process that knows no lock moves the ref under us: ours is added on top."""
    from oracl_git.git import refs

    vault.create()
    vault.commit("second", {"b.py": ""})
    real, raced = refs.move_ref, []

    def late(repo: object, name: str, new: str, old: str | None) -> bool:
        if not raced:
            raced.append(name)
            vault.git("update-ref", name, vault.git("commit-tree", f"{old}^{{tree}}", "-p", str(old), "-m", "raced"))
        return real(repo, name, new, old)  # type: ignore[arg-type]

    monkeypatch.setattr(refs, "move_ref", late)  # type: ignore[attr-defined]
    vault.create()
    assert raced and vault.git("log", "--format=%s", vault.ref).splitlines()[1] == "raced"
    assert list(sequences(vault).values()) == [[1, 2]] and vault.code() == 0


def test_one_key_in_two_clones_is_no_fork(signed: Vault) -> None:
    remote = bare(signed)
    signed.cli("snapshot", "push")
    clone = signed.clone("laptop", snapshots=False)
    clone.git("remote", "set-url", "origin", f"file://{remote}")
    clone.cli("snapshot", "fetch")
    clone.commit("theirs", {"theirs.py": ""})
    clone.create()
    signed.commit("ours", {"ours.py": ""})
    signed.create()
    signed.cli("snapshot", "push")
    clone.cli("snapshot", "push")
    states = {row["state"] for row in clone.cli("snapshot", "fetch", "--json")["chains"]}
    assert states == {"updated", "same"}
    assert len(clone.refs) == 2
    assert clone.code() == 0 and clone.code(signed.git("rev-parse", "main~1")) == 0
    assert {row["state"] for row in signed.cli("snapshot", "fetch", "--json")["chains"]} == {"same", "new"}


def test_a_copy_of_a_clone_is_another_writer(signed: Vault) -> None:
    shutil.copytree(signed.path, signed.path.parent / "copy")
    copy = Vault(signed.path.parent / "copy", signed.key)
    copy.commit("in the copy", {"copy.py": ""})
    copy.create()
    assert len(copy.refs) == 2
    again = signed.path.parent / "moved"
    shutil.move(signed.path, again)
    shutil.move(again, signed.path)
    signed.commit("in the first", {"first.py": ""})
    signed.create()
    assert len(signed.refs) == 1


def test_depth_one_in_a_shallow_clone(signed: Vault) -> None:
    for number in range(3):
        signed.commit(str(number), {f"{number}.py": ""})
        signed.create()
    clone = signed.clone("shallow", "--depth=1", snapshots=False)
    assert clone.cli("snapshot", "fetch", "--json")["chains"][0]["state"] == "new"
    assert clone.git("rev-list", "--count", clone.ref) == "1"
    assert clone.code(base="HEAD", rebuild=True) == 0
    signed.commit("more", {"more.py": ""})
    signed.create()
    clone.git("fetch", "-q", "--depth=1", "origin", "main")
    clone.git("reset", "-q", "--hard", "FETCH_HEAD")
    assert clone.cli("snapshot", "fetch", "--json")["chains"][0]["state"] == "updated"
    assert clone.code(base="HEAD") == 0
    plain = signed.clone("plain", "--depth=1", snapshots=False)
    plain.git("fetch", "-q", "--depth=1", "origin", "refs/oracl/snapshots/*:refs/oracl/snapshots/*")
    assert plain.code(base="HEAD") == 0


def test_a_full_clone_stays_full(signed: Vault) -> None:
    signed.commit("second", {"b.py": ""})
    clone = signed.clone("full", snapshots=False)
    clone.cli("snapshot", "fetch")
    assert clone.git("rev-parse", "--is-shallow-repository") == "false"


def test_gc_keeps_chains(signed: Vault) -> None:
    signed.commit("second", {"b.py": ""})
    signed.create()
    signed.git("gc", "-q", "--prune=now", "--aggressive")
    signed.git("pack-refs", "--all")
    signed.git("reflog", "expire", "--expire=now", "--all")
    signed.git("gc", "-q", "--prune=now")
    signed.forget()
    assert signed.code(rebuild=True) == 0
    signed.commit("third", {"c.py": ""})
    signed.create()
    assert list(sequences(signed).values()) == [[1, 2, 3]]


def test_a_server_that_is_behind_or_split(signed: Vault) -> None:
    remote = bare(signed)
    old = signed.refs[signed.ref]
    signed.cli("snapshot", "push")
    signed.commit("second", {"b.py": ""})
    signed.create()
    assert signed.cli("snapshot", "fetch", "--json")["chains"][0]["state"] == "ahead"
    signed.cli("snapshot", "push")
    mirror = signed.clone("mirror")
    assert mirror.code() == 0
    # someone rolls the server back
    subprocess.run(["git", "update-ref", signed.ref, old], cwd=remote, check=True)
    mirror.git("remote", "set-url", "origin", f"file://{remote}")
    assert mirror.cli("snapshot", "fetch", "--json")["chains"][0]["state"] == "ahead"
    assert mirror.code() == 0
    # and someone with the key makes it grow another way
    twin = Vault(signed.path.parent / "twin", signed.key)
    subprocess.run(["git", "clone", "-q", str(remote), str(twin.path)], check=True)
    twin.git("fetch", "-q", "origin", "refs/oracl/snapshots/*:refs/oracl/snapshots/*")
    (twin.path / ".git/oracl").mkdir()
    writer = signed.ref.rpartition("/")[2]
    here = f"{os.path.realpath(twin.path / '.git')}\0{os.stat(twin.path / '.git').st_ino}"
    from hashlib import sha256

    (twin.path / ".git/oracl/writer").write_text(f"{writer} {sha256(here.encode()).hexdigest()}\n")
    twin.commit("another second", {"other.py": ""})
    twin.create()
    twin.git("push", "-q", "origin", signed.ref)
    before = mirror.refs
    rows = mirror.cli("snapshot", "fetch", "--json", code=14)["chains"]
    assert rows[0]["state"] == "split" and mirror.refs == before
    signed.cli("snapshot", "push", code=14)  # the server refuses what is no fast-forward
    mirror.git("fetch", "-q", "-f", "origin", f"+{signed.ref}:{signed.ref}")
    assert mirror.code() == 14
    assert not mirror.git("for-each-ref", "refs/oracl/incoming")


def test_mirrors(signed: Vault, another_key: Callable[..., Path]) -> None:
    """--all sends what others signed too; chains are taken from any place."""
    signed.key, first = another_key(), signed.key
    signed.create()
    clone = signed.clone("clone")
    mirror = bare(clone, "mirror.git") if not clone.git("remote") else clone.path.parent / "mirror.git"
    subprocess.run(["git", "init", "-q", "--bare", str(mirror)], check=True)
    clone.cli("snapshot", "push", str(mirror), code=2)  # nothing of its own
    clone.cli("snapshot", "push", "--all", str(mirror))
    other = signed.clone("reader", snapshots=False)
    assert len(other.cli("snapshot", "fetch", str(mirror), "--json")["chains"]) == 2
    assert other.code() == 0
    assert first != signed.key


def test_fetch_takes_nothing_that_is_broken(signed: Vault) -> None:
    clone = signed.clone("clone")
    signed.commit("second", {"b.py": ""})
    signed.create()
    commit = signed.git("rev-parse", "HEAD")
    signed.rewrite({f"{commit[:2]}/{commit}.dsse.json": b"{}"})
    before = clone.refs
    clone.cli("snapshot", "fetch", code=11)
    assert clone.refs == before


def test_a_writer_that_lost_its_chain_does_not_grow_another(signed: Vault) -> None:
    old = signed.refs[signed.ref]
    signed.commit("second", {"b.py": ""})
    signed.create()
    newest = signed.refs[signed.ref]
    signed.git("update-ref", signed.ref, old)
    signed.commit("third", {"c.py": ""})
    signed.cli("snapshot", "create", code=14)
    signed.git("update-ref", "-d", signed.ref)
    signed.cli("snapshot", "create", code=14)
    chain = next(iter(json.loads((signed.path / ".git/oracl/seen.json").read_text())))
    signed.git("update-ref", f"refs/oracl/snapshots/{chain}", newest)
    signed.cli("snapshot", "create")
    assert signed.code() == 0


def test_sha256_bare_and_linked_worktrees(tmp_path: Path, key: Path) -> None:
    source = make(tmp_path / "one", key)
    tree = tmp_path / "linked"
    source.git("worktree", "add", "-q", "-b", "side", str(tree))
    linked = Vault(tree, key)
    linked.commit("in the worktree", {"w.py": ""})
    linked.create()
    assert linked.code(rebuild=True) == 0 and source.code("side") == 0
    plain = Vault(tmp_path / "bare.git", key)
    subprocess.run(["git", "clone", "-q", "--bare", str(source.path), str(plain.path)], check=True)
    plain.create("main")
    assert plain.code("main") == 0
    modern = Vault(tmp_path / "sha256", key)
    modern.path.mkdir()
    modern.git("init", "-q", "-b", "main", "--object-format=sha256")
    modern.commit("first", {"a.py": "import b\n", ".agentlas/allowed_signers": f"x {Path(f'{key}.pub').read_text()}"})
    modern.create()
    assert modern.code(rebuild=True) == 0
    assert len(modern.git("rev-parse", "HEAD")) == 64


def test_a_pull_request_that_a_forge_merged(signed: Vault) -> None:
    """A merge or squash is signed by nobody; its tree may be, and a CI key signs the branch."""
    signed.git("checkout", "-q", "-b", "pr")
    signed.commit("work", {"work.py": ""})
    signed.create()
    assert signed.code("pr") == 0
    signed.git("checkout", "-q", "main")
    signed.git("merge", "-q", "--squash", "pr")
    squash = signed.commit("work (#1)")
    assert signed.code(squash) == 13 and signed.code(squash, accept_tree=True) == 0
    signed.commit("meanwhile", {"meanwhile.py": ""})
    signed.git("merge", "-q", "--no-ff", "-m", "Merge #1", "pr", ok=False)
    assert signed.code() == 10
    ci = signed.clone("ci")
    ci.cli("snapshot", "create")
    assert ci.code() == 0
    assert ci.cli("verify", *BASE, "--json")["signers"][0]["seq"] == 1


def test_git_is_told_of_chains(signed: Vault) -> None:
    """log decorates none of them; status names the refspecs; pruning takes none of ours; deinit undoes it."""
    bare(signed)
    signed.cli("init")
    assert signed.git("config", "--get-all", "log.excludeDecoration") == "refs/oracl/*"
    assert "Snapshot of" not in signed.git("log", "--exclude=refs/oracl/*", "--all", "--oneline")
    specs = signed.cli("status", "--json")["snapshots"]["refspecs"]
    assert len(specs) == 2 and specs[0] in signed.cli("status")
    for spec in specs:
        signed.git("config", "--add", "remote.origin.fetch", spec)
    assert signed.cli("status", "--json")["snapshots"] == {"chains": 1, "refspecs": []}
    before = signed.refs
    signed.git("fetch", "-q", "--prune")
    assert signed.refs == before
    signed.cli("deinit")
    assert signed.git("config", "--get-all", "log.excludeDecoration", ok=False) == ""
    assert signed.refs == before  # what was signed is no cache


def test_a_remote_that_refuses(signed: Vault) -> None:
    """For a reason of its own, which is no fork."""
    remote = bare(signed)
    hook = remote / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert signed.cli("snapshot", "push", "--json", code=128)["chains"][0]["state"] == "refused"
    hook.unlink()
    assert signed.cli("snapshot", "push", "--json")["chains"][0]["state"] == "new"
