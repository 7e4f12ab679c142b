"""What is asked of the paths of one side, and that it costs little however many they are."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from oracl_git.check.tree import Tree

NAMES = st.sampled_from(["a", "b", ".a", "a.py", "a.b.py", "b.pyx", "__init__.py"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(st.lists(PATHS, max_size=8), PATHS)
def test_ends_of_paths(paths: list[str], tail: str) -> None:
    tree = Tree(paths)
    assert tree.has_below(tail) == any(path.endswith(f"/{tail}") for path in paths)
    assert tree.has_stem(tail) == any(stem == tail or stem.endswith(f"/{tail}") for stem in tree.stems)


def test_many_paths() -> None:
    """A package that 2,000 files import is deleted among 40,000: each import is looked up, and no path is for each."""
    tree = Tree(f"lib/p{number % 300}/m{number}.py" for number in range(40_000))
    started = time.process_time()
    for number in range(2_000):
        assert not tree.has_below(f"pkg/mod{number}.py") and not tree.has_stem(f"pkg/mod{number}")
    assert time.process_time() - started < 5
