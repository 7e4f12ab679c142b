"""Hangul documents of both kinds: every control in its place, and no control character read as text."""

from __future__ import annotations

import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import mark

from oracl_git.ontology.parsers import Document, parse_bytes
from oracl_git.ontology.parsers import hwp_records as records
from tools.corpus import hwp, packages
from tools.corpus.hwp import Control, Inline, document, paragraph
from tools.corpus.packages import hp_list, hp_paragraph, hp_table


def outline(data: bytes, suffix: str = ".hwp") -> list[tuple[str, str, int, str]]:
    found = parse_bytes(data, suffix=suffix)
    return [(section.kind, section.text, section.level, section.location) for section in found.sections]


def one(*pieces: hwp.Piece) -> str:
    """The text of a document of one paragraph."""
    return parse_bytes(document([paragraph(*pieces)]), suffix=".hwp").text


@mark.parametrize("code", [code for code in range(1, 24) if code not in (10, 13)])
def test_every_control_of_eight_units_is_passed_whole(code: int) -> None:
    # Its data is made to look like text, like controls, and like halves of surrogate pairs.
    for data in ("secdloca글자다".encode("utf-16-le")[:12], struct.pack("<6H", 10, 13, 0xD800, 0xDC00, 0xDFFF, 31)):
        assert one("앞", Inline(code, data), "뒤") == ("앞\t뒤" if code == 9 else "앞뒤")


@mark.parametrize(("code", "text"), [(10, "\n"), (24, "-"), (30, "\xa0"), (31, " "), (25, ""), (0, "")])
def test_every_control_of_one_unit(code: int, text: str) -> None:
    assert one("앞", chr(code), "뒤").replace("\xa0", " ") == f"앞{text}뒤".replace("\xa0", " ")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(
    st.text(st.characters(min_codepoint=32, blacklist_categories=["Cs"]), max_size=8),
    st.builds(Inline, st.sampled_from([4, 5, 6, 7, 8, 9, 19, 20]), st.binary(min_size=12, max_size=12)),
    st.builds(Control, st.sampled_from([1, 2, 3, 11, 12, 14, 15, 16, 17, 18, 21, 22, 23]), st.just("abcd")),
), max_size=8))  # fmt: skip
def test_text_is_what_was_written_between_controls(pieces: list[hwp.Piece]) -> None:
    data = paragraph(*pieces)[1][2]
    found, controls = records.text(data)
    tabs = ["\t" if isinstance(piece, Inline) and piece.code == 9 else piece for piece in pieces]
    assert "".join(found) == "".join(piece for piece in tabs if isinstance(piece, str))
    assert len(controls) == sum(isinstance(piece, Control) for piece in pieces)


def test_everything_that_is_anchored_stands_where_it_belongs() -> None:
    inner = hwp.table([[paragraph("안쪽")]])
    data = document(
        [
            paragraph(hwp.section_start(), hwp.margin("머리말"), hwp.margin("꼬리말", "foot"), "제목", shape=1),
            paragraph("각주", hwp.note("아래 설명"), "와 미주", hwp.note("뒤 설명", "en  "), "가 있다"),
            paragraph("덧말 ", hwp.ruby("본말", "덧말"), ", 겹침 ", hwp.composed("甲")),
            paragraph("수식", hwp.equation("a over b"), "끝"),
            paragraph("앞", hwp.table(
                [[paragraph("가"), paragraph("나")], [[paragraph("다"), paragraph("라", inner)], paragraph("")]],
                caption=paragraph("표 ", hwp.number(1, 4), " 제목"),
            ), "뒤"),
            paragraph(hwp.box(paragraph("상자 하나"), paragraph("상자 둘", hwp.box(paragraph("상자 속")), ), caption="그림 설명")),
            paragraph("보임", hwp.hidden("숨김")),
            paragraph(hwp.field(command="http://example.com"), "링크", Inline(4), "와 ", hwp.field("%clk", "안내문"), "누름틀", Inline(4)),
            [*paragraph("끝"), *hwp.memo("메모 하나", "메모 둘")],
        ],
        [paragraph(hwp.section_start(), "둘째 구역")],
        outline={1: 1},
    )  # fmt: skip
    assert outline(data) == [
        ("heading", "제목", 1, "paragraph 1"),
        ("header", "머리말", 0, "header 1"),
        ("footer", "꼬리말", 0, "footer 1"),
        ("paragraph", "각주와 미주가 있다", 0, "paragraph 2"),
        ("note", "아래 설명", 0, "footnote 1"),
        ("note", "뒤 설명", 0, "endnote 1"),
        ("paragraph", "덧말 본말(덧말), 겹침 甲", 0, "paragraph 3"),
        ("paragraph", "수식 a over b 끝", 0, "paragraph 4"),
        ("paragraph", "앞 뒤", 0, "paragraph 5"),
        ("table", "표 1 제목", 0, "table 1"),
        ("row", "가 | 나", 0, "table 1 row 1"),
        ("row", "다\n라 |", 0, "table 1 row 2"),
        ("row", "안쪽", 1, "table 1 row 2 row 1"),
        ("textbox", "그림 설명", 0, "text box 1"),
        ("textbox", "상자 하나", 0, "text box 1"),
        ("textbox", "상자 둘", 0, "text box 1"),
        ("textbox", "상자 속", 0, "text box 2"),
        ("paragraph", "보임", 0, "paragraph 7"),
        ("comment", "숨김", 0, "hidden comment 1"),
        ("paragraph", "링크와 누름틀", 0, "paragraph 8"),
        ("paragraph", "끝", 0, "paragraph 9"),
        ("comment", "메모 하나", 0, "memo 1"),
        ("comment", "메모 둘", 0, "memo 2"),
        ("paragraph", "둘째 구역", 0, "paragraph 10"),
    ]


