"""Pairs of texts that mean the same, read from the Python files and READMEs of a wheel.

Knows where such pairs stand: a docstring and its function, an error message and
the function that raises it, a comment and the lines below it, the first
paragraph of a docstring and the rest, a heading and its section. Every text is
returned as the words that full text has of it. Runs none of what it reads.
"""

from __future__ import annotations

import ast
import random
import re
import warnings
import zipfile
from collections.abc import Iterator
from typing import NamedTuple

from oracl_git.extract.words import split_identifiers

MOST = {"doc": 700, "raise": 150, "comment": 150, "rest": 250, "section": 30}  # of a kind, of one package
_FEWEST_WORDS, _FEWEST_BELOW, _LONGEST = 4, 8, 300  # words of a short text, of a long one
_BODY_LINES = 3
_SKIPPED = re.compile(
    r"(^|/)(tests?|testing|_?vendor(ed)?|_vendored|site-packages|third_party|externals?)(/|$)|\.data/|(^|/)test_"
)
_COMMENT = re.compile(r"^\s*#\s?(.*)$")
_HEADING = re.compile(r"^#{1,4} +(.+)$", re.M)


class Pair(NamedTuple):
    """A short text and a long one about the same thing."""

    kind: str
    query: str
    text: str


class Function(NamedTuple):
    """A function with a docstring: its first paragraph, and its source without the docstring."""

    place: str
    doc: str
    rest: str
    source: str


def pairs(path: str, seed: int) -> list[Pair]:
    """The pairs of one wheel, a bounded number of each kind, chosen by chance; of equal short texts the first stays."""
    found: dict[str, dict[str, Pair]] = {kind: {} for kind in MOST}
    for pair in _trimmed(path):
        found[pair.kind].setdefault(pair.query.lower(), pair)
    chance = random.Random(f"{seed} {path.rpartition('/')[2]}")
    chosen = []
    for kind, rows in found.items():
        some = list(rows.values())
        chance.shuffle(some)
        chosen += some[: MOST[kind]]
    return chosen


def texts(path: str) -> set[str]:
    """Every text of a wheel that could be half of a pair."""
    return {text for pair in _trimmed(path) for text in (pair.query, pair.text)}


def _trimmed(path: str) -> Iterator[Pair]:
    for pair in _all(path):
        short, long = pair.query.split()[:_LONGEST], pair.text.split()[:_LONGEST]
        if len(short) >= (1 if pair.kind == "section" else _FEWEST_WORDS) and len(long) >= _FEWEST_BELOW:
            yield Pair(pair.kind, " ".join(short), " ".join(long))


def _all(path: str) -> Iterator[Pair]:
    for _, tree, rows in modules(path):
        for function in functions(tree, rows, ""):
            yield Pair("doc", split_identifiers(function.doc), split_identifiers(function.source))
            if len(function.rest.split()) > 15:
                yield Pair("rest", split_identifiers(function.doc), split_identifiers(function.rest))
        yield from _raised(tree, rows)
        yield from _commented(rows)
    for heading, section in sections(path):
        yield Pair("section", split_identifiers(heading), split_identifiers(section))


def modules(path: str) -> Iterator[tuple[str, ast.Module, list[str]]]:
    """(name, syntax tree, lines) of the Python files of a wheel that are neither tests nor of others."""
    with zipfile.ZipFile(path) as wheel:
        for info in sorted(wheel.infolist(), key=lambda info: info.filename):
            if not info.filename.endswith(".py") or info.file_size > 1_000_000 or _SKIPPED.search(info.filename):
                continue
            try:
                source = wheel.read(info).decode("utf-8")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            yield info.filename, tree, source.split("\n")


def functions(tree: ast.Module, rows: list[str], name: str) -> Iterator[Function]:
    """The functions with a docstring and a body."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        doc = ast.get_docstring(node)
        if not doc or len(node.body) < 2:
            continue
        first, _, rest = doc.partition("\n\n")
        head, text = node.body[0], node.body[1:]
        if (text[-1].end_lineno or 0) - (head.end_lineno or 0) < _BODY_LINES:
            continue
        source = "\n".join([*rows[node.lineno - 1 : head.lineno - 1], *rows[head.end_lineno : node.end_lineno]])
        yield Function(f"{name}:{node.name}:{node.lineno}", first, rest, source)


def _raised(tree: ast.Module, rows: list[str]) -> Iterator[Pair]:
    """What an exception says, and the function that raises it, without those words."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                said = " ".join(_strings(node.exc))
                if len(said.split()) >= 5:
                    before, after = (
                        rows[function.lineno - 1 : node.lineno - 1],
                        rows[node.end_lineno : function.end_lineno],
                    )
                    source = [*before, *after]
                    yield Pair("raise", split_identifiers(said), split_identifiers("\n".join(source)))


def _strings(call: ast.Call) -> Iterator[str]:
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _commented(rows: list[str]) -> Iterator[Pair]:
    """A comment, and the lines below it up to the next."""
    said: list[str] = []
    for number, row in enumerate(rows):
        match = _COMMENT.match(row)
        if match:
            said.append(match[1])
            continue
        if len(" ".join(said).split()) >= 6 and row.strip():
            below = []
            for following in rows[number : number + 12]:
                if _COMMENT.match(following):
                    break
                below.append(following)
            if sum(1 for line in below if line.strip()) >= 4:
                yield Pair("comment", split_identifiers(" ".join(said)), split_identifiers("\n".join(below)))
        said = []


def sections(path: str) -> Iterator[tuple[str, str]]:
    """(heading, text below it) of a wheel's README."""
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        text = wheel.read(names[0]).decode("utf-8", "replace") if names else ""
    _, _, text = text.partition("\n\n")
    parts = _HEADING.split(text)
    for heading, below in zip(parts[1::2], parts[2::2], strict=False):
        yield heading, re.sub(r"https?://\S+|<[^>]+>", " ", below)
