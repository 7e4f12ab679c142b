"""What becomes of documents: read, asked for, read again, changed, gone, hidden, and not read at all.

Knows sources, versions, scopes and places that nobody approved.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from .. import graph, working
from ..model import SCOPES
from ..project import HOME, INBOX, Root
from ..runtime import Runtime
from .check import Check, many

_AGENT = "verifier"


def ingest(runtime: Runtime) -> Iterator[Check]:
    runtime.project.register(Root("corpus"))
    counts = runtime.ingest()
    held = runtime.status()["counts"]
    told = f"{many(counts.new, 'source')}, {many(held['chunks'], 'passage')}"
    yield Check("ingest", counts.new > 0 and held["chunks"] > 0, told)


def flow(runtime: Runtime) -> Iterator[Check]:
    """Ingest, query, graph, ticket, working memory: one passage all the way."""
    text, uri = runtime.reader.execute(
        "SELECT c.text, s.uri FROM chunks c JOIN sources s ON s.id=c.source WHERE length(c.text) > 20 ORDER"
        " BY c.id LIMIT 1"
    ).fetchone()
    question = " ".join(text.split()[:8])
    asked = runtime.query(question)
    found = any(hit.uri == uri for hit in asked.hits)
    yield Check("query", found, f"{many(len(asked.hits), 'passage')} for a passage's own words, {uri} among them")
    names = graph.entities(runtime.reader)
    relations = runtime.reader.execute("SELECT count(*) FROM relations").fetchone()[0]
    told = f"{many(len(names), 'name')}, {many(relations, 'relation')}, each with its evidence"
    yield Check("graph", bool(names), told)
    before = _rows(runtime)
    runtime.query(question, agent=_AGENT)
    yield Check("a query writes nothing", _rows(runtime) == before, "rows before and after are the same")
    runtime.record(asked, _AGENT)
    items = working.read(runtime.reader, _AGENT)
    yield Check(
        "tickets and working memory when asked for",
        bool(asked.suggestions and items),
        many(len(asked.suggestions), "ticket"),
    )
    nothing = runtime.query("zxqv wvutsr qqqq").hits
    yield Check("no answer, no passage", not nothing, f"{len(nothing)} passages for a question about nothing")


def _rows(runtime: Runtime) -> list[int]:
    tables = ("sources", "chunks", "memory_candidates", "memory_candidate_events", "working_memory", "memory_links")
    return [runtime.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]


def idempotency(runtime: Runtime) -> Iterator[Check]:
    before = _rows(runtime)
    counts = runtime.ingest()
    yield Check(
        "idempotency",
        _rows(runtime) == before and not (counts.new or counts.changed),
        f"{counts.unchanged} unchanged",
    )


def lineage(runtime: Runtime) -> Iterator[Check]:
    place = os.path.join(runtime.project.root, HOME, INBOX, "note.txt")
    for text in ("The lighthouse is painted white.\n", "The lighthouse is painted red.\n"):
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)
        runtime.ingest()
    hits = runtime.query("what colour is the lighthouse painted").hits
    ok = [hit.version for hit in hits[:1]] == [2] and "red" in hits[0].text
    yield Check("source lineage", ok, "a changed file is version 2, and only its new text answers")
    os.unlink(place)
    runtime.ingest()
    gone = not runtime.query("what colour is the lighthouse painted").hits
    yield Check("a deleted file", gone, "is gone from the answers at the next ingest")


def privacy(runtime: Runtime) -> Iterator[Check]:
    place = os.path.join(runtime.project.root, "secret.txt")
    with open(place, "w", encoding="utf-8") as file:
        file.write("The vault combination of the observatory is kept by the caretaker.\n")
    question = "vault combination of the observatory"
    runtime.project.register(Root("secret.txt", "private"))
    runtime.ingest()
    default, asked = runtime.query(question).hits, runtime.query(question, scopes=SCOPES).hits
    yield Check("privacy scope filtering", not default and bool(asked), "private is seen only when asked for")
    runtime.project.register(Root("secret.txt", "internal"))
    runtime.ingest()
    wider = bool(runtime.query(question).hits)
    runtime.project.register(Root("secret.txt", "private"))
    runtime.ingest()
    yield Check("a scope change", wider and not runtime.query(question).hits, "is applied at once, both ways")


def policy(runtime: Runtime) -> Iterator[Check]:
    for path in ("/etc", "~/.ssh", "../elsewhere"):
        runtime.project.register(Root(os.path.normpath(path)))
    counts = runtime.ingest()
    for path, _ in counts.refused:
        runtime.project.unregister(path)
    yield Check(
        "unapproved places are not read",
        len(counts.refused) >= 2 and not counts.new,
        f"{len(counts.refused)} refused",
    )
