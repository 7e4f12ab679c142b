"""Languages without an extractor of their own: names and comments."""

from __future__ import annotations

import pytest

from oracl_git.extract import generic
from oracl_git.extract.extractor import extract
from oracl_git.extract.source import Source

DEFINITIONS = [
    (
        "javascript",
        b"export default class A {\n  x() {}\n}\nasync function b() {}\nexport const c = 1\nconst d = (x) => x\n",
        [("A", "class", 1, 3), ("b", "function", 4, 4), ("c", "constant", 5, 5), ("d", "function", 6, 6)],
    ),
    (
        "typescript",
        b"export interface I {\n}\n/** doc */\nexport type T = string\nenum E { A }\n",
        [("I", "class", 1, 2), ("T", "class", 4, 4), ("E", "class", 5, 5)],
    ),
    (
        "go",
        b"package x\n\n// F does.\nfunc F() {}\n\nfunc (c *C) m() {}\ntype S struct {\n}\n",
        [("F", "function", 4, 4), ("m", "function", 6, 6), ("S", "class", 7, 8)],
    ),
    (
        "rust",
        b"pub(crate) async fn f() {}\nstruct S;\nimpl S {\n    fn m(&self) {}\n}\n",
        [("f", "function", 1, 1), ("S", "class", 2, 3), ("m", "function", 4, 5)],
    ),
    (
        "java",
        b"public final class A {\n  private static int f(int x) {\n  }\n}\n",
        [("A", "class", 1, 1), ("f", "method", 2, 4)],
    ),
    (
        "c",
        b"#define X 1\nstruct s {\n};\nstatic int f(int a)\n{\n  return g(a);\n}\n",
        [("X", "constant", 1, 1), ("s", "class", 2, 3), ("f", "function", 4, 7)],
    ),
    ("ruby", b"class A\n  def b?\n  end\nend\n", [("A", "class", 1, 1), ("b?", "function", 2, 4)]),
]


@pytest.mark.parametrize(("language", "code", "expected"), DEFINITIONS)
def test_definitions(language: str, code: bytes, expected: list[tuple[str, str, int, int]]) -> None:
    found = generic.extract(Source(code), language)
    assert [(d.name, d.kind, d.start, d.end) for d in found.definitions] == expected


COMMENTS = [
    ("c", b'char *s = "// a/b.c"; /* see x/y.h */\n', "x/y.h"),
    ("sql", b"select 1 -- see x/y.sql\n", "x/y.sql"),
    ("lisp", b'(a "b") ; see x/y.el\n', "x/y.el"),
    ("html", b"<p><!-- see x/y.html -->\n", "x/y.html"),
    ("make", b"all: # see x/y.mk\n", "x/y.mk"),
    ("batch", b"rem see x/y.bat\n", "x/y.bat"),
    ("shell", b"echo it\\'s \\# a/b.sh # isn't x/y.sh\n", "x/y.sh"),
    ("lisp", b'(list #\\" #\\;) ; see x/y.el\n', "x/y.el"),
    ("erlang", b"f() -> 1. % see x/y.erl\n", "x/y.erl"),
]


@pytest.mark.parametrize(("language", "code", "target"), COMMENTS)
def test_comments(language: str, code: bytes, target: str) -> None:
    assert [r.target for r in extract(code, language).references if r.kind == "comment"] == [target]


def test_build_files_name_what_they_use() -> None:
    assert ("path", "scripts/x.sh", "", 2, 2) in extract(b"all:\n\tscripts/x.sh\n", "make").references
    assert ("path", "requirements.txt", "", 1, 1) in extract(b"COPY requirements.txt .\n", "docker").references


def test_plain_text_mentions() -> None:
    references = extract(b"Read src/a.py and http://x.org/b.py.\n", "text").references
    assert references == (("mention", "src/a.py", "", 1, 1),)


def test_chunks_follow_definitions() -> None:
    body = b"  x;\n" * 30
    code = b"import a\n\n// about f\nfunction f() {\n" + body + b"}\n\n// about g\nfunction g() {\n" + body + b"}\n"
    chunks = [tuple(c) for c in generic.extract(Source(code), "javascript").sections or ()]
    assert chunks == [(1, 36, "f"), (37, 69, "g")]
