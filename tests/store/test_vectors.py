"""Vectors in the index: who waits, who is encoded when, what two worktrees share, what a kill leaves behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from oracl_git.embedding import asset as asset_module
from oracl_git.embedding import find, together
from oracl_git.service import Oracl
from oracl_git.store import fill

Git = Any
WORDS = "open close read write parse render retry connect cache lock token user page file block queue".split()


def module(seed: int, functions: int = 6) -> str:
    """A Python file of functions long enough to be a chunk each."""
    chance = random.Random(seed)
    lines = []
    for number in range(functions):
        lines.append(f"def {chance.choice(WORDS)}_{chance.choice(WORDS)}_{number}(value):")
        lines += [f"    {chance.choice(WORDS)} = {chance.choice(WORDS)}(value, {n})" for n in range(20)]
        lines += ["    return value", "", ""]
    return "\n".join(lines)


@pytest.fixture
def repo(git: Git) -> Any:
    made = git.init()
    made.commit("first", {f"m{n}.py": module(n) for n in range(4)})
    return made


def rows(repo: Any) -> dict[tuple[str, int], bytes | None]:
    """(path, first line) of each chunk → its vector, as the tables have it."""
    with Oracl.at(str(repo.path)) as oracl:
        found = oracl.index.db.execute(
            "SELECT n.path, c.start, v.code FROM chunk c JOIN node n ON n.id=c.node LEFT JOIN vector v ON v.chunk=c.id"
        )
        return {(os.fsdecode(path), start): code for path, start, code in found}


def sound(repo: Any) -> None:
    """Blocks, vectors, pending and chunks agree with each other, and with the texts."""
    with Oracl.at(str(repo.path)) as oracl:
        index = oracl.index
        chunks = {row[0] for row in index.db.execute("SELECT id FROM chunk")}
        codes = dict(index.db.execute("SELECT chunk, code FROM vector"))
        pending = {row[0] for row in index.db.execute("SELECT chunk FROM pending")}
        assert codes.keys() <= chunks and not codes.keys() & pending
        assert not index.db.execute("SELECT 1 FROM gone").fetchone()
        places, live, _ = index.vectors._blocks
        taken = {n: places[n] for n in range(live.bit_length()) if live >> n & 1}
        assert sorted(taken.values()) == sorted(codes)
        for dimension in (0, 100, 255):
            plane = index.vectors.plane(dimension)
            for place, chunk in taken.items():
                assert bool(plane >> place & 1) == (0 < codes[chunk][dimension] < 128)
        files: dict[int, list[bytes]] = {}
        for chunk, node in index.db.execute("SELECT id, node FROM chunk"):
            if chunk in codes:
                files.setdefault(node, []).append(codes[chunk])
        assert dict(index.db.execute("SELECT node, code FROM whole")) == {n: together(c) for n, c in files.items()}
        encoder = find().encoder(find().seen)
        for node in index.nodes({row[0] for row in index.db.execute("SELECT DISTINCT node FROM chunk")}).values():
            spans = index.chunks([node.id])[node.id]
            for span, (title, body) in zip(spans, index.texts(node), strict=True):
                assert span.id in pending or codes.get(span.id, b"") == encoder.encode(f"{title} {body}")


def meant(answer: Any) -> bool:
    """Whether any result of an answer has a reason of meaning."""
    return any(reason.signal == "meaning" for result in answer.results for reason in result.reasons)


def test_an_update_encodes_eight_and_says_how_many_wait(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        total = oracl.index.chunk_count
        assert total > 20 and oracl.status().pending == total - fill.AT_ONCE
        notes = oracl.search("connect the user").notes
        assert any(f"{total - fill.AT_ONCE} of {total} passages are not encoded yet" in note for note in notes)
        filled = oracl.fill()
        assert filled and filled.placed == filled.encoded == total - fill.AT_ONCE and filled.pending == 0
        assert oracl.status().pending == 0
        assert not any("encoded" in note for note in oracl.search("connect the user").notes)
        assert oracl.fill() == (0, 0, 0)
    sound(repo)


def test_a_small_commit_waits_for_nobody(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
    repo.commit("second", {"m1.py": module(1).replace("return value", "return None", 1)})
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        assert oracl.status().pending == 0  # the other chunks of the file are known by their text
    sound(repo)


def test_incremental_is_full(git: Git, repo: Any) -> None:
    chance = random.Random(5)
    for step in range(10):
        for name in chance.sample(["m0.py", "m1.py", "a/m2.py", "m3.py", "b/x.md"], 2):
            full = repo.path / name
            if full.exists() and chance.random() < 0.3:
                full.unlink()
            else:
                repo.write(name, module(chance.randrange(50), chance.randint(1, 5)))
        repo.commit(f"step {step}")
        with Oracl.at(str(repo.path)) as oracl:
            oracl.update()
            if chance.random() < 0.5 or step == 9:
                oracl.fill()
            root = oracl.index.header["root"]
        sound(repo)
    twin = git.clone(repo, "twin")
    with Oracl.at(str(twin.path)) as oracl:
        oracl.update()
        assert oracl.index.header["root"] == root  # vectors, there or not, are no part of it
        oracl.fill()
        assert oracl.index.header["root"] == root
    assert rows(twin) == rows(repo)


def test_worktrees_share_what_was_encoded(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
    repo("worktree", "add", "-q", "../other")
    other = type(repo)(repo.path.parent / "other")
    with Oracl.at(str(other.path)) as oracl:
        oracl.update()
        filled = oracl.fill()
        assert filled and filled.encoded == 0 and oracl.status().pending == 0
    assert rows(other) == rows(repo)


def test_a_full_rebuild_encodes_nothing_anew(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
    before = rows(repo)
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update(full=True)
        filled = oracl.fill()
        assert filled and filled.encoded == 0
    assert rows(repo) == before
    sound(repo)


def test_gaps_are_closed(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracl_git.store.vectors._GAPS", 10)
    for step in range(6):
        repo.commit(f"step {step}", {f"m{n}.py": module(100 * step + n) for n in range(4)})
        with Oracl.at(str(repo.path)) as oracl:
            oracl.update()
            oracl.fill()
            used, held = oracl.index.db.execute(
                "SELECT (SELECT sum(used) FROM block), (SELECT count(*) FROM vector)"
            ).fetchone()
            assert used - held <= max(10, held)
        sound(repo)


def test_another_table_of_words_makes_all_vectors_anew(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
        total = oracl.index.chunk_count
    before = rows(repo)
    with closing(sqlite3.connect(repo.path / ".git/oracl/index.sqlite")) as db, db:
        db.execute("UPDATE embedding SET model='older'")
    with Oracl.at(str(repo.path)) as oracl:
        assert oracl.status().pending == total
        answer = oracl.search("connect the user")
        assert any(f"{total} of {total} passages" in note for note in answer.notes)
        assert not meant(answer)
        oracl.fill()
        assert oracl.status().pending == 0
    assert rows(repo) == before


def test_killed_at_any_instant(repo: Any) -> None:
    """Twelve kills, spread over the time it takes; after each the index answers, and in the end all is encoded."""
    repo.commit("many", {f"p/m{n}.py": module(n, 12) for n in range(120)})
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        left = oracl.status().pending
    code = (
        "import sys, oracl_git.store.fill as f; from oracl_git.service import Oracl\n"
        "f._BATCH = 64; o = Oracl.at(sys.argv[1]); print('x', flush=True); o.fill()"
    )
    chance = random.Random(9)
    for _ in range(12):
        child = subprocess.Popen([sys.executable, "-c", code, str(repo.path)], stdout=subprocess.PIPE)
        assert child.stdout and child.stdout.readline() == b"x\n"
        time.sleep(chance.uniform(0, 0.25))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        with Oracl.at(str(repo.path)) as oracl:
            assert oracl.status().pending <= left
            left = oracl.status().pending
            assert oracl.search("connect the user").results
    with Oracl.at(str(repo.path)) as oracl:
        filled = oracl.fill()
        assert filled and filled.placed == left and filled.pending == 0
    sound(repo)


def test_an_update_in_between_is_no_matter(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before another update came is not written to chunks that mean something else by then."""
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
    encode = fill._encode
    done = []

    def late(*args: Any) -> Any:
        found = encode(*args)
        if not done:
            done.append(1)
            repo.commit("meanwhile", {"m0.py": module(77), "m3.py": module(3, 2), "m1.py": "x = 1\n"})
            with Oracl.at(str(repo.path)) as other:
                other.update()
        return found

    monkeypatch.setattr(fill, "_encode", late)
    with Oracl.at(str(repo.path)) as oracl:
        oracl.fill()
        oracl.fill()
        assert oracl.status().pending == 0
    sound(repo)


