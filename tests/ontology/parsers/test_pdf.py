"""PDFs: pages, outline, what was filled in or noted, pages without text, dates."""

from __future__ import annotations

import importlib.util
import io
import shutil
from dataclasses import replace
from hashlib import sha256

import pypdfium2 as pdfium
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from oracl_git.ontology.parsers import FORMATS, LIMITS, Document, Refused, parse_bytes
from oracl_git.ontology.parsers.pdf import _date, parted
from tools.corpus import pdf


def read(data: bytes) -> Document:
    return parse_bytes(data, suffix=".pdf")


def outline(document: Document) -> list[tuple[str, str, int, str]]:
    return [(section.kind, section.text, section.level, section.location) for section in document.sections]


def test_a_page_is_a_section_unless_the_outline_parts_it() -> None:
    data = pdf.pdf([["Intro (one)", "한국어 문장이다."], ["1. Scope", "covers all"]], "Title", [("Scope", 1)])
    document = read(data)
    assert (document.title, document.metadata["pages"]) == ("Title", "2")
    assert outline(document) == [
        ("page", "Intro (one)\n한국어 문장이다.", 0, "page 1"),
        ("heading", "1. Scope", 1, "page 2"),
        ("page", "covers all", 0, "page 2"),
    ]


def with_annotations(*annotations: str) -> bytes:
    """A page that says "Printed", with annotations."""
    numbers = " ".join(f"{6 + n} 0 R" for n in range(len(annotations)))
    content = "BT /F1 12 Tf 60 700 Td (Printed) Tj ET"
    return pdf._file([
        (f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{numbers}] /NeedAppearances true /DA (/F1 12 Tf 0 g) "
        f"/DR << /Font << /F1 3 0 R >> >> >> >>"),
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        pdf._LATIN,
        (f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R "
        f"/Annots [{numbers}] >>"),
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        *annotations,
    ])  # fmt: skip


def test_form_fields_show_what_was_filled_in() -> None:
    field = (
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (filled in) /Rect [60 600 300 620] /F 4 /P 4 0 R "
        "/DA (/F1 12 Tf 0 g) >>"
    )
    assert read(with_annotations(field)).text.split() == ["Printed", "filled", "in"]


def test_notes_and_marks_are_comments() -> None:
    note = "<< /Type /Annot /Subtype /Text /Contents (look at this) /Rect [10 10 30 30] >>"
    mark = "<< /Type /Annot /Subtype /Highlight /Contents (too high) /Rect [60 690 120 710] /QuadPoints [60 710 120 710 60 690 120 690] >>"
    link = "<< /Type /Annot /Subtype /Link /Contents (not a comment) /Rect [10 10 30 30] >>"
    found = outline(read(with_annotations(note, mark, link)))
    assert [row[:2] for row in found] == [("page", "Printed"), ("comment", "look at this"), ("comment", "too high")]


def test_pages_that_are_pictures_are_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in (True, False):  # Tesseract sees no word in it either
        if not tool:
            monkeypatch.setattr("shutil.which", lambda name: None)
        with pytest.raises(Refused) as caught:
            read(pdf.picture_pdf())
        assert (caught.value.reason_code, caught.value.status) == ("no_text", "unsupported_pending_adapter")
    assert read(pdf.pdf([["text"], []])).warnings == ("no text on 1 of 2 pages (first: page 2)",)


def scanned(words: list[list[str]], text: list[str]) -> bytes:
    """A PDF whose pages are pictures of words, and one page with a text layer."""
    whole = pdfium.PdfDocument(pdf.pdf([text]))
    drawn = pdfium.PdfDocument(pdf.pdf(words))
    for page in drawn:
        bitmap = page.render(scale=2)
        picture = pdfium.PdfImage.new(whole)
        picture.set_bitmap(bitmap)
        width, height = page.get_size()
        picture.set_matrix(pdfium.PdfMatrix().scale(width, height))
        added = whole.new_page(width, height)
        added.insert_obj(picture)
        added.gen_content()
    out = io.BytesIO()
    whole.save(out)
    return out.getvalue()


WORDS = [["The granary roof was mended", "by four carpenters in spring"], ["A second page about harbours"]]


@pytest.mark.skipif(bool(FORMATS["scan"].unavailable()), reason="needs tesseract")
def test_scanned_pages_are_read_by_tesseract_in_their_order() -> None:
    document = read(scanned(WORDS, ["A typed page"]))
    assert (document.format, document.metadata["ocr"][:9]) == ("scan", "tesseract")
    assert [section.location for section in document.sections] == ["page 1", "page 2", "page 3"]
    assert [section.kind for section in document.sections] == ["page", "ocr", "ocr"]
    assert document.sections[1].text.split() == " ".join(WORDS[0]).split()


