"""Refs that came from elsewhere have any name that git allows, and a config may name programs."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from oracl_git.git import differences, discover
from oracl_git.git.refs import delete_refs, list_refs, made_here

ODD = ("refs/oracl/a\u2028b", "refs/oracl/c\x85d", "refs/oracl/e\udcff")


def test_refs_of_any_name_are_listed_and_deleted(git):
    repo = git.init()
    head = repo.commit("one", {"a": "1"})
    for name in ODD:
        repo("update-ref", name.encode("utf-8", "surrogateescape"), head)
    here = discover(str(repo.path))
    assert sorted(list_refs(here, "refs/oracl")) == sorted((name, head) for name in ODD)
    delete_refs(here, ODD)
    assert list_refs(here, "refs/oracl") == []


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'sprung'}'\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def test_whether_a_commit_was_made_here_is_asked_without_its_signature(git, trap: Path):
    repo = git.init()
    parent = repo.commit("one", {"a": "1"})
    raw = (
        f"tree {repo('rev-parse', 'HEAD^{tree}')}\nparent {parent}\nauthor a <a> 1 +0000\ncommitter a <a> 2 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nhi\n"
    )
    signed = repo("hash-object", "-t", "commit", "-w", "--stdin", input=raw.encode())
    repo("update-ref", "-m", "commit: hi", "HEAD", signed)
    repo("config", "gpg.program", str(trap))
    repo("config", "log.showSignature", "true")
    assert made_here(discover(str(repo.path)))
    assert not (trap.parent / "sprung").exists()


@pytest.mark.parametrize("name", ["plain", "a=b", "=", "a.b=c d"])
def test_no_filter_runs_whatever_it_is_called(git, trap: Path, name: str):
    repo = git.init()
    repo.commit("one", {"a.txt": "one\n"})
    for kind in ("clean", "process"):
        repo("config", f"filter.{name}.{kind}", str(trap))
    repo("config", f"filter.{name}.required", "true")
    (repo.path / ".git/info/attributes").write_text(f"a.txt filter={name.replace(' d', '')}\n")
    repo("config", f"filter.{name.replace(' d', '')}.clean", str(trap))
    (repo.path / "a.txt").write_text("two\n")  # as long as it was: git must look into it
    os.utime(repo.path / "a.txt", (1, 1))
    assert list(differences(discover(str(repo.path)))) == [b"a.txt"]
    assert not (trap.parent / "sprung").exists()
