"""Planes against the plain count of differing signs."""

from __future__ import annotations

import random
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.embedding import DIMENSIONS, sketch


def codes(seed: int, count: int) -> list[bytes]:
    chance = random.Random(seed)
    return [array("b", [chance.randint(-60, 60) for _ in range(DIMENSIONS)]).tobytes() for _ in range(count)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 9), st.lists(st.integers(1, 70), min_size=1, max_size=4))
def test_appended_at_once_or_by_and_by(seed: int, sizes: list[int]) -> None:
    vectors = codes(seed, sum(sizes))
    whole = sketch.append(b"", 0, b"".join(vectors))
    planes, used = b"", 0
    for size in sizes:
        planes = sketch.append(planes, used, b"".join(vectors[used : used + size]))
        used += size
    assert planes == whole
    for place, vector in enumerate(vectors):
        for dimension, value in enumerate(array("b", vector)):
            byte = whole[dimension * sketch.PLANE + place // 8]
            assert bool(byte >> place % 8 & 1) == (value > 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 99), st.integers(1, 300), st.integers(1, 60), st.data())
def test_the_nearest_are_those_that_differ_least(seed: int, size: int, count: int, data: st.DataObject) -> None:
    vectors = codes(seed, size)
    query = codes(seed + 1_000, 1)[0]
    planes = sketch.append(b"", 0, b"".join(vectors))
    gone = data.draw(st.sets(st.integers(0, size - 1), max_size=size - 1))
    live = sum(1 << place for place in range(size) if place not in gone)

    def plane(dimension: int) -> int:
        return int.from_bytes(planes[dimension * sketch.PLANE : (dimension + 1) * sketch.PLANE], "little")

    values = array("b", query)
    mean = sum(map(abs, values)) / DIMENSIONS
    weights = [sum(abs(value) >= grade * mean for grade in sketch.GRADES) for value in values]
    differ = {
        place: sum(
            w for w, v, q in zip(weights, array("b", vectors[place]), values, strict=True) if (v > 0) != (q >= 0)
        )
        for place in range(size)
        if place not in gone
    }
    order = sorted(differ.values())
    if count >= len(order):
        expected = set(differ)
    else:
        limit = order[count]  # those that tie with the first that is out are out
        expected = {place for place, value in differ.items() if value < limit}
        expected = expected or {place for place, value in differ.items() if value == order[0]}
    assert sketch.nearest(plane, live, query, count) == sorted(expected)
