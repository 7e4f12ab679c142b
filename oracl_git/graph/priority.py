"""Priority (Eq. 2): the stored inputs S and m of a node, and P when it is read.

Knows the twelve buckets. `S` leaves out connectivity, which depends on the
whole graph: it is added when P is computed. All values are in millionths.
"""

from __future__ import annotations

import re
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from . import parameters
from .numbers import rounded
from .parameters import BUCKET_WEIGHTS, ONE

if TYPE_CHECKING:  # a priority is asked for far from what reads files
    from ..extract.facts import Facts
    from .governance import Governance

_WORD = re.compile(r"[a-z]+")


class Standing(NamedTuple):
    """What incoming edges and neighbouring paths say of a node."""

    verified: bool = False  # a `tests` edge reaches it
    governed: bool = False  # a `governs` edge reaches it
    provided: bool = False  # a manifest names it as an entry point
    package_root: bool = False  # __init__.py whose parent directory is no package


def risk_score(path: str, facts: Facts) -> int:
    """0..100: an additive, capped rule table over AST facts and path words."""
    score = 0
    for rule, count in facts.risk:
        first, further, cap = parameters.RISK_RULES.get(rule, (0, 0, 0))
        score += min(cap, first + further * (count - 1)) if count else 0
    words = parameters.RISK_PATH_WORDS.keys() & _WORD.findall(path.lower())
    score += min(parameters.RISK_PATH_CAP, sum(parameters.RISK_PATH_WORDS[word] for word in words))
    return min(100, score)


def contributions(
    path: str, tags: dict[str, str], facts: Facts, governance: Governance, standing: Standing
) -> dict[str, tuple[int, int]]:
    """Bucket → c_b as an exact fraction in [0, 1]; connectivity is left out."""
    override = governance.overridden(path)
    name = path.rpartition("/")[2]
    entry = (
        standing.provided
        or standing.package_root
        or facts.entry_point
        or name == "__main__.py"
        or name in parameters.BUILD_ROOTS
    )
    if facts.public:
        documentation = (min(facts.documented, facts.public), facts.public)
    else:
        documentation = (1 if facts.headings and facts.language in ("markdown", "rst", "text") else 0, 1)
    return {
        "security": (risk_score(path, facts), 100),
        "usage": (min(100, int(override.get("usage", 0))), 100),
        "efficiency": (min(1000, int(override.get("estimated_savings", 0))), 1000),
        "lifecycle": (2 if tags["lifecycle"] == "active" else 1, 2),
        "documentation": documentation,
        "verification": (int(standing.verified), 1),
        "ownership": (int(governance.owned(path)), 1),
        "governance": (int(standing.governed), 1),
        "entry_point": (int(entry), 1),
        "api_surface": (min(parameters.API_SURFACE, facts.public), parameters.API_SURFACE),
        "review": (2 if override.get("review") == "approved" else 1, 2),
    }


def weighed(terms: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """Σ w_b · c_b without connectivity, as an exact fraction."""
    common = lcm(*(d for _, d in terms.values()))
    return sum(BUCKET_WEIGHTS[bucket] * n * (common // d) for bucket, (n, d) in terms.items() if n), common


def stood(total: tuple[int, int], standing: Standing, entry: bool) -> tuple[int, int]:
    """What was weighed without incoming edges, with what they say; `entry`: it was an entry point already."""
    said = BUCKET_WEIGHTS["verification"] * standing.verified + BUCKET_WEIGHTS["governance"] * standing.governed
    said += BUCKET_WEIGHTS["entry_point"] * (standing.provided and not entry)
    numerator, common = total
    return numerator + said * common, common


def uncapped(total: tuple[int, int]) -> int:
    """S, rounded once."""
    return rounded(*total)


def multiplier(tags: dict[str, str]) -> int:
    """m = m_cls · m_sens."""
    classification = parameters.CLASSIFICATION.get(tags["classification"], ONE)
    return rounded(classification * parameters.SENSITIVITY.get(tags.get("sensitivity", "low"), ONE), ONE)


def priority(s: int, m: int, degree: int, nodes: int) -> int:
    """P(a) = min(2, m · (S + w_connectivity · min(1, deg / (n − 1))))."""
    others = max(1, nodes - 1)
    connectivity = min(degree, others)
    numerator = m * (s * others + BUCKET_WEIGHTS["connectivity"] * connectivity)
    return min(parameters.PRIORITY_CAP, rounded(numerator, others * ONE))
