"""Terraform: blocks, the variables, modules and resources that expressions refer to, and what is named by path.

Knows how an expression names a block. Which file of the module defines it, `graph` says.
"""

from __future__ import annotations

import re

from . import syntax
from .paths import path_like
from .source import Findings, Source

_REFERRED = re.compile(
    rb"\b(?:(var|module|local)\.([A-Za-z_][\w-]*+)|(?:data\.)?([a-z]\w{0,100}_\w{1,100}+)\.([A-Za-z_][\w-]*+))"
)
_AS_DEFINED = {b"var": "variable.", b"module": "module.", b"local": ""}
_MODULE = re.compile(rb"^[ \t]*+source[ \t]*+=[ \t]*+\"(\.{1,2}(?:/[\w./-]{0,300})?)\"", re.MULTILINE)
_BESIDE = re.compile(rb"\$\{path\.(?:module|root)\}/([\w./-]{1,300})")


def extract(source: Source, language: str) -> Findings:
    """What a Terraform file says."""
    called = [
        syntax.Import(match[1].decode(), (), "", match.start(1), match.end(1))
        for match in _MODULE.finditer(source.text)
    ]
    found, code, _ = syntax.read(source, language, also=called)
    for each in called:
        syntax.refer(source, each, found)
    for match in _BESIDE.finditer(code):
        if hit := path_like(b"./" + match[1]):
            found.refer("path", *hit, source.line(match.start(1)))
    own = {definition.name for definition in found.definitions}
    for match in _REFERRED.finditer(code):
        head = _AS_DEFINED[match[1]] if match[1] else f"{match[3].decode()}."
        name = head + (match[2] or match[4]).decode("utf-8", "replace")
        if name not in own:
            found.refer("use", "", name, source.line(match.start()))
    return found
