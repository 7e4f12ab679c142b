"""Builds: Maven, Gradle, MSBuild and Composer say what a project is called, holds and needs.

Knows the parts of each format that name other files and projects of the same tree, by
their looks: a build script is a program, and none is run here. Projects are needed
under the label "maven", "gradle project" or "composer", or under "" by their path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from posixpath import normpath

from . import config, generic
from .data import json_table, line_of, table, texts
from .source import Findings, Source, blank

_LONGEST = 1 << 19  # bytes of a manifest that are looked at
_TAG = r"<%s>\s{0,40}([^<>\s]{1,200})\s{0,40}</%s>"
_GROUP, _ARTIFACT, _MODULE = (
    re.compile((_TAG % (tag, tag)).encode()) for tag in ("groupId", "artifactId", "module")
)  # fmt: skip
_NOT_OWN = (  # elements of a project that hold names of others
    b"parent", b"dependencies", b"dependencyManagement", b"build", b"profiles", b"reporting", b"repositories",
    b"developers", b"organization",
)  # fmt: skip
_OWN_GROUP = ("${project.groupId}", "${groupId}", "${pom.groupId}")

_INCLUDED = re.compile(rb"(?<![\w.])include[ \t]*+\(?((?:\s*+[\"'][\w:./-]++[\"']\s*+,?)+)")
_INCLUDED_BUILD = re.compile(rb"(?<![\w.])includeBuild[ \t]*+\(?\s*+[\"']([\w./-]++)[\"']")
_QUOTED = re.compile(rb"[\"']([^\"'\n]++)[\"']")
_PROJECT = re.compile(
    rb"(?<![\w.])project[ \t]*+\(\s*+(?:path\s*+[:=]\s*+)?[\"'](:[\w:.-]++)[\"'][^)\n]{0,200}\)(\.\w++)?"
)
_ACCESSOR = re.compile(rb"[(\s]projects\.([\w.]++)")
_MOVED = re.compile(
    rb"project[ \t]*+\(\s*+[\"'](:[\w:.-]++)[\"']\s*+\)\.projectDir\s*+=[^\"'\n]{0,80}[\"']([\w./-]++)[\"']"
)

_IMPORTED = re.compile(rb"^import[ \t]++(?:static[ \t]++)?([\w.]{1,300}+)[ \t]*+;?[ \t]*+$", re.MULTILINE)

_NEEDED_PROJECT = re.compile(rb"<ProjectReference\b[^<>]{0,400}?\bInclude\s*+=\s*+\"([^\"<>$*]{1,300})\"")
_TAKEN_IN = re.compile(
    rb"<(?:Import\b[^<>]{0,400}?\bProject|(?:Compile|EmbeddedResource|None|Content|AdditionalFiles)\b[^<>]{0,400}?"
    rb"\bInclude)\s*+=\s*+\"(?:\$\(MSBuildThisFileDirectory\))?([^\"<>$*;]{1,300})\""
)
_GLOBAL = re.compile(rb"<Using\b[^<>]{0,200}?\bInclude\s*+=\s*+\"([\w.]{1,200})\"")
_LISTED = re.compile(
    rb"^Project\(\"[^\"\n]*+\"\)\s*+=\s*+\"[^\"\n]*+\",\s*+\"([^\"\n]+\.\w+)\"|<Project\b[^<>]{0,200}?\bPath=\"([^\"<>]++)\"",
    re.MULTILINE,
)


def extract(source: Source, language: str) -> Findings:
    """What a manifest says."""
    found = config.extract(source, "json") if language == "composer" else generic.extract(source, language)
    family = "c" if language == "gradle" else "markup"
    text = source.text[:_LONGEST]
    _READERS[language](source, blank(text, generic.comment_spans(text, family)), found)
    return found


def _maven(source: Source, text: bytes, found: Findings) -> None:
    parents = list(_elements(text, b"parent"))[:1]
    own = text
    for tag in _NOT_OWN:
        own = blank(own, _elements(own, tag))
    group, name = _said(_GROUP, own), _said(_ARTIFACT, own)
    group = group or "".join(_said(_GROUP, text[start:end]) for start, end in parents)
    if name:
        found.declares.append(("maven", f"{group}:{name}"))
    for start, end in (*parents, *_elements(text, b"dependency")):
        needed = _said(_GROUP, text[start:end])
        target = f"{group if needed in _OWN_GROUP else needed}:{_said(_ARTIFACT, text[start:end])}"
        found.refer("depends", target, "maven", source.line(start), source.line(end - 1))
    for match in _MODULE.finditer(text):
        place = normpath(match[1].decode("utf-8", "replace"))
        place = place if place.endswith(".xml") else f"{place}/pom.xml"
        found.refer("provides", place, "", source.line(match.start()))


def _elements(text: bytes, tag: bytes) -> Iterator[tuple[int, int]]:
    """Where the elements of a name stand, each up to the first end tag after it."""
    opening, closing = b"<%s>" % tag, b"</%s>" % tag
    end = 0
    while (start := text.find(opening, end)) >= 0:
        end = text.find(closing, start) + len(closing)
        if end < len(closing):  # none ends any more
            return
        yield start, end


def _said(pattern: re.Pattern[bytes], text: bytes) -> str:
    match = pattern.search(text)
    return match[1].decode("utf-8", "replace") if match else ""


def _gradle(source: Source, text: bytes, found: Findings) -> None:
    for match in _IMPORTED.finditer(text):
        found.refer("import", match[1].decode(), "", source.line(match.start()))
    for match in _MOVED.finditer(text):
        found.declares.append(("gradle place", f"{match[1].decode()} {normpath(match[2].decode())}"))
    moved = dict(value.split(" ", 1) for label, value in found.declares if label == "gradle place")
    for match in _INCLUDED.finditer(text):
        for name in _QUOTED.finditer(match[1]):
            project = f":{name[1].decode().lstrip(':')}"
            found.declares.append(("gradle project", project))
            place = moved.get(project) or project[1:].replace(":", "/")
            _built(source, place, "build", match.start(1) + name.start(), found)
    for match in _INCLUDED_BUILD.finditer(text):
        _built(source, normpath(match[1].decode()), "settings", match.start(1), found)
    for match in _PROJECT.finditer(text):
        if match[2] not in (b".projectDir", b".name"):
            found.refer("depends", match[1].decode(), "gradle project", source.line(match.start()))
    for match in _ACCESSOR.finditer(text):
        found.refer("depends", match[1].decode(), "gradle project", source.line(match.start(1)))


def _built(source: Source, place: str, what: str, offset: int, found: Findings) -> None:
    for suffix in (".gradle.kts", ".gradle"):
        found.refer("provides", f"{place}/{what}{suffix}", "", source.line(offset))


def _msbuild(source: Source, text: bytes, found: Findings) -> None:
    for match in _NEEDED_PROJECT.finditer(text):
        found.refer("depends", _slashed(match[1]), "", source.line(match.start(1)))
    for match in _TAKEN_IN.finditer(text):
        found.refer("path", _slashed(match[1]), "", source.line(match.start(1)))
    for match in _GLOBAL.finditer(text):
        found.declares.append(("csharp global", match[1].decode()))
    for match in _LISTED.finditer(text):
        found.refer("provides", _slashed(match[1] or match[2]), "", source.line(match.start()))


def _slashed(path: bytes) -> str:
    return normpath(path.replace(b"\\", b"/").strip().decode("utf-8", "replace"))


def _composer(source: Source, text: bytes, found: Findings) -> None:
    data = json_table(text)
    name = data.get("name")
    if isinstance(name, str):
        found.declares.append(("composer", name))
    for key in ("require", "require-dev"):
        for needed in table(data, key):
            if "/" in needed:
                found.refer("depends", needed, "composer", line_of(source, f'"{needed}"'))
    files = texts(data.get("bin"))
    for key in ("autoload", "autoload-dev"):
        autoload = table(data, key)
        for standard in ("psr-4", "psr-0"):
            for prefix, places in table(autoload, standard).items():
                found.declares += ((standard, f"{prefix} {place}") for place in texts(places))
        files += (*texts(autoload.get("files")), *texts(autoload.get("classmap")))
    for path in files:
        found.refer("provides", normpath(path), "", line_of(source, f'"{path}"'))





_READERS: dict[str, Callable[[Source, bytes, Findings], None]] = {
    "maven": _maven,
    "gradle": _gradle,
    "msbuild": _msbuild,
    "composer": _composer,
}
