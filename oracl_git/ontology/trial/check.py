"""What a step tells.

Knows plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..runtime import Runtime


class Check(NamedTuple):
    """One promise, and what was seen. `ok` is None for what was not tried; `line`: of the list it belongs to."""

    name: str
    ok: bool | None
    text: str
    line: str = ""


Step = Callable[[Runtime], Iterator[Check]]


def many(count: int, what: str) -> str:
    """Three passages, one passage."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
