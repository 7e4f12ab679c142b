"""Experience: governance before anything is scored, whatever the rows and whatever the question."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracl_git.errors import DirectDurableMemoryWriteBlocked, UsageError
from oracl_git.ontology import evidence, experience, memory, store
from oracl_git.ontology.chunking import estimate
from oracl_git.ontology.conversation import parsed
from oracl_git.ontology.embedding import adapter, hash_adapter
from oracl_git.ontology.model import SCOPES, TICKET_STATUSES
from oracl_git.ontology.ranking import Row

from .conftest import World

ADAPTER = hash_adapter()
PAST, FUTURE = "2001-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
AGENTS = ["hub:writer", "hub:Writer", "hub:writer ", "writer", "hub:writer%", "hub:reader", "' OR 1=1 --"]
WORDS = "migration rollback checklist harbour pilot kettle schema release plan 환불 계약서 copper".split()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[store.Connection]:
    connection = store.connect(str(tmp_path / "experience.sqlite"), write=True)
    yield connection
    connection.close()


# Most rows are of one agent and scope and in force: else what follows from two such rows would hardly ever be tried.
agents = st.sampled_from([AGENTS[0]] * 12 + AGENTS)
memories = st.fixed_dictionaries({
    "agent": agents, "scope": st.sampled_from(["internal"] * 6 + list(SCOPES)),
    "status": st.sampled_from(["active"] * 12 + list(TICKET_STATUSES)), "expires": st.sampled_from([FUTURE] * 4 + [PAST]), "text": st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
})  # fmt: skip
questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join) | st.text(max_size=40)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(memories, max_size=14), agent=agents, scopes=st.sets(st.sampled_from(SCOPES)), question=questions,
    edges=st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=6), budget=st.integers(1, 3000),
)  # fmt: skip
def test_nothing_is_scored_that_may_not_be_seen(
    db: store.Connection, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, Any]], agent: str, scopes: set[str], question: str,
    edges: list[tuple[int, int]], budget: int,
) -> None:  # fmt: skip
    db.execute("DELETE FROM memory_candidates")
    refs = []
    for number, row in enumerate(rows):
        given_ = {"text": f"{row['text']} n{number}", "scope": row["scope"], "expires": FUTURE}
        *_, (ref,) = experience.ingest(db, ADAPTER, row["agent"], [given_])
        db.execute("UPDATE memory_candidates SET status=?, expires_at=? WHERE ref=?", (row["status"], row["expires"], ref))
        refs.append(ref)
    superseded = set()
    for newer, older in edges:
        if newer < len(rows) and older < len(rows) and newer != older:
            try:
                memory._link(db, memory.ticket(db, refs[newer]), memory.ticket(db, refs[older]), "supersedes", "tester")
            except UsageError:
                assert (rows[newer]["agent"], rows[newer]["scope"]) != (rows[older]["agent"], rows[older]["scope"])
                continue
            if rows[newer]["status"] in ("active", "approved") and rows[newer]["expires"] == FUTURE:
                superseded.add(older)
    allowed = {
        refs[n] for n, row in enumerate(rows)
        if row["agent"] == agent and row["scope"] in scopes and row["status"] in ("active", "approved") and row["expires"] == FUTURE
        and n not in superseded
    }  # fmt: skip
    scored: list[str] = []
    rank = experience.rank

    def watched(eligible: list[Row], *rest: Any) -> Any:
        scored.extend(row.ref for row in eligible)
        return rank(eligible, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(experience, "rank", watched)
        found = experience.recall(db, ADAPTER, question, agent, scopes=tuple(scopes), budget=budget)
    assert set(scored) == allowed  # every eligible row, and no other
    assert {each.ref for each in found} <= allowed
    for each in found:
        assert 0 <= each.score <= 1 and abs(sum(share for _, _, share in each.reasons) - each.score) < 1e-6
        assert {ref for _, ref in each.links} <= allowed
    assert db.execute("SELECT count(*) FROM memory_candidates WHERE durable_write_enabled<>0").fetchone() == (0,)


@pytest.mark.parametrize(
    ("changed", "hidden"),
    [("", True), ("status='expired'", False), ("status='rejected'", False), ("expires_at='2001-01-01T00:00:00Z'", False),
     ("scope='private'", False), ("agent='b'", False), ("status='approved'", True)],
)  # fmt: skip
def test_what_supersedes_counts_while_it_is_itself_in_force(db: store.Connection, changed: str, hidden: bool) -> None:
    *_, (old, new) = experience.ingest(db, ADAPTER, "a", [{"text": "the harbour pilot wants tea"}, {"text": "the harbour pilot wants a radio"}])
    memory._link(db, memory.ticket(db, new), memory.ticket(db, old), "supersedes", "tester")
    if changed:
        db.execute(f"UPDATE memory_candidates SET {changed} WHERE ref=?", (new,))
    assert (old not in {row.ref for row in experience.eligible(db, "a", SCOPES)}) is hidden
    found = {each.ref for each in experience.recall(db, ADAPTER, "harbour pilot", "a", scopes=SCOPES)}
    assert (old not in found) is hidden


def test_no_link_tells_of_a_memory_that_may_not_be_seen(db: store.Connection) -> None:
    *_, refs = experience.ingest(db, ADAPTER, "a", [{"text": "the harbour pilot wants tea"}, {"text": "the harbour pilot wants tea now"}])
    (seen,) = [each for each in experience.recall(db, ADAPTER, "harbour pilot tea", "a") if each.ref == refs[1]]
    assert seen.links == (("similar_to", refs[0]),)
    db.execute("UPDATE memory_candidates SET status='rejected' WHERE ref=?", (refs[0],))
    (seen,) = experience.recall(db, ADAPTER, "harbour pilot tea", "a")
    assert seen.ref == refs[1] and seen.links == ()


def test_all_that_is_relevant_or_as_much_as_fits(db: store.Connection) -> None:
    rows = [{"text": f"The ferry leaves pier {n} at noon"} for n in range(50)] + [{"text": "Unrelated gardening advice"}]
    experience.ingest(db, ADAPTER, "a", rows)
    whole = experience.recall(db, ADAPTER, "when does the ferry leave", "a", budget=10_000)
    assert len(whole) == 50 and all("ferry" in each.text for each in whole)
    some = experience.recall(db, ADAPTER, "when does the ferry leave", "a", budget=100)
    assert 0 < sum(estimate(each.text) for each in some) <= 100
    assert [each.ref for each in some] == [each.ref for each in whole][: len(some)]


def test_the_oldest_is_found_among_thousands_and_nothing_when_nothing_answers(db: store.Connection) -> None:
    rows = [{"text": "The spare key hangs behind the barometer", "created_at": PAST}]
    rows += [{"text": f"Meeting note {n} about budgets and planning"} for n in range(2000)]
    experience.ingest(db, ADAPTER, "a", rows)
    found = experience.recall(db, ADAPTER, "where does the spare key hang?", "a")
    assert found[0].text.startswith("The spare key")
    assert experience.recall(db, ADAPTER, "zeppelin docking procedure", "a") == []
    assert experience.recall(db, ADAPTER, "", "a") == [] == experience.recall(db, ADAPTER, "\0\ud800", "a")


def test_salience_decides_between_equals(db: store.Connection) -> None:
    experience.ingest(db, ADAPTER, "a", [{"text": "Rotate the token monthly", "salience": 0.1}, {"text": "Rotate the token monthly!", "salience": 0.9}])
    found = experience.recall(db, ADAPTER, "rotate the token", "a")
    assert [each.salience for each in found] == [0.9, 0.1]


def test_ingest_is_idempotent_by_the_owners_id_and_by_content(db: store.Connection) -> None:
    row = {"text": "Use a rollback checklist", "source_memory_id": "m-1"}
    assert experience.ingest(db, ADAPTER, "a", [row, row])[:3] == (1, 0, 1)
    assert experience.ingest(db, ADAPTER, "a", [{**row, "text": "Use a longer rollback checklist"}])[:3] == (0, 1, 0)
    assert experience.ingest(db, ADAPTER, "a", [{"text": "No id"}, {"text": "No id"}])[:3] == (1, 0, 1)
    assert [each.text for each in experience.recall(db, ADAPTER, "rollback checklist", "a")] == ["Use a longer rollback checklist"]
    assert experience.ingest(db, ADAPTER, "b", [row])[:3] == (1, 0, 0)  # another agent's memory of that name is another


def test_similar_memories_are_linked_within_agent_and_scope_only(db: store.Connection) -> None:
    text = "Use a rollback checklist for every schema migration of the ledger"
    for agent, scope in (("a", "internal"), ("a", "private"), ("b", "internal")):
        experience.ingest(db, ADAPTER, agent, [{"text": text, "scope": scope}, {"text": text + " always", "scope": scope}])
    rows = db.execute("SELECT a.agent, a.scope, b.agent, b.scope, l.relation, l.actor FROM memory_links l JOIN memory_candidates a"
                      " ON a.id=l.source JOIN memory_candidates b ON b.id=l.target").fetchall()  # fmt: skip
    assert len(rows) == 3 and all(row[:2] == row[2:4] and row[4:] == ("similar_to", "runtime") for row in rows)


@pytest.mark.parametrize("relation", ["supersedes", "contradicts"])
def test_only_a_curator_says_what_supersedes_or_contradicts(db: store.Connection, relation: str) -> None:
    experience.ingest(db, ADAPTER, "a", [{"text": "one"}, {"text": "two"}])
    first, second = (row.id for row in experience.eligible(db, "a", SCOPES))
    with pytest.raises(sqlite3.IntegrityError, match="curator"):
        db.execute("INSERT INTO memory_links VALUES(?,?,?,1,'runtime','')", (first, second, relation))


def test_a_memory_that_changes_its_scope_leaves_its_links_behind(db: store.Connection) -> None:
    text = "Use a rollback checklist for every schema migration of the ledger"
    experience.ingest(db, ADAPTER, "a", [{"text": text, "source_memory_id": "1"}, {"text": text + " always", "source_memory_id": "2"}])
    assert db.execute("SELECT count(*) FROM memory_links").fetchone() == (1,)
    experience.ingest(db, ADAPTER, "a", [{"text": text + " always", "source_memory_id": "2", "scope": "private"}])
    assert db.execute("SELECT count(*) FROM memory_links").fetchone() == (0,) and store.check(db) == []


def test_no_way_leads_to_a_durable_write(db: store.Connection) -> None:
    experience.ingest(db, ADAPTER, "a", [{"text": "one", "durable_write_enabled": True}])
    with store.transaction(db):
        memory.propose(db, "fact", "two", reason="x", payload={"durable_write_enabled": True})
        memory.insert(
            db, ref="x", type="fact", agent="", memory_kind="", text="", payload="{}", tags="[]", salience=0.5, scope="public",
            suggested_scope="public", status="candidate", reason="", confidence=0.5, risk="low", source_refs="[]", source_memory_id="",
            checksum="x", created_at="", updated_at="", expires_at=FUTURE, durable_write_enabled=1,
            **memory.row_values("x", (), ADAPTER),
        )  # fmt: skip
    assert db.execute("SELECT DISTINCT durable_write_enabled FROM memory_candidates").fetchall() == [(0,)]
    for sql in ("UPDATE memory_candidates SET durable_write_enabled=1", "UPDATE OR IGNORE memory_candidates SET durable_write_enabled=2",
                "UPDATE OR REPLACE memory_candidates SET durable_write_enabled=-1"):  # fmt: skip
        try:
            db.execute(sql)
        except sqlite3.IntegrityError:
            pass
    assert db.execute("SELECT DISTINCT durable_write_enabled FROM memory_candidates").fetchall() == [(0,)]
    row = dict(zip((one[1] for one in db.execute("PRAGMA table_info(memory_candidates)")),
                   db.execute("SELECT * FROM memory_candidates").fetchone(), strict=True))  # fmt: skip
    values = {**row, "id": 999, "ref": "y", "durable_write_enabled": 1}
    for verb in ("INSERT", "INSERT OR REPLACE", "REPLACE"):
        with pytest.raises(sqlite3.IntegrityError):
            db.execute(f"{verb} INTO memory_candidates VALUES({','.join('?' * len(values))})", tuple(values.values()))
    with pytest.raises(DirectDurableMemoryWriteBlocked):
        memory.write_durable("anything", approved=True)


def test_the_command_line_refuses_a_durable_write(world: World) -> None:
    world.run("ontology", "memory", "write", "remember me", code=128)
    assert "curator" in world.err


def test_turns_of_a_conversation_hear_each_other(db: store.Connection) -> None:
    turns = ["Ana: What colour did you paint the boat house in the end?", "Ben: A deep green, and I love it.",
             "Ana: How was the conference in Lyon?", "Ben: Exhausting, but the food was great."]  # fmt: skip
    rows = [{"text": text, "source_memory_id": f"D1:{n}"} for n, text in enumerate(turns, 1)]
    experience.ingest(db, ADAPTER, "a", rows)
    found = [each.source_memory_id for each in experience.recall(db, ADAPTER, "What colour is Ben's boat house?", "a")]
    assert set(found[:2]) == {"D1:1", "D1:2"}


TALK = """Ana: I finally booked the flight to Oslo, on the third of May.
Ben: Lovely! Did you decide what to do with the dog?
Ana: My aunt takes him, she lives by the lake.
Ben: Good. I had a quiet day, mostly reading.
Ana: What do you read?
Ben: A thick one about whales.
Ana: I love whales! Ben, you should see the film, too.
Ben: My week was full of meetings, though."""


def test_a_conversation_is_asked_who_when_and_by_what_stands_beside(db: store.Connection) -> None:
    rows = [{"text": text, "source_memory_id": f"D1:{n}", "created_at": f"2024-0{1 + n // 5}-01T00:00:00Z"}
            for n, text in enumerate(TALK.split("\n"), 1)]  # fmt: skip
    experience.ingest(db, adapter(), "a", rows)

    def asked(question: str) -> list[str]:
        return [each.source_memory_id for each in experience.recall(db, adapter(), question, "a")]

    assert asked("When does Ana travel to Norway?")[0] == "D1:1"
    assert "D1:3" in asked("Who looks after Ana's pet?")[:2]
    assert "D1:6" in asked("Which book is Ben reading?")[:3]
    assert set(asked("what about meetings and films on 1 February 2024?")[:2]) == {"D1:7", "D1:8"}


@pytest.mark.parametrize(
    ("text", "speaker", "said"),
    [("Ana: hello", "Ana", "hello"), ("[8 May 2023] Ana Maria: hi: there", "Ana Maria", "hi: there"), ('Ben said, "no"', "Ben", '"no"'),
     ("(D1:3) Ben: yes", "Ben", "yes")],
)  # fmt: skip
def test_turns_are_known_by_how_they_begin(text: str, speaker: str, said: str) -> None:
    assert parsed(text) == (speaker, said)


@pytest.mark.parametrize("text", ["https://example.org: no", "Use a checklist", "12:30 is late", "", ": x", "One two three four five six: x"])
def test_what_is_no_turn(text: str) -> None:
    assert parsed(text) is None


def test_a_hub_agents_file_is_its_own(world: World) -> None:
    world.run("ontology", "experience", "ingest", "The quay closes at nine", "--agent", "hub:release-writer", "--hub", "--salience", "0.8", "--tag", "port")
    path = world.run("ontology", "experience", "path", "--agent", "hub:release-writer").strip()
    assert path.startswith(str(world.home)) and path.endswith("hub-agents/hub-release-writer/memory/experience.sqlite")
    assert world.run("ontology", "experience", "path", "--agent", "hub:Release-Writer").strip() != path
    out = world.run("ontology", "--db", path, "query", "when does the quay close", "--agent", "hub:release-writer")
    assert "The quay closes at nine" in out
    world.run("ontology", "--db", path, "query", "when does the quay close", "--agent", "hub:somebody", code=1)
    world.run("ontology", "experience", "query", "when does the quay close", "--agent", "hub:release-writer", code=1)  # not copied


def test_evidence_is_pinned_to_what_was_read(world: World) -> None:
    world.inbox("a.txt", "The granary roof was mended in spring.\n")
    world.ingest()
    with world.runtime() as runtime:
        runtime.record(runtime.query("when was the granary roof mended"), "agent")
        (ticket,) = memory.tickets(runtime.reader)
        assert ticket.source_refs[0]["uri"].endswith("a.txt") and ticket.status == "candidate" and not ticket.to_json()["durable_write_enabled"]
        with runtime.writing() as db:
            assert evidence.refresh(db, runtime.project) == 0


def test_an_answer_that_only_comes_near_is_said_to_be_weak(world: World) -> None:
    rows = [{"text": text, "source_memory_id": f"D1:{n}", "kind": "turn"} for n, text in enumerate(TALK.split("\n"), 1)]
    stdin = "".join(json.dumps(row) + "\n" for row in rows)
    ask = ("ontology", "--embedding-adapter", "auto", "experience")
    world.run(*ask, "ingest", "--agent", "a", "--stdin", input=stdin)

    def asked(question: str) -> dict[str, Any]:
        found = json.loads(world.run(*ask, "query", question, "--agent", "a", "--json", code=None) or '{"weak": false, "experience": []}')
        assert all(0 <= each["confidence"] <= 1 for each in found["experience"])
        assert ("only come near" in world.err) is found["weak"]
        return dict(found)

    assert asked("Who takes the dog while Ana is in Oslo?")["weak"] is False
    vague = asked("Which vaccine does the parish council recommend?")
    assert vague["weak"] or not vague["experience"]
    assert "confidence" in world.run(*ask, "query", "the dog", "--agent", "a", "--explain")
    host = json.loads(world.run("ontology", "--embedding-adapter", "auto", "hook", "--agent", "a", input='{"query": "flight to Oslo"}'))
    assert host["items"] and "confidence" in host["items"][0]


def test_memories_of_any_json_are_kept_or_refused(world: World) -> None:
    rows = [{"text": "one", "created_at": "\ud800"}, {"text": "two", "tags": ["\ud800"], "source_memory_id": "\udfff"},
            {"text": "three", "kind": "a\nscope: public"}]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    world.run("ontology", "experience", "ingest", "--agent", "bob", "--stdin", input=lines)
    out = json.loads(world.run("ontology", "query", "three", "--agent", "bob", "--json"))
    assert [row["kind"] for row in out["experience"]] == ["a scope: public"]
