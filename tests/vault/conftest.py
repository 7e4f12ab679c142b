"""The fixtures of the vault's tests; what they are made of is in vaults.py."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from vaults import KEY, Vault, make, new_key


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return new_key(tmp_path / "key")


@pytest.fixture
def vault(tmp_path: Path, key: Path) -> Vault:
    """A repository with one commit and no snapshot."""
    return make(tmp_path / "repo", key)


@pytest.fixture
def signed(vault: Vault) -> Vault:
    """… with a snapshot of it."""
    vault.create()
    return vault


@pytest.fixture
def another_key(tmp_path: Path) -> Callable[..., Path]:
    return lambda name="other", ssh=False: new_key(tmp_path / name, ssh)


@pytest.fixture(autouse=True)
def no_keys(isolated_git: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (KEY, "ORACALL_HMAC_KEY"):
        monkeypatch.delenv(name, raising=False)
    # A process that signed cannot be looked into any more; the test runner should stay debuggable.
    monkeypatch.setattr("oracl_git.vault.keys.no_core_file", lambda: None)
