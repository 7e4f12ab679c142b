"""`ontology verify`: its lines are those of the source's list, and each fails when its promise does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oracl_git.ontology import experience, memory, search, verify, working
from oracl_git.ontology.project import Project

from .conftest import World

CORPUS = str(Path(__file__).parents[2] / "examples" / "ontology-corpus")
LISTED = """unit and integration tests;
end-to-end sample ingest/query/graph/memory-cache flow;
idempotency;
source lineage;
TTL eviction;
privacy scope filtering;
exact-agent experience isolation and governance-before-ranking;
adaptive all-relevant versus budgeted top-k experience selection;
full eligible-set ranking without a pre-ranking recency cap;
semantic-only automatic similar_to relation maintenance;
verified Model2Vec hybrid selection and visible degraded-hash fallback;
direct durable-memory write prevention;
PDF, HWP, HWPX, DOCX, XLSX, PPTX, and image OCR adapter ingest;
unsupported adapter status reporting when a required local parser is missing"""


def failed(project: World, corpus: str = "") -> set[str]:
    """The lines that do not hold."""
    return {check.line for check in verify.run(Project(str(project.path.resolve())), corpus) if check.ok is False}


def test_the_lines_of_the_list_are_printed_in_its_words_and_order(world: World) -> None:
    out = world.run("ontology", "verify", CORPUS)
    lines = [line[6:] for line in out.splitlines() if line[:6] in ("ok    ", "--    ")]
    assert lines[: len(LISTED.split("\n"))] == [line.rstrip(";") for line in LISTED.split("\n")]
    assert "FAIL" not in out and "docx adapter: 1 of 1 read" in out
    checks = json.loads(world.run("ontology", "verify", CORPUS, "--json"))["checks"]
    assert [check for check in checks if check["ok"] is None and check["line"] != verify.UNIT] == []


def test_what_was_not_tried_is_not_said_to_hold(world: World) -> None:
    out = world.run("ontology", "verify")  # the small corpus holds no office files
    assert "not tried: pdf adapter: there is none among the documents" in out
    assert "--    unit and integration tests" in out


def _leaky(db: Any, agent: str, scopes: Any) -> Any:
    return ELIGIBLE(db, agent, ("public", "internal", "private"))


def _of_all(db: Any, agent: str, scopes: Any) -> Any:
    return [row for who in (agent, "somebody-else") for row in ELIGIBLE(db, who, scopes)]


def _capped(rows: Any, *rest: Any) -> Any:
    return RANK(rows[-100:], *rest)


ELIGIBLE, RANK = experience.eligible, experience.rank


@pytest.mark.parametrize(
    ("place", "name", "broken", "line"),
    [
        (experience, "eligible", _leaky, "exact-agent experience isolation and governance-before-ranking"),
        (experience, "eligible", _of_all, "exact-agent experience isolation and governance-before-ranking"),
        (experience, "rank", _capped, "full eligible-set ranking without a pre-ranking recency cap"),
        (experience, "select", lambda ranked, budget: ranked, "adaptive all-relevant versus budgeted top-k experience selection"),
        (experience.Neighbours, "link", lambda self, number, vector: None, "semantic-only automatic similar_to relation maintenance"),
        (memory, "write_durable", lambda *_: None, "direct durable-memory write prevention"),
        (working, "prune", lambda db, agent: (0, 0), "TTL eviction"),
        (search, "_answers", lambda *_: True, "end-to-end sample ingest/query/graph/memory-cache flow"),
    ],
    ids=range(8),
)  # fmt: skip
def test_a_promise_that_is_broken_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, broken: Any, line: str
) -> None:
    monkeypatch.setattr(place, name, broken)
    assert line in failed(world)


def test_a_secret_in_the_corpus_or_in_what_would_be_committed_is_told(world: World, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.md").write_text("password = hunter2hunter2\n")
    world.run("ontology", "verify", str(tmp_path / "corpus"), code=1)
    assert verify.SAFETY in failed(world, str(tmp_path / "corpus"))
    world.write(".agentlas/memory/note.md", "-----BEGIN PRIVATE KEY-----\n")
    out = world.run("ontology", "verify", CORPUS, code=1)
    assert "note.md: a private key" in out
