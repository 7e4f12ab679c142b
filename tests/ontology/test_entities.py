"""Names and what is said of them: grounded in the characters of the passage, or not taken."""

from __future__ import annotations

import pytest

from oracl_git.ontology import entities
from oracl_git.ontology.chunking import Chunk

from .conftest import World

TEXT = """Owner: Mina Park

Project Helios depends on Memory Curator since 2024-03-01. Acme Robotics GmbH owns Project Helios.
The Memory Curator is maintained by Dr. Jane Doe. If Project Helios replaces Project Selene, tell us.
Harbor Cloud provides object storage to Project Helios. Does Acme Robotics GmbH own Project Selene?
"""
KOREAN = "주식회사 한빛은 ‘헬리오스’ 프로젝트를 운영한다. 김민수 팀장이 ‘헬리오스’ 프로젝트를 담당한다.\n"


def graph(text: str, heading: str = "Project Helios", kind: str = "paragraph") -> tuple[entities.Graph, Chunk]:
    chunk = Chunk(0, heading, kind, "L1-9", text)
    return entities.extract([chunk]), chunk


def test_statements_of_a_text_and_no_others() -> None:
    found, chunk = graph(TEXT)
    said = {(s.subject, s.relation, s.object) for s in found.statements}
    assert said == {
        ("Project Helios", "depends_on", "Memory Curator"), ("Acme Robotics GmbH", "owns", "Project Helios"),
        ("Jane Doe", "maintains", "Memory Curator"), ("Harbor Cloud", "supplies", "Project Helios"),
        ("Mina Park", "owns", "Project Helios"),
    }  # fmt: skip
    for mention in found.mentions:
        assert chunk.text[mention.start : mention.stop] == mention.name
    (since,) = [s.valid_from for s in found.statements if s.relation == "depends_on"]
    assert since == "2024-03-01"


