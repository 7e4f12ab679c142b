"""Words of questions and paths: stems, parts, and full-text expressions.

Knows how words become an FTS5 expression that cannot fail, and a light stem
for comparing plain words. Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..extract.words import split_identifiers

_WORD = re.compile(r"\w+", re.UNICODE)
_PART = re.compile(r"[^\W_]+")


def light_stem(word: str) -> str:
    """A plural or simple form folded: archives → archive, tests → test."""
    for suffix, kept in (("ies", "y"), ("sses", "ss"), ("es", "e"), ("s", "")):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            return word[: -len(suffix)] + kept
    return word


def stems_of(text: str) -> list[str]:
    """The stems of the words of a path, a tag or what is asked for, in order."""
    return [light_stem(part.lower()) for part in _PART.findall(split_identifiers(text))]


def split_words(text: str) -> list[str]:
    """The distinct words of a text as full text has them, lower-cased, in order."""
    return list(
        dict.fromkeys(w for word in _WORD.findall(split_identifiers(text)) for w in word.lower().split("_") if w)
    )


def any_of(words: Iterable[str], column: str = "") -> str:
    """An FTS5 expression: any of the words (phrases where a word holds several)."""
    body = " OR ".join(f'"{word}"' for word in askable(words))
    return f"{{{column}}} : ({body})" if column and body else body


def askable(words: Iterable[str]) -> list[str]:
    """The words as full text takes them, less those with nothing in them to match."""
    return [clean for word in words if (clean := _clean(word))]


def _clean(word: str) -> str:
    """A term that FTS5 takes: no quotes, NULs or lone surrogates, and something to match."""
    clean = word.replace('"', " ").replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip()
    return clean if _WORD.search(clean) else ""
