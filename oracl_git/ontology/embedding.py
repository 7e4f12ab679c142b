"""Text as a vector: the adapters there are, and how two vectors are compared.

Knows `hash` (96 hashed dimensions, always there, a degraded fallback), the adapter
contract, and the choice that `auto` makes. Offline, and without any import of a
model library. Knows nothing of what the text is.
"""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import log1p, sqrt
from operator import mul

from ..errors import UsageError
from ..extract.words import split_identifiers
from .words import folded, words

AUTO, HASH, MODEL2VEC = ADAPTERS = ("auto", "hash", "model2vec")
DEGRADED = "degraded_fallback"
_GRAM = 3


@dataclass(frozen=True)
class Vector:
    """A direction: int8 components and their Euclidean length."""

    data: bytes
    norm: float

    def cosine(self, other: Vector) -> float:
        """The cosine of the angle between two vectors of the same adapter; 0 for an empty text."""
        if not self.norm or not other.norm or len(self.data) != len(other.data):
            return 0.0
        return float(sum(map(mul, array("b", self.data), array("b", other.data)))) / (self.norm * other.norm)


def quantised(values: list[float]) -> Vector:
    """A vector of floats in 127 steps a side."""
    top = max(map(abs, values), default=0.0)
    data = array("b", (round(value * 127 / top) for value in values) if top else (0 for _ in values))
    return Vector(data.tobytes(), sqrt(sum(map(mul, data, data))))


def sketch(vector: Vector) -> bytes:
    """One bit a dimension: its sign."""
    bits = 0
    for value in array("b", vector.data):
        bits = bits << 1 | (value > 0)
    return bits.to_bytes((len(vector.data) + 7) // 8, "big")


@dataclass(frozen=True)
class Floors:
    """What a cosine must reach for a passage to count without a word in common: see `search.py`."""

    absolute: float
    absolute_cjk: float
    relative: float = 0.72  # of the best
    cover: float = 0.42  # share of a question, in information, that words alone must cover
    cover_cjk: float = 0.42


@dataclass(frozen=True)
class Adapter:
    """A way to encode. `status` says whether it is the one that was wanted."""

    name: str
    dimensions: int
    encode: Callable[[str], Vector]
    floors: Floors
    status: str = "available"
    detail: str = ""
    joint: bool = True  # whether a cosine says anything beside words in common
    seen: str = ""  # what the file system said of the files when they were checked


# -- hash-96 ----------------------------------------------------------------------------------

HASH_DIMENSIONS = 96
# Hashed words agree only where words do: without one in common, nothing counts.
HASH_FLOORS = Floors(0.62, 0.70)


class _Features(dict[str, tuple[tuple[int, float], ...]]):
    """Word → its hashed features. A cache: what it holds changes no answer."""

    def __missing__(self, word: str) -> tuple[tuple[int, float], ...]:
        if len(self) > 200_000:
            self.clear()
        padded = f"^{word}$"
        grams = [padded[i : i + _GRAM] for i in range(len(padded) - _GRAM + 1)] if len(word) > 2 else []
        rows: dict[int, float] = {}
        for feature, weight in [(word, 1.0), *((gram, 0.5 / max(1, len(grams)) ** 0.5) for gram in grams)]:
            number = zlib.crc32(feature.encode("utf-8", "replace"))
            place = number % HASH_DIMENSIONS
            rows[place] = rows.get(place, 0.0) + (weight if number >> 31 else -weight)
        found = self[word] = tuple(rows.items())
        return found


_features = _Features()


def hash_values(text: str) -> list[float]:
    """hash-96 before quantisation: words and their trigrams, hashed with a sign, log-scaled by count."""
    values = [0.0] * HASH_DIMENSIONS
    for word, count in Counter(words(text)).items():
        weight = log1p(count)
        for place, value in _features[word]:
            values[place] += weight * value
    return values


def _hashed(text: str) -> Vector:
    return quantised(hash_values(text))


def hash_adapter(detail: str = "asked for", status: str = "available") -> Adapter:
    """hash-96."""
    return Adapter("hash-96", HASH_DIMENSIONS, _hashed, HASH_FLOORS, status, detail, joint=False)


# -- the table that ships with the package ------------------------------------------------------

STATIC = "static-256"
STATIC_FLOORS = Floors(0.52, 0.60, cover=0.56, cover_cjk=0.46)


def static_adapter(verified: str = "") -> Adapter | None:
    """The package's own table, checked unless it still is what was `verified`; None where it is not installed."""
    try:
        from ..embedding.asset import find
        from ..embedding.encoder import DIMENSIONS
    except ImportError:
        return None
    asset = find()
    encoder = asset.encoder(verified)

    def encode(text: str) -> Vector:
        data = encoder.encode(split_identifiers(folded(text)))
        return Vector(data, sqrt(sum(map(mul, array("b", data), array("b", data)))))

    told = f"verified table {asset.model}"
    return Adapter(STATIC, DIMENSIONS, encode, STATIC_FLOORS, "available", told, seen=asset.seen)


# -- choosing ---------------------------------------------------------------------------------


def adapter(name: str = AUTO, model_path: str = "", verified: str = "") -> Adapter:
    """The adapter of a name. `auto` says when it had to fall back; `verified`: see `Adapter.seen`."""
    if name == HASH:
        return hash_adapter()
    if name == MODEL2VEC:
        from . import model2vec

        return model2vec.load(model2vec.place(model_path))
    if name == AUTO:
        return static_adapter(verified) or hash_adapter("the table of the package is not installed", DEGRADED)
    raise UsageError(f"there is no embedding adapter {name!r}", f"one of: {' '.join(ADAPTERS)}")


def verify(path: str = "") -> Adapter:
    """The adapter of an asset (default: what `auto` takes), every byte of it checked."""
    return adapter(MODEL2VEC, path) if path else adapter(AUTO)
