"""`git oracl verify`: every row of the table of exit codes, produced by what it is for."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from vaults import BASE, KEY, Vault

from oracl_git.graph import digest


def test_0_verified(signed: Vault) -> None:
    data = signed.cli("verify", *BASE, "--json")
    status = signed.cli("status", "--json")
    assert data["verified"] and data["root"] == status["root"] and data["commit"] == status["head"]
    assert data["signers"][0]["principals"] == "dev@example.com" and data["signers"][0]["scheme"] == "ed25519"
    assert signed.cli("verify", *BASE).startswith(f"verified  {data['commit'][:7]}  root {data['root'][:12]}")
    again = signed.cli("verify", *BASE, "--rebuild", "--json")
    assert again["rebuilt"] == status["artifacts"]


def test_2_usage(signed: Vault) -> None:
    signed.cli("verify", "no-such-commit", code=2)
    signed.cli("verify", "--base", "no-such-ref", code=2)
    signed.cli("verify", "--trust", "nowhere", code=2)
    signed.cli("verify", "--threshold", "0", code=2)
    signed.cli("verify", "--at", "yesterday", *BASE, code=2)
    signed.git("config", "oracl.sign", "sometimes")
    signed.cli("snapshot", "create", code=2)


def test_3_is_a_bug_and_never_0(signed: Vault, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import oracl_git.vault.trust as t\ndef load(*a, **k): raise ZeroDivisionError\nt.load = load\n"
    )
    signed.cli("verify", *BASE, "--allow-missing", code=3, env={"PYTHONPATH": str(tmp_path)})


def test_10_missing(vault: Vault) -> None:
    vault.cli("verify", *BASE, code=10)
    vault.cli("verify", code=10)  # nobody is trusted either, but nobody need be
    assert vault.cli("verify", *BASE, "--allow-missing", "--json")["verified"] is False
    vault.create()
    vault.commit("unsigned", {"more.py": ""})
    vault.cli("verify", *BASE, code=10)


def test_11_tampered(signed: Vault) -> None:
    commit = signed.git("rev-parse", "HEAD")
    name = f"{commit[:2]}/{commit}.dsse.json"
    data = json.loads(signed.read(name))
    data["signatures"][0]["sig"] = data["signatures"][0]["sig"].replace("A", "B", 1)[::-1].replace("=", "")[::-1]
    signed.forget()
    signed.rewrite({name: json.dumps(data, separators=(",", ":"), sort_keys=True).encode()})
    signed.cli("verify", *BASE, code=11)


def test_12_not_trusted(vault: Vault, another_key: Callable[..., Path]) -> None:
    trusted, vault.key = vault.key, another_key()
    vault.create()
    vault.cli("verify", *BASE, code=12)
    assert "unknown" in vault.err
    vault.cli("verify", code=12)
    assert "origin/HEAD" in vault.err and "--base" in vault.err
    vault.key = trusted
    vault.create()
    assert vault.code() == 0


def test_13_mismatch(signed: Vault) -> None:
    signed.git("commit", "-q", "--amend", "-m", "same tree")
    signed.cli("verify", *BASE, code=13)
    found = signed.cli("verify", *BASE, "--accept-tree", "--json")
    assert found["verified"] and found["signers"][0]["commit"] != found["commit"]


def test_14_rollback(signed: Vault) -> None:
    old = signed.refs[signed.ref]
    first = signed.git("rev-parse", "HEAD")
    signed.commit("second")
    signed.create()
    assert signed.code() == 0
    signed.git("update-ref", signed.ref, old)
    signed.cli("verify", *BASE, code=14)
    signed.cli("verify", first, *BASE, "--allow-missing", code=14)  # judged on the head, never on REV
    signed.git("update-ref", "-d", signed.ref)
    signed.cli("verify", *BASE, code=14)


def test_15_rebuild_differs(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signer whose graph is not what the commit says: the place is named."""
    real = digest.leaf_row
    wrong = lambda kind, path, *rest: real(kind, path, *rest).replace(b'"s":', b'"s":1')  # noqa: E731
    monkeypatch.setattr(digest, "leaf_row", lambda k, p, *r: wrong(k, p, *r) if p == "shop/cart.py" else real(k, p, *r))
    vault.create()
    vault.cli("snapshot", "show")
    data = vault.cli("verify", *BASE, "--rebuild", "--json", code=15)
    assert data["difference"]["shard"] == digest.row_key("shop/cart.py")[0]
    assert data["difference"]["path"] == "shop/cart.py"
    assert vault.code() == 0  # whoever does not rebuild believes the signer


