"""The SQLite mirror: a bundle, its manifest, and LATEST.json that points at both.

Knows how the bundle is built, asked and checked, alone with standard tools and
without the index. Everything in such a directory may have come from elsewhere, and
is read as such. Knows nothing of signatures.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from typing import Any, NamedTuple

from .. import whole
from ..errors import Unverified, UsageError
from ..graph import digest
from ..graph.model import canonical_path
from .database import closed_on_failure

LATEST = "LATEST.json"
_NAME = re.compile(r"graph-[0-9a-f]{16}\.(?:sqlite|manifest\.json)")
_LONGEST = 1 << 16  # bytes of a manifest
_STEPS = 1 << 20  # of SQLite's that reading takes at most, and …
_STEPS_A_BYTE = 10  # of them for each byte of a bundle: pages that lead to each other have no end
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE node(
    path TEXT PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL,
    size INTEGER NOT NULL, priority INTEGER NOT NULL, priority_blended INTEGER NOT NULL,
    row TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX node_name ON node(name);
CREATE INDEX node_id ON node(id);
CREATE TABLE edge(
    source TEXT NOT NULL, source_fragment TEXT NOT NULL, target TEXT NOT NULL, target_fragment TEXT NOT NULL,
    relation TEXT NOT NULL, weight INTEGER NOT NULL, confidence INTEGER NOT NULL, partition TEXT NOT NULL,
    rank INTEGER NOT NULL, PRIMARY KEY(source, source_fragment, target, target_fragment, relation)) WITHOUT ROWID;
CREATE INDEX edge_target ON edge(target);
"""
_ORDER = {
    "node": "SELECT path, id, kind, name, checksum, size, priority, priority_blended, row FROM node ORDER BY path",
    "edge": "SELECT source, source_fragment, target, target_fragment, relation, weight, confidence, partition, rank"
    " FROM edge ORDER BY source, source_fragment, target, target_fragment, relation",
}

Row = tuple[object, ...]


class Found(NamedTuple):
    """One artifact of a mirror; `path` is percent-encoded."""

    path: str
    id: str
    checksum: str
    size: int
    priority: int


def build(
    directory: str, commit: str, root: str, nodes: Iterable[Row], edges: Iterable[Row], schema: dict[str, Any]
) -> list[str]:
    """Write bundle, manifest and pointer, the pointer last; the names of the three."""
    os.makedirs(directory, exist_ok=True)
    bundle, manifest = f"graph-{root[:16]}.sqlite", f"graph-{root[:16]}.manifest.json"
    temporary = os.path.join(directory, bundle + ".new")
    if os.path.lexists(temporary):  # of a process that was killed, or a link that somebody left
        os.unlink(temporary)
    with closing(sqlite3.connect(temporary, isolation_level=None)) as db:
        db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;" + _SCHEMA)
        meta = {"commit": commit, "root": root, "schema": json.dumps(schema, sort_keys=True, separators=(",", ":"))}
        db.executemany("INSERT INTO meta VALUES(?,?)", sorted(meta.items()))
        db.executemany("INSERT INTO node VALUES(?,?,?,?,?,?,?,?,?)", nodes)
        db.executemany("INSERT INTO edge VALUES(?,?,?,?,?,?,?,?,?)", edges)
        db.execute("COMMIT")
        tables = {name: _digest(db, name) for name in _ORDER}
    os.replace(temporary, os.path.join(directory, bundle))
    path = os.path.join(directory, bundle)
    described = {
        "bundle": bundle, "commit": commit, "root": root, "schema": 1, "sha256": _hash_file(path),
        "size": os.path.getsize(path), "tables": tables,
    }  # fmt: skip
    text = _write(os.path.join(directory, manifest), described)
    pointer = {
        "bundle": bundle,
        "commit": commit,
        "manifest": manifest,
        "root": root,
        "sha256": sha256(text).hexdigest(),
    }
    _write(os.path.join(directory, LATEST), pointer)
    return [bundle, manifest, LATEST]


def _write(path: str, value: dict[str, Any]) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    whole.write(path, text)
    return text


def _hash_file(path: str) -> str:
    found = sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()


def _digest(db: sqlite3.Connection, table: str) -> dict[str, object]:
    """How many rows a table has, and SHA-256 over them as JSON lines in the order of the key."""
    found, count = sha256(), 0
    for row in db.execute(_ORDER[table]):
        found.update(json.dumps(row, separators=(",", ":"), default=repr).encode() + b"\n")
        count += 1
    return {"rows": count, "sha256": found.hexdigest()}


# -- reading ----------------------------------------------------------------------------------


def home(directory: str) -> str:
    """The directory of the pointer: the one given, or mirror/ in it."""
    for place in (directory, os.path.join(directory, "mirror")):
        if os.path.isfile(os.path.join(place, LATEST)):
            return place
    raise UsageError(f"there is no {LATEST} in {directory}", "git oracl snapshot export DIR")


def _tampered(why: str) -> Unverified:
    return Unverified(
        Unverified.TAMPERED, why, "do not rely on it, and have it made anew: git oracl snapshot export DIR"
    )


def _pointer(directory: str) -> dict[str, str]:
    value = _read(os.path.join(directory, LATEST))
    for field in ("bundle", "manifest"):
        if not isinstance(value.get(field), str) or not _NAME.fullmatch(value[field]):
            raise _tampered(f"{LATEST} names a {field} that is none of ours")
    return {"commit": "", "root": "", "sha256": "", **{name: str(text) for name, text in value.items()}}


