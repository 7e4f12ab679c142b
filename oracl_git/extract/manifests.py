"""Manifests: what a package is called, where its parts lie, and what it needs.

Knows the keys of manifests, each by its own format. What it declares is read
back by the resolvers of `graph`, under the labels that stand here.
"""

from __future__ import annotations

import re

from . import generic
from .data import items, line_of, table, tables, texts, toml
from .source import Findings, Source, blank

_GO_MODULE = re.compile(rb"^module[ \t]++\"?([^\s\"]++)", re.MULTILINE)
_GO_NEEDED = re.compile(rb"^(?:require[ \t]++|[ \t]++)([\w.~-]++(?:/[\w.~-]++)*+)[ \t]++v\d", re.MULTILINE)
_GO_REPLACED = re.compile(
    rb"^(?:replace[ \t]++|[ \t]++)\"?([^\s\"]++)\"?(?:[ \t]++v\S++)?[ \t]++=>[ \t]++(\.{1,2}/\S*+)", re.MULTILINE
)

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")


def pyproject(source: Source, found: Findings) -> frozenset[str]:
    """A Python project: its name, the packages of the same tree it needs, and where its packages and texts lie.

    Returns the distributions it needs, as they are written.
    """
    if b"[project]" not in source.text and b"[tool.poetry" not in source.text:
        return frozenset()
    data = toml(source)
    project, poetry = table(data, "project"), table(data, "tool", "poetry")
    name = project.get("name") or poetry.get("name")
    if isinstance(name, str):
        found.declares.append(("python project", _normal(name)))
    needed = texts(items(project.get("dependencies")))
    for extra in table(project, "optional-dependencies").values():
        needed += texts(items(extra))
    for group in table(data, "dependency-groups").values():
        needed += texts(items(group))
    needed += list(table(poetry, "dependencies"))
    for group in table(poetry, "group").values():
        needed += list(table(group, "dependencies"))
    named: set[str] = set()
    for each in needed:
        match = _REQUIREMENT.match(each)
        if match:
            found.refer("depends", _normal(match[1]), "python project", line_of(source, match[1]))
            named.add(match[1])
    for file in texts([table(project, "license").get("file"), *items(project.get("license-files"))]):
        found.refer("file", file, "", line_of(source, file))
    where = texts(table(data, "tool", "setuptools", "packages", "find").get("where")) or [""]
    for package in texts(items(table(data, "tool", "setuptools").get("packages"))):
        for root in ("", "src/"):
            found.refer("provides", f"{root}{package.replace('.', '/')}/__init__.py", "", line_of(source, package))
    for row in tables(poetry.get("packages")):
        if isinstance(include := row.get("include"), str):
            root = f"{row['from']}/" if isinstance(row.get("from"), str) else ""
            found.refer("provides", f"{root}{include}/__init__.py", "", line_of(source, include))
    if isinstance(name, str):  # what build tools find by themselves
        module = _normal(name).replace("-", "_")
        for root in dict.fromkeys((*where, "src", "")):
            place = f"{root.rstrip('/')}/{module}" if root else module
            found.refer("provides", f"{place}/__init__.py", "", line_of(source, name))
    return frozenset(named)


def _normal(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()



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
        module, place = (each.decode("utf-8", "replace") for each in match.groups())
        found.declares.append(("go replace", f"{module} {place}"))
        found.refer("path", f"{place.rstrip('/')}/go.mod", "", source.line(match.start(2)))
    return found
