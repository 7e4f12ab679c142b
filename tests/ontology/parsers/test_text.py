"""Formats made of lines: what parts them, and which lines a section says it stands in."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import mark, raises

from oracl_git.ontology.parsers import Document, Refused, parse

MARKDOWN = """\
---
title: Leave policy
---
# Leave *policy*

Twenty days a year.
They expire.

| kind | days |
|------|-----:|
| sick | 10   |

```sh
# no heading
```

휴가 규정
---------
연차는 이월되지 않는다.
"""

RST = """\
======
Manual
======

An example::

   print(1)

     print(2)

Details
-------

====  =====
name  value
====  =====
a     1 2
====  =====

+-----+-----+
| one | two |
+=====+=====+
| 3   | 4   |
|     | 5   |
+-----+-----+
"""


def read(tmp_path: Path, name: str, data: bytes | str) -> Document:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return parse(str(path), suffix=path.suffix)


def outline(document: Document) -> list[tuple[str, str, int, str]]:
    return [(section.kind, section.text, section.level, section.location) for section in document.sections]


def test_markdown_is_parted_by_headings_rows_and_code(tmp_path: Path) -> None:
    document = read(tmp_path, "a.md", MARKDOWN)
    assert document.title == "Leave policy"
    assert outline(document) == [
        ("heading", "Leave policy", 1, "L4"),
        ("paragraph", "Twenty days a year.\nThey expire.", 0, "L6-7"),
        ("row", "kind | days", 0, "L9"),
        ("row", "sick | 10", 0, "L11"),
        ("code", "# no heading", 0, "L13-15"),
        ("heading", "휴가 규정", 2, "L17-18"),
        ("paragraph", "연차는 이월되지 않는다.", 0, "L19"),
    ]


def test_restructured_text_is_parted_by_titles_tables_and_literal_blocks(tmp_path: Path) -> None:
    assert outline(read(tmp_path, "a.rst", RST)) == [
        ("heading", "Manual", 1, "L1-3"),
        ("paragraph", "An example::", 0, "L5"),
        ("code", "print(1)\n\n  print(2)", 0, "L7-9"),
        ("heading", "Details", 2, "L11-12"),
        ("row", "name | value", 0, "L15"),
        ("row", "a | 1 2", 0, "L17"),
        ("row", "one | two", 0, "L21"),
        ("row", "3 | 4 5", 0, "L23-24"),
    ]


def test_csv_records_are_rows_wherever_they_break(tmp_path: Path) -> None:
    document = read(tmp_path, "a.csv", 'name;note\nKim;"one\ntwo"\n;\nLee;"a;b"\n')
    assert outline(document) == [
        ("row", "name | note", 0, "L1"),
        ("row", "Kim | one two", 0, "L2-3"),
        ("row", "Lee | a;b", 0, "L5"),
    ]


@mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp949"])
def test_korean_is_read_in_the_encodings_it_comes_in(tmp_path: Path, encoding: str) -> None:
    text = "계약 기간은 2년으로 한다.\r\n해지는 서면으로 한다.\r\n" * 4
    document = read(tmp_path, "a.txt", text.encode(encoding))
    assert document.text.split() == text.split()


@mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_plain_english_without_a_mark_is_read_too(tmp_path: Path, encoding: str) -> None:
    document = read(tmp_path, "a.txt", "The quince is ripe.\n".encode(encoding))
    assert document.text.strip() == "The quince is ripe." and document.metadata["encoding"] == "utf-16"


def test_lines_of_two_encodings_are_each_read_in_their_own(tmp_path: Path) -> None:
    lines = ["# 혼합 문서", "환불은 7일 이내에 한다.", "Ein café in Köln.", "plain"]
    data = b"\n".join(line.encode(name) for line, name in zip(lines, ("utf-8", "cp949", "cp1252", "ascii"), strict=True))
    document = read(tmp_path, "a.txt", data)
    assert document.text == "\n".join(lines)
    assert document.warnings == ("some lines are not UTF-8: read each by itself",)
    korean = "\n".join(["계약 기간은 2년", "夏", "치", "해지는 서면으로"])
    assert read(tmp_path, "b.txt", korean.encode("cp949")).text == korean


def test_western_text_is_not_taken_for_korean(tmp_path: Path) -> None:
    document = read(tmp_path, "a.txt", "Der Müßiggang, ein café, naïve Übung".encode("latin-1"))
    assert document.text == "Der Müßiggang, ein café, naïve Übung"
    assert document.warnings == ("not UTF-8: read as cp1252",)


def test_nul_and_surrogates_are_cleaned_and_binary_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, "a.txt", b"a\0b\x1bc \xef\xbf\xbf d").text == "abc  d"
    with raises(Refused) as caught:
        read(tmp_path, "b.txt", bytes(range(32)) * 40)
    assert caught.value.reason_code == "malformed"


@mark.parametrize("suffix", [".txt", ".md", ".rst", ".csv"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.one_of(st.binary(max_size=300), st.text(alphabet="#=-|+`~ \n\r\t:.*a가", max_size=300).map(str.encode)))
def test_any_bytes_are_read_or_refused(suffix: str, data: bytes) -> None:
    fd = os.memfd_create("any")
    os.write(fd, data)
    try:
        document = parse(fd, suffix=suffix)
    except Refused:
        return
    finally:
        os.close(fd)
    last = 0
    for section in document.sections:
        first, _, end = section.location.removeprefix("L").partition("-")
        assert last < int(first) <= int(end or first)  # in order, and never twice
        last = int(end or first)
