"""How the first line of a definition looks, by language: data for languages without a parser.

Knows one pattern a kind of definition. Knows no scopes: a pattern is tried at
the start of each line, or after its indentation where members are indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Look(NamedTuple):
    """A pattern with one group, the name, and what it defines."""

    kind: str
    pattern: bytes


_NAME = rb"([A-Za-z_$][\w$]{0,200}+)"
_EXPORT = rb"(?:export[ \t]++)?(?:default[ \t]++)?"
_JAVA_WORDS = (
    rb"public|protected|private|internal|static|final|abstract|sealed|open|override|async|default|suspend|inline"
)
_RUST_PUBLIC = rb"(?:pub(?:\([^)\n]{1,60}\))?[ \t]++)?"
_ARROW = rb"\([^()\n]{0,200}\)[^=\n]{0,100}=>|[A-Za-z_$][\w$]*+[ \t]*+=>"

_JAVASCRIPT = (
    Look("class", _EXPORT + rb"(?:abstract[ \t]++)?class[ \t]++" + _NAME),
    Look("function", _EXPORT + rb"(?:async[ \t]++)?function[ \t]*+\*?[ \t]*+" + _NAME),
    Look("class", _EXPORT + rb"(?:declare[ \t]++)?(?:interface|enum|namespace)[ \t]++" + _NAME),
    Look("class", _EXPORT + rb"type[ \t]++" + _NAME + rb"[ \t]*+[=<]"),
    Look(
        "function",
        rb"(?:export[ \t]++)?(?:const|let|var)[ \t]++" + _NAME + rb"(?:[ \t]*+:[^=\n]{1,200})?[ \t]*+=[ \t]*+"
        rb"(?:async[ \t]*+)?(?:function\b|" + _ARROW + rb")",
    ),
    Look("constant", rb"export[ \t]++(?:const|let|var)[ \t]++" + _NAME),
    Look("constant", rb"(?:module\.)?exports\." + _NAME + rb"[ \t]*+="),
)
_GO = (
    Look("function", rb"func[ \t]++(?:\([^()\n]{0,200}\)[ \t]*+)?" + _NAME),
    Look("class", rb"type[ \t]++" + _NAME + rb"[ \t\[]"),
    Look("constant", rb"(?:var|const)[ \t]++" + _NAME),
)
_RUST = (
    Look(
        "function",
        _RUST_PUBLIC + rb"(?:(?:async|const|unsafe|extern(?:[ \t]++\"[^\"\n]{0,20}\")?)[ \t]++){0,4}fn[ \t]++" + _NAME,
    ),
    Look("class", _RUST_PUBLIC + rb"(?:struct|enum|trait|union|type)[ \t]++" + _NAME),
    Look("constant", _RUST_PUBLIC + rb"(?:const|static)[ \t]++(?:mut[ \t]++)?" + _NAME + rb"[ \t]*+:"),
    Look("function", rb"macro_rules![ \t]*+" + _NAME),
)
_JAVA = (
    Look(
        "class",
        rb"(?:(?:data|case|partial|readonly|" + _JAVA_WORDS + rb")[ \t]++){0,6}"
        rb"(?:class|interface|enum|record|@interface|object|trait|struct|protocol|extension)[ \t]++" + _NAME,
    ),
    Look(
        "method",
        rb"(?:(?:synchronized|virtual|"
        + _JAVA_WORDS
        + rb")[ \t]++){1,6}(?:[\w<>\[\],.?]{1,100}[ \t]++){0,3}"
        + _NAME
        + rb"[ \t]*+\(",
    ),
    Look(
        "function",
        rb"(?:(?:mutating|" + _JAVA_WORDS + rb")[ \t]++){0,6}(?:fun|func|def)[ \t]++(?:<[^>\n]{1,80}>[ \t]*+)?" + _NAME,
    ),
)
_C = (
    Look(
        "class",
        rb"(?:typedef[ \t]++)?(?:class|struct|enum|union|namespace)[ \t]++(?:class[ \t]++)?"
        + _NAME
        + rb"[^;()\n]{0,200}$",
    ),
    Look("constant", rb"#[ \t]*+define[ \t]++" + _NAME),
    Look(
        "function",
        rb"(?!(?:return|else|if|while|for|switch|case|goto)\b)(?:[A-Za-z_][\w:<>,*&]{0,100}[ \t*&]++){1,5}"
        rb"((?:[A-Za-z_~]\w{0,100}::){0,4}[A-Za-z_~]\w{0,200})[ \t]*+\([^;\n]{0,300}$",
    ),
)
_RUBY = (
    Look("class", rb"(?:class|module|defmodule)[ \t]++([A-Z][\w:.]{0,200})"),
    Look("function", rb"(?:def|defp|defmacro)[ \t]++(?:self\.)?([A-Za-z_]\w{0,200}[?!]?)"),
)
_PHP = (
    Look("class", rb"(?:(?:abstract|final|readonly)[ \t]++){0,3}(?:class|interface|trait|enum)[ \t]++" + _NAME),
    Look(
        "function",
        rb"(?:(?:public|protected|private|static|final|abstract)[ \t]++){0,4}function[ \t]++&?" + _NAME,
    ),
)
_LUA = (Look("function", rb"(?:local[ \t]++)?function[ \t]++([A-Za-z_][\w.:]{0,200})"),)
_PYTHON = (
    Look("function", rb"(?:async[ \t]++)?(?:cp|c)?def[ \t]++(?:[\w*]{1,60}[ \t]++){0,2}" + _NAME + rb"[ \t]*+\("),
    Look("class", rb"(?:cdef[ \t]++)?class[ \t]++" + _NAME),
)
_GO_TEMPLATE = (Look("function", rb"\{\{-?[ \t]*+define[ \t]++\"([\w./-]{1,200})\""),)
_DOCKER = (Look("function", rb"(?i:from)[ \t]++[^\s#]{1,300}[ \t]++(?i:as)[ \t]++([\w.-]{1,100})"),)
_MAKE = (Look("function", rb"([A-Za-z][\w.-]{0,100}+)[ \t]*+::?(?![:=])"),)

LOOKS: dict[str, tuple[Look, ...]] = {
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "kotlin": _JAVA,
    "scala": _JAVA,
    "csharp": _JAVA,
    "swift": _JAVA,
    "dart": _JAVA,
    "groovy": _JAVA,
    "c": _C,
    "cpp": _C,
    "ruby": _RUBY,
    "elixir": _RUBY,
    "php": _PHP,
    "lua": _LUA,
    "python": _PYTHON,
    "cython": _PYTHON,
    "starlark": _PYTHON,
    "make": _MAKE,
    "docker": _DOCKER,
    "gotemplate": _GO_TEMPLATE,
}
_FLAT = frozenset(("go", "c", "cpp", "make", "lua"))  # what is indented there is not a definition
_compiled: dict[str, re.Pattern[bytes]] = {}


def definition_lines(code: bytes, language: str) -> Iterator[tuple[int, str, str]]:
    """(offset of the name, name, kind) of each line that looks like a definition."""
    looks = LOOKS.get(language)
    if not looks:
        return
    pattern = _compiled.get(language)
    if pattern is None:
        # A literal line end finds line starts much faster than "^" does.
        indent = rb"\n" if language in _FLAT else rb"\n[ \t]{0,24}+"
        pattern = re.compile(indent + rb"(?:" + rb"|".join(look.pattern for look in looks) + rb")", re.MULTILINE)
        _compiled[language] = pattern
    for match in pattern.finditer(b"\n" + code):
        group = match.lastindex or 1
        yield match.start(group) - 1, match[group].decode("utf-8", "replace"), looks[group - 1].kind
