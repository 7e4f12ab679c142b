"""The store: migrations, files that are not ours, copies, exports, and imports from anybody."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracl_git.errors import OraclError, StoreUnusable, UsageError
from oracl_git.ontology import experience, memory, schema, store, transfer
from oracl_git.ontology.embedding import hash_adapter

from .conftest import World

PLAN = "Keep a rollback plan at hand for every schema migration of the ledger"


def filled(world: World) -> str:
    """A store that holds something in every table."""
    world.inbox("a.md", "# Project Helios\n\nOwner: Mina Park\n\nProject Helios depends on Project Selene. See shop/prices.py.\n\nThe pending entries list (PEL) is kept.\n")
    world.inbox("b.md", "# Project Helios\n\nOwner: Mina Park\n\nProject Helios depends on Project Selene. See shop/prices.py.\n\nThe pending entries list (PEL) is kept.\n")
    world.ingest()
    with world.runtime() as runtime:
        asked = runtime.query("what does Project Helios depend on")
        runtime.record(asked, "tester")
        with runtime.writing() as db:
            experience.ingest(db, hash_adapter(), "tester", [{"text": PLAN}, {"text": f"{PLAN} now"}])
    return str(world.path / ".agentlas/ontology-runtime.sqlite")


def test_migrations_are_applied_in_order_and_recorded(tmp_path: Path) -> None:
    path = str(tmp_path / "x.sqlite")
    db = store.connect(path, write=True)
    names = list(db.execute("SELECT version, name FROM schema_migrations ORDER BY version"))
    assert names == [(version, name) for version, name, _ in schema.MIGRATIONS]
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    assert {
        "sources", "source_lineage", "chunks", "chunk_fts", "entities", "entity_aliases", "relations", "memory_candidates",
        "memory_links", "memory_candidate_events", "working_memory", "runtime_adapters", "schema_migrations",
    } <= tables  # fmt: skip
    db.close()
    assert os.stat(path).st_mode & 0o077 == 0


@pytest.mark.parametrize("stop", range(1, len(schema.MIGRATIONS)))
def test_a_store_of_an_older_format_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    path = str(tmp_path / "x.sqlite")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:stop])
        patch.setattr(schema, "VERSION", stop)
        patch.setattr(store, "_expected", [])
        store.connect(path, write=True).close()
    with pytest.raises(StoreUnusable, match=f"format {stop}"):
        store.connect(path)
    store.connect(path, write=True).close()
    db = store.connect(path)
    assert db.execute("SELECT count(*) FROM schema_migrations").fetchone() == (len(schema.MIGRATIONS),)
    db.close()


def test_tables_without_rowid_have_their_keys_first(tmp_path: Path) -> None:
    """SQLite before 3.41 calls such a table broken where another column stands between them."""
    db = store.connect(str(tmp_path / "x.sqlite"), write=True)
    for name, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE type='table'").fetchall():
        if "WITHOUT ROWID" in sql and not name.startswith("chunk_fts"):
            order = [row[5] for row in db.execute(f"PRAGMA table_info({name})")]
            keys = sum(map(bool, order))
            assert order[:keys] == list(range(1, keys + 1)), name
    db.close()


def older(path: str, monkeypatch: pytest.MonkeyPatch, version: int = 3) -> None:
    """A store as an earlier version made it, with a ticket's event and a name in it."""
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:version])
        patch.setattr(schema, "VERSION", version)
        patch.setattr(store, "_expected", [])
        db = store.connect(path, write=True)
        db.execute("INSERT INTO entities VALUES(1, 'ent_1', 'pending entries list', 'term', 'pending entries list')")
        db.execute("INSERT INTO entity_aliases(entity, alias, norm) VALUES(1, 'PEL', 'pel')")
        memory.propose(db, "fact", "it holds", reason="seen")
        transfer.export(db, path + ".json")
        db.close()


