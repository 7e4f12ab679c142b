"""Words of a page in the order they are read: drawn order, unless where they stand says otherwise."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from oracl_git.ontology.parsers import parse_bytes
from oracl_git.ontology.parsers.reading_order import Word, framed, in_order
from tools.corpus import pdf

HEIGHT = 10.0


def line(text: str, left: float, top: float, **more: object) -> list[Word]:
    """The words of a line, every letter 5 points wide."""
    words = []
    for part in text.split():
        words.append(Word(part, left, top - HEIGHT, left + 5 * len(part), top, **more))  # type: ignore[arg-type]
        left += 5 * (len(part) + 1)
    return words


def drawn(*lines: list[Word]) -> list[str]:
    return in_order(word for words in lines for word in words).split("\n")


def test_a_header_that_was_drawn_last_is_read_first() -> None:
    assert drawn(line("body of it", 50, 700), line("more body", 50, 680), line("Header", 60, 800)) == [
        "Header", "body of it", "more body",
    ]  # fmt: skip


def test_columns_are_read_one_after_the_other_and_a_footer_after_both() -> None:
    left = [line("left one", 50, 700), line("left two", 50, 680)]
    right = [line("right one", 300, 700), line("right two", 300, 680)]
    footer = line("a footer as wide as the page is, from left to right, all of it in one line", 50, 50)
    wanted = ["left one", "left two", "right one", "right two", " ".join(word.text for word in footer)]
    assert drawn(*left, *right, footer) == drawn(*left, footer, *right) == wanted


def test_rows_stay_rows() -> None:
    rows = [line(f"name{n}", 50, 700 - 20 * n) + line(f"{n}.5", 300, 700 - 20 * n) for n in range(3)]
    assert drawn(*rows) == ["name0 0.5", "name1 1.5", "name2 2.5"]


def test_a_line_too_long_for_its_column_does_not_mix_two() -> None:
    left = [line("left one", 50, 700), line("left " + "x" * 45, 50, 680), line("left three", 50, 660)]  # 5 points into it
    right = [line("right one", 300, 700), line("right two", 300, 680), line("right three", 300, 660)]
    assert drawn(*left, *right)[3:] == ["right one", "right two", "right three"]


def test_a_row_moves_as_a_whole() -> None:
    assert drawn(line("body", 50, 700), line("Head", 50, 800) + line("page 3", 500, 800)) == ["Head page 3", "body"]


def test_exponents_and_broken_words_stay_where_they_were() -> None:
    power = [Word("x", 50, 690, 55, 700), Word("2", 55, 696, 59, 703), *line("is square", 64, 700)]
    assert in_order(power) == "x 2 is square"
    broken = [*line("an im", 50, 700), Word("portant", 50, 670, 85, 680, glued=True), *line("thing", 90, 680)]
    assert in_order(broken) == "an important thing"
    beside = line("below", 300, 600)  # a broken word moves as a whole
    assert drawn(beside, [Word("im", 300, 690, 310, 700), Word("portant", 300, 670, 335, 680, glued=True)])[0] == "important"


def test_what_was_filled_in_follows_what_it_answers() -> None:
    labels = [line("Name", 50, 700), line("City", 50, 680), line("Remarks", 50, 660), line("Signed", 50, 600)]
    filled = [line("Seoul", 120, 680, filled=True), line("none", 55, 640, filled=True), line("Kim", 120, 700, filled=True)]
    assert drawn(*labels, *filled) == ["Name Kim", "City Seoul", "Remarks", "none", "Signed"]
    assert drawn(line("Below", 50, 600), line("Alone", 50, 700, filled=True)) == ["Alone", "Below"]


def test_lines_at_an_angle_are_read_along_themselves() -> None:
    for turn in (90, 180, 270):
        words = line("written up from bottom", 50, 700, turn=turn)
        assert in_order(words[2:] + words[:2]) == "written up from bottom"
    level, turned = line("level text", 50, 700), line("turned text", 50, 800, turn=90)
    assert drawn(level, turned) == ["level text", "turned text"]  # they cannot be compared


def test_a_frame_turns_corners_until_the_line_is_level() -> None:
    up = [(100.0, 10.0), (110.0, 60.0)]  # of a line that runs up the page: 270 degrees clockwise
    assert framed(0, up) == (100.0, 10.0, 110.0, 60.0)
    assert framed(270, up) == (10.0, -110.0, 60.0, -100.0)
    assert framed(180, up) == (-110.0, -60.0, -100.0, -10.0)


words = st.builds(
    lambda text, left, bottom, width, turn, filled: Word(text, left, bottom, left + width, bottom + HEIGHT, turn, filled),
    st.text("abc", min_size=1, max_size=4), st.integers(0, 500), st.integers(0, 800), st.integers(1, 90),
    st.sampled_from((0, 90, 180, 270)), st.booleans(),
)  # fmt: skip


@given(st.lists(words, max_size=40))
def test_no_word_is_lost_and_what_is_in_order_stays_so(found: list[Word]) -> None:
    assert sorted(in_order(found).split()) == sorted(word.text for word in found)
    level = [replace(word, turn=0, filled=False) for word in found]
    level.sort(key=lambda word: -word.bottom)
    assert in_order(level).split() == [word.text for word in level]


def test_a_drawing_of_very_many_labels_keeps_the_order_it_was_drawn_in() -> None:
    labels = [line(f"l{n}", 50, 10 * n) for n in range(5_000)]
    assert drawn(*labels) == [f"l{n}" for n in range(5_000)]


def test_a_turned_page_of_a_real_file() -> None:
    """Lines that run up a page that is shown turned, drawn in no order."""
    content = "".join(
        f"BT /F1 12 Tf 0 1 -1 0 {x} {y} Tm ({text}) Tj ET\n"
        for x, y, text in ((200, 60, "second line"), (180, 60, "first line"), (180, 130, "and its end"))
    )
    data = pdf._file([
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        pdf._LATIN,
        ("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate 90 /Resources << /Font << /F1 3 0 R >> >> "
         "/Contents 5 0 R >>"),
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ])  # fmt: skip
    assert parse_bytes(data, suffix=".pdf").text == "first line and its end\nsecond line"
