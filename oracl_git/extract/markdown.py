"""Markdown: headings and their anchors, links, code spans and the paths it mentions.

Knows CommonMark's block and link syntax as far as it names something, and the
anchors GitHub gives to headings. Builds no document tree; fenced code is
searched for paths only, unless it is a directive of Sphinx (MyST), front matter not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from unicodedata import category

from . import rst
from .chunks import by_headings
from .generic import refer_comments
from .links import add_link
from .paths import DOTTED, SUFFIXES, paths
from .source import Findings, Source, blank

_FRONT_MATTER = re.compile(rb"(---|\+\+\+)[ \t]*+\n.*?^\1[ \t]*+$", re.DOTALL | re.MULTILINE)
_FENCES = {b"```": re.compile(rb"```(`*+)([^\n]*+)"), b"~~~": re.compile(rb"~~~(~*+)([^\n]*+)")}
_BEFORE_FENCE = re.compile(rb"[ \t>]{0,40}((?:(?:[*+-]|\d{1,9}[.)])[ \t]{1,9}){0,3})")  # an item of a list may begin so
_ATX = re.compile(rb"^ {0,3}(#{1,6})(?:[ \t]++([^\n]*+))?$", re.MULTILINE)
_UNDERLINE = re.compile(rb"\n {0,3}(?:=++|-{2,}+)[ \t]*+$", re.MULTILINE)
_UNDERLINED = re.compile(
    rb" {0,3}(?![ \t>|]|(?:#{1,6}|[*+-]|\d{1,9}[.)])(?:[ \t]|\Z)|[=-]++[ \t]*+\Z)([^\n]{1,400}+)\Z"
)
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#+$")
_EXPLICIT = re.compile(r"\{#([\w:.-]{1,200})\}$")
_INLINE = re.compile(rb"\]\(\s{0,9}(?:<([^>\n]{1,500})>|([^\s()<>]{1,500}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))")
_DEFINED = re.compile(
    rb"^ {0,3}\[(?!\^)[^\]\n]{1,300}\]:[ \t]{0,40}\n?[ \t]{0,40}(?:<([^>\n]{1,500})>|(\S{1,500}))", re.MULTILINE
)
_ATTRIBUTE = re.compile(
    rb"\b(?:src|href)[ \t]{0,9}=[ \t]{0,9}(?:\"([^\"\n]{1,500})\"|'([^'\n]{1,500})')", re.IGNORECASE
)
_IDENTITY = re.compile(
    rb"<[A-Za-z][^<>]{0,300}?\b(?:id|name)[ \t]{0,9}=[ \t]{0,9}[\"']([^\"'\n]{1,200})[\"']", re.IGNORECASE
)
_CODE_LENGTH = 1_000  # bytes of a line in which code is looked for around a comment
# MDX: a page imports what it shows.
_IMPORT = re.compile(
    rb"^(?:import|export)[ \t]++(?:[^\"'`;]{1,500}?[ \t}]from[ \t]++)?"
    rb"(?:\"([^\"\n]{1,300})\"|'([^'\n]{1,300})')[ \t]*+;?[ \t]*+$",
    re.MULTILINE,
)
_CODE = re.compile(rb"`([^`\n]{3,200})`")

_MYST = (b"```{", b":::{", b"}`", b")=\n")  # how its directives, roles and targets look

_SLUG_DROP = re.compile(r"[^\w\- ]")
_SLUG_KEPT = frozenset(("Mn", "Mc", "Me", "Nd", "Nl", "Pc"))  # categories, beside letters
_MARKED = re.compile(r"[`\\\[<_*&]")
_VERBATIM = re.compile(r"``(.+?)``|`([^`]+)`|\\([!-/:-@\[-`{-~])")  # code, and what a backslash stands before
_PUT_BACK = re.compile("\0(\\d+)\0")
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_INLINE_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_ESCAPED = re.compile(rb"\\([!-/:-@\[-`{-~])")
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
        notes = list(_comments(prose))
        refer_comments(source, notes, found)
        prose, text = blank(prose, notes), blank(text, notes)
    _headings(source, prose, found)
    linked: list[tuple[int, int]] = []
    for pattern, gate in ((_INLINE, b"]("), (_DEFINED, b"]:"), (_ATTRIBUTE, b"=")):
        if gate in prose:
            for match in pattern.finditer(prose):
                group = 1 if match[1] is not None else 2
                said = match[group]
                add_link(found, _ESCAPED.sub(rb"\1", said) if b"\\" in said else said, source.line(match.start(group)))
                linked.append(match.span(group))
    if b"import " in prose or b"export " in prose:
        for match in _IMPORT.finditer(prose):
            group = 1 if match[1] is not None else 2
            found.refer("import", match[group].decode("utf-8", "replace"), "", source.line(match.start(group)))
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


def _comments(prose: bytes) -> Iterator[tuple[int, int]]:
    """The spans of HTML comments; one that is never closed reaches to the end. Code shows how they are written."""
    end = 0
    while (start := prose.find(b"<!--", end)) >= 0:
        head = max(end, prose.rfind(b"\n", end, start), start - _CODE_LENGTH)
        tail = prose.find(b"\n", start, start + _CODE_LENGTH)
        tick = prose.find(b"`", start, tail if tail >= 0 else start + _CODE_LENGTH)
        if tick >= 0 and prose.count(b"`", head, start) % 2:
            end = tick + 1
            continue
        close = prose.find(b"-->", start + 4)
        end = close + 3 if close >= 0 else len(prose)
        yield start, end


def _fences(text: bytes) -> list[tuple[int, int]]:
    """The spans of fenced code, fences included; an open one runs to the end."""
    spans: list[tuple[int, int]] = []
    fence, start = b"", 0
    rows = [match for sign, pattern in _FENCES.items() if sign in text for match in pattern.finditer(text)]
    for match in sorted(rows, key=re.Match.start):
        row = text.rfind(b"\n", 0, match.start()) + 1
        before = _BEFORE_FENCE.fullmatch(text, row, match.start())
        if before is None:
            continue
        mark, after = text[match.start() : match.end(1)], match[2]
        if not fence:
            if mark[:1] == b"~" or b"`" not in after:
                fence, start = mark, row
        elif mark.startswith(fence) and not after.strip() and not before[1]:
            spans.append((start, match.end()))
            fence = b""
    if fence:
        spans.append((start, len(text)))
    return spans


def _headings(source: Source, prose: bytes, found: Findings) -> None:
    rows: list[tuple[int, str]] = []
    if b"#" in prose:
        rows += [(match.start(1), (match[2] or b"").decode("utf-8", "replace")) for match in _ATX.finditer(prose)]
    for under in _UNDERLINE.finditer(prose):
        match = _UNDERLINED.match(prose, prose.rfind(b"\n", 0, under.start()) + 1, under.start())
        if match:
            rows.append((match.start(1), match[1].decode("utf-8", "replace")))
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
        if not plain.strip():
            continue
        found.headings.append((plain.strip(), line))
        slug = github_slug(plain)
        seen = used.get(slug)
        used[slug] = 0 if seen is None else seen + 1
        found.anchors.append((slug if seen is None else f"{slug}-{seen + 1}", line))
    if b"=" in prose and b"<" in prose:
        for match in _IDENTITY.finditer(prose):
            found.anchors.append((match[1].decode("utf-8", "replace"), source.line(match.start(1))))
        found.anchors.sort(key=lambda row: row[1])


def plain_text(title: str) -> str:
    """A heading without its inline markup; the space beside a picture stays, for its anchor has it."""
    if not _MARKED.search(title):
        return title
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[1] or match[2] or match[3])
        return f"\0{len(kept) - 1}\0"

    if "`" in title or "\\" in title:
        title = _VERBATIM.sub(keep, title.replace("\0", ""))
    title = _TAG.sub("", _INLINE_LINK.sub(r"\1", _IMAGE.sub("", title)))
    title = unescape(_EMPHASIS.sub(r"\1", title.replace("`", "").replace("*", "")))
    return _PUT_BACK.sub(lambda match: kept[int(match[1])], title) if kept else title


def github_slug(title: str) -> str:
    """The anchor GitHub gives a heading (before duplicates are numbered)."""
    title = title.lower()
    if title.isascii():
        return _SLUG_DROP.sub("", title).replace(" ", "-")
    return "".join(char for char in title if char in " -_" or char.isalpha() or category(char) in _SLUG_KEPT).replace(
        " ", "-"
    )