def test_rows_of_an_older_store_are_kept_and_its_export_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "old.sqlite")
    older(path, monkeypatch)
    fresh = store.connect(str(tmp_path / "new.sqlite"), write=True)
    transfer.load(fresh, path + ".json")
    upgraded = store.connect(path, write=True)
    for db in (fresh, upgraded):
        assert db.execute("SELECT text FROM memory_candidates").fetchall() == [("it holds",)]
        assert db.execute("SELECT event, reason FROM memory_candidate_events").fetchall() == [("create", "seen")]
        assert db.execute("SELECT * FROM entities").fetchall() == []  # no passage said so
        assert store.check(db) == []
        db.close()


def test_an_older_backup_can_be_restored_and_a_damaged_one_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(world)
    with world.runtime() as runtime:
        place = runtime.backup_place
    for each in (path, path + "-wal", path + "-shm", place):
        Path(each).unlink(missing_ok=True)
    older(place, monkeypatch)
    world.run("ontology", "init", "--restore")
    assert world.run("ontology", "storage", "check") == "The store is sound.\n"
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()
    Path(path).unlink()
    Path(place).write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    world.run("ontology", "init", "--restore", code=128)
    assert ".tmp" not in world.err and not Path(path).exists()


def test_a_newer_store_is_left_alone(world: World) -> None:
    path = filled(world)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.close()
    before = Path(path).read_bytes()
    world.run("ontology", "query", "helios", code=128)
    assert "newer" in world.err
    world.run("ontology", "ingest", code=128)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_store_is_told(world: World, content: bytes) -> None:
    path = world.path / ".agentlas/ontology-runtime.sqlite"
    path.write_bytes(content)
    world.run("ontology", "query", "x", code=128)
    assert "hint" in world.err


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER t AFTER INSERT ON sources BEGIN DELETE FROM chunks; END",
        "CREATE VIEW v AS SELECT load_extension('x')",
        "DROP TRIGGER memory_links_curated",
        "CREATE TABLE more(x)",
    ],
)
def test_a_store_with_other_tables_triggers_or_views_is_refused(world: World, sql: str) -> None:
    path = filled(world)
    db = sqlite3.connect(path)
    db.execute(sql)
    db.close()
    world.run("ontology", "query", "helios", code=128)
    assert "not a store of ours" in world.err


def test_a_backup_is_whole_while_others_write_and_can_be_restored(world: World, tmp_path: Path) -> None:
    path = filled(world)
    writer = subprocess.Popen([sys.executable, "-c", f"""
import sqlite3, time
db = sqlite3.connect({path!r}, timeout=30, isolation_level=None)
end = time.time() + 2
n = 0
while time.time() < end:
    n += 1
    db.execute("INSERT OR REPLACE INTO meta VALUES('k' || ?, 'v')", (n % 50,))
"""])  # fmt: skip
    for number in range(4):
        world.run("ontology", "storage", "backup", str(tmp_path / f"{number}.sqlite"))
        db = store.connect(str(tmp_path / f"{number}.sqlite"))
        assert store.check(db) == []
        db.close()
    writer.wait()
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_git_clean_does_not_lose_the_store(world: World) -> None:
    world.commit({"docs/a.md": "the lantern festival\n"})
    world.register("docs")
    filled(world)
    assert world.uris("lantern")
    world.git("clean", "-q", "-fdx")
    assert not (world.path / ".agentlas/ontology-runtime.sqlite").exists()
    out = world.run("ontology", "init", code=1)
    assert "--restore" in out + world.err
    world.run("ontology", "init", "--restore")
    assert "2 documents of the inbox lie there no more" in world.err
    assert world.uris("lantern") == ["docs/a.md"]
    world.ingest()  # the register, which nobody had committed, is back as well
    assert world.uris("lantern") == ["docs/a.md"]
    assert "Keep a rollback plan" in world.run("ontology", "experience", "list", "--agent", "tester")


