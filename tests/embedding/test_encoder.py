"""The encoder against a plain reading of its definition, on tables made by chance and on the one that ships."""

from __future__ import annotations

import random
import sys
import time
import unicodedata
from array import array
from math import isqrt

from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.embedding import DIMENSIONS, LENGTH, Encoder, dots, find, together
from oracl_git.embedding import encoder as module

LETTERS = "abcé한中1"


def made(seed: int) -> tuple[list[str], bytes, list[int]]:
    """A vocabulary of short pieces, with rows and scales."""
    chance = random.Random(seed)
    pieces = {"".join(chance.choices(LETTERS, k=chance.randint(1, 3))) for _ in range(60)}
    pieces |= {"##" + "".join(chance.choices(LETTERS, k=chance.randint(1, 2))) for _ in range(40)}
    vocabulary = sorted(pieces)
    rows = chance.randbytes(len(vocabulary) * DIMENSIONS)
    return vocabulary, rows, [chance.choice((1, 7, 300, 4095)) for _ in vocabulary]


def encoder_of(table: tuple[list[str], bytes, list[int]], keep: int = module.MANY) -> Encoder:
    """The encoder of such a table."""
    vocabulary, rows, scales = table
    return Encoder(vocabulary, rows, [scale / module.UNIT for scale in scales], keep)


def plainly(vocabulary: list[str], rows: bytes, scales: list[int], text: str) -> bytes:
    """The definition, word by word and value by value."""
    known = {piece: number for number, piece in enumerate(vocabulary)}
    sums = [0] * DIMENSIONS
    for word in text.lower().replace("_", " ").split():
        if not word.isascii():
            bare = "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")
            word = unicodedata.normalize("NFC", bare)
        pieces: list[int] | None = []
        rest, mark = word, ""
        while rest and pieces is not None:
            for length in range(len(rest), 0, -1):
                if mark + rest[:length] in known:
                    pieces.append(known[mark + rest[:length]])
                    rest, mark = rest[length:], "##"
                    break
            else:
                pieces = None
        for piece in pieces or [] if len(word) <= 48 else []:
            row = array("b", rows[piece * DIMENSIONS : (piece + 1) * DIMENSIONS])
            for place, value in enumerate(row):
                sums[place] += scales[piece] * value
    length = isqrt(sum(value * value for value in sums))
    if not length:
        return b""
    scaled = [(2 * LENGTH * value + length) // (2 * length) for value in sums]
    return array("b", [max(-127, min(127, value)) for value in scaled]).tobytes()


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 20), st.lists(st.text(LETTERS + "_ABZ", max_size=8), max_size=30))
def test_the_same_bytes_as_the_definition(seed: int, words: list[str]) -> None:
    table = made(seed)
    text = " ".join(words)
    assert encoder_of(table).encode(text) == plainly(*table, text)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_a_vector_or_none(text: str) -> None:
    code = find().encoder(find().seen).encode(text)
    assert code == b"" or len(code) == DIMENSIONS


def test_what_was_read_before_changes_nothing() -> None:
    table = made(3)
    texts = [" ".join(random.Random(n).choices(["a", "ab", "abc", "bb", "c1", "한中"], k=40)) for n in range(40)]
    fresh = [encoder_of(table).encode(text) for text in texts]
    used = encoder_of(table, keep=3)
    assert [used.encode(text) for text in [*texts, *texts]] == fresh * 2


def test_no_lane_overflows() -> None:
    """However long a text is: words that no longer fit are left out, whole."""
    table = (["a", "b"], bytes([127] * 256 + [129] * 256), [4095, 4095])
    for count in (1, 4_000, 4_200, 100_000):
        code = encoder_of(table).encode("a " * count)
        assert code in (b"", bytes([25] * 256))
        assert code or count > 4_096


def test_ours_knows_what_means_the_same() -> None:
    encoder = find().encoder()

    def near(a: str, b: str) -> float:
        pair = (array("b", encoder.encode(text)) for text in (a, b))
        return sum(x * y for x, y in zip(*pair, strict=True)) / LENGTH**2

    question = "stop a hung child process"
    assert near(question, "def kill self process terminate wait timeout") > 0.4
    assert near(question, "def render template html context") < 0.2
    assert 0.99 < near(question, question) < 1.01


def test_quick_enough_on_one_core() -> None:
    """1,500 chunks of 220 words a second are promised; CPU time, with some room for a busy machine."""
    encoder = find().encoder(find().seen)
    chance = random.Random(1)
    words = [word for word in encoder._vocabulary if word.isalpha() and word.isascii()]
    shares = [1 / (rank + 10) for rank in range(len(words))]
    chance.shuffle(words)
    texts = [" ".join(chance.choices(words, shares, k=220)) for _ in range(600)]
    for text in texts[:300]:
        encoder.encode(text)
    started = time.process_time()
    for text in texts[300:]:
        encoder.encode(text)
    assert 300 / (time.process_time() - started) > 1_000


def test_nothing_else_is_loaded() -> None:
    import subprocess

    code = "import sys; from oracl_git.embedding import find; find().encoder().encode('a b'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "tokenizers", "socket", "ssl", "torch"} & set(done.stdout.split())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 99), st.integers(0, 12))
def test_dot_products(seed: int, count: int) -> None:
    chance = random.Random(seed)
    rows = [array("b", [chance.randint(-127, 127) for _ in range(DIMENSIONS)]) for _ in range(count + 1)]
    expected = [sum(a * b for a, b in zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert dots(rows[0].tobytes(), [row.tobytes() for row in rows[1:]]) == expected


@given(st.integers(), st.integers(0, 40))
def test_vectors_together_are_their_sum(seed: int, count: int) -> None:
    chance = random.Random(seed)
    codes = [array("b", [chance.randint(-127, 127) for _ in range(DIMENSIONS)]) for _ in range(count)]
    found = array("b", together([code.tobytes() for code in codes]))
    assert found.tobytes() == together([code.tobytes() for code in reversed(codes)])
    sums = [sum(values) for values in zip(*codes, strict=True)]
    length = isqrt(sum(value * value for value in sums))
    wanted = [(2 * LENGTH * value + length) // (2 * length) for value in sums] if length else []
    assert found.tolist() == [max(-127, min(127, value)) for value in wanted]
