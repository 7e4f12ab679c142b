"""What the product stored for one commit, free of ids; and what the oracle expects.

Rows of two indexes can be compared however they came to be: every id is replaced
by what it stands for.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from array import array
from collections import Counter

sys.path.insert(0, os.path.dirname(__file__))
import oracle

from oracl_git.extract.exclude import excluded
from oracl_git.extract.extractor import extract
from oracl_git.extract.facts import Facts, Reference
from oracl_git.extract.languages import language_of
from oracl_git.git import Repository, open_objects
from oracl_git.graph import association
from oracl_git.graph.governance import FILES
from oracl_git.graph.model import decode_path
from oracl_git.graph.resolve import resolve
from oracl_git.store import database
from oracl_git.store.edges import RELATIONS
from oracl_git.store.index import Index

KINDS = ("artifact", "hub", "constraint")
_facts: dict[tuple[str, str], dict] = {}  # of this process's extraction


def graph(repo: Repository) -> dict[str, object]:
    """The stored graph in the shape of `oracle.build`."""
    with Index(repo) as index:
        stored = {row[0]: row[1:] for row in index.db.execute("SELECT id, sum, cnt, deg, leaf FROM node")}
        nodes, names = [], {}
        mu, sigma = index.statistics
        for node in index.all_nodes():
            kind = KINDS[node.kind]
            path = node.path.removeprefix(oracle.PREFIX.get(kind, ""))
            names[node.id] = (kind, path)
            priority, blended = index.priority(node)
            total, count, degree, leaf = stored[node.id]
            a = round(oracle.Fraction(total, count)) if count else mu
            nodes.append(
                {
                    "kind": kind,
                    "path": path,
                    "tags": node.tags,
                    "resolutions": list(node.resolutions),
                    "s": node.s,
                    "m": node.m,
                    "sum": total,
                    "cnt": count,
                    "deg": degree,
                    "A": a,
                    "delta": association.delta(a, mu, sigma) if count else 0,
                    "P": priority,
                    "P'": blended,
                    "leaf": leaf.hex(),
                }
            )
        edges = [
            {
                "source": names[link.source],
                "target": names[link.target],
                "relation": link.relation,
                "sfrag": link.source_fragment,
                "tfrag": link.target_fragment,
                "w": link.weight,
                "kappa": link.confidence,
                "partition": link.partition,
                "r": link.rank,
                "R": index.normalised(link.rank),
            }
            for link in index.all_links()
        ]
        counted = ("nodes", "edges", "connected", "sum_a", "sum_a2", "max_r")
        return {
            "nodes": sorted(nodes, key=lambda row: (row["kind"], oracle.raw(row["path"]))),
            "edges": sorted(edges, key=oracle.edge_order),
            "header": {name: int(index.header[name]) for name in counted} | {"mu": mu, "sigma": sigma},
            "root": index.header["root"],
        }


def expected(repo: Repository, commit: str) -> dict[str, object]:
    """The graph of a commit as the oracle has it, from git's objects and `extract` alone."""
    with open_objects(repo) as objects:
        entries = list(objects.entries(objects.tree_of(commit)))
        regular = {entry.oid for entry in entries if entry.mode & 0o170000 == 0o100000}
        blobs = dict(objects.blobs(sorted(regular)))
    files, facts, governance = [], {}, {}
    for entry in entries:
        path, data = decode_path(entry.path), blobs.get(entry.oid)
        if data is None:
            continue
        files.append((path, entry.mode, entry.oid, len(data)))
        if path in FILES:
            governance[path] = data
        if not excluded(entry.path, entry.mode, len(data)):
            key = (entry.oid, language_of(entry.path))
            if key not in _facts:
                _facts[key] = plain(extract(data, key[1]))
            facts[path] = _facts[key]
    return oracle.build(files, facts, governance, followed)


class Slow:
    """The oracle's tree, asked as resolvers ask."""

    def __init__(self, tree: oracle.Tree) -> None:
        self._tree = tree
        self.exists, self.python_under = tree.exists, tree.python_below

    def named(self, suffix):
        return _few(self._tree.ending_in(suffix))

    def implementations(self, stem):
        return _few(self._tree.implementing(stem))

    def roots(self, top):
        return tuple(self._tree.roots_of(top))

    def export(self, path, name):
        return self._tree.bindings(path)[0].get(name)

    def stars(self, path):
        return tuple(self._tree.bindings(path)[1])

    def placeholder(self, path):
        return self._tree.facts[path]["placeholder"] if path in self._tree.facts else False

    def symbols(self, name):
        return _few(self._tree.defining(name))

    def files(self, directory, suffix):
        return tuple(self._tree.right_in(directory, suffix))

    def below(self, directory, name):
        return tuple(self._tree.anywhere_in(directory, name))

    def members(self, path):
        return frozenset(d["name"] for d in self._tree.facts[path]["definitions"]) if self.exists(path) else frozenset()

    def declared(self, path, label):
        return tuple(self._tree.declared(path, label))

    def declaring(self, label, value):
        return _few(self._tree.declaring(label, value))

    def once(self, ask, *args):
        return ask(self, *args)


def _few(found: list[str] | None) -> tuple[str, ...] | None:
    return None if found is None else tuple(found)


def followed(tree: oracle.Tree, language: str, path: str, reference: dict):
    """Where an import of another language than Python leads, asked of the oracle's tree."""
    found = resolve(language, Slow(tree), path, Reference(**reference))
    return [(t.path, t.symbol, oracle.Fraction(*t.confidence)) for t in found.targets], found.how


