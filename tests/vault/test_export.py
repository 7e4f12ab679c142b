"""The paper's artefacts: what they hold, and that no changed row passes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from vaults import BASE, Vault

from oracl_git.errors import Unverified
from oracl_git.graph.model import artifact_id
from oracl_git.graph.parameters import RELATION_WEIGHTS
from oracl_git.store import mirror


@pytest.fixture
def exported(signed: Vault) -> Path:
    signed.cli("health")
    directory = signed.path.parent / "export"
    signed.cli("snapshot", "export", str(directory))
    return directory


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_exported(signed: Vault, exported: Path) -> None:
    data = signed.cli("verify", *BASE, "--export", str(exported), "--json")
    assert data["verified"] and data["files"] > 256
    status = signed.cli("status", "--json")
    records = lines(exported / "index.jsonl")
    assert [r["path"] for r in records] == sorted(str(r["path"]) for r in records)
    assert len(records) == status["artifacts"]
    cart = next(r for r in records if r["path"] == "shop/cart.py")
    content = (signed.path / "shop/cart.py").read_bytes()
    blob = signed.git("rev-parse", "HEAD:shop/cart.py")
    assert cart["checksum"] == sha256(content).hexdigest() and cart["size_bytes"] == len(content)
    assert cart["artifact_id"] == artifact_id("shop/cart.py", blob, len(content))
    assert cart["author"] == "system" and cart["file_type"] == "py" and cart["review_status"] == "draft"
    assert str(cart["created_at"]).endswith("Z") and cart["link_count"] and cart["backrefs"]
    edges = lines(exported / "all_edges.jsonl")
    parts = [row for path in sorted((exported / "partitions").iterdir()) for row in lines(path)]
    assert len(edges) == len(parts) == status["edges"]
    ids = {str(r["artifact_id"]) for r in records}
    for edge in edges:
        assert edge["source"] in ids and (edge["target"] in ids or str(edge["target"]).startswith("hub:domain:"))
        confidence = edge["metadata"]["confidence"]  # type: ignore[index]
        assert edge["relation_weight"] == RELATION_WEIGHTS[str(edge["relation"])] * confidence // 1_000_000
    weighted = json.loads((exported / "weighted_graph_index.json").read_text())
    header = weighted["schema"]
    assert header["alpha" if "alpha" in header else "parameters"] and header["root"] == status["root"]
    assert header["mu"] > 0 and [s["name"] for s in header["source_artifacts"]] == ["index.jsonl", "all_edges.jsonl"]
    assert max(edge["association_rank"] for edge in weighted["edges"]) == 1_000_000
    assert len(weighted["nodes"]) == header["counts"]["nodes"]
    digest = sha256((exported / "weighted_graph_index.json").read_bytes()).hexdigest()
    assert (exported / "weighted_graph_index.json.sha256").read_text() == f"{digest}  weighted_graph_index.json\n"
    assert (exported / "weighted_graph_index.json.sig").read_text().startswith("ed25519:")
    subprocess.run(["sha256sum", "-c", "--quiet", "weighted_graph_index.json.sha256"], cwd=exported, check=True)
    assert (exported / "graph_health_history.jsonl").exists() and (exported / "snapshot.dsse.json").exists()
    assert len(list((exported / "body").iterdir())) == 256


def test_every_clone_exports_the_same(signed: Vault, exported: Path) -> None:
    clone = signed.clone("clone", "--depth=1")
    other = signed.path.parent / "other-export"
    clone.cli("snapshot", "export", str(other))
    for path in sorted(exported.rglob("*")):
        name = path.relative_to(exported)
        if path.is_file() and name.parts[0] not in ("snapshots", "graph_health_history.jsonl", "manifest.json"):
            one, same = path.read_bytes(), (other / name).read_bytes()
            if name.name == "index.jsonl":
                one, same = (re.sub(rb'"(created|modified)_at":[^,]*,', b"", data) for data in (one, same))
            assert one == same, name
    clone.cli("verify", "--base", "HEAD", "--export", str(exported))


def replace(name: str, before: str, after: str) -> Callable[[Path], None]:
    def change(directory: Path) -> None:
        path = directory / name
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after, 1))

    return change


def drop_line(name: str) -> Callable[[Path], None]:
    return lambda directory: (directory / name).write_text(
        "".join((directory / name).read_text().splitlines(keepends=True)[1:])
    )


def mirrored(sql: str) -> Callable[[Path], None]:
    def change(directory: Path) -> None:
        (bundle,) = (directory / "mirror").glob("*.sqlite")
        db = sqlite3.connect(bundle)
        assert db.execute(sql).rowcount
        db.commit()
        db.close()

    return change


TAMPERED = {
    "a record": (replace("index.jsonl", '"usage":0', '"usage":9'), 11, "usage is 9, not 0"),
    "a tag": (replace("index.jsonl", '"classification":"internal"', '"classification":"public"'), 11, "classification"),
    "a record less": (drop_line("index.jsonl"), 11, "index.jsonl:1"),
    "an edge": (replace("all_edges.jsonl", '"relation_weight":', '"relation_weight":1'), 11, "all_edges.jsonl:1"),
    "an edge less": (drop_line("partitions/phase2_repo_edges.jsonl"), 11, "phase2"),
    "a rank": (replace("weighted_graph_index.json", '"association_rank":', '"association_rank":9'), 11, "association"),
    "a priority": (replace("weighted_graph_index.json", '"priority":', '"priority":1'), 11, "priority"),
    "the header": (replace("weighted_graph_index.json", '"alpha":350000', '"alpha":350001'), 11, "alpha"),
    "the digest": (replace("weighted_graph_index.json.sha256", " ", "0 "), 11, ".sha256"),
    "the signature": (replace("weighted_graph_index.json.sig", "ed25519:", "ed25519:A"), 11, ".sig"),
    "the scheme": (replace("weighted_graph_index.json.sig", "ed25519:", "hmac-sha256:"), 12, "HMAC"),
    "no signature": (lambda d: (d / "weighted_graph_index.json.sig").unlink(), 12, "missing"),
    "the manifest": (replace("manifest.json", '"size":', '"size":1'), 11, "manifest"),
    "another root": (replace("manifest.json", '"root":"', '"root":"0'), 11, "root"),
    "a mirrored node": (mirrored("UPDATE node SET priority=1 WHERE path='shop/cart.py'"), 11, "shop/cart.py"),
    "a mirrored edge": (mirrored("DELETE FROM edge WHERE relation='imports'"), 11, "table edge"),
    "the pointer": (replace("mirror/LATEST.json", "graph-", "../graph-"), 11, "LATEST.json"),
    "a dated copy": (
        lambda d: next((d / "snapshots").glob("*Z.json")).write_text("{}"), 11, "snapshots/"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_no_changed_row_passes(signed: Vault, exported: Path, what: str) -> None:
    change, code, named = TAMPERED[what]
    change(exported)
    from oracl_git.errors import Unverified

    with pytest.raises(Unverified) as refused:
        _verify(signed, exported)
    assert refused.value.exit_code == code and named in refused.value.message


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'artifact' kind"


def _view(bundle: Path, table: str, columns: str) -> None:
    with closing(sqlite3.connect(bundle)) as db:
        db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE VIEW {table} AS {ENDLESS}, {', '.join(f'x {name}' for name in columns.split())} FROM c")


def _pages_that_share(bundle: Path) -> None:
    """Fifteen pages of the table, each of which has the next one as all of its children."""
    with closing(sqlite3.connect(bundle)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name='node'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    data = bytearray(bundle.read_bytes())
    count, top = len(data) // size, data[(root - 1) * size : root * size]
    assert top[0] == 2, "a table of one page has no children"
    cells = [int.from_bytes(top[at : at + 2], "big") for at in range(12, 12 + 2 * int.from_bytes(top[3:5], "big"), 2)]
    leaf = bytes(top[8:12])
    for number in range(15):
        below = leaf if number == 14 else (count + number + 2).to_bytes(4, "big")
        page = bytearray(top)
        for at in (8, *cells):
            page[at : at + 4] = below
        data += page
    for at in (8, *cells):
        start = (root - 1) * size + at
        data[start : start + 4] = (count + 1).to_bytes(4, "big")
    data[28:32] = (count + 15).to_bytes(4, "big")
    bundle.write_bytes(data)


@pytest.mark.parametrize("what", ["nodes", "edges", "pages", "pipe"])
def test_a_bundle_without_an_end(tmp_path: Path, what: str) -> None:
    """Whoever made it made its manifest, too; it is read to no end that is not there."""
    nodes = [(f"p{n:05}", *["i" * 40, "artifact", "n", "c"], 1, 1, 1, "{}") for n in range(3000)]
    mirror.build(str(tmp_path), "c", "0" * 64, nodes, [], {})
    (bundle,) = tmp_path.glob("*.sqlite")
    if what == "nodes":
        _view(bundle, "node", "path id name checksum size priority priority_blended row")
    elif what == "edges":
        _view(bundle, "edge", "source source_fragment target target_fragment relation weight confidence partition rank")
    elif what == "pages":
        _pages_that_share(bundle)
    else:
        (manifest,) = tmp_path.glob("*.manifest.json")
        manifest.unlink()
        os.mkfifo(manifest)
    done = subprocess.run(["git-oracl", "mirror", "verify", str(tmp_path)], capture_output=True, text=True, timeout=30,
                          env={**os.environ, "PATH": os.path.dirname(sys.executable)})  # fmt: skip
    assert done.returncode == 11 and done.stderr.count("\n") == 2, done.stderr
    if what in ("nodes", "edges"):
        assert "has other tables than ours" in done.stderr
    if what == "pages":
        rows = mirror.rows(str(tmp_path), "node")
        with pytest.raises(Unverified, match="interrupted"):
            for _ in rows:
                pass


def _verify(vault: Vault, directory: Path) -> object:
    import oracl_git
    from oracl_git.vault.verify import Options

    with oracl_git.open(str(vault.path)) as oracl:
        return oracl.verify_export(str(directory), options=Options(base="main"))


def test_every_body_row_is_found(signed: Vault, exported: Path) -> None:
    from oracl_git.errors import Unverified

    for path in sorted((exported / "body").iterdir()):
        before = path.read_text()
        if before:
            path.write_text(before.replace('"s":', '"s":1'))
            if path.read_text() != before:
                with pytest.raises(Unverified) as refused:
                    _verify(signed, exported)
                assert refused.value.exit_code == 11 and f"body/{path.name}:1" in refused.value.message
            path.write_text(before)
    _verify(signed, exported)


def test_a_commit_that_is_not_the_indexed_one(signed: Vault, exported: Path) -> None:
    signed.commit("second", {"b.py": "import shop.cart\n"})
    signed.create()
    signed.cli("verify", *BASE, "--export", str(exported))  # made again from git
    signed.cli("verify", "HEAD~1", *BASE, "--export", str(exported))
    older = signed.path.parent / "older"
    signed.cli("snapshot", "export", str(older), "HEAD~1")
    for name in ("index.jsonl", "all_edges.jsonl", "weighted_graph_index.json"):
        kept = [{k: v for k, v in row.items() if not k.endswith("_at")} for row in lines(older / name)]
        assert kept == [{k: v for k, v in row.items() if not k.endswith("_at")} for row in lines(exported / name)]
    signed.cli("verify", "HEAD~0", *BASE, "--export", str(older), code=13)


def test_rotation_and_replacement(signed: Vault, exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oracl_git.vault import export

    moments = iter(range(100))
    real = export.time.gmtime
    monkeypatch.setattr(export.time, "gmtime", lambda *a: real(*a) if a else real(1_800_000_000 + next(moments)))
    import oracl_git

    for _ in range(4):
        with oracl_git.open(str(signed.path)) as oracl:
            oracl.export_snapshot(str(exported), keep=2)
    names = sorted(path.name for path in (exported / "snapshots").iterdir())
    assert len([name for name in names if name.endswith(".json")]) == 2
    assert (
        signed.path.parent.joinpath("export/weighted_graph_index.json.sig").exists() is False
    )  # no key: no old one stays
    assert not list(exported.rglob("*.new"))
    signed.commit("second", {"b.py": ""})
    signed.create()
    signed.cli("snapshot", "export", str(exported))
    assert len(list((exported / "mirror").iterdir())) == 3
    signed.cli("verify", *BASE, "--export", str(exported))


def test_the_mirror_answers_alone(signed: Vault, exported: Path, tmp_path: Path) -> None:
    """Without the index, without a repository."""
    outside = Vault(tmp_path / "outside", signed.key)
    outside.path.mkdir()
    env = {"GIT_CEILING_DIRECTORIES": str(tmp_path)}
    for query, paths in (
        ("path:shop/cart.py", ["shop/cart.py"]), ("file:cart.py", ["shop/cart.py"]), ("shop/cart.py", ["shop/cart.py"]),
        ("filename:test_cart.py", ["tests/test_cart.py"]), ("cart.py", ["shop/cart.py"]),
        ("prefix:shop/", ["shop/__init__.py", "shop/cart.py", "shop/prices.py"]),
    ):  # fmt: skip
        data = outside.cli("mirror", "query", str(exported), query, "--json", env=env)
        assert [row["path"] for row in data["results"]] == paths
        assert data["results"][0]["score"] == 1.0 and data["results"][0]["source"] == "mirror"
    outside.cli("mirror", "query", str(exported / "mirror"), "path:nowhere", code=1, env=env)
    outside.cli("mirror", "query", str(tmp_path), "x", code=2, env=env)
    assert outside.cli("mirror", "verify", str(exported), env=env).startswith("consistent")
    next((exported / "mirror").glob("*.sqlite")).write_bytes(b"SQLite format 3\0" + bytes(100))
    outside.cli("mirror", "verify", str(exported), code=11, env=env)
    outside.cli("mirror", "query", str(exported), "path:x", code=11, env=env)


def test_a_mirror_of_any_shape_is_refused_in_one_line(signed: Vault, exported: Path) -> None:
    latest = exported / "mirror/LATEST.json"
    whole = latest.read_text()
    pointer = json.loads(whole)
    for text in ("[" * 60_000, *(json.dumps({k: v for k, v in pointer.items() if k != name}) for name in pointer)):
        latest.write_text(text)
        signed.cli("mirror", "verify", str(exported), code=11)
    latest.write_text(whole)
    (bundle,) = (exported / "mirror").glob("*.sqlite")
    manifest = exported / "mirror" / pointer["manifest"]
    described = json.loads(manifest.read_text())
    for tables in (None, [], {"node": 1}):
        text = json.dumps({**described, "tables": tables})
        manifest.write_text(text)
        latest.write_text(json.dumps({**pointer, "sha256": hashlib.sha256(text.encode()).hexdigest()}))
        signed.cli("mirror", "verify", str(exported), code=11)
    for value in ("'x'", "'[]'", "x'00'", "5", "replace(hex(zeroblob(30000)), '0', '[')"):
        mirrored(f"UPDATE node SET row={value} WHERE path='shop/cart.py'")(exported)
        signed.cli("mirror", "verify", str(exported), code=11)
    assert bundle.exists()


def test_a_mirror_is_written_through_no_link(signed: Vault, exported: Path, tmp_path: Path) -> None:
    """Whoever knows what an export will be called can leave links beside it."""
    place, away = exported / "mirror", tmp_path / "away"
    names = [path.name for path in place.iterdir()]
    for name in names:
        (place / name).unlink()
        (place / f"{name}.new").symlink_to(away)
        (place / name).symlink_to(away)
    signed.cli("snapshot", "export", str(exported))
    assert not away.exists()
    assert all(not (place / name).is_symlink() for name in names)
    signed.cli("mirror", "verify", str(exported))


def test_hmac_sidecars(signed: Vault) -> None:
    env = {"ORACALL_HMAC_KEY": "x" * 32}
    directory = str(signed.path.parent / "hmac")
    signed.cli("snapshot", "create", "--hmac", env=env)
    signed.cli("snapshot", "export", directory, "--hmac", env=env)
    signed.cli("verify", *BASE, "--export", directory, code=12, env=env)
    signed.cli("verify", "--hmac", "--export", directory, env=env)
    signed.cli("verify", "--hmac", "--export", directory, code=11, env={"ORACALL_HMAC_KEY": "y" * 32})


def test_health(signed: Vault) -> None:
    first = signed.cli("health", "--json")
    assert first["verdict"] == "healthy" and first["nodes"] == first["artifacts"] + first["hubs"]
    assert "since" not in first
    signed.cli("health")
    assert len(signed.cli("health", "--history", "--json")["history"]) == 1  # the same look is told once
    signed.commit("many", {f"many/{n}.py": "import shop.cart, shop.gone\n" for n in range(20)})
    second = signed.cli("health", "--json")
    assert second["since"] == first["commit"] and second["drift_nodes"] > 1_000_000
    assert second["verdict"] == "degraded" and any("drift_nodes" in reason for reason in second["reasons"])
    assert 300_000 < second["unresolved_share"] < 800_000
    assert "degraded" in signed.cli("health", "--history")
    db = sqlite3.connect(signed.path / ".git/oracl/index.sqlite")
    db.execute("UPDATE node SET size=size+1 WHERE path=?", (b"shop/cart.py",))
    db.commit()
    assert signed.cli("health", "--json")["verdict"] == "degraded"
    found = signed.cli("health", "--deep", "--json", code=1)
    assert found["verdict"] == "unhealthy" and "shop/cart.py has another row than its leaf" in found["reasons"]
    db.execute("UPDATE node SET leaf=zeroblob(32) WHERE path=?", (b"shop/cart.py",))
    db.commit()
    assert "do not lead" in signed.cli("health", code=1)
    db.close()


def _pipe(directory: Path) -> None:
    os.mkfifo(directory / "snapshots/weighted_graph_index.20200101T000000Z.json")


def _endless(directory: Path) -> None:
    (directory / "snapshots/weighted_graph_index.20200101T000000Z.json").symlink_to("/dev/zero")


def _one_long_line(directory: Path) -> None:
    os.truncate(directory / "all_edges.jsonl", 1 << 40)


def _listed(files: object) -> Callable[[Path], None]:
    def change(directory: Path) -> None:
        manifest = json.loads((directory / "manifest.json").read_text())
        changed = {**manifest, "files": files}
        (directory / "manifest.json").write_text(json.dumps(changed, sort_keys=True, separators=(",", ":")) + "\n")

    return change


@pytest.mark.parametrize("change", [_pipe, _endless, _one_long_line, _listed([1]), _listed({"index.jsonl": 5})])
def test_an_export_made_to_hurt(signed: Vault, exported: Path, change: Callable[[Path], None]) -> None:
    change(exported)
    with pytest.raises(Unverified) as caught:
        _verify(signed, exported)
    assert caught.value.exit_code == Unverified.TAMPERED
