"""What stands behind the rest of a repository, and what a question asks for after all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import oracl_git
from oracl_git.recall.aside import aside
from oracl_git.recall.hybrid import role_priors
from oracl_git.recall.lines import stems
from oracl_git.recall.query import compile_query
from oracl_git.recall.tables import ASIDE
from oracl_git.service import Oracl

from ..conftest import Git

PATHS = (
    "cmd/options.go", "vendor/example.org/pflag/options.go", "src/third_party/zip/inflate.c", "src/vendors.py",
    "docs/Setup.md", "site/versioned_docs/version-2.1/Setup.md", "site/versioned_docs/version-2.2/Gone.md",
    "manual/dev/manual.yml", "manual/v1.9/manual.yml", "manual/v1.10/manual.yml",
    "api/1.9/schema.json", "api/1.10/schema.json", "api/v1/types.go", "CHANGELOG.md", "docs/history.rst",
    "src/history.py",
)  # fmt: skip


@pytest.mark.parametrize(("question", "stands"), [
    ("parse options", ()),
    ("parse pflag options", ("vendor/example.org/pflag/options.go",)),
    ("vendored code", ("vendor/example.org/pflag/options.go", "src/third_party/zip/inflate.c")),
    ("third party code", ("vendor/example.org/pflag/options.go", "src/third_party/zip/inflate.c")),
    ("setup in 2.1", ("site/versioned_docs/version-2.1/Setup.md",)),
    ("the schema of 1.9", ("api/1.9/schema.json", "manual/v1.9/manual.yml")),
    ("what changed", ("CHANGELOG.md", "docs/history.rst")),
])  # fmt: skip
def test_what_stands_behind(question: str, stands: tuple[str, ...]) -> None:
    behind = {
        "vendor/example.org/pflag/options.go", "src/third_party/zip/inflate.c",
        "site/versioned_docs/version-2.1/Setup.md", "site/versioned_docs/version-2.2/Gone.md",
        "manual/v1.9/manual.yml", "manual/v1.10/manual.yml", "api/1.9/schema.json", "CHANGELOG.md", "docs/history.rst",
    }  # fmt: skip
    found = aside(dict(enumerate(PATHS)), stems(question), question)
    assert {PATHS[node] for node in found} == behind - set(stands)


def test_a_version_without_a_newer_one_stands_as_it_is() -> None:
    assert not aside({1: "api/1.9/schema.json"}, frozenset(), "schema")


TEXT = 'package options\n\n// It reads the command line\nfunc {}() {{ panic("command line options") }}\n'


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracl]:
    repo = Git(tmp_path_factory.mktemp("shop")).init()
    repo.commit("Start", {
        "vendor/example.org/pflag/command_line_options.go": TEXT.format("ParseAll"),
        "internal/flags.go": TEXT.format("parse"),
    })  # fmt: skip
    with oracl_git.open(str(repo.path)) as oracl:
        yield oracl


@pytest.mark.parametrize(("question", "first"), [
    ("parse command line options", "internal/flags.go"),
    ("pflag command line options", "vendor/example.org/pflag/command_line_options.go"),
    ("ParseAll command line options", "vendor/example.org/pflag/command_line_options.go"),  # named exactly
])  # fmt: skip
def test_own_code_comes_before_copies(shop: Oracl, question: str, first: str) -> None:
    answer = shop.search(question)
    assert answer.results[0].path == first
    assert len(answer.results) == 2
    for result in answer.results:
        assert sum(reason.share for reason in result.reasons) == pytest.approx(result.score)


@pytest.mark.parametrize(("question", "asked", "spoken"), [
    ("where are the tests of the channel", ("tests",), True),
    ("Documentation about timer mocks", ("docs",), False),
    ("test cases for parsing", ("tests",), False),
    ("fix flaky test", (), False),
    ("how are configuration files read", (), True),
    ("which_shell = 1;", (), False),
])  # fmt: skip
def test_the_kind_that_is_asked_for(question: str, asked: tuple[str, ...], spoken: bool) -> None:
    query = compile_query(question)
    assert (query.asked, query.spoken) == (asked, spoken)


def test_a_kind_that_is_asked_for_weighs_more_than_one_that_is_named() -> None:
    named, asked = (role_priors(compile_query(text))["docs"] for text in ("fix docs", "docs of locks"))
    assert asked > named > role_priors(compile_query("locks"))["docs"]


def test_how_something_is_done_is_answered_by_code_before_tests() -> None:
    how, what = (role_priors(compile_query(text)) for text in ("how are locks taken", "locks taken"))
    assert how["tests"] < how["code"] and what["tests"] > what["code"]
    assert role_priors(compile_query("how are tests of locks run"))["tests"] > 1


def test_related_copies_stand_behind_unless_a_copy_is_asked_of(shop: Oracl) -> None:
    own, copy = "internal/flags.go", "vendor/example.org/pflag/command_line_options.go"
    (behind,), (stands,) = shop.related([own]).results, shop.related([copy]).results  # alike, either way
    assert (behind.path, stands.path) == (copy, own)
    assert behind.score == pytest.approx(ASIDE * stands.score)
    assert sum(reason.share for reason in behind.reasons) == pytest.approx(behind.score)
