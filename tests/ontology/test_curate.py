"""The queue: decisions, evidence that goes stale, files for review, and branches that merge."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from oracl_git.errors import UsageError
from oracl_git.graph import governance
from oracl_git.ontology import curator, memory, store

from .conftest import World

WRITTEN = ("learned_edges.json", "learned_tags.json", "learned_constraints.toml")


def propose(world: World, type: str = "fact", text: str = "The granary roof was mended in spring", **more: Any) -> str:
    with world.runtime() as runtime, runtime.writing() as db, store.transaction(db):
        ref, _ = memory.propose(db, type, text, **{"reason": "a test", "adapter": runtime.adapter, **more})
    return ref


def status(world: World, ref: str) -> str:
    with world.runtime() as runtime:
        return memory.ticket(runtime.reader, ref).status


@pytest.mark.parametrize(("verb", "result"), [("approve", "approved"), ("reject", "rejected"), ("quarantine", "quarantined"), ("deprecate", "deprecated")])
def test_a_decision_is_a_status_and_an_event_and_nothing_more(world: World, verb: str, result: str) -> None:
    ref = propose(world)
    world.run("curate", verb, ref, "--reason", "because it is so")
    shown = json.loads(world.run("curate", "show", ref, "--json"))
    assert shown["status"] == result and shown["durable_write_enabled"] is False
    assert [event["event"] for event in shown["events"]] == ["create", verb]
    assert shown["events"][1]["actor"].startswith("curator:") and shown["events"][1]["reason"] == "because it is so"
    assert not (world.path / ".agentlas/memory").exists()


def test_the_old_name_decides_too(world: World) -> None:
    ref = propose(world)
    assert ref in world.run("ontology", "memory", "candidates")
    world.run("ontology", "memory", "decide", ref, "quarantine", "--reason", "needs its owner")
    assert status(world, ref) == "quarantined"


def test_superseding_links_and_needs_a_successor(world: World) -> None:
    old, new = propose(world), propose(world, text="The granary roof was mended in autumn")
    world.run("curate", "supersede", old, "--reason", "newer", code=2)
    world.run("curate", "supersede", old, "--by", new, "--reason", "newer")
    assert status(world, old) == "superseded"
    assert {"relation": "supersedes", "direction": "in", "id": new, "score": 1.0} in json.loads(world.run("curate", "show", old, "--json"))["links"]
    world.run("curate", "approve", "tkt_nothing", "--reason", "x", code=1)


def test_a_decision_is_undone_with_all_that_came_of_it(world: World) -> None:
    old, new = propose(world), propose(world, text="The granary roof was mended in autumn")
    world.run("curate", "undo", old, "--reason", "a slip", code=2)  # nobody decided yet
    world.run("curate", "supersede", old, "--by", new, "--reason", "newer")
    world.run("curate", "supersede", new, "--by", old, "--reason", "in a circle", code=2)
    assert status(world, new) == "candidate"
    world.run("curate", "undo", old, "--reason", "a slip")
    shown = json.loads(world.run("curate", "show", old, "--json"))
    assert shown["status"] == "candidate" and shown["links"] == []
    assert [event["event"] for event in shown["events"]] == ["create", "supersede", "undo"]
    world.run("curate", "undo", old, "--reason", "twice", code=2)
    world.run("curate", "approve", old, "--reason", "yes")
    world.run("curate", "apply")
    (page,) = (world.path / ".agentlas/memory").iterdir()
    world.run("curate", "undo", old, "--reason", "not yet")
    assert status(world, old) == "candidate" and page.exists()
    world.run("curate", "apply")
    assert not page.exists()


def test_who_approves_what_was_superseded_takes_the_supersession_back(world: World) -> None:
    old, new = propose(world), propose(world, text="The granary roof was mended in autumn")
    world.run("curate", "supersede", old, "--by", new, "--reason", "newer")
    world.run("curate", "approve", old, "--reason", "it holds after all")
    assert json.loads(world.run("curate", "show", old, "--json"))["links"] == []


def test_two_that_cannot_both_hold_are_said_to_contradict(world: World) -> None:
    one, other = propose(world), propose(world, text="The granary roof fell in")
    world.run("curate", "contradict", one, other, "--reason", "it stands or it fell")
    links = json.loads(world.run("curate", "show", other, "--json"))["links"]
    assert links == [{"relation": "contradicts", "direction": "in", "id": one, "score": 1.0}]
    world.run("curate", "contradict", one, one, "--reason", "x", code=2)
    assert status(world, one) == status(world, other) == "candidate"


def test_a_private_ticket_is_shown_only_when_asked_for(world: World) -> None:
    ref = propose(world, text="The vault opens with periwinkle", scope="private")
    for name in (ref, "tkt_"):
        assert "periwinkle" not in world.run("curate", "show", name, code=1) + world.err
    assert "periwinkle" in world.run("curate", "show", "tkt_", "--private")
    assert "tickets      none" in world.run("ontology", "status")
    assert "1 candidate" in world.run("ontology", "status", "--private")


@pytest.mark.parametrize("private", [True, False])
def test_what_is_known_of_a_source_goes_with_it(world: World, private: bool) -> None:
    """Its sentences stand in tickets, in working memory, in free pages and in the backup, too."""
    phrase = "the vault of the granary opens with periwinkle"
    world.write("docs/secret.md", f"# Vault\n\nNote that {phrase}.\n")
    world.register("docs/secret.md", "private" if private else "internal")
    world.ingest()
    world.run("ontology", "query", phrase, "--no-code", "--private", "--agent", "helper", "--record-memory")
    kept = propose(world)
    world.run("ontology", "sources", "remove", "docs/secret.md")
    rows = json.loads(world.run("curate", "list", "--all", "--private", "--json"))["tickets"]
    assert [row["id"] for row in rows] == [kept]
    world.run("ontology", "working-memory", "read", "--agent", "helper", "--private", "--all", code=1)
    with world.runtime() as runtime:
        places = [Path(runtime.path), Path(runtime.backup_place)]
    for place in places:
        data = place.read_bytes()
        assert b"periwinkl" not in data and phrase.encode() not in data, place


def test_working_memory_ends_with_what_it_rests_on(world: World) -> None:
    world.inbox("roof.md", "# Roof\n\nThe granary roof was mended in spring.\n")
    world.ingest()
    world.run("ontology", "query", "when was the granary roof mended", "--no-code", "--agent", "helper", "--record-memory")
    assert "granary" in world.run("ontology", "working-memory", "read", "--agent", "helper")
    (world.path / ".agentlas/ontology-inbox/roof.md").unlink()
    world.ingest()
    world.run("ontology", "working-memory", "read", "--agent", "helper", code=1)
    (item,) = json.loads(world.run("ontology", "working-memory", "read", "--agent", "helper", "--all", "--json"))["items"]
    assert item["status"] == "invalidated" and "no longer there" in item["invalidation_reason"]


def test_evidence_that_changed_or_vanished_makes_a_ticket_stale_before_anyone_approves_it(world: World) -> None:
    world.commit({"docs/a.md": "# Granary\n\nThe granary roof was mended in spring.\n", "docs/b.md": "# Mill\n\nThe mill wheel turns at dawn.\n"})
    world.register("docs")
    world.ingest()
    with world.runtime() as runtime:
        for question in ("when was the granary roof mended", "when does the mill wheel turn"):
            runtime.record(runtime.query(question), "")
        refs = {ticket.text.split()[1] if "granary" in ticket.text else "mill": ticket.ref for ticket in memory.tickets(runtime.reader)}
    assert len(refs) == 2
    world.commit({"docs/a.md": "# Granary\n\nThe granary burned down.\n"})
    world.git("rm", "-q", "docs/b.md")
    world.commit(message="gone")
    world.run("ontology", "ingest")
    for ref in refs.values():
        world.run("curate", "approve", ref, "--reason", "late", code=2)
        assert "stale" in world.err and status(world, ref) == "stale"
    assert "apply" not in json.dumps(json.loads(world.run("curate", "show", next(iter(refs.values())), "--json"))["events"])


def test_nobody_approves_what_changed_before_it_was_read_again(world: World, tmp_path: Path) -> None:
    """A commit, a file of the inbox or one elsewhere may change and nobody ingests: the ticket is stale all the same."""
    world.commit({"docs/a.md": "# Granary\n\nThe granary roof was mended in spring.\n", "docs/c.md": "# Barn\n\nThe barn door was painted in june.\n"})
    inbox = world.inbox("b.md", "# Mill\n\nThe mill wheel turns at dawn.\n")
    outside = tmp_path / "elsewhere.txt"
    outside.write_text("The lighthouse keeper sleeps at noon.\n")
    world.run("ontology", "add", str(outside), "--allow-outside")
    world.register("docs")
    world.ingest()
    questions = ("when was the granary roof mended", "when does the mill wheel turn", "when does the lighthouse keeper sleep", "when was the barn door painted")
    with world.runtime() as runtime:
        for question in questions:
            runtime.record(runtime.query(question), "")
        refs = {ticket.text.split()[-1].rstrip("."): ticket.ref for ticket in memory.tickets(runtime.reader)}
        assert set(refs) == {"spring", "dawn", "noon", "june"}
    world.commit({"docs/a.md": "# Granary\n\nThe granary burned down.\n"})
    inbox.write_text("# Mill\n\nThe mill stands still.\n")
    outside.unlink()
    with world.runtime() as runtime:
        for word in ("spring", "dawn", "noon"):  # whoever decides, by whatever way
            with runtime.writing() as db, pytest.raises(UsageError, match="changed since it was read"):
                memory.decide(db, runtime.project, refs[word], "approve", reason="x", actor="x")
    shown = {row["id"]: row["status"] for row in json.loads(world.run("curate", "list", "--all", "--json"))["tickets"]}
    assert {word: shown[ref] for word, ref in refs.items()} == {"spring": "stale", "dawn": "stale", "noon": "stale", "june": "candidate"}
    world.run("curate", "approve", refs["spring"], "--reason", "late", code=2)
    world.run("ontology", "memory", "decide", refs["june"], "approve", "--reason", "as it is")


def test_a_learned_edge_pinned_to_blobs_goes_stale_with_them(world: World) -> None:
    world.commit({"a.py": "A = 1\n", "b.py": "B = 2\n"})
    pins = [{"path": name, "blob": world.git("rev-parse", f"HEAD:{name}")} for name in ("a.py", "b.py")]
    edge = {"source": "a.py", "target": "b.py", "confidence": 0.7}
    ref = propose(world, "learned_edge", "a.py goes with b.py", payload=edge, refs=pins)
    world.run("curate", "list")
    assert status(world, ref) == "candidate"
    world.commit({"b.py": "B = 3\n"})
    world.run("curate", "approve", ref, "--reason", "x", code=2)
    assert "b.py has changed" in world.err


def approved(world: World, *args: Any, **more: Any) -> str:
    ref = propose(world, *args, **more)
    world.run("curate", "approve", ref, "--reason", "checked")
    return ref


def test_apply_writes_files_for_review_and_takes_them_back(world: World) -> None:
    world.commit({"a.py": "A = 1\n", "docs/b.md": "# B\n", ".agentlas/constraints.toml": '[[constraint]]\nid = "mine"\nrule = "by hand"\n'})
    fact = approved(world, text="The granary: roof\nwas mended in spring", tags=["roof"])
    approved(world, "learned_edge", "edge", payload={"source": "a.py", "target": "docs/b.md", "confidence": 0.7})
    approved(world, "learned_tag", "tag", payload={"path": "a.py", "tags": {"topic": "numbers"}})
    rule = approved(world, "constraint", "Numbers stay whole", payload={"id": "whole", "rule": "Numbers stay whole", "paths": ["*.py"]})
    private = approved(world, text="A private matter", scope="private")
    before = world.git("rev-parse", "HEAD")
    out = world.run("curate", "apply")
    assert world.git("rev-parse", "HEAD") == before and private not in out
    files = {p.relative_to(world.path / ".agentlas").as_posix(): p.read_bytes() for p in (world.path / ".agentlas").rglob("*") if p.is_file()}
    (page,) = [name for name in files if name.startswith("memory/")]
    assert f"ticket: {fact}".encode() in files[page] and files[page].endswith(b"The granary: roof\nwas mended in spring\n")
    rules = governance.parse({f".agentlas/{name}": files[name] for name in (*WRITTEN, "constraints.toml")})
    assert not rules.problems
    assert rules.learned_edges == {"a.py": (("docs/b.md", 700_000),)} and rules.learned_tags["a.py"] == {"topic": "numbers"}
    assert [each.id for each in rules.constraints] == ["mine", "whole"]
    world.commit(message="reviewed")
    world.run("init", "--no-hooks")
    assert "docs/b.md" in world.run("related", "a.py")
    again = {p: p.read_bytes() for p in (world.path / ".agentlas").rglob("*.md")}
    world.run("curate", "apply")
    assert again == {p: p.read_bytes() for p in (world.path / ".agentlas").rglob("*.md")}
    for ref in (fact, rule):
        world.run("curate", "deprecate", ref, "--reason", "holds no more")
    world.run("curate", "apply")
    assert not list((world.path / ".agentlas/memory").iterdir())
    assert "whole" not in (world.path / ".agentlas/learned_constraints.toml").read_text()
    assert (world.path / ".agentlas/constraints.toml").read_bytes() == files["constraints.toml"]
    world.run("curate", "apply", "--allow-private")
    assert "A private matter" in "".join(p.read_text() for p in (world.path / ".agentlas/memory").iterdir())


def test_two_branches_that_curate_differently_merge(world: World) -> None:
    world.commit({"a.py": "A = 1\n", "b.py": "B = 2\n", "c.py": "C = 3\n"})
    world.git("branch", "other")
    edges = {"main": ("a.py", "b.py"), "other": ("a.py", "c.py")}
    for branch, (source, target) in edges.items():
        world.git("checkout", "-q", branch)
        Path(world.path / ".agentlas/ontology-runtime.sqlite").unlink()
        with world.runtime() as runtime:
            runtime.init(restore=False)
            with runtime.writing(make=True):
                pass
        approved(world, text=f"What {branch} learned about the mill")
        approved(world, "learned_edge", branch, payload={"source": source, "target": target, "confidence": 0.5})
        approved(world, "learned_tag", branch, payload={"path": target, "tags": {"topic": branch}})
        approved(world, "constraint", branch, payload={"id": branch, "rule": f"Rule of {branch}", "paths": ["*.py"], "severity": "warn"})
        world.run("curate", "apply")
        world.commit(message=f"curated on {branch}")
    world.git("checkout", "-q", "main")
    world.git("merge", "-q", "--no-edit", "other")
    rules = governance.parse({f".agentlas/{name}": (world.path / ".agentlas" / name).read_bytes() for name in WRITTEN})
    assert not rules.problems
    assert rules.learned_edges == {"a.py": (("b.py", 500_000), ("c.py", 500_000))}
    assert rules.learned_tags["b.py"] == {"topic": "main"} and rules.learned_tags["c.py"] == {"topic": "other"}
    assert {(each.id, each.rule, each.severity) for each in rules.constraints} == {("main", "Rule of main", "warn"), ("other", "Rule of other", "warn")}
    assert len(list((world.path / ".agentlas/memory").iterdir())) == 2


def test_rules_that_people_write_on_two_branches_are_never_mixed(world: World) -> None:
    """A union of lines that are alike would give the severity of one rule to the other, without a word."""
    world.commit({".agentlas/constraints.toml": '[[constraint]]\nid = "base"\nrule = "Base"\nseverity = "warn"\n'})
    approved(world, "constraint", "main", payload={"id": "main", "rule": "Rule of main"})
    world.run("curate", "apply")
    world.commit(message="curated")
    world.git("branch", "other")
    for branch, name in (("main", "x"), ("other", "y")):
        world.git("checkout", "-q", branch)
        path = world.path / ".agentlas/constraints.toml"
        path.write_text(path.read_text() + f'\n# why {name}\n[[constraint]]\nid = "{name}"\nrule = "{name}"\nseverity = "error"\n')
        world.commit(message=name)
    done = subprocess.run(["git", "merge", "main"], cwd=world.path, env=world.env, capture_output=True, text=True)
    assert done.returncode == 1 and "CONFLICT" in done.stdout and "constraints.toml" in done.stdout


def test_rules_of_an_earlier_version_move_to_their_own_file(world: World) -> None:
    ref = approved(world, "constraint", "Numbers stay whole", payload={"id": "whole", "rule": "Numbers stay whole"})
    mine = '[[constraint]]\nid = "mine"\nrule = "by hand"\n'
    world.write(".agentlas/constraints.toml", f'{mine}[[constraint]]  # {ref}\nid = "whole"  # {ref}\nrule = "Numbers stay whole"  # {ref}\n')
    world.write(".agentlas/.gitattributes", "*.md text\nconstraints.toml merge=union\n")
    world.run("curate", "apply")
    assert (world.path / ".agentlas/constraints.toml").read_text() == mine
    assert "whole" in (world.path / ".agentlas/learned_constraints.toml").read_text()
    lines = (world.path / ".agentlas/.gitattributes").read_text().splitlines()
    assert lines == ["*.md text", *(f"{name} merge=union" for name in WRITTEN)]


def curated(world: World, branch: str, *tickets: tuple[str, str, dict[str, Any]]) -> list[str]:
    """Approve tickets on a branch, with a store of that branch alone, and commit what follows."""
    world.git("checkout", "-q", branch)
    Path(world.path / ".agentlas/ontology-runtime.sqlite").unlink()
    with world.runtime() as runtime, runtime.writing(make=True):
        pass
    refs = [approved(world, kind, text, payload=payload) for kind, text, payload in tickets]
    world.run("curate", "apply")
    world.commit(message=f"curated on {branch}")
    return refs


@pytest.mark.parametrize(("into", "merged"), [("main", "other"), ("other", "main")])
def test_two_branches_that_tag_one_file_merge_to_the_same_whichever_way(world: World, into: str, merged: str) -> None:
    world.commit({"a.py": "A = 1\n", "b.py": "B = 2\n"})
    world.git("branch", "other")
    edge = {"source": "a.py", "target": "b.py"}
    curated(world, "main",
            ("learned_tag", "m1", {"path": "a.py", "tags": {"topic": "mills", "asked": {"where is the mill": 0.6}}}),
            ("learned_tag", "m2", {"path": "a.py", "tags": {"layer": "core"}}),
            ("learned_edge", "m3", {**edge, "confidence": 0.4}))  # fmt: skip
    (topic, _, _) = curated(world, "other",
            ("learned_tag", "o1", {"path": "a.py", "tags": {"topic": "wind", "asked": {"how does wind turn it": 0.5}}}),
            ("learned_tag", "o2", {"path": "a.py", "tags": {"kind": "example"}}),
            ("learned_edge", "o3", {**edge, "confidence": 0.9}))  # fmt: skip
    world.git("checkout", "-q", into)
    world.git("merge", "-q", "--no-edit", merged)

    def rules() -> governance.Governance:
        names = ("learned_edges.json", "learned_tags.json")
        return governance.parse({f".agentlas/{name}": (world.path / ".agentlas" / name).read_bytes() for name in names})

    read = rules()
    assert not read.problems
    assert read.learned_tags["a.py"] == {"topic": "wind", "layer": "core", "kind": "example"}
    assert [question for _, question, _ in read.asked] == ["how does wind turn it", "where is the mill"]
    assert read.learned_edges == {"a.py": (("b.py", 900_000),)}
    world.run("curate", "apply")  # each path is one line again, and nothing of either branch is lost
    now = rules()
    assert (now.learned_tags, now.asked, now.learned_edges) == (read.learned_tags, read.asked, read.learned_edges)
    assert (world.path / ".agentlas/learned_tags.json").read_text().count('"a.py"') == 1
    if into == "other":
        world.run("curate", "deprecate", topic, "--reason", "holds no more")
        world.run("curate", "apply")
        left = rules()
        assert left.learned_tags["a.py"] == {"layer": "core", "kind": "example"}
        assert [question for _, question, _ in left.asked] == ["where is the mill"]


def test_dedup_keeps_the_first(world: World) -> None:
    first = propose(world, text="The granary roof was mended in spring by the carpenters")
    second = propose(world, text="The granary roof was mended in spring by carpenters!")
    other = propose(world, text="The mill wheel turns at dawn")
    assert second in world.run("curate", "dedup", "--dry-run") and status(world, second) == "candidate"
    world.run("curate", "dedup")
    assert (status(world, first), status(world, second), status(world, other)) == ("candidate", "superseded", "candidate")


def test_the_same_proposal_twice_is_one_ticket_and_a_private_one_is_not_listed(world: World) -> None:
    assert propose(world) == propose(world)
    private = propose(world, text="A private matter", scope="private")
    assert private not in world.run("curate", "list") and private in world.run("curate", "list", "--private")


def test_a_ticket_that_waited_too_long_expires(world: World) -> None:
    ref = propose(world, expires_at="2001-01-01T00:00:00Z")
    world.run("curate", "approve", ref, "--reason", "x", code=2)
    assert status(world, ref) == "expired"


def test_a_source_made_private_takes_tickets_and_caches_along(world: World) -> None:
    world.commit({"docs/a.md": "# Granary\n\nThe granary roof was mended in spring.\n"})
    world.register("docs")
    world.ingest()
    with world.runtime() as runtime:
        runtime.record(runtime.query("when was the granary roof mended"), "agent")
    assert "wm_" in world.run("ontology", "working-memory", "read", "--agent", "agent")
    world.register("docs", "private")
    world.run("ontology", "ingest")
    world.run("curate", "list", code=1)
    world.run("ontology", "working-memory", "read", "--agent", "agent", code=1)
    assert "private" in world.run("curate", "list", "--private")


@pytest.mark.parametrize("text", ["../../etc/passwd", "---\nscope: public\n---", "a" * 500, "\ud800\0", "한글 메모", "CON", "..", "#"])
def test_what_a_ticket_says_names_no_other_place(world: World, text: str) -> None:
    slug = curator.slug(text)
    assert slug and "/" not in slug and not slug.startswith(".") and len(slug) <= 60
    ref = approved(world, text=text.replace("\ud800\0", "odd"))
    world.run("curate", "apply")
    (page,) = (world.path / ".agentlas/memory").iterdir()
    front = page.read_text().split("---\n")[1]
    assert f"ticket: {ref}\n" in front and "scope: internal\n" in front


def test_the_later_word_holds_whether_it_was_said_to_learn_or_to_the_queue(world: World) -> None:
    from oracl_git.learn import tickets as proposals

    world.commit({"a.py": "A = 1\n", "b.py": "B = 2\n"})
    world.run("init", "--no-hooks")
    place = str(world.path / ".git")
    edge = proposals.Ticket(proposals.EDGE, ("a.py", "b.py"), 0.5, 4, 2, "2026-01-01", "2026-02-01")
    proposals.save(place, [edge])
    (row,) = json.loads(world.run("curate", "list", "--json"))["tickets"]
    world.run("curate", "approve", row["id"], "--reason", "yes")
    world.run("learn", "--reject", edge.id)
    other = propose(world)
    world.run("curate", "approve", other, "--reason", "another")  # and the queue is told of the first
    assert proposals.load(place)[edge.id].status == proposals.REJECTED and status(world, row["id"]) == "rejected"
    world.run("curate", "approve", row["id"], "--reason", "after all")
    assert proposals.load(place)[edge.id].status == proposals.APPROVED
    world.run("learn", "--apply")
    edges = world.path / ".agentlas/learned_edges.json"
    assert '"source": "a.py"' in edges.read_text()
    world.run("curate", "deprecate", row["id"], "--reason", "no more")
    assert proposals.load(place)[edge.id].status == proposals.REJECTED
    world.run("curate", "apply")
    assert '"source": "a.py"' not in edges.read_text()
    world.run("curate", "undo", row["id"], "--reason", "a slip")
    world.run("curate", "apply")
    assert '"source": "a.py"' in edges.read_text()
    world.run("learn", "--reject", edge.id)
    world.run("curate", "apply")
    assert status(world, row["id"]) == "rejected" and '"source": "a.py"' not in edges.read_text()


def test_what_was_learned_from_opened_results_is_decided_in_the_same_queue(world: World) -> None:
    from oracl_git.learn import tickets as proposals

    world.commit({"a.py": "A = 1\n", "b.py": "B = 2\n"})
    place = str(world.path / ".git")
    edge = proposals.Ticket(proposals.EDGE, ("a.py", "b.py"), 0.5, 4, 2, "2026-01-01", "2026-02-01")
    tag = proposals.Ticket(proposals.TAG, ("a.py", "where is a"), 0.4, 3, 1, "2026-01-01", "2026-02-01")
    proposals.save(place, [edge, tag])
    rows = json.loads(world.run("curate", "list", "--json"))["tickets"]
    refs = {row["type"]: row["id"] for row in rows}
    assert set(refs) == {"learned_edge", "learned_tag"} and len(json.loads(world.run("curate", "list", "--json"))["tickets"]) == 2
    world.run("curate", "approve", refs["learned_edge"], "--reason", "yes")
    assert proposals.load(place)[edge.id].status == proposals.APPROVED
    world.run("curate", "apply")
    assert proposals.load(place)[edge.id].status == proposals.APPLIED
    assert '"source": "a.py"' in (world.path / ".agentlas/learned_edges.json").read_text()
    proposals.save(place, [tag._replace(status=proposals.REJECTED)])  # decided over there
    world.run("curate", "list", code=None)
    assert status(world, refs["learned_tag"]) == "rejected"
    world.commit(message="taken")
    world.write("b.py", "B = 3\n")
    third = proposals.Ticket(proposals.EDGE, ("b.py", "a.py"), 0.5, 4, 2, "2026-01-01", "2026-02-01")
    proposals.save(place, [third])
    world.run("curate", "list", code=None)
    world.commit(message="b changed")
    assert "stale" in world.run("curate", "list", "--status", "stale")


@pytest.mark.parametrize("text", ['{"edges": [{"source": [], "target": "x"}]}', '{"edges": 5}', "5", '{"edges": [[1]]}'])
def test_a_file_of_another_shape_is_left_as_it_is(world: World, text: str) -> None:
    """It may have come with a clone."""
    world.commit({"a.txt": "a\n", "b.txt": "b\n"})
    proposed = world.run("curate", "propose", "edge", "a.txt", "b.txt", "--reason", "kin", "--json")
    world.run("curate", "approve", json.loads(proposed)["ticket"]["id"], "--reason", "so it is")
    path = world.write(".agentlas/learned_edges.json", text)
    world.run("curate", "apply", code=2)
    assert path.read_text() == text


def test_a_rule_of_any_letters_is_a_rule_of_toml(world: World) -> None:
    world.commit({"a.txt": "a\n"})
    words = "no \x7f, no \x85 and no \u2028 in 가 🎈"
    for rule, owner in (("first", words), (words, "@second"), ("third", "@third")):
        made = world.run("curate", "propose", "constraint", rule, "--path", "a.txt", "--owner", owner, "--reason", "x", "--json")
        world.run("curate", "approve", json.loads(made)["ticket"]["id"], "--reason", "y")
        world.run("curate", "apply")
    held = tomllib.loads((world.path / ".agentlas/learned_constraints.toml").read_bytes().decode())["constraint"]
    assert [row["rule"] for row in held] == ["first", " ".join(words.split()), "third"] and held[0]["owner"] == words


def test_a_file_where_a_directory_belongs_is_told_and_left(world: World) -> None:
    approved(world)
    world.write(".agentlas/memory", "mine")
    world.run("curate", "apply", code=128)
    assert "cannot be written" in world.err
    assert (world.path / ".agentlas/memory").read_text() == "mine"
