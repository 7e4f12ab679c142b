"""Office files, written by their own libraries: all that the library reads, and what it does not show."""

from __future__ import annotations

from datetime import date, datetime, time
from io import BytesIO
from typing import Any

import docx
import openpyxl
import pptx
from docx.oxml import parse_xml
from openpyxl.comments import Comment
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pytest import mark

from oracl_git.ontology.parsers import Document, parse_bytes
from tools.corpus import packages
from tools.corpus.packages import w_paragraph

W = packages._W


def saved(document: Any, suffix: str) -> Document:
    document.save(buffer := BytesIO())
    return parse_bytes(buffer.getvalue(), suffix=suffix)


def outline(document: Document) -> list[tuple[str, str, int, str]]:
    return [(section.kind, section.text, section.level, section.location) for section in document.sections]


def texts(document: Document, kind: str) -> list[str]:
    return [section.text for section in document.sections if section.kind == kind]


# Word


def test_word_body_headings_tables_and_margins_stand_in_order() -> None:
    made = docx.Document()
    made.core_properties.title, made.core_properties.author = "Lease", "Legal desk"
    made.add_heading("Lease", 0)
    made.add_heading("제1조 목적", 2)
    made.add_paragraph("임대인은 건물을 임대한다.\t끝").add_run("\nsecond line")
    table = made.add_table(2, 2)
    for cell, text in zip([c for row in table.rows for c in row.cells], ["a", "b", "c\nd", ""], strict=True):
        cell.text = text
    table.cell(1, 1).add_table(1, 1).cell(0, 0).text = "inner"
    made.add_paragraph("after")
    made.sections[0].header.paragraphs[0].text = "Top"
    made.sections[0].footer.paragraphs[0].text = "Bottom"
    document = saved(made, ".docx")
    assert (document.title, document.metadata["author"]) == ("Lease", "Legal desk")
    assert outline(document) == [
        ("heading", "Lease", 1, "paragraph 1"),
        ("heading", "제1조 목적", 2, "paragraph 2"),
        ("paragraph", "임대인은 건물을 임대한다.\t끝\nsecond line", 0, "paragraph 3"),
        ("row", "a | b", 0, "table 1 row 1"),
        ("row", "c\nd |", 0, "table 1 row 2"),
        ("row", "inner", 1, "table 1 row 2 row 1"),
        ("paragraph", "after", 0, "paragraph 4"),
        ("header", "Top", 0, "header 1"),
        ("footer", "Bottom", 0, "footer 1"),
    ]


def body(*xml: str) -> Document:
    """A Word document with this body."""
    return parse_bytes(packages.docx(xml, ""), suffix=".docx")


def run(text: str) -> str:
    return packages.w_run(text)


@mark.parametrize(
    ("inside", "text"),
    [
        (f"<w:ins>{run('added')}</w:ins>{run(' kept')}", "added kept"),
        (f"<w:moveTo>{run('moved')}</w:moveTo><w:moveFrom>{run('away')}</w:moveFrom>", "moved"),
        (f"<w:sdt><w:sdtPr><w:alias w:val='no'/></w:sdtPr><w:sdtContent>{run('control')}</w:sdtContent></w:sdt>", "control"),
        (f"<w:hyperlink>{run('link')}</w:hyperlink><w:smartTag>{run(' tag')}</w:smartTag>", "link tag"),
        ("<w:r><w:instrText>PAGEREF x</w:instrText></w:r>" + run("result"), "result"),
        ("<w:r><w:t>well</w:t><w:noBreakHyphen/><w:t>known</w:t><w:softHyphen/></w:r>", "well-known"),
        ("<w:r><w:sym w:font='Symbol' w:char='03B1'/><w:sym w:font='Wingdings' w:char='F0A7'/></w:r>", "α"),
        ("<w:r><w:br w:type='page'/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r>", "x\ny"),
        (
            "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>",
            "漢(かん)",
        ),
        (
            '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>E=mc²</m:t></m:r></m:oMath>',
            "E=mc²",
        ),
    ],
)  # fmt: skip
def test_word_runs_are_read_wherever_they_hide(inside: str, text: str) -> None:
    assert texts(body(f"<w:p>{inside}</w:p>"), "paragraph") == [text]


