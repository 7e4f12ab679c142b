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
_METHOD = re.compile(rb"^func[ \t]*+\([^()\n]{1,300}\)[ \t]*+(\w++)", re.MULTILINE)
_PACKAGE = re.compile(rb"^package[ \t]++(\w+)", re.MULTILINE)


def extract(source: Source, language: str) -> Findings:
    """What a Go file says."""
    found, code, imports = syntax.read(source, language)
    bound = {each.whole or _called(each.path) for each in imports}
    taken = syntax.members(code, bound)
    for each in imports:
        names = taken[each.whole or _called(each.path)]
        syntax.refer(source, each._replace(members=tuple(names), whole=""), found)
    methods = [match.span(1) for match in _METHOD.finditer(code)]  # what is named there is none of the package
    code = blank(code, methods) if methods else code
    syntax.uses(source, code, _BUILTIN.union(bound, (d.name for d in found.definitions)), found, calls=True)
    for line in _EMBEDDED.finditer(source.text):
        for pattern in _PATTERN.finditer(line[1]):
            target = (pattern[1] or pattern[2] or pattern[3]).decode("utf-8", "replace")
            found.refer("use", target, "", source.line(line.start()))
    package = _PACKAGE.search(code)
    if package:
        found.declares.append(("go package", package[1].decode("utf-8", "replace")))
    return found


def _called(path: str) -> str:
    """The name a package most likely has: the last part of its path that is no version."""
    head, _, last = path.rpartition("/")
    if re.fullmatch(r"v\d+", last):
        last = head.rpartition("/")[2]
    last = re.sub(r"\.v\d+$", "", last)
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_")
