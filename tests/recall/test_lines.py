"""The lines of a result: the run of passages that is worth most for its length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import oracl_git
from oracl_git.recall import tables
from oracl_git.recall.lines import chosen, stems
from oracl_git.store.index import Span


def passages(*sizes: int, titles: dict[int, str] | None = None) -> list[Span]:
    """Passages of so many lines, one after the other; ids count from 1."""
    found, start = [], 1
    for number, size in enumerate(sizes, 1):
        found.append(Span(number, 7, start, start + size - 1, (titles or {}).get(number, ""), 0.0))
        start += size
    return found


def worth(chunks: list[Span], scores: dict[int, float], words: frozenset[str], alike: int) -> list[int]:
    """What a line of each is worth: the published formula, again."""
    found = []
    for span in chunks:
        mine = stems(span.title)
        power = tables.LINES_BM25 * scores.get(span.id, 0.0) / max(scores.values())
        power += tables.LINES_TITLE * (len(mine & words) / len(mine) if mine else 0.0)
        power += tables.LINES_MEANING * (span.id == alike)
        matches = span.id in scores or span.id == alike
        found.append(round(tables.LINES_UNIT * 2**power) if matches else tables.LINES_UNIT)
    return found


files = st.lists(st.integers(1, 120), min_size=1, max_size=25).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes),
        st.dictionaries(st.integers(1, len(sizes)), st.sampled_from([0.5, 1.0, 2.0, 5.0, 8.0]), min_size=1),
        st.dictionaries(st.integers(1, len(sizes)), st.sampled_from(["load", "load_file", "Row.save", "tests"])),
        st.integers(0, len(sizes)),
    )
)


@given(files)
def test_no_run_is_worth_more(file: tuple[list[int], dict[int, float], dict[int, str], int]) -> None:
    sizes, scores, titles, alike = file
    chunks, words = passages(*sizes, titles=titles), frozenset(("load", "test"))
    found = chosen(chunks, scores, words, alike)
    worths = worth(chunks, scores, words, alike)
    total = sum(w * size for w, size in zip(worths, sizes, strict=True))
    runs: dict[tuple[int, int], tuple[int, int, int]] = {}
    for low in range(len(chunks)):
        for high in range(low, len(chunks)):
            lines = sum(sizes[low : high + 1])
            if lines <= tables.LINES or low == high:
                held = sum(w * size for w, size in zip(worths[low : high + 1], sizes[low : high + 1], strict=True))
                value = tables.LINES_PRICE * held - total * lines
                runs[chunks[low].start, chunks[high].end] = value, -lines, -low
    assert found is not None
    if max(worths) * tables.LINES_PRICE >= total:
        assert (found.start, found.end) == max(runs, key=runs.__getitem__)
    else:  # no line pays
        assert any(
            (span.start, span.end) == (found.start, found.end) and w == max(worths)
            for span, w in zip(chunks, worths, strict=True)
        )


def test_a_small_file_is_shown_whole() -> None:
    found = chosen(passages(20, 30, 25), {2: 3.0}, frozenset())
    assert found is not None and (found.start, found.end, found.id, found.score) == (1, 75, 2, 3.0)


def test_a_long_file_by_its_best_passage() -> None:
    found = chosen(passages(*[40] * 60), {30: 9.0}, frozenset())
    assert found is not None and (found.start, found.end) == (29 * 40 + 1, 30 * 40)


def test_matches_side_by_side_are_shown_together() -> None:
    found = chosen(passages(*[40] * 60), {30: 9.0, 31: 8.0, 50: 8.5}, frozenset())
    assert found is not None and (found.start, found.end) == (29 * 40 + 1, 31 * 40)


def test_the_title_decides_between_equals() -> None:
    chunks = passages(*[60] * 40, titles={5: "save_row", 20: "load_row"})
    found = chosen(chunks, {5: 2.0, 20: 2.0}, frozenset(("load", "row")))
    assert found is not None and (found.start, found.title) == (19 * 60 + 1, "load_row")


def test_meaning_decides_between_equals() -> None:
    found = chosen(passages(*[60] * 40), {5: 2.0, 20: 2.0}, frozenset(), alike=20)
    assert found is not None and found.start == 19 * 60 + 1


def test_of_equals_the_first() -> None:
    found = chosen(passages(*[60] * 40), {20: 2.0, 5: 2.0}, frozenset())
    assert found is not None and found.start == 4 * 60 + 1


def test_nothing_without_a_match() -> None:
    assert chosen(passages(10, 10), {}, frozenset(("load",))) is None


def _lines(fragment: str) -> tuple[int, int]:
    first, _, last = fragment[1:].partition("-")
    return int(first), int(last or first)


def test_a_definition_that_is_named_is_the_answer_and_a_short_one_has_its_surroundings(
    git: Any, tmp_path: Path
) -> None:
    repo = git.init(tmp_path / "r")
    body = "".join(f"    step_{n} = work({n})\n" for n in range(30))
    others = "".join(f"def other_{n}():\n{body}\n\n" for n in range(20))
    source = f"{others}def read_entries():\n{body}    return entries\n\n\nMAX_ENTRIES = 9\n\n\n{others}"
    repo.commit("Start", {"store.py": source})
    rows = source.splitlines()
    with oracl_git.open(str(repo.path)) as oracl:
        oracl.fresh()
        whole = oracl.search("read_entries").results[0]
        start = rows.index("def read_entries():") + 1
        assert (_lines(whole.fragment), whole.title) == ((start, start + 31), "read_entries")
        short = oracl.search("MAX_ENTRIES").results[0]
    low, high = _lines(short.fragment)
    at = rows.index("MAX_ENTRIES = 9") + 1
    assert low <= at <= high and tables.LINES_NAMED <= high - low + 1 <= tables.LINES