def test_word_deletions_are_comments_and_deleted_rows_are_gone() -> None:
    deletion = "<w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    row = f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{w_paragraph('gone')}</w:tc></w:tr><w:tr><w:tc>{w_paragraph('stays')}</w:tc></w:tr>"
    document = body(f"<w:p>{deletion}{run('new')}</w:p>", f"<w:tbl>{row}</w:tbl>")
    assert [(s.kind, s.text) for s in document.sections] == [("paragraph", "new"), ("comment", "old"), ("row", "stays")]


def test_word_text_boxes_are_read_once_and_notes_where_they_are_referred_to() -> None:
    made = packages.docx(
        [
            w_paragraph("one", more=packages.w_note(2) + packages.w_box("boxed")),
            w_paragraph("two", more=packages.w_note(1, "comment")),
        ],
        "",
        footnotes=["never referred to", "note"],
        comments=["remark"],
    )
    assert outline(parse_bytes(made, suffix=".docx")) == [
        ("paragraph", "one", 0, "paragraph 1"),
        ("note", "note", 0, "footnote 2"),
        ("textbox", "boxed", 0, "paragraph 1 text box"),
        ("paragraph", "two", 0, "paragraph 2"),
        ("comment", "remark", 0, "comment 1"),
        ("note", "never referred to", 0, "footnote 1"),
    ]


def test_word_block_content_controls_are_read() -> None:
    document = body(
        f"<w:sdt><w:sdtContent>{w_paragraph('in a control')}{packages.w_table([['cell']])}</w:sdtContent></w:sdt>"
    )
    assert document.text == "in a control\ncell"


def test_word_headings_come_from_outline_levels_and_inherited_styles() -> None:
    made = docx.Document()
    style = made.styles.add_style("Clause", 1)
    style.base_style = made.styles["Heading 3"]
    made.add_paragraph("inherits", style="Clause")
    paragraph = made.add_paragraph("by level")
    paragraph._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {W} w:val="1"/>'))
    made.add_paragraph("body")
    assert [section.level for section in saved(made, ".docx").sections] == [3, 2, 0]


def test_strict_office_files_are_read() -> None:
    strict = "http://purl.oclc.org/ooxml"
    document = (
        f'<w:document xmlns:w="{strict}/wordprocessingml/main"><w:body>{w_paragraph("strict")}</w:body></w:document>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
        f'Type="{strict}/officeDocument/relationships/officeDocument" Target="/word/document.xml"/></Relationships>'
    )
    data = packages.archive({"_rels/.rels": relations, "word/document.xml": document})
    assert parse_bytes(data, suffix=".docx").text == "strict"


# Excel


def test_excel_values_are_what_the_library_reads() -> None:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "금액"
    values = [
        "text",
        7,
        1.25,
        0.1 + 0.2,
        True,
        date(2024, 2, 29),
        datetime(2024, 2, 29, 13, 5),
        time(6, 30),
        "a\nb",
        None,
        "end",
    ]
    for column, value in enumerate(values, 1):
        sheet.cell(3, column, value)
    sheet["A5"] = "=SUM(B3:C3)"
    sheet["B3"].comment = Comment("checked", "x")
    sheet.oddHeader.center.text = "Top &P"
    sheet.oddFooter.left.text = '&"Arial,Bold"Bottom'
    other = made.create_sheet("Second", 0)
    other["C2"] = "first tab"
    document = saved(made, ".xlsx")
    assert outline(document) == [
        ("sheet", "Second", 1, "Second"),
        ("row", "first tab", 0, "Second!C2"),
        ("sheet", "금액", 1, "금액"),
        ("row", "text | 7 | 1.25 | 0.3 | True | 2024-02-29 | 2024-02-29 13:05:00 | 06:30:00 | a\nb | end", 0, "금액!A3:K3"),
        ("row", "=SUM(B3:C3)", 0, "금액!A5"),
        ("header", "Top", 0, "금액"),
        ("footer", "Bottom", 0, "금액"),
        ("comment", "checked", 0, "금액!B3"),
    ]  # fmt: skip


