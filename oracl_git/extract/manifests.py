"""Manifests: what a package is called, where its parts lie, and what it needs.

Knows the keys of manifests, each by its own format. What it declares is read
back by the resolvers of `graph`, under the labels that stand here.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from . import generic
from .source import Findings, Source, blank

_GO_MODULE = re.compile(rb"^module[ \t]++\"?([^\s\"]++)", re.MULTILINE)
_GO_NEEDED = re.compile(rb"^(?:require[ \t]++|[ \t]++)([\w.~-]++(?:/[\w.~-]++)*+)[ \t]++v\d", re.MULTILINE)
_GO_REPLACED = re.compile(
    rb"^(?:replace[ \t]++|[ \t]++)\S++(?:[ \t]++v\S++)?[ \t]++=>[ \t]++(\.{1,2}/\S*+)", re.MULTILINE
)


_LONGEST = 1 << 18  # of a manifest that is parsed
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")


def pyproject(source: Source, found: Findings) -> None:
    """A Python project: its name, the packages of the same tree it needs, and where its packages lie."""
    if (b"[project]" not in source.text and b"[tool.poetry" not in source.text) or len(source.text) > _LONGEST:
        return
    try:
        data = tomllib.loads(source.text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    project, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    name = project.get("name") or poetry.get("name")
    if isinstance(name, str):
        found.declares.append(("python project", _normal(name)))
    needed = list(_list(project.get("dependencies")))
    for extra in _table(project, "optional-dependencies").values():
        needed += _list(extra)
    for group in _table(data, "dependency-groups").values():
        needed += _list(group)
    needed += list(_table(poetry, "dependencies"))
    for group in _table(poetry, "group").values():
        needed += list(_table(group, "dependencies"))
    for each in needed:
        match = _REQUIREMENT.match(each) if isinstance(each, str) else None
        if match:
            found.refer("depends", _normal(match[1]), "python project", _line(source, match[1]))
    where = _list(_table(data, "tool", "setuptools", "packages", "find").get("where")) or [""]
    for package in _list(_table(data, "tool", "setuptools").get("packages")):
        if isinstance(package, str):
            for root in ("", "src/"):
                found.refer("provides", f"{root}{package.replace('.', '/')}/__init__.py", "", _line(source, package))
    for package in _list(poetry.get("packages")):
        if isinstance(package, dict) and isinstance(package.get("include"), str):
            root = f"{package['from']}/" if isinstance(package.get("from"), str) else ""
            include = package["include"]
            found.refer("provides", f"{root}{include}/__init__.py", "", _line(source, include))
    if isinstance(name, str):  # what build tools find by themselves
        module = _normal(name).replace("-", "_")
        for root in dict.fromkeys((*(each for each in where if isinstance(each, str)), "src", "")):
            place = f"{root.rstrip('/')}/{module}" if root else module
            found.refer("provides", f"{place}/__init__.py", "", _line(source, name))


def _normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _line(source: Source, word: str) -> int:
    return source.line(max(source.text.find(word.encode()), 0))


def _table(data: object, *keys: str) -> dict[str, Any]:
    """A nested table; an empty one when something else stands there."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


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
