"""Association statistics and the DuoRanker (Eq. 4–10), on plain numbers.

Knows the formulas and their one rounding each. Knows nothing of where weights
and neighbours are kept. All values are in millionths.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from math import isqrt

from .numbers import rounded
from .parameters import NEIGHBOUR_CAP, ONE, Blend


def association(weights: Iterable[int], hub: bool = False) -> tuple[int, int]:
    """Eq. 4 as (exact sum, count) over the heaviest incident edges; a hub has no cap."""
    kept = list(weights) if hub else nlargest(NEIGHBOUR_CAP, weights)
    return sum(kept), len(kept)


def mean(total: int, count: int) -> int:
    """A(v) of a node that has edges."""
    return rounded(total, count)


def statistics(nodes: int, connected: int, sum_a: int, sum_a2: int) -> tuple[int, int]:
    """(μ, σ): nodes without edges stand at μ, so they count in σ's population only."""
    if not connected:
        return 0, 0
    spread = connected * sum_a2 - sum_a * sum_a
    return rounded(sum_a, connected), isqrt(spread // (connected * nodes))


def delta(a: int, mu: int, sigma: int) -> int:
    """Eq. 5: δ = (A − μ) / σ; 0 when σ = 0."""
    return rounded((a - mu) * ONE, sigma) if sigma else 0


def blended(priority: int, delta_v: int, blend: Blend) -> int:
    """Eq. 6: P′ = P + α · δ."""
    return priority + rounded(blend.alpha * delta_v, ONE)


def edge_rank(weight: int, shared: int, union: int, via: int, blend: Blend) -> int:
    """Eq. 7–9: R = w·(γ + (1 − γ)·shared/union) + β·λ·via.

    `via` is Σ_x w(u,x)·w(x,v) in 1e-12 (0 for `belongs_to`).
    """
    direct = weight * (blend.gamma * union + (ONE - blend.gamma) * shared) * ONE**2
    inferred = blend.beta * blend.decay * via * union
    return rounded(direct + inferred, union * ONE**3)


def normalised(rank: int, greatest: int) -> int:
    """Eq. 10: R̂ = R / max R."""
    return rounded(rank * ONE, greatest) if greatest else 0
