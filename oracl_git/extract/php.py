"""PHP: names by namespaces, taken one by one, and files that are required by path.

Knows `use` in all its forms and how a name in the code is completed by it.
"""

from __future__ import annotations

import re
from posixpath import normpath

from . import packages, syntax
from .source import Findings, Source, blank

_KINDS = frozenset(("class", "interface", "trait", "function", "constant"))
_USE = re.compile(rb"(?:(function|const)\s+)?\\?([A-Za-z_\x80-\xff][\w\x80-\xff\\]*+)(?:\s+as\s+(\w++))?\s*+([,;{}]|$)")
_COMMENT = re.compile(rb"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_REQUIRED = re.compile(
    rb"(?:require|include)(?:_once)?\s*+\(?\s*+(?:(__DIR__|dirname\s*+\(\s*+__FILE__\s*+\)"
    rb"|dirname\s*+\(\s*+__DIR__\s*+(?:,\s*+(\d)\s*+)?\)|dirname\s*+\(\s*+dirname\s*+\(\s*+__FILE__\s*+\)\s*+\))\s*+\.\s*+)?"
    rb"(?:'([^'$\n]++)'|\"([^\"$\n]++)\")\s*+\)?\s*+$"
)
_NAME = re.compile(rb"(?<![\w$>:\x80-\xff\\])(\\?(?:[A-Za-z_]\w*+\\)*)([A-Z]\w*+|[a-z_]\w*+(?=\())(?![\w\\])")
_CALL_AFTER = re.compile(rb"(?:function|new|fn)\s+&?$")
_NO_CALLS = frozenset("if while for foreach switch catch array list isset unset empty exit die echo print and or match "
                      "function fn declare return elseif use static self parent new".split())  # fmt: skip
_NO_TYPES = frozenset("TRUE FALSE NULL True False Null".split())
_DEFINED = re.compile(rb"\bdefine\s*+\(\s*+['\"](\w++)['\"]")


def extract(source: Source, language: str) -> Findings:
    """What a PHP file says."""
    reading = syntax.packaged(source, language)
    found = reading.found
    packages.declare(source, reading, "php", "\\", _KINDS)
    spaces = packages.places(source, reading.packages, "\\")
    bound: dict[str, str] = {}
    for each in reading.imports:
        said = source.text[each.start : each.end]
        if said[:3].lower() == b"use":
            _used(source, each, said, bound, found)
        else:
            _required(source, each, said, found)
    _uses(source, reading.bare, spaces, bound, packages.own_names(found.definitions), found)
    return found


def _used(source: Source, each: syntax.Import, said: bytes, bound: dict[str, str], found: Findings) -> None:
    """`use A\\{B, function c as d};` and simpler ones."""
    said = blank(said, [match.span() for match in _COMMENT.finditer(said)])[3:]
    prefix = ""
    for match in _USE.finditer(said):
        name = match[2].decode("utf-8", "replace")
        if match[4] == b"{":
            prefix = name
            continue
        full = f"{prefix}{name}" if prefix.endswith("\\") else f"{prefix}\\{name}" if prefix else name
        bound[match[3].decode() if match[3] else name.rpartition("\\")[2]] = full
        line = source.line(each.start + 3 + match.start(2))
        found.refer("import", full, "", line)


def _required(source: Source, each: syntax.Import, said: bytes, found: Findings) -> None:
    """A file by a path that is written out; from the file's directory when it starts with a dot."""
    match = _REQUIRED.match(said)
    if not match:
        return
    path = (match[3] or match[4]).decode("utf-8", "replace")
    base = match[1] or b""
    if base:
        ups = int(match[2] or 1) if b"__DIR__" in base and b"dirname" in base else base.count(b"dirname") - 1
        path = normpath("/".join([*[".."] * max(ups, 0), path.lstrip("/")]))
        path = path if path.startswith("..") else f"./{path}"
    found.refer("import", path, "file", source.line(each.start), source.line(each.end - 1))


def _uses(
    source: Source, code: bytes, spaces: list[packages.Place], bound: dict[str, str], known: set[str], found: Findings
) -> None:
    """Names in the code that `use` does not stand for, completed by what it says and by the namespace around them."""
    seen: set[tuple[bytes, bytes, str]] = set()
    for match in _NAME.finditer(code):
        path, name = match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace")
        line = source.line(match.start(2))
        space = packages.package_of(spaces, line)
        if (match[1], match[2], space) in seen:
            continue
        seen.add((match[1], match[2], space))
        if len(seen) >= syntax.MAX_USES:
            return
        if path:
            first, _, rest = path.strip("\\").partition("\\")
            if path.startswith("\\"):
                full = f"{path[1:]}{name}"
            elif first == "namespace":
                full = "\\".join(filter(None, (space, rest, name)))
            else:
                place = bound.get(first) or "\\".join(filter(None, (space, first)))
                full = "\\".join(filter(None, (place, rest, name)))
            found.refer("use", "", full, line)
        elif name not in bound and name not in known and name not in _NO_TYPES and name not in _NO_CALLS:
            if name[0].islower() and _CALL_AFTER.search(code[max(0, match.start() - 12) : match.start()]):
                continue
            found.refer("use", space, name, line)
