"""Words: what looks like a path, and how identifiers are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracl_git.extract.paths import path_like, paths
from oracl_git.extract.words import split_identifiers

PATHS = [
    ("docs/guide.md", ("docs/guide.md", "")),
    ("docs/guide.md#Install", ("docs/guide.md", "Install")),
    ("./x", ("./x", "")),
    ("../up/file", ("../up/file", "")),
    ("/abs/file.txt", ("/abs/file.txt", "")),
    ("setup.cfg", ("setup.cfg", "")),
    ("src/app.py:12", ("src/app.py", "")),
    ("src/app.py:12:3", ("src/app.py", "")),
    ("tests/test_a.py::test_b", ("tests/test_a.py", "")),
    ("a/b.py,", ("a/b.py", "")),
    ("conf.py.", ("conf.py", "")),
    ("src/pkg/", ("src/pkg", "")),
    ("bin/tool", ("bin/tool", "")),
    (".github/workflows/ci.yml", (".github/workflows/ci.yml", "")),
    ("main.c", ("main.c", "")),
    ("dossier/été.md", ("dossier/été.md", "")),
]
NOT_PATHS = [
    "word", "e.g.", "i.e.", "1.2.3", "v1.2", "and/or", "I/O", "n/a", "text/html", "application/json", "10/12/2024",
    "https://x.org/a.py", "//host/a.py", "github.com/a/b.py", "*.py", "src/*.py", "{dir}/a.py", "%s/a.py", "$HOME/a.py",
    "~/a.py", "user@host/a.py", "actions/checkout@v4", ".py", "...", "/", "a/", "/div", "--path/x", "x.c", "key:value",
    "a" * 300 + ".py", "example.com", "os.path", "../..", "a//b.py",
]  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), PATHS)
def test_paths(word: str, expected: tuple[str, str]) -> None:
    assert path_like(word.encode()) == expected


@pytest.mark.parametrize("word", NOT_PATHS)
def test_other_words(word: str) -> None:
    assert path_like(word.encode()) is None


def test_places_are_first_and_whole() -> None:
    text = b'xa.py a.py (a.py) "b/c.md", {d}/e.py [f](/g.md) $x/h.py "i\\nj/k.py"'
    assert paths(text) == [(0, ("xa.py", "")), (6, ("a.py", "")), (19, ("b/c.md", "")), (41, ("/g.md", ""))]


def test_many_paths_take_one_pass() -> None:
    text = b" ".join(b"d/f%d.py" % i for i in range(1000))
    found = paths(text)
    assert len(found) == 1000
    assert all(text[offset:].startswith(path.encode()) for offset, (path, _) in found)


SPLITS = [
    ("fooBar", "foo Bar"),
    ("HTTPServer", "HTTP Server"),
    ("parseURL2", "parse URL 2"),
    ("snake_case_name", "snake_case_name"),
    ("utf8", "utf 8"),
    ("URLs", "URLs"),
    ("a.b(c)  \n\t[d]", "a b c d"),
    ("日本語", "日本 本語"),
    ("a日b", "a 日 b"),
    ("naïveCafé", "naïve Café"),
    ("“quoted”—dash", "quoted dash"),
    ("x" * 101, ""),
    ("deadbeef01f2a3b4c5d6e7f8a9b0c1d2e3f4a5b6", ""),
    ("aVeryLongIdentifierNameThatIsFine", "a Very Long Identifier Name That Is Fine"),
    ("\udcff", ""),
]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_split(text: str, expected: str) -> None:
    assert split_identifiers(text) == expected


@given(st.text())
def test_split_is_stable_and_clean(text: str) -> None:
    once = split_identifiers(text)
    assert once == " ".join(once.split())
    assert split_identifiers(text) == once
    once.encode()
