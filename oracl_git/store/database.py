"""Opening the SQLite files, and statements of many values.

Knows places, pragmas, and what a damaged or foreign file looks like. Knows nothing of
what the rows mean: their tables are in `schema`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from itertools import chain
from typing import Any

from ..errors import IndexUnusable, OraclError, shortage
from ..git import Repository
from ..inherited import require_memory, too_many_files
from .schema import SCHEMAS, VERSIONS
from .taking import JOURNALS, Guarded, alone, remove, taken_back, together

Connection = sqlite3.Connection
DatabaseError = sqlite3.DatabaseError
BUSY_SECONDS = 60
_ROWS = 2_000  # that wait to be written
_VALUES = 300  # that one statement binds
_AMONG = (1, 4, 16, 64, 256, 512)  # values that one question binds
_ATTEMPTS = 500  # a hundredth of a second apart
_CACHE_KIB = 131_072  # pages a large transaction may keep before it spills them
_DAMAGE = (
    "not a database", "malformed", "no such table", "no such column", "could not decode", "vtable constructor failed",
    "fts5",
)  # fmt: skip
OLDER, DAMAGED = "was made by an older version", "was damaged"
_OLDER = "file is not a database of this version"
_SHADOW = "CREATE TABLE '"  # as full text makes its own, which each version of SQLite words in its own way
_COPY_KIB = 49_152  # of a private copy: what is more lies in a file that has no name


class Spoilt(FileNotFoundError):
    """There is a file, but none that can be asked: what is the matter with it (OLDER, DAMAGED)."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the index {why}")
        self.why = why


def spoilt(error: sqlite3.DatabaseError) -> Spoilt:
    """Why a file is of no use that `is_damage` was said of."""
    return Spoilt(OLDER if _OLDER in str(error) else DAMAGED)


def place(repo: Repository, name: str, home: str = "") -> str:
    """Where a database lives: the index beside the worktree's HEAD, the others in the common dir.

    With `home`, all of them lie there: a graph made from nothing, that no cache takes part in.
    """
    home = home or os.path.join(repo.git_dir if name == "index" else repo.common_dir, "oracl")
    return os.path.join(home, f"{name}.sqlite")


def places(repo: Repository, home: str = "") -> list[str]:
    """Where all that an update makes lies."""
    return [place(repo, name, home) for name in ("index", "facts", "history")]


def connect(path: str, name: str, write: bool, wait: float | None = None) -> Guarded:
    """Open one of the databases; create it when writing and it is not there.

    Raises IndexUnusable for a file of a newer version, and for a place that
    cannot be written; a file that is no database is replaced (it is derived).
    """
    wait = BUSY_SECONDS if wait is None else wait
    try:
        with together(path, make=write):
            return _opened(path, name, write, wait)
    except OSError as error:
        if not write:
            raise
        hint = "git oracl deinit" if isinstance(error, FileExistsError) else "check who owns it"
        raise IndexUnusable(f"cannot write {os.path.dirname(path)}: {error.strerror}", hint) from None
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise unusable(error, path) from None
        if not write:
            raise spoilt(error) from None
        return _replaced(path, name, wait)


@contextmanager
def writing(repo: Repository, *names: str, home: str = "", wait: float | None = None) -> Iterator[list[Guarded]]:
    """Databases to be written, opened in order, and closed whatever happens; `wait` is for the first of them."""
    with ExitStack() as stack:
        found: list[Guarded] = []
        for name in names:
            db = connect(place(repo, name, home), name, write=True, wait=None if found else wait)
            found.append(stack.enter_context(closing(db)))
        yield found


def _opened(path: str, name: str, write: bool, wait: float) -> Guarded:
    """What can be opened as it is. The caller holds the directory."""
    if not write and not os.path.isfile(path):
        raise FileNotFoundError(path)
    for part in (path, *(path + suffix for suffix in JOURNALS)):
        if os.path.lexists(part) and not os.path.isfile(part):  # derived, like a file that is no database
            raise sqlite3.DatabaseError("file is not a database")
    try:
        return _open(path, name, write, wait)
    except sqlite3.DatabaseError as error:
        if taken_back(error, _uri(path)):
            return _open(path, name, write, wait)
        if not write and "disk I/O" in str(error) and not _journal(path):  # no room for what readers share
            with suppress(sqlite3.DatabaseError):
                return _open(path, name, write, 0, immutable=True)
        raise


def _replaced(path: str, name: str, wait: float) -> Guarded:
    """A new file where none of use was, unless another process has just made one."""
    with alone(path, make=True):
        try:
            return _opened(path, name, write=True, wait=wait)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise unusable(error, path) from None
            why = spoilt(error).why
        remove(path)
        db = _open(path, name, write=True, wait=wait)
        db.replaced = why
        return db


def _uri(path: str) -> str:
    return "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _journal(path: str) -> int:
    """How many bytes wait to be laid into the file."""
    try:
        return os.path.getsize(path + "-wal")
    except OSError:
        return 0


