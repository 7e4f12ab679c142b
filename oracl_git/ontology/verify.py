"""`ontology verify`: documents run through everything, in a place of their own, and what holds said line by line.

Knows what the runtime promises and how each promise is tried on a corpus. Touches
neither the project's store nor its files; what it would commit is only looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import DirectDurableMemoryWriteBlocked, OraclError
from . import clock, experience, files, graph, memory, store, transfer, working
from .embedding import AUTO, HASH, adapter
from .model import PARSED, SCOPES, UNSUPPORTED
from .project import HOME, INBOX, Project, Root
from .runtime import Runtime

EXAMPLES = "examples/ontology-corpus"
_AGENT, _OTHER = "verifier", "somebody-else"
_SMALL = {
    "helios.md": (
        "# Project Helios\n\nOwner: Mina Park\n\nProject Helios depends on Project Selene. Mina Park manages"
        " Project Helios.\n\n"
        "## Refunds\n\nA refund is paid within seven days after the goods came back.\n"
    ),
    "환불.txt": "환불은 물건을 돌려받은 날부터 7일 이내에 합니다.\n",
    "limits.json": '{"retry": {"budget": 3, "unit": "attempts"}}\n',
    "prices.csv": "item,price\nlamp,40\nchair,75\n",
    "old.xls": "not read by any adapter\n",
}
_SECRETS = (
    ("a private key", re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY")),
    ("an access token", re.compile(rb"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|xox[abpr]-[0-9A-Za-z-]{20,})\b")),
    ("a password", re.compile(rb"(?i)\b(?:password|passwd|secret)\s*[:=]\s*[\"']?[A-Za-z0-9!@#$%^&*_-]{8,}")),
    ("a resident number", re.compile(rb"\b\d{6}-[1-4]\d{6}\b")),
    ("a card number", re.compile(rb"\b(?:4\d{3}|5[1-5]\d{2})[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b")),
    (
        "a mail address outside example domains",
        re.compile(rb"[\w.+-]+@(?!(?:[\w-]+\.)*example\.(?:com|org|net)\b)[\w-]+\.(?:com|net|io|kr)\b"),
    ),
    ("a home directory", re.compile(rb"(?:/home/|/Users/|C:\\Users\\)\w+")),
)


class Check(NamedTuple):
    """One promise, and what was seen."""

    name: str
    ok: bool
    text: str


def run(project: Project, corpus: str = "", embedding: str = "") -> list[Check]:
    """Every check, in the order of the source's list."""
    given = corpus or (
        os.path.join(project.root, EXAMPLES) if os.path.isdir(os.path.join(project.root, EXAMPLES)) else ""
    )
    if given and not os.path.isdir(given):
        raise OraclError(f"{given} is not a directory", "git oracl ontology verify DIRECTORY")
    with tempfile.TemporaryDirectory(prefix="oracl-verify-") as place:
        root = os.path.realpath(place)
        _fill(os.path.join(root, "corpus"), given)
        with Runtime(Project(root), embedding=embedding or AUTO) as runtime:
            runtime.init()
            trial = _Trial(runtime)
            checks = [check for step in trial.steps for check in _tried(step)]
    return [*checks, *_safety(project, given)]


def _fill(target: str, given: str) -> None:
    os.makedirs(target)
    if not given:
        for name, text in _SMALL.items():
            with open(os.path.join(target, name), "w", encoding="utf-8") as file:
                file.write(text)
        return
    base = os.path.realpath(given)
    for relative in files.walk(base, ".", lambda reason: None):
        full = os.path.join(target, relative)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w+b") as out:
            try:
                files.copy(base, relative, out)
            except files.Unreadable:
                continue


def _tried(step: Callable[[], Iterator[Check]]) -> list[Check]:
    """The checks of one step; one that cannot even be made has failed."""
    try:
        return list(step())
    except Exception as error:  # whatever it is, it is the answer
        return [Check(step.__name__.strip("_").replace("_", " "), False, f"{type(error).__name__}: {error}")]