PROSE = """Celery is a distributed task queue that scales. It requires Python.

`Waitress`_ is a pure Python WSGI server. Celery supports RabbitMQ, Redis, and `Amazon SQS`_ as brokers, and since a
worker uses Redis pub/sub, none is lost. Celery uses Redis pub/sub. Wagtail is used by
[Mozilla](https://example.org/m) and [NASA](https://example.org/n). :class:`~@NotRegistered` inherits from :exc:`KeyError`.

* #5306: ``getargspec()`` raises NameError for invalid hints
* Celery provides `picture` and `image` template tags. Users require Redis. The integration with Django requires Flower.
* If Celery uses Django, say so. Celery does not use Django. When it runs, Flower uses Django. A field is a useful object.
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Kestrel is an open source project and we value new members.", {("Kestrel", "is_a", "open source project")}),
        ("**Kestrel** is a _community-led_ document archive.", {("Kestrel", "is_a", "document archive")}),
        ("Kestrel now uses GitHub Actions to make releases. Your actions on github are logged.", {("Kestrel", "uses", "GitHub Actions")}),
        ("Kestrel runs on FreeBSD.", {("Kestrel", "runs_on", "FreeBSD")}),
        ("Natively Kestrel implements [Sidecar](a.md).", set()), ("Sponsoring KestrelCon is a rare pleasure trip.", set()),
        # A noun that says what a name is, is no part of it; it may not be left out where it makes another thing of it.
        ("The `thanos receive` command implements the `RemoteWrite` interface.", set()),
        ("The `receive` command implements the `RemoteWrite` interface.", {("receive", "implements", "RemoteWrite")}),
        ("The Kestrel project uses the Raft algorithm to agree.", {("Kestrel", "uses", "Raft")}),
        ("The Kestrel framework uses `raft`.", set()), ("Kestrel uses the Python library.", set()),
        ("Kestrel is based on the Python standards, it says.", set()), ("Kestrel requires the `close` method to be there.", set()),
        ("`retry` accepts `delay` and `times` arguments.", {("retry", "accepts", "delay"), ("retry", "accepts", "times")}),
        ("`sse` is configured with the `sse_config` setting.", {("sse", "configured_by", "sse_config")}),
        ("`get()` is the same as `fetch()`:", {("get()", "equivalent_to", "fetch()")}),
        ("The `item_classes` option is implemented by the `ItemFilter` class.", {("ItemFilter", "implements", "item_classes")}),
        ("`bat` communicates with `git` to show changes.", {("bat", "connects_to", "git")}),
        ("The `setup` function is a requirement and is used here.", set()), ("`quickstart` creates a `settings.py` file.", {("quickstart", "produces", "settings.py")}),
        ("The `Meter` type provides access to a `Gauge` property.", set()),
        ("Following is a discussion about Kestrel.", set()), ("`Source` is a any component that writes blocks.", set()),
        ("[lint](l.md) is an amazing tool that runs.", set()), ("Kestrel is a major new addition to the library.", set()),
    ],
)  # fmt: skip
def test_what_is_stated_and_what_is_not(text: str, said: set[tuple[str, str, str]]) -> None:
    found, chunk = graph(text, "Kestrel")
    assert {(s.subject, s.relation, s.object) for s in found.statements} == said
    for mention in found.mentions:
        assert chunk.text[mention.start : mention.stop] == mention.name


def test_statements_of_prose_with_its_markup() -> None:
    found, chunk = graph(PROSE, "Celery")
    assert {(s.subject, s.relation, s.object) for s in found.statements} == {
        ("Celery", "is_a", "distributed task queue"), ("Waitress", "is_a", "pure Python WSGI server"),
        ("Celery", "supports", "RabbitMQ"), ("Celery", "supports", "Redis"), ("Celery", "supports", "Amazon SQS"),
        ("Mozilla", "uses", "Wagtail"), ("NASA", "uses", "Wagtail"), ("NotRegistered", "extends", "KeyError"),
    }  # fmt: skip
    for mention in found.mentions:
        assert " ".join(chunk.text[mention.start : mention.stop].split()) == mention.name
    for said in found.statements:
        span = " ".join(chunk.text[said.start : said.stop].split())
        assert said.subject in span and said.object in span


def test_korean_statements() -> None:
    found, _ = graph(KOREAN, "")
    said = {(s.subject, s.relation, s.object) for s in found.statements}
    assert said == {("주식회사 한빛", "manages", "헬리오스"), ("김민수", "manages", "헬리오스")}


@pytest.mark.parametrize(
    "text",
    [
        "IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY.",
        "Note: See Section 3 and Table 4. Please Return Next Monday.", "Call getUserName() or set MAX_SIZE in config.yaml.",
        "This is a plain sentence about nothing in particular.", 'settings.get("MONGO_URI") and Response("This is HTML")',
    ],
)  # fmt: skip
def test_what_is_no_name_is_not_taken(text: str) -> None:
    assert graph(text, "")[0].mentions == []


def test_code_names_nobody() -> None:
    assert graph(TEXT, kind="code")[0].mentions == []


def test_an_entity_is_shown_by_name_alias_and_only_where_it_may_be_seen(world: World) -> None:
    world.write("docs/a.md", "# Project Helios\n\nProject Helios depends on Project Selene.\n")
    world.write("docs/b.md", "# Project Kraken\n\nProject Kraken depends on Project Helios. The service level agreement (SLA) binds.\n")
    world.register("docs")
    world.register("docs/b.md", "private")
    world.ingest()
    out = world.run("ontology", "graph", "entity", "project  HELIOS")
    assert "Project Helios depends_on Project Selene" in out and "Kraken" not in out
    world.run("ontology", "graph", "entity", "Project Kraken", code=1)
    assert "Kraken" not in world.err.replace("'Project Kraken'", "")
    assert "Kraken" in world.run("ontology", "graph", "entity", "SLA", "--private") + world.run("ontology", "graph", "entities", "--private")
    assert "Kraken" not in world.run("ontology", "query", "Project Helios", "--json")


def test_a_name_that_only_a_private_document_has_is_told_to_nobody_else(world: World) -> None:
    """The private one is read first, and says what an acronym of the public one stands for."""
    world.write("a/secret.md", "# Plans\n\nThe Chimera Reactor Build (CRB) is led by Mina Park. Everybody calls it CRB.\n")
    world.write("b/open.md", "# News\n\nMr. Tom Baker owns CRB. The team behind CRB is small, and the budget of CRB grows.\n")
    world.register("a", "private")
    world.register("b", "public")
    world.ingest()
    told = [world.run("ontology", "query", "who owns CRB", "--json")]
    told += [world.run("ontology", "graph", *way, "--json") for way in (["entities"], ["entity", "CRB"], ["entity", "Tom Baker"])]
    assert all("CRB" in text and "Chimera" not in text for text in told)
    world.run("ontology", "graph", "entity", "Chimera Reactor Build", code=1)
    assert "Chimera Reactor Build" in world.run("ontology", "graph", "entity", "CRB", "--private")
    world.run("ontology", "graph", "entity", "Chimera Reactor Buil", code=1)
    assert "CRB" not in world.err


SECRET = "# Plans\n\nThe Purple Chimera Reserve (PCR) was created by Northwind Traders Ltd.\n"
OPEN = '# News\n\n"PCR" means a thing. Mr. Tom Baker owns PCR. Then PCR was shown to Acme Corp.\n'


def told(world: World, *scopes: str) -> list[str]:
    """Everything that is told of entities."""
    ways = (["entities"], ["entity", "PCR"], ["entity", "Tom Baker"])
    found = [world.run("ontology", "graph", *way, "--json", *scopes) for way in ways]
    return [*found, world.run("ontology", "query", "who owns PCR", "--json", "--no-code", *scopes)]


@pytest.mark.parametrize("first", ["a", "b"])
def test_what_is_told_of_an_entity_is_the_same_whatever_a_private_document_says(world: World, first: str) -> None:
    """Read before or after it, or never: neither the name, nor its kind, nor its identity tells of it."""
    files = {"a": ("a/secret.md", SECRET, "private"), "b": ("b/open.md", OPEN, "public")}
    for path, text, scope in (files[first], files["ab".replace(first, "")]):
        world.write(path, text)
        world.register(path, scope)
        world.ingest()
    with_it = told(world)
    assert "Purple Chimera Reserve" in told(world, "--private")[1]  # what PCR stands for, to who may know
    assert "Tom Baker" in told(world, "--private")[1]
    world.run("ontology", "sources", "remove", "a/secret.md")
    world.ingest()
    assert told(world) == with_it
    assert told(world, "--private")[:3] == with_it[:3]  # … and now it is gone for everyone
    with world.runtime() as runtime:
        rows = runtime.reader.execute("SELECT norm FROM entities UNION SELECT norm FROM entity_aliases").fetchall()
    assert rows == [("acme corp",), ("pcr",), ("tom baker",)]


def test_documents_and_artifacts_know_each_other(world: World) -> None:
    world.commit({"src/billing.py": '"""Billing."""\n\n\ndef invoice_total(rows):\n    return sum(rows)\n', "src/other.py": "X = 1\n"})
    world.inbox("contract.md", "# Payment\n\nThe total is computed by invoice_total in src/billing.py.\n")
    world.inbox("secret.md", "# Secret\n\nsrc/billing.py has a flaw.\n")
    world.register(".agentlas/ontology-inbox/secret.md", "private")
    world.run("init", "--no-hooks")
    world.run("ontology", "ingest")
    out = world.run("related", "src/billing.py")
    assert "contract.md" in out and "secret.md" not in out
    assert "src/billing.py" in world.run("ontology", "query", "how is the total computed")
    assert "contract.md" in world.run("ontology", "graph", "documents", "src/billing.py")
    world.git("mv", "src/billing.py", "src/bills.py")
    world.commit(message="renamed")
    world.run("update")
    world.run("ontology", "graph", "documents", "src/other.py", code=1)
    assert "contract.md" in world.run("ontology", "graph", "documents", "src/bills.py")  # it still defines invoice_total
