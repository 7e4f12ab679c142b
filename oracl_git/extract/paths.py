"""Which words of a text name a file or a symbol.

Knows character classes and suffixes. Knows no language and no repository: a
word that looks like a path may name nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import TypeVar

from .words import Memo

T = TypeVar("T")

SUFFIXES = frozenset(
    b"adoc asciidoc bash bat bib bzl c cc cfg cjs clj cljs cls cmake cmd conf cpp cs csproj css csv cts cxx dart "
    b"dockerfile editorconfig ejs el elm env erb ex exs fish fs fsproj go gql gradle graphql groovy h hbs hcl hh hpp "
    b"hs htm html hxx ini inc ipynb j2 java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts less lock lua m "
    b"mako md mdx mjs mk ml mli mm mts nix org pcss php pl pm po pot proto properties ps1 psd1 psm1 pug py pyi pyx "
    b"pxd r rb rs rst rtf sass scala scm scss service sh sln slnx sql sty sum svelte svg swift tcl tex tf tfvars "
    b"thrift toml ts tsv tsx txt v vb vbproj vcxproj vim vue xml xsd xsl xslt yaml yml zig zsh "
    b"erl hrl tpl tmpl gotmpl png jpg jpeg gif ico webp pdf".split()
)  # suffixes a word must end in to name a file without a slash in it; images are linked to, though never read
_WHOLE = frozenset((b"go.mod", b"go.work"))  # names of files whose suffix is none by itself
_AMBIGUOUS_STEM = 3  # "x.c" is an attribute more often than a file: one-letter suffixes ask for a longer stem
_MIME = frozenset(b"application audio font image message model multipart text video x-world".split())
_HOSTS = re.compile(
    rb"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|edu|gov|info|co|me|ai|app|de|uk|us|fr|eu|jp|cn)(?::\d+)?"
)
_EITHER_OR = frozenset(
    b"and/or read/write input/output client/server yes/no true/false on/off he/she his/her him/her s/he him/herself "
    b"tcp/ip pass/fail either/or before/after start/stop key/value name/value request/response if/else linux/unix "
    b"try/except try/finally up/down left/right".split()
)
_SHAPE = re.compile(rb"(?:/|(?:\.{1,2}/)++)?(?:[\w\x80-\xff.+-]++/)*+[\w\x80-\xff.+-]++")
_LINE_SUFFIX = re.compile(rb"(?::\d+)+(?:-\d+)?$")
_REFUSED = re.compile(rb"[{}$%*?~&@]|//|\.\.\.")
_LAST_SEGMENT = re.compile(rb"[A-Za-z_.\x80-\xff][\w\x80-\xff+-][\w\x80-\xff.+-]*")
_MAX_PATH = 255

_ATTRIBUTE = re.compile(rb"[\w.]++")

_PATH_DELIMITERS = b"\"'`()[]<>,;=|!^\\" + bytes(range(33)) + b"\x7f"
_PATH_TABLE = bytes(32 if byte in _PATH_DELIMITERS else byte for byte in range(256))
_CUT_BEFORE = frozenset(b"}>$%*])\\")  # what a word with a leading slash was cut off from

DOTTED = re.compile(rb"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++")


def path_like(word: bytes) -> tuple[str, str] | None:
    """The path and anchor that a word spells, if it looks like one."""
    word = word.rstrip(b".,:;!?")
    if _ATTRIBUTE.fullmatch(word) and word.rpartition(b".")[2].lower() not in SUFFIXES:
        # What most words with a dot are: said first, because it is cheap.
        return (word.decode(), "") if word in _WHOLE else None
    if word[:1] == b"*" and word[-1:] == b"*":
        word = word.strip(b"*")
    if not 2 < len(word) <= _MAX_PATH or word[:1] in (b"-", b":", b"#", b"+"):
        return None
    anchor = b""
    if b"#" in word:
        word, _, anchor = word.partition(b"#")
    if b":" in word:
        word = _LINE_SUFFIX.sub(b"", word.partition(b"::")[0])
        if b":" in word:
            return None
    if _REFUSED.search(word):
        return None
    word = word.rstrip(b"/")
    if not _SHAPE.fullmatch(word):
        return None
    head, slash, last = word.rpartition(b"/")
    stem, dot, suffix = last.rpartition(b".")
    if dot and stem and suffix.lower() in SUFFIXES:
        if not slash and (not stem.strip(b".-+") or (len(suffix) == 1 and len(stem) < _AMBIGUOUS_STEM)):
            return None
    elif not slash or not _plausible(word, head, last):
        return None
    if slash and _HOSTS.fullmatch(head.partition(b"/")[0]):
        return None
    return word.decode("utf-8", "replace"), anchor.decode("utf-8", "replace")


def _plausible(word: bytes, head: bytes, last: bytes) -> bool:
    """Whether a word with a slash and no known suffix may be a path."""
    if word.startswith((b"./", b"../")):
        return bool(last.strip(b"."))
    if not _LAST_SEGMENT.fullmatch(last) or not head.strip(b"/"):
        return False
    first = head.strip(b"/").partition(b"/")[0]
    if b"/" not in head and (first in _MIME or len(first.lstrip(b".")) == 1 or word.lower() in _EITHER_OR):
        return False
    return first[:1] in b"._" or not first[:1].isdigit()


def hits(text: bytes, classify: Callable[[bytes], T | None], table: bytes = _PATH_TABLE) -> list[tuple[int, T]]:
    """The distinct words with a joint that `classify` accepts, each with its first offset, in order."""
    spaced = (b" " + text.translate(table) + b" ").replace(b". ", b"  ").replace(b": ", b"  ")
    places: list[tuple[int, T]] = []
    place = 0
    for word in dict.fromkeys(_JOINTED.findall(spaced)):  # by first places, so one pass finds them all
        value = classify(word)
        if value is not None:
            place = spaced.index(b" %b " % word, place)
            places.append((place, value))
    return places


_JOINTED = re.compile(rb" ([^ ./:]*+[./:][^ ]*+)")  # a literal comes first: what follows is tried at spaces alone


_spelled = Memo(path_like)


def paths(text: bytes) -> list[tuple[int, tuple[str, str]]]:
    """(offset, (path, anchor)) of the path-like words of a text, each at its first place."""
    if b"/" not in text and b"." not in text:
        return []
    found = hits(text, _spelled.__getitem__)
    return [hit for hit in found if not _cut(text, hit[0], hit[1][0])]


def paths_in(text: bytes, spans: list[tuple[int, int]]) -> list[tuple[int, tuple[str, str]]]:
    """The path-like words inside spans of a text, with their offsets in the text."""
    parts = [text[start:end] for start, end in spans]
    found = paths(b"\n".join(parts)) if parts else []
    if not found:
        return []
    joined = [0, *accumulate([len(part) + 1 for part in parts])]  # where each part begins in all of them
    hit_in = ((bisect_right(joined, offset) - 1, offset, hit) for offset, hit in found)
    return [(spans[index][0] + offset - joined[index], hit) for index, offset, hit in hit_in]


def _cut(text: bytes, offset: int, path: str) -> bool:
    """Whether the word is the tail of something longer ("{root}/x.py", an escape sequence)."""
    before = text[offset - 1] if offset else 32
    return before == 92 or (path[0] == "/" and before in _CUT_BEFORE)
