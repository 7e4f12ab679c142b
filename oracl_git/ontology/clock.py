"""What time it is, as the store writes it: UTC to the second, sortable as text.

Knows ISO 8601. Everything that expires compares these strings.
"""

from __future__ import annotations

import re
import time

from ..errors import UsageError

NEVER = "9999-12-31T23:59:59Z"
_FORM = "%Y-%m-%dT%H:%M:%SZ"
_GIVEN = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)Z?)?")
_SPAN = re.compile(r"(\d{1,6})\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def now() -> str:
    """The time."""
    return time.strftime(_FORM, time.gmtime())


def after(seconds: float) -> str:
    """The time so many seconds from now."""
    return time.strftime(_FORM, time.gmtime(time.time() + seconds))


def given(text: str) -> str:
    """A time a person wrote: 2027-03-01, 2027-03-01T12:00Z, or a span from now: 30d, 12h."""
    if not text:
        return NEVER
    if match := _SPAN.fullmatch(text):
        return after(int(match[1]) * _SECONDS[match[2]])
    if match := _GIVEN.fullmatch(text):
        clock = match[2] or "00:00:00"
        try:
            return time.strftime(
                _FORM, time.strptime(f"{match[1]}T{clock if len(clock) > 5 else clock + ':00'}Z", _FORM)
            )
        except ValueError:
            pass
    raise UsageError(f"{text[:40]!r} is not a time", "write 2027-03-01, 2027-03-01T12:00Z, or 30d")
