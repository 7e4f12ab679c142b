"""The promises of the runtime, each tried on a store of its own and told in a line.

Knows how a promise is put to the test: a question, a second look, something broken on
purpose. Writes only into the place it is given.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import zlib
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import DirectDurableMemoryWriteBlocked, StoreUnusable
from . import clock, experience, graph, memory, model2vec, store, transfer, working
from .embedding import AUTO, DEGRADED, HASH, MODEL2VEC, Vector, adapter, hash_adapter
from .model import PARSED, SCOPES, UNSUPPORTED
from .project import HOME, INBOX, Root
from .runtime import Runtime

_AGENT, _OTHER = "verifier", "somebody-else"
_REQUIRED = ("pdf", "hwp", "hwpx", "docx", "xlsx", "pptx", "image")  # formats that the source's list names


class Check(NamedTuple):
    """One promise, and what was seen. `ok` is None for what was not tried; `line`: of the list it belongs to."""

    name: str
    ok: bool | None
    text: str
    line: str = ""


class Trial:
    """The steps, on one store."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    def ingest(self) -> Iterator[Check]:
        self.runtime.project.register(Root("corpus"))
        counts = self.runtime.ingest()
        held = self.runtime.status()["counts"]
        told = f"{_many(counts.new, 'source')}, {_many(held['chunks'], 'passage')}"
        yield Check("ingest", counts.new > 0 and held["chunks"] > 0, told)

    def flow(self) -> Iterator[Check]:
        """Ingest, query, graph, ticket, working memory: one passage all the way."""
        text, uri = self.runtime.reader.execute(
            "SELECT c.text, s.uri FROM chunks c JOIN sources s ON s.id=c.source WHERE length(c.text) > 20 ORDER"
            " BY c.id LIMIT 1"
        ).fetchone()
        question = " ".join(text.split()[:8])
        asked = self.runtime.query(question)
        found = any(hit.uri == uri for hit in asked.hits)
        yield Check("query", found, f"{_many(len(asked.hits), 'passage')} for a passage's own words, {uri} among them")
        names = graph.entities(self.runtime.reader)
        relations = self.runtime.reader.execute("SELECT count(*) FROM relations").fetchone()[0]
        told = f"{_many(len(names), 'name')}, {_many(relations, 'relation')}, each with its evidence"
        yield Check("graph", bool(names), told)
        before = self._rows()
        self.runtime.query(question, agent=_AGENT)
        yield Check("a query writes nothing", self._rows() == before, "rows before and after are the same")
        self.runtime.record(asked, _AGENT)
        items = working.read(self.runtime.reader, _AGENT)
        yield Check(
            "tickets and working memory when asked for",
            bool(asked.suggestions and items),
            _many(len(asked.suggestions), "ticket"),
        )
        nothing = self.runtime.query("zxqv wvutsr qqqq").hits
        yield Check("no answer, no passage", not nothing, f"{len(nothing)} passages for a question about nothing")

    def _rows(self) -> list[int]:
        tables = ("sources", "chunks", "memory_candidates", "memory_candidate_events", "working_memory", "memory_links")
        return [self.runtime.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    def idempotency(self) -> Iterator[Check]:
        before = self._rows()
        counts = self.runtime.ingest()
        yield Check(
            "idempotency",
            self._rows() == before and not (counts.new or counts.changed),
            f"{counts.unchanged} unchanged",
        )

    def lineage(self) -> Iterator[Check]:
        place = os.path.join(self.runtime.project.root, HOME, INBOX, "note.txt")
        for text in ("The lighthouse is painted white.\n", "The lighthouse is painted red.\n"):
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
            self.runtime.ingest()
        hits = self.runtime.query("what colour is the lighthouse painted").hits
        ok = [hit.version for hit in hits[:1]] == [2] and "red" in hits[0].text
        yield Check("source lineage", ok, "a changed file is version 2, and only its new text answers")
        os.unlink(place)
        self.runtime.ingest()
        gone = not self.runtime.query("what colour is the lighthouse painted").hits
        yield Check("a deleted file", gone, "is gone from the answers at the next ingest")

    def eviction(self) -> Iterator[Check]:
        with self.runtime.writing() as db:
            with store.transaction(db):
                for text, life, importance in (("over", -1, 0.9), ("small", 900, 0.1), ("kept", 900, 0.9)):
                    working.remember(
                        db, "pruner", text, (), scope="internal", confidence=0.5, importance=importance, life=life
                    )
            expired, evicted = working.prune(db, "pruner")
            kept = [item.text for item in working.read(db, "pruner")]
            held = len(working.read(db, "pruner", all=True))
        yield Check(
            "TTL eviction",
            (expired, evicted, kept, held) == (1, 1, ["kept"], 3),
            "expired and evicted are marked, none deleted",
        )

    def privacy(self) -> Iterator[Check]:
        place = os.path.join(self.runtime.project.root, "secret.txt")
        with open(place, "w", encoding="utf-8") as file:
            file.write("The vault combination of the observatory is kept by the caretaker.\n")
        question = "vault combination of the observatory"
        self.runtime.project.register(Root("secret.txt", "private"))
        self.runtime.ingest()
        default, asked = self.runtime.query(question).hits, self.runtime.query(question, scopes=SCOPES).hits
        yield Check("privacy scope filtering", not default and bool(asked), "private is seen only when asked for")
        self.runtime.project.register(Root("secret.txt", "internal"))
        self.runtime.ingest()
        wider = bool(self.runtime.query(question).hits)
        self.runtime.project.register(Root("secret.txt", "private"))
        self.runtime.ingest()
        yield Check("a scope change", wider and not self.runtime.query(question).hits, "is applied at once, both ways")

    def isolation(self) -> Iterator[Check]:
        with self.runtime.writing() as db:
            for agent, scope, text in (
                (_AGENT, "internal", "The harbour pilot wants a radio check."),
                (_OTHER, "internal", "The harbour pilot wants tea."),
                (_AGENT, "private", "The harbour pilot wants silence."),
            ):  # fmt: skip
                experience.ingest(db, self.runtime.adapter, agent, [{"text": text, "scope": scope}])
        rows = experience.eligible(self.runtime.reader, _AGENT, SCOPES[:2])
        ok = [row.text for row in rows] == ["The harbour pilot wants a radio check."]
        yield Check("governance before ranking", ok, f"{len(rows)} row of three is read at all, and so can be scored")
        for who, scopes, count in ((_AGENT, SCOPES[:2], 1), (_AGENT, SCOPES, 2), (_AGENT.upper(), SCOPES, 0)):
            ask = experience.recall(self.runtime.reader, self.runtime.adapter, "harbour pilot", who, scopes=scopes)
            ok = len(ask) == count and not any("tea" in each.text for each in ask)
            yield Check(f"recall of {who} in {' '.join(scopes)}", ok, f"{len(ask)} recalled")

    def selection(self) -> Iterator[Check]:
        with self.runtime.writing() as db:
            memories = [
                {"text": f"Checklist {n}: the ferry timetable is printed on blue paper {'x' * n}"} for n in range(40)
            ]
            experience.ingest(db, self.runtime.adapter, "ferry", memories)
        ask = "ferry timetable on blue paper"
        whole = experience.recall(self.runtime.reader, self.runtime.adapter, ask, "ferry", budget=100_000)
        some = experience.recall(self.runtime.reader, self.runtime.adapter, ask, "ferry", budget=100)
        yield Check(
            "all relevant, else a budgeted top-k",
            len(whole) == 40 and 0 < len(some) < 40,
            f"{len(whole)} within room, {len(some)} within 100 tokens",
        )

    def full_ranking(self) -> Iterator[Check]:
        with self.runtime.writing() as db:
            first = {"text": "The oldest memory speaks of the copper kettle.", "created_at": "2001-01-01T00:00:00Z"}
            rest = [{"text": f"Entry {n} is about something else entirely."} for n in range(300)]
            experience.ingest(db, self.runtime.adapter, "archivist", [first, *rest])
        found = experience.recall(self.runtime.reader, self.runtime.adapter, "copper kettle", "archivist")
        yield Check(
            "no recency cap before ranking",
            bool(found) and "kettle" in found[0].text,
            "the oldest of 301 is found first",
        )

    def similar(self) -> Iterator[Check]:
        """By cosine alone, within agent and scope, and made anew when a memory changes."""
        text, name = "Use a rollback checklist for every schema migration of the ledger", {"source_memory_id": "twin"}
        with self.runtime.writing() as db:
            experience.ingest(db, self.runtime.adapter, "linker", [{"text": text}, {"text": f"{text} always", **name}])
        made = self._similar("linker")
        with self.runtime.writing() as db:
            experience.ingest(db, self.runtime.adapter, "linker", [{"text": "Whales sing at night", **name}])
        left = self._similar("linker")
        yield Check("maintained", (made, left) == (1, 0), "linked while two memories are alike, and no longer")
        db = self.runtime.reader
        rows = db.execute(
            "SELECT l.score, a.vector, a.norm, b.vector, b.norm, a.agent=b.agent AND a.scope=b.scope,"
            " l.relation='similar_to' FROM memory_links l JOIN memory_candidates a ON a.id=l.source"
            " JOIN memory_candidates b ON b.id=l.target WHERE l.actor='runtime'"
        ).fetchall()
        ok = all(
            within and only and abs(score - min(1.0, Vector(*one).cosine(Vector(*other)))) < 1e-6
            and score >= experience.SIMILAR_FLOOR
            for score, *vectors, within, only in rows
            for one, other in [(vectors[:2], vectors[2:])]
        )  # fmt: skip
        yield Check("by cosine alone", ok and bool(rows), f"{_many(len(rows), 'link')}, each within agent and scope")

    def _similar(self, agent: str) -> int:
        sql = "SELECT count(*) FROM memory_links l JOIN memory_candidates m ON m.id=l.source WHERE m.agent=?"
        return int(self.runtime.reader.execute(sql, (agent,)).fetchone()[0])

    def own_table(self) -> Iterator[Check]:
        own = adapter(AUTO)
        told = own.status == "available" or any(own.status in note for note in self.runtime.query("anything").notes)
        yield Check(
            "the embedding in use is told", told, f"{own.name}, {own.dimensions} dimensions, {own.status}: {own.detail}"
        )

    def hybrid(self) -> Iterator[Check]:
        """An asset of the source's format: selected, verified, beside hash-96; refused with one byte changed."""
        place = os.path.join(self.runtime.project.root, "asset")
        _asset(place)
        found = adapter(MODEL2VEC, place)
        near, far = (found.encode("refund").cosine(found.encode(text)) for text in ("money", "whale"))
        ok = found.dimensions == _DIMENSIONS + 96 and near > far
        told = f"{found.dimensions} dimensions of an asset whose bytes were checked"
        yield Check("Model2Vec beside hash-96", ok, told)
        with open(os.path.join(place, "embeddings.int8"), "r+b") as file:
            file.write(b"\1")
        try:
            adapter(MODEL2VEC, place)
        except StoreUnusable as error:
            yield Check("a changed byte", True, f"refused: {error.message}")
        else:
            yield Check("a changed byte", False, "was not noticed")

    def fallback(self) -> Iterator[Check]:
        with Runtime(self.runtime.project) as degraded:
            degraded._adapter = hash_adapter("as where no table is installed", DEGRADED)
            notes = degraded.query("anything").notes
        yield Check("the fallback is visible", any(DEGRADED in note for note in notes), "; ".join(notes))
        same = adapter(HASH).encode("the same text") == adapter(HASH).encode("the same text")
        yield Check("the fallback is deterministic", same, f"{adapter(HASH).dimensions} dimensions")

    def durable(self) -> Iterator[Check]:
        try:
            memory.write_durable("anything")
        except DirectDurableMemoryWriteBlocked as error:
            yield Check("direct durable-memory write", True, f"raises {type(error).__name__}")
        else:
            yield Check("direct durable-memory write", False, "nothing was raised")
        with self.runtime.writing() as db:
            try:
                with store.transaction(db):
                    db.execute("UPDATE memory_candidates SET durable_write_enabled=1")
            except store.IntegrityError as error:
                yield Check("durable_write_enabled", True, f"cannot be set: {error}")
                return
        yield Check("durable_write_enabled", False, "was set")

    def formats(self) -> Iterator[Check]:
        from .parsers import FORMATS

        db = self.runtime.reader
        sql = "SELECT source_type, count(*) FROM sources WHERE status=? AND uri LIKE 'corpus/%' GROUP BY 1"
        rows = dict(db.execute(sql, (PARSED,)))
        forms = sorted(FORMATS.items(), key=lambda item: item[0] not in _REQUIRED)
        for name, form in ((name, form) for name, form in forms if form.suffixes):
            like = " OR ".join("uri LIKE ?" for _ in form.suffixes)
            sql = f"SELECT count(*) FROM sources WHERE uri LIKE 'corpus/%' AND ({like})"
            there = db.execute(sql, [f"%{suffix}" for suffix in form.suffixes]).fetchone()[0]
            read = rows.get(name, 0) + (rows.get("scan", 0) if name == "pdf" else 0)
            if not there and name in _REQUIRED:
                yield Check(f"{name} adapter", None, "there is none among the documents")
            elif there and (why := form.unavailable()):
                yield Check(f"{name} adapter", None, why)
            elif there:
                yield Check(f"{name} adapter", read > 0, f"{read} of {there} read")

    def missing(self) -> Iterator[Check]:
        """A picture where no program for OCR can be found, and formats without an adapter: pending, with the reason."""
        inbox = os.path.join(self.runtime.project.root, HOME, INBOX)
        for name, data in (("scan.png", _picture()), ("old.xls", b"x"), ("old.hml", b"<HWPML/>")):
            with open(os.path.join(inbox, name), "wb") as file:
                file.write(data)
        path = os.environ.get("PATH", "")
        os.environ["PATH"] = ""
        try:
            self.runtime.ingest()
        finally:
            os.environ["PATH"] = path
        rows = self.runtime.reader.execute("SELECT uri, status, reason FROM sources WHERE root LIKE '%inbox'")
        found = {os.path.basename(uri): (status, reason) for uri, status, reason in rows}
        for name, word in (("scan.png", "tesseract is not installed"), ("old.xls", ".xls"), ("old.hml", ".hml")):
            status, reason = found.get(name, ("", ""))
            yield Check(name, status == UNSUPPORTED and word in reason, f"{status}, {reason}")
            os.unlink(os.path.join(inbox, name))
        sql = "SELECT reason FROM sources WHERE status=?"
        reasons = [reason for (reason,) in self.runtime.reader.execute(sql, (UNSUPPORTED,))]
        yield Check("each says why", bool(reasons) and all(reasons), f"{len(reasons)} pending an adapter")

    def policy(self) -> Iterator[Check]:
        for path in ("/etc", "~/.ssh", "../elsewhere"):
            self.runtime.project.register(Root(os.path.normpath(path)))
        counts = self.runtime.ingest()
        for path, _ in counts.refused:
            self.runtime.project.unregister(path)
        yield Check(
            "unapproved places are not read",
            len(counts.refused) >= 2 and not counts.new,
            f"{len(counts.refused)} refused",
        )

    def storage(self) -> Iterator[Check]:
        root = self.runtime.project.root
        first, second, copy = (os.path.join(root, name) for name in ("first.json", "second.json", "copy.sqlite"))
        transfer.export(self.runtime.reader, first)
        with store_at(copy) as db:
            transfer.load(db, first)
        with store_at(copy) as db:
            transfer.export(db, second)
            sound = store.check(db)
        with open(first, "rb") as one, open(second, "rb") as other:
            same = one.read() == other.read()
        yield Check("export, import, export", same and not sound, "the same bytes, and a sound store")
        shutil.copyfile(first, second)
        wrong = store.check(self.runtime.reader)
        yield Check("the store", not wrong, wrong[0] if wrong else f"sound at {clock.now()}")


_DIMENSIONS = 2
_VECTORS = {"refund": (100, 0), "money": (90, 30), "whale": (0, 100)}


def _asset(place: str) -> None:
    """A Model2Vec asset of three words."""
    parts = {
        "vocab.txt": "\n".join(_VECTORS).encode(),
        "scales.f32": array("f", [0.01] * len(_VECTORS)).tobytes(),
        "embeddings.int8": b"".join(array("b", row).tobytes() for row in _VECTORS.values()),
    }
    os.mkdir(place)
    for name, data in parts.items():
        with open(os.path.join(place, name), "wb") as file:
            file.write(data)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    with open(os.path.join(place, "manifest.json"), "w", encoding="utf-8") as manifest:
        json.dump({"format": model2vec.FORMAT, "dimensions": _DIMENSIONS, "files": digests}, manifest)


def _picture() -> bytes:
    """One white pixel, as PNG."""
    found = b"\x89PNG\r\n\x1a\n"
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0\xff")), (b"IEND", b"")):
        found += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return found


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


class store_at:
    """A store at a path, open for writing inside a `with`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> store.Connection:
        self.db = store.connect(self.path, write=True)
        return self.db

    def __exit__(self, *exception: object) -> None:
        self.db.close()
