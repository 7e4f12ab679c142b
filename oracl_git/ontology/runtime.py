"""One ontology, open: what the service, the dashboard and tools call.

Knows which store is meant, which adapter encodes, and that whoever wrote leaves a
backup where `git clean` does not reach. The work is done by the modules it names.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import NotAllowed, OntologyInactive, OraclError, UsageError
from ..store.database import closed_on_failure
from . import evidence, experience, gather, graph, held, memory, policy, store, text_index, working
from .documents import Edge
from .embedding import AUTO, Adapter, adapter
from .model import DEFAULT_SCOPES, FACT, PARSED, PRIVATE, SCOPES, Counts, Hit, Memory, narrower
from .passage import best_sentences
from .project import CONFIG, SOURCES, Project, Root, is_text
from .search import Corpus, search
from .store import Connection

Progress = Callable[[str, int, int], None]
SURE = 0.5  # confidence from which a passage makes a ticket
_TICKETS = 3  # that one question may make
# What no adapter reads is no document: source code in a registered directory is the rule, not a loss.
_FAILED = "SELECT count(*) FROM sources WHERE status<>? AND reason NOT LIKE 'unsupported:%' AND scope IN ({})"


@dataclass
class Asked:
    """Everything the ontology says to a question."""

    question: str
    hits: list[Hit]
    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    experience: list[Memory]
    lineage: dict[str, list[dict[str, str]]]
    adapter: Adapter
    documents: list[Edge] = field(default_factory=list)
    artifacts: list[Any] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    working: str = ""
    notes: list[str] = field(default_factory=list)
    scopes: tuple[str, ...] = DEFAULT_SCOPES

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.hits or self.experience)


class Runtime:
    """The ontology of a project, or of one database file."""

    def __init__(self, project: Project, *, db: str = "", embedding: str = "", model_path: str = "") -> None:
        self.project = project
        self.path = db or project.database
        self.own = not db or os.path.abspath(db) == project.database
        self._embedding, self._model_path = embedding, model_path
        self._adapter: Adapter | None = None
        self._reader: Connection | None = None
        self._rescoped = 0  # sources that opening the store gave another scope
        self._corpora: dict[tuple[str, ...], Corpus] = {}

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
            self._corpora.clear()

    @property
    def adapter(self) -> Adapter:
        """What encodes: asked for, else as the configuration says, else `auto`."""
        if self._adapter is None:
            name = self._embedding
            if not name and self.own and os.path.exists(self.project.place(CONFIG)):
                name = str(self.project.config().get("embedding_adapter") or "")
            self._adapter = adapter(name or AUTO, self._model_path, self._verified())
        return self._adapter

    def _verified(self) -> str:
        """What the file system said of the table when it was last checked."""
        try:
            rows = self.reader.execute("SELECT value FROM meta WHERE key='table'").fetchone()
        except OraclError:
            return ""
        return str(rows[0]) if rows else ""

    # -- opening ----------------------------------------------------------------------------

    @property
    def reader(self) -> Connection:
        """The store, to read. Raises OntologyInactive when there is none."""
        if self._reader is None:
            if self.own and os.path.exists(self.project.place(CONFIG)):
                self.project.config()  # a policy that is not ours is not served
            db = self._connected()
            with closed_on_failure(db):
                outdated = self.own and held.outdated(db, self._roots())
            if outdated:
                db.close()
                with self.writing() as writer:
                    self._rescoped += held.rescope(writer, self._roots())
                db = self._connected()
            self._reader = db
        return self._reader

    def _private(self) -> None:
        """Raise NotAllowed for a store that git tracks: whoever sent it decided what is approved in it, and public."""
        repo = self.project.repo
        if repo is None or repo.work_tree is None or not self.own:
            return
        from ..git.run import attempt

        name = os.path.relpath(self.path, repo.work_tree)
        code, out, _ = attempt(repo, "ls-files", "-z", "--", name, cwd=repo.work_tree, index=True)
        if code == 0 and out:
            raise NotAllowed(
                f"{name} is tracked by git, and a store is private to one clone",
                f"git rm {name}, then git oracl ontology init; git rm --cached keeps it, if it is your own",
            )

    def _connected(self) -> Connection:
        self._private()
        try:
            return store.connect(self.path)
        except FileNotFoundError:
            hint = "git oracl ontology init" if self.own else "ontology --db FILE ingest PATH"
            raise OntologyInactive(f"there is no ontology at {self.path}", hint) from None

    def _registered(self) -> tuple[list[Root], list[tuple[str, str]]]:
        """(what is registered, the inbox with it, [(what was not believed, why)])."""
        roots, refused = self.project.roots()
        if not any(root.path == gather.INBOX_ROOT.path for root in roots):
            roots.append(gather.INBOX_ROOT)
        return roots, refused

    def _roots(self) -> gather.Roots:
        return gather.Roots(self.project, self._registered()[0], Counts())

    @contextmanager
    def writing(self, *, make: bool = False) -> Iterator[Connection]:
        """The store, to write; a rolling backup follows. `make`: there need not be one yet."""
        if not make and not os.path.isfile(self.path):
            raise OntologyInactive(f"there is no ontology at {self.path}", "git oracl ontology init")
        if self.own and not make:
            self.project.config()
        self._private()
        self.close()
        db = store.connect(self.path, write=True)
        try:
            before = db.total_changes
            yield db
            changed = db.total_changes != before
        except store.DatabaseError as error:
            raise store.unusable(error, self.path) from error
        finally:
            self.close()  # who reads on keeps the journal from being folded in
            db.close()
        if changed and self.backup_place:
            os.makedirs(os.path.dirname(self.backup_place), exist_ok=True)
            store.backup(self.path, self.backup_place)

    @property
    def backup_place(self) -> str:
        """Where the rolling backup of a project's own store is kept; "" where there is none."""
        repo = self.project.repo
        if repo is None or not self.own:
            return ""
        name = hashlib.sha256(os.fsencode(self.project.root)).hexdigest()[:12]
        return os.path.join(repo.common_dir, "oracl", "ontology-backup", f"{name}.sqlite")

    # -- activation and sources ----------------------------------------------------------------

    def init(self, *, restore: bool = False) -> tuple[list[str], bool]:
        """Activate; (what was made, whether a backup is there that could be restored)."""
        made = self.project.activate()
        if restore:
            if not os.path.isfile(self.backup_place):
                raise UsageError("there is no backup to restore", "git oracl ontology init")
            self.close()
            store.restore(self.backup_place, self.path)
            if self.project.place(SOURCES) in made:
                self._register_again()
            return [*made, self.path], False
        fresh = not os.path.exists(self.path)
        offered = fresh and bool(self.backup_place) and os.path.isfile(self.backup_place)
        if fresh and offered:
            return made, True  # an empty store would soon replace the backup
        adapter = self.adapter
        with self.writing(make=True) as db:
            from .ingest import record_adapters

            record_adapters(db, adapter)
        return ([*made, self.path] if fresh else made), False

    def _register_again(self) -> None:
        """Register what the store was read from: what took the store away took the register along."""
        db = self._connected()
        roots = [Root(*row) for row in db.execute("SELECT DISTINCT root, scope, kind FROM sources")]
        db.close()
        for root in roots:
            if root.path != gather.INBOX_ROOT.path:
                self.project.register(root)

    def lost(self) -> int:
        """How many documents of the inbox the store holds that lie there no more."""
        rows = self.reader.execute("SELECT uri FROM sources WHERE root=?", (gather.INBOX_ROOT.path,))
        return sum(not os.path.lexists(os.path.join(self.project.root, uri)) for (uri,) in rows)

    def root_of(self, path: str, *, scope: str, kind: str, base: str = "") -> Root:
        """A path as a person writes it, as a root: relative inside the project, absolute outside."""
        full = os.path.normpath(os.path.join(base or self.project.root, os.path.expanduser(path)))
        if full == self.project.root or full.startswith(self.project.root + "/"):
            return Root(os.path.relpath(full, self.project.root), scope, kind)
        resolved = os.path.realpath(full)
        if resolved == self.project.root or resolved.startswith(self.project.root + "/"):
            return Root(os.path.relpath(resolved, self.project.root), scope, kind)
        return Root(resolved, scope, kind)

    def permit(self, root: Root, allow_outside: bool) -> None:
        """Raise NotAllowed for a root that may not be read; remember an approval given now."""
        if reason := policy.forbidden(self.project, root):
            raise NotAllowed(f"{root.path} {reason}", "name another place")
        reason = policy.needs_approval(self.project, root)
        if reason and not policy.approved(self.project, root):
            if not allow_outside:
                raise NotAllowed(f"{root.path} {reason}", "if you own it and mean it, add --allow-outside")
            policy.approve(self.project, root)

    def add_source(self, root: Root, *, allow_outside: bool = False) -> bool:
        """Register a source; whether that changed anything. Raises NotAllowed, UsageError."""
        if not is_text(root.path):
            raise UsageError(f"{gather.shown(root.path)} is not UTF-8", "name the directory above it")
        self.permit(root, allow_outside)
        base, relative = os.path.split(root.path) if root.outside else (self.project.root, root.path)
        what = _files().kind_of(base, relative)
        if what not in ("file", "directory"):
            raise UsageError(f"{root.path} cannot be registered: {what}", "name a file or a directory")
        self.project.config()
        changed = self.project.register(root)
        if changed and os.path.isfile(self.path):
            self.close()
            _ = self.reader  # what is held of it has the scope it is registered with from now on
        return changed

    def remove_source(self, path: str) -> int | None:
        """Take a source out of the register, and what was read from it; how many documents. None: it was not there."""
        policy.revoke(self.project, path)
        if not self.project.unregister(path):
            return None
        if not os.path.isfile(self.path):
            return 0
        with self.writing() as db:
            held.rescope(db, self._roots())  # what a wider root holds as well belongs to that one now
            gone = held.of_root(db, path)
            with store.transaction(db):
                evidence.forget(db, gone)
            forgotten = held.forget(db, gone)
            if forgotten:
                text_index.tidy(db)
            return forgotten

    def sources(self) -> list[dict[str, Any]]:
        """Registered roots and whether they may be read here."""
        roots, refused = self.project.roots()
        rows = [
            {"path": root.path, "kind": root.kind, "scope": root.scope, "reason": policy.allowed(self.project, root)}
            for root in [gather.INBOX_ROOT, *roots]
        ]
        return rows + [{"path": path, "kind": "", "scope": "", "reason": why} for path, why in refused]

    # -- ingest --------------------------------------------------------------------------------

    def ingest(
        self,
        roots: Sequence[Root] = (),
        *,
        progress: Progress | None = None,
        only_tracked: bool = False,
        ocr: float | None = None,
    ) -> Counts:
        """Bring the store to what the inbox and the registered sources hold; a store apart, to the roots given.

        `ocr`: seconds for pictures, those left out before too; without it a bounded time for new ones.
        """
        from .ingest import Ingest, record_adapters

        adapter = self.adapter
        with self.writing(make=not self.own) as db:
            refused: list[tuple[str, str]] = []
            if self.own:
                registered, refused = self._registered()
            else:
                rows = db.execute("SELECT DISTINCT root, scope, kind FROM sources").fetchall()
                named = {root.path for root in roots}
                registered = [*roots, *(Root(*row) for row in rows if row[0] not in named)]
            record_adapters(db, adapter)
            counts = Ingest(db, self.project, adapter, progress, ocr).run(
                registered, allow=not self.own, only_tracked=only_tracked
            )
            counts.refused += refused
            counts.rescoped += self._rescoped
            self._rescoped = 0
            memory.expire(db)
            return counts

    def renew(self) -> None:
        """Read again if what open tickets rest on has changed: before anyone decides, those are stale."""
        if os.path.isfile(self.path) and evidence.unread(self.reader, self.project):
            self.ingest()

    # -- asking --------------------------------------------------------------------------------

    def corpus(self, scopes: Sequence[str]) -> Corpus:
        """The passages of some scopes, kept between questions."""
        key = tuple(scope for scope in SCOPES if scope in scopes)
        if key not in self._corpora:
            self._corpora[key] = Corpus(self.reader, key)
        return self._corpora[key]

    def search(self, question: str, scopes: Sequence[str] = DEFAULT_SCOPES, limit: int = 10) -> list[Hit]:
        """The passages that answer a question, and nothing else."""
        return search(self.corpus(scopes), self.adapter, question, limit)

    def query(
        self,
        question: str,
        *,
        scopes: Sequence[str] = DEFAULT_SCOPES,
        agent: str = "",
        limit: int = 10,
        budget: int = experience.BUDGET,
    ) -> Asked:
        """Passages, entities, relations, lineage and experience. Writes nothing."""
        db = self.reader
        hits = self.search(question, scopes, limit)
        chunks = [hit.chunk for hit in hits]
        named = graph.named(db, question, scopes)
        entities = graph.of_chunks(db, chunks, named, scopes)
        relations = graph.relations(db, chunks, named, scopes)
        recalled = experience.recall(db, self.adapter, question, agent, scopes=scopes, budget=budget) if agent else []
        asked = Asked(question, hits, entities, relations, recalled, self._lineage(hits, scopes), self.adapter)
        asked.scopes = tuple(scopes)
        if self.adapter.status != "available":
            asked.notes.append(f"{self.adapter.status}: {self.adapter.name} ({self.adapter.detail})")
        failed = db.execute(_FAILED.format(",".join("?" * len(scopes))), (PARSED, *scopes)).fetchone()[0]
        if failed and not hits:
            what = "1 document" if failed == 1 else f"{failed:,} documents"
            asked.notes.append(f"{what} could not be read (git oracl ontology status)")
        if told := experience.weak(recalled):
            asked.notes.append(told)
        if self._behind(db):
            asked.notes.append("registered files changed since they were read (git oracl ontology ingest)")
        return asked

    def hidden(self, scopes: Sequence[str]) -> set[str]:
        """The sources of other scopes: not to be told of by another way."""
        marks = ",".join("?" * len(scopes))
        rows = self.reader.execute(f"SELECT uri FROM sources WHERE scope NOT IN ({marks})", tuple(scopes))
        return {uri for (uri,) in rows}

    def _behind(self, db: Connection) -> bool:
        """Whether HEAD has another tree than the one whose documents are held."""
        repo = self.project.repo
        if repo is None or repo.head is None or not self.own:
            return False
        tree = dict(db.execute("SELECT key, value FROM meta WHERE key='tree'")).get("tree", "")
        if not tree:
            return False
        from ..git.run import attempt

        _, out, _ = attempt(repo, "rev-parse", "--verify", "--quiet", f"{repo.head}^{{tree}}")
        return out.decode("ascii", "replace").strip() not in ("", tree)

    def _lineage(self, hits: Iterable[Hit], scopes: Sequence[str]) -> dict[str, list[dict[str, str]]]:
        """Where the sources of passages come from, as far as those scopes may know."""
        found = {}
        marks = ",".join("?" * len(scopes))
        for ref in dict.fromkeys(hit.source_ref for hit in hits):
            rows = self.reader.execute(
                "SELECT l.relation, coalesce(s.uri, l.parent), l.checksum, l.observed_at FROM source_lineage l"
                f" LEFT JOIN sources s ON s.ref=l.parent WHERE l.source=? AND coalesce(s.scope IN ({marks}), TRUE)"
                " ORDER BY l.id",
                (ref, *scopes),
            )
            found[ref] = [dict(zip(("relation", "from", "checksum", "observed_at"), row, strict=True)) for row in rows]
        return found

    def record(self, asked: Asked, agent: str) -> None:
        """Make tickets and a working-memory item of an answer: only ever when asked to."""
        sure = [hit for hit in asked.hits if hit.confidence >= SURE][:_TICKETS]
        if not sure:
            return
        with self.writing() as db:
            alive = [
                (hit, number[0])
                for hit in sure
                if (number := db.execute("SELECT id FROM chunks WHERE ref=?", (hit.ref,)).fetchone())
            ]
            with store.transaction(db):
                scope = SCOPES[0]
                for hit, number in alive:
                    ref, _ = memory.propose(
                        db,
                        FACT,
                        best_sentences(hit.text, asked.question),
                        reason=f"answers {asked.question[:200]!r}",
                        adapter=self.adapter,
                        agent=agent,
                        refs=[evidence.of_chunk(db, number)],
                        confidence=hit.confidence,
                        scope=hit.scope,
                        risk="medium" if hit.scope == PRIVATE else "low",
                        kind="project_fact",
                    )
                    asked.suggestions.append(ref)
                    scope = narrower(scope, hit.scope)
                if agent and alive:
                    refs = [evidence.of_chunk(db, number) for _, number in alive]
                    text = f"{asked.question[:200]}: " + " ".join(
                        best_sentences(hit.text, asked.question) for hit, _ in alive
                    )
                    best = alive[0][0].confidence
                    asked.working = working.remember(
                        db, agent, text[:1000], refs, scope=scope, confidence=best, importance=best
                    )

    def status(self, scopes: Sequence[str] = DEFAULT_SCOPES) -> dict[str, Any]:
        """Counts of what these scopes hold, by scope and by status; adapters; what failed and why."""
        db = self.reader
        marks = f"({','.join('?' * len(scopes))})"
        seen = f"FROM sources s WHERE s.scope IN {marks}"
        passages = f"JOIN chunks c ON c.id=t.chunk JOIN sources s ON s.id=c.source WHERE s.scope IN {marks}"

        def count(sql: str) -> int:
            return int(db.execute(f"SELECT count(*) {sql}", tuple(scopes)).fetchone()[0])

        def counted(sql: str) -> dict[str, int]:
            return dict(db.execute(sql, tuple(scopes)))

        memories = f"FROM memory_candidates t WHERE t.scope IN {marks}"
        return {
            "database": self.path,
            "bytes": os.path.getsize(self.path),
            "counts": {
                "sources": count(seen),
                "chunks": count(f"FROM chunks c JOIN sources s ON s.id=c.source WHERE s.scope IN {marks}"),
                "entities": count(f"FROM (SELECT DISTINCT t.entity FROM entity_mentions t {passages})"),
                "relations": count(f"FROM relations t {passages}"),
                "memory_candidates": count(memories),
                "memory_links": count(
                    "FROM memory_links l JOIN memory_candidates t ON t.id=l.source JOIN memory_candidates u"
                    f" ON u.id=l.target AND u.scope=t.scope WHERE t.scope IN {marks}"
                ),
                "working_memory": count(f"FROM working_memory t WHERE t.scope IN {marks}"),
            },
            "scopes": counted(f"SELECT scope, count(*) {seen} GROUP BY 1 ORDER BY 1"),
            "statuses": counted(f"SELECT status, count(*) {seen} GROUP BY 1 ORDER BY 1"),
            "formats": counted(
                f"SELECT source_type, count(*) {seen} AND status='parsed' GROUP BY 1 ORDER BY 2 DESC, 1"
            ),
            "tickets": counted(f"SELECT status, count(*) {memories} AND type<>'experience' GROUP BY 1 ORDER BY 1"),
            "experience": count(f"{memories} AND type='experience'"),
            "failed": [
                {"uri": uri, "status": status, "reason": reason}
                for uri, status, reason in db.execute(
                    f"SELECT uri, status, reason {seen} AND status<>'parsed' ORDER BY uri", tuple(scopes)
                )
            ],
            "adapters": [
                {"name": name, "role": role, "status": status, "detail": detail}
                for name, role, status, detail in db.execute(
                    "SELECT name, role, status, detail FROM runtime_adapters ORDER BY role, name"
                )
            ],
            "migrations": [name for (name,) in db.execute("SELECT name FROM schema_migrations ORDER BY version")],
            "behind": self._behind(db),
        }


def _files() -> Any:
    from . import files

    return files


__all__ = ["SOURCES", "Asked", "Runtime"]
