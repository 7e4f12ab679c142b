"""A Model2Vec asset somebody else supplies: `agentlas-model2vec-int8-v1`, verified, then used offline.

Knows the manifest (`format`, `dimensions`, `files` with their SHA-256), greedy WordPiece
over a vocabulary, and the vector the source prescribes: the normalised mean of the rows
beside a normalised hash-96, equally weighted. Reads the directory it is given, nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from math import sqrt
from typing import Any

from ..errors import StoreUnusable
from .embedding import HASH_DIMENSIONS, Adapter, Floors, Vector, hash_values, quantised
from .policy import runtime_home
from .words import folded

FORMAT = "agentlas-model2vec-int8-v1"
FLOORS = Floors(0.45, 0.55, cover=0.5, cover_cjk=0.45)
_INSTALLED = os.path.join("models", "model2vec", "potion-base-8M-int8")
_WORD = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|\w+|[^\w\s]")
_LONGEST = 100
_HINT = "git oracl ontology model verify DIRECTORY"


def place(given: str = "") -> str:
    """Where the asset is: as given, AGENTLAS_MODEL2VEC_PATH, or as the runtime installs it; "" where there is none."""
    for path in (given, os.environ.get("AGENTLAS_MODEL2VEC_PATH", "")):
        if path:
            return path
    installed = os.path.join(runtime_home(), _INSTALLED)
    return installed if os.path.isdir(installed) else ""


def load(path: str) -> Adapter:
    """The adapter of an asset, every file compared with its digest. Raises StoreUnusable."""
    if not path or not os.path.isdir(path):
        raise StoreUnusable(f"there is no Model2Vec asset at {path or 'the places it is looked for'}",
                            "name one with --local-model-path")  # fmt: skip
    manifest, files = _manifest(path)
    dimensions = int(manifest["dimensions"])
    data = {name: _verified(path, name, digest) for name, digest in files.items()}
    vocabulary = _one(data, (".txt",)).decode("utf-8").rstrip("\n").split("\n")
    rows, raw = _one(data, (".int8", ".bin")), _one(data, (".f32", ".f32le"))
    scales = array("f", raw)
    if not len(vocabulary) == len(scales) == len(rows) // dimensions or len(rows) % dimensions:
        raise StoreUnusable("the Model2Vec asset's files do not fit each other", _HINT)
    ids = {piece: number for number, piece in enumerate(vocabulary)}

    def encode(text: str) -> Vector:
        sums = [0.0] * dimensions
        for number in _pieces(text, ids):
            scale = scales[number]
            for at, value in enumerate(array("b", rows[number * dimensions : (number + 1) * dimensions])):
                sums[at] += value * scale
        return quantised([*_unit(sums), *_unit(hash_values(text))])

    name = f"model2vec-{dimensions + HASH_DIMENSIONS}"
    identity = hashlib.sha256("".join(sorted(files.values())).encode()).hexdigest()[:12]
    return Adapter(
        name, dimensions + HASH_DIMENSIONS, encode, FLOORS, "available", f"verified asset {identity} at {path}"
    )


def _manifest(path: str) -> tuple[dict[str, Any], dict[str, str]]:
    try:
        with open(os.path.join(path, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        if manifest["format"] != FORMAT or not 0 < int(manifest["dimensions"]) <= 4096:
            raise ValueError(f"not {FORMAT}")
        rows = manifest["files"].items()
        files = {str(name): str(row["sha256"] if isinstance(row, dict) else row) for name, row in rows}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreUnusable(f"the Model2Vec asset has no manifest that can be read: {error}", _HINT) from None
    if any(os.path.basename(name) != name or name.startswith(".") for name in files):
        raise StoreUnusable("the Model2Vec manifest names files elsewhere", _HINT)
    return manifest, files


def _verified(path: str, name: str, digest: str) -> bytes:
    try:
        with open(os.path.join(path, name), "rb") as file:
            data = file.read()
    except OSError as error:
        raise StoreUnusable(f"the Model2Vec asset cannot be read: {name}: {error.strerror}", _HINT) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise StoreUnusable(f"the Model2Vec asset is damaged: {name} is not the file its manifest names", _HINT)
    return data


def _one(data: dict[str, bytes], suffixes: tuple[str, ...]) -> bytes:
    found = [name for name in data if name.endswith(suffixes) and "license" not in name.lower()]
    if len(found) != 1:
        raise StoreUnusable(f"the Model2Vec asset needs exactly one file that ends in {suffixes[0]}", _HINT)
    return data[found[0]]


def _pieces(text: str, ids: dict[str, int]) -> list[int]:
    """Greedy WordPiece; a word of which some piece is unknown has none."""
    found: list[int] = []
    for word in _WORD.findall(folded(text).lower()):
        start, own = 0, []
        while start < len(word) <= _LONGEST:
            for end in range(len(word), start, -1):
                number = ids.get(("##" if start else "") + word[start:end])
                if number is not None:
                    own.append(number)
                    start = end
                    break
            else:
                own = []
                break
        found += own
    return found


def _unit(values: list[float]) -> list[float]:
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values] if length else values
