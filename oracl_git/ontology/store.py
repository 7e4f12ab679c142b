"""The ontology's SQLite file: opening, migrating, checking, backing up.

The only module here that imports sqlite3. Knows places on disk, pragmas, and what
a damaged, foreign or newer file looks like. Knows nothing of what rows mean.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from ..errors import OraclError, StoreUnusable, shortage
from ..inherited import require_memory, too_many_files
from ..store.database import transaction as transaction
from ..store.taking import Guarded, alone, taken_back, together
from . import schema
from .clock import now

Connection = sqlite3.Connection
DatabaseError = sqlite3.DatabaseError
IntegrityError = sqlite3.IntegrityError
BUSY_SECONDS = 60.0
_JOURNALS = ("-wal", "-shm", "-journal")
_CACHE_KIB = 32_768


def connect(path: str, *, write: bool = False) -> Connection:
    """Open a store; make it when writing and there is none. A reader changes nothing on disk.

    Raises FileNotFoundError when there is nothing to read, StoreUnusable for a
    file that is damaged, foreign, newer, or that cannot be written.
    """
    if os.path.islink(path):
        raise StoreUnusable(f"{path} is a symlink, and a store is never followed elsewhere", f"rm {path}")
    if write:
        _make_private(path)
    elif not os.path.isfile(path):
        raise FileNotFoundError(path)
    try:
        with together(path):
            try:
                return _open(path, write)
            except sqlite3.DatabaseError as error:
                if not taken_back(error, _uri(path)):
                    raise
                return _open(path, write)
    except sqlite3.DatabaseError as error:
        raise unusable(error, path) from error


def _make_private(path: str) -> None:
    """An empty file that only its owner can read, if there is none."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be written: {error.strerror}", "check who owns it") from None


def _uri(path: str) -> str:
    return "file:" + os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _open(path: str, write: bool) -> Connection:
    mode = "?mode=rw" if write else "?mode=ro"
    if (
        not write
        and not os.path.exists(path + "-wal")
        and not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK)
    ):
        mode = "?immutable=1"
    db = sqlite3.connect(_uri(path) + mode, uri=True, timeout=BUSY_SECONDS, isolation_level=None, factory=Guarded)
    db.place = path
    try:
        # A file somebody else made must not run anything but what the schema here says.
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("PRAGMA foreign_keys=ON")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > schema.VERSION:
            raise StoreUnusable(
                f"{path} was written by a newer oracl-git (format {version}, this one knows {schema.VERSION})",
                "upgrade oracl-git",
            )
        if write:
            db.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("PRAGMA secure_delete=ON")  # what is forgotten is not to lie about in free pages
            if version < schema.VERSION:
                _migrate(db)
        elif version < schema.VERSION:
            if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise FileNotFoundError(path)
            raise StoreUnusable(f"{path} is of format {version}", "git oracl ontology storage check --migrate")
        _recognise(db, path)
        if write:
            _journal(db)
        return db
    except BaseException:
        db.drop()
        raise


def _journal(db: Connection) -> None:
    """Readers never wait for a writer; a backup is kept without, and gets it back when it is restored."""
    if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _patiently(db, "PRAGMA journal_mode=WAL")


def _migrate(db: Connection) -> None:
    """Apply what is missing, each migration in a transaction of its own."""
    for version, name, script in schema.MIGRATIONS:
        with transaction(db):
            current = db.execute("PRAGMA user_version").fetchone()[0]
            if current >= version:
                continue  # another process was faster
            if not current:
                if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise sqlite3.DatabaseError("file is not a database of ours")
                db.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
                db.execute(
                    "CREATE TABLE schema_migrations(version INTEGER PRIMARY KEY, name TEXT NOT NULL,"
                    " applied_at TEXT NOT NULL) STRICT"
                )
            for statement in _statements(script):
                db.execute(statement)
            db.execute("INSERT INTO schema_migrations VALUES(?,?,?)", (version, name, now()))
            db.execute(f"PRAGMA user_version={version}")


def _patiently(db: Connection, statement: str) -> None:
    """A statement that does not wait for another process by itself."""
    from time import sleep

    for attempt in range(500):
        try:
            db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or attempt == 499:
                raise
            sleep(0.01)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


_expected: list[frozenset[str]] = []


def _recognise(db: Connection, path: str) -> None:
    """Refuse a file whose tables, views or triggers are not exactly those of the migrations."""
    if not _expected:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
            _migrate(model)
            _expected.append(_shape(model))
    if db.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID or _shape(db) != _expected[0]:
        raise StoreUnusable(
            f"{path} is not a store of ours: its tables differ", f"move it away: mv {path} {path}.other"
        )


