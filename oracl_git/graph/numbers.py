"""Exact arithmetic in millionths: the only rounding rule there is.

Knows half-to-even division of integers. Knows nothing of graphs.
"""

from __future__ import annotations


def rounded(numerator: int, denominator: int) -> int:
    """`numerator / denominator` rounded half to even; the denominator is positive."""
    quotient, rest = divmod(numerator, denominator)
    twice = 2 * rest
    if twice > denominator or (twice == denominator and quotient & 1):
        quotient += 1
    return quotient
