"""The lines of a result: the run of passages that is worth most for its length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import oracl_git
from oracl_git.recall import tables
from oracl_git.recall.lines import chosen, stems, window
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


def best(chunks: list[Span], worths: list[int], places: range, width: tables.Width) -> tuple[int, int] | None:
    """The best run within some places, by trying all; None where no line of them pays."""
    total = sum(w * (span.end - span.start + 1) for span, w in zip(chunks, worths, strict=True))
    if max(worths[place] for place in places) * width.price < total:
        return None
    runs: dict[tuple[int, int], tuple[int, int, int]] = {}
    for low in places:
        for high in range(low, places.stop):
            lines = chunks[high].end - chunks[low].start + 1
            if lines <= width.most or low == high:
                held = sum(worths[k] * (chunks[k].end - chunks[k].start + 1) for k in range(low, high + 1))
                runs[low, high] = width.price * held - total * lines, -lines, -low
    return max(runs, key=runs.__getitem__)


@given(files)
def test_no_run_is_worth_more(file: tuple[list[int], dict[int, float], dict[int, str], int]) -> None:
    sizes, scores, titles, alike = file
    chunks, words = passages(*sizes, titles=titles), frozenset(("load", "test"))
    found = chosen(chunks, scores, words, alike)
    worths = worth(chunks, scores, words, alike)
    assert found is not None
    places = range(len(chunks))
    for run, width in ((found.range, tables.RANGE), (found.focus, tables.FOCUS)):
        low, high = (next(n for n in places if start(chunks[n]) == at) for start, at in (
            (lambda span: span.start, run.start), (lambda span: span.end, run.end)))  # fmt: skip
        expected = best(chunks, worths, places, width)
        if expected:
            assert (low, high) == expected
        else:  # no line pays: the passage that is worth most
            assert low == high and worths[low] == max(worths[n] for n in places)
        places = range(low, high + 1)  # the focus lies in the range


def test_a_small_file_is_shown_whole() -> None:
    found = chosen(passages(20, 30, 25), {2: 3.0}, frozenset())
    assert found is not None
    assert (found.range.start, found.range.end, found.range.id, found.range.score) == (1, 75, 2, 3.0)
    assert (found.focus.start, found.focus.end) == (21, 50)  # but looked at where it matches


def test_a_long_file_by_its_best_passage() -> None:
    found = chosen(passages(*[40] * 60), {30: 9.0}, frozenset())
    assert found is not None and (found.focus.start, found.focus.end) == (29 * 40 + 1, 30 * 40)


def test_matches_side_by_side_are_shown_together() -> None:
    found = chosen(passages(*[40] * 60), {30: 9.0, 31: 8.0, 50: 8.5}, frozenset())
    assert found is not None and (found.range.start, found.range.end) == (29 * 40 + 1, 31 * 40)


def test_the_title_decides_between_equals() -> None:
    chunks = passages(*[60] * 40, titles={5: "save_row", 20: "load_row"})
    found = chosen(chunks, {5: 2.0, 20: 2.0}, frozenset(("load", "row")))
    assert found is not None and (found.focus.start, found.focus.title) == (19 * 60 + 1, "load_row")


def test_meaning_decides_between_equals() -> None:
    found = chosen(passages(*[60] * 40), {5: 2.0, 20: 2.0}, frozenset(), alike=20)
    assert found is not None and found.focus.start == 19 * 60 + 1


def test_of_equals_the_first() -> None:
    found = chosen(passages(*[60] * 40), {20: 2.0, 5: 2.0}, frozenset())
    assert found is not None and found.focus.start == 4 * 60 + 1


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
        assert whole.fragment == whole.focus
        assert (_lines(whole.fragment), whole.title) == ((start, start + 31), "read_entries")
        short = oracl.search("MAX_ENTRIES").results[0]
    low, high = _lines(short.fragment)
    at = rows.index("MAX_ENTRIES = 9") + 1
    assert low <= at <= high and tables.LINES_NAMED <= high - low + 1 <= tables.RANGE.most
    assert (_lines(short.focus), short.title) == ((at, at), "MAX_ENTRIES")


@given(
    st.lists(st.sampled_from(["money", "Refunds back", "work()", "", "queries"]), min_size=1, max_size=60),
    st.integers(1, 15),
)
def test_no_window_holds_more_of_the_words(rows: list[str], size: int) -> None:
    words = stems("money refund query")
    start = window(rows, words, size)

    def held(start: int) -> int:
        text = " ".join(rows[start : start + size]).lower()
        return sum(head in text for head in ("money", "refund", "quer"))

    assert 0 <= start <= max(0, len(rows) - size)
    assert held(start) == max(held(place) for place in range(max(1, len(rows) - size + 1)))


def test_a_single_line_is_shown_with_what_is_around_it() -> None:
    rows = ["work()"] * 30 + ["money"] + ["work()"] * 30
    assert window(rows, stems("money"), 11) == 25
    assert window(rows, stems("nothing"), 11) == 0


def test_a_snippet_begins_where_to_look_first(git: Any, tmp_path: Path) -> None:
    """Though all of a small file belongs to the answer."""
    repo = git.init(tmp_path / "r")
    body = "    work()\n" * 8
    source = "".join(f"def part_{n}():\n{body}\n\n" for n in range(5))
    source += "def refund():\n    # money goes back\n    return work()\n"
    repo.commit("Start", {"store.py": source})
    with oracl_git.open(str(repo.path)) as oracl:
        oracl.fresh()
        found = oracl.search("when does money go back", snippet=True).results[0]
    low, high = _lines(found.focus)
    assert _lines(found.fragment) == (1, 58) and 1 < low <= 57 <= high
    rows = source.splitlines()
    start = found.snippet_line
    assert low <= start <= 57 <= start + tables.SNIPPET - 1
    assert found.snippet.splitlines() == rows[start - 1 : start + tables.SNIPPET - 1]


def test_a_filter_holds_all_that_it_names(git: Any, tmp_path: Path) -> None:
    repo = git.init(tmp_path / "r")
    repo.commit("Start", {f"src/{name}/x.txt": "filler\n" for name in "abc"} | {"src/d/x.txt": "walrus tusk\n"})
    with oracl_git.open(str(repo.path)) as oracl:
        oracl.fresh()
        for filters in ("prefix:src/", "filename:x.txt", "filename:x.txt prefix:src/", "prefix:src/ filename:x.txt"):
            assert [r.path for r in oracl.search(f"{filters} walrus tusk").results] == ["src/d/x.txt"]
        assert len(oracl.search("filename:x.txt prefix:src/").results) == 4
