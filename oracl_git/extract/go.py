"""Go: packages named by their paths, and what a file takes from each.

Knows how a package is called inside a file. Where a path leads, `graph` says.
"""

from __future__ import annotations

import re

from . import syntax
from .source import Findings, Source, blank

_BUILTIN = frozenset(
    "append cap clear close complex copy delete func if imag len make max min new panic print println real recover "
    "switch for select return interface struct string byte rune error bool int uint int8 int16 int32 int64 uint8 "
    "uint16 uint32 uint64 float32 float64 any defer go range map chan case var const type import else".split()
)
_EMBEDDED = re.compile(rb"^//go:embed[ \t]++([^\n]{1,2000})", re.MULTILINE)
_PATTERN = re.compile(rb"\"([^\"]++)\"|`([^`]++)`|(\S++)")
_TEXT = re.compile(rb"\"(?:[^\"\\\n]++|\\.)*+\"|`[^`]*+`|'(?:[^'\\\n]|\\.){1,10}'")
_METHOD = re.compile(rb"\nfunc[ \t]*+\([^()\n]{1,300}\)[ \t]*+(\w++)")
_PACKAGE = re.compile(rb"^package[ \t]++(\w+)", re.MULTILINE)


def extract(source: Source, language: str) -> Findings:
    """What a Go file says."""
    found, code, imports = syntax.read(source, language)
    bound = {name for each in imports for name in _called(each)}
    taken = syntax.members(code, bound)
    for each in imports:
        names = next(filter(None, (taken[name] for name in _called(each))), {})
        syntax.refer(source, each._replace(members=tuple(names), whole=""), found)
    no_names = [match.span() for match in _TEXT.finditer(code)]
    no_names += (match.span(1) for match in _METHOD.finditer(code))  # what is named there is none of the package
    code = blank(code, sorted(no_names))
    syntax.uses(source, code, _BUILTIN.union(bound, (d.name for d in found.definitions)), found, calls=True)
    for line in _EMBEDDED.finditer(source.text) if b"//go:embed" in source.text else ():
        for pattern in _PATTERN.finditer(line[1]):
            target = (pattern[1] or pattern[2] or pattern[3]).decode("utf-8", "replace")
            found.refer("use", target, "", source.line(line.start()))
    package = _PACKAGE.search(code)
    if package:
        found.declares.append(("go package", package[1].decode("utf-8", "replace")))
    return found


def _called(each: syntax.Import) -> tuple[str, ...]:
    """The names a package may have: the one it is given, else the last part of its path, a version being seldom one."""
    if each.whole:
        return (each.whole,)
    head, _, last = each.path.rpartition("/")
    version = re.fullmatch(r"v\d+", last)
    name = re.sub(r"\.v\d+$", "", head.rpartition("/")[2] if version else last)
    name = name.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_")
    return (name, last) if version else (name,)