@mark.parametrize("flags", [0, hwp.COMPRESSED])
def test_long_records_and_many_sections_with_and_without_compression(flags: int) -> None:
    long = "가나다라 " * 3000
    data = document(*([paragraph(long if number == 10 else f"구역 {number}")] for number in range(12)), flags=flags)
    document_ = parse_bytes(data, suffix=".hwp")
    assert [section.text for section in document_.sections][9:] == ["구역 9", long.rstrip(), "구역 11"]


def test_pairs_of_surrogates_survive_and_halves_do_not() -> None:
    lone = "x".encode("utf-16-le") + b"\x00\xd8" + "y".encode("utf-16-le")
    records_ = [(0x42, 0, bytes(22)), (0x43, 1, "𠀀 ok ".encode("utf-16-le") + lone)]
    assert parse_bytes(document([records_]), suffix=".hwp").text == "𠀀 ok x\ufffdy"


# In XML


def hp(*paragraphs: str) -> Document:
    return parse_bytes(packages.hwpx([paragraphs], ""), suffix=".hwpx")


def test_the_same_in_xml() -> None:
    inner = hp_table([[hp_paragraph("안쪽")]])
    box = hp_list("hp:drawText", hp_paragraph("상자"))
    data = packages.hwpx(
        [
            [
                hp_paragraph(
                    "<hp:ctrl>" + hp_list("hp:header", hp_paragraph("머리말")) + "</hp:ctrl>",
                    "<hp:ctrl>" + hp_list("hp:footer", hp_paragraph("꼬리말")) + "</hp:ctrl>", "제목", shape=1),
                hp_paragraph("각주", hp_list("hp:footNote", hp_paragraph("설명")), "와 미주", hp_list("hp:endNote", hp_paragraph("뒤")), "끝"),
                hp_paragraph("앞", hp_table(
                    [[hp_paragraph("가"), hp_paragraph("나") + hp_paragraph(inner)]],
                    hp_paragraph("표 ", '<hp:ctrl><hp:autoNum num="1" numType="TABLE"/></hp:ctrl>', " 제목")), "뒤"),
                hp_paragraph(f"<hp:rect>{box}{hp_list('hp:caption', hp_paragraph('그림 설명'))}</hp:rect>"),
                hp_paragraph("보임", hp_list("hp:hiddenComment", hp_paragraph("숨김"))),
                hp_paragraph('<hp:ctrl>' + hp_list("hp:fieldBegin", hp_paragraph("메모"), attributes=' type="MEMO"') + "</hp:ctrl>", "글"),
            ],
            [hp_paragraph("둘째 구역")],
        ],
        "문서",
        outline={1: 2},
    )  # fmt: skip
    assert outline(data, ".hwpx") == [
        ("heading", "제목", 2, "paragraph 1"),
        ("header", "머리말", 0, "header 1"),
        ("footer", "꼬리말", 0, "footer 1"),
        ("paragraph", "각주와 미주끝", 0, "paragraph 2"),
        ("note", "설명", 0, "footnote 1"),
        ("note", "뒤", 0, "endnote 1"),
        ("paragraph", "앞 뒤", 0, "paragraph 3"),
        ("table", "표 1 제목", 0, "table 1"),
        ("row", "가 | 나", 0, "table 1 row 1"),
        ("row", "안쪽", 1, "table 1 row 1 row 1"),
        ("textbox", "상자", 0, "text box 1"),
        ("textbox", "그림 설명", 0, "caption 1"),
        ("paragraph", "보임", 0, "paragraph 5"),
        ("comment", "숨김", 0, "hidden comment 1"),
        ("paragraph", "글", 0, "paragraph 6"),
        ("comment", "메모", 0, "memo 1"),
        ("paragraph", "둘째 구역", 0, "paragraph 7"),
    ]


