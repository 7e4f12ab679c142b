"""Patterns keep to what every Python we run on matches alike.

Before 3.11.5 a possessive repeat of a group lost its place when the group referred to, or
held, a group that is captured, or was counted: such a pattern finds less there.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from re import _constants as names
from re import _parser as parser

import oracl_git


def patterns() -> Iterator[tuple[str, re.Pattern]]:
    """Every compiled pattern that a module of ours holds, in a table too."""

    def within(value: object, deep: int = 0) -> Iterator[re.Pattern]:
        if isinstance(value, re.Pattern):
            yield value
        elif deep < 4 and isinstance(value, (tuple, list, dict)):
            for part in value.values() if isinstance(value, dict) else value:
                yield from within(part, deep + 1)

    for found in pkgutil.walk_packages(oracl_git.__path__, "oracl_git."):
        if found.name.startswith(("oracl_git.extract", "oracl_git.graph", "oracl_git.recall", "oracl_git.ontology")):
            for name, value in vars(import_module(found.name)).items():
                yield from ((f"{found.name}.{name}", pattern) for pattern in within(value))


def risky(parsed: object) -> Iterator[str]:
    """What such a pattern does that was not always right."""
    for operation, argument in parsed:
        if operation is names.POSSESSIVE_REPEAT:
            _, most, inner = argument
            if not (len(inner) == 1 and inner[0][0] in _SINGLE):
                if most is not names.MAXREPEAT and most > 1:
                    yield "counted"
                yield from ("captured" for each in every(inner) if each in (names.GROUPREF, names.SUBPATTERN))
        for part in parts(argument):
            yield from risky(part)


_SINGLE = (names.LITERAL, names.NOT_LITERAL, names.IN, names.ANY)


def parts(argument: object) -> Iterator[object]:
    if isinstance(argument, parser.SubPattern):
        yield argument
    elif isinstance(argument, (tuple, list)):
        for part in argument:
            yield from parts(part)


def every(parsed: object) -> Iterator[object]:
    """The operations inside, but for groups that capture nothing."""
    for operation, argument in parsed:
        if operation is not names.SUBPATTERN or argument[0] is not None:
            yield operation
        for part in parts(argument):
            yield from every(part)


def test_none_relies_on_what_was_mended_later() -> None:
    found = list(patterns())
    assert len(found) > 200
    assert {name for name, pattern in found if list(risky(parser.parse(pattern.pattern, pattern.flags)))} == set()


def test_the_check_sees_what_failed() -> None:
    for pattern in (r"(['\"])(?:(?!\1)[^\n]|\\.){64,}+\1", r"^([ ]*+)-(?:\n\1[ ]++x)*+", r"(?:a(b))*+",
                    r"(?:ab){2,3}+"):  # fmt: skip
        assert list(risky(parser.parse(pattern))), pattern
    for pattern in (r"(?:ab)*+", r"[ab]{2,3}+", r"(?:a|\\.)++", r"(a)(?:b[ ]*+)?+"):
        assert not list(risky(parser.parse(pattern))), pattern