def test_16_cannot_check(signed: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another extractor, a lock, a damaged memory, missing objects, a read-only place."""
    for code in ("extractor", "graph"):
        (tmp_path / "sitecustomize.py").write_text(
            "import oracl_git.vault.rebuild as r\nsaid = r.made_by()\n"
            f"r.made_by = lambda: {{**said, {code!r}: 'f' * 64}}\n"
        )
        signed.cli("verify", *BASE, "--rebuild", code=16, env={"PYTHONPATH": str(tmp_path)})
        assert f"made with {code} version" in signed.err
    signed.forget()
    with open(signed.path / ".git/oracl/seen.json.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        monkeypatch.setattr("oracl_git.vault.memory._PATIENCE", 0.1)
        assert signed.code() == 16
    (signed.path / ".git/oracl/seen.json").write_text("{")
    signed.cli("verify", *BASE, code=16)
    signed.forget()
    (signed.path / ".git/oracl/seen.json").mkdir()
    signed.cli("verify", *BASE, code=16)
    signed.cli("verify", *BASE, "--memory", str(tmp_path / "elsewhere"))
    (signed.path / ".git/oracl/seen.json").rmdir()
    tip = signed.git("rev-parse", f"{signed.ref}^{{tree}}")
    (signed.path / ".git/objects" / tip[:2] / tip[2:]).unlink()
    signed.cli("verify", *BASE, code=16)


def test_128_outside(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    Vault(tmp_path / "x", tmp_path).cli("verify", code=128, key=False, env={"GIT_CEILING_DIRECTORIES": str(tmp_path)})


def test_a_key_in_the_user_config(vault: Vault, tmp_path: Path) -> None:
    """The user's, never the repository's own."""
    vault.git("config", "oracl.signingKey", str(vault.key))
    assert "unsigned" in vault.cli("snapshot", "create", key=False)
    config = tmp_path / "config"
    config.write_text(f"[oracl]\n\tsigningKey = {vault.key}\n")
    assert "signed" in vault.cli("snapshot", "create", key=False, env={"GIT_CONFIG_GLOBAL": str(config)})
    assert vault.code() == 0


def test_any_form_of_a_key(vault: Vault) -> None:
    """PEM or base64 in the variable, or the path of either."""
    from base64 import b64encode

    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    pem = vault.key.read_text()
    raw = b64encode(load_pem_private_key(pem.encode(), None).private_bytes_raw()).decode()  # type: ignore[union-attr]
    ids = {vault.cli("snapshot", "create", "--json", env={KEY: text})["key_id"] for text in (pem, raw, str(vault.key))}
    assert len(ids) == 1


def test_prove(signed: Vault, tmp_path: Path) -> None:
    proof = signed.cli("snapshot", "prove", "shop/cart.py")
    (tmp_path / "proof").write_text(proof)
    assert signed.cli("verify", *BASE, "--proof", str(tmp_path / "proof"), "--json")["proven"] == "shop/cart.py"
    for before, after in (("cart.py", "Cart.py"), ('\\"s\\":', '\\"s\\":1')):
        (tmp_path / "proof").write_text(proof.replace(before, after))
        signed.cli("verify", *BASE, "--proof", str(tmp_path / "proof"), code=11)
    (tmp_path / "proof").write_text(proof)
    signed.commit("second")
    signed.create()
    signed.cli("verify", *BASE, "--proof", str(tmp_path / "proof"), code=13)
    signed.cli("snapshot", "prove", "logo.png", code=1)


@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_proofs_hold_for_every_leaf(count: int) -> None:
    leaves = sorted((digest.row_key(f"f{n}"), digest.leaf(b"%d" % n)) for n in range(count))
    root = digest.subtree(leaves, 0)
    shards = {s: digest.shard_hash(pair for pair in leaves if pair[0][0] == s) for s in range(256)}
    assert root == digest.root({number: hashed for number, hashed in shards.items() if hashed})
    for key, leaf in leaves:
        way = digest.siblings(leaves, key)
        assert digest.climb(leaf, key, way) == root
        assert digest.climb(digest.leaf(b"x"), key, way) != root


def test_what_is_stored_again_is_not_added(signed: Vault) -> None:
    before = signed.refs
    assert not signed.create().fresh
    assert signed.refs == before