def _open(path: str, name: str, write: bool, wait: float, immutable: bool = False) -> Guarded:
    """`immutable`: nobody writes, so nothing need be made beside the file."""
    uri = _uri(path)
    if write:
        mode = ""
    else:
        immutable = immutable or not (os.access(os.path.dirname(path), os.W_OK) or os.path.exists(path + "-wal"))
        mode = "?immutable=1" if immutable else "?mode=ro"
    db = sqlite3.connect(uri + mode, uri=True, timeout=wait, isolation_level=None, factory=Guarded)
    db.place = path
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSIONS[name]:
            raise IndexUnusable(
                f"{path} was written by a newer oracl-git (format {version}, this one knows {VERSIONS[name]})",
                "upgrade oracl-git, or start over with: git oracl deinit && git oracl init",
            )
        if 0 < version < VERSIONS[name]:
            raise sqlite3.DatabaseError(_OLDER)
        if version == 0:
            if not write:
                raise FileNotFoundError(path)
            _create(db, name)
        for (made,) in db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL"):
            if made not in SCHEMAS[name] and not made.startswith(_SHADOW):  # a view or a trigger may have no end
                raise sqlite3.DatabaseError("file is not a database of ours")
        if write:
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
            # Nothing here is more secret than git's own objects: Debian's SQLite would overwrite what is freed.
            db.execute("PRAGMA secure_delete=OFF")
        return db
    except BaseException:
        db.drop()
        raise


@contextmanager
def closed_on_failure(db: sqlite3.Connection) -> Iterator[None]:
    """While a connection is made ready for who will close it."""
    try:
        yield
    except BaseException:
        db.close()
        raise


def connect_copy(source: sqlite3.Connection) -> sqlite3.Connection:
    """A private copy of a database, in memory as far as there is room; gone when it is closed.

    The thread that makes it need not be the one that asks it.
    """
    db = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    with closed_on_failure(db):
        db.execute("PRAGMA page_size=8192")
        db.execute(f"PRAGMA cache_size=-{_COPY_KIB}")
        db.execute("PRAGMA secure_delete=OFF")
        source.backup(db)
        db.execute("PRAGMA journal_mode=MEMORY")
    return db