@mark.parametrize(
    ("code", "number", "shown"),
    [
        ("General", 45351.0, "45351"), ("0.00", 45351.5, "45351.5"), ("yyyy-mm-dd", 45351, "2024-02-29"),
        ('yyyy"년" m"월" d"일"', 45351, "2024-02-29"), ("[$-412]yyyy/m/d;@", 45351, "2024-02-29"),
        ("h:mm", 0.5, "12:00:00"), ("[h]:mm:ss", 1.5, "36:00:00"), ("mmm", 45351, "2024-02-29"),
        ("m/d/yy h:mm", 45351.25, "2024-02-29 06:00:00"), ('0 "days"', 45351, "45351"), ("[Red]0.0", 1.5, "1.5"),
        ("yyyy-mm-dd", 59, "1900-02-28"), ("yyyy-mm-dd", 61, "1900-03-01"), ("yyyy-mm-dd", -1, "-1"),
        ("yyyy-mm-dd", 1e9, "1000000000"), ("#,##0", 1234567, "1234567"), ("0%", 0.25, "0.25"),
    ],
)  # fmt: skip
def test_excel_days_and_times_are_told_from_numbers(code: str, number: float, shown: str) -> None:
    made = openpyxl.Workbook()
    made.active["A1"] = number
    made.active["A1"].number_format = code
    assert texts(saved(made, ".xlsx"), "row") == [shown]


def test_excel_counts_from_1904_where_the_file_says_so() -> None:
    made = openpyxl.Workbook()
    made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    made.active["A1"] = datetime(2024, 2, 29)
    assert texts(saved(made, ".xlsx"), "row") == ["2024-02-29"]


def test_excel_strings_may_be_rich_inline_or_without_a_place() -> None:
    rows = (
        '<row><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is></c>'
        '<c t="str"><f>A1</f><v>formula</v></c><c t="e"><v>#N/A</v></c></row>'
    )
    data = packages.package(
        {
            "xl/workbook.xml": f'<workbook {packages._X}><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
            "xl/worksheets/s.xml": f"<worksheet {packages._X}><sheetData>{rows}</sheetData></worksheet>",
        },
        {"": packages._root("xl/workbook.xml"), "xl/workbook.xml": {"r1": ("worksheet", "worksheets/s.xml")}},
        "",
    )
    assert outline(parse_bytes(data, suffix=".xlsx"))[1:] == [("row", "inline | formula | #N/A", 0, "S!A1:C1")]


# PowerPoint


def test_powerpoint_slides_stand_in_the_order_they_are_shown() -> None:
    made = pptx.Presentation()
    for number in range(1, 12):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = f"slide title {number}"
    slides = made.slides._sldIdLst
    slides.insert(0, slides[10])
    assert texts(saved(made, ".pptx"), "heading") == [f"slide title {n}" for n in (11, *range(1, 11))]


