"""Manifests: what a package is called, where its parts lie, and what it needs.

Knows the keys of manifests, each by its own format. What it declares is read
back by the resolvers of `graph`, under the labels that stand here.
"""

from __future__ import annotations

import re

from . import generic
from .source import Findings, Source, blank

_GO_MODULE = re.compile(rb"^module[ \t]++\"?([^\s\"]++)", re.MULTILINE)
_GO_NEEDED = re.compile(rb"^(?:require[ \t]++|[ \t]++)([\w.~-]++(?:/[\w.~-]++)*+)[ \t]++v\d", re.MULTILINE)
_GO_REPLACED = re.compile(
    rb"^(?:replace[ \t]++|[ \t]++)\S++(?:[ \t]++v\S++)?[ \t]++=>[ \t]++(\.{1,2}/\S*+)", re.MULTILINE
)


def extract(source: Source, language: str) -> Findings:
    """What a go.mod says."""
    found = Findings()
    comments = generic.comment_spans(source.text, "c")
    generic.refer_comments(source, comments, found)
    text = blank(source.text, comments)
    for match in _GO_MODULE.finditer(text):
        found.declares.append(("go module", match[1].decode("utf-8", "replace")))
    for match in _GO_NEEDED.finditer(text):
        line = source.line(match.start(1))
        found.refer("depends", match[1].decode("utf-8", "replace"), "go module", line)
    for match in _GO_REPLACED.finditer(text):
        place = match[1].decode("utf-8", "replace").rstrip("/")
        found.refer("path", f"{place}/go.mod", "", source.line(match.start(1)))
    return found
