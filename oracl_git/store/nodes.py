"""Node rows: which artifacts there are, and whose links a change can move.

Knows how a changed path becomes rows (node, symbol, toplevel) and which
questions of `graph.names` it can change the answer of. A deleted node stays as
LEAVING until its edges are gone. Knows nothing of links or ranks.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..extract.facts import UNPARSED, Facts, Texts
from ..graph import digest
from ..graph.governance import Governance
from ..graph.model import ARTIFACT, decode_path, encode_path
from ..graph.names import Names, key, place, suffixes
from ..graph.stems import implementation_stem, tested_stem
from ..graph.tags import role
from .database import Rows
from .facts import Contents
from .lookups import LookupTable
from .text import TextTable
from .tree import StoredNames, bindings, declared_name, toplevel_rows

LEAVING = 9
_compact = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_QUESTIONS: dict[str, Callable[[Names, str], object]] = {
    "exists": lambda names, a: names.exists(a),
    "named": lambda names, a: names.named(a),
    "implementations": lambda names, a: names.implementations(a),
    "roots": lambda names, a: names.roots(a),
    "python_under": lambda names, a: names.python_under(a),
    "placeholder": lambda names, a: names.placeholder(a),
    "symbols": lambda names, a: names.symbols(a),
    "matching": lambda names, a: names.matching(a),
    "export": lambda names, a: _export(names, *a.split("\0")),
    "files": lambda names, a: names.files(*a.split("\0", 1)),
    "below": lambda names, a: names.below(*a.split("\0", 1)),
    "members": lambda names, a: names.members(a),
    "declared": lambda names, a: names.declared(*a.split("\0", 1)),
    "declaring": lambda names, a: names.declaring(*a.split("\0", 1)),
}

Question = tuple[str, str]
_INSERT = (
    "INSERT INTO node(id, kind, path, name, stem, tested, role, shard, mode, blob, size, lines, checksum, language,"
    " placeholder, unparsed, tags, resolutions) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'{}','[]')"
)


class File(NamedTuple):
    """The new side of a changed path that is an artifact."""

    path: str
    mode: int
    blob: str
    size: int
    language: str


Outlined = tuple[File, Facts, Texts]  # an artifact, and what its rows are made of


def _stems(path: str) -> tuple[str, str]:
    """(the stem tests may call it by, the stem it calls when it is a test)."""
    stem = implementation_stem(path)
    return stem, "" if stem else tested_stem(path)


def _export(names: Names, path: str, name: str) -> object:
    return names.stars(path) if name == "*" else names.export(path, name)


def ask(names: Names, question: Question) -> object:
    """The answer to a recorded question."""
    return _QUESTIONS[question[0]](names, question[1])


class NodeTable:
    """Writes artifacts; remembers ids for the length of one update."""

    def __init__(self, db: sqlite3.Connection, contents: Contents, rules: Governance) -> None:
        self._db = db
        self._contents = contents
        self._rules = rules
        self._ids: dict[tuple[int, str], int] = {}
        self._next: int = db.execute("SELECT coalesce(max(id), 0) FROM node").fetchone()[0] + 1
        self._fresh = self._next == 1  # then the ids known here are all there are
        self._rows = Rows(db, _INSERT)
        self._symbols = Rows(db, "INSERT OR IGNORE INTO symbol VALUES(?,?,?,?,?)")
        self._declared = Rows(db, "INSERT OR IGNORE INTO declared VALUES(?,?)")
        self._lookups = LookupTable(db)
        self._toplevel: dict[tuple[str, str], list[int]] = {}  # (top, root) → change of (modules, under)
        self.leaving: set[int] = set()
        self.came: list[str] = []  # paths that became artifacts
        self.went: list[str] = []  # paths that are none any more

    def find(self, kind: int, path: str) -> int | None:
        """The id of a node, if it is there."""
        known = self._ids.get((kind, path))
        if known is None and not self._fresh:
            row = self._db.execute("SELECT id FROM node WHERE path=? AND kind=?", (encode_path(path), kind)).fetchone()
            if row is None:
                return None
            known = self._ids[kind, path] = row[0]
        return known

    def fill(self, outlines: Iterable[Outlined], text: TextTable) -> None:
        """Write rows and text of all artifacts into empty tables."""
        for file, facts, texts in outlines:
            text.add(self._put(file, facts), file.path, facts, texts)
        self._flush(text)

    def apply(self, files: list[File], gone: list[str], outlines: Iterable[Outlined], text: TextTable) -> set[int]:
        """Write rows and text of changed artifacts; the ids whose links could have changed."""
        names = self._names()
        before = {question: ask(names, question) for question in self._questions(files, gone) if self._asked(question)}
        for path in gone:
            self._leave(path)
        self.fill(outlines, text)
        after = self._names()
        affected = {node for file in files if (node := self.find(ARTIFACT, file.path)) is not None}
        for question, answer in before.items():
            if ask(after, question) != answer:
                affected.update(self._lookups.nodes(key(*question)))
        return affected - self.leaving

    def _flush(self, text: TextTable) -> None:
        for rows in (self._rows, self._symbols, self._declared, text):
            rows.flush()
        self._db.executemany(
            "INSERT INTO toplevel VALUES(?,?,?,?)"
            " ON CONFLICT DO UPDATE SET modules=modules+excluded.modules, under=under+excluded.under",
            [(top, encode_path(root), *counts) for (top, root), counts in self._toplevel.items()],
        )
        self._db.execute("DELETE FROM toplevel WHERE modules=0 AND under=0")

    def _names(self) -> StoredNames:
        return StoredNames(self._db, self._contents.facts)

    def _questions(self, files: list[File], gone: list[str]) -> Iterator[Question]:
        """Every question the changed paths take part in."""
        patterns = {pattern for constraint in self._rules.constraints for pattern in constraint.paths}
        seen: dict[Question, None] = {}
        sides = [(f.path, self._contents.facts(f.blob, f.language)) for f in files] + [(path, None) for path in gone]
        for path, new in sides:
            row = self._db.execute(
                "SELECT blob, language FROM node WHERE path=? AND kind=0", (encode_path(path),)
            ).fetchone()
            old = self._contents.facts(*row) if row else None
            if (old is None) != (new is None):
                seen["exists", path] = None
                seen["implementations", implementation_stem(path)] = None
                seen["files", "\0".join(place(path))] = None
                directory, _, name = path.rpartition("/")
                while True:
                    seen["below", f"{directory}\0{name}"] = seen["below", f"{directory}\0"] = None
                    if not directory:
                        break
                    directory = directory.rpartition("/")[0]
                seen.update(dict.fromkeys(("named", suffix) for suffix in suffixes(path)))
                seen.update(dict.fromkeys(("matching", pattern) for pattern in patterns))
                for top, root, _, _ in toplevel_rows(path):
                    seen["roots", top] = None
                    seen["python_under", f"{root}/{top}" if root else top] = None
            seen["placeholder", path] = None
            seen["members", path] = None
            for facts in (old, new):
                if facts:
                    seen.update(dict.fromkeys(("export", f"{path}\0{name}") for name in (*bindings(facts)[0], "*")))
                    seen.update(dict.fromkeys(("symbols", definition.name) for definition in facts.definitions))
                    for label, value in facts.declares:
                        seen["declared", f"{path}\0{label}"] = None
                        seen["declaring", f"{label}\0{value}"] = None
        yield from seen

    def _asked(self, question: Question) -> bool:
        """Whether any links hang on the answer."""
        return bool(self._lookups.nodes(key(*question)))

    def _leave(self, path: str) -> None:
        node = self.find(ARTIFACT, path)
        if node is None:
            return
        self._db.execute("UPDATE node SET kind=? WHERE id=?", (LEAVING, node))
        self._forget_names(node)
        self._count_toplevel(path, -1)
        del self._ids[ARTIFACT, path]
        self.leaving.add(node)
        self.went.append(path)

    def _put(self, file: File, facts: Facts) -> int:
        db, raw = self._db, encode_path(file.path)
        values = (
            file.mode, file.blob, file.size, facts.lines, facts.checksum, file.language, int(facts.placeholder),
            facts.error if facts.error in UNPARSED else "",
        )  # fmt: skip
        node = self.find(ARTIFACT, file.path)
        if node is None:
            node = self._new_id(ARTIFACT, file.path)
            self._rows.add(
                node, ARTIFACT, raw, raw.rpartition(b"/")[2], *_stems(file.path), role(file.path),
                digest.leaf_key(ARTIFACT, file.path)[0], *values,
            )  # fmt: skip
            self._count_toplevel(file.path, 1)
            self.came.append(file.path)
        else:
            db.execute(
                "UPDATE node SET mode=?, blob=?, size=?, lines=?, checksum=?, language=?, placeholder=?, unparsed=?"
                " WHERE id=?",
                (*values, node),
            )
            self._forget_names(node)
        for label, value in facts.declares:
            self._declared.add(declared_name(label, value), node)
        for name, kind, start, end, _, _ in facts.definitions:
            self._symbols.add(node, start, name, end, kind)
        return node

    def _forget_names(self, node: int) -> None:
        self._db.execute("DELETE FROM symbol WHERE node=?", (node,))
        self._db.execute("DELETE FROM declared WHERE node=?", (node,))

    def _new_id(self, kind: int, path: str) -> int:
        node = self._next
        self._next += 1
        self._ids[kind, path] = node
        return node

    def _count_toplevel(self, path: str, sign: int) -> None:
        for top, root, module, under in toplevel_rows(path):
            counts = self._toplevel.setdefault((top, root), [0, 0])
            counts[0] += sign * module
            counts[1] += sign * under

    def virtual(self, kind: int, path: str) -> int:
        """The id of a hub or constraint node, made when it is not there."""
        node = self.find(kind, path)
        if node is None:
            node = self._new_id(kind, path)
            shard = digest.leaf_key(kind, path)[0]
            row = (node, kind, encode_path(path), b"", "", "", "", shard, 0, "", 0, 0, "", "", 0, "")
            self._db.execute(_INSERT, row)
        return node

    def drop(self, node: int) -> None:
        """Delete a row whose edges are gone."""
        self._db.execute("DELETE FROM node WHERE id=?", (node,))

    def forget(self, kind: int, path: str) -> None:
        """Forget the id of a virtual node that was dropped."""
        self._ids.pop((kind, path), None)

    def describe(self, node: int) -> tuple[int, str]:
        """(kind, path) of an id."""
        kind, raw = self._db.execute("SELECT kind, path FROM node WHERE id=?", (node,)).fetchone()
        return kind, decode_path(raw)


def tags_text(values: dict[str, str]) -> str:
    """Tags as stored: JSON in field order."""
    return _compact(values)
