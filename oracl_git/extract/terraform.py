"""Terraform: blocks, and the variables, modules and resources that expressions refer to.

Knows how an expression names a block. Which file of the module defines it, `graph` says.
"""

from __future__ import annotations

import re

from . import syntax
from .source import Findings, Source

_REFERRED = re.compile(rb"\b(?:(var|module|local)\.(\w++)|(?:data\.)?([a-z]\w*_\w++)\.([A-Za-z_][\w-]*+))")
_AS_DEFINED = {b"var": "variable.", b"module": "module.", b"local": ""}


def extract(source: Source, language: str) -> Findings:
    """What a Terraform file says."""
    found, code, _ = syntax.read(source, language)
    own = {definition.name for definition in found.definitions}
    for match in _REFERRED.finditer(code):
        head = _AS_DEFINED[match[1]] if match[1] else f"{match[3].decode()}."
        name = head + (match[2] or match[4]).decode("utf-8", "replace")
        if name not in own:
            found.refer("use", "", name, source.line(match.start()))
    return found
