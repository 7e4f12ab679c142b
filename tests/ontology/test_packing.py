"""Where things stand on the map: none over another, each within its directory, the same each time."""

from __future__ import annotations

import math
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.ontology.packing import Circle, enclosing, pack, packed

RADII = st.lists(st.integers(1, 60).map(float), min_size=1, max_size=60)
NAMES = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map(tuple), min_size=1, max_size=40)


def apart(circles: list[Circle]) -> bool:
    return all(math.hypot(a.x - b.x, a.y - b.y) > a.r + b.r - 1e-3 for a, b in combinations(circles, 2))


def within(inner: Circle, outer: Circle) -> bool:
    return math.hypot(inner.x - outer.x, inner.y - outer.y) + inner.r < outer.r + 1e-3


@given(RADII)
@settings(deadline=None)
def test_none_lies_over_another_and_they_lie_close(radii: list[float]) -> None:
    circles = pack(sorted(radii, reverse=True))
    assert [circle.r for circle in circles] == sorted(radii, reverse=True) and apart(circles)
    around = enclosing(circles)
    assert all(within(circle, around) for circle in circles)
    if len(radii) > 20 and max(radii) < 2 * min(radii):
        assert sum(radius**2 for radius in radii) > 0.5 * around.r**2


@given(NAMES)
@settings(deadline=None)
def test_each_lies_within_its_directories(names: list[tuple[str, ...]]) -> None:
    spots, regions = packed(names, [4.0 + len(name) for name in names])
    assert apart(spots) and packed(names, [4.0 + len(name) for name in names]) == (spots, regions)
    for region in regions:
        for name, spot in zip(names, spots, strict=True):
            holds = name[: len(region.name)] == region.name and len(name) > len(region.name)
            assert within(spot, region.circle) if holds else apart([spot, region.circle])
    folders = {name[:end] for name in names for end in range(1, len(name))}
    several = {f for f in folders if len([n for n in names if n[:-1] == f]) + len({n for n in folders if n[:-1] == f}) > 1}
    assert {region.name for region in regions} == several


def test_directories_of_any_depth_are_packed() -> None:
    spots, regions = packed([("x",) * 2_000 + ("a",), ("x",) * 2_000 + ("b",)], [4.0, 4.0])
    assert apart(spots) and [len(region.name) for region in regions] == [2_000]
