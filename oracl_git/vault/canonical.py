"""One way to write a JSON value, and reading that accepts no other.

Knows sorted keys, compact separators, ASCII, integers; refuses floats, NaN,
duplicate keys and anything too long or too deep before it is looked at. So equal
values are equal bytes, and a changed byte is a changed value or an error.
Knows nothing of what a value means.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any, NoReturn

from ..errors import Unverified

ENVELOPE_LIMIT = 1 << 16  # bytes; ours are about 4,000
_LONGEST_NUMBER = 40  # digits


class NotCanonical(ValueError):
    """Why a text is not the canonical form of anything."""


def dumps(value: object) -> bytes:
    """The canonical bytes of a value."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True, allow_nan=False).encode("ascii")


def loads(data: bytes) -> Any:
    """The value of canonical bytes. Raises NotCanonical."""
    try:
        text = data.decode("ascii")
        value = json.loads(text, object_pairs_hook=_once, parse_float=_float, parse_constant=_float, parse_int=_integer)
        again = dumps(value)
    except NotCanonical:
        raise
    except RecursionError:
        raise NotCanonical("it is nested too deeply") from None
    except ValueError as error:
        raise NotCanonical(f"it is no ASCII JSON ({str(error)[:80]})") from None
    if again != data:
        raise NotCanonical("it is not in canonical form")
    return value


def read(data: bytes, what: str, limit: int = ENVELOPE_LIMIT) -> Any:
    """`loads`, where anything else means that someone changed it."""
    if len(data) > limit:
        raise Unverified(Unverified.TAMPERED, f"{what} is {len(data):,} bytes long; none of ours exceeds {limit:,}")
    try:
        return loads(data)
    except NotCanonical as error:
        raise Unverified(Unverified.TAMPERED, f"{what} was changed: {error}") from None


def to_base64(data: bytes) -> str:
    """Base64 with padding, on one line."""
    return b64encode(data).decode("ascii")


def from_base64(text: str) -> bytes:
    """The bytes of exactly that form. Raises NotCanonical."""
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise NotCanonical("it holds no base64") from None
    if to_base64(data) != text:
        raise NotCanonical("its base64 is not in canonical form")
    return data


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotCanonical("a key stands twice in it")
    return found


def _float(text: str) -> NoReturn:
    raise NotCanonical(f"the number {text[:20]} is no integer")


def _integer(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise NotCanonical("a number has too many digits")
    return int(text)
