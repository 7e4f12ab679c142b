"""YAML, TOML, JSON and INI: the files, modules and entry points their values name.

Knows comments, sections and top-level keys by their looks. Parses no document:
a line that looks like a value is one.
"""

from __future__ import annotations

import re

from . import containers, hooks, manifests, npm, pipelines
from .generic import comment_spans, refer_comments, refer_templates
from .paths import DOTTED, hits, path_like, paths, paths_in
from .source import Findings, Source, blank

_ENTRY = re.compile(rb"([A-Za-z_][\w.]*+):([A-Za-z_][\w.]*+)")
_EXPRESSION = re.compile(
    rb"\$(?:\{\{[^\n}]{0,300}\}\}|\{?(?:CI_PROJECT_DIR|GITHUB_WORKSPACE)\b(?::?-[^{}\n]{0,80}+(?=\}))?\}?)"
)
_SECTION = re.compile(rb"^[ \t]{0,40}\[{1,2}[ \t]*+([^\]\n]{1,200})\]{1,2}", re.MULTILINE)
_EQUALS_KEY = re.compile(rb"^(?![ \t#;\[])([^=\n]{1,200}?)[ \t]{0,40}=", re.MULTILINE)
_BARE_KEY = re.compile(rb"^[ \t]{0,40}+[\w.-]{1,200}+(?=[ \t]{0,40}+=)", re.MULTILINE)  # dotted, it is no module
_QUOTED_KEY = re.compile(rb"^[ \t]*+\"([\w-]{1,100}+\.[\w.-]{1,100}+)\"(?=[ \t]*+=)", re.MULTILINE)  # no directory
_YAML_KEY = re.compile(
    rb"^(?![ \t#-])(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s:#][^:\n]{0,200}):(?=[ \t]|$)", re.MULTILINE
)
_JSON_KEY = re.compile(rb"^([ \t]{1,16})\"([^\"\\\n]{1,200})\"[ \t]*+:", re.MULTILINE)
_TOP_DOMAINS = frozenset(b"com org net io dev edu gov info html local".split())
_SITE = re.compile(rb"^site_name[ \t]*+:", re.MULTILINE)
_DOCS_DIR = re.compile(rb"^docs_dir[ \t]*+:[ \t]*+[\"']?([\w./-]{1,200})", re.MULTILINE)
_NAV = re.compile(rb"^nav[ \t]*+:(?=[ \t]*+$)((?:\n(?:[ \t-][^\n]*+|(?=\n)))*+)", re.MULTILINE)
_MOUNT = re.compile(rb"^[ \t]*+-[ \t]++[\"']?(\.{1,2}/[\w./-]{1,200}):/", re.MULTILINE)
_BELOW_VARIABLE = re.compile(
    rb"\$(?:\{\w{1,80}+(?::?-[^{}\n]{0,80}+)?\}|\w{1,80}+)/((?:[\w.+-]{1,100}+/){1,20}[\w.+-]{1,100}+)"
)
_MODULE_TAIL = b".*"
_NO_BRACES = bytes.maketrans(b"{}", b"  ")


def extract(source: Source, language: str) -> Findings:
    """What a configuration file says."""
    found = Findings()
    text = source.text
    spans = comment_spans(text, "slash-lines" if language == "json" else "ini" if language == "ini" else "hash")
    refer_comments(source, spans, found)
    text = blank(text, spans)
    if b"${{" in text or b"CI_PROJECT_DIR" in text or b"GITHUB_WORKSPACE" in text:
        text = blank(text, [match.span() for match in _EXPRESSION.finditer(text)])
    steps, needed = False, frozenset[str]()
    if language in ("toml", "ini"):
        text = _sections(source, text, found)
    elif language == "yaml":
        _keys(source, text, _YAML_KEY, found)
    else:
        _json_keys(source, text, found)
        npm.read(source, found)
    if language == "yaml":
        text = pipelines.refer(source, _pages(source, text, found), found)
        steps = pipelines.is_one(text)
        if steps:
            pipelines.refer_triggers(source, text, found)
        _mounts(source, text, found)
        _below_variables(source, text, found)
        containers.refer(source, text, found)
        hooks.refer(source, text, found)
        refer_templates(source, text, found)
    elif language == "toml":
        text = _quoted_keys(source, text, found)
        needed = manifests.pyproject(source, found)
    _values(source, text, language in ("toml", "ini"), steps, needed, found)
    return found


