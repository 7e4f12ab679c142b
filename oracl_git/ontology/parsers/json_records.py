"""JSON, and JSON lines: one section for each object or list of plain values, with its path.

Knows values, not meanings: {"a": {"b": 1}} is "b: 1" at $.a.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from .model import About, Limits, Refused, Section
from .plain import decode

_NAME = re.compile(r"[^\W\d]\w*")


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The records of a file; in one of JSON lines, each line is an item of a list."""
    source = decode(stream, about)
    if about.suffix == ".json":
        yield from _records(_value(source, 1), "$")
        return
    for number, line in enumerate(source.split("\n"), 1):
        if line.strip():
            yield from _records(_value(line, number), f"$[{number - 1}]")


def _value(source: str, line: int) -> Any:
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        raise Refused("malformed", f"the JSON is broken in {place}: {error.msg}") from error
    except RecursionError as error:
        raise Refused("malformed", "the JSON is nested too deeply") from error
    except ValueError as error:  # a number of more digits than Python converts
        raise Refused("malformed", f"the JSON cannot be read: {error}") from error


def _records(value: Any, path: str) -> Iterator[Section]:
    """What is plain in a value as one section, then what is nested in it."""
    if not isinstance(value, (dict, list)):
        yield Section("row", _plain(value), 0, path)
        return
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    nested = []
    lines = []
    for key, one in pairs:
        if isinstance(one, (dict, list)) and one:
            nested.append((key, one))
        elif isinstance(value, dict):
            lines.append(f"{key}: {_plain(one)}")
        else:
            lines.append(_plain(one))
    if lines:
        yield Section("row", ", ".join(lines) if isinstance(value, list) else "\n".join(lines), 0, path)
    for key, one in nested:
        yield from _records(one, path + _step(key))


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if _NAME.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
