"""Chunks: definitions stay whole, long ones are cut, small ones join, lines are covered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from oracl_git.extract.chunks import MAX_CHUNKS, by_definitions, by_headings, by_lines
from oracl_git.extract.extractor import extract, read
from oracl_git.extract.facts import Definition


def function(name: str, lines: int, indent: int = 0) -> bytes:
    pad = b" " * indent
    return pad + f"def {name}():\n".encode() + (pad + b"    x\n") * (lines - 1)


def test_python_chunks() -> None:
    code = (
        b"import a\n\n"  # 1-2
        b"# about f\n"  # 3
        + function("f", 20)  # 4-23
        + b"\n"  # 24
        + function("g", 3)  # 25-27
        + function("h", 3)  # 28-30
        + function("long", 130)  # 31-160
        + b"class C:\n    x = 1\n\n"  # 161-163
        + function("m", 30, 4)  # 164-193
        + b"\n"
        + function("n", 40, 4)  # 195-234
        + b"tail = 1\n"  # 235
    )
    assert [tuple(c) for c in extract(code, "python").chunks] == [
        (1, 24, "f"),
        (25, 30, "g / h"),
        (31, 73, "long"),
        (74, 116, "long"),
        (117, 160, "long"),
        (161, 194, "C / C.m"),
        (195, 235, "C.n"),
    ]


def test_a_short_class_stays_whole() -> None:
    code = b"class C:\n" + function("m", 10, 4) + function("n", 10, 4)
    assert [tuple(c) for c in extract(code, "python").chunks] == [(1, 21, "C")]


def test_a_chunk_has_its_words() -> None:
    code = b"def parseURL(x_y):\n    return HTTPServer\n"
    assert read(code, "python")[1] == [("parse URL", "def parse URL x_y return HTTP Server")]


def test_the_number_of_chunks_is_bounded() -> None:
    chunks = by_lines(1_000_000)
    assert len(chunks) <= MAX_CHUNKS
    code = b"".join(function(f"f{i}", 20) for i in range(3_000))
    assert len(extract(code, "python").chunks) <= MAX_CHUNKS


@given(st.integers(0, 400), st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400)), max_size=30))
def test_chunks_partition_the_lines(lines: int, spans: list[tuple[int, int]]) -> None:
    spans = sorted({(min(a, b), max(a, b)) for a, b in spans if max(a, b) <= lines}, key=lambda s: (s[0], -s[1]))
    rows = [b"# x\n" if i % 7 == 0 else b"x\n" if i % 5 else b"\n" for i in range(lines)]
    for kind in ("class", "function"):
        definitions = [Definition(f"n{a}", kind, a, b, True, False) for a, b in spans]
        for chunks in (by_definitions(rows, definitions), by_headings(lines, [(f"t{a}", a) for a, _ in spans])):
            assert [n for c in chunks for n in range(c.start, c.end + 1)] == list(range(1, lines + 1))
