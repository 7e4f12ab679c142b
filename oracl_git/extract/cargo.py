"""Cargo.toml: the package, its targets, and what it needs.

Knows the tables of the manifest; everything else in it is read as in any TOML
file. What is declared here is read back by the resolver of Rust.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from . import config
from .source import Findings, Source

_MAX_BYTES = 1 << 17  # more is no manifest that somebody wrote
_NEEDS = ("dependencies", "dev-dependencies", "build-dependencies")
_TARGETS = ("bin", "example", "test", "bench")
_OFFERED = ("src/lib.rs", "src/main.rs", "build.rs")  # without a word about them


def extract(source: Source, language: str) -> Findings:
    """What a Cargo.toml says."""
    found = config.extract(source, "toml")
    try:
        table = tomllib.loads(source.text.decode()) if len(source.text) <= _MAX_BYTES else {}
    except (ValueError, RecursionError):  # then it is as good as any text
        return found
    package = _table(table, "package")
    name = package.get("name")
    if isinstance(name, str):
        _package(source, table, name, found)
    for key, needed in _needed(table):
        _need(source, key, needed, found)
    for place in _strings(_table(table, "workspace").get("members")):
        found.refer("provides", f"{place}/Cargo.toml", "", _line(source, place))
    return found


def _package(source: Source, table: dict[str, Any], name: str, found: Findings) -> None:
    library = _table(table, "lib")
    called = library.get("name")
    found.declares.append(("crate", (called if isinstance(called, str) else name).replace("-", "_")))
    path = library.get("path")
    build = _table(table, "package").get("build")
    places = [place for place in (path, build) if isinstance(place, str)]
    for kind in _TARGETS:
        for target in _tables(table.get(kind)):
            place = target.get("path")
            if isinstance(place, str):
                places.append(place)
    if isinstance(path, str):
        found.declares.append(("crate root", path))
    for place in dict.fromkeys((*places, *_OFFERED)):
        found.refer("provides", place, "", _line(source, place))


def _need(source: Source, key: str, needed: object, found: Findings) -> None:
    """A dependency: the crate it is, and where it lies when a path says so."""
    called = key.replace("-", "_")
    row: dict[str, Any] = needed if isinstance(needed, dict) else {}
    package = row.get("package")
    crate = package.replace("-", "_") if isinstance(package, str) else called
    if crate != called:
        found.declares.append((f"crate alias {called}", crate))
    path = row.get("path")
    if isinstance(path, str):
        found.declares.append((f"crate path {called}", path))
    found.refer("depends", crate, "crate", _line(source, key))


def _needed(table: dict[str, Any]) -> Iterator[tuple[str, object]]:
    places = [table, _table(table, "workspace"), *_tables(list(_table(table, "target").values()))]
    for place in places:
        for name in _NEEDS:
            yield from _table(place, name).items()


def _table(table: dict[str, Any], name: str) -> dict[str, Any]:
    found = table.get(name)
    return found if isinstance(found, dict) else {}


def _tables(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _strings(value: object) -> list[str]:
    return [row for row in value if isinstance(row, str)] if isinstance(value, list) else []


def _line(source: Source, word: str) -> int:
    """The first line that begins with a word, or holds it; 1 for what is not written."""
    raw = word.encode()
    start = 0 if source.text.startswith(raw) else source.text.find(b"\n" + raw) + 1
    if not start:
        start = max(source.text.find(raw), 0)
    return source.line(start)