@mark.parametrize(
    ("inside", "text"),
    [
        ("<hp:t>가<hp:tab/>나<hp:lineBreak/>다<hp:nbSpace/>라<hp:hyphen/>마<hp:fwSpace/>바</hp:t>", "가\t나\n다 라-마 바"),
        ("<hp:dutmal><hp:mainText>본</hp:mainText><hp:subText>덧</hp:subText></hp:dutmal>", "본(덧)"),
        ('<hp:compose composeText="甲乙"/>', "甲乙"),
        ("<hp:equation><hp:shapeComment>수식</hp:shapeComment><hp:script>a over b</hp:script></hp:equation>", "a over b"),
        ('<hp:btn caption="확인"/>', "확인"),
        ("<hp:edit><hp:text>입력</hp:text></hp:edit>", "입력"),
        (("<hp:ctrl><hp:fieldBegin type='HYPERLINK'><hp:parameters><hp:stringParam>x</hp:stringParam></hp:parameters>"
         "</hp:fieldBegin></hp:ctrl><hp:t>링크</hp:t><hp:ctrl><hp:fieldEnd/></hp:ctrl>"), "링크"),
        ("<hp:pic><hp:shapeComment>그림입니다</hp:shapeComment></hp:pic><hp:t>글</hp:t>", "글"),
        ("<hp:t>앞</hp:t><hp:switch><hp:case><hp:t>하나</hp:t></hp:case><hp:default><hp:t>둘</hp:t></hp:default></hp:switch>",
         "앞하나"),
    ],
)  # fmt: skip
def test_runs_in_xml(inside: str, text: str) -> None:
    assert hp(hp_paragraph(inside)).text == text


def test_tracked_deletions_in_xml_are_comments() -> None:
    document_ = hp(hp_paragraph("<hp:t>새 <hp:deleteBegin/>옛 말<hp:deleteEnd/>글</hp:t>"))
    assert [(section.kind, section.text) for section in document_.sections] == [
        ("paragraph", "새 글"),
        ("comment", "옛 말"),
    ]


def test_sections_in_xml_follow_the_spine_or_their_numbers() -> None:
    names = [f"Contents/section{number}.xml" for number in (0, 2, 10)]
    members: dict[str, str | bytes] = {
        name: f"<hs:sec {packages._HP}>{hp_paragraph(name[16:-4])}</hs:sec>" for name in reversed(names)
    }
    assert parse_bytes(packages.archive(members), suffix=".hwpx").text == "0\n2\n10"


def test_the_names_of_the_standard_are_those_of_hancom() -> None:
    data = packages.hwpx([[hp_paragraph("본문")]], "")
    members = {"Contents/section0.xml": f"<hs:sec {packages._HP}>{hp_paragraph('본문')}</hs:sec>"}
    for old, new in (("hancom.co.kr/hwpml/2011", "owpml.org/owpml/2024"), ("hwpml/2011", "hwpml/2016")):
        renamed = {name: text.replace(old, new) for name, text in members.items()}
        assert parse_bytes(packages.archive(renamed), suffix=".hwpx").text == parse_bytes(data, suffix=".hwpx").text


def test_master_pages_are_read_last() -> None:
    names = 'xmlns:hm="http://www.hancom.co.kr/hwpml/2011/master-page"'
    members = {
        "Contents/section0.xml": f"<hs:sec {packages._HP}>{hp_paragraph('본문')}</hs:sec>",
        "Contents/masterpage0.xml": f"<hm:masterPage {names} {packages._HP}><hp:subList>{hp_paragraph('바탕')}</hp:subList></hm:masterPage>",
    }
    assert outline(packages.archive(members), ".hwpx")[1:] == [("header", "바탕", 0, "master page 1")]
