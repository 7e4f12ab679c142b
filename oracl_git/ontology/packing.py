"""Where things stand on a map: circles inside circles, none over another.

Knows how named circles are packed into the directories of their names, and those into each other;
the same input gives the same map. Knows nothing of what the circles mean, and draws nothing.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

_GAP = 3.0  # between the things of one directory
_TURNS = 60  # steps towards the circle around others: it is then at most a few in a hundred too wide


class Circle(NamedTuple):
    """A place on the map."""

    x: float
    y: float
    r: float


class Region(NamedTuple):
    """A directory that holds more than one thing, and where it is."""

    name: tuple[str, ...]
    circle: Circle


def packed(names: Sequence[tuple[str, ...]], radii: Sequence[float]) -> tuple[list[Circle], list[Region]]:
    """The place of each thing, by the directory its name ends in; and the regions, the widest first."""
    inside: dict[tuple[str, ...], list[tuple[float, tuple[str, ...], int]]] = {(): []}
    for number, (name, radius) in enumerate(zip(names, radii, strict=True)):
        inside.setdefault(name[:-1], []).append((-radius, name, number))
    folders = set(inside)
    for name in list(folders):  # every directory above one
        while name and (name := name[:-1]) not in folders:
            folders.add(name)
    below: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    local: dict[tuple[str, ...], Circle] = {}  # of a directory, or a thing in it, as its directory sees it
    spots: list[Circle] = [Circle(0, 0, 0)] * len(names)
    for folder in sorted(folders, key=lambda name: (-len(name), name)):  # the innermost first
        held = [(-local[name].r, name, -1) for name in below.get(folder, ())] + inside.get(folder, [])
        held.sort()
        places = pack([-radius + _GAP / 2 for radius, *_ in held])
        around = enclosing(places)
        for (radius, name, number), place in zip(held, places, strict=True):
            spot = Circle(place.x - around.x, place.y - around.y, -radius)
            if number < 0:
                local[name] = spot
            else:
                spots[number] = spot
        # One that holds a single directory is as large as it: their names are shown as one.
        local[folder] = Circle(0, 0, -held[0][0] if len(held) == 1 else around.r + _GAP)
        if folder:
            below.setdefault(folder[:-1], []).append(folder)
    regions = []
    for folder in sorted(folders, key=lambda name: (len(name), name)):  # the outermost first
        if folder:
            outer, own = local[folder[:-1]], local[folder]
            local[folder] = Circle(outer.x + own.x, outer.y + own.y, own.r)
            if len(inside.get(folder, ())) + len(below.get(folder, ())) > 1:
                regions.append(Region(folder, local[folder]))
    for number, name in enumerate(names):
        outer, own = local[name[:-1]], spots[number]
        spots[number] = Circle(outer.x + own.x, outer.y + own.y, own.r)
    return spots, sorted(regions, key=lambda region: (-region.circle.r, region.name))


def pack(radii: Sequence[float]) -> list[Circle]:
    """Circles side by side around the origin, in the order given: each into the gap nearest to the middle.

    The front chain of Wang, Wang, Dai and Wang, "Visualization of large hierarchical data by circle packing" (2006).
    """
    placed = [Circle(0, 0, radius) for radius in radii]
    if len(radii) > 1:
        placed[0], placed[1] = Circle(-radii[1], 0, radii[0]), Circle(radii[0], 0, radii[1])
    if len(radii) < 3:
        return placed
    placed[2] = _touching(placed[1], placed[0], radii[2])
    after: dict[int, int] = {}  # the chain of those at the rim
    before: dict[int, int] = {}
    gaps: list[tuple[float, int, int]] = []  # of neighbours in it, the nearest to the middle first; and some of old

    def join(a: int, b: int) -> None:
        after[a], before[b] = b, a
        heapq.heappush(gaps, (_height(placed[a], placed[b]), a, b))

    for a, b in ((0, 1), (1, 2), (2, 0)):
        join(a, b)
    one, other = 0, 1  # the two that the next shall touch
    for number in range(3, len(radii)):
        while True:
            new = _touching(placed[one], placed[other], radii[number])
            behind, ahead = _in_the_way(placed, new, after, before, one, other)
            if (behind, ahead) == (one, other):
                break
            gone = after[behind]
            while gone != ahead:  # what lies between them is at the rim no more
                gone = after.pop(gone)
            join(behind, ahead)
            one, other = behind, ahead
        placed[number] = new
        join(one, number)
        join(number, other)
        while after.get(gaps[0][1]) != gaps[0][2]:
            heapq.heappop(gaps)
        _, one, other = gaps[0]
    return placed


def _in_the_way(
    placed: list[Circle], new: Circle, after: dict[int, int], before: dict[int, int], one: int, other: int
) -> tuple[int, int]:
    """The two that a circle would have to touch instead, as another at the rim stands in its way; or the same two."""
    ahead, behind = after[other], before[one]
    far_ahead, far_behind = placed[other].r, placed[one].r
    while True:
        if far_ahead <= far_behind:
            if _overlap(placed[ahead], new):
                return one, ahead
            far_ahead += placed[ahead].r
            ahead = after[ahead]
        else:
            if _overlap(placed[behind], new):
                return behind, other
            far_behind += placed[behind].r
            behind = before[behind]
        if ahead == after[behind]:
            return one, other


def _touching(a: Circle, b: Circle, radius: float) -> Circle:
    """The circle that touches two others, on the outer side of the chain from one to the other."""
    dx, dy = b.x - a.x, b.y - a.y
    between = dx * dx + dy * dy
    from_a, from_b = (a.r + radius) ** 2, (b.r + radius) ** 2
    if from_a < from_b:
        along = (between + from_a - from_b) / (2 * between)
        aside = math.sqrt(max(0.0, from_a / between - along * along))
        return Circle(a.x + along * dx + aside * dy, a.y + along * dy - aside * dx, radius)
    along = (between + from_b - from_a) / (2 * between)
    aside = math.sqrt(max(0.0, from_b / between - along * along))
    return Circle(b.x - along * dx + aside * dy, b.y - along * dy - aside * dx, radius)


def _overlap(a: Circle, b: Circle) -> bool:
    reach, dx, dy = a.r + b.r - 1e-6, b.x - a.x, b.y - a.y
    return reach > 0 and reach * reach > dx * dx + dy * dy


def _height(a: Circle, b: Circle) -> float:
    """How far from the middle the place between two circles is, squared."""
    x, y = (a.x * b.r + b.x * a.r) / (a.r + b.r), (a.y * b.r + b.y * a.r) / (a.r + b.r)
    return x * x + y * y


def enclosing(circles: Sequence[Circle]) -> Circle:
    """A circle around all of them, nearly the least: its middle steps towards the farthest, ever less."""
    if not circles:
        return Circle(0, 0, 0)
    x = (min(c.x - c.r for c in circles) + max(c.x + c.r for c in circles)) / 2
    y = (min(c.y - c.r for c in circles) + max(c.y + c.r for c in circles)) / 2
    best = Circle(x, y, math.inf)
    for turn in range(1, _TURNS):
        reach, far = max((math.hypot(c.x - x, c.y - y) + c.r, c) for c in circles)
        if reach < best.r:
            best = Circle(x, y, reach)
        x, y = x + (far.x - x) / (turn + 1), y + (far.y - y) / (turn + 1)
    return best
