"""Markdown: headings and their anchors, links, code spans and the paths it mentions.

Knows CommonMark's block and link syntax as far as it names something, and the
anchors GitHub gives to headings. Builds no document tree; fenced code is
searched for paths only, unless it is a directive of Sphinx (MyST), front matter not at all.
"""

from __future__ import annotations

import re

from . import rst
from .chunks import by_headings
from .generic import refer_comments
from .links import add_link
from .paths import DOTTED, SUFFIXES, paths
from .source import Findings, Source, blank

_FRONT_MATTER = re.compile(rb"(---|\+\+\+)[ \t]*+\n.*?^\1[ \t]*+$", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(rb"^[ \t>]{0,40}(`{3,}+|~{3,}+)([^\n]*+)$", re.MULTILINE)
_HTML_COMMENT = re.compile(rb"<!--(?:.*?-->|.*+)", re.DOTALL)
_ATX = re.compile(rb"^ {0,3}(#{1,6})(?:[ \t]++([^\n]*+))?$", re.MULTILINE)
_SETEXT = re.compile(rb"^ {0,3}(?![ \t#>|*+-]|\d+[.)])([^\n]{1,400}+)\n {0,3}(?:=++|-{2,}+)[ \t]*+$", re.MULTILINE)
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#+$")
_EXPLICIT = re.compile(r"\{#([\w:.-]{1,200})\}$")
_INLINE = re.compile(rb"\]\(\s{0,9}(?:<([^>\n]{1,500})>|([^\s()<>]{1,500}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))")
_DEFINED = re.compile(
    rb"^ {0,3}\[[^\]\n]{1,300}\]:[ \t]{0,40}\n?[ \t]{0,40}(?:<([^>\n]{1,500})>|(\S{1,500}))", re.MULTILINE
)
_ATTRIBUTE = re.compile(
    rb"\b(?:src|href)[ \t]{0,9}=[ \t]{0,9}(?:\"([^\"\n]{1,500})\"|'([^'\n]{1,500})')", re.IGNORECASE
)
_IDENTITY = re.compile(
    rb"<[A-Za-z][^<>]{0,300}?\b(?:id|name)[ \t]{0,9}=[ \t]{0,9}[\"']([^\"'\n]{1,200})[\"']", re.IGNORECASE
)
_CODE = re.compile(rb"`([^`\n]{3,200})`")

_MYST = (b"```{", b":::{", b"}`")  # how its directives and roles look

_SLUG_DROP = re.compile(r"[^\w\- ]")
_INLINE_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"<[^<>]{1,200}>")
_EMPHASIS = re.compile(r"(?<!\w)_{1,3}([^_]+)_{1,3}(?!\w)")


def extract(source: Source, language: str) -> Findings:
    """What a Markdown file says."""
    found = Findings()
    text = source.text
    front = _FRONT_MATTER.match(text)
    if front:
        text = blank(text, [front.span()])
    prose = blank(text, _fences(text)) if b"```" in text or b"~~~" in text else text
    if b"<!--" in prose:
        notes = [match.span() for match in _HTML_COMMENT.finditer(prose)]
        refer_comments(source, notes, found)
        prose, text = blank(prose, notes), blank(text, notes)
    _headings(source, prose, found)
    linked: list[tuple[int, int]] = []
    for pattern, gate in ((_INLINE, b"]("), (_DEFINED, b"]:"), (_ATTRIBUTE, b"=")):
        if gate in prose:
            for match in pattern.finditer(prose):
                group = 1 if match[1] is not None else 2
                add_link(found, match[group], source.line(match.start(group)))
                linked.append(match.span(group))
    if any(sign in text for sign in _MYST):
        linked += rst.markdown(source, text, found)
    if b"`" in prose:
        for match in _CODE.finditer(prose):
            word = match[1].partition(b"(")[0].strip()
            if DOTTED.fullmatch(word) and word.rpartition(b".")[2].lower() not in SUFFIXES:
                found.refer("symbol", word.decode(), "", source.line(match.start(1)))
    linked.sort()
    for offset, (path, anchor) in paths(blank(text, linked) if linked else text):
        found.refer("mention", path, anchor, source.line(offset))
    found.sections = by_headings(source.lines, found.headings)
    return found


def _fences(text: bytes) -> list[tuple[int, int]]:
    """The spans of fenced code, fences included; an open one runs to the end."""
    spans: list[tuple[int, int]] = []
    fence, start = b"", 0
    for match in _FENCE.finditer(text):
        mark = match[1]
        if not fence:
            if mark[:1] == b"~" or b"`" not in match[2]:
                fence, start = mark, match.start()
        elif mark.startswith(fence) and not match[2].strip():
            spans.append((start, match.end()))
            fence = b""
    if fence:
        spans.append((start, len(text)))
    return spans


def _headings(source: Source, prose: bytes, found: Findings) -> None:
    rows: list[tuple[int, str]] = []
    if b"#" in prose:
        rows += [(match.start(1), (match[2] or b"").decode("utf-8", "replace")) for match in _ATX.finditer(prose)]
    if b"\n=" in prose or b"--" in prose or b"\n " in prose:
        rows += [(match.start(1), match[1].decode("utf-8", "replace")) for match in _SETEXT.finditer(prose)]
    rows.sort()
    used: dict[str, int] = {}
    for offset, raw in rows:
        line = source.line(offset)
        title = _CLOSING.sub("", raw.strip()).rstrip()
        explicit = _EXPLICIT.search(title)
        if explicit:
            title = title[: explicit.start()].rstrip()
            found.anchors.append((explicit[1], line))
        plain = plain_text(title)
        if not plain:
            continue
        found.headings.append((plain, line))
        slug = github_slug(plain)
        seen = used.get(slug)
        used[slug] = 0 if seen is None else seen + 1
        found.anchors.append((slug if seen is None else f"{slug}-{seen + 1}", line))
    if b"=" in prose and b"<" in prose:
        for match in _IDENTITY.finditer(prose):
            found.anchors.append((match[1].decode("utf-8", "replace"), source.line(match.start(1))))
        found.anchors.sort(key=lambda row: row[1])


def plain_text(title: str) -> str:
    """A heading without its inline markup."""
    title = _TAG.sub("", _INLINE_LINK.sub(r"\1", title))
    return _EMPHASIS.sub(r"\1", title.replace("`", "").replace("*", "")).strip()


def github_slug(title: str) -> str:
    """The anchor GitHub gives a heading (before duplicates are numbered)."""
    return _SLUG_DROP.sub("", title.lower()).replace(" ", "-")