def test_export_import_export_is_byte_identical(world: World, tmp_path: Path) -> None:
    filled(world)
    world.run("ontology", "storage", "export", str(tmp_path / "one.json"))
    world.run("ontology", "--db", str(tmp_path / "copy.sqlite"), "storage", "import", str(tmp_path / "one.json"))
    world.run("ontology", "--db", str(tmp_path / "copy.sqlite"), "storage", "export", str(tmp_path / "two.json"))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    out = world.run("ontology", "--db", str(tmp_path / "copy.sqlite"), "query", "--no-code", "Project Helios")
    assert "a.md" in out
    assert world.run("ontology", "--db", str(tmp_path / "copy.sqlite"), "storage", "check") == "The store is sound.\n"
    data = json.loads((tmp_path / "one.json").read_text())
    for table in ("chunks", "entities", "entity_aliases", "relations", "memory_candidates", "memory_links", "working_memory", "source_lineage"):
        assert data["tables"][table]["rows"], table
    world.run("ontology", "--db", str(tmp_path / "copy.sqlite"), "storage", "import", str(tmp_path / "one.json"), code=2)
    assert "--replace" in world.err
    world.run("ontology", "--db", str(tmp_path / "copy.sqlite"), "storage", "import", "--replace", str(tmp_path / "one.json"))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("exported")
    db = store.connect(str(path / "x.sqlite"), write=True)
    experience.ingest(db, hash_adapter(), "a", [{"text": PLAN}, {"text": f"{PLAN} now"}])
    transfer.export(db, str(path / "x.json"))
    db.close()
    data: dict[str, Any] = json.loads((path / "x.json").read_text())
    return data


def imported(tmp_path: Path, data: object) -> sqlite3.Connection:
    """A fresh store with something in it, after an import of whatever was given."""
    path = tmp_path / "target.sqlite"
    path.unlink(missing_ok=True)
    source = tmp_path / "in.json"
    source.write_text(json.dumps(data) if not isinstance(data, str) else data)
    db = store.connect(str(path), write=True)
    experience.ingest(db, hash_adapter(), "keeper", [{"text": "what was here before"}])
    try:
        with pytest.raises(OraclError):
            transfer.load(db, str(source), replace=True)
    except BaseException:
        db.close()
        raise
    return db


def untouched(db: sqlite3.Connection) -> bool:
    rows = db.execute("SELECT agent, durable_write_enabled FROM memory_candidates").fetchall()
    sound = store.check(db) == []
    db.close()
    return rows == [("keeper", 0)] and sound


def test_an_export_makes_its_directory_and_says_where_it_cannot(world: World, tmp_path: Path) -> None:
    filled(world)
    world.run("ontology", "storage", "export", str(tmp_path / "new/place/export.json"))
    assert (tmp_path / "new/place/export.json").stat().st_mode & 0o077 == 0
    world.run("ontology", "storage", "export", str(tmp_path / "new/place/export.json/below"), code=128)
    assert "cannot be written" in world.err


def test_an_import_cannot_enable_durable_writes(tmp_path: Path, exported: dict[str, Any]) -> None:
    data = json.loads(json.dumps(exported))
    place = data["tables"]["memory_candidates"]["columns"].index("durable_write_enabled")
    data["tables"]["memory_candidates"]["rows"][0][place] = 1
    assert untouched(imported(tmp_path, data))


def test_an_import_cannot_link_across_agents(tmp_path: Path, exported: dict[str, Any]) -> None:
    data = json.loads(json.dumps(exported))
    place = data["tables"]["memory_candidates"]["columns"].index("agent")
    data["tables"]["memory_candidates"]["rows"][0][place] = "somebody else"
    assert untouched(imported(tmp_path, data))


@pytest.mark.parametrize(
    ("column", "value"),
    [("payload", "[]"), ("payload", "{"), ("tags", "5"), ("tags", "[5]"), ("source_refs", "x"), ("source_refs", "[5]")],
)
def test_an_import_brings_no_json_that_nobody_reads(
    tmp_path: Path, exported: dict[str, Any], column: str, value: str
) -> None:
    data = json.loads(json.dumps(exported))
    table = data["tables"]["memory_candidates"]
    table["rows"][0][table["columns"].index(column)] = value
    assert untouched(imported(tmp_path, data))


HOSTILE: list[Any] = [
    "", "[]", "{}", "null", "[" * 100_000, '{"format": "oracl-ontology-export-1"}', "\x00", '{"a": NaN}',
    {"format": transfer.FORMAT, "version": schema.VERSION, "tables": {"sources; DROP TABLE sources": {"columns": [], "rows": []}}},
]  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_imports_change_nothing(tmp_path: Path, data: object) -> None:
    assert untouched(imported(tmp_path, data))


