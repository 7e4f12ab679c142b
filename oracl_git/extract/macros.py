"""C and C++: the words and lines of the preprocessor that stand around declarations, which no parser can know.

Knows conditional lines whose branches a tree cannot hold side by side, for they do not close what they
open: the first branch stays. Knows by their looks, in capitals, the macros that are an attribute, a
linkage or the keeper of a list of arguments, and those that make a function of their own. Expands
nothing: what is taken out leaves spaces, so that every offset stays.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .facts import Definition
from .source import Source, blank

_NAME = rb"[A-Z][A-Z0-9_]{2,80}+"
_LIST = rb"\((?:[^()\n]++|\([^()\n]{0,200}+\)){0,200}\)"
_CALLED = rb"[ \t]*+[A-Za-z_]\w{0,200}+[ \t]*+\("


class Taken(NamedTuple):
    """What is taken out: some groups of a pattern, tried only in a text with one of its signs."""

    pattern: re.Pattern[bytes]
    signs: tuple[bytes, ...]
    groups: tuple[int, ...] = (1,)


_TAKEN = (
    Taken(  # class API Writer {
        re.compile(
            rb"\b(?:class|struct|union)[ \t]++(" + _NAME + rb"(?:" + _LIST + rb")?)"
            rb"[ \t\n]++(?=[A-Za-z_][\w:]{0,200}+\s{0,9}(?:final\s{1,9})?[:{])"
        ),
        (b"class", b"struct", b"union"),
    ),
    Taken(  # BEGIN_DECLS, on a line of its own
        re.compile(
            rb"^[ \t]*+((?:[A-Z0-9_]{0,80}?_)?(?:BEGIN|END)(?:_[A-Z0-9_]{1,80}+)?|[A-Z0-9_]{1,80}?_DECLS?)"
            rb"[ \t]*+;?[ \t]*+$",
            re.MULTILINE,
        ),
        (b"BEGIN", b"END", b"_DECL"),
    ),
    Taken(  # void f() EXCLUDES(lock);
        re.compile(
            rb"\)[ \t\n]{0,40}(?:const[ \t\n]{1,40}|override[ \t\n]{1,40})?(" + _NAME + _LIST + rb")(?=\s{0,40}[;{])"
        ),
        (b")",),
    ),
    Taken(  # int count GUARDED_BY(lock);
        re.compile(rb"[\w>\]][ \t]++((?:[A-Z_]{0,40}_)?GUARDED_BY" + _LIST + rb")(?=\s{0,9}[;={])"), (b"GUARDED_BY",)
    ),
    Taken(  # int API(2, 3) f(
        # What stands before is looked at from behind: a pattern that starts with a set of bytes skips fast to them.
        re.compile(
            rb"([A-Z](?<=[\w*][ \t][A-Z])[A-Z0-9_]{2,80}+" + _LIST + rb")(?=\s{1,40}\*{0,3}" + _CALLED + rb")"
        ),
        (b")",),
    ),
    Taken(  # int f OF((int a));
        re.compile(
            rb"(?<=[\w][ \t])((?:OF|PROTO|ARGS|P_|__P|_ANSI_ARGS_)[ \t]?\()"
            rb"\((?:[^()]++|\([^()]{0,200}+\)){0,500}\)([ \t]*+\))"
        ),
        (b"OF(", b"OF (", b"P_(", b"__P", b"PROTO(", b"ARGS"),
        (1, 2),
    ),
    Taken(  # void API f(
        re.compile(
            rb"\b(?:void|int|char|long|short|unsigned|float|double|bool|\w{1,80}_t)[ \t*]++(" + _NAME + rb")"
            rb"(?=[ \t]++" + _CALLED + rb")"
        ),
        (b"(",),
    ),
    Taken(  # int (f) (int a);
        re.compile(
            rb"^(?!(?:if|while|for|switch|return|else)\b)(?:[A-Za-z_]\w{0,80}+[ \t*]++){1,5}"
            rb"(\()[a-z_]\w{0,200}(\))[ \t]*+\((?!\*)",
            re.MULTILINE,
        ),
        (b") (", b")("),
        (1, 2),
    ),
)
# "#" within a line is no sign of a condition; what follows one there is seldom "if" or "endif".
_CONDITION = re.compile(rb"#(?<![^\n \t]#)[ \t]*+(if|el|endif)\w*+(?:[^\n\\]++|\\\n?)*+")
_NEVER = re.compile(rb"#[ \t]*+if[ \t]++0\s*+\Z")
_NOT_BRACES = bytes(byte for byte in range(256) if byte not in b"{}")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+")
_ARGUMENT = re.compile(rb"[A-Za-z_][\w:]{0,200}")
_WORD = re.compile(rb"[A-Za-z_]\w*+|[*&>]")
_NO_TYPE = frozenset(b"static inline extern virtual explicit constexpr friend template typename const".split())
_LONGEST = 1_000  # bytes of a definition that are looked at


class _Branch:
    """One branch of a condition: its line, and the braces below it up to the next line of the condition."""

    __slots__ = ("closes", "depth", "line")

    def __init__(self, line: tuple[int, int]) -> None:
        self.line = line
        self.depth = 0
        self.closes: bool | None = None  # whether its first brace closes something; None: there is none

    def add(self, depth: int, closes: bool | None) -> None:
        self.depth += depth
        self.closes = closes if self.closes is None else self.closes


def uneven(text: bytes) -> list[tuple[int, int]]:
    """The conditional lines, and all branches but the first, where one does not close what it opens.

    `text` is without comments.
    """
    taken: list[tuple[int, int]] = []
    around: list[list[_Branch]] = []
    position = 0
    for match in _CONDITION.finditer(text) if b"endif" in text else ():
        if around:
            braces = text[position : match.start()].translate(None, _NOT_BRACES)
            if braces:
                around[-1][-1].add(braces.count(b"{") - braces.count(b"}"), braces[0] == 125)
        position = match.end()
        if match[1] == b"if":
            around.append([_Branch(match.span())])
        elif around and match[1] == b"el":
            around[-1].append(_Branch(match.span()))
        elif around:
            branches = around.pop()
            kept = len(branches) > 1 and _NEVER.match(text, *branches[0].line) is not None
            if any(each.depth or each.closes for each in branches):
                ends = [each.line[0] for each in branches[1:]] + [match.start()]
                taken += (
                    each.line if index == kept else (each.line[0], end)
                    for index, (each, end) in enumerate(zip(branches, ends, strict=True))
                )
                taken.append(match.span())
            if around:
                around[-1][-1].add(branches[kept].depth, branches[kept].closes)
    return sorted(taken)


def plain(text: bytes) -> bytes:
    """The text as a parser can read it, of the same length."""
    for pattern, signs, groups in _TAKEN:
        if any(sign in text for sign in signs):
            spans = [match.span(group) for match in pattern.finditer(text) for group in groups]
            text = blank(text, spans) if spans else text
    return text


def named(source: Source, definitions: list[Definition]) -> list[Definition]:
    """The definitions: `TEST(Box, Grows) {` defines Box.Grows, and what only calls a macro defines nothing."""
    kept = []
    for each in definitions:
        name = each.name.rpartition(".")[2]
        if each.kind in ("function", "method") and _CAPITALS.fullmatch(name) and not _is_itself(each.name):
            made = _made(source, each, name)
            if not made:
                continue
            each = each._replace(name=made)
        kept.append(each)
    return kept


def _is_itself(name: str) -> bool:
    """Whether it is the constructor of a class in capitals."""
    *_, around, own = ("", *name.split("."))
    return around == own


def _made(source: Source, each: Definition, name: str) -> str:
    """What a definition named in capitals is called; "" for none."""
    start = source.start(each.start)
    text = source.text[start : start + _LONGEST]
    match = re.search(rb"(?<![\w:~])%b[ \t]*+\(([^()]{0,300})\)" % name.encode(), text)
    if text.lstrip().startswith(b"#") or match is None:
        return each.name
    before = text[: match.start()].rpartition(b"\n\n")[2]
    if any(word not in _NO_TYPE and not word.isupper() for word in _WORD.findall(before)):
        return each.name  # it has a type
    if text[match.end() :].lstrip()[:1] != b"{":
        return ""
    arguments = [word.strip() for word in match[1].split(b",")]
    if "TEST" in name and all(_ARGUMENT.fullmatch(word) for word in arguments):
        return ".".join(word.decode().replace("::", ".") for word in arguments)
    return each.name
