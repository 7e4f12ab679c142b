"""What one Python text binds, and what two versions of it differ in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oracl_git.check import python

NAMES = st.sampled_from("a b c d".split())
PIECES = st.one_of(
    NAMES.map(lambda n: f"{n} = 1\n"),
    NAMES.map(lambda n: f"def {n}():\n    return 1\n"),
    NAMES.map(lambda n: f"@print\nasync def {n}(\n    x,\n):\n    global {n}_made\n\n    y = 1\n"),
    NAMES.map(lambda n: f"class {n}:\n    '''Of a, b.'''\n\n    d = 1\n"),
    NAMES.map(lambda n: f"from x import (\n    {n},  # and more\n)\n"),
    NAMES.map(lambda n: f"if n:\n    {n} = 1\nelif x:\n    pass\nelse:\n    c = 2\n"),
    NAMES.map(lambda n: f"try:\n    import {n}\nexcept ImportError:\n    {n} = None\nfinally:\n    pass\n"),
    NAMES.map(lambda n: f"x = [\n{n},\n]\n{n} = \\\n1\n"),
    NAMES.map(lambda n: f"import z.y as {n}; q = 1\n"),
    NAMES.map(lambda n: f"print({n} := 3)\n"),
    st.sampled_from(["# a comment\n", "\n", "'''\nA text.\n'''\n", "print(1)\n", "from x import *\n",
                     "globals()['a'] = 1\n"]),
)
TEXTS = st.lists(PIECES, max_size=6).map("".join).map(str.encode)


@given(TEXTS, TEXTS)
def test_lost_is_what_two_readings_differ_in(old: bytes, new: bytes) -> None:
    """The short way, which reads only the statements that differ, comes to what reading both texts does."""
    before, after = python.read(old), python.read(new)
    assert before is not None and after is not None
    expected = frozenset() if after.open else before.bound - after.bound
    assert python.lost(old, new) == expected


@given(st.binary(), st.binary())
def test_lost_never_raises(old: bytes, new: bytes) -> None:
    assert python.lost(old, old) == frozenset() and isinstance(python.lost(old, new), frozenset)
