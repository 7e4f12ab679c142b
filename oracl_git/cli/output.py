"""How answers look: colour, width, quoting; and the machine forms.

Knows the terminal. Knows nothing of what an answer means. stdout is data,
stderr is talk.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..graph.model import encode_path
from ..plain import plain as plain

if TYPE_CHECKING:
    from ..recall.model import Answer, Reason, Result

SCHEMA = 1
_CODES = {"path": "36", "number": "33", "match": "1", "dim": "2", "bad": "31", "good": "32"}
_REASONS = 3  # shown beside a result; --explain has all
_REASON = 48  # columns of one, where there are several
_ONE_LINE = re.compile(r"\bL(\d+)-\1\b")
_SURROGATE = re.compile("[\ud800-\udfff]")


def coloured() -> bool:
    """Whether stdout takes colour (NO_COLOR and TERM=dumb are honoured)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, style: str) -> str:
    """The text in a style, where colour is taken."""
    return f"\033[{_CODES[style]}m{text}\033[0m" if coloured() else text


def width() -> int:
    """Columns of the terminal; 80 when there is none."""
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isascii() and given.isdigit() else 0
    if not columns and sys.stdout.isatty():
        try:
            columns = os.get_terminal_size(sys.stdout.fileno()).columns
        except OSError:
            pass
    return max(20, min(columns, 1000)) if columns else 80


def fit(text: str, columns: int) -> str:
    """A path in at most so many columns, its middle left out."""
    if len(text) <= columns:
        return text
    if columns < 5:
        return text[:columns]
    head = (columns - 1) // 2
    return f"{text[:head]}…{text[len(text) - (columns - 1 - head) :]}"


def cut(text: str, columns: int) -> str:
    """Words in at most so many columns, their end left out."""
    return text if len(text) <= columns else text[: max(0, columns - 1)].rstrip() + "…"


# -- machine forms --------------------------------------------------------------------------


def emit(data: dict[str, object]) -> None:
    """One JSON object with the schema; flushed, so that who asks line by line is answered line by line."""
    data = {"schema": SCHEMA, **data}
    text = json.dumps(data, ensure_ascii=True)
    if "\\ud" in text:  # bytes that are not UTF-8, or half of a pair: no JSON string may hold them
        text = json.dumps(_whole(data), ensure_ascii=True)
    print(text, flush=True)


def _whole(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, (list, tuple)) else value


def write_paths(paths: Iterable[str]) -> None:
    """Paths as git stores them, each ended by a NUL."""
    sys.stdout.flush()
    for path in paths:
        sys.stdout.buffer.write(encode_path(path) + b"\0")
    sys.stdout.buffer.flush()


def write_path(path: str) -> None:
    """One path as the file system has it, on a line."""
    sys.stdout.flush()
    sys.stdout.buffer.write(os.fsencode(path) + b"\n")
    sys.stdout.buffer.flush()


def porcelain(answer: Answer) -> None:
    """score TAB path TAB fragment."""
    for result in answer.results:
        print(f"{result.score:.6f}\t{plain(result.path)}\t{result.fragment}")


# -- for people -----------------------------------------------------------------------------


def lines(text: str) -> str:
    """Fragments as people write them: L4-4 is L4."""
    return _ONE_LINE.sub(r"L\1", text)


def place(path: str, fragment: str) -> str:
    """PATH#FRAGMENT."""
    return plain(path) + (f"#{lines(fragment)}" if fragment else "")


def because(reasons: Sequence[Reason]) -> list[str]:
    """The best reasons in words."""
    from ..recall.model import telling

    return list(dict.fromkeys(plain(lines(reason.text)) for reason in telling(reasons)))[:_REASONS]


def _join(texts: list[str], columns: int) -> str:
    """As many reasons as fit, the first in any case; long ones cut at their end."""
    texts = [cut(text, _REASON) for text in texts] if len(texts) > 1 else texts
    said = texts[:1]
    for text in texts[1:]:
        if len("; ".join([*said, text])) <= columns:
            said.append(text)
    return cut("; ".join(said), columns)


def table(answer: Answer, numbered: bool) -> Iterator[tuple[Result, str]]:
    """Each result as it is printed: on one line where place and reason fit side by side, else on two."""
    room = width()
    lead = 4 if numbered else 0
    places = [fit(place(r.path, r.focus), room - lead - 6) for r in answer.results]
    reasons = [because(r.reasons) for r in answer.results]
    column = max(map(len, places), default=0)
    beside = room - lead - column - 8
    one_line = all(len("; ".join(cut(text, _REASON) for text in texts[:2])) <= beside for texts in reasons)
    for number, (result, where, texts) in enumerate(zip(answer.results, places, reasons, strict=True), 1):
        head = f"{number:2}  " if numbered else ""
        head += f"{paint(where.ljust(column), 'path')}  {paint(f'{result.score:.2f}', 'number')}"
        if one_line:
            yield result, f"{head}  {_join(texts, beside)}".rstrip()
        else:
            yield result, f"{head}\n    {_join(texts, room - 4)}".rstrip()


def explain(result: Result) -> None:
    """The terms of one score; they add up."""
    room = width()
    for reason in result.reasons:
        print(cut(f"    {reason.share:8.4f}  {reason.signal:10} {plain(lines(reason.text))}", room))
    print(cut(f"    {sum(reason.share for reason in result.reasons):8.4f}  = the score", room))


def snippet(result: Result) -> None:
    """The text of a result, numbered."""
    room = width()
    for number, line in enumerate(result.snippet.split("\n") if result.snippet else (), result.snippet_line):
        print((paint(f"    {number:5}", "dim") + "  " + cut(plain(line.replace("\t", "    ")), room - 11)).rstrip())


def note(rows: Iterable[str]) -> None:
    """What the asker should know, on stderr."""
    for row in rows:
        print(f"git-oracl: {plain(row)}", file=sys.stderr)


def short(text: str) -> str:
    """The first seven characters of an id."""
    return text[:7]


def plural(count: int, word: str) -> str:
    """1 file, 2,000 files."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def empty_change(staged: bool) -> None:
    """Say that a change has no files; what is edited and not added yet is the usual reason."""
    note(["nothing is staged; git add comes first" if staged else "that change touches no file"])
