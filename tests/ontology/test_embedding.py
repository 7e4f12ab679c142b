"""Adapters: the fallback, the package's own table, and assets that somebody supplies."""

from __future__ import annotations

import hashlib
import json
import socket
from array import array
from pathlib import Path

import pytest

from oracl_git.errors import StoreUnusable
from oracl_git.ontology import embedding, model2vec

WORDS = ["refund", "money", "back", "whale", "##s", "sea", "[UNK]"]
ROWS = [[100, 0, 0, 0], [90, 30, 0, 0], [80, 40, 0, 0], [0, 0, 100, 0], [0, 0, 0, 10], [0, 0, 90, 20], [0, 0, 0, 0]]


def asset(place: Path) -> Path:
    files = {
        "vocab.txt": "\n".join(WORDS).encode(), "scales.f32": array("f", [0.01] * len(WORDS)).tobytes(),
        "embeddings.int8": b"".join(array("b", row).tobytes() for row in ROWS),
    }  # fmt: skip
    place.mkdir()
    for name, data in files.items():
        (place / name).write_bytes(data)
    digests = {name: {"sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    (place / "manifest.json").write_text(json.dumps({"format": model2vec.FORMAT, "dimensions": 4, "files": digests}))
    return place


def test_an_asset_is_verified_and_gives_the_prescribed_vector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", None)  # nothing here needs a network
    place = asset(tmp_path / "asset")
    adapter = embedding.adapter("model2vec", str(place))
    assert adapter.dimensions == 4 + 96 == len(adapter.encode("refund").data)
    near = adapter.encode("refund").cosine(adapter.encode("money back"))
    far = adapter.encode("refund").cosine(adapter.encode("whales sea"))
    assert near > 0.3 > far
    monkeypatch.setenv("AGENTLAS_MODEL2VEC_PATH", str(place))
    assert embedding.adapter("model2vec").name == adapter.name


@pytest.mark.parametrize("name", ["vocab.txt", "scales.f32", "embeddings.int8", "manifest.json"])
def test_one_changed_byte_is_noticed(tmp_path: Path, name: str) -> None:
    place = asset(tmp_path / "asset")
    data = bytearray((place / name).read_bytes())
    data[len(data) // 2] ^= 1
    (place / name).write_bytes(bytes(data))
    with pytest.raises(StoreUnusable):
        embedding.verify(str(place))


@pytest.mark.parametrize("manifest", [{}, {"format": "other"}, {"format": model2vec.FORMAT, "dimensions": 4, "files": {"../x": "0"}}, []])
def test_a_manifest_of_another_kind_is_refused(tmp_path: Path, manifest: object) -> None:
    place = asset(tmp_path / "asset")
    (place / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(StoreUnusable):
        embedding.verify(str(place))


def test_no_asset_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTLAS_RUNTIME_HOME", str(tmp_path))
    monkeypatch.delenv("AGENTLAS_MODEL2VEC_PATH", raising=False)
    with pytest.raises(StoreUnusable):
        embedding.adapter("model2vec")


def test_auto_is_the_packages_own_table_and_hash_is_a_visible_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    own = embedding.adapter()
    assert (own.name, own.dimensions, own.status) == ("static-256", 256, "available")
    assert own.encode("refund").cosine(own.encode("reimbursement")) > own.encode("refund").cosine(own.encode("whale"))
    monkeypatch.setattr(embedding, "static_adapter", lambda verified="": None)
    assert embedding.adapter().status == "degraded_fallback" and embedding.adapter("hash").status == "available"


def test_hash_96_is_deterministic() -> None:
    encoded = embedding.adapter("hash").encode("a rollback checklist 환불")
    assert hashlib.sha256(encoded.data).hexdigest() == hashlib.sha256(embedding.adapter("hash").encode("a rollback checklist 환불").data).hexdigest()
    assert len(encoded.data) == 96 and encoded.cosine(encoded) == pytest.approx(1)