def _pages(source: Source, text: bytes, found: Findings) -> bytes:
    """The pages of an mkdocs site, which are named from its own directory; returns the text without them."""
    if not _SITE.search(text):
        return text
    named = _DOCS_DIR.search(text)
    home = named[1].decode("utf-8", "replace").strip("/") if named else "docs"
    spans = [match.span(1) for match in _NAV.finditer(text)]
    for offset, (path, anchor) in paths_in(text, spans):
        found.refer("path", f"{home}/{path}", anchor, source.line(offset))
    return blank(text, spans)


def _mounts(source: Source, text: bytes, found: Findings) -> None:
    """Files that a container is given: "./here:/there", where a colon joins two paths."""
    for match in _MOUNT.finditer(text):
        path = match[1].rstrip(b"/")
        if path.strip(b"./"):
            found.refer("path", path.decode("utf-8", "replace"), "", source.line(match.start(1)))


def _below_variables(source: Source, text: bytes, found: Findings) -> None:
    """Files that scripts name after a variable for a directory, which is most often the top: "$ROOT/tests/run.sh"."""
    if b"$" in text:
        for match in _BELOW_VARIABLE.finditer(text):
            found.refer("file", f"/{match[1].decode()}", "", source.line(match.start()))


def _quoted_keys(source: Source, text: bytes, found: Findings) -> bytes:
    """Keys of TOML that are files beside; returns the text without them: else they are patterns, or names."""
    keys = list(_QUOTED_KEY.finditer(text))
    for match in keys:
        found.refer("file", match[1].decode(), "", source.line(match.start()))
    return blank(text, [match.span(1) for match in keys])


def _values(
    source: Source, text: bytes, short_entries: bool, steps: bool, needed: frozenset[str], found: Findings
) -> None:
    """What values name; `needed` are distributions, whose names with dots are no modules."""
    named = paths(text)
    if steps:
        pipelines.refer_names(source, text, [(offset, path) for offset, (path, _) in named if "/" not in path], found)
        named = [row for row in named if "/" in row[1][0]]
    for offset, (path, anchor) in named:
        found.refer("path", path, anchor, source.line(offset))
    if short_entries:
        text = blank(text, [match.span() for match in _BARE_KEY.finditer(text)])

    def classify(word: bytes) -> tuple[str, str, str] | None:
        return _named(word, short_entries)

    for offset, (kind, target, name) in hits(text.translate(_NO_BRACES), classify):
        if target not in needed:
            found.refer(kind, target, name, source.line(offset))


def _named(word: bytes, short_entries: bool) -> tuple[str, str, str] | None:
    """What a value names if it is an entry point or a module."""
    if b":" in word[:-1]:
        match = _ENTRY.fullmatch(word)
        if match and (short_entries or b"." in match[1]) and match[1][-1:] != b".":
            return "entry", match[1].decode(), match[2].decode()
        return None
    word = word.removesuffix(_MODULE_TAIL).rstrip(b".:")
    if DOTTED.fullmatch(word) and not path_like(word) and word.rpartition(b".")[2] not in _TOP_DOMAINS:
        return "module", word.decode(), ""
    return None


def _sections(source: Source, text: bytes, found: Findings) -> bytes:
    """Headings of TOML and INI; returns the text without them: a section's name is no value."""
    spans: list[tuple[int, int]] = []
    first = len(text)
    for match in _SECTION.finditer(text):
        first = min(first, match.start())
        name = match[1].strip().decode("utf-8", "replace")
        found.headings.append((name, source.line(match.start(1))))
        if "/" not in name:
            spans.append(match.span())
    keys = [(match[1], match.start(1)) for match in _EQUALS_KEY.finditer(text, 0, first)]
    names = [(key.strip(b"\"' \t").decode("utf-8", "replace"), source.line(offset)) for key, offset in keys]
    found.headings[:0] = names
    return blank(text, spans)


def _keys(source: Source, text: bytes, pattern: re.Pattern[bytes], found: Findings) -> None:
    for match in pattern.finditer(text):
        key = match[1].strip(b"\"' \t").decode("utf-8", "replace")
        found.headings.append((key, source.line(match.start(1))))


def _json_keys(source: Source, text: bytes, found: Findings) -> None:
    """Keys at the indentation of the first one."""
    indent: bytes | None = None
    for match in _JSON_KEY.finditer(text):
        if indent is None:
            indent = match[1]
        if match[1] == indent:
            found.headings.append((match[2].decode("utf-8", "replace"), source.line(match.start(2))))