def _shape(db: Connection) -> frozenset[str]:
    # The full-text index keeps tables of its own, which each version of SQLite words in its own way.
    rows = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND NOT (type='table' AND name LIKE"
        " 'chunk\\_fts\\_%' ESCAPE '\\')"
    )
    return frozenset(f"{name} {sql}" for name, sql in rows)


def unusable(error: sqlite3.DatabaseError, path: str) -> OraclError:
    """What SQLite refused, as a sentence and a next step."""
    if short := shortage(error):
        return short
    text = str(error)
    if "locked" in text or "busy" in text:
        return StoreUnusable("another process holds the ontology's store", "wait for it, then try again")
    if "full" in text or "disk I/O" in text:
        return StoreUnusable("the disk is full; the store is as it was", "free some space, then try again")
    if "unable to open" in text and (short := too_many_files()):
        return short
    if "readonly" in text or "unable to open" in text:
        return StoreUnusable(f"{path} cannot be opened: {text}", "check who owns it")
    return StoreUnusable(f"{path} cannot be used: {text}", "git oracl ontology init --restore")


# -- care --------------------------------------------------------------------------------------


def backup(source: str, target: str) -> int:
    """Copy a store whole, also while others write it; how many bytes. The target appears complete or not at all."""
    if os.path.islink(target) or os.path.isdir(target):
        raise StoreUnusable(f"{target} is not a file to write a backup to", "name another place")
    temporary = f"{target}.{os.getpid()}.tmp"
    db = connect(source)
    try:
        _make_private(temporary)
        copy = sqlite3.connect(temporary, isolation_level=None)
        try:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, whole by itself
        finally:
            copy.close()
        os.replace(temporary, target)
        return os.path.getsize(target)
    except sqlite3.DatabaseError as error:
        raise unusable(error, target) from error
    except OSError as error:
        raise StoreUnusable(f"{target} cannot be written: {error.strerror}", "name another place") from None
    finally:
        db.close()
        for suffix in ("", *_JOURNALS):
            if os.path.exists(temporary + suffix):
                os.unlink(temporary + suffix)


def restore(source: str, target: str) -> None:
    """Put a backup, of this format or an older one, in the place of a store that is missing or broken."""
    temporary = f"{target}.{os.getpid()}.tmp"
    _copy(source, temporary)
    try:
        try:
            connect(temporary, write=True).close()  # brings it up to date, and refuses what is no store
        except StoreUnusable as error:
            told = str(error).replace(temporary, source)
            raise StoreUnusable(told, "git oracl ontology init --anew starts empty") from None
        with alone(target):
            for suffix in _JOURNALS:
                if os.path.exists(target + suffix):
                    os.unlink(target + suffix)
            os.replace(temporary, target)
    finally:
        for suffix in ("", *_JOURNALS):
            if os.path.exists(temporary + suffix):
                os.unlink(temporary + suffix)


def _copy(source: str, target: str) -> None:
    """A backup lies by itself, with no journal: its bytes are all of it."""
    try:
        _make_private(target)
        with open(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as old, open(target, "wb") as new:
            while block := old.read(1 << 20):
                new.write(block)
            new.flush()
            os.fsync(new.fileno())
    except OSError as error:
        raise StoreUnusable(f"{source} cannot be brought back: {error.strerror}", "look at both places") from None


def check(db: Connection) -> list[str]:
    """What is wrong with a store, in sentences; nothing when it is sound."""
    require_memory()
    wrong = [row[0] for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    wrong += [
        f"{table} row {row} points at a missing {parent}"
        for table, row, parent, _ in db.execute("PRAGMA foreign_key_check")
    ]
    durable = db.execute("SELECT count(*) FROM memory_candidates WHERE durable_write_enabled <> 0").fetchone()[0]
    if durable:
        wrong.append(f"{durable} tickets claim that they may write durable memory")
    orphans = db.execute(
        "SELECT count(*) FROM memory_links l JOIN memory_candidates a ON a.id=l.source"
        " JOIN memory_candidates b ON b.id=l.target WHERE a.agent<>b.agent OR a.scope<>b.scope"
    ).fetchone()[0]
    if orphans:
        wrong.append(f"{orphans} memory links leave their agent or their scope")
    rows, indexed = (db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("chunks", "chunk_fts_docsize"))
    if rows != indexed:
        wrong.append(f"{rows} chunks, but {indexed} in the full-text index")
    return wrong


def vacuum(path: str) -> tuple[int, int]:
    """Give unused space back; (bytes before, bytes after)."""
    before = os.path.getsize(path)
    db = connect(path, write=True)
    try:
        db.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('optimize')")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError as error:
        raise unusable(error, path) from error
    finally:
        db.close()
    return before, os.path.getsize(path)
