"""Which embedding is in use: told, checked byte by byte, and a fallback that shows.

Knows the smallest asset in the format of the source.
"""

from __future__ import annotations

import hashlib
import json
import os
from array import array
from collections.abc import Iterator

from ...errors import StoreUnusable
from .. import model2vec
from ..embedding import AUTO, DEGRADED, HASH, MODEL2VEC, adapter, hash_adapter
from ..runtime import Runtime
from .check import Check

_DIMENSIONS = 2
_VECTORS = {"refund": (100, 0), "money": (90, 30), "whale": (0, 100)}


def own_table(runtime: Runtime) -> Iterator[Check]:
    own = adapter(AUTO)
    told = own.status == "available" or any(own.status in note for note in runtime.query("anything").notes)
    yield Check(
        "the embedding in use is told", told, f"{own.name}, {own.dimensions} dimensions, {own.status}: {own.detail}"
    )


def hybrid(runtime: Runtime) -> Iterator[Check]:
    """An asset of the source's format: selected, verified, beside hash-96; refused with one byte changed."""
    place = os.path.join(runtime.project.root, "asset")
    _asset(place)
    found = adapter(MODEL2VEC, place)
    near, far = (found.encode("refund").cosine(found.encode(text)) for text in ("money", "whale"))
    ok = found.dimensions == _DIMENSIONS + 96 and near > far
    told = f"{found.dimensions} dimensions of an asset whose bytes were checked"
    yield Check("Model2Vec beside hash-96", ok, told)
    with open(os.path.join(place, "embeddings.int8"), "r+b") as file:
        file.write(b"\1")
    try:
        adapter(MODEL2VEC, place)
    except StoreUnusable as error:
        yield Check("a changed byte", True, f"refused: {error.message}")
    else:
        yield Check("a changed byte", False, "was not noticed")


def fallback(runtime: Runtime) -> Iterator[Check]:
    with Runtime(runtime.project) as degraded:
        degraded._adapter = hash_adapter("as where no table is installed", DEGRADED)
        notes = degraded.query("anything").notes
    yield Check("the fallback is visible", any(DEGRADED in note for note in notes), "; ".join(notes))
    same = adapter(HASH).encode("the same text") == adapter(HASH).encode("the same text")
    yield Check("the fallback is deterministic", same, f"{adapter(HASH).dimensions} dimensions")


def _asset(place: str) -> None:
    """A Model2Vec asset of three words."""
    parts = {
        "vocab.txt": "\n".join(_VECTORS).encode(),
        "scales.f32": array("f", [0.01] * len(_VECTORS)).tobytes(),
        "embeddings.int8": b"".join(array("b", row).tobytes() for row in _VECTORS.values()),
    }
    os.mkdir(place)
    for name, data in parts.items():
        with open(os.path.join(place, name), "wb") as file:
            file.write(data)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    with open(os.path.join(place, "manifest.json"), "w", encoding="utf-8") as manifest:
        json.dump({"format": model2vec.FORMAT, "dimensions": _DIMENSIONS, "files": digests}, manifest)
