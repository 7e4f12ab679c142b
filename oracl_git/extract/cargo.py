"""Cargo.toml: the package, its targets, and what it needs.

Knows the tables of the manifest; everything else in it is read as in any TOML
file. What is declared here is read back by the resolver of Rust.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import config
from .data import items, line_of, table, tables, texts, toml
from .source import Findings, Source

_NEEDS = ("dependencies", "dev-dependencies", "build-dependencies")
_TARGETS = ("bin", "example", "test", "bench")
_MOST_EXCLUDED = 50  # directories
_OFFERED = ("src/lib.rs", "src/main.rs", "build.rs")  # without a word about them


def extract(source: Source, language: str) -> Findings:
    """What a Cargo.toml says."""
    found = config.extract(source, "toml")
    manifest = toml(source)
    name = table(manifest, "package").get("name")
    if isinstance(name, str):
        _package(source, manifest, name, found)
    for key, needed in _needed(manifest):
        _need(source, key, needed, found)
    workspace = table(manifest, "workspace")
    but = "\t".join(texts(items(workspace.get("exclude")))[:_MOST_EXCLUDED])
    for place in texts(items(workspace.get("members"))):
        patterned = "*" in place
        found.refer("provides", f"{place}/Cargo.toml", but if patterned else "", line_of(source, f"\n{place}", place))
    return found


def _package(source: Source, manifest: dict[str, Any], name: str, found: Findings) -> None:
    library = table(manifest, "lib")
    called = library.get("name")
    found.declares.append(("crate", (called if isinstance(called, str) else name).replace("-", "_")))
    found.declares.append(("cargo package", name.replace("-", "_")))
    edition = table(manifest, "package").get("edition")
    if edition is not None and edition != "2015":  # one that a workspace hands down is younger than that
        found.declares.append(("crate edition", "2018"))
    path = library.get("path")
    build = table(manifest, "package").get("build")
    places = [place for place in (path, build) if isinstance(place, str)]
    for kind in _TARGETS:
        for target in tables(manifest.get(kind)):
            place = target.get("path")
            if isinstance(place, str):
                places.append(place)
    if isinstance(path, str):
        found.declares.append(("crate root", path))
    for place in dict.fromkeys((*places, *_OFFERED)):
        found.refer("provides", place, "", line_of(source, f"\n{place}", place))


def _need(source: Source, key: str, needed: object, found: Findings) -> None:
    """A dependency: the crate it is, and where it lies when a path says so."""
    called = key.replace("-", "_")
    row: dict[str, Any] = needed if isinstance(needed, dict) else {}
    package = row.get("package")
    crate = package.replace("-", "_") if isinstance(package, str) else called
    if crate != called:
        found.declares.append((f"crate alias {called}", crate))
    if row.get("workspace") is True:
        found.declares.append(("crate inherited", called))
    path = row.get("path")
    if isinstance(path, str):
        found.declares.append((f"crate path {called}", path))
    found.refer("depends", crate, "cargo package", line_of(source, f"\n{key}", key))


def _needed(manifest: dict[str, Any]) -> Iterator[tuple[str, object]]:
    places = [manifest, table(manifest, "workspace"), *tables(list(table(manifest, "target").values()))]
    for place in places:
        for name in _NEEDS:
            yield from table(place, name).items()