class _Trial:
    """The steps, on one store."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.steps = (
            self._ingest, self._flow, self._idempotency, self._lineage, self._eviction, self._privacy, self._isolation,
            self._selection, self._full_ranking, self._similar, self._embedding, self._durable, self._formats,
            self._unsupported, self._policy, self._storage,
        )  # fmt: skip

    def _ingest(self) -> Iterator[Check]:
        self.runtime.project.register(Root("corpus"))
        counts = self.runtime.ingest()
        held = self.runtime.status()["counts"]
        yield Check("ingest", counts.new > 0 and held["chunks"] > 0, f"{counts.new} sources, {held['chunks']} passages")

    def _flow(self) -> Iterator[Check]:
        """Ingest, query, graph, ticket, working memory: one passage all the way."""
        text, uri = self.runtime.reader.execute(
            "SELECT c.text, s.uri FROM chunks c JOIN sources s ON s.id=c.source WHERE length(c.text) > 20 ORDER"
            " BY c.id LIMIT 1"
        ).fetchone()
        question = " ".join(text.split()[:8])
        asked = self.runtime.query(question)
        found = any(hit.uri == uri for hit in asked.hits)
        yield Check("query", found, f"{len(asked.hits)} passages for a passage's own words, {uri} among them")
        names = graph.entities(self.runtime.reader)
        relations = self.runtime.reader.execute("SELECT count(*) FROM relations").fetchone()[0]
        yield Check("graph", bool(names), f"{len(names)} entities, {relations} relations, each with its evidence")
        before = self._rows()
        self.runtime.query(question, agent=_AGENT)
        yield Check("a query writes nothing", self._rows() == before, "rows before and after are the same")
        self.runtime.record(asked, _AGENT)
        items = working.read(self.runtime.reader, _AGENT)
        yield Check(
            "tickets and working memory when asked for",
            bool(asked.suggestions and items),
            f"{len(asked.suggestions)} tickets",
        )
        nothing = self.runtime.query("zxqv wvutsr qqqq").hits
        yield Check("no answer, no passage", not nothing, f"{len(nothing)} passages for a question about nothing")

    def _rows(self) -> list[int]:
        tables = ("sources", "chunks", "memory_candidates", "memory_candidate_events", "working_memory", "memory_links")
        return [self.runtime.reader.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    def _idempotency(self) -> Iterator[Check]:
        before = self._rows()
        counts = self.runtime.ingest()
        yield Check(
            "idempotency",
            self._rows() == before and not (counts.new or counts.changed),
            f"{counts.unchanged} unchanged",
        )

    def _lineage(self) -> Iterator[Check]:
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

    def _eviction(self) -> Iterator[Check]:
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

    def _privacy(self) -> Iterator[Check]:
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

    def _isolation(self) -> Iterator[Check]:
        with self.runtime.writing() as db:
            for agent, scope, text in (
                (_AGENT, "internal", "The harbour pilot wants a radio check."),
                (_OTHER, "internal", "The harbour pilot wants tea."),
                (_AGENT, "private", "The harbour pilot wants silence."),
            ):  # fmt: skip
                experience.ingest(db, self.runtime.adapter, agent, [{"text": text, "scope": scope}])
        rows = experience.eligible(self.runtime.reader, _AGENT, SCOPES[:2])
        texts = [row.text for row in rows]
        ok = texts == ["The harbour pilot wants a radio check."]
        yield Check("exact-agent isolation, before ranking", ok, f"{len(rows)} row of three is read at all")

    def _selection(self) -> Iterator[Check]:
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

    def _full_ranking(self) -> Iterator[Check]:
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

    def _similar(self) -> Iterator[Check]:
        db = self.runtime.reader
        wrong = db.execute(
            "SELECT count(*) FROM memory_links l JOIN memory_candidates a ON a.id=l.source JOIN memory_candidates b ON"
            " b.id=l.target WHERE a.agent<>b.agent OR a.scope<>b.scope OR (l.actor='runtime' AND"
            " l.relation<>'similar_to')"
        ).fetchone()[0]
        made = db.execute(
            "SELECT count(*) FROM memory_links WHERE relation='similar_to' AND actor='runtime'"
        ).fetchone()[0]
        yield Check("automatic links are similar_to, within agent and scope", made > 0 and not wrong, f"{made} links")

    def _embedding(self) -> Iterator[Check]:
        own = adapter(AUTO)
        told = own.status == "available" or any(own.status in note for note in self.runtime.query("anything").notes)
        yield Check(
            "the embedding in use is told", told, f"{own.name}, {own.dimensions} dimensions, {own.status}: {own.detail}"
        )
        same = adapter(HASH).encode("the same text") == adapter(HASH).encode("the same text")
        yield Check("the hash fallback is deterministic", same, f"{adapter(HASH).dimensions} dimensions")

    def _durable(self) -> Iterator[Check]:
        try:
            memory.write_durable("anything")
        except DirectDurableMemoryWriteBlocked as error:
            yield Check("direct durable-memory write", True, f"raises {type(error).__name__}")
        with self.runtime.writing() as db:
            try:
                with store.transaction(db):
                    db.execute("UPDATE memory_candidates SET durable_write_enabled=1")
            except store.IntegrityError as error:
                yield Check("durable_write_enabled", True, f"cannot be set: {error}")
                return
        yield Check("durable_write_enabled", False, "was set")

    def _formats(self) -> Iterator[Check]:
        from .parsers import FORMATS

        rows = dict(
            self.runtime.reader.execute(
                "SELECT source_type, count(*) FROM sources WHERE status=? GROUP BY 1", (PARSED,)
            )
        )
        for name, form in ((name, form) for name, form in FORMATS.items() if form.suffixes):
            there = self.runtime.reader.execute(
                f"SELECT count(*) FROM sources WHERE {' OR '.join('uri LIKE ?' for _ in form.suffixes)}",
                [f"%{s}" for s in form.suffixes],
            ).fetchone()[0]
            if there and not form.unavailable():
                read = rows.get(name, 0) + (rows.get("scan", 0) if name == "pdf" else 0)
                yield Check(f"{name} adapter", read > 0, f"{read} of {there} read")

    def _unsupported(self) -> Iterator[Check]:
        rows = self.runtime.reader.execute("SELECT uri, reason FROM sources WHERE status=?", (UNSUPPORTED,)).fetchall()
        yield Check("unsupported formats say why", all(reason for _, reason in rows), f"{len(rows)} pending an adapter")

    def _policy(self) -> Iterator[Check]:
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

    def _storage(self) -> Iterator[Check]:
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


class store_at:
    """A store at a path, open for writing inside a `with`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> store.Connection:
        self.db = store.connect(self.path, write=True)
        return self.db

    def __exit__(self, *exception: object) -> None:
        self.db.close()


