"""What a person proposes: the same queue, the same decision, the same files; pinned to what is committed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from oracl_git.graph import governance

from .conftest import World

FILES: dict[str, str | bytes] = {
    "app/refund.py": "RATE = 1\n", "docs/refunds.md": "# Refunds\n\nPaid out on Fridays.\nNever twice.\n",
}  # fmt: skip
WHY = ("--reason", "asked every week")


def proposed(world: World, *args: str, code: int = 0, **more: Any) -> dict[str, Any]:
    out = world.run("curate", "propose", *args, *WHY, "--json", code=code, **more)
    found: dict[str, Any] = json.loads(out) if out else {}
    return found


def test_each_kind_goes_the_way_of_every_ticket_to_the_files_the_graph_reads(world: World) -> None:
    world.commit(FILES)
    rows = [
        proposed(world, "fact", "Refunds are paid\n out on Fridays.", "--evidence", "docs/refunds.md:3-4", "--tag", "refunds"),
        proposed(world, "edge", "app/refund.py", "docs/refunds.md", "--confidence", "0.7"),
        proposed(world, "tag", "app/refund.py", "domain=billing", "sensitivity=high"),
        proposed(world, "constraint", "Refunds ask no database.", "--path", "app/**", "--forbid", "import:sqlite3", "--id", "no-sql"),
    ]  # fmt: skip
    assert all(row["new"] and row["ticket"]["status"] == "candidate" for row in rows)
    assert [row["ticket"]["type"] for row in rows] == ["fact", "learned_edge", "learned_tag", "constraint"]
    fact, edge = rows[0]["ticket"], rows[1]["ticket"]
    blob = world.git("rev-parse", "HEAD:docs/refunds.md")
    assert fact["source_refs"] == [{"path": "docs/refunds.md", "blob": blob, "lines": "L3-4"}]
    assert {ref["path"] for ref in edge["source_refs"]} == set(FILES) and edge["durable_write_enabled"] is False
    assert world.run("curate", "apply", "--dry-run") == "The files say what the approved tickets say.\n"
    shown = json.loads(world.run("curate", "show", fact["id"], "--json"))
    assert [event["event"] for event in shown["events"]] == ["create"] and shown["events"][0]["actor"] != "runtime"
    world.run("curate", "approve", *(row["ticket"]["id"] for row in rows), "--reason", "checked")
    world.run("curate", "apply")
    written = {f".agentlas/{p.name}": p.read_bytes() for p in (world.path / ".agentlas").glob("learned_*")}
    rules = governance.parse(written)
    assert not rules.problems
    assert rules.learned_edges == {"app/refund.py": (("docs/refunds.md", 700_000),)}
    assert rules.learned_tags["app/refund.py"] == {"domain": "billing", "sensitivity": "high"}
    assert [(c.id, c.paths, c.forbid, c.severity) for c in rules.constraints] == [
        ("no-sql", ("app/**",), ("import:sqlite3",), "warn"),
    ]  # fmt: skip
    (page,) = (world.path / ".agentlas/memory").iterdir()
    assert '"lines": "L3-4"' in page.read_text() and page.read_text().endswith("Refunds are paid out on Fridays.\n")


def test_the_same_twice_is_one_ticket_and_a_person_is_told(world: World) -> None:
    world.commit(FILES)
    args = ("fact", "Refunds are paid on Fridays.", "--evidence", "docs/refunds.md")
    first = proposed(world, *args)["ticket"]["id"]
    assert proposed(world, *args) | {"ticket": None} == {"schema": 1, "new": False, "ticket": None}
    assert f"{first} says so already" in world.run("curate", "propose", *args, *WHY)


def test_when_its_evidence_changes_nobody_can_approve_it(world: World) -> None:
    world.commit(FILES)
    ref = proposed(world, "edge", "app/refund.py", "docs/refunds.md")["ticket"]["id"]
    world.commit({"docs/refunds.md": "# Refunds\n\nPaid out on Mondays.\n"})
    world.run("curate", "approve", ref, "--reason", "late", code=2)
    assert "docs/refunds.md has changed" in world.err


def test_paths_are_those_of_where_one_stands(world: World) -> None:
    world.commit(FILES)
    found = proposed(world, "edge", "refund.py", "../docs/refunds.md", "--evidence", ":/docs/refunds.md:1", cwd=world.path / "app")
    assert (found["ticket"]["payload"]["source"], found["ticket"]["payload"]["target"]) == tuple(FILES)
    assert [ref.get("lines") for ref in found["ticket"]["source_refs"]] == [None, None, "L1"]


def test_a_ticket_is_as_private_as_the_passage_it_rests_on(world: World) -> None:
    world.commit({"notes/a.md": "# Granary\n\nThe granary roof was mended in spring.\n"})
    world.register("notes", "private")
    world.ingest()
    hits = json.loads(world.run("ontology", "query", "granary roof", "--private", "--json"))["results"]
    found = proposed(world, "fact", "The roof is mended.", "--evidence", hits[0]["chunk"])["ticket"]
    assert found["scope"] == "private" and found["source_refs"][0]["uri"] == "notes/a.md"
    assert found["id"] not in world.run("curate", "list", code=1)
    world.run("curate", "propose", "fact", "x", "--evidence", "chk_0123456789abcdef", *WHY, code=1)
    assert "no passage" in world.err


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("fact", "No evidence"), 2, "--evidence"),
        (("fact", "  ", "--evidence", "docs/refunds.md"), 2, "needs words"),
        (("fact", "x", "--evidence", "docs/none.md"), 1, "no file of the last commit"),
        (("fact", "x", "--evidence", "docs"), 1, "no file of the last commit"),
        (("fact", "x", "--evidence", "../outside.md"), 1, "no file of the last commit"),
        (("fact", "x", "--evidence", "docs/refunds.md:3-9"), 1, "has 4 lines"),
        (("fact", "x", "--evidence", "docs/refunds.md:0"), 1, "has 4 lines"),
        (("edge", "app/refund.py", "app/refund.py"), 2, "cannot go with itself"),
        (("edge", "app/refund.py", "docs/refunds.md", "--confidence", "0"), 2, "above 0"),
        (("tag", "app/refund.py", "billing"), 2, "is no tag"),
        (("tag", "app/refund.py", "source=me"), 2, "is no tag"),
        (("tag", "app/refund.py", "sensitivity=some"), 2, "there is no sensitivity"),
        (("fact", "x", "--evidence", "docs/refunds.md", "--expires", "soon"), 2, "is not a time"),
    ],
)
def test_what_would_be_of_no_use_is_refused_before_it_is_a_ticket(world: World, args: tuple[str, ...], code: int, told: str) -> None:
    world.commit(FILES)
    proposed(world, *args, code=code)
    assert told in world.err
    assert json.loads(world.run("curate", "list", "--all", "--json", code=None))["tickets"] == []