@pytest.mark.skipif(bool(FORMATS["scan"].unavailable()), reason="needs tesseract")
def test_without_time_for_ocr_what_is_left_out_is_said() -> None:
    none = replace(LIMITS, ocr_seconds=0)
    mixed = parse_bytes(scanned(WORDS, ["A typed page"]), suffix=".pdf", limits=none)
    assert (mixed.format, mixed.metadata["ocr_left"], mixed.text) == ("pdf", "2", "A typed page")
    with pytest.raises(Refused) as caught:
        parse_bytes(pdf.picture_pdf(), suffix=".pdf", limits=none)
    assert caught.value.reason_code == "left_out"
    short = parse_bytes(scanned(WORDS, ["A typed page"]), suffix=".pdf", limits=replace(LIMITS, ocr_seconds=0.001))
    assert short.metadata["ocr_left"] == "2" and "2 scanned pages left out" in " ".join(short.warnings)


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext")
def test_where_pdfium_is_missing_pdftotext_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    from .test_faults import MADE, locked_pdf, refusal

    data = MADE[".pdf"]()
    wanted = parse_bytes(data, suffix=".pdf")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "pypdfium2" else find(name, *rest))
    found = parse_bytes(data, suffix=".pdf")
    assert found.format == "pdf" and found.text.split() == wanted.text.split()
    assert [section.location for section in found.sections][:1] == ["page 1"] and "pdftotext" in found.warnings[0]
    assert refusal(locked_pdf(), ".pdf").reason_code == "password"
    assert refusal(b"%PDF-1.7\n" + b"x" * 500, ".pdf").reason_code == "malformed"
    monkeypatch.setenv("PATH", "/nonexistent")
    assert refusal(data, ".pdf").reason_code == "missing"


def encrypted(user: bytes, owner: bytes) -> bytes:
    """A PDF in AES-256 (revision 5) that says "Sealed", with these passwords."""
    key, salt, none = bytes(range(32)), b"12345678abcdefgh", bytes(16)

    def cipher(secret: bytes, text: bytes) -> bytes:
        encryptor = Cipher(algorithms.AES(secret), modes.CBC(none)).encryptor()
        return encryptor.update(text) + encryptor.finalize()

    def known(password: bytes, more: bytes) -> tuple[bytes, bytes]:
        check = sha256(password + salt[:8] + more).digest() + salt
        return check, cipher(sha256(password + salt[8:] + more).digest(), key)

    u, ue = known(user, b"")
    o, oe = known(owner, u)
    told = cipher(key, none)  # what the permissions are: not looked at before the passwords
    lock = (
        f"/Encrypt << /Filter /Standard /V 5 /R 5 /Length 256 /P -4 /U <{u.hex()}> /UE <{ue.hex()}> /O <{o.hex()}> "
        f"/OE <{oe.hex()}> /Perms <{told.hex()}> /CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /StdCF /StrF /StdCF >> "
        "/ID [<01><01>] "
    )
    content = b"BT /F1 12 Tf 60 700 Td (Sealed) Tj ET"
    pad = 16 - len(content) % 16
    content = none + cipher(key, content + bytes([pad]) * pad)
    data = pdf._file([
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        pdf._LATIN,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
        f"<< /Length {len(content)} >>\nstream\n{content.decode('latin-1')}\nendstream",
    ])  # fmt: skip
    return data.replace(b"trailer\n<< ", b"trailer\n<< " + lock.encode())


def test_who_needs_no_password_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(encrypted(b"", b"owner")).text == "Sealed"
    unlocked = encrypted(b"user", b"")  # the owner's password is empty: anyone is the owner
    if shutil.which("pdftotext"):
        assert (read(unlocked).text.strip(), read(unlocked).format) == ("Sealed", "pdf")
    for tool in (True, False):
        if not tool:
            monkeypatch.setattr("shutil.which", lambda name: None)
        with pytest.raises(Refused) as caught:
            read(encrypted(b"user", b"owner") if tool else unlocked)
        assert (caught.value.reason_code, caught.value.hint) == ("password", "save it without one")


def test_dates_are_iso_8601() -> None:
    assert _date("D:20240229130501+09'00'") == "2024-02-29 13:05:01"
    assert _date("D:2024") == "2024"
    assert _date("yesterday") == "yesterday"


def test_titles_of_the_outline_are_found_by_their_words_once() -> None:
    rows = list(parted("1 Scope\nscope\ntext", [("Scope", 2), ("2024", 1)], "page 1"))
    assert [(row.kind, row.text) for row in rows if row.text] == [("heading", "1 Scope"), ("page", "scope\ntext")]
