"""How answers look: colour, width, quoting; and the machine forms.

Knows the terminal. Knows nothing of what an answer means. stdout is data,
stderr is talk.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable

from ..graph.model import encode_path
from ..recall.model import Answer, Result

SCHEMA = 1
_CODES = {"path": "36", "number": "33", "match": "1", "dim": "2", "bad": "31", "good": "32"}


def coloured() -> bool:
    """Whether stdout takes colour (NO_COLOR and TERM=dumb are honoured)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str) -> str:
    """The text in a style, where colour is taken."""
    return f"\033[{_CODES[style]}m{text}\033[0m" if coloured() else text


def width() -> int:
    """Columns of the terminal; 80 when there is none."""
    return max(20, shutil.get_terminal_size((80, 24)).columns) if sys.stdout.isatty() else 100


def plain(path: str) -> str:
    """A path that cannot move the cursor or reorder the line: odd characters are escaped."""
    if path.isprintable() and path.isascii():
        return path
    out = []
    for char in path:
        if char.isprintable() and not 0xDC80 <= ord(char) <= 0xDCFF:
            out.append(char)
        else:
            out.append("".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape")))
    return "".join(out)


def fit(text: str, columns: int) -> str:
    """The text in at most so many columns, the middle left out."""
    if len(text) <= columns:
        return text
    if columns < 5:
        return text[:columns]
    head = (columns - 1) // 2
    return f"{text[:head]}…{text[len(text) - (columns - 1 - head) :]}"


def emit(data: dict[str, object]) -> None:
    """One JSON object with the schema."""
    print(json.dumps({"schema": SCHEMA, **data}, ensure_ascii=True))


def write_paths(paths: Iterable[str]) -> None:
    """Paths as git stores them, each ended by a NUL."""
    sys.stdout.flush()
    for path in paths:
        sys.stdout.buffer.write(encode_path(path) + b"\0")
    sys.stdout.buffer.flush()


def place(result: Result) -> str:
    """PATH#FRAGMENT."""
    return f"{result.path}#{result.fragment}" if result.fragment else result.path


def porcelain(answer: Answer) -> None:
    """score TAB path TAB fragment."""
    for result in answer.results:
        print(f"{result.score:.6f}\t{plain(result.path)}\t{result.fragment}")


def explain(result: Result) -> None:
    """The terms of one score; they add up."""
    for reason in result.reasons:
        print(f"     {reason.share:8.4f}  {reason.signal:10} {plain(reason.text)}")
    print(f"     {sum(reason.share for reason in result.reasons):8.4f}  = the score")


def snippet(result: Result) -> None:
    """The text of a result, numbered."""
    start = int(result.fragment[1:].partition("-")[0]) if result.fragment else 1
    for number, line in enumerate(result.snippet.splitlines(), start):
        print(paint(f"     {number:5} ", "dim") + plain(line.replace("\t", "    "))[: width() - 12])


def note(lines: Iterable[str]) -> None:
    """What the asker should know, on stderr."""
    for line in lines:
        print(f"git-oracl: {line}", file=sys.stderr)


def short(text: str) -> str:
    """The first seven characters of an id."""
    return text[:7]


def plural(count: int, word: str) -> str:
    """1 file, 2,000 files."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
