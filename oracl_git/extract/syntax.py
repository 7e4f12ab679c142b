"""Any language with a grammar and a query: definitions and imports, from its tree.

Knows what the captures of a .scm file mean, the same in every language:

    @definition.KIND   a definition; KIND is class, interface, trait, type, module, function,
                       method, constant or component
    @name              what it is called
    @scope             with a definition: what it belongs to, where that is written elsewhere
    @within            not a definition, but what stands inside belongs to its @scope
    @below             from here to the end of what it stands in, definitions are public or, with @private, not; ...
    @apart             ... except those
    @public @private   what marks it as one or the other, anywhere inside its match; the last pattern that says
                       @private wins
    @exported          the name of a definition that is public though its own place does not say so
    @import            a statement, or a part of one, that names something else
    @path              with an import: what it names; quotes are taken off
    @member            with an import: a name taken from there
    @whole             with an import: the name that all of it is bound to; "*" takes every name
    @entry             something that is meant to be run
    @package           what says in which package or namespace (its @name) that which follows, or stands inside, is
    @string            a text: what looks like a name in there is none
    @again             what stands between its first and its last byte is code, too, as the tokens of a macro are
    @comment           a comment; a query that names none leaves comments to the looks of their signs

Knows no language: what a query cannot say stands in a module of the language's
own, which calls `read` and adds to what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from tree_sitter import Node

from . import generic, trees
from .chunks import CONTAINERS, by_definitions, is_lead
from .facts import Definition
from .languages import language as language_row
from .paths import paths
from .risks import risks
from .source import Findings, Source, blank, only

# What makes a definition public, by the column `public` of a language: its name, or what the query marked.
PUBLIC: dict[str, Callable[[str, bool, bool], bool]] = {
    "name": lambda name, marked, hidden: not name.startswith("_") and not hidden,
    "capital": lambda name, marked, hidden: name[:1].isupper(),
    "marked": lambda name, marked, hidden: marked and not hidden,
}
_BELOW = "below"  # the kind of what only says which definitions below it are public
_ASIDE = frozenset(("string", "comment", "package"))  # captures that stand for no definition
_QUOTES = b"\"'`"
_LONGEST_LEAD = 100  # lines of a comment and annotations above a definition that are looked at
_MOST_ANNOTATIONS = 20  # lines of them between a definition and its comment
MAX_MEMBERS = 200  # names of one import
MAX_USES = 400  # names one file uses without an import
_MAX_AGAIN = 3  # macros in macros


class Import(NamedTuple):
    """An import by its offsets: what it names, what it takes from there, and the name all of it is bound to."""

    path: str
    members: tuple[str, ...]
    whole: str
    start: int
    end: int


class Package(NamedTuple):
    """A package or namespace, and the offsets it reaches over."""

    name: str
    start: int
    end: int


class Reading(NamedTuple):
    """What a tree said; `code` is the text without comments and imports, of the same length."""

    found: Findings
    code: bytes
    imports: list[Import]


class Packaged(NamedTuple):
    """A reading, and what names known by packages need: `bare` is `code` without strings and the packages' names."""

    found: Findings
    code: bytes
    imports: list[Import]
    bare: bytes
    packages: list[Package]


class _Scope(NamedTuple):
    """A definition, or what holds some, by its offsets."""

    start: int
    end: int
    name: str
    kind: str  # "" for what is no definition itself
    scope: str
    public: bool
    apart: bool = False  # what says "below" does not speak of it


def extract(source: Source, language: str) -> Findings:
    """What a file says, as its query alone tells."""
    reading = read(source, language)
    for each in reading.imports:
        refer(source, each, reading.found)
    return reading.found


def refer(source: Source, each: Import, found: Findings) -> None:
    """Note an import: each member of it, or all of it."""
    start, end = source.line(each.start), source.line(each.end - 1)
    for name in each.members[:MAX_MEMBERS] or (each.whole if each.whole == "*" else "",):
        found.refer("import", each.path, name, start, end)


Refine = Callable[[list[Definition]], list[Definition]]


def read(
    source: Source, language: str, grammar: str = "", also: Collection[Import] = (), refine: Refine = list
) -> Reading:
    """Definitions, comments, the paths in strings and the risks of a file; its imports are the caller's to note.

    `grammar` is another language's when the text is in that; `also` are imports that
    were found without a tree; `refine` gives the definitions as they are after all. A text
    without a tree is read as in any language.
    """
    return Reading(*packaged(source, language, grammar, also, refine)[:3])


