"""Documents of data that people write, TOML and JSON: parsed within bounds, asked for what may not be there.

Knows nothing of what a key means: a value of another kind than is asked for is none.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

from .source import Source

_LONGEST = 1 << 18  # bytes; no manifest that somebody wrote is larger


def toml(source: Source) -> dict[str, Any]:
    """A TOML document; empty when it is broken or too long."""
    try:
        return tomllib.loads(source.text.decode("utf-8", "replace")) if len(source.text) <= _LONGEST else {}
    except (ValueError, RecursionError):  # then it is as good as any text
        return {}


def json_table(text: bytes) -> dict[str, Any]:
    """A JSON document that is a table; empty when it is broken, too long, or something else."""
    try:
        return table(json.loads(text)) if len(text) <= _LONGEST else {}
    except (ValueError, RecursionError):
        return {}


def json_rows(text: bytes) -> list[dict[str, Any]]:
    """The tables of a JSON document that is a list of them, which a program may have written; empty when it is none."""
    try:
        return tables(json.loads(text))
    except (ValueError, RecursionError):
        return []


def table(data: object, *keys: str) -> dict[str, Any]:
    """The table at the end of some keys."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def items(value: object) -> list[Any]:
    """A list, as it is."""
    return value if isinstance(value, list) else []


def tables(value: object) -> list[dict[str, Any]]:
    """The tables of a list."""
    return [row for row in items(value) if isinstance(row, dict)]


def texts(value: object) -> list[str]:
    """A text, or the texts of a list."""
    return [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, str)]


def line_of(source: Source, *spellings: str, start: int = 0) -> int:
    """The line of the first spelling that is found (one may begin with a line end); 1 when none is."""
    for spelling in spellings:
        offset = source.text.find(spelling.encode("utf-8", "replace"), max(start, 0))
        if offset >= 0:
            return source.line(offset + spelling.startswith("\n"))
    return source.line(0)