def test_it_stops_when_there_is_more_to_do(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fill, "_BATCH", 1)
    calls = iter([False, False, True])
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        filled = oracl.fill(stop=lambda: next(calls))
        assert filled and filled.placed > 0 and filled.pending > 0
        assert oracl.status().pending == filled.pending
    sound(repo)


def test_lost_facts_are_read_again(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
    for suffix in ("", "-wal", "-shm"):
        (repo.path / f".git/oracl/facts.sqlite{suffix}").unlink(missing_ok=True)
    with Oracl.at(str(repo.path)) as oracl:
        filled = oracl.fill()
        assert filled and filled.pending == 0 and filled.placed
        assert oracl.status().pending == 0


def test_an_index_of_the_format_before_is_made_anew(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
    for name in ("index", "facts", "history"):
        with closing(sqlite3.connect(repo.path / f".git/oracl/{name}.sqlite")) as db, db:
            db.execute("PRAGMA user_version=1")
            db.execute("DROP TABLE IF EXISTS vector")
    with Oracl.at(str(repo.path)) as oracl:
        assert oracl.search("connect").results
        assert oracl.fill() is not None
    sound(repo)


# -- without it ------------------------------------------------------------------------------


@pytest.fixture
def asset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the table that may be spoilt."""
    place = tmp_path / "asset"
    shutil.copytree(find().place, place)
    monkeypatch.setattr(asset_module, "_PLACE", str(place))
    find.cache_clear()
    yield place
    find.cache_clear()


def test_a_damaged_table_is_said_in_one_line_and_search_goes_on(repo: Any, asset: Path) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
        assert meant(oracl.search("connect the user"))
    data = bytearray((asset / "table.int8").read_bytes())
    data[12345] ^= 255
    (asset / "table.int8").write_bytes(data)
    repo.commit("second", {"new.py": module(9, 1)})
    with Oracl.at(str(repo.path)) as oracl:
        answer = oracl.search("connect the user")
        assert [note for note in answer.notes if "damaged" in note] == [
            "without meaning: the embedding is damaged: table.int8 is not the file its manifest names"
        ]
        assert answer.results and not meant(answer)
        assert oracl.status().pending > 0
        (check,) = (row for row in oracl.diagnose() if row.name == "embedding")
        assert not check.ok and "table.int8" in check.text


def test_no_manifest_at_all(repo: Any, asset: Path) -> None:
    (asset / "manifest.json").unlink()
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        answer = oracl.search("connect the user")
        assert answer.results and sum("no manifest" in note for note in answer.notes) == 1
        assert oracl.status().pending == oracl.index.chunk_count


def test_switched_off(repo: Any) -> None:
    repo("config", "oracl.embedding", "false")
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        assert oracl.fill() is None and oracl.status().pending == 0
        answer = oracl.search("connect the user")
        assert answer.results and not meant(answer) and not any("encoded" in note for note in answer.notes)
        assert not oracl.index.db.execute("SELECT count(*) FROM vector").fetchone()[0]
    repo("config", "oracl.embedding", "true")
    with Oracl.at(str(repo.path)) as oracl:
        assert oracl.fill()
        assert oracl.status().pending == 0
    sound(repo)


def test_no_socket_is_ever_opened(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise AssertionError("a socket")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
        assert meant(oracl.search("connect the user"))


# -- questions -------------------------------------------------------------------------------


def test_the_nearest_of_all(repo: Any) -> None:
    """What the sketches let through holds what a look at every vector would find."""
    repo.commit("many", {f"p/m{n}.py": module(n, 10) for n in range(60)})
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
        index = oracl.index
        encoder = find().encoder(find().seen)
        chunks = [row[0] for row in index.db.execute("SELECT chunk FROM vector")]
        for question in ("retry the connection", "parse a token", "lock the file before a write"):
            query = encoder.encode(question)
            every = dict(index.vectors.cosines(query, chunks))
            found = index.vectors.nearest(query, 200)
            assert found == sorted(found, key=lambda row: (-row[1], row[0]))
            assert all(every[chunk] == cosine for chunk, cosine in found)
            best = sorted(every, key=lambda chunk: -every[chunk])[:10]
            assert len({chunk for chunk, _ in found} & set(best)) >= 9


def test_the_same_question_the_same_bytes(git: Git, repo: Any) -> None:
    """Of one commit, however its index came about."""
    repo.commit("many", {f"p/m{n}.py": module(n, 10) for n in range(40)})
    twin = git.clone(repo, "twin")
    repo.commit("more", {"p/m1.py": module(500), "q.py": module(501)})
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
    repo("reset", "-q", "--hard", "HEAD~1")
    answers = []
    for place in (repo, twin):
        with Oracl.at(str(place.path)) as oracl:
            oracl.update()
            oracl.fill()
            found = [oracl.search(q, limit=50).results for q in ("retry the connection", "parse a token", "queue")]
            answers.append(json.dumps([[result.to_json() for result in results] for results in found]))
    assert answers[0] == answers[1]


def test_status_and_update_tell(repo: Any) -> None:
    def oracl(*args: str) -> str:
        done = subprocess.run(["git", "oracl", *args], cwd=repo.path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with Oracl.at(str(repo.path)) as opened:
        opened.update()
        pending = opened.status().pending
    assert f"pending    {pending} chunks to encode" in oracl("status")
    assert json.loads(oracl("status", "--json"))["pending"] == pending
    done = json.loads(oracl("update", "--vectors", "--json"))
    waited = pending - fill.AT_ONCE  # the update itself took some
    assert done["vectors"] == {"placed": waited, "encoded": waited, "pending": 0}
    assert "pending" not in oracl("status")


def test_vectors_of_another_table_are_not_kept(repo: Any) -> None:
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
    place = repo.path / ".git/oracl/facts.sqlite"
    with closing(sqlite3.connect(place)) as db, db:
        known = db.execute("SELECT count(*) FROM vector").fetchone()[0]
        db.execute("UPDATE embedding SET model='older'")
        db.execute("INSERT INTO vector VALUES(x'00', x'00')")
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update(full=True)
        oracl.fill()
    with closing(sqlite3.connect(place)) as db, db:
        assert db.execute("SELECT count(*) FROM vector").fetchone()[0] == known
    sound(repo)


def test_what_is_not_committed_has_meaning_too(repo: Any) -> None:
    """Laid over a copy of the index, encoded, and kept nowhere."""
    with Oracl.at(str(repo.path)) as oracl:
        oracl.update()
        oracl.fill()
    before = rows(repo)
    repo.write("new.py", "def halt(child):\n    child.terminate()\n    child.wait(timeout=3)\n    child.kill()\n")
    repo.write("m1.py", "x = 1\n")
    words = ["git", "oracl", "search", "stop a hung process", "--worktree", "--json"]
    done = subprocess.run(words, cwd=repo.path, capture_output=True, text=True)
    assert done.returncode == 0 and "encoded" not in done.stderr, done.stderr
    first = json.loads(done.stdout)["results"][0]
    assert first["path"] == "new.py" and {reason["signal"] for reason in first["reasons"]} >= {"meaning"}
    assert rows(repo) == before
