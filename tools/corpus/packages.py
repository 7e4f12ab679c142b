"""Writes Office files and Hangul documents in XML: ZIP archives whose bytes depend on nothing else.

Knows the few parts a reader must find, and one way to write each thing that holds text.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_EPOCH = (2024, 1, 1, 0, 0, 0)
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OPEN = "http://schemas.openxmlformats.org"
_W = f'xmlns:w="{_OPEN}/wordprocessingml/2006/main" xmlns:r="{_OPEN}/officeDocument/2006/relationships"'
_X = f'xmlns="{_OPEN}/spreadsheetml/2006/main" xmlns:r="{_OPEN}/officeDocument/2006/relationships"'
_P = (
    f'xmlns:a="{_OPEN}/drawingml/2006/main" xmlns:p="{_OPEN}/presentationml/2006/main" '
    f'xmlns:r="{_OPEN}/officeDocument/2006/relationships"'
)
_SHAPE = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"'
)
_HP = (
    'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" '
    'xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head" xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core"'
)
_TYPES = {
    "word/document.xml": "wordprocessingml.document.main", "word/styles.xml": "wordprocessingml.styles",
    "word/footnotes.xml": "wordprocessingml.footnotes", "word/comments.xml": "wordprocessingml.comments",
    "word/header1.xml": "wordprocessingml.header", "word/footer1.xml": "wordprocessingml.footer",
    "xl/workbook.xml": "spreadsheetml.sheet.main", "xl/styles.xml": "spreadsheetml.styles",
    "xl/sharedStrings.xml": "spreadsheetml.sharedStrings", "xl/comments1.xml": "spreadsheetml.comments",
    "ppt/presentation.xml": "presentationml.presentation.main",
}  # fmt: skip


def archive(members: Mapping[str, str | bytes], stored: Sequence[str] = ()) -> bytes:
    """A ZIP file with these members, in this order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            target.writestr(member, content)
    return buffer.getvalue()


