"""Which Ed25519 public keys are no keys: points of small order, and points that are none.

Knows the curve's equation and how points are doubled (RFC 8032, 5.1.4). Under a key of
small order one signature fits many messages, so such a key vouches for nothing.
Knows nothing of secrets: everything here is public, and slow.
"""

from __future__ import annotations

from functools import lru_cache

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)  # of -1
_SIGN = 1 << 255


@lru_cache(maxsize=256)
def is_weak(raw: bytes) -> bool:
    """Whether 32 bytes are no usable public key: no point, not its canonical form, or of order 1, 2, 4 or 8."""
    point = _decode(raw)
    if point is None:
        return True
    for _ in range(3):
        point = _double(point)
    x, y, z = point
    return x == 0 and y == z


def _decode(raw: bytes) -> tuple[int, int, int] | None:
    number = int.from_bytes(raw, "little")
    y, sign = number & (_SIGN - 1), number >> 255
    if len(raw) != 32 or y >= _P:
        return None
    # x² = (y² − 1) / (d·y² + 1)
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT % _P
    if x * x % _P != square or (x == 0 and sign):
        return None
    return (_P - x if x & 1 != sign else x), y, 1


def _double(point: tuple[int, int, int]) -> tuple[int, int, int]:
    """2·point in projective coordinates."""
    x, y, z = point
    b, c, d = (x + y) ** 2 % _P, x * x % _P, y * y % _P
    f = d - c
    j = f - 2 * z * z
    return (b - c - d) * j % _P, f * (-c - d) % _P, f * j % _P
