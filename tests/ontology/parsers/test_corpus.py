"""The example corpus: every format, both languages, rebuilt from its script, safe to publish."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pytest import mark

from oracl_git.ontology.parsers import FORMATS, LIMITS, Document, image, parse, parse_bytes, suffix_of
from oracl_git.ontology.parsers.model import REASONS, About
from tools.corpus import build

FOLDER = Path(__file__).parents[3] / "examples" / "ontology-corpus"
FILES = sorted(path.name for path in FOLDER.iterdir())


def read(name: str) -> Document:
    path = FOLDER / name
    missing = [one for one in FORMATS.values() if path.suffix in one.suffixes and one.unavailable()]
    if missing:
        pytest.skip(missing[0].unavailable())
    return parse(str(path), suffix=suffix_of(str(path)))


def test_every_format_and_both_languages_are_there() -> None:
    suffixes = {Path(name).suffix for name in FILES}
    assert all(suffixes & set(one.suffixes) for one in FORMATS.values() if one.suffixes)
    everything = "\n".join(read(name).text for name in FILES if not name.endswith(".png"))
    assert len(re.findall("[가-힣]{2,}", everything)) > 50 and len(re.findall("[a-z]{4,}", everything)) > 200


@mark.parametrize("name", FILES)
def test_each_file_is_small_read_and_safe_to_publish(name: str) -> None:
    assert (FOLDER / name).stat().st_size < 100_000
    document = read(name)
    assert document.sections and not document.warnings
    assert not re.search(r"[\w.]+@[\w.]+\.\w+|\d{3}[- ]\d{3,4}[- ]\d{4}|\d{6}-\d{7}", document.text)


@mark.parametrize("name", build.BINARY)
def test_the_script_builds_what_is_there(name: str) -> None:
    assert parse_bytes(build.BINARY[name](), suffix=Path(name).suffix) == read(name)
    assert build.BINARY[name]() == build.BINARY[name]()


def languages() -> str:
    if shutil.which("tesseract") is None:
        return ""
    return subprocess.run(["tesseract", "--list-langs"], capture_output=True, check=True, text=True).stdout


@mark.skipif("eng" not in languages(), reason="needs tesseract")
def test_pictures_are_read() -> None:
    assert read("notice-en.png").text == build.PICTURES["notice-en.png"]


@mark.skipif("eng" not in languages(), reason="needs tesseract")
def test_a_picture_that_was_read_ahead_is_read_from_its_start() -> None:
    """Python 3.14 reads 128 KiB ahead, the whole of a small picture."""
    with (FOLDER / "notice-en.png").open("rb", buffering=1 << 17) as picture:
        about = About(suffix=".png", title="", warnings=[], metadata={})
        assert "\n\n".join(each.text for each in image.read(picture, about, LIMITS)) == build.PICTURES["notice-en.png"]


@mark.skipif("kor" not in languages(), reason="needs tesseract's Korean data")
def test_korean_pictures_are_read_in_words() -> None:
    document = read("notice-ko.png")
    assert document.metadata["ocr"] == "tesseract kor+eng"
    expected = build.PICTURES["notice-ko.png"].split()
    assert len(set(expected) & set(document.text.split())) >= 0.9 * len(expected)


PAGE = (FOLDER.parents[1] / "docs" / "reference" / "document-formats.md").read_text(encoding="utf-8")


def test_every_suffix_reason_and_limit_is_documented() -> None:
    assert [suffix for one in FORMATS.values() for suffix in one.suffixes if f"`{suffix}`" not in PAGE] == []
    assert [reason for reason, status in REASONS.items() if f"| `{reason}` | `{status}` |" not in PAGE] == []
    for value in (LIMITS.members, LIMITS.pages, LIMITS.sections):
        assert f"{value:,}" in PAGE
    for value in (LIMITS.file_bytes, LIMITS.member_bytes, LIMITS.expanded_bytes, LIMITS.memory):
        assert f"{value >> 20} MiB" in PAGE


def test_spans_have_the_types_the_store_knows() -> None:
    spans = {span for one in FORMATS.values() for _, span in one.spans}
    assert spans == set(
        "line_range json_path csv_row docx_paragraph docx_table xlsx_row pptx_slide pptx_notes pdf_page hwpx_paragraph "
        "hwpx_table hwp5_para_text image_ocr".split()
    )
    assert [FORMATS["docx"].span(kind) for kind in ("row", "heading")] == ["docx_table", "docx_paragraph"]
