"""Text → 256 small whole numbers: the sum of its words' rows, scaled to one length.

Knows word pieces and exact arithmetic: whole numbers only, so that every
machine makes the same bytes of the same text. Knows no files and no databases.

A row is 256 int8 with a whole-number scale. The rows of a word are kept as one
Python integer of 256 lanes of 32 bits (each value lifted by 128 so that no lane
is negative): adding a word to a text is then one multiplication and one
addition, which makes plain Python as quick as it has to be.
"""

from __future__ import annotations

import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from math import isqrt
from operator import mul
from typing import Protocol

DIMENSIONS = 256
LENGTH = 400  # Euclidean length of a vector, about: a dot product is then LENGTH² · cosine
UNIT = 1 << 12
_LIFT = 128
_LANE = 4  # bytes
_FULL = (1 << 32) // 256  # the sum of scales at which a lane could overflow
_LETTERS = 48  # a longer word says nothing
MANY, FEW = 1 << 15, 1 << 11  # words to keep, a kilobyte and a bit each: for a pass over everything, in a server
_LIFTED = bytes((value + _LIFT) % 256 for value in range(256))


class Rows(Protocol):
    """What the encoder reads: bytes, or a mapped file."""

    def __getitem__(self, place: slice, /) -> bytes: ...


class Encoder:
    """Encodes texts with one table. Not for use by two threads at once."""

    def __init__(self, vocabulary: Sequence[str], rows: Rows, scales: Sequence[float], keep: int = MANY) -> None:
        """`vocabulary` sorted by code point; `rows` 256 int8 a word; `scales` whole multiples of 1/UNIT below 1.

        `keep`: words whose sums are remembered.
        """
        self._keep = keep
        self._vocabulary, self._rows, self._scales = vocabulary, rows, scales
        self._memo: dict[str, tuple[int, int]] = {}

    def pieces(self, word: str) -> list[int]:
        """The rows of a lower-case word: its longest known beginning, then the rest ("##…") likewise.

        A word of which some piece is unknown has none.
        """
        if not word.isascii():
            bare = "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")
            word = unicodedata.normalize("NFC", bare)
        if len(word) > _LETTERS:
            return []
        found, start, mark = [], 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                row = self._find(mark + word[start:end])
                if row is not None:
                    found.append(row)
                    break
            else:
                return []
            start, mark = end, "##"
        return found

    def _find(self, piece: str) -> int | None:
        place = bisect_left(self._vocabulary, piece)
        return place if place < len(self._vocabulary) and self._vocabulary[place] == piece else None

    def _lanes(self, word: str) -> tuple[int, int]:
        """(the lifted rows of a word added up in lanes, the sum of their scales)."""
        lanes = weight = 0
        spread = bytearray(DIMENSIONS * _LANE)
        for row in self.pieces(word):
            scale = int(self._scales[row] * UNIT)
            spread[::_LANE] = self._rows[row * DIMENSIONS : (row + 1) * DIMENSIONS].translate(_LIFTED)
            lanes += int.from_bytes(spread, "little") * scale
            weight += scale
        if len(self._memo) >= self._keep:
            self._memo.clear()
        self._memo[word] = lanes, weight
        return lanes, weight

    def encode(self, text: str) -> bytes:
        """256 int8 of a text of split words (`extract.split_identifiers`); b"" when it says nothing.

        value_d = ⌊LENGTH · s_d / ‖s‖ + ½⌋ with s = Σ_words count · Σ_pieces scale · row.
        """
        lanes = weight = 0
        memo = self._memo
        for word, count in Counter(text.lower().replace("_", " ").split()).items():
            known = memo.get(word)
            more, heavy = self._lanes(word) if known is None else known
            heavy *= count
            if weight + heavy < _FULL:
                lanes += more * count
                weight += heavy
        return _scaled(lanes, weight)


def together(codes: Sequence[bytes]) -> bytes:
    """What several texts say, of the vectors of each: their sum, in any order, scaled to one length; b"" of none."""
    lanes = 0
    spread = bytearray(DIMENSIONS * _LANE)
    for code in codes:
        spread[::_LANE] = code.translate(_LIFTED)
        lanes += int.from_bytes(spread, "little")
    return _scaled(lanes, len(codes))


def dots(query: bytes, codes: Sequence[bytes]) -> list[int]:
    """The dot product of one vector with each of some others, dimension by dimension over all of them at once."""
    together = b"".join(codes).translate(_LIFTED)
    spread = bytearray(len(codes) * _LANE)
    more = less = 0
    for dimension, value in enumerate(array("b", query)):
        if value:
            spread[::_LANE] = together[dimension::DIMENSIONS]
            lanes = int.from_bytes(spread, "little") * abs(value)
            if value > 0:
                more += lanes
            else:
                less += lanes
    lift = _LIFT * sum(array("b", query))
    return [a - b - lift for a, b in zip(_unpacked(more, len(codes)), _unpacked(less, len(codes)), strict=True)]


def _unpacked(lanes: int, count: int) -> array[int]:
    values = array("I", lanes.to_bytes(count * _LANE, "little"))
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _scaled(lanes: int, weight: int) -> bytes:
    lift = _LIFT * weight
    sums = [value - lift for value in _unpacked(lanes, DIMENSIONS)]
    length = isqrt(sum(map(mul, sums, sums)))
    if not length:
        return b""
    twice = 2 * length
    scaled = [(2 * LENGTH * value + length) // twice for value in sums]
    if max(scaled) > 127 or min(scaled) < -127:
        scaled = [max(-127, min(127, value)) for value in scaled]
    return array("b", scaled).tobytes()