# -- public safety ------------------------------------------------------------------------------


def _safety(project: Project, given: str) -> list[Check]:
    """Whether the corpus, and what git would commit under .agentlas, holds nothing that is nobody's business."""
    found: list[str] = []
    count = 0
    places = (
        [(os.path.realpath(given), path) for path in files.walk(os.path.realpath(given), ".", lambda reason: None)]
        if given
        else []
    )
    checks = []
    for base, path in places:
        count += 1
        found += [f"{path}: {what}" for what in secrets_in(os.path.join(base, path))]
    if given:
        checks.append(
            Check(
                "public safety of the corpus",
                not found,
                "; ".join(found[:5]) or f"{count} files, nothing private in them",
            )
        )
    private, leaks, tracked = [], [], _would_commit(project)
    for path in tracked:
        name = path.removeprefix(f"{HOME}/")
        if name.startswith(("ontology-runtime.sqlite", "ontology-inbox/", "ontology-gui/")):
            private.append(path)
        leaks += [f"{path}: {what}" for what in secrets_in(os.path.join(project.root, path))]
    text = "; ".join([*(f"{path} is private" for path in private), *leaks][:5])
    checks.append(
        Check(
            "public safety of what would be committed",
            not (private or leaks),
            text or f"{len(tracked)} files under {HOME}",
        )
    )
    return checks


def secrets_in(path: str) -> list[str]:
    """What a file holds that should not be published, in words."""
    if os.path.islink(path) or not os.path.isfile(path):
        return []
    with open(path, "rb") as file:
        data = file.read(4 << 20)
    return [what for what, pattern in _SECRETS if pattern.search(data)]


def _would_commit(project: Project) -> list[str]:
    """What git tracks, or would add, under .agentlas."""
    from ..git.run import attempt

    repo = project.repo
    if repo is None or repo.work_tree is None:
        return []
    _, out, _ = attempt(
        repo, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", HOME, cwd=repo.work_tree, index=True
    )
    return [os.fsdecode(raw) for raw in out.split(b"\0") if raw]