def test_powerpoint_shapes_groups_tables_charts_and_notes() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "계획"
    slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "first\nsecond"
    slide.shapes.add_group_shape().shapes.add_textbox(0, 0, 9, 9).text_frame.text = "grouped"
    table = slide.shapes.add_table(2, 2, 0, 0, 9, 9).table
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text = f"r{row}c{column}"
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("Revenue", (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9, 9, data).chart.chart_title.text_frame.text = "Shares"
    slide.notes_slide.notes_text_frame.text = "say it"
    assert outline(saved(made, ".pptx")) == [
        ("heading", "계획", 1, "slide 1"),
        ("slide", "first\nsecond", 0, "slide 1"),
        ("slide", "grouped", 0, "slide 1"),
        ("row", "r0c0 | r0c1", 0, "slide 1 row 1"),
        ("row", "r1c0 | r1c1", 0, "slide 1 row 2"),
        ("textbox", "Shares\nRevenue\nNorth, South", 0, "slide 1"),
        ("note", "say it", 0, "slide 1 notes"),
    ]


@mark.parametrize(
    ("name", "xml"),
    [
        ("legacy", f'<p:cmLst {packages._P}><p:cm><p:pos x="1" y="1"/><p:text>look here</p:text></p:cm></p:cmLst>'),
        (
            "modern",
            (
                '<p188:cmLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" '
                'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p188:cm><p188:txBody><a:p><a:r><a:t>look '
                "here</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>"
            ),
        ),
    ],
)
def test_powerpoint_comments_of_both_kinds(name: str, xml: str) -> None:
    parts = {
        "ppt/presentation.xml": f'<p:presentation {packages._P}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>',
        "ppt/slides/slide1.xml": packages.Slide("t", []).xml(),
        "ppt/comments/comment1.xml": xml,
    }
    relations = {
        "": packages._root("ppt/presentation.xml"),
        "ppt/presentation.xml": {"r1": ("slide", "slides/slide1.xml")},
        "ppt/slides/slide1.xml": {"r1": ("comments", "../comments/comment1.xml")},
    }
    document = parse_bytes(packages.package(parts, relations, ""), suffix=".pptx")
    assert texts(document, "comment") == ["look here"]


# What all three share


def word_with(kind: str, target: str, content: str, anchor: str) -> Document:
    """A Word document with one more part that its body refers to."""
    parts = {
        "word/document.xml": f"<w:document {W}><w:body><w:p>{run('text')}{anchor}</w:p></w:body></w:document>",
        f"word/{target}": content,
    }
    main = {"r9": (kind, target)}
    relations = {"": packages._root("word/document.xml"), "word/document.xml": main}
    return parse_bytes(packages.package(parts, relations, ""), suffix=".docx")


def test_diagrams_are_read_by_their_words() -> None:
    names = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    data = (
        f'<dgm:dataModel {names} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>'
        + "".join(
            f"<dgm:pt><dgm:t><a:p><a:r><a:t>{word}</a:t></a:r></a:p></dgm:t></dgm:pt>" for word in ("Plan", "실행")
        )
        + "</dgm:ptLst></dgm:dataModel>"
    )
    document = word_with("diagramData", "diagrams/data1.xml", data, f'<w:r><dgm:relIds {names} r:dm="r9"/></w:r>')
    assert outline(document)[1:] == [("textbox", "Plan\n실행", 0, "paragraph 1 drawing")]


def test_embedded_files_are_not_read_and_it_says_so() -> None:
    document = word_with("package", "embeddings/table.xlsx", "x", "")
    assert document.warnings == ("1 embedded files are not read (first: table.xlsx)",)


def test_text_boxes_on_a_sheet_are_read() -> None:
    drawing = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody><a:p><a:r><a:t>on the '
        "sheet</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>"
    )
    parts = {
        "xl/workbook.xml": f'<workbook {packages._X}><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
        "xl/worksheets/s.xml": f"<worksheet {packages._X}/>",
        "xl/drawings/d.xml": drawing,
    }
    relations = {
        "": packages._root("xl/workbook.xml"),
        "xl/workbook.xml": {"r1": ("worksheet", "worksheets/s.xml")},
        "xl/worksheets/s.xml": {"r1": ("drawing", "../drawings/d.xml")},
    }
    assert texts(parse_bytes(packages.package(parts, relations, ""), suffix=".xlsx"), "textbox") == ["on the sheet"]


def test_a_package_is_read_however_its_parts_are_named() -> None:
    document = f"<w:document {W}><w:body>{w_paragraph('here')}</w:body></w:document>"
    parts = {"Docs/Main Part.xml": document}
    relations = {"": {"r1": ("officeDocument", "/docs/main%20part.xml")}}
    data = packages.package(parts, relations, "")
    assert parse_bytes(data, suffix=".docx").text == "here"
