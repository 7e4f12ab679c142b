"""The store as one JSON document, and back: whole, checked, and the same bytes each time.

Knows that a document may come from anybody: names of tables and columns are those
of the schema or it is refused, every value is bound, and one fault undoes all.
"""

from __future__ import annotations

import base64
import json
import os
from typing import Any

from ..errors import StoreUnusable, UsageError
from . import schema, store, text_index
from .project import write_whole
from .store import Connection

FORMAT = "oracl-ontology-export-1"
_MAX_BYTES = 2 << 30
_BLOBS = frozenset(("vector", "sketch"))
_Container = type[dict[str, Any]] | type[list[Any]]
# Columns that hold JSON: of which kind, and of which kind what is in it.
_JSON: dict[str, tuple[_Container, type]] = {
    "payload": (dict, str), "metadata": (dict, str), "tags": (list, str), "warnings": (list, str),
    "source_refs": (list, dict),
}  # fmt: skip
# What differs between two clones of the same commit, and means nothing in another place.
_HERE_ONLY = frozenset(("tree", "adapters", "table", "scoped", "proposals"))


def export(db: Connection, path: str) -> int:
    """Write everything but the full-text index, which is made anew from it; how many rows."""
    tables: dict[str, Any] = {}
    count = 0
    db.execute("BEGIN")  # one state of the store, whoever writes meanwhile
    try:
        for table in schema.EXPORTED:
            columns = _columns(db, table)
            rows = [
                [_out(value, column) for column, value in zip(columns, row, strict=True)]
                for row in db.execute(
                    f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(_order(db, table))}"
                )
                if not (table == "meta" and row[0] in _HERE_ONLY)
            ]
            tables[table] = {"columns": columns, "rows": rows}
            count += len(rows)
    finally:
        db.execute("COMMIT")
    data = {"format": FORMAT, "version": schema.VERSION, "tables": tables}
    text = json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":")) + "\n"
    write_whole(path, text.encode(), 0o600)
    return count


def _out(value: object, column: str) -> object:
    return base64.b64encode(value).decode() if isinstance(value, bytes) and column in _BLOBS else value


def _columns(db: Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def _order(db: Connection, table: str) -> list[str]:
    keys = sorted((row[5], row[1]) for row in db.execute(f"PRAGMA table_info({table})") if row[5])
    return [name for _, name in keys]


def load(db: Connection, path: str, *, replace: bool = False) -> int:
    """Read an export into an empty store, or in place of what is there; how many rows. All of it or nothing."""
    data = _read(path)
    tables = data.get("tables") if isinstance(data, dict) else None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(tables, dict):
        raise UsageError(f"{path} is not an export of an ontology", "git oracl ontology storage export FILE writes one")
    if data.get("version") not in schema.IMPORTED:
        known = " and ".join(map(str, schema.IMPORTED))
        raise UsageError(
            f"{path} is of format {data.get('version')!r}, this one knows {known}", "export it anew with this version"
        )
    if unknown := sorted(set(tables) ^ set(schema.EXPORTED)):
        raise UsageError(f"{path} has other tables than an export: {str(unknown[0])[:60]}", "export it anew")
    count = 0
    try:
        with store.transaction(db):
            db.execute("PRAGMA defer_foreign_keys=ON")
            held = db.execute(
                "SELECT (SELECT count(*) FROM sources) + (SELECT count(*) FROM memory_candidates)"
            ).fetchone()[0]
            if held and not replace:
                raise UsageError(
                    f"the store already holds {held} sources and tickets", "add --replace to put this in their place"
                )
            for table in reversed(schema.EXPORTED):
                db.execute(f"DELETE FROM {table}")
            remade = schema.REMADE if data["version"] < 5 else ()
            for table in schema.EXPORTED:
                count += _fill(db, table, tables[table], path) if table not in remade else 0
            text_index.rebuild(db)
            if broken := list(db.execute("PRAGMA foreign_key_check")):
                raise UsageError(f"{path} names rows that it does not hold ({broken[0][0]})", "export it anew")
            for key in _HERE_ONLY:
                db.execute("DELETE FROM meta WHERE key=?", (key,))
            if wrong := store.check(db):
                raise UsageError(f"{path} does not hold together: {wrong[0]}", "export it anew")
    except (store.DatabaseError, OverflowError, UnicodeEncodeError) as error:
        raise UsageError(f"{path} does not fit the tables: {error}", "export it anew") from None
    return count


def _fill(db: Connection, table: str, part: object, path: str) -> int:
    columns = part.get("columns") if isinstance(part, dict) else None
    if (
        not isinstance(part, dict)
        or set(part) != {"columns", "rows"}
        or not isinstance(columns, list)
        or not all(isinstance(name, str) for name in columns)
        or sorted(columns) != sorted(_columns(db, table))
    ):
        raise UsageError(f"{path}: table {table} has other columns than this version", "export it anew")
    rows = part["rows"]
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        raise UsageError(f"{path}: table {table} has rows of another shape", "export it anew")
    statement = f"INSERT INTO {table}({', '.join(columns)}) VALUES({', '.join('?' * len(columns))})"
    db.executemany(
        statement, ([_in(value, column, table) for column, value in zip(columns, row, strict=True)] for row in rows)
    )
    return len(rows)


def _in(value: object, column: str, table: str) -> object:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
        raise UsageError(f"{table}.{column} holds a value that no column takes", "export it anew")
    if column in _BLOBS and value is not None:
        try:
            return base64.b64decode(str(value), validate=True)
        except ValueError:
            raise UsageError(f"{table}.{column} is not base64", "export it anew") from None
    if column in _JSON and not _is_json(value, *_JSON[column]):
        raise UsageError(f"{table}.{column} holds other JSON than is read", "export it anew")
    return value


def _is_json(value: object, kind: _Container, inner: type) -> bool:
    """Whether a text is a JSON array or object that holds only such (of an object: such names)."""
    try:
        found: Any = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, kind) and all(isinstance(each, inner) for each in found)


def _read(path: str) -> Any:
    try:
        if os.path.getsize(path) > _MAX_BYTES:
            raise UsageError(f"{path} is larger than {_MAX_BYTES >> 30} GiB",
                             "git oracl ontology init --restore brings back a backup of any size")  # fmt: skip
        with open(path, "rb") as file:
            return json.load(file)
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be read: {error.strerror}", "name another file") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {str(error)[:100]}", "export it anew") from None
