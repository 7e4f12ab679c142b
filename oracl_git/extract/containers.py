"""Docker files, compositions of containers, kustomizations and charts: the files that their own words name.

Knows the instructions and keys whose values are paths, and where those start. What else
looks like a path in such a file is found as in any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import generic
from .source import Findings, Source

_COPIED = re.compile(
    rb"^[ \t]*+(?:ONBUILD[ \t]++)?(?:COPY|ADD)[ \t]++((?:[^\\\n]|\\[ \t]*+\n|\\.)++)", re.MULTILINE | re.IGNORECASE
)
_WORD = re.compile(rb"[^\s\"',\[\]]++")
_PATH = re.compile(rb"/?(?:\./)?([\w.*?@+-][\w./*?@+-]{0,300})")
_MOST_COPIED = 50  # words of one instruction
_SERVICES = re.compile(rb"^(?:services|include)[ \t]*+:", re.MULTILINE)
_BUILD = re.compile(
    rb"^([ \t]++)build[ \t]*+:[ \t]*+(?:[\"']?([\w./-]{1,300})[\"']?[ \t]*+$|$((?:\n\1[ \t]++[^\n]++)+))", re.MULTILINE
)
_KEY = re.compile(rb"^[ \t]++(context|dockerfile)[ \t]*+:[ \t]*+[\"']?([\w./-]{1,300})[\"']?[ \t]*+$", re.MULTILINE)
_ENVIRONMENT = re.compile(
    rb"^([ \t]++)env_file[ \t]*+:(?:[ \t]++[\w./\"'-][^\n]*+|[ \t]*+$(?:\n\1(?:[ \t]++|-[ \t])[^\n]++)+)", re.MULTILINE
)
_FILE = re.compile(
    rb"(?:^|env_file:)[ \t]*+(?:-[ \t]++)?(?:path:[ \t]++)?[\"']?([\w./-]{1,300})[\"']?[ \t]*+$", re.MULTILINE
)
_KUSTOMIZATION = re.compile(
    rb"^kind[ \t]*+:[ \t]*+(?:Kustomization|Component)\b|^(?:resources|bases)[ \t]*+:[ \t]*+\n[ \t]*+- ", re.MULTILINE
)
_LIST = re.compile(
    rb"^(?:resources|bases|components|crds|configurations|generators|transformers|validators)[ \t]*+:[ \t]*+"
    rb"((?:\n(?:[ \t]*+- [^\n]*+|[ \t]*+(?=\n|\Z)))++)",
    re.MULTILINE,
)
_CHART = re.compile(rb"^[ \t]*+(?:-[ \t]++)?repository[ \t]*+:[ \t]*+[\"']?file://([\w./-]{1,300})", re.MULTILINE)
_ITEM = re.compile(rb"^[ \t]*+- [ \t]*+[\"']?([\w./-]{1,300})[\"']?[ \t]*+$", re.MULTILINE)


def extract(source: Source, language: str) -> Findings:
    """What a Docker file says: what it copies, from its context, and what any file says."""
    found = generic.extract(source, language)
    code = source.text
    for match in _COPIED.finditer(code):
        words = list(_words(match[1]))[:_MOST_COPIED]
        if any(word.startswith((b"--from", b"<<")) for word in words):
            continue
        for word in [word for word in words if not word.startswith(b"--")][:-1]:
            if path := _PATH.fullmatch(word):
                found.refer("file", path[1].decode(), "above", source.line(match.start(1)))
    return found


def _words(text: bytes) -> Iterator[bytes]:
    for match in _WORD.finditer(text.replace(b"\\\n", b" ")):
        yield match[0]


def refer(source: Source, text: bytes, found: Findings) -> None:
    """Note what a composition builds from, a kustomization is made of, or a chart needs; `text` has no comments."""
    if _SERVICES.search(text):
        for match in _BUILD.finditer(text):
            said = {key: value.decode() for key, value in _KEY.findall(match[3] or b"")}
            place = match[2].decode() if match[2] else said.get(b"context", ".")
            if match[2] or said:
                name = said.get(b"dockerfile", "Dockerfile")
                found.refer("file", f"{place.rstrip('/')}/{name}", "", source.line(match.start(1)))
        for part in _ENVIRONMENT.finditer(text) if b"env_file" in text else ():
            for match in _FILE.finditer(text, *part.span()):
                found.refer("file", match[1].decode(), "", source.line(match.start(1)))
    elif _KUSTOMIZATION.search(text):
        for part in _LIST.finditer(text):
            for match in _ITEM.finditer(text, *part.span(1)):
                found.refer("file", match[1].decode().rstrip("/"), "", source.line(match.start(1)))
    if b"file://" in text:
        for match in _CHART.finditer(text):
            found.refer("depends", f"{match[1].decode().rstrip('/')}/Chart.yaml", "", source.line(match.start(1)))
