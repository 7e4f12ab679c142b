"""JSON that ties scripts together: package.json, and the settings of TypeScript and JavaScript projects.

Knows both by their keys, for facts know no paths. What they declare is read back
by `graph/resolve/npm.py`, under these labels:

    npm package     the name of a package
    npm entry       "KEY<tab>CONDITION<tab>FILE": what `exports`, or `main` and its kin, offer under a key
    npm import      "KEY<tab>CONDITION<tab>FILE": the same for names of its own, that begin with "#"
    ts extends      another file of settings these begin with
    ts base         where names that are no path are looked for
    ts path         "PATTERN<tab>TARGET": where some of them are
    ts root         directories that are one when relative imports are looked up
    ts project      a project these settings stand for
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import generic
from .data import items, json_table, line_of, table, tables, texts
from .source import Findings, Source, blank

_MAX_ENTRIES = 500
_COMMA = re.compile(rb",(?=\s*+[}\]])")
_PACKAGE = frozenset(
    "main exports module types typings scripts dependencies devDependencies peerDependencies optionalDependencies "
    "workspaces bin private type imports".split()
)
_OTHERS = frozenset(("require", "autoload", "manifest_version", "compilerOptions"))  # composer.json, an extension, …
_SETTINGS = frozenset("compilerOptions extends references include files exclude $schema display ts-node".split())
_MAIN = ("source", "types", "typings", "module", "main", "browser")  # the order in which TypeScript asks
_NEEDED = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# A file that a script runs and names without a suffix.
_RUN = re.compile(
    r"(?:^|[;&|\s])(?:node|tsx|ts-node|bun|deno run)\s+(?:-[\w=-]+\s+){0,5}((?:\.{0,2}[\w-]*/){0,20}[\w-]+)(?=\s|$)"
)
_HINTS = (b'"compilerOptions"', b'"extends"', b'"references"', b'"name"', *(f'"{key}"'.encode() for key in _PACKAGE))


def read(source: Source, found: Findings) -> None:
    """Add what a JSON file says if it is one of the two."""
    text = source.text
    if not any(hint in text for hint in _HINTS):
        return
    said = json_table(_COMMA.sub(b"", blank(text, generic.comment_spans(text, "c"))))
    if not said:
        return
    if not said.keys().isdisjoint(_PACKAGE) and said.keys().isdisjoint(_OTHERS):
        _package(source, said, found)
    elif isinstance(said.get("compilerOptions"), dict) or said.keys() <= _SETTINGS:
        _settings(source, said, found)


def _package(source: Source, said: dict[str, Any], found: Findings) -> None:
    name = said.get("name")
    if isinstance(name, str) and name:
        found.declares.append(("npm package", name))
    entries = [
        *_entries(said.get("exports"), ".", "exports"),
        *((".", key, value) for key in _MAIN if isinstance(value := said.get(key), str)),
    ]
    own = [row for key, value in table(said, "imports").items() for row in _leaves(value, key, "")]
    for label, rows in (("npm entry", entries), ("npm import", own)):
        for row in rows[:_MAX_ENTRIES]:
            found.declares.append((label, "\t".join(row)))
    binaries = said.get("bin")
    offered = [target for _, _, target in entries if "*" not in target]
    offered += [value for value in _values(binaries) if isinstance(value, str)]
    for target in dict.fromkeys(offered[:_MAX_ENTRIES]):
        found.refer("provides", target, "", line_of(source, f'"{target}"'))
    for key in _NEEDED:
        start = source.text.find(f'"{key}"'.encode())
        for package in table(said, key):
            found.refer("depends", package, "npm package", line_of(source, f'"{package}"', start=start))
    for command in _values(said.get("scripts")):
        for match in _RUN.finditer(command) if isinstance(command, str) else ():
            place = match[1] if match[1].startswith(".") else f"./{match[1]}"
            found.refer("use", place, "", line_of(source, match[1]))


def _values(value: object) -> list[object]:
    return list(value.values()) if isinstance(value, dict) else [value]



def _entries(exports: object, key: str, condition: str) -> Iterator[tuple[str, str, str]]:
    """The rows of `exports`: a file, conditions, or subpaths."""
    if isinstance(exports, dict) and any(name.startswith(".") for name in exports):
        for name, value in exports.items():
            yield from _leaves(value, name, condition)
    else:
        yield from _leaves(exports, key, condition)


def _leaves(value: object, key: str, condition: str, depth: int = 0) -> Iterator[tuple[str, str, str]]:
    """(key, condition, file) of each file that some conditions lead to, in their order."""
    if isinstance(value, str):
        yield key, condition, value
    elif isinstance(value, dict) and depth < 8:
        for name, inner in value.items():
            yield from _leaves(inner, key, f"{condition}.{name}", depth + 1)
    elif isinstance(value, list) and depth < 8:
        for inner in value:
            yield from _leaves(inner, key, condition, depth + 1)


def _settings(source: Source, said: dict[str, Any], found: Findings) -> None:
    options = table(said, "compilerOptions")
    for target in texts(said.get("extends")):
        if target:
            found.declares.append(("ts extends", target))
            if not (target.startswith(".") and target.endswith(".json")):  # else it is a path, as any value
                found.refer("use", target, "", line_of(source, f'"{target}"'))
    if isinstance(base := options.get("baseUrl"), str):
        found.declares.append(("ts base", base))
    for pattern, targets in table(options, "paths").items():
        found.declares += [("ts path", f"{pattern}\t{target}") for target in texts(items(targets))]
    found.declares += [("ts root", root) for root in texts(items(options.get("rootDirs")))]
    for row in tables(said.get("references")):
        if isinstance(path := row.get("path"), str):
            found.declares.append(("ts project", path))
            whole = path if path.endswith(".json") else f"{path.rstrip('/')}/tsconfig.json"
            found.refer("path", whole, "", line_of(source, f'"{path}"'))
