"""The same root from any clone; and where two graphs differ, named as closely as can be known."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from vaults import BASE, Vault

from oracl_git.graph import digest


@pytest.mark.parametrize(
    ("umask", "env", "config"),
    [
        (0o077, {"LC_ALL": "POSIX", "TZ": "Pacific/Chatham", "PYTHONHASHSEED": "1"}, {"core.autocrlf": "true"}),
        (0o000, {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "2"}, {"core.ignorecase": "true"}),
        (0o022, {"LANG": "tr_TR.UTF-8", "PYTHONUTF8": "0"}, {"core.autocrlf": "input", "core.eol": "crlf"}),
        (0o022, {"PYTHONDEVMODE": "0"}, {"core.precomposeunicode": "true", "core.fileMode": "false"}),
    ],
)
def test_any_clone_makes_the_same_root(signed: Vault, umask: int, env: dict[str, str], config: dict[str, str]) -> None:
    odd = {
        "README.md": "# Shop\n\r\n[x](shop/cart.py)\r\n",
        "readme.MD": "# Other case\n",
        "shop/Über.py": "import shop\n",
    }
    signed.commit("odd names and line ends", {**odd, ".gitattributes": "*.md text eol=crlf\n"})
    signed.create()
    before = os.umask(umask)
    try:
        options = [word for key, value in config.items() for word in ("-c", f"{key}={value}")]
        clone = signed.clone("elsewhere", *options)
        for key, value in config.items():
            clone.git("config", "--replace-all", key, value)
        data = clone.cli("verify", "--rebuild", "--json", env=env)
    finally:
        os.umask(before)
    assert data["rebuilt"] and data["root"] == signed.cli("status", "--json")["root"]


@pytest.fixture
def wrong(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A signer whose graph has another priority for one file."""
    real = digest.leaf_row

    def leaf_row(kind: int, path: str, *rest: object) -> bytes:
        row = real(kind, path, *rest)  # type: ignore[arg-type]
        return row.replace(b'"s":', b'"s":1') if path == "shop/cart.py" else row

    with monkeypatch.context() as patch:
        patch.setattr(digest, "leaf_row", leaf_row)
        vault.create()
        import oracl_git

        with oracl_git.open(str(vault.path)) as oracl:
            oracl.export_snapshot(str(vault.path.parent / "export"))
    return vault


def test_a_fresh_clone_names_the_shard_and_its_rows(wrong: Vault) -> None:
    clone = wrong.clone("clone")
    data = clone.cli("verify", "--rebuild", "--json", code=15)["difference"]
    assert data["shard"] == digest.row_key("shop/cart.py")[0] and "shop/cart.py" in data["path"]
    clone.cli("verify", code=0)


def test_with_the_signers_export_path_and_field_are_named(wrong: Vault) -> None:
    clone = wrong.clone("clone")
    export = str(wrong.path.parent / "export")
    data = clone.cli("verify", "--rebuild", "--against", export, "--json", code=15)["difference"]
    assert data["path"] == "shop/cart.py" and data["field"] == "s"
    assert data["signed"] == "1" + data["rebuilt"]
    clone.cli("verify", "--rebuild", "--against", export, code=15)
    assert "shop/cart.py, s: 1" in clone.err
    clone.cli("verify", "--rebuild", "--against", str(Path(export).parent), code=15)  # not the signer's: less is known


def test_an_index_that_was_changed_signs_what_is_not_so(vault: Vault) -> None:
    """A leaf of this clone's index is forged; the next commit signs a root over it."""
    vault.cli("init")
    db = sqlite3.connect(vault.path / ".git/oracl/index.sqlite")
    shard = digest.row_key("shop/cart.py")[0]
    db.execute("UPDATE node SET leaf=randomblob(32) WHERE path=?", (b"shop/cart.py",))
    db.execute("DELETE FROM shard WHERE id=?", (shard,))
    db.execute("UPDATE header SET value=? WHERE key='root'", ("0" * 64,))
    rows = [(digest.leaf_key(0, p.decode()), leaf) for p, leaf in db.execute(
        "SELECT path, leaf FROM node WHERE shard=? AND kind=0", (shard,))]  # fmt: skip
    db.execute("INSERT INTO shard VALUES(?,?)", (shard, digest.shard_hash(rows)))
    root = digest.root(dict(db.execute("SELECT id, hash FROM shard"))).hex()
    db.execute("UPDATE header SET value=? WHERE key='root'", (root,))
    db.commit()
    db.close()
    vault.create()
    data = vault.cli("verify", *BASE, "--rebuild", "--json", code=15)["difference"]
    assert (data["shard"], data["path"], data["field"]) == (shard, "shop/cart.py", "leaf"), data


def test_other_fields_of_the_header(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    from oracl_git.vault import header

    real = header.describe
    for change, field in (
        (lambda d: d._replace(source_root="0" * 64), "source_root"),
        (lambda d: d._replace(schema={**d.schema, "mu": 1}), "schema.mu"),
        (
            lambda d: d._replace(schema={**d.schema, "counts": {**d.schema["counts"], "edges": 0}}),
            "schema.counts.edges",
        ),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(header, "describe", lambda *a, change=change: change(real(*a)))
            vault.create()
        data = vault.cli("verify", *BASE, "--rebuild", "--json", code=15)["difference"]
        assert data["field"] == field and data["shard"] is None
