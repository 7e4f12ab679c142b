"""How many tokens a text may cost a language model: an estimate that errs upwards.

Knows runs of characters. Tokenizers differ; this one counts what byte-pair encoders in
use count at most on code and prose (`estimate` says how), and never more than bytes.
"""

from __future__ import annotations

import re

_RUN = re.compile(
    r"(?P<word>[A-Z]?[a-z]+|[A-Z]+)|(?P<number>[0-9]+)|(?P<blank> +)|(?P<line>[\t\r\n]+)|(?P<other>[^\x00-\x7f]+)"
)
_WORD, _NUMBER, _BLANK, _LINE = 4, 2, 16, 2  # characters of a run that share a token
_LONG_WORD = 16  # a longer run of letters is no word of a language: two tokens for three letters


def estimate(text: str) -> int:
    """Tokens a text costs, rounded up.

    A word of n letters counts ⌈n/4⌉ (camelCase is several), digits ⌈n/2⌉, a run of blanks
    one per 16 beyond the first, line ends and tabs ⌈n/2⌉, any other ASCII character 1;
    letters outside ASCII their bytes in UTF-8, less a third where they have three or more.
    Subadditive at line ends: a text cut there never counts more than the sum of its parts
    plus one.
    """
    total = 0
    rest = len(text)
    for match in _RUN.finditer(text):
        size = match.end() - match.start()
        rest -= size
        kind = match.lastgroup
        if kind == "word":
            total += -(-size // _WORD) if size <= _LONG_WORD else -(-2 * size // 3)
        elif kind == "number":
            total += -(-size // _NUMBER)
        elif kind == "blank":
            total += (size - 1 + _BLANK - 1) // _BLANK
        elif kind == "line":
            total += -(-size // _LINE)
        else:
            size_in_bytes = len(match[0].encode("utf-8", "replace"))
            total += size_in_bytes - size if size_in_bytes > 2 * size else size_in_bytes
    return total + rest
