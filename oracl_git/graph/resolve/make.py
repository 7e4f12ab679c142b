"""Makefiles: the one an `include` names, by the variables that other makefiles set.

Knows that names start where make is run, which is some directory above, and
that a variable nobody sets stands for any word. Runs nothing.
"""

from __future__ import annotations

import re
from itertools import islice, product
from posixpath import normpath

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, Target, above, exact, inside, likely, spread
from .packages import nearest_of

_VARIABLE = re.compile(r"\$[({]([^(){}$\s]{1,80})[)}]")
_CALL = re.compile(r"\$[({][^(){}$]*[)}]")  # a function, or what nobody sets
_STEPS = 6  # variables in each other
_MOST = 16  # names that one may stand for, and …
_LONGEST = 1_000  # … characters of each
_LITERAL = re.compile(r"[\w+-]")


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The makefiles that may be meant: the one there is, or those among which a variable chooses."""
    target = reference.target
    words = _expanded(names, source, target)
    for word in words:
        found = _at(names, source, word, target)
        if found:
            return found
    for word in (target, *words):
        known = re.sub(r".*[)}*]/?", "", word)
        if "/" in known:
            return likely(names.named(normpath(known.strip("/"))))
    tail = re.sub(r".*[)}]/?", "", target)
    place = inside(source.rpartition("/")[0], tail) if tail else None
    return exact(place) if place and place != source and names.exists(place) else EXTERNAL


def _at(names: Names, source: str, word: str, target: str) -> Resolution | None:
    """What a name leads to from a directory above; without the variable at its head, that is the top or near it.

    All that a pattern takes in is included; what a variable stands for is one of them.
    """
    written = word == target
    if not written:
        word = re.sub(r"^\*/?(?=\w)", "", word)
        stem = word.rpartition("/")[2].rpartition(".")[0]
        if word.startswith("*") or "//" in word or ("*" in word and not _LITERAL.search(stem)):
            return None
    for directory in above(source):
        place = inside(directory, word)
        if place is None or place == source:
            continue
        if "*" not in place:
            if names.exists(place):
                return exact(place)
        elif found := [path for path in spread(names, place) if path != source]:
            if written:
                return exact(*found)
            return Resolution(tuple(Target(path, "", (1, len(found))) for path in found), "ambiguous")
    return None


def _expanded(names: Names, source: str, target: str) -> list[str]:
    """The names a word may stand for: each variable by what is set nearest, or by any word."""
    words = [target]
    for _ in range(_STEPS):
        further: dict[str, None] = {}
        for word in words:
            known = {name: _values(names, source, name) for name in dict.fromkeys(_VARIABLE.findall(word))}
            for row in islice(product(*known.values()), _MOST):
                each = word
                for name, value in zip(known, row, strict=True):
                    each = each.replace(f"$({name})", value).replace(f"${{{name}}}", value)[:_LONGEST]
                further[each] = None
        if list(further) == words:
            break
        words = list(further)[:_MOST]
    for _ in range(_STEPS):
        words = [_CALL.sub("*", word) for word in words]
    return [re.sub(r"\*+", "*", word) for word in words if "$" not in word]


def _values(names: Names, source: str, name: str) -> list[str]:
    """What the nearest makefiles that set a variable set it to, by another than itself; NAME_x may be set as NAME_*."""
    for asked in dict.fromkeys((name, re.sub(r"(?<=_)[^_]+$", "*", name))):
        said: dict[str, list[str]] = {}
        for path in names.declaring("make sets", asked) or ():
            values = names.declared(path, f"make set {asked}") if path != source else ()
            if others := [each for each in values if asked not in _VARIABLE.sub("*", each) and name not in each]:
                said[path] = others
        if said:
            return list(dict.fromkeys(each for path in nearest_of(source, said) for each in said[path]))
    return ["*"]
