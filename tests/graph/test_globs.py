"""Patterns match as the independent definition says, and never take long."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.graph.globs import Rules, matches
from tests import oracle

_PART = st.sampled_from(["a", "b", "ab", "*", "a*", "*b", "**", "?", "a?b", "*a*b*", "a.b", ""])


@settings(max_examples=400, deadline=None)
@given(
    pattern=st.lists(_PART, min_size=1, max_size=5).map("/".join),
    path=st.lists(st.text("ab.", min_size=1, max_size=4), min_size=1, max_size=5).map("/".join),
)
def test_agrees_with_the_definition(pattern: str, path: str) -> None:
    assert matches(pattern, path) == oracle.matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "a.py/b"]),
        ("docs/*", ["docs/a.md"], ["docs/sub/a.md", "x/docs/a.md"]),
        ("docs/", ["docs/a.md", "docs/sub/a.md", "x/docs/b"], ["docs"]),
        ("/src", ["src/a", "src"], ["x/src/a"]),
        ("src/**", ["src/a", "src/a/b"], ["src"]),
        ("**/gen/*.c", ["gen/a.c", "x/y/gen/a.c"], ["gen/x/a.c"]),
        ("*", ["a", "a/b"], []),
    ],
)
def test_examples(pattern: str, yes: list[str], no: list[str]) -> None:
    assert all(matches(pattern, path) for path in yes)
    assert not any(matches(pattern, path) for path in no)


@pytest.mark.parametrize("pattern", ["**/" * 24 + "x", "*a" * 24 + "b", "**/*a" * 24, ("*a/" * 12) + "**/" * 12 + "q"])
def test_hostile_patterns_are_cheap(pattern: str) -> None:
    started = time.process_time()
    for path in ("/".join(["a" * 40] * 40), "a" * 2000, "a/" * 500 + "b"):
        matches(pattern, path)
    assert time.process_time() - started < 2


_PATTERN = st.lists(_PART, min_size=1, max_size=5).map("/".join) | st.sampled_from(
    ["*.py", "*.b.py", "a/*.py", "*.p?", "*.", ".a", "*", "/a/", "**/b/", "a.b", "*b.c*.py", "/", ""]
)
_PATH = st.lists(st.text("ab.", min_size=1, max_size=4) | st.sampled_from(["x.py", "a.b.py", ".a", "b."]),
                 min_size=1, max_size=5).map("/".join)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.lists(st.lists(_PATTERN, max_size=3), max_size=8), _PATH)
def test_filed_rules_give_what_trying_them_all_would(rules: list[list[str]], path: str) -> None:
    found = list(Rules(zip(rules, range(len(rules)), strict=True)).matching(path))
    assert found == [n for n in reversed(range(len(rules))) if any(oracle.matches(p, path) for p in rules[n])]


def test_many_rules_and_many_paths() -> None:
    """As long as CODEOWNERS get: a path is tried against the rules that can match it, not against all."""
    rules = [((f"/team{n}/*/src/",), n) for n in range(2_500)] + [((f"*.kind{n}",), n) for n in range(2_500)]
    paths = [f"team{n % 2_500}/a/src/file.kind{n % 77}" for n in range(20_000)]
    started = time.process_time()
    filed: Rules[int] = Rules(rules)
    assert all(next(filed.matching(path)) == n % 77 for n, path in enumerate(paths))
    assert time.process_time() - started < 5  # 100,000,000 attempts would take minutes
