"""Builds the binary files of examples/ontology-corpus; the text files there are written by hand.

    python -m tools.corpus.build [--pictures]

The same call gives the same files. Pictures need Pillow and a Korean font, and are only made when asked for.
"""

from __future__ import annotations

import sys
from pathlib import Path

from . import hwp, packages, pdf
from .packages import Slide, hp_list, hp_paragraph, hp_table, w_box, w_note, w_paragraph, w_table

FOLDER = Path(__file__).parents[2] / "examples" / "ontology-corpus"


def supply_contract() -> bytes:
    """A Word document with notes, a comment, margins and a text box."""
    return packages.docx(
        [
            w_paragraph("Supply contract for object storage", "Heading1"),
            w_paragraph("Harbor Cloud provides object storage to Project Helios.", more=w_note(1)),
            w_paragraph("Termination", "Heading2"),
            w_paragraph(
                "Either party may terminate with ninety days' written notice.",
                more=w_note(1, "comment") + w_box("Signed copies are kept by the Finance team."),
            ),
            w_table(
                [["service", "availability", "credit"], ["storage", "99.9 %", "10 %"], ["retrieval", "99.5 %", "5 %"]]
            ),
            w_paragraph("준거법", "Heading2"),
            w_paragraph("이 계약은 대한민국 법에 따르며, 분쟁은 서울중앙지방법원을 관할로 한다."),
        ],
        "Supply contract",
        footnotes=["Storage is measured as the monthly average of daily totals."],
        comments=["Ask whether sixty days would be enough."],
        header="Project Helios · confidential sample",
        footer="Supply contract, version 2",
    )


def budget() -> bytes:
    """A workbook of two sheets, with dates and a comment."""
    return packages.xlsx(
        {
            "Budget": [
                ["item", "amount", "due"],
                ["event intake", 48000, ("date", 45747)],
                ["reconciliation", 31500.5, ("date", 45838)],
            ],
            "인력": [["팀", "인원"], ["청구팀", 4], ["재무팀", 2]],
        },
        "Project Helios budget",
        comments={"B2": "Includes the load test."},
    )


def kickoff() -> bytes:
    """A presentation with a table and speaker notes."""
    return packages.pptx(
        [
            Slide(
                "Project Helios kick-off",
                ["Stream instead of batch", "One ledger for every event"],
                notes="Mention the freeze periods.",
            ),
            Slide(
                "일정",
                ["1분기: 이벤트 수집", "2분기: 대사 자동화"],
                [["단계", "마감"], ["수집", "3월 31일"], ["대사", "6월 30일"]],
            ),
        ],
        "Kick-off",
    )


def security_review() -> bytes:
    """A PDF of two pages with an outline."""
    return pdf.pdf(
        [
            ["Security review", "Scope of the review", "The review covers event intake and the ledger of Project Helios.",
             "Keys are rotated every ninety days."],
            ["Findings", "One finding: audit logs were readable by the intake service.", "조치: 감사 로그 권한을 분리하였다."],
        ],
        "Security review",
        [("Scope of the review", 0), ("Findings", 1)],
    )  # fmt: skip


def leave_rules() -> bytes:
    """A Hangul document: outline, table, footnote, header, hidden comment."""
    line = hwp.paragraph
    return hwp.document(
        [
            line(hwp.section_start(), hwp.margin("휴가 규정 (예시)"), "휴가 규정", shape=1),
            line("제1조 목적", shape=2),
            line("이 규정은 직원의 휴가 사용에 필요한 사항을 정한다.", hwp.note("파견 직원에게도 적용한다.")),
            line("제2조 휴가의 종류", shape=2),
            line(hwp.table([[line("종류"), line("일수")], [line("연차"), line("15일")], [line("경조"), line("5일")]], caption=line("표 ", hwp.number(1, 4), " 휴가 일수"))),
            line("사용하지 않은 연차는 다음 해 3월까지 이월할 수 있다.", hwp.hidden("이월 기준은 해마다 검토한다.")),
        ],
        outline={1: 1, 2: 2},
    )  # fmt: skip


def procurement() -> bytes:
    """A Hangul document in XML: outline, table, text box, footnote."""
    row = [
        [hp_paragraph(cell) for cell in cells] for cells in (["품목", "수량"], ["서버", "12대"], ["저장 장치", "30대"])
    ]
    box = f"<hp:rect>{hp_list('hp:drawText', hp_paragraph('입찰 마감: 2025년 4월 10일'))}</hp:rect>"
    return packages.hwpx(
        [
            [
                hp_paragraph("구매 요청서", shape=1),
                hp_paragraph("Project Helios 운영 장비를 다음과 같이 구매한다.", hp_list("hp:footNote", hp_paragraph("예산은 상반기에 집행한다."))),
                hp_paragraph(hp_table(row, hp_paragraph("구매 목록"))),
                hp_paragraph(box),
            ]
        ],
        "구매 요청서",
        outline={1: 1},
    )  # fmt: skip


BINARY = {
    "supply-contract.docx": supply_contract,
    "budget.xlsx": budget,
    "kickoff.pptx": kickoff,
    "security-review.pdf": security_review,
    "leave-rules.hwp": leave_rules,
    "procurement.hwpx": procurement,
}
PICTURES = {
    "notice-en.png": "Maintenance notice\nThe ledger is read only on Saturday\nfrom 22:00 until 23:30.",
    "notice-ko.png": "점검 안내\n토요일 밤에는 원장을 읽을 수만 있습니다.\n불편을 드려 죄송합니다.",
}
_FONT = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"


def picture(text: str, path: Path) -> None:
    """A notice as a picture."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(_FONT, 40, index=1)
    image = Image.new("L", (1000, 320), 255)
    ImageDraw.Draw(image).multiline_text((50, 40), text, fill=0, font=font, spacing=24)
    image.save(path, optimize=True)


def main(pictures: bool) -> None:
    """Write the files."""
    for name, build in BINARY.items():
        (FOLDER / name).write_bytes(build())
    if pictures:
        for name, text in PICTURES.items():
            picture(text, FOLDER / name)


if __name__ == "__main__":
    main("--pictures" in sys.argv)
