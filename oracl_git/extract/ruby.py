"""Ruby: files by the load path, constants by what their names say.

Knows `require` and its kin, where methods become private, and which constants a file
uses in which nesting. Gems name each other in gemspecs and Gemfiles.
"""

from __future__ import annotations

import re
from posixpath import normpath

from . import packages, syntax, views
from .facts import Definition
from .source import Findings, Source
from .views import underscore

_CONSTANT = re.compile(rb"(?<![\w$@:.\\])(::)?([A-Z]\w*+(?:::[A-Z]\w*+)*+)(?!\w|: )")
_PRIVATE_NAMES = re.compile(
    rb"^[ \t]*+(?:private|protected|private_class_method|private_constant)[ \t(]++"
    rb"(:[\w?!=]++(?:[ \t]*+,\s*+:[\w?!=]++)*+)",
    re.MULTILINE,
)
_SYMBOL = re.compile(rb":([\w?!=]++)")
_PRIVATE_DEF = re.compile(rb"[ \t]*+(?:private|protected|private_class_method)[ \t]++def\b")
_TASK = re.compile(rb"^[ \t]*+(?:task|multitask|rule)[ (:\"'\w]", re.MULTILINE)
_SPECIFICATION = re.compile(rb"\bGem::Specification\.new\b")
_GEM = re.compile(rb"^[ \t]*+(?:\w++\.name[ \t]*+=[ \t]*+)[\"']([\w.-]++)[\"']", re.MULTILINE)
_NEEDED = re.compile(
    rb"^[ \t]*+(?:\w++\.add_(?:runtime_|development_)?dependency|gem)[ \t(]*+[\"']([\w.-]++)[\"']", re.MULTILINE
)
_PASSED = frozenset(("class", "module"))


def extract(source: Source, language: str) -> Findings:
    """What a Ruby file says."""
    reading = syntax.packaged(source, language)
    found = reading.found
    found.definitions = _hidden(source, reading.code, found.definitions)
    nests = [(each.start, each.end, each.name.replace(".", "::")) for each in found.definitions if each.kind in _PASSED]
    for each in reading.imports:
        path = _required(source, each, _nesting(nests, source.line(each.start)))
        syntax.refer(source, each._replace(path=path, members=()), found)
    named = [each for each in found.definitions if each.kind in _PASSED or each.kind == "constant"]
    found.declares += (("ruby", each.name.replace(".", "::")) for each in named)
    found.declares += (("ruby body", name) for name in _with_bodies(source, found.definitions))
    _rendered(source, reading.code, nests, found)
    _uses(source, reading.bare, nests, packages.own_names(found.definitions), found)
    _gems(source, reading.code, found)
    found.entry_point |= _TASK.search(reading.code) is not None and b"Rake::Task" not in reading.code
    return found


def _required(source: Source, each: syntax.Import, nesting: str) -> str:
    """What is required: from the load path, or relative to the file when it starts with a dot."""
    said = source.text[each.start : each.end]
    path = each.path
    if said.startswith(b"autoload") and not path:
        name = each.members[0].lstrip(":") if each.members else ""
        return underscore(f"{nesting}::{name}" if nesting else name)
    if b"__FILE__" in said:
        path = f"./{normpath(f'file/{path}')}"
    elif said.startswith(b"require_relative") or b"__dir__" in said:
        path = f"./{normpath(path)}"
    return path.removeprefix("./") if path.startswith("./../") else path


def _hidden(source: Source, code: bytes, definitions: list[Definition]) -> list[Definition]:
    """The definitions, those made private whose own line, or a line by their names, says so."""
    named = _named_private(source, code, definitions)
    return [
        each._replace(public=False)
        if each.name in named or (each.kind == "method" and _PRIVATE_DEF.match(source.rows[each.start - 1]))
        else each
        for each in definitions
    ]


def _named_private(source: Source, code: bytes, definitions: list[Definition]) -> set[str]:
    """What `private :name` and its kin name, each in the class it stands in."""
    names: set[str] = set()
    scopes = iter([each for each in definitions if each.kind in _PASSED])
    around: list[Definition] = []
    ahead = next(scopes, None)
    for match in _PRIVATE_NAMES.finditer(code) if b"private" in code or b"protected" in code else ():
        line = source.line(match.start(1))
        while ahead and ahead.start <= line:
            while around and around[-1].end < ahead.start:
                around.pop()
            around.append(ahead)
            ahead = next(scopes, None)
        while around and around[-1].end < line:
            around.pop()
        prefix = f"{around[-1].name}." if around else ""
        names.update(prefix + name.decode("utf-8", "replace") for name in _SYMBOL.findall(match[1]))
    return names


def _with_bodies(source: Source, definitions: list[Definition]) -> list[str]:
    """The classes and modules that the file does more with than to open them around others."""
    filled = {each.name.rpartition(".")[0] for each in definitions if each.kind not in _PASSED}
    return [
        each.name.replace(".", "::")
        for each in definitions
        if each.kind in _PASSED and (each.name in filled or b"<" in source.rows[each.start - 1])
    ]


def _rendered(source: Source, code: bytes, nests: list[tuple[int, int, str]], found: Findings) -> None:
    """The views that code renders; a builder is a view itself, which no class stands in."""
    if any(word in code for word in (b"render", b"partial!", b"layout", b"erb", b"app/views")):
        views.refer(source, code, found, nests)
    views.shown(found.definitions, found)


def _nesting(nests: list[tuple[int, int, str]], line: int) -> str:
    return next((name for start, end, name in reversed(nests) if start < line <= end), "")


def _uses(
    source: Source, code: bytes, nests: list[tuple[int, int, str]], known: set[str], found: Findings
) -> None:  # fmt: skip
    """The constants a file uses, in the nesting they first stand in."""
    seen: set[bytes] = set()
    for match in _CONSTANT.finditer(code):
        if match[0] in seen:
            continue
        seen.add(match[0])
        name = match[2].decode("utf-8", "replace")
        if name not in known or match[1]:
            line = source.line(match.start(2))
            found.refer("use", "" if match[1] else _nesting(nests, line), name, line)
        if len(seen) >= syntax.MAX_USES:
            return


def _gems(source: Source, code: bytes, found: Findings) -> None:
    specification = _SPECIFICATION.search(code)
    if specification:
        found.declares += (("gem", match[1].decode()) for match in _GEM.finditer(code))
    for match in _NEEDED.finditer(code):
        found.refer("depends", match[1].decode(), "gem", source.line(match.start(1)))