def plain(facts: Facts) -> dict:
    """Facts as plain data."""
    rows = facts._asdict()
    for name in ("definitions", "references", "chunks"):
        rows[name] = [row._asdict() for row in getattr(facts, name)]
    return rows


def everything(repo: Repository) -> dict[str, object]:
    """Every row of the index with each id replaced by what it names."""
    db = database.connect(database.place(repo, "index"), "index", write=False)
    past = database.connect(database.place(repo, "history"), "history", write=False)
    try:
        return _everything(db, past)
    finally:
        db.close()
        past.close()


def _everything(db: sqlite3.Connection, past: sqlite3.Connection) -> dict[str, object]:
    def rows(sql: str) -> list[tuple]:
        return db.execute(sql).fetchall()

    db.row_factory = None
    columns = [row[1] for row in rows("PRAGMA table_info(node)") if row[1] != "id"]
    names = {}
    nodes = {}
    for node, *values in rows(f"SELECT id, {', '.join(columns)} FROM node"):
        row = dict(zip(columns, values, strict=True))
        names[node] = (row["kind"], decode_path(row["path"]))
        assert names[node] not in nodes
        nodes[names[node]] = row
    edges = sorted(
        (names[s], names[t], RELATIONS[relation], *rest)
        for s, t, relation, *rest in rows("SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM edge")
    )
    lookup: dict[tuple, list[int]] = {}
    for bucket, packed in rows("SELECT bucket, pairs FROM lookup"):
        pairs = array("Q", packed)
        assert pairs and list(pairs) == sorted(set(pairs)), "pairs are sorted, each there once"
        for pair in pairs:
            assert pair >> 48 == bucket
            lookup.setdefault(names[pair & 0xFFFFFFFF], []).append(pair >> 32)
    header = dict(rows("SELECT key, value FROM header"))
    oids = dict(past.execute("SELECT id, oid FROM entry"))
    header.pop("packs", None)  # and this what that clone has fetched
    header.pop("history", None)  # names the history store, which is each clone's own
    header["reach"] = [oids[entry] for entry in array("I", header["reach"])]
    old_names = {hid: decode_path(path) for hid, path in past.execute("SELECT id, path FROM path")}
    chunks = {
        chunk: (names[node], start, stop, title)
        for chunk, node, start, stop, title in rows("SELECT id, node, start, stop, title FROM chunk")
    }
    return {
        "node": nodes,
        "edge": edges,
        "lookup": {name: sorted(keys) for name, keys in lookup.items()},
        "asked": {names[source]: sorted(array("I", keys)) for source, keys in rows("SELECT source, keys FROM asked")},
        "symbol": Counter(
            (name, names[node], *rest) for name, node, *rest in rows("SELECT name, node, start, stop, kind FROM symbol")
        ),
        "toplevel": sorted(rows("SELECT * FROM toplevel")),
        "skipped": sorted(rows("SELECT * FROM skipped")),
        "shard": dict(rows("SELECT * FROM shard")),
        "chunk": Counter(chunks.values()),
        "activity": {names[node]: rest for node, *rest in rows("SELECT node, last, touches FROM activity")},
        "alias": {old_names[hid]: decode_path(path) for hid, path in rows("SELECT hid, path FROM alias")},
        "header": header,
        "vocabulary": sorted(rows("SELECT term, doc, cnt FROM chunk_vocab")),
        "text": _text(db, names, chunks),
    }


WORDS = "title install pkg parse f thing words docs index dup import class readme subprocess todo main a sub".split()


def _text(db: sqlite3.Connection, names: dict, chunks: dict) -> dict[str, list]:
    """What full text answers, with its scores."""
    found = {}
    for word in WORDS:
        for table, of in (("chunk_fts", chunks), ("file_fts", names)):
            sql = f"SELECT rowid, bm25({table}, 2.0, 1.0) FROM {table} WHERE {table} MATCH ?"
            hits = db.execute(sql, (f'"{word}"',))
            found[f"{table} {word}"] = sorted((of[row], round(score, 9)) for row, score in hits)
    return found


def differences(a: dict, b: dict, path: str = "") -> list[str]:
    """Where two structures differ, for people; empty when they are equal."""
    if a == b:
        return []
    if isinstance(a, dict) and isinstance(b, dict):
        found = []
        for key in sorted(a.keys() | b.keys(), key=repr):
            if key not in a or key not in b:
                there = b[key] if key not in a else a[key]
                found.append(f"{path}/{key}: only on the {'right' if key not in a else 'left'}: {there!r:.300}")
            else:
                found += differences(a[key], b[key], f"{path}/{key}")
        return found
    if isinstance(a, list) and isinstance(b, list):
        left = Counter(json.dumps(row, default=repr, sort_keys=True) for row in a)
        right = Counter(json.dumps(row, default=repr, sort_keys=True) for row in b)
        return [f"{path}: only on the left: {row}" for row in sorted((left - right).elements())] + [
            f"{path}: only on the right: {row}" for row in sorted((right - left).elements())
        ]
    return [f"{path}: {a!r:.300} | {b!r:.300}"]


def check(left: dict, right: dict, what: str) -> None:
    """Fail with a short account of what differs."""
    found = differences(left, right)
    assert not found, f"{what}: {len(found)} differences\n" + "\n".join(found[:20])


def same_graph(left: dict, right: dict, what: str) -> None:
    """Fail when two graphs in the shape of `oracle.build` differ."""
    check(_keyed(left), _keyed(right), what)


def _keyed(rows: dict) -> dict:
    return {
        **rows,
        "nodes": {(row["kind"], row["path"]): row for row in rows["nodes"]},
        "edges": {oracle.edge_order(row): row for row in rows["edges"]},
    }
