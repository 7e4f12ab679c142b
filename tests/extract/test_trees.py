"""What parsing leaves behind."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from oracl_git.extract import trees


@pytest.mark.parametrize("broken", [b"", b'x = """'], ids=["sound", "given up"])
def test_no_text_is_held_when_it_has_been_parsed(broken: bytes) -> None:
    """A process that parses all day, as a language server does, is as large in the evening."""
    text = broken + b"def name(value):\n    return value + 1\n" * 8_000

    def some(count: int) -> int:
        for number in range(count):
            trees.read("python", text + b"# %d\n" % number)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = some(2)
        assert some(10) - before < len(text)
    finally:
        tracemalloc.stop()
