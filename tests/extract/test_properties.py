"""Laws: never raise, partition the lines, round-trip, same answer every time."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracl_git.extract.extractor import extract, read
from oracl_git.extract.facts import Facts, decode, decode_links, decode_outline
from oracl_git.extract.languages import LANGUAGES, language_of

NAMES = [row.name for row in LANGUAGES]
READ = [
    "python", "markdown", "rst", "json", "yaml", "toml", "ini", "shell", "powershell", "javascript", "go", "html",
    "rust", "c", "cpp", "cargo", "java", "kotlin", "csharp", "ruby", "php", "maven", "gradle", "msbuild", "composer",
    "cmake", "proto", "thrift", "graphql", "sql",
]  # fmt: skip
PIECES = [
    b"def f(x):\n", b"    return a.b\n", b"class C:\n", b"import a.b as c\n", b"from .. import d\n", b"@e\n", b'"""',
    b"'", b'"', b"# see x/y.py\n", b"(", b")", b"[", b"]", b"{", b"}", b"[a](b.md)", b"`c.d`", b"# H\n", b"===\n",
    b"---\n", b"```\n", b":ref:`x`", b".. _l:\n", b".. toctree::\n", b"::\n\n", b"   z\n", b"key: v/w.yml\n",
    b"[s]\n", b"k = 'p.q:r'\n", b"$X/y.sh\n", b"<!--", b"-->", b"/*", b"*/", b"//", b"\\\n", b"\r\n", b"\r", b"\n",
    b"\t", b"\x0c", b"\xff", "é日本".encode(), b"lambda:", b"<a id='x'>", b"| a |\n", b"import 'x'\n",
    b"function f() {\n", b"\xe2\x80\xa8", b"\x85", b"f'{", b"if a: \n", b"= ", b"~~~\n",
    b"mod a { ", b"pub use a::{b, c::*};\n", b"m! {", b"fn f<'a>() {\n", b"r#\"",
    b"#[path = \"x\"]\nmod b;\n", b"#include <a.h>\n",
    b"add_subdirectory(", b"set(a ${a}", b"[=[", b"]=]", b"#[[",
    b"message a {\n", b"rpc a(b) returns (c);\n", b"type A {", b'"""', b"# import 'x'\n",
    b"create table a (", b"$$", b"--", b"\\i x.sql\n",
    b"#define X(a) \\\n", b"namespace n {\n", b"template <class T>\n", b"~A();\n", b"#if A\n", b"#endif\n",
]  # fmt: skip
UNIX = [piece for piece in PIECES if b"\r" not in piece]

texts = st.one_of(st.binary(max_size=400), st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join))


def check(data: bytes, facts: Facts) -> None:
    assert facts.error != "extractor"
    outline, links = facts.encode()
    assert decode(outline, links) == facts
    parts = [{f: getattr(part, f) for f in Facts._fields} for part in (decode_outline(outline), decode_links(links))]
    for field in Facts._fields:
        assert getattr(facts, field) in [part[field] for part in parts]
    if facts.skip:
        assert facts.chunks == ()
        return
    covered = [line for chunk in facts.chunks for line in range(chunk.start, chunk.end + 1)]
    assert covered == list(range(1, facts.lines + 1))
    assert len(facts.chunks) <= 2_000
    assert len(read(data, facts.language)[1]) == len(facts.chunks)
    spans = [(row.start, row.end) for row in facts.definitions] + [(row.start, row.end) for row in facts.references]
    assert all(1 <= start <= end <= facts.lines for start, end in spans)
    for _, line in (*facts.anchors, *facts.headings):
        assert 1 <= line <= facts.lines
    assert len({r[:3] for r in facts.references}) == len(facts.references)
    assert list(facts.references) == sorted(facts.references, key=lambda r: (r.start, r.end))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts, st.sampled_from(READ))
def test_any_bytes_in_any_language(data: bytes, language: str) -> None:
    facts = extract(data, language)
    check(data, facts)
    assert extract(data, language) == facts