def packaged(
    source: Source, language: str, grammar: str = "", also: Collection[Import] = (), refine: Refine = list
) -> Packaged:
    """The same with its packages."""
    grammar = grammar or language
    root, error = trees.read(grammar, source.text)
    if root is None:
        found = generic.extract(source, language)
        found.error = error
        found.definitions = refine(found.definitions)
        return Packaged(found, source.text, list(also), source.text, [])
    found = Findings()
    found.error = error
    row = language_row(language)
    text = source.text
    matches = trees.matches(grammar, root)
    _read_again(grammar, text, matches)
    if trees.grammar(grammar).comments:
        comments = sorted(match["comment"][0].byte_range for match in matches if "comment" in match)
    else:
        comments = generic.comment_spans(text, row.comments)
    generic.refer_comments(source, comments, found)
    scopes, imports = _sorted(text, matches, PUBLIC[row.public], found)
    imports += also
    code = blank(text, comments) if comments else text
    taken = sorted((each.start, each.end) for each in imports)
    code = blank(code, taken) if taken else code
    for offset, (path, anchor) in paths(code):
        found.refer(row.words, path, anchor, source.line(offset))
    found.definitions = refine(_definitions(source, scopes, tuple(row.docs.encode().split())))
    found.sections = by_definitions(source.rows, found.definitions)
    found.risk = risks(code, language, {each.path for each in imports})
    found.tags = [("shape", _shape(found.definitions))]
    found.entry_point |= text.startswith(b"#!")
    strings = sorted(
        match["string" if "string" in match else "name"][0].byte_range
        for match in matches
        if "string" in match or ("package" in match and "name" in match)
    )
    return Packaged(found, code, imports, blank(code, strings) if strings else code, _packages(text, matches))


def _read_again(grammar: str, text: bytes, matches: list[trees.Captures]) -> None:
    """Add what stands inside of macros: parsed by itself, in its place, whatever does not fit in left out."""
    fresh = matches
    for _ in range(_MAX_AGAIN):
        spans = sorted((node.start_byte + 1, node.end_byte - 1) for match in fresh for node in match.get("again", ()))
        if not spans:
            return
        root, _ = trees.read(grammar, only(text, spans))
        fresh = trees.matches(grammar, root) if root else []
        matches += fresh


def _sorted(
    text: bytes, matches: Iterable[trees.Captures], is_public: Callable[[str, bool, bool], bool], found: Findings
) -> tuple[list[_Scope], list[Import]]:
    """The matches as scopes and imports, in order of place; of two patterns that name one thing the first decides."""
    scopes: dict[int, _Scope] = {}
    imports: dict[tuple[int, str], Import] = {}
    exported: set[str] = set()
    marks: list[_Scope] = []
    for match in matches:
        if "again" in match:
            continue
        if "import" in match:
            each = _import(text, match)
            before = imports.get((each.start, each.path))
            imports[each.start, each.path] = _joined(before, each) if before else each
        elif "entry" in match:
            found.entry_point = True
        elif "below" in match:
            node = match["below"][0]
            end = node.parent.end_byte if node.parent else node.end_byte
            marks.append(_Scope(node.start_byte, end, "", _BELOW, "", "private" not in match))
        elif "exported" in match:
            exported.update(_text(text, node) for node in match["exported"])
        elif not _ASIDE.intersection(match):
            scope = _scope(text, match, is_public)
            if scope is None:
                continue
            place = match["name" if scope.kind else "within"][0].start_byte
            known = scopes.get(place)
            if known:
                scope = known._replace(
                    start=min(known.start, scope.start), end=max(known.end, scope.end),
                    public=(known.public or scope.public) and "private" not in match,
                )  # fmt: skip
            scopes[place] = scope
    placed = [*scopes.items(), *((mark.start, mark) for mark in marks)]
    order = [scope for _, scope in sorted(placed, key=lambda row: (row[1].start, -row[1].end, row[0]))]
    if exported:
        order = [scope._replace(public=True) if scope.name in exported else scope for scope in order]
    return order, [imports[key] for key in sorted(imports)]


def _packages(text: bytes, matches: Iterable[trees.Captures]) -> list[Package]:
    """The packages a file speaks of, in order; one that is no block reaches to the next of its kind, or the end."""
    rows: list[Package] = []
    marks = [(match["package"][0], match.get("name", ())) for match in matches if "package" in match]
    for node, names in sorted(marks, key=lambda mark: mark[0].start_byte):
        end = node.end_byte if text[node.end_byte - 1 : node.end_byte] == b"}" else len(text)
        if rows and rows[-1].end == end == len(text):
            rows[-1] = rows[-1]._replace(end=node.start_byte)
        name = "".join(_text(text, each) for each in names)
        rows.append(Package(re.sub(r"\s", "", name), node.start_byte, end))
    return rows


def _import(text: bytes, match: trees.Captures) -> Import:
    statement = match["import"][0]
    path = ".".join(_text(text, node) for node in match.get("path", ()))
    members = tuple(dict.fromkeys(_text(text, node) for node in match.get("member", ())))
    whole = _text(text, match["whole"][0]) if "whole" in match else ""
    return Import(path, members, whole, statement.start_byte, statement.end_byte)


def _joined(known: Import, each: Import) -> Import:
    """One import of two matches: a pattern may take its members one by one."""
    members = known.members if len(known.members) >= MAX_MEMBERS else (*known.members, *each.members)
    return known._replace(members=members, whole=known.whole or each.whole)


