"""`Names` answered from the index: what linking may know of the rest of the tree.

Knows which table answers which question, and keeps answers for the length of
one update. For a large change the tables are read whole first, so that a miss
needs no query. Knows nothing of why a question is asked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..extract.facts import Facts
from ..graph import globs
from ..graph.model import decode_path, encode_path
from ..graph.names import Candidates, Names, T, Ts, capped, is_python, place, top_levels
from ..graph.parameters import MAX_CANDIDATES

FactsOf = Callable[[str, str], Facts | None]  # (blob, language) → Facts


class StoredNames:
    """One state of the tree. Throw it away when the tables change."""

    def __init__(self, db: sqlite3.Connection, facts_of: FactsOf, whole: bool = False) -> None:
        self._db = db
        self._facts_of = facts_of
        self._whole = whole
        self._exists: dict[str, bool] = {}
        self._by_name: dict[str, list[str]] = {}
        self._named: dict[str, Candidates] = {}
        self._stems: dict[str, Candidates] = {}
        self._tops: dict[str, tuple[tuple[str, int, int], ...]] = {}
        self._symbols: dict[str, Candidates] = {}
        self._bindings: dict[str, tuple[dict[str, tuple[str, str]], tuple[str, ...]]] = {}
        self._placeholders: dict[str, bool] = {}
        self._files: dict[str, dict[str, tuple[str, ...]]] = {}
        self._declaring: dict[str, Candidates] = {}
        self._said: dict[str, tuple[frozenset[str], dict[str, tuple[str, ...]]]] = {}
        self._answers: dict[tuple[Any, ...], Any] = {}
        if whole:
            self._read_all()

    def _read_all(self) -> None:
        stems: dict[str, list[str]] = {}
        for raw, name, stem, placeholder in self._db.execute(
            "SELECT path, name, stem, placeholder FROM node WHERE kind=0"
        ):
            path = decode_path(raw)
            self._exists[path] = True
            self._by_name.setdefault(decode_path(name), []).append(path)
            self._placeholders[path] = bool(placeholder)
            if stem:
                stems.setdefault(stem, []).append(path)
        self._stems = {stem: capped(paths) for stem, paths in stems.items()}
        self._files = _by_directory(sorted(self._exists, key=encode_path))
        tops: dict[str, list[tuple[str, int, int]]] = {}
        for top, root, modules, under in self._db.execute("SELECT top, root, modules, under FROM toplevel"):
            tops.setdefault(top, []).append((decode_path(root), modules, under))
        self._tops = {top: tuple(sorted(rows)) for top, rows in tops.items()}

    def exists(self, path: str) -> bool:
        if self._whole:
            return path in self._exists
        known = self._exists.get(path)
        if known is None:
            known = self._one("SELECT 1 FROM node WHERE path=? AND kind=0", encode_path(path)) is not None
            self._exists[path] = known
        return known

    def _with_name(self, name: str) -> list[str]:
        if self._whole:
            return self._by_name.get(name, [])
        paths = self._by_name.get(name)
        if paths is None:
            rows = self._db.execute("SELECT path FROM node WHERE name=? AND kind=0", (encode_path(name),))
            paths = self._by_name[name] = [decode_path(row[0]) for row in rows]
        return paths

    def named(self, suffix: str) -> Candidates:
        if suffix not in self._named:
            tail = "/" + suffix
            found = []
            for path in self._with_name(suffix.rpartition("/")[2]):
                if path.endswith(tail) or path == suffix:
                    found.append(path)
                    if len(found) > MAX_CANDIDATES:
                        break
            self._named[suffix] = capped(found)
        return self._named[suffix]

    def implementations(self, stem: str) -> Candidates:
        if stem not in self._stems:
            rows = (
                ()
                if self._whole
                else self._db.execute(
                    "SELECT path FROM node WHERE stem=? AND stem<>'' AND kind=0 LIMIT ?",
                    (stem, MAX_CANDIDATES + 1),
                )
            )
            self._stems[stem] = capped([decode_path(row[0]) for row in rows])
        return self._stems[stem]

    def _top(self, top: str) -> tuple[tuple[str, int, int], ...]:
        rows = self._tops.get(top)
        if rows is None:
            found = (
                () if self._whole else self._db.execute("SELECT root, modules, under FROM toplevel WHERE top=?", (top,))
            )
            rows = self._tops[top] = tuple(sorted((decode_path(root), m, u) for root, m, u in found))
        return rows

    def roots(self, top: str) -> tuple[str, ...]:
        return tuple(root for root, _, _ in self._top(top))

    def python_under(self, directory: str) -> bool:
        root, _, top = directory.rpartition("/")
        return any(under for place, _, under in self._top(top) if place == root)

    def _binding(self, path: str) -> tuple[dict[str, tuple[str, str]], tuple[str, ...]]:
        known = self._bindings.get(path)
        if known is None:
            row = self._one("SELECT blob, language FROM node WHERE path=? AND kind=0", encode_path(path))
            facts = self._facts_of(str(row[0]), str(row[1])) if row else None
            known = self._bindings[path] = bindings(facts) if facts else ({}, ())
        return known

    def export(self, path: str, name: str) -> tuple[str, str] | None:
        return self._binding(path)[0].get(name)

    def stars(self, path: str) -> tuple[str, ...]:
        return self._binding(path)[1]

    def placeholder(self, path: str) -> bool:
        known = self._placeholders.get(path)
        if known is None:
            row = self._one("SELECT placeholder FROM node WHERE path=? AND kind=0", encode_path(path))
            known = self._placeholders[path] = bool(row and row[0])
        return known

    def symbols(self, name: str) -> Candidates:
        if name not in self._symbols:
            rows = self._db.execute(
                "SELECT DISTINCT n.path FROM symbol s JOIN node n ON n.id=s.node WHERE s.name=? LIMIT ?",
                (name, MAX_CANDIDATES + 1),
            )
            self._symbols[name] = capped([decode_path(row[0]) for row in rows])
        return self._symbols[name]

    def matching(self, pattern: str) -> tuple[str, ...]:
        paths = (decode_path(row[0]) for row in self._db.execute("SELECT path FROM node WHERE kind=0 ORDER BY path"))
        return tuple(path for path in paths if globs.matches(pattern, path))

    def files(self, directory: str, suffix: str) -> tuple[str, ...]:
        found = self._files.get(directory)
        if found is None:
            paths = () if self._whole else self._listed(directory)
            found = self._files[directory] = _by_directory(paths).get(directory, {})
        return found.get(suffix, ())

    def _listed(self, directory: str) -> Iterator[str]:
        """The artifacts right in a directory: what lies deeper is jumped over."""
        start = encode_path(directory) + b"/" if directory else b""
        end = encode_path(directory) + b"0" if directory else b"\xff\xff"  # "0" is what comes after "/"
        after = start
        while True:
            for (path,) in self._db.execute(
                "SELECT path FROM node WHERE path>? AND path<? AND kind=0 ORDER BY path", (after, end)
            ):
                cut = path.find(b"/", len(start))
                if cut >= 0:
                    after = path[:cut] + b"0"
                    break
                yield decode_path(path)
            else:
                return

    def _saying(self, path: str) -> tuple[frozenset[str], dict[str, tuple[str, ...]]]:
        """(names it defines, what it declares under each label)."""
        known = self._said.get(path)
        if known is None:
            row = self._one("SELECT blob, language FROM node WHERE path=? AND kind=0", encode_path(path))
            facts = self._facts_of(str(row[0]), str(row[1])) if row else None
            known = (members(facts), declarations(facts)) if facts else (frozenset(), {})
            self._said[path] = known
        return known

    def below(self, directory: str, name: str) -> tuple[str, ...]:
        start = f"{directory}/" if directory else ""
        if name:
            found = [path for path in self._with_name(name) if path.startswith(start)]
        elif self._whole:
            found = [path for path, there in self._exists.items() if there and path.startswith(start)]
        else:
            low, high = encode_path(start), encode_path(start[:-1]) + b"0" if start else b"\xff\xff"
            rows = self._db.execute("SELECT path FROM node WHERE path>? AND path<? AND kind=0", (low, high))
            found = [decode_path(row[0]) for row in rows]
        return tuple(sorted(found, key=encode_path))

    def members(self, path: str) -> frozenset[str]:
        return self._saying(path)[0]

    def declared(self, path: str, label: str) -> tuple[str, ...]:
        return self._saying(path)[1].get(label, ())

    def declaring(self, label: str, value: str) -> Candidates:
        name = declared_name(label, value)
        if name not in self._declaring:
            rows = self._db.execute(
                "SELECT n.path FROM declared d JOIN node n ON n.id=d.node WHERE d.name=? LIMIT ?",
                (name, MAX_CANDIDATES + 1),
            )
            self._declaring[name] = capped([decode_path(row[0]) for row in rows])
        return self._declaring[name]

    def once(self, ask: Callable[[Names, *Ts], T], *args: *Ts) -> T:
        if (ask, *args) not in self._answers:
            self._answers[(ask, *args)] = ask(self, *args)
        answer: T = self._answers[(ask, *args)]
        return answer

    def _one(self, sql: str, *args: object) -> tuple[object, ...] | None:
        row: tuple[object, ...] | None = self._db.execute(sql, args).fetchone()
        return row


def bindings(facts: Facts) -> tuple[dict[str, tuple[str, str]], tuple[str, ...]]:
    """(name → how the file binds it, modules it imports everything from)."""
    names: dict[str, tuple[str, str]] = {}
    stars = []
    for name, module, original in facts.exports:
        if name == "*":
            stars.append(module)
        else:
            names[name] = (module, original)
    if facts.language == "python":
        for definition in facts.definitions:
            if "." not in definition.name:
                names[definition.name] = ("", "")
    return names, tuple(stars)


def members(facts: Facts) -> frozenset[str]:
    """The names a file defines."""
    return frozenset(definition.name for definition in facts.definitions)


def declarations(facts: Facts) -> dict[str, tuple[str, ...]]:
    """Label → what the file declares under it, in its order."""
    found: dict[str, list[str]] = {}
    for label, value in facts.declares:
        found.setdefault(label, []).append(value)
    return {label: tuple(values) for label, values in found.items()}


def declared_name(label: str, value: str) -> str:
    """A declaration as it is stored."""
    return f"{label}\n{value}"


def _by_directory(paths: Iterable[str]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Directory → suffix → its files, in the order given."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        directory, suffix = place(path)
        found.setdefault(directory, {}).setdefault(suffix, []).append(path)
    return {directory: {s: tuple(files) for s, files in kinds.items()} for directory, kinds in found.items()}


def toplevel_rows(path: str) -> list[tuple[str, str, int, int]]:
    """(top, root, as module, as directory) rows one Python path contributes."""
    if not is_python(path):
        return []
    depth = path.count("/")
    return [
        (top, root, *((1, 0) if (root.count("/") + 1 if root else 0) == depth else (0, 1)))
        for top, root in top_levels(path)
    ]
