"""Names of files: which are of tests, and the stem by which a test and what it tests find each other.

Knows conventions of naming. Knows no tree: a stem may belong to no file.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .model import encode_path

TEST_PATH = re.compile(
    r"(?:^|/)(?:"  # looked for at the starts of names alone
    r"(?:tests?|testing|__tests__|specs?|e2e|cypress|(?:[^/]*[a-z0-9.])?Tests?)/|(?:test_[^/]*|conftest\.py)$"
    r"|[^/]*(?:Tests?|[a-z]IT)\.(?:java|cs|kt|php|swift|groovy|scala)$)"
    r"|(?:_test|_spec|\.test|\.spec|\.test-d|\.cy|\.e2e|\.e2e-spec|\.e2e-test)\.[^/]+$|-(?:test|spec)\.[cm]?[jt]sx?$"
)
_TEST_AFFIXES = (
    ("test_", ""), ("tests_", ""), ("", "_test"), ("", "_tests"), ("", ".test"), ("", ".spec"), ("", "_spec"),
    ("", ".test-d"), ("", ".cy"), ("", ".e2e"), ("", ".e2e-spec"), ("", ".e2e-test"), ("", "-test"), ("", "-spec"),
    ("Test", ""), ("", "Tests"), ("", "Test"), ("", "Spec"), ("", "IT"),
)  # fmt: skip

_TEST_DIRECTORIES = frozenset(("test", "tests", "testing", "__tests__", "spec", "specs"))


@lru_cache(maxsize=256)  # each step of one file asks
def is_test(path: str) -> bool:
    """Whether the path is one of a test."""
    return TEST_PATH.search(path) is not None


def split_name(path: str) -> tuple[str, str, str]:
    """(directory, stem, suffix without its dot) of a path."""
    directory, _, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    return (directory, stem, suffix) if dot and stem else (directory, name, "")


def normalised_stem(stem: str) -> str:
    """A file's stem as tests and implementations are matched by; bytes that are no text count as one mark."""
    return encode_path(stem.lower().strip("_").replace("-", "_")).decode("utf-8", "replace")


def implementation_stem(path: str) -> str:
    """The normalised stem under which tests may look for this file; "" for tests."""
    if is_test(path):
        return ""
    directory, stem, _ = split_name(path)
    if stem in ("__init__", "index", "mod", "lib"):
        stem = directory.rpartition("/")[2]
    return normalised_stem(stem)


def tested_stem(path: str) -> str:
    """The normalised stem a test file's name points at; "" when it names nothing."""
    _, stem, _ = split_name(path)
    for prefix, suffix in _TEST_AFFIXES:
        if stem.startswith(prefix) and stem.endswith(suffix) and len(stem) > len(prefix) + len(suffix):
            return normalised_stem(stem[len(prefix) : len(stem) - len(suffix) or None])
    return ""


def mirrored(test: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some paths whose place is most like a test's: in its last directories, then in its first."""
    here = _directories(test)

    def alike(path: str) -> tuple[int, int]:
        there = _directories(path)
        return _in_common(here[::-1], there[::-1]), _in_common(here, there)

    best = max(map(alike, paths))
    return tuple(path for path in paths if alike(path) == best)


def _directories(path: str) -> list[str]:
    return [part for part in path.split("/")[:-1] if part not in _TEST_DIRECTORIES]


def _in_common(one: list[str], other: list[str]) -> int:
    """How many of their first names are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