def _text(text: bytes, node: Node) -> str:
    return text[node.start_byte : node.end_byte].strip(_QUOTES).decode("utf-8", "replace")


def _scope(text: bytes, match: trees.Captures, is_public: Callable[[str, bool, bool], bool]) -> _Scope | None:
    scope = _text(text, match["scope"][0]) if "scope" in match else ""
    if "within" in match:
        node = match["within"][0]
        return _Scope(node.start_byte, node.end_byte, scope, "", "", "private" not in match)
    for capture, nodes in match.items():
        if capture.startswith("definition."):
            name = _text(text, match["name"][0])
            public = is_public(name, "public" in match, "private" in match)
            node = nodes[0]
            if not name.strip("_"):
                return None
            return _Scope(node.start_byte, node.end_byte, name, capture[11:], scope, public, "apart" in match)
    return None


def _definitions(source: Source, scopes: list[_Scope], docs: tuple[bytes, ...]) -> list[Definition]:
    """The definitions that are not local to a function, by their names within the file."""
    rows: list[Definition] = []
    stack: list[_Scope] = []  # with their qualified names
    marks: list[_Scope | None] = []  # what was said last in each of them of what is below
    for each in scopes:
        start, end, name, kind, scope, public, apart = each
        while stack and (stack[-1].end <= start or stack[-1][:2] == each[:2]):  # `const a, b = 1, 2` is two of one span
            stack.pop()
            marks.pop()
        if kind == _BELOW:
            marks[-1:] = [each] if marks else []
            continue
        above = stack[-1] if stack else None
        if above and above.kind and above.kind not in CONTAINERS and (kind or above.kind != "constant"):
            continue  # what a constant holds can be told only by what stands between
        name = ".".join(filter(None, (above.name if above else "", scope, name)))
        mark = marks[-1] if marks and not apart else None
        hidden = mark is not None and start < mark.end and not mark.public
        public = public and not hidden and (not above or above.public)
        if not kind and not each.name and (not above or above.kind in CONTAINERS):  # what stands inside is as outside
            stack.append(_Scope(start, end, name, above.kind if above else "module", "", public))
        else:
            stack.append(_Scope(start, end, name, kind, "", public))
        marks.append(None)
        if not kind:
            continue
        if kind == "function" and (scope or (above and above.kind != "module")):
            kind = "method"
        first, last = source.line(start), source.line(end - 1)
        rows.append(Definition(name, kind, first, last, public, bool(docs) and documented(source.rows, first, docs)))
    return rows


def documented(rows: list[bytes], line: int, docs: tuple[bytes, ...]) -> bool:
    """Whether a doc comment stands right above a line, or above its annotations."""
    inside = False  # a block comment, from its end upwards
    between = 0
    for above in range(line - 2, max(line - _LONGEST_LEAD, -1), -1):
        row = rows[above].strip()
        inside = inside or row.endswith(b"*/")
        if inside:
            if b"/*" in row:
                return row.startswith(docs)
        elif row.startswith(docs):
            return True
        elif not row or between > _MOST_ANNOTATIONS or not (is_lead(row) or row.startswith(b"[")):
            return False
        else:
            between += 1
    return False


def _shape(definitions: list[Definition]) -> str:
    """Structure that small edits do not change, in the words that Python's files have for it."""
    kinds = {"classes" if d.kind in CONTAINERS else "functions" for d in definitions if "." not in d.name}
    return "mixed" if len(kinds) > 1 else kinds.pop() if kinds else "data"


def members(code: bytes, bound: Collection[str]) -> dict[str, dict[str, None]]:
    """Bound name → the names that are taken from it as `bound.name`, in order of place."""
    found: dict[str, dict[str, None]] = {name: {} for name in bound}
    if bound:
        for owner, name in dict.fromkeys(_MEMBER.findall(code)):
            names = found.get(owner.decode("utf-8", "replace"))
            if names is not None and len(names) < MAX_MEMBERS:
                names[name.decode("utf-8", "replace")] = None
    return found


# "\b", then what else must not stand before: the engine passes over the middle of words faster.
_MEMBER = re.compile(rb"\b(?<![.)\]])([A-Za-z_]\w*+)\s?\.\s?([A-Za-z_]\w*+)")
_TYPE = re.compile(rb"\b(?<![.$\"'`])[A-Z]\w*+")
_CALL = re.compile(rb"\b(?<![.$\"'`])(?:[A-Z]\w*+|[a-z_]\w*+(?=[({]))")


def uses(source: Source, code: bytes, known: Collection[str], found: Findings, calls: bool = False) -> None:
    """Note what looks like a type, or with `calls` like a function too, and is neither imported nor defined here."""
    seen: set[bytes] = set()
    for match in (_CALL if calls else _TYPE).finditer(code):
        if match[0] not in seen:
            seen.add(match[0])
            name = match[0].decode("utf-8", "replace")
            if name not in known:
                found.refer("use", "", name, source.line(match.start()))
            if len(seen) >= MAX_USES:
                return
