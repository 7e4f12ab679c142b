"""Builds: Maven, Gradle, MSBuild and Composer say what a project is called, holds and needs.

Knows the parts of each format that name other files and projects of the same tree, by
their looks: a build script is a program, and none is run here. Projects are needed
under the label "maven", "gradle project" or "composer", or under "" by their path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from posixpath import normpath
from typing import Any

from . import config, generic
from .source import Findings, Source, blank

_LONGEST = 1 << 19  # bytes of a manifest that are looked at
_TAG = r"<%s>\s{0,40}([^<>\s]{1,200})\s{0,40}</%s>"
_GROUP, _ARTIFACT, _MODULE = (
    re.compile((_TAG % (tag, tag)).encode()) for tag in ("groupId", "artifactId", "module")
)  # fmt: skip
_PARENT = re.compile(rb"<parent>(?:[^<]++|<(?!/parent>))*</parent>")
_DEPENDENCY = re.compile(rb"<dependency>(?:[^<]++|<(?!/dependency>))*</dependency>")
_NOT_OWN = re.compile(
    rb"<(parent|dependencies|dependencyManagement|build|profiles|reporting|repositories|developers|organization)>"
    rb"(?:[^<]++|<(?!/\1>))*</\1>"
)
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
    parent = _PARENT.search(text)
    own = _NOT_OWN.sub(b"", text)
    group, name = _said(_GROUP, own), _said(_ARTIFACT, own)
    group = group or (_said(_GROUP, parent[0]) if parent else "")
    if name:
        found.declares.append(("maven", f"{group}:{name}"))
    for match in ([parent] if parent else []) + list(_DEPENDENCY.finditer(text)):
        needed = _said(_GROUP, match[0])
        target = f"{group if needed in _OWN_GROUP else needed}:{_said(_ARTIFACT, match[0])}"
        found.refer("depends", target, "maven", source.line(match.start()), source.line(match.end() - 1))
    for match in _MODULE.finditer(text):
        place = normpath(match[1].decode("utf-8", "replace"))
        place = place if place.endswith(".xml") else f"{place}/pom.xml"
        found.refer("provides", place, "", source.line(match.start()))


def _said(pattern: re.Pattern[bytes], text: bytes) -> str:
    match = pattern.search(text)
    return match[1].decode("utf-8", "replace") if match else ""


def _gradle(source: Source, text: bytes, found: Findings) -> None:
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
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    name = data.get("name") if isinstance(data, dict) else None
    if isinstance(name, str):
        found.declares.append(("composer", name))
    for key in ("require", "require-dev"):
        for needed in _table(data, key):
            if "/" in needed:
                found.refer("depends", needed, "composer", _line(source, needed))
    files = list(_texts(_table(data, "bin") or (data.get("bin") if isinstance(data, dict) else None)))
    for key in ("autoload", "autoload-dev"):
        autoload = _table(data, key)
        for standard in ("psr-4", "psr-0"):
            for prefix, places in _table(autoload, standard).items():
                found.declares += ((standard, f"{prefix} {place}") for place in _texts(places))
        files += (*_texts(autoload.get("files")), *_texts(autoload.get("classmap")))
    for path in files:
        found.refer("provides", normpath(path), "", _line(source, path))


def _table(data: object, key: str) -> dict[str, Any]:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    rows = value if isinstance(value, list) else [value]
    return [each for each in rows if isinstance(each, str)]


def _line(source: Source, word: str) -> int:
    return source.line(max(source.text.find(f'"{word}"'.encode()), 0))


_READERS: dict[str, Callable[[Source, bytes, Findings], None]] = {
    "maven": _maven,
    "gradle": _gradle,
    "msbuild": _msbuild,
    "composer": _composer,
}
