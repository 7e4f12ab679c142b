"""Stack traces and compiler messages: the lines of code they point at, the fault first.

Knows how Python, pytest, Node, browsers, the JVM, .NET, Go, Rust, shells, C compilers,
TypeScript, linters and their like write a place in a file, which way round each
lists its frames, and which paths belong to somebody else's code. Knows no index:
what a path means in a repository, `faults` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 200_000  # characters of a text that are looked through: half from its start, half from its end
_LINE = 2_000  # characters of one line
MOST = 200  # places that are kept

ERROR, WARNING, NOTE = 0, 1, 2


class Frame(NamedTuple):
    """A place in a text: the path as it is written, a line (1-based), and the function where it says so."""

    path: str
    line: int
    name: str = ""


_PATH = r"""(?:[A-Za-z]:(?=[\\/]))?[^\s:()<>"'`|*?,;=\[\]{}]+"""
_FILE = _PATH + r"(?:\.\w{1,12}|(?<=[Mm]akefile)|(?<=Dockerfile)|(?<=Rakefile)|(?<=Gemfile))"
_URL = r"(?:(?:file|https?|webpack|webpack-internal|app)://[^\s/]*)?"
_AT = rf"""(?<![^\s("'\[=@,|]){_URL}(?P<path>{_FILE})(?:\?[\w.=-]*)?"""

# Lists whose last frame is the innermost; all others list the innermost first.
_DOWNWARD = (
    re.compile(r'^(?:E\s)?\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?'),
    re.compile(rf"^[\s│|]*(?P<path>{_FILE}):(?P<line>\d+):? in (?P<name>[\w.<>]+)"),  # pytest, rich
    re.compile(rf"^File (?P<path>{_FILE}):(?P<line>\d+)(?:, in (?P<name>[\w.<>]+))?"),  # IPython
    re.compile(rf"^(?P<path>{_FILE}):(?P<line>\d+):\s*(?P<raised>[\w.]*(?:Error|Exception|Failed|Exit|Interrupt))?\s*$"),
)
_UPWARD = (
    re.compile(  # JVM
        r"^\s*at (?:[\w.@-]*/+)*(?P<where>[\w.$]+)\.(?P<name>[\w$<>]+)\((?P<path>[\w$-]+\.\w+):(?P<line>\d+)\)"
    ),
    re.compile(  # Node, browsers
        rf"^\s*at (?:(?:async |new )*(?P<name>[^()]*?)(?: \[as [^\]]*\])? \()?{_URL}(?P<path>{_FILE})(?:\?[\w.=-]*)?"
        r":(?P<line>\d+):\d+\)?"
    ),
    re.compile(r"^\s*at (?P<name>.+?) in (?P<path>.+?):line (?P<line>\d+)"),  # .NET
    re.compile(rf"{_AT}:(?P<line>\d+):in [`'](?:[\w:]+[#.])?(?P<name>[\w?!]+)'"),  # Ruby
    re.compile(rf"{_AT}\((?P<line>\d+)(?:,\d+)*\)(?=:|\s*$)"),  # tsc, MSVC, PHP
    re.compile(rf"{_AT}:\[(?P<line>\d+),\d+\]"),  # Maven
    re.compile(rf"{_AT} on line (?P<line>\d+)"),  # PHP
    re.compile(rf"^(?P<path>{_PATH}): line (?P<line>\d+): "),  # bash, whose scripts need no suffix
    re.compile(rf"^(?P<path>{_FILE}): (?P<line>\d+): "),  # other shells
    re.compile(rf"\bat {_URL}(?P<path>{_FILE}) line (?P<line>\d+)"),  # Perl
    re.compile(rf"(?:in|#\d+) (?P<name>[\w:~]+) \(.*\) at (?P<path>{_FILE}):(?P<line>\d+)"),  # gdb
)
_PLAIN = re.compile(rf"{_AT}:(?P<line>\d+)(?!\d|\.\d)")
_UNDER_A_PATH = re.compile(r"^\s+(?P<line>\d+):\d+\s+(?:(?P<kind>warning)\b|\S)")  # eslint, ruff
_ONLY_A_PATH = re.compile(rf"^(?P<path>{_FILE}):?\s*$")

_HEAD = "Traceback (most recent call last)"
_CAUSE_FOLLOWS = re.compile(r"^\s*(?:Caused by:|During handling of the above exception|\[cause\]:)")
_SEVERITY = re.compile(
    r"\b(?:(?P<error>error|fatal|panic)|(?P<warning>warning)|(?P<note>note|help|info|hint))\b(?=[]:\[ ])", re.I
)
_ASIDE = re.compile(r"In file included from|^\s+from |^\s*:::|instantiated from|required from")

# Whose code it is: what lies below these was installed, not written here. The rest of the path is theirs.
_FOREIGN = re.compile(
    r"(?<![^/])(?:(?P<python>(?:site|dist)-packages/|python\d(?:\.\d+)?/|Python\d+/Lib/|<frozen )"
    r"|(?P<package>node_modules/(?:@[^/]+/)?[^/]+/|pkg/mod/(?:[^/@]+/)*[^/@]+@[^/]+/|registry/src/[^/]+/[^/]+/"
    r"|gems/[^/]+/)"
    r"|node:|internal/|usr/include/|rustc/[^/]+/|rustlib/|\.rustup/|go/src/(?!\w+\.\w+/))"
)
NOT_OURS, PYTHON, PACKAGE = "", "python", "package"


def looks_like_a_trace(text: str, found: tuple[Frame, ...]) -> bool:
    """Whether a text is a trace or a compiler's message, not a question that names a line."""
    return len(found) > 1 or (bool(found) and (bool(_SEVERITY.search(text)) or "\n" in text.strip()))


def frames(text: str) -> tuple[Frame, ...]:
    """Every place a text points at, the fault first; none twice."""
    blocks: list[list[tuple[int, Frame]]] = []
    chain = 0  # where the first traceback of the one that is read now stands
    causes = False  # whether the next traceback is the cause of the one before it
    downward: list[tuple[int, Frame]] | None = None
    upward: list[tuple[int, Frame]] | None = None
    severity = ERROR

    def opened() -> list[tuple[int, Frame]]:
        nonlocal chain, causes
        block: list[tuple[int, Frame]] = []
        blocks.insert(chain if causes else len(blocks), block)
        chain, causes = (chain if causes else len(blocks) - 1), False
        return block

    header = ""
    for row in _rows(text):
        if _CAUSE_FOLLOWS.match(row):
            causes, downward, upward = True, None, None
        elif row.startswith("____"):  # the next failure of pytest
            causes, downward, upward = False, None, None
        elif "direct cause of the following exception" in row or _HEAD in row:
            downward = None
        kind = _severity(row)
        severity = severity if kind is None else kind
        frame = _match(_DOWNWARD, row)
        if frame:
            upward = None
            downward = opened() if downward is None else downward
            downward.insert(0, (ERROR, frame))
            if _DOWNWARD[-1].match(row) and row.rstrip()[-1:] != ":":
                downward = None  # the last line of a failure as pytest prints it
            continue
        under = _UNDER_A_PATH.match(row)
        if under and header:
            upward = opened() if upward is None else upward
            upward.append((WARNING if under["kind"] else ERROR, Frame(header, _number(under["line"]))))
            continue
        only = _ONLY_A_PATH.match(row)
        header = only["path"] if only else header if row.strip() else ""
        found = _upward(row)
        if found:
            downward = None
            upward = opened() if upward is None else upward
            here = NOTE if _ASIDE.search(row) else severity if "-->" in row else kind or ERROR
            upward += [(here, frame) for frame in found]
    ordered = sorted((row for block in blocks for row in block), key=lambda row: row[0])
    return tuple(dict.fromkeys(frame for _, frame in ordered))[:MOST]


def _rows(text: str) -> Iterator[str]:
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    for row in text.splitlines():
        if len(row) > 4:
            yield row[:_LINE]


def _severity(row: str) -> int | None:
    match = _SEVERITY.search(row)
    if match is None:
        return None
    return ERROR if match["error"] else WARNING if match["warning"] else NOTE


def _match(patterns: tuple[re.Pattern[str], ...], row: str) -> Frame | None:
    for pattern in patterns:
        match = pattern.search(row)
        if match:
            groups = match.groupdict()
            path, name = groups["path"], (groups.get("name") or "").strip()
            where = groups.get("where")
            if where:  # a.b.Class + Class.java: the package is the directory
                path = "/".join([*where.split(".")[:-1], path])
            return Frame(path, _number(groups["line"]), re.split(r"[.#:\s]", name)[-1])
    return None


def _upward(row: str) -> list[Frame]:
    if not any(char.isdigit() for char in row):
        return []
    frame = _match(_UPWARD, row)
    if frame:
        return [frame]
    return [Frame(match["path"], _number(match["line"])) for match in _PLAIN.finditer(row)]


def _number(digits: str) -> int:
    return int(digits[:9])


def parts_of(path: str) -> tuple[list[str], str | None]:
    """(segments of a written path, whose it is: None for ours, else NOT_OURS, PYTHON or PACKAGE).

    For PYTHON and PACKAGE the segments are those below the place of installation.
    """
    flat = path.replace("\\", "/")
    kind: str | None = None
    places = list(_FOREIGN.finditer(flat))
    if places:
        last = places[-1]  # the innermost place decides
        kind = PYTHON if last["python"] else PACKAGE if last["package"] else NOT_OURS
        flat = flat[last.end() :]
    parts = [part for part in flat.split("/") if part not in ("", ".", "..")]
    if parts and len(parts[0]) == 2 and parts[0][1] == ":":
        parts = parts[1:]
    return parts, kind
