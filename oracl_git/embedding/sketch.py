"""Sketches: the sign of each of 256 values, kept plane by plane and compared all at once.

Knows a block of vectors as 256 planes, one a dimension, one bit a vector, and
how to count over whole planes which vectors differ least from a question: an
adder made of AND, OR and XOR on Python's long integers works on every vector
at once. Knows no files and no databases.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from .encoder import DIMENSIONS

BLOCK = 4096  # vectors of a block
PLANE = BLOCK // 8  # bytes of one plane of a block
_SIGN = bytes(ord("1") if 0 < value < 128 else ord("0") for value in range(256))  # of an int8
GRADES = (0.8, 1.3, 1.8)  # a question's value, as a share of its mean size, from which it weighs 1, 2, 3


def append(planes: bytes, used: int, codes: bytes) -> bytes:
    """The planes of a block with some more vectors (256 int8 each) behind the `used` it has."""
    parts = []
    for dimension in range(DIMENSIONS):
        signs = codes[dimension::DIMENSIONS][::-1].translate(_SIGN)  # the last vector is the highest bit
        plane = int(signs, 2) << used
        if used:
            plane |= int.from_bytes(planes[dimension * PLANE : (dimension + 1) * PLANE], "little")
        parts.append(plane.to_bytes(PLANE, "little"))
    return b"".join(parts)


def nearest(plane: Callable[[int], int], live: int, query: bytes, count: int) -> list[int]:
    """The places of about `count` vectors whose signs differ least from the question's.

    `plane(d)` is the plane of dimension d over all blocks, `live` the places that
    are taken. Where a dimension of the question is large, a difference there
    counts up to three times, where it is small, not at all. Of vectors that
    differ equally much all are in, or none, so that places decide nothing.
    """
    values = [value - 256 if value > 127 else value for value in query]
    mean = sum(map(abs, values)) / len(values) or 1.0
    least = [grade * mean for grade in GRADES]
    levels: list[list[int]] = []
    for dimension, value in enumerate(values):
        weight = bisect_right(least, abs(value))
        if weight:
            differs = plane(dimension) if value < 0 else live & ~plane(dimension)
            for level in range(2):
                if weight >> level & 1:
                    _add(levels, level, differs)
    return list(_places(_least(_sum(levels), live, count)))


def _add(levels: list[list[int]], level: int, value: int) -> None:
    """Put a plane of weight 2^level in; three of a level become one, and one of the next."""
    while True:
        while len(levels) <= level:
            levels.append([])
        row = levels[level]
        row.append(value)
        if len(row) < 3:
            return
        a, b, c = row
        either = a ^ b
        row[:] = [either ^ c]
        value = (a & b) | (either & c)
        level += 1


def _sum(levels: list[list[int]]) -> list[int]:
    """One plane a level, lowest first."""
    total = []
    carry = 0
    for row in levels:
        a, b = (*row, 0, 0)[:2]
        either = a ^ b
        total.append(either ^ carry)
        carry = (a & b) | (either & carry)
    return [*total, carry]


def _least(planes: Sequence[int], live: int, count: int) -> int:
    """The places with the smallest sums, as many as fit into `count`; if those are none, the very smallest."""
    chosen, taken, open_ = 0, 0, live
    for plane in reversed(planes):
        low = open_ & ~plane
        size = low.bit_count()
        if taken + size <= count:
            chosen |= low
            taken += size
            open_ &= plane
        else:
            open_ = low
    return chosen or open_


def _places(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    text = bin(mask)[:1:-1]
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)