@settings(max_examples=100, deadline=None)
@given(texts, st.sampled_from(NAMES))
def test_any_bytes_in_the_other_languages(data: bytes, language: str) -> None:
    check(data, extract(data, language))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([p for p in PIECES if b"\r" not in p]), max_size=40).map(b"".join), st.sampled_from(READ)
)
def test_line_ends_do_not_matter(data: bytes, language: str) -> None:
    unix = extract(data, language)
    for other in (data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\r")):
        same, texts = read(other, language)
        assert {f: getattr(same, f) for f in same._fields if f != "checksum"} == {
            f: getattr(unix, f) for f in unix._fields if f != "checksum"
        }
        assert texts == read(data, language)[1]


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_path_has_a_language(path: bytes, head: bytes) -> None:
    assert language_of(path, head) in NAMES
    assert language_of(path, b"#!" + head) in NAMES


REPEATED = [
    b"a", b" ", b"\n", b"(\n", b"a.", b"/", b"a/", b"a/b.py ", b"`", b"``\n", b"](", b"[a](b", b":a:`", b"::\n",
    b".. a::\n", b"\\\n", b'"', b"'''", b"#", b"# \n", b"/*", b"<!--", b"<a id=", b"a\n---\n", b"a =\n", b"[a]: \n",
    b"${{", b"$(", b"$a/", b"*\n", b"f'{", b"a()\n", b"def f():\n ", b"class a:\n ", b"from . import a\n",
    b"import a,", b"public static a ", b"\xff", b"aB1", "日".encode(), b"&&", b"- a: b\n", b'"a":\n', b"= \n",
    b"const a = (", b"x\r",
]  # fmt: skip


MUCH = "python markdown rst yaml json toml shell javascript c cpp rust go cmake".split()


@pytest.mark.parametrize("language", MUCH)
def test_much_of_anything_ends(language: str) -> None:
    for piece in REPEATED:
        data = (piece * (80_000 // len(piece) + 1))[:80_000]
        start = time.process_time()
        facts = read(data, language)[0]
        assert facts.error != "extractor"
        assert time.process_time() - start < 4, piece


@pytest.mark.parametrize("language", NAMES)
def test_a_line_of_a_megabyte_ends(language: str) -> None:
    data = (b"word a/b.py `c.d` (e) [f](g) x.y:z 'q' " * 26_000)[: 1 << 20]
    facts, texts = read(data, language)
    assert facts.lines == 1
    assert facts.skip == "generated" or len(texts) == 1


def test_the_same_in_another_process() -> None:
    data = b"import a, b.c\nfrom d import (e, f)\nx = y = 'p/q.py r/s.py t/u.py'\ndef g(): return a, b, e, f, x\n" * 20
    code = "import sys, oracl_git.extract.extractor as e; print(e.extract(sys.stdin.buffer.read(), 'python'))"
    answers = {
        subprocess.run(
            [sys.executable, "-c", code], input=data, capture_output=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1


@pytest.mark.parametrize("language", ["tsx", "javascript", "go", "java", "rust", "c", "csharp", "php", "kotlin"])
def test_what_is_never_closed_is_not_looked_for_again_and_again(language: str) -> None:
    text = (b"/* " * 30_000 + b"\n") * 4  # a scanner goes to the end for each of them, and starts after the sign
    before = time.process_time()
    facts = extract(text, language)
    assert facts.error in ("", "syntax", "too broken")
    assert time.process_time() - before < 20  # minutes without a bound


@pytest.mark.parametrize("quote", [b'"', b"'", b"`"])
@pytest.mark.parametrize("language", NAMES)
def test_a_string_that_never_ends_is_read_once(language: str, quote: bytes) -> None:
    text = b"// /* # -- ; %% { <!-- \n" + quote + (b"\\" + quote + b"\\\n") * 20_000  # each of them could begin one
    before = time.process_time()
    extract(text, language)
    assert time.process_time() - before < 3  # six seconds and more when each is tried


@pytest.mark.parametrize(
    ("language", "head", "row", "tail"),
    [
        ("python", b"TABLE = {\n", b'    "A": "\\u0041",\n', b"}\n"),
        ("c", b"static const int table[] =\n{\n", b"  0x12, 0x34, 0x56,\n", b"};\n"),
        ("go", b"const (\n", b"\tNAME Kind = 1\n", b")\n"),
        ("javascript", b"export const table = [\n", b'  {a: [1, 2], b: "c"},\n', b"];\n"),
        ("terraform", b"", b'resource "a" "b" {\n  c = 1\n}\n', b""),
        ("rust", b"static TABLE: &[u8] = &[\n", b"    1, 2, 3, 4,\n", b"];\n"),
    ],
)
def test_a_large_table_is_read(language: str, head: bytes, row: bytes, tail: bytes) -> None:
    last = {"python": b"def last(): pass\n", "c": b"int last(void) { return 1; }\n", "go": b"func last() {}\n"}
    text = (b"package x\n" if language == "go" else b"") + head + row * (500_000 // len(row)) + tail
    text += last.get(language, b"")
    before = time.process_time()
    facts = extract(text, language)
    assert facts.error == ""
    assert language not in last or facts.definitions[-1].name == "last" or len(facts.definitions) == 10_000
    assert time.process_time() - before < 8


@pytest.mark.parametrize(("language", "piece"), [("tsx", b"'a\n"), ("c", b"1,\n"), ("terraform", b'a "b" {}\n')])
def test_broken_text_is_given_up_by_its_first_piece(language: str, piece: bytes) -> None:
    before = time.process_time()
    assert extract(piece * (1_000_000 // len(piece)), language).error in ("", "syntax", "too broken")
    assert time.process_time() - before < 8  # ten seconds and more when all of it is parsed


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("kotlin", b"  override fun from(reader: JsonReader): Date {\n" * 820 + b"  @Throws(Failure::class)\n" * 820),
        ("tsx", b"            <ArrowIcon />\n" * 2_600),
    ],
)
def test_text_that_is_read_in_many_ways_is_given_up(language: str, text: bytes) -> None:
    before = time.process_time()
    assert extract(text, language).error == "too broken"
    assert time.process_time() - before < 0.06 * 20  # 20 seconds for a megabyte


@pytest.mark.parametrize("language", ["ruby", "php", "csharp", "cpp", "kotlin"])
def test_a_table_of_numbers_is_read_in_one_way(language: str) -> None:
    head, tail = {"ruby": ("A = [", "]"), "php": ("<?php $a = [", "];"), "kotlin": ("val a = arrayOf(", ")")}.get(
        language, ("class A { static int[] a = {", "}; }") if language == "csharp" else ("int a[] = {", "};")
    )
    assert extract(f"{head}{'-1,' * 100_000}1{tail}\n".encode(), language).error == ""


def test_queries_read_the_text_of_as_many_nodes_as_there_are() -> None:
    text = b"".join(b'require "a/b%d"\n' % number for number in range(3_000))
    assert len(extract(text, "ruby").references) == 3_000


@pytest.mark.parametrize(
    ("language", "piece"),
    [
        ("vue", b"<style>@import 'a';</style>\n"),
        ("scss", b"@mixin a {\n"),
        ("java", b"@A\n"),
        ("html", b"<script>a"),
        ("maven", b"<dependency>"),
        ("maven", b"<build><"),
        ("composer", b'{"a":'),
    ],
)
def test_many_of_one_thing_cost_as_many(language: str, piece: bytes) -> None:
    text = piece * (600_000 // len(piece))
    before = time.process_time()
    assert extract(text, language).error in ("", "syntax", "too broken")
    assert time.process_time() - before < 15  # a minute and more when each looks at all the others


# What took a minute, or gigabytes, before small pieces were looked at first.
HEAVY = [
    ("python", b"/*\n"), ("python", b"%*\n"), ("python", b"a\n"), ("tsx", b"a<b,"), ("terraform", b"{}\n"),
    ("terraform", b'"\n'), ("terraform", b'"a" '), ("terraform", b"a_"), ("ruby", b"a::"), ("ruby", b"a."),
    ("csharp", b"a;"), ("kotlin", b"@a()\n"), ("kotlin", b"@a"), ("rust", b"a,\n"), ("c", b"1,\n"),
    ("javascript", b"'\\"), ("python", b"'\\"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "piece"), HEAVY)
def test_what_no_one_writes_is_seen_in_small_pieces(language: str, piece: bytes) -> None:
    row = piece * (90_000 // len(piece)) + b"\n"
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\n"
        "import oracl_git.extract.extractor as e; print(e.extract(sys.stdin.buffer.read(), sys.argv[1]).error)\n"
        "used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime + used.ru_stime)"
    )
    for text in (row, row * (1_000_000 // len(row))):
        done = subprocess.run([sys.executable, "-c", code, language], input=text, capture_output=True, check=True)
        error, seconds = done.stdout.decode().split("\n")[:2]
        assert error in ("", "syntax", "too broken", "too deep")
        assert float(seconds) < 6


@pytest.mark.parametrize(
    ("language", "head", "row", "tail"),
    [
        ("c", b"static const int table[] =\n{\n", b"  1,\n", b"};\nint last(void) { return 1; }\n"),
        ("javascript", b"export const table = [\n", b"1,\n", b"]\nexport function last() {}\n"),
        ("java", b"class A {\n", b'String a = "' + b"amp=12;1&gt=1q;" * 900 + b'";\n', b"}\nclass last {}\n"),
        ("python", b"TABLE = [\n", b"1,\n", b"]\ndef last(): pass\n"),
        ("cpp", b"enum class A {\n", b"b = 1 << 3, ", b"};\nint last() { return 1; }\n"),
    ],
)
def test_a_table_of_short_or_long_lines_is_read(language: str, head: bytes, row: bytes, tail: bytes) -> None:
    facts = extract(head + row * (60_000 // len(row)) + tail, language)
    assert facts.error == ""
    assert facts.definitions[-1].name == "last"
