"""Java and Kotlin: names by packages, whichever of the two languages defines them.

Knows what a file declares to others and which names it uses without an import:
those of its own package and of packages it imports whole, and types by their full names.
"""

from __future__ import annotations

import re

from . import packages, syntax
from .facts import Definition
from .source import Findings, Source

_FILE_CLASS = re.compile(rb"^@file:(?:JvmName\(\"(\w+)\"\)|\[[^\]\n]*JvmName\(\"(\w+)\"\))", re.MULTILINE)
_PACKAGE = re.compile(rb"^package[ \t]++([\w.]++)", re.MULTILINE)
_HEAD = 10_000  # bytes in which the package is said, if one is
# What stands at the left margin is a definition, also where the grammar takes it for something else.
_TOP_LEVEL = re.compile(
    rb"^(?:@[\w.:]++(?:\([^()\n]{0,200}+\))?[ \t]++){0,5}"
    rb"(?:(private|internal)[ \t]++|(?:public|const|expect|actual|inline|suspend|lateinit|annotation|abstract|open"
    rb"|sealed|data|value|enum|fun)[ \t]++)*(class|interface|object|typealias|val|var)[ \t]++(\w++)(?![\w.<?])",
    re.MULTILINE,
)
# In a file that the grammar does not understand, functions are lost, too.
_FUNCTION = re.compile(
    rb"^(?:@[\w.:]++(?:\([^()\n]{0,200}+\))?[ \t]++){0,5}"
    rb"(?:(private)[ \t]++|(?:public|internal|inline|suspend|operator|infix|tailrec|actual|expect)[ \t]++)*fun[ \t]++"
    rb"(?:<[^<>\n]{1,200}>[ \t]++)?(?:[\w.<>?*, ]{1,200}\.)?(\w++)[ \t]*+\(",
    re.MULTILINE,
)
# A type by its full name, told from its last dot: such dots are few, and a literal is found fast.
_DOTTED = re.compile(rb"\.([A-Z]\w*+)")
_BEFORE = re.compile(rb"(?:\A|[^\w.$`)\]])([a-z]\w*+(?:\.[a-z]\w*+)*+)\Z")
_LONGEST = 200  # bytes of a package's name
_KIND = {b"interface": "interface", b"typealias": "type", b"val": "constant", b"var": "constant"}
_TYPES = frozenset(("class", "interface", "type"))
_JAVA_LANG = frozenset(
    "String Object Override Exception RuntimeException IllegalArgumentException IllegalStateException Integer Long "
    "Boolean Double Float Byte Short Character Class Math System Iterable Throwable Error Thread Deprecated Void "
    "SuppressWarnings SafeVarargs FunctionalInterface NullPointerException StringBuilder CharSequence "
    "Comparable".split()
)
_KOTLIN = frozenset(
    "if for while when catch fun constructor init get set super this return throw try else do in".split()
)


def extract(source: Source, language: str) -> Findings:
    """What a Java or Kotlin file says."""
    reading = syntax.packaged(source, language)
    found = reading.found
    kinds = _TYPES if language == "java" else ()
    reading.packages[:] = [each._replace(name=each.name.replace("`", "")) for each in reading.packages]
    if not reading.packages:  # a text without a tree
        reading.packages.extend(
            syntax.Package(match[1].decode(), match.start(), len(source.text))
            for match in _PACKAGE.finditer(source.text, 0, _HEAD)
        )
    if language == "kotlin":
        _complete(source, reading)
    packages.declare(source, reading, "jvm", kinds=kinds)
    own = packages.package_of(packages.places(source, reading.packages, "."), source.lines)
    for match in _FILE_CLASS.finditer(source.text) if language == "kotlin" else ():
        name = (match[1] or match[2]).decode()
        found.declares.append(("jvm", f"{own}.{name}" if own else name))
    bound = packages.own_names(found.definitions)
    for each in reading.imports:
        each = each._replace(path=each.path.replace("`", ""))  # names that are words of Kotlin
        syntax.refer(source, each, found)
        if each.whole == "*":
            found.declares.append(("jvm star", each.path))
        else:
            bound.add(each.whole or each.path.rpartition(".")[2])
    builtin = _KOTLIN if language == "kotlin" else _JAVA_LANG
    syntax.uses(source, reading.bare, builtin | bound, found, calls=language == "kotlin")
    _full_names(source, reading.bare, found)
    return found


def _full_names(source: Source, code: bytes, found: Findings) -> None:
    """Note the types that stand in the code with their packages."""
    seen: set[bytes] = set()
    for match in _DOTTED.finditer(code):
        end = match.start()
        before = code[max(0, end - _LONGEST) : end].rpartition(b" ")[2]
        said = before + match[0]
        if said in seen or not before[-1:].isalnum():
            continue
        seen.add(said)
        package = _BEFORE.search(before)
        if package:
            name = match[1].decode("utf-8", "replace")
            found.refer("use", package[1].decode("utf-8", "replace"), name, source.line(end))
        if len(seen) >= syntax.MAX_USES:
            return


def _complete(source: Source, reading: syntax.Packaged) -> None:
    """Add the definitions that the tree of a Kotlin file has not."""
    found = reading.found
    names = {each.name for each in found.definitions}
    for match in _TOP_LEVEL.finditer(reading.bare):
        name = match[3].decode("utf-8", "replace")
        if name not in names:
            names.add(name)
            line = source.line(match.start(3))
            found.definitions.append(Definition(name, _KIND.get(match[2], "class"), line, line, not match[1], False))
    for match in _FUNCTION.finditer(reading.bare) if found.error else ():
        name = match[2].decode("utf-8", "replace")
        if name not in names:
            names.add(name)
            line = source.line(match.start(2))
            found.definitions.append(Definition(name, "function", line, line, not match[1], False))
    found.definitions.sort(key=lambda each: (each.start, -each.end))