def _is_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)


def _read(path: str) -> dict[str, Any]:
    if os.path.lexists(path) and not _is_file(path):  # a pipe would be waited for
        raise _tampered(f"{path} is no file")
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_LONGEST))
    except OSError as error:
        raise _tampered(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _tampered(f"{path} is no JSON object of ours")
    return value


def _open(path: str) -> sqlite3.Connection:
    """A bundle, read-only, nothing in it trusted to run, nor to end."""
    if not _is_file(path):
        raise _tampered(f"{path} is no file")
    uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?mode=ro&immutable=1"
    db = sqlite3.connect(uri, uri=True)
    with closed_on_failure(db):
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("PRAGMA query_only=ON")
        left = iter(range(1 + os.path.getsize(path) * _STEPS_A_BYTE // _STEPS))
        db.set_progress_handler(lambda: next(left, None) is None, _STEPS)
        made = {statement for (statement,) in db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")}
        if made != {statement.strip() for statement in _SCHEMA.split(";")} - {""}:  # a view may compute anything
            raise _tampered(f"{path} has other tables than ours")
    return db


def query(directory: str, text: str, limit: int) -> list[Found]:
    """Artifacts by `path:`, `prefix:`, `file:` or `filename:`; without one, a path or else a file name.

    Answers from the bundle alone, by its indexes. Raises UsageError without a bundle.
    """
    place = home(directory)
    kind, colon, rest = text.partition(":")
    directive = kind if colon and kind in ("path", "prefix", "file", "filename") else ""
    wanted = canonical_path(rest if directive else text)
    columns = "SELECT path, id, checksum, size, priority FROM node WHERE kind='artifact' AND"
    asks = {
        "path": (f"{columns} path=? LIMIT ?", (wanted, limit)),
        "prefix": (f"{columns} path>=? AND path<? ORDER BY path LIMIT ?", (wanted, wanted + "\x7f", limit)),
        "file": (f"{columns} name=? ORDER BY path LIMIT ?", (wanted, limit)),
    }
    asks["filename"] = asks["file"]
    try:
        with closing(_open(os.path.join(place, _pointer(place)["bundle"]))) as db:
            for ask in [directive] if directive else ["path", "file"]:
                rows = db.execute(*asks[ask]).fetchall()
                if rows:
                    return list(map(Found._make, rows))
    except sqlite3.DatabaseError as error:
        raise _tampered(f"the bundle cannot be read: {error}") from None
    return []


def check(directory: str) -> dict[str, Any]:
    """The manifest, once pointer, manifest, bundle and rows agree. Raises Unverified (11) naming what does not."""
    place = home(directory)
    pointer = _pointer(place)
    path = os.path.join(place, pointer["manifest"])
    manifest = _read(path)
    if _hash_file(path) != pointer.get("sha256"):
        raise _tampered(f"{pointer['manifest']} is not the one that {LATEST} names")
    if any(manifest.get(name) != pointer.get(name) for name in ("bundle", "commit", "root")):
        raise _tampered(f"{pointer['manifest']} and {LATEST} do not agree")
    bundle = os.path.join(place, pointer["bundle"])
    try:
        with closing(_open(bundle)) as db:
            _check_rows(db, manifest, pointer["bundle"])
    except sqlite3.DatabaseError as error:
        raise _tampered(f"{pointer['bundle']} is damaged: {error}") from None
    if _hash_file(bundle) != manifest.get("sha256"):
        raise _tampered(f"{pointer['bundle']} has other bytes than its manifest says")
    return manifest


def _said(text: object) -> tuple[object, ...] | None:
    """(name, checksum, size) of a canonical row; None when it is none."""
    try:
        row = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return (row.get("name"), row.get("checksum", ""), row.get("size", 0)) if isinstance(row, dict) else None


def _check_rows(db: sqlite3.Connection, manifest: dict[str, Any], bundle: str) -> None:
    """Every node against its own canonical row, the rows against the root, the tables against the manifest."""
    leaves = []
    for path, checksum, size, text in db.execute("SELECT path, checksum, size, row FROM node ORDER BY path"):
        if _said(text) != (path, checksum, size):
            raise _tampered(f"{bundle}, node {path}: its columns differ from its signed row")
        leaves.append((digest.row_key(str(path)), digest.leaf(text.encode())))
    if (digest.subtree(sorted(leaves), 0) or digest.EMPTY).hex() != manifest.get("root"):
        raise _tampered(f"{bundle}: its rows do not lead to the root {manifest.get('root')}")
    told = manifest.get("tables")
    for table in _ORDER:
        if not isinstance(told, dict) or _digest(db, table) != told.get(table):
            raise _tampered(f"{bundle}: table {table} has other rows than its manifest says")


def rows(directory: str, table: str) -> Iterator[Row]:
    """The rows of a bundle's table, in the order of its key."""
    place = home(directory)
    try:
        with closing(_open(os.path.join(place, _pointer(place)["bundle"]))) as db:
            yield from db.execute(_ORDER[table])
    except sqlite3.DatabaseError as error:
        raise _tampered(f"the bundle cannot be read: {error}") from None
