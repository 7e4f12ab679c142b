"""The worker vouches for commits made here, and for no others."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from vaults import KEY, Vault

from oracl_git.git import discover
from oracl_git.git.refs import made_here


def here(vault: Vault) -> bool:
    return made_here(discover(str(vault.path)))


def test_what_was_made_here(vault: Vault) -> None:
    first = vault.git("rev-parse", "HEAD")
    assert here(vault)
    vault.git("checkout", "-q", "-b", "side", first)
    assert not here(vault)
    vault.commit("side", {"side.py": ""})
    assert here(vault)
    vault.git("checkout", "-q", "main")
    vault.commit("two", {"two.py": ""})
    vault.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert here(vault)
    vault.git("checkout", "-q", "side")
    vault.git("merge", "-q", "main")  # a fast-forward
    assert not here(vault)
    vault.git("reset", "-q", "--hard", "HEAD~1")
    assert not here(vault)
    vault.git("cherry-pick", "--keep-redundant-commits", first)
    assert here(vault)
    vault.git("commit", "-q", "--amend", "--allow-empty", "-m", "amended")
    assert here(vault)
    vault.git("checkout", "-q", "-b", "late", first)
    vault.commit("late", {"late.py": ""})
    vault.git("rebase", "-q", "main")
    assert here(vault)
    vault.git("checkout", "-q", "-b", "old", first)
    vault.git("rebase", "-q", "main")  # nothing to pick
    assert not here(vault)


def test_what_arrived_was_not(vault: Vault) -> None:
    clone = vault.clone("clone", snapshots=False)
    assert not here(clone)
    vault.commit("more", {"more.py": ""})
    clone.git("pull", "-q")
    assert not here(clone)
    vault.commit("most", {"most.py": ""})
    clone.git("pull", "-q", "--rebase")
    assert not here(clone)
    clone.commit("mine", {"mine.py": ""})
    vault.commit("last", {"last.py": ""})
    clone.git("pull", "-q", "--rebase")
    assert here(clone)


def test_the_worker_signs(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORACL_SKIP")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{__import__('os').environ['PATH']}")
    vault.cli("init", key=False)
    vault.commit("unsigned", {"a.py": ""})
    _settle(vault)
    assert not vault.refs
    monkeypatch.setenv(KEY, str(vault.key))
    commit = vault.commit("signed", {"b.py": ""})
    _settle(vault)
    assert vault.code(commit) == 0
    vault.git("checkout", "-q", "HEAD~1")
    _settle(vault)
    assert vault.code() == 10
    monkeypatch.setenv(KEY, "nonsense")
    vault.git("checkout", "-q", "main")
    vault.commit("broken", {"c.py": ""})
    _settle(vault)
    log = (vault.path / ".git/oracl/worker.log").read_text().splitlines()[-1]
    assert "no snapshot" in log and "nonsense" not in log
    assert vault.cli("status", "--json", key=False)["behind"] == 0


def _settle(vault: Vault) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        time.sleep(0.3)
        if not any((vault.path / ".git/oracl" / name).exists() for name in ("spool", "spool.taken", "worker")):
            return
    raise AssertionError("the worker did not end")
