"""How words are split for search: identifiers at their seams, CJK into pairs, noise left out.

Knows character classes. Knows no language, and not what is searched for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_MEMO_WORDS = 1 << 17  # that a cache keeps, and how long they may be
_MEMO_LENGTH = 64
_TERM_TABLE = bytes(
    byte if byte > 127 or chr(byte).isalnum() or byte == 95 else 32 for byte in range(256)
)  # "_" stays: the tokenizer of the index separates at it
_BOUNDARY = re.compile(
    r"(?<=[a-z])(?=[A-Z])"  # fooBar
    r"|(?<=[A-Z])(?=[A-Z](?:[a-rt-z]|s[a-z]))"  # HTTPServer, not URLs
    r"|(?<=[^\W\d_])(?=[0-9])|(?<=[0-9])(?=[^\W\d_])"  # utf8
)
_WHOLE = re.compile(rb"[A-Z]?[a-z_]++|[A-Z_]++|[0-9_]++")  # most words: no boundary in them, said cheaply
_NOT_WORD = re.compile(r"\W+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
_NOISE_LENGTH = 100
_NOISE_SUSPECT = 20  # shorter words are never noise; longer ones are when they split into crumbs
_NOISE_CRUMB = 3


def _bigrams(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) == 1:
        return f" {run} "
    return " " + " ".join(run[i : i + 2] for i in range(len(run) - 1)) + " "


def _split(word: bytes) -> bytes:
    """One word as the words it is made of; noise (base64, digests) as nothing."""
    if not word.isascii():
        text = _NOT_WORD.sub(" ", word.decode("utf-8", "replace"))
        return " ".join(_BOUNDARY.sub(" ", _CJK.sub(_bigrams, text)).split()).encode()
    if len(word) > _NOISE_LENGTH:
        return b""
    if _WHOLE.fullmatch(word):
        return word
    parts = _BOUNDARY.sub(" ", word.decode("ascii")).encode()
    if len(word) >= _NOISE_SUSPECT and (parts.count(b" ") + 1) * _NOISE_CRUMB > len(word):
        return b""
    return parts


class Memo(dict[bytes, T]):
    """What a function makes of words. A cache: what it holds changes no answer."""

    def __init__(self, make: Callable[[bytes], T]) -> None:
        self._make = make

    def __missing__(self, word: bytes) -> T:
        made = self._make(word)
        if len(word) <= _MEMO_LENGTH:
            if len(self) >= _MEMO_WORDS:
                self.clear()
            self[word] = made
        return made


_memo = Memo(_split)


def split_bytes(text: bytes) -> str:
    """UTF-8 text as space-separated words for full-text search."""
    return b" ".join(filter(None, map(_memo.__getitem__, text.translate(_TERM_TABLE).split()))).decode()


def split_identifiers(text: str) -> str:
    """Text as space-separated words for full-text search, identifiers split.

    >>> split_identifiers("parseURL2(HTTPServer.max_size)")
    'parse URL 2 HTTP Server max_size'
    """
    return split_bytes(text.encode("utf-8", "replace"))