def package(parts: Mapping[str, str], relations: Mapping[str, Mapping[str, tuple[str, str]]], title: str) -> bytes:
    """An Office file; `relations` says for a part ("" for the package): id → (type, target)."""
    core = (
        f'<cp:coreProperties xmlns:cp="{_OPEN}/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>'
    )
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>'
        for name in parts
        if (kind := _TYPES.get(name) or _numbered(name))
    )
    types = (
        f'<Types xmlns="{_OPEN}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
    members = {"[Content_Types].xml": types, "docProps/core.xml": core, **parts}
    for part, targets in relations.items():
        folder, _, name = part.rpartition("/")
        rows = "".join(
            f'<Relationship Id="{key}" Type="{_relation(kind)}" Target="{target}"/>'
            for key, (kind, target) in targets.items()
        )
        where = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
        members[where] = f'<Relationships xmlns="{_OPEN}/package/2006/relationships">{rows}</Relationships>'
    return archive({name: _HEAD + content for name, content in members.items()})


def _numbered(name: str) -> str:
    for start, kind in (
        ("xl/worksheets/", "spreadsheetml.worksheet"),
        ("ppt/slides/", "presentationml.slide"),
        ("ppt/notesSlides/", "presentationml.notesSlide"),
    ):
        if name.startswith(start):
            return kind
    return ""


def _relation(kind: str) -> str:
    if kind == "core-properties":
        return f"{_OPEN}/package/2006/relationships/metadata/core-properties"
    return f"{_OPEN}/officeDocument/2006/relationships/{kind}"


def w_run(text: str) -> str:
    """A run of Word text."""
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def w_paragraph(text: str, style: str = "", more: str = "") -> str:
    """A paragraph; `more` is what is anchored behind its text."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{w_run(text) if text else ''}{more}</w:p>"


def w_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of plain cells."""
    cells = ("".join(f"<w:tc>{w_paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def w_note(number: int, kind: str = "footnote") -> str:
    """A reference to a footnote or a comment."""
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def w_box(text: str) -> str:
    """A text box, in both of the ways Word writes it."""
    content = f"<w:txbxContent>{w_paragraph(text)}</w:txbxContent>"
    return (
        f"<w:r><mc:AlternateContent {_SHAPE}><mc:Choice Requires='wps'><w:drawing><wps:wsp><wps:txbx>{content}"
        f"</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>{content}"
        "</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


def docx(
    body: Sequence[str], title: str, *, footnotes: Sequence[str] = (), comments: Sequence[str] = (), header: str = "",
    footer: str = "",
) -> bytes:  # fmt: skip
    """A Word document; footnotes and comments are numbered from 1."""
    margins = '<w:headerReference w:type="default" r:id="rId3"/>' if header else ""
    margins += '<w:footerReference w:type="default" r:id="rId4"/>' if footer else ""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    parts = {
        "word/document.xml": f"<w:document {_W}><w:body>{''.join(body)}<w:sectPr>{margins}</w:sectPr></w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
    }
    main = {"rId1": ("styles", "styles.xml")}
    for kind, texts, key in (("footnote", footnotes, "rId2"), ("comment", comments, "rId5")):
        if texts:
            rows = (f'<w:{kind} w:id="{n}">{w_paragraph(text)}</w:{kind}>' for n, text in enumerate(texts, 1))
            parts[f"word/{kind}s.xml"] = f"<w:{kind}s {_W}>{''.join(rows)}</w:{kind}s>"
            main[key] = (f"{kind}s", f"{kind}s.xml")
    for kind, text, key, tag in (("header", header, "rId3", "hdr"), ("footer", footer, "rId4", "ftr")):
        if text:
            parts[f"word/{kind}1.xml"] = f"<w:{tag} {_W}>{w_paragraph(text)}</w:{tag}>"
            main[key] = (kind, f"{kind}1.xml")
    return package(parts, {"": _root("word/document.xml"), "word/document.xml": main}, title)


def _root(main: str) -> dict[str, tuple[str, str]]:
    return {"rId1": ("officeDocument", main), "rId2": ("core-properties", "docProps/core.xml")}


Cell = str | int | float | tuple[str, float]  # ("date", days) is shown as a day


def xlsx(
    sheets: Mapping[str, Sequence[Sequence[Cell]]], title: str, *, comments: Mapping[str, str] | None = None
) -> bytes:
    """A workbook; comments are on the first sheet, by cell."""
    strings: dict[str, int] = {}
    parts: dict[str, str] = {}
    listed, main = "", {"rId90": ("sharedStrings", "sharedStrings.xml"), "rId91": ("styles", "styles.xml")}
    for number, (name, rows) in enumerate(sheets.items(), 1):
        data = "".join(_row(r, row, strings) for r, row in enumerate(rows, 1))
        parts[f"xl/worksheets/sheet{number}.xml"] = f"<worksheet {_X}><sheetData>{data}</sheetData></worksheet>"
        listed += f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        main[f"rId{number}"] = ("worksheet", f"worksheets/sheet{number}.xml")
    parts["xl/workbook.xml"] = f"<workbook {_X}><sheets>{listed}</sheets></workbook>"
    items = "".join(f"<si><t>{escape(text)}</t></si>" for text in strings)
    parts["xl/sharedStrings.xml"] = f"<sst {_X}>{items}</sst>"
    fill = "<fill><patternFill/></fill>" * 2
    parts["xl/styles.xml"] = (
        f"<styleSheet {_X}><fonts><font/></fonts><fills>{fill}</fills><borders><border/></borders>"
        '<cellStyleXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs>'
        '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
        '<xf numFmtId="14" fontId="0" fillId="0" borderId="0"/></cellXfs></styleSheet>'
    )
    relations = {"": _root("xl/workbook.xml"), "xl/workbook.xml": main}
    if comments:
        rows = "".join(
            f'<comment ref="{place}" authorId="0"><text><t>{escape(text)}</t></text></comment>'
            for place, text in comments.items()
        )
        parts["xl/comments1.xml"] = (
            f"<comments {_X}><authors><author/></authors><commentList>{rows}</commentList></comments>"
        )
        relations["xl/worksheets/sheet1.xml"] = {"rId1": ("comments", "../comments1.xml")}
    return package(parts, relations, title)


def _row(number: int, row: Sequence[Cell], strings: dict[str, int]) -> str:
    cells = "".join(_cell(f"{chr(64 + column)}{number}", cell, strings) for column, cell in enumerate(row, 1))
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, value: Cell, strings: dict[str, int]) -> str:
    if isinstance(value, tuple):
        return f'<c r="{place}" s="1"><v>{value[1]}</v></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="s"><v>{strings.setdefault(value, len(strings))}</v></c>' if value else ""
    return f'<c r="{place}"><v>{value}</v></c>'


class Slide:
    """A slide: its title, its lines, a table, and what the speaker says."""

    def __init__(self, title: str, lines: Sequence[str], table: Sequence[Sequence[str]] = (), notes: str = "") -> None:
        self.title, self.lines, self.table, self.notes = title, lines, table, notes

    def xml(self) -> str:
        """Its part."""
        table = ""
        if self.table:
            rows = "".join(
                '<a:tr h="1">' + "".join(f"<a:tc>{_frame('a', [cell])}</a:tc>" for cell in row) + "</a:tr>"
                for row in self.table
            )
            grid = '<a:gridCol w="1"/>' * len(self.table[0])
            table = (
                '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="t"/><p:cNvGraphicFramePr/><p:nvPr/>'
                '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="1" cy="1"/></p:xfrm><a:graphic>'
                f'<a:graphicData uri="{_OPEN}/drawingml/2006/table"><a:tbl><a:tblGrid>{grid}</a:tblGrid>{rows}</a:tbl>'
                "</a:graphicData></a:graphic></p:graphicFrame>"
            )
        shapes = _p_shape(2, "title", [self.title]) + _p_shape(3, "body", self.lines) + table
        return f"<p:sld {_P}><p:cSld><p:spTree>{_GROUP}{shapes}</p:spTree></p:cSld></p:sld>"


_GROUP = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'


def _frame(prefix: str, lines: Sequence[str]) -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in lines)
    return f"<{prefix}:txBody><a:bodyPr/>{paragraphs}</{prefix}:txBody>"


def _p_shape(number: int, kind: str, lines: Sequence[str]) -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="s{number}"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"/></p:nvPr>'
        f"</p:nvSpPr><p:spPr/>{_frame('p', lines)}</p:sp>"
    )


def pptx(slides: Sequence[Slide], title: str) -> bytes:
    """A presentation."""
    parts: dict[str, str] = {}
    listed = ""
    main: dict[str, tuple[str, str]] = {}
    relations: dict[str, Mapping[str, tuple[str, str]]] = {}
    for number, slide in enumerate(slides, 1):
        name = f"slides/slide{number}.xml"
        parts[f"ppt/{name}"] = slide.xml()
        main[f"rId{number}"] = ("slide", name)
        listed += f'<p:sldId id="{255 + number}" r:id="rId{number}"/>'
        if slide.notes:
            notes = f"<p:notes {_P}><p:cSld><p:spTree>{_GROUP}{_p_shape(2, 'body', [slide.notes])}</p:spTree></p:cSld></p:notes>"
            parts[f"ppt/notesSlides/notesSlide{number}.xml"] = notes
            relations[f"ppt/{name}"] = {"rId1": ("notesSlide", f"../notesSlides/notesSlide{number}.xml")}
    parts["ppt/presentation.xml"] = (
        f'<p:presentation {_P}><p:sldIdLst>{listed}</p:sldIdLst><p:notesSz cx="1" cy="1"/></p:presentation>'
    )
    return package(parts, {"": _root("ppt/presentation.xml"), "ppt/presentation.xml": main, **relations}, title)


def hp_paragraph(*pieces: str, shape: int = 0) -> str:
    """A paragraph of a Hangul document: text, or the XML of what is anchored."""
    runs = (piece if piece.startswith("<hp:") else f"<hp:t>{escape(piece)}</hp:t>" for piece in pieces)
    return f'<hp:p id="0" paraPrIDRef="{shape}" styleIDRef="0"><hp:run charPrIDRef="0">{"".join(runs)}</hp:run></hp:p>'


def hp_list(tag: str, *paragraphs: str, attributes: str = "") -> str:
    """An element that holds a list of paragraphs: hp:footNote, hp:header, hp:hiddenComment, …"""
    return f"<{tag}{attributes}><hp:subList>{''.join(paragraphs)}</hp:subList></{tag}>"


def hp_table(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table; a cell is the XML of its paragraphs."""
    body = "".join("<hp:tr>" + "".join(hp_list("hp:tc", cell) for cell in row) + "</hp:tr>" for row in rows)
    return f"<hp:tbl>{hp_list('hp:caption', caption) if caption else ''}{body}</hp:tbl>"


def hwpx(sections: Sequence[Sequence[str]], title: str, *, outline: Mapping[int, int] | None = None) -> bytes:
    """A Hangul document in XML; `outline` makes paragraphs of a shape headings: shape → level from 1."""
    shapes = "".join(
        f'<hh:paraPr id="{shape}"><hh:heading type="OUTLINE" idRef="0" level="{level - 1}"/></hh:paraPr>'
        for shape, level in (outline or {}).items()
    )
    names = [f"Contents/section{number}.xml" for number in range(len(sections))]
    items = "".join(f'<opf:item id="s{n}" href="{name}" media-type="application/xml"/>' for n, name in enumerate(names))
    spine = "".join(f'<opf:itemref idref="s{n}"/>' for n in range(len(names)))
    members: dict[str, str | bytes] = {
        "mimetype": "application/hwp+zip",
        "META-INF/container.xml": '<ocf:container xmlns:ocf="urn:oasis:names:tc:opendocument:xmlns:container"><ocf:rootfiles>'
        '<ocf:rootfile full-path="Contents/content.hpf"/></ocf:rootfiles></ocf:container>',
        "Contents/content.hpf": '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:metadata>'
        f"<opf:title>{escape(title)}</opf:title></opf:metadata><opf:manifest>{items}</opf:manifest>"
        f"<opf:spine>{spine}</opf:spine></opf:package>",
        "Contents/header.xml": f"<hh:head {_HP}>{shapes}</hh:head>",
    }
    for name, paragraphs in zip(names, sections, strict=True):
        members[name] = f"<hs:sec {_HP}>{''.join(paragraphs)}</hs:sec>"
    return archive(members, stored=("mimetype",))
