"""C#: names by namespaces, of which a file sees several whole.

Knows `using` in all its forms, partial and generic types, and attributes. A generic
type is declared and used with "<" after its name: it is another type than its namesake.
"""

from __future__ import annotations

import re

from . import packages, syntax
from .source import Findings, Source

_KINDS = frozenset(("class", "interface", "type"))
# What is assigned to, and what has accessors, is a property or a field, also when a type is called like it.
_TYPE = re.compile(
    rb"(?<![\w.$\"'@])(\[?)([A-Z]\w*+)"
    rb"(?!\s*+=(?![=>])|\s*+\{\s*+(?:(?:private|protected|internal)\s++){0,2}(?:[sg]et|init)\b)(<?)"
)


def extract(source: Source, language: str) -> Findings:
    """What a C# file says."""
    reading = syntax.packaged(source, language)
    found = reading.found
    named = packages.declare(source, reading, "csharp", kinds=_KINDS)
    found.declares = [row for row in found.declares if row[0] == "csharp package"]
    for name, each in named:
        head = source.text[source.start(each.start) : source.start(each.start) + 2_000]
        match = re.search(rb"(\bpartial\s+)?(?:\w+)\s+%s\s*(<?)" % re.escape(each.name.encode()), head)
        name += match[2].decode() if match else ""
        found.declares.append(("csharp", name))
        if match and match[1]:
            found.declares.append(("csharp partial", name))
    bound = packages.own_names(found.definitions, _KINDS)  # a property may be called like its type
    for using in reading.imports:
        bound.add(using.whole)
        _using(source, using, found)
    _uses(source, reading.bare, bound, found)
    return found


def _using(source: Source, each: syntax.Import, found: Findings) -> None:
    """A namespace that is seen whole, or the type that is named."""
    said = source.text[each.start : each.end].split()
    each = each._replace(path=re.sub(r"\s|<.*", "", each.path.removeprefix("global::"), flags=re.DOTALL))
    if b"static" in said or each.whole:
        syntax.refer(source, each, found)
        return
    found.declares.append(("csharp global" if b"global" in said else "csharp using", each.path))
    syntax.refer(source, each._replace(whole="*"), found)


def _uses(source: Source, code: bytes, known: set[str], found: Findings) -> None:
    """What looks like a type; what stands in brackets may be an attribute, which leaves off the end of its name."""
    seen: set[tuple[bytes, ...]] = set()
    for match in _TYPE.finditer(code):
        if match.groups() in seen:
            continue
        seen.add(match.groups())
        name = match[2].decode("utf-8", "replace")
        line = source.line(match.start(2))
        if name not in known:
            found.refer("use", "", name + match[3].decode(), line)
        if match[1]:
            found.refer("use", "", f"{name}Attribute", line)
        if len(seen) >= syntax.MAX_USES:
            return