def connect_memory(name: str) -> sqlite3.Connection:
    """One of the databases, empty and in memory."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    for statement in _statements(SCHEMAS[name]):
        db.execute(statement)
    return db


class Scratch(sqlite3.Connection):
    """A connection to memory that closes itself when nothing holds it any more, in whatever thread that is seen."""

    def __del__(self) -> None:
        self.close()


def connect_scratch() -> sqlite3.Connection:
    """A database in memory that stems words as full text does: word(x) → stem(term, doc).

    Whoever keeps it need not close it: a thread is not told when it ends.
    """
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, factory=Scratch)
    db.execute("CREATE VIRTUAL TABLE word USING fts5(x, content='', tokenize='porter unicode61 remove_diacritics 2')")
    db.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(word, instance)")
    return db


def _create(db: sqlite3.Connection, name: str) -> None:
    db.execute("PRAGMA page_size=8192")
    for attempt in range(_ATTEMPTS):  # this one statement does not wait for another that makes the same file
        try:
            db.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or attempt == _ATTEMPTS - 1:
                raise
            time.sleep(0.01)
    with transaction(db):
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise sqlite3.DatabaseError("file is not a database of ours")
            for statement in _statements(SCHEMAS[name]):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={VERSIONS[name]}")


def renew(db: sqlite3.Connection, name: str) -> None:
    """Make all tables of a database anew, empty. The caller holds the transaction."""
    tables = db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC")
    for (table,) in tables.fetchall():
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _statements(SCHEMAS[name]):
        db.execute(statement)


@contextmanager
def bulk(db: sqlite3.Connection, *tables: str) -> Iterator[None]:
    """While empty tables are filled: without their triggers, and with their indexes made afterwards, which is
    a sort instead of a search for each row. The caller holds the transaction."""
    marks = ",".join("?" * len(tables))
    made = db.execute(
        f"SELECT type, name, sql FROM sqlite_master WHERE tbl_name IN ({marks}) AND type IN ('index', 'trigger')"
        " AND sql IS NOT NULL ORDER BY rowid",
        tables,
    ).fetchall()
    for kind, name, _ in made:
        db.execute(f"DROP {kind} {name}")
    yield
    for _, _, statement in made:
        db.execute(statement)


def _statements(script: str) -> Iterator[str]:
    for statement in script.split(";\n"):
        if statement.strip():
            yield statement


def unusable(error: sqlite3.DatabaseError, path: str = ".git/oracl") -> OraclError:
    """What SQLite refused, as a sentence and a next step."""
    if short := shortage(error):
        return short
    text = str(error)
    if "locked" in text or "busy" in text:
        return IndexUnusable("another update holds the index", "wait for it, or see: git oracl status")
    if "disk I/O" in text:
        return IndexUnusable("the disk fails, or is full; the index is untouched", "free some space, then ask again")
    if "full" in text:
        return IndexUnusable(
            "the disk is full; the previous index is untouched", "free some space, then: git oracl update"
        )
    if "unable to open" in text and (short := too_many_files()):
        return short
    if "readonly" in text or "unable to open" in text or "read-only" in text:
        return IndexUnusable(f"{path} cannot be written", "check who owns it, then: git oracl update")
    return IndexUnusable(f"the index cannot be used: {text}", "git oracl update --full")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE … COMMIT; any exception rolls back."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def among(db: sqlite3.Connection, find: str, values: Sequence[object], rest: str = "") -> Iterator[tuple[Any, ...]]:
    """Rows of a query that ends in "… IN", for any number of values, in no order; `rest` may follow.

    To prepare a statement costs as much as to find a hundred rows: the last value
    stands there as often as it takes for one of a few lengths, which SQLite knows.
    """
    parts = (values[start : start + _AMONG[-1]] for start in range(0, len(values), _AMONG[-1]))
    return chain.from_iterable(_among(db, find, part, rest) for part in parts)


def _among(db: sqlite3.Connection, find: str, part: Sequence[object], rest: str) -> sqlite3.Cursor:
    size = next(size for size in _AMONG if size >= len(part))
    return db.execute(f"{find} ({','.join('?' * size)}){rest}", (*part, *[part[-1]] * (size - len(part))))


def numbers(db: sqlite3.Connection, find: str, *values: object) -> list[int]:
    """The one column of a query whose `group_concat` it is: as one text they cost half of what a row for each does."""
    (text,) = db.execute(find, values).fetchone()
    found: list[int] = json.loads(f"[{text or ''}]")
    return found


def insert(db: sqlite3.Connection, into: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Write rows, many a statement, which costs more than a row: `into` is one as far as VALUES.

    Not while full text of the same transaction waits in memory: a statement of many rows sets a
    savepoint, and for that it is written out.
    """
    if rows:
        width = len(rows[0])
        row = f"({','.join('?' * width)})"
        count = max(1, _VALUES // width)
        whole = len(rows) - len(rows) % count
        groups = (tuple(chain.from_iterable(rows[start : start + count])) for start in range(0, whole, count))
        db.executemany(f"{into} VALUES{','.join([row] * count)}", groups)
        db.executemany(f"{into} VALUES{row}", rows[whole:])


class Rows:
    """Rows that wait to be written many at a time: a call for each costs more than the row."""

    def __init__(self, db: sqlite3.Connection, statement: str) -> None:
        self._db, self._statement = db, statement
        self._rows: list[tuple[object, ...]] = []

    def add(self, *row: object) -> None:
        """One more."""
        self._rows.append(row)
        if len(self._rows) >= _ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        self._db.executemany(self._statement, self._rows)
        self._rows.clear()


def beside(db: sqlite3.Connection, name: str) -> str:
    """Where a file lies that goes with a database; "" for one that has no file itself."""
    return f"{db.place}-{name}" if isinstance(db, Guarded) else ""  # as it was written: SQLite knows it as UTF-8


def start_over(paths: Sequence[str], sure: bool) -> bool:
    """Take databases away after a failure that `is_damage`; whether that was done.

    Unless one is `sure`, they stay where all are sound: another process met the same damage, and was faster.
    """
    with ExitStack() as stack:
        directories = sorted({os.path.dirname(path) for path in paths})
        there = {each for each in directories if stack.enter_context(alone(os.path.join(each, "")))}
        if not sure and all(map(_is_sound, paths)):
            return False
        for path in paths:
            if os.path.dirname(path) in there:
                remove(path)
        return True


def is_damage(error: Exception, *files: str | sqlite3.Connection) -> bool:
    """Whether SQLite says that a file itself is broken, or not ours; or, of any other failure, whether one of them is.

    What is read from a broken page may be anything, and fail anywhere. Where a path stands for
    what was read, another process may have put a sound file there since: name what is open, too.
    Raises Shortage where there is too little memory to tell: a page that found none looks broken.
    """
    told = isinstance(error, sqlite3.DatabaseError) and any(word in str(error).lower() for word in _DAMAGE)
    if not told and isinstance(error, (OraclError, sqlite3.OperationalError, OSError)):
        return False
    require_memory()
    return told or not all(map(_stands, files))


def _stands(file: str | sqlite3.Connection) -> bool:
    with together(file) if isinstance(file, str) else nullcontext():
        return _is_sound(file)


def _is_sound(file: str | sqlite3.Connection) -> bool:
    try:
        if isinstance(file, sqlite3.Connection):
            return _checked(file)
        with closing(sqlite3.connect(f"{_uri(file)}?mode=ro", uri=True)) as db:
            return _checked(db)
    except UnicodeDecodeError:  # so does a message
        return False
    except sqlite3.DatabaseError as error:
        return isinstance(error, sqlite3.OperationalError)  # it is not there, or held


def _checked(db: sqlite3.Connection) -> bool:
    before, db.text_factory = db.text_factory, bytes  # it quotes what it found
    try:
        return bool(db.execute("PRAGMA integrity_check(1)").fetchone() == (b"ok",))
    finally:
        db.text_factory = before