MUTATIONS = st.sampled_from([
    None, True, -1, 1e308, "x" * 100, "'; DROP TABLE chunks; --", [], {}, "\ud800", 2**70, [1], "approved",
])  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_one_change_to_an_export_is_all_or_nothing(tmp_path: Path, exported: dict[str, Any], data: st.DataObject) -> None:
    changed = json.loads(json.dumps(exported))
    table = data.draw(st.sampled_from([name for name, part in changed["tables"].items() if part["rows"]]))
    part = changed["tables"][table]
    how = data.draw(st.sampled_from(["value", "column", "row", "extra"]))
    row = data.draw(st.integers(0, len(part["rows"]) - 1))
    if how == "value":
        part["rows"][row][data.draw(st.integers(0, len(part["columns"]) - 1))] = data.draw(MUTATIONS)
    elif how == "column":
        part["columns"][data.draw(st.integers(0, len(part["columns"]) - 1))] = 'x" INTEGER); DROP TABLE chunks; --'
    elif how == "row":
        part["rows"][row] = data.draw(MUTATIONS)
    else:
        part["rows"].append(part["rows"][row])
    path = tmp_path / "target.sqlite"
    path.unlink(missing_ok=True)
    (tmp_path / "in.json").write_text(json.dumps(changed))
    db = store.connect(str(path), write=True)
    experience.ingest(db, hash_adapter(), "keeper", [{"text": "what was here before"}])
    try:
        transfer.load(db, str(tmp_path / "in.json"), replace=True)
    except UsageError:
        assert untouched(db)
    else:
        assert store.check(db) == []
        db.close()


def test_a_store_that_cannot_be_asked_is_closed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(world)
    with store.connect(path, write=True) as db:
        db.execute("UPDATE meta SET value='of other roots' WHERE key='scoped'")
        db.execute("ALTER TABLE sources RENAME COLUMN uri TO place")
    db.close()
    opened = []

    class Noted(store.Guarded):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            opened.append(self)

    monkeypatch.setattr(store, "Guarded", Noted)
    monkeypatch.setattr(store, "_recognise", lambda db, path: None)
    with world.runtime() as runtime, pytest.raises(sqlite3.OperationalError):
        runtime.query("what does Project Helios depend on")
    assert opened
    for db in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            db.execute("SELECT 1")


def test_vacuum_gives_space_back(world: World) -> None:
    path = filled(world)
    big = world.inbox("big.txt", "word number \n" * 40_000)
    world.ingest()
    big.unlink()
    world.ingest()
    before = os.path.getsize(path)
    world.run("ontology", "storage", "vacuum")
    assert os.path.getsize(path) < before / 2
    assert world.uris("Project Helios")


def test_a_query_writes_nothing_at_all(world: World) -> None:
    path = filled(world)
    place = Path(path).parent
    before = {file.name: file.read_bytes() for file in place.rglob("*") if file.is_file()}
    for words in (["query", "Project Helios", "--agent", "tester"], ["status"], ["graph", "entities"], ["experience", "query", "plan", "--agent", "tester"]):
        world.run("ontology", *words)
    after = {file.name: file.read_bytes() for file in place.rglob("*") if file.is_file() and not file.name.endswith(("-wal", "-shm"))}
    assert after == {name: data for name, data in before.items() if not name.endswith(("-wal", "-shm"))}


def test_the_database_is_private(world: World) -> None:
    path = filled(world)
    assert os.stat(path).st_mode & 0o077 == 0
    ignored = world.git("status", "--porcelain", "--ignored", "--", ".agentlas")
    assert "!! .agentlas/ontology-runtime.sqlite" in ignored and "!! .agentlas/ontology-inbox/" in ignored
    world.git("add", "-A")
    tracked = world.git("ls-files", ".agentlas").splitlines()
    assert tracked == [".agentlas/.gitignore", ".agentlas/ontology-runtime.json", ".agentlas/ontology-sources.json"]
