"""C#: names by namespaces, of which a file sees several whole.

Knows `using` in all its forms, partial and generic types, attributes, and types named with
(a part of) their namespace. A generic type is declared and used with "<" after its name: it is
another type than its namesake.
"""

from __future__ import annotations

import re

from . import packages, syntax
from .source import Findings, Source

_KINDS = frozenset(("class", "interface", "type"))
# What is assigned to, and what has accessors, is a property or a field, also when a type is called like it.
_TYPE = re.compile(
    rb"(?<![\w.$\"'@])(\[?)([A-Z]\w*+)"
    rb"(?!\s*+=(?![=>])|\s*+\{\s*+(?:(?:private|protected|internal)\s++){0,2}(?:[sg]et|init)\b)"
    rb"((?:\.[A-Z]\w*+){0,7})(<?)"
)
# What follows a type and no value: the name of what is of it, or the end of what it is for.
_TYPED = re.compile(rb"[?\[\],]{0,6}(?:>|\s++(?!(?:is|as|and|or|not|when|in|switch|with)\b)[A-Za-z_@])")
_GLOBAL = b"global::"  # before a name that begins in no namespace


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
    spaces = {part: "" for package in reading.packages for part in package.name.split(".")}
    for using in reading.imports:
        bound.add(using.whole)
        path = _using(source, using, found)
        spaces.update({using.whole: path} if using.whole else dict.fromkeys(path.split("."), ""))
    _uses(source, reading.bare, bound, spaces, found)
    return found


def _using(source: Source, each: syntax.Import, found: Findings) -> str:
    """A namespace that is seen whole, or the type that is named; returns its name."""
    said = source.text[each.start : each.end].split()
    each = each._replace(path=re.sub(r"\s|<.*", "", each.path.removeprefix("global::"), flags=re.DOTALL))
    if b"static" in said or each.whole:
        syntax.refer(source, each, found)
        return each.path
    found.declares.append(("csharp global" if b"global" in said else "csharp using", each.path))
    syntax.refer(source, each._replace(whole="*"), found)
    return each.path


def _uses(source: Source, code: bytes, known: set[str], spaces: dict[str, str], found: Findings) -> None:
    """What looks like a type; what stands in brackets may be an attribute, which leaves off the end of its name.

    `spaces`: what a name with dots may begin with, and what it is an alias of, if it is one.
    """
    seen: set[tuple[bytes, ...]] = set()
    chains: set[tuple[bytes, ...]] = set()
    for match in _TYPE.finditer(code):
        bracket, head, rest, generic = match.groups()
        if rest:
            said, generic = match.groups(), b""
            if said not in chains and len(chains) < syntax.MAX_USES:
                chains.add(said)
                _qualified(source, code, match, spaces, found)
        if (bracket, head, generic) in seen:
            continue
        seen.add((bracket, head, generic))
        name = head.decode("utf-8", "replace")
        line = source.line(match.start(2))
        if name not in known:
            found.refer("use", "", name + generic.decode(), line)
        if bracket:
            found.refer("use", "", f"{name}Attribute", line)
        if len(seen) >= syntax.MAX_USES:
            return


def _qualified(source: Source, code: bytes, match: re.Match[bytes], spaces: dict[str, str], found: Findings) -> None:
    """A name with a dot that may begin with a namespace: with a part of one that the file speaks of, or as a type."""
    bracket, head, rest, generic = (each.decode("utf-8", "replace") for each in match.groups())
    before = code[max(0, match.start(2) - len(_GLOBAL)) : match.start(2)]
    top = before == _GLOBAL
    if not (top or head in spaces or before.endswith(b"new ") or _TYPED.match(code, match.end(3))):
        return
    target = "global::" if top else spaces.get(head, "")
    name = rest[1:] if target and not top else head + rest
    line = source.line(match.start(2))
    found.refer("use", target, name + generic, line)
    if bracket:
        found.refer("use", target, f"{name}Attribute", line)
