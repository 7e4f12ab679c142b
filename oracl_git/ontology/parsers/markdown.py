"""Markdown: headings, paragraphs, fenced code, and pipe tables as rows.

Knows CommonMark's blocks as far as they part a text, and front matter. Knows inline markup
only where a title needs it: the text of a paragraph stays as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from .model import About, Limits, Section
from .plain import Block, blocks, decode, span

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([^`]*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(\S.*))?$")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_NOT_SETEXT = re.compile(r" {0,3}(?:[#>|]|[-*+][ \t]|\d+[.)][ \t])|\s*$| {4}|\t")
_RULE_CELL = re.compile(r"\s*:?-+:?\s*")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_ANCHOR = re.compile(r"\s*\{#[\w:.-]{1,200}\}$")
_PAIR = re.compile(r"([\w-]{1,40})\s*[:=]\s*(\S.*)$")
_FRONT_LINES = 200


def read(stream: BinaryIO, about: About, limits: Limits) -> Iterator[Section]:
    """The sections of a Markdown file; its front matter is metadata."""
    lines = decode(stream, about).split("\n")
    start, front = _front_matter(lines)
    about.title = front.pop("title", "")
    about.metadata |= front
    yield from blocks(lines, start, _take)


def _front_matter(lines: list[str]) -> tuple[int, dict[str, str]]:
    """(the line after YAML or TOML front matter, its plain `key: value` lines)."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in ("---", "+++"):
        return 0, {}
    for end in range(1, min(len(lines), _FRONT_LINES)):
        if lines[end].rstrip() == mark:
            pairs = (_PAIR.match(line) for line in lines[1:end])
            return end + 1, {pair[1].lower(): pair[2].strip().strip("\"'") for pair in pairs if pair}
    return 0, {}


def _take(lines: list[str], number: int, start: int) -> Block | None:
    line = lines[number]
    fence = _FENCE.match(line)
    if fence:
        end = _fence_end(lines, number + 1, fence[1])
        after = min(end + 1, len(lines))
        return number, [Section("code", "\n".join(lines[number + 1 : end]), 0, span(number + 1, after))], after
    atx = _ATX.match(line)
    if atx:
        return number, [_heading(_CLOSING.sub("", atx[2] or ""), len(atx[1]), number, number + 1)], number + 1
    if number > start and _SETEXT.match(line) and not _NOT_SETEXT.match(lines[number - 1]):
        level = 1 if "=" in line else 2
        return number - 1, [_heading(lines[number - 1], level, number - 1, number + 1)], number + 1
    if "|" in line and number + 1 < len(lines) and _is_rule(lines[number + 1]):
        end = number + 2
        while end < len(lines) and "|" in lines[end]:
            end += 1
        rows = [number, *range(number + 2, end)]
        return number, [Section("row", _cells(lines[row]), 0, span(row + 1, row + 1)) for row in rows], end
    return None


def _fence_end(lines: list[str], number: int, mark: str) -> int:
    """The line that closes a fence; an open one runs to the end."""
    while number < len(lines):
        stripped = lines[number].strip()
        if stripped.startswith(mark) and not stripped.strip(mark[0]):
            break
        number += 1
    return number


def _heading(raw: str, level: int, first: int, after: int) -> Section:
    """A heading without its inline markup."""
    plain = _ANCHOR.sub("", _LINK.sub(r"\1", raw.strip())).replace("`", "").replace("*", "")
    return Section("heading", plain.strip(), level, span(first + 1, after))


def _is_rule(line: str) -> bool:
    return "|" in line and all(map(_RULE_CELL.fullmatch, line.strip().strip("|").split("|")))


def _cells(line: str) -> str:
    """A row of a pipe table, its cells joined."""
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return " | ".join(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner))
