"""Configurations of the pre-commit framework: the files that hooks are run for, or not, and read.

Knows that `files` and `exclude` are regular expressions, often lists of names in disguise, and spells
the names out. What stands for any word (`.*`, `\\w`) is no name; scripts that hooks run are found as in
any configuration.
"""

from __future__ import annotations

import re
from itertools import islice

from .source import Findings, Source

_IS_ONE = re.compile(rb"^repos[ \t]*+:", re.MULTILINE)
_EXPRESSION = re.compile(
    rb"^([ \t]*+)(?:-[ \t]++)?(?:files|exclude)[ \t]*+:([^\n]*+(?:\n(?:\1[ \t]++[^\n]*+|[ \t]*+(?=\n|\Z)))*)",
    re.MULTILINE,
)
_SCALAR = re.compile(r"\s*[|>][+-]?\s*|\s*[\"']?")
_DOTFILE = re.compile(rb"(?<![\w./*\\$-])\.[A-Za-z][\w-]{1,60}(?![\w./*?\\-])")
_GROUP = re.compile(r"\?(?:[imsux]*:|[imsux]+(?=\))|P<\w+>|(?P<look>[=!<]))")
_MANY = re.compile(r"[*+]\??|\{[\d,]*\}\??")
_CLASS = re.compile(r"\[((?:[\w.-]|\\[^\w\s]){1,40})\]")
_RANGE = re.compile(r"([0-9])-([0-9])|([a-z])-([a-z])")
_MOST = 100  # names that one expression stands for, …
_DEEPEST = 10  # … groups in each other, …
_LONGEST = 10_000  # … and characters
_LONGEST_NAME = 255  # that a path may have


def refer(source: Source, text: bytes, found: Findings) -> None:
    """Note the files that hooks are told of; `text` is one without comments."""
    if b"hooks:" not in text or not _IS_ONE.search(text):
        return
    for match in _EXPRESSION.finditer(text):
        for name in spelled(match[2].decode("utf-8", "replace")):
            if "." in name or "/" in name:
                found.refer("file", f"/{name}", "", source.line(match.start(2)))
    for match in islice(_DOTFILE.finditer(text), _MOST):
        found.refer("file", f"/{match[0].decode()}", "", source.line(match.start()))


def spelled(value: str) -> list[str]:
    """The names that a regular expression in YAML stands for, those of alternatives that stand for many left out."""
    if len(value) > _LONGEST:
        return []
    expression = re.sub(r"\s+", "", _SCALAR.sub("", value, count=1)).rstrip("\"'")
    return list(dict.fromkeys(_alternatives(expression, 0, 0)[0]))


def _alternatives(text: str, place: int, depth: int) -> tuple[list[str], int]:
    """What stands between bars, to the end of the group; and where that is."""
    found: list[str] = []
    while True:
        row, place = _sequence(text, place, depth)
        found += row[: _MOST - len(found)]
        if text[place : place + 1] != "|":
            return found, place
        place += 1


def _sequence(text: str, place: int, depth: int) -> tuple[list[str], int]:
    row = [""]
    while place < len(text) and text[place] not in "|)":
        part, place = _atom(text, place, depth)
        if many := _MANY.match(text, place):
            part, place = [], many.end()
        elif text[place : place + 1] == "?":
            part, place = [*part, ""], place + 1
        longer = (one + other for one in row for other in part)
        row = list(islice((name for name in longer if len(name) <= _LONGEST_NAME), _MOST))
    return row, place


def _atom(text: str, place: int, depth: int) -> tuple[list[str], int]:
    """What one letter, class or group stands for, nothing when that is much; and where it ends."""
    letter = text[place]
    if letter == "(":
        if depth == _DEEPEST:
            return [], len(text)
        kind = _GROUP.match(text, place + 1)
        inner, place = _alternatives(text, kind.end() if kind else place + 1, depth + 1)
        return ([] if kind and kind["look"] else inner), place + 1
    if letter == "[":
        known = _CLASS.match(text, place)
        if known is None:
            return [], max(text.find("]", place + 2) + 1, place + 1)
        return list(_RANGE.sub(_between, known[1]).replace("\\", "")), known.end()
    if letter == "\\":
        following = text[place + 1 : place + 2]
        return ([] if following.isalnum() else [following]), place + 2
    return ([""] if letter in "^$" else [letter]), place + 1


def _between(match: re.Match[str]) -> str:
    """The letters of a range."""
    first, last = (each for each in match.groups() if each)
    return "".join(map(chr, range(ord(first), ord(last) + 1)))
