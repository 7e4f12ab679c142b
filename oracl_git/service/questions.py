"""Questions and their answers: search, related, trace, show, and what they lead to.

Knows which layers answer, how documents of the ontology join in, and what is noted
of a question. Ranks nothing itself.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .. import telemetry
from ..errors import OraclError, UnknownPath, UsageError
from ..git import resolve_commit
from ..graph.model import encode_path
from ..graph.parameters import UNREAD_IMPORTS
from ..recall import tables
from ..recall.model import Answer, Reason, Result, Step
from ..store.index import Index, Link, Node

if TYPE_CHECKING:
    from ..ontology.model import Counts
    from ..ontology.runtime import Runtime
    from ..recall.context import Context, Form
    from ..recall.references import Neighbour, Place
    from ..recall.symbols import Symbol


from .named import Named, is_directory, rows_of
from .opened import Progress, repaired

_AS_IT_LIES = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_WIDE = 300  # answers that are looked through when only some paths are wanted


class Shown(NamedTuple):
    """Everything known of one artifact."""

    node: Node
    priority: int
    blended: int
    terms: dict[str, tuple[int, int]]  # bucket → c_b as a fraction
    association: int
    delta: int
    links: tuple[tuple[Link, str, bool], ...]  # (edge, the other end, whether it points away)
    definitions: tuple[tuple[str, int, int, str], ...]
    text: str
    start: int
    end: int
    commits: int
    last: int


class Questions(Named):
    """Asks; every answer says why."""

    @repaired
    def search(
        self, text: str, *, limit: int = 20, ranker: str = "hybrid", persona: str = tables.DEFAULT_PERSONA,
        snippet: bool = False, update: bool = True, progress: Progress | None = None,
    ) -> Answer:  # fmt: skip
        """Where is this? Every string is a question."""
        from ..recall.search import RANKERS, search

        if ranker not in RANKERS:
            raise UsageError(f"there is no ranker {ranker!r}", f"one of: {' '.join(sorted(RANKERS))}")
        if persona not in tables.PERSONAS:
            raise UsageError(f"there is no persona {persona!r}", f"one of: {' '.join(tables.PERSONAS)}")
        started, before = time.monotonic(), telemetry.resident()
        index = self.fresh(update, progress)
        loaded = time.monotonic()
        answer = search(
            index,
            text,
            limit=limit,
            ranker=ranker,
            persona=persona,
            resolve_time=self._time_of,
            meaning=self.embedding is not None,
        )
        self._record("search", text, answer, started, loaded, before)
        return self._with_snippets(answer) if snippet else answer

    @repaired
    def context(
        self, text: str, *, budget: int = 4_000, limit: int = 20, paths: Iterable[str] = (), update: bool = True,
        progress: Progress | None = None, form: Form | None = None,
    ) -> Context:  # fmt: skip
        """The best fragments for a question in at most `budget` tokens, from `limit` files (below `paths`, if any).

        `form`: what they cost as they will be written; as Markdown otherwise.
        """
        from ..graph.globs import matches
        from ..recall.context import pack
        from ..recall.search import search

        started, before = time.monotonic(), telemetry.resident()
        index = self.fresh(update, progress)
        loaded = time.monotonic()
        within = [self._place(path) for path in paths]
        wide = limit if not within else max(_WIDE, limit)
        answer = search(index, text, limit=wide, resolve_time=self._time_of)
        if within:
            kept = [r for r in answer.results if any(_lies_in(r.path, p) or matches(p, r.path) for p in within)]
            answer = answer._replace(results=tuple(kept[:limit]))
        packed = pack(index, answer, budget, self._rows, form)
        self._record("context", text, answer, started, loaded, before)
        return packed

    def _place(self, name: str) -> str:
        """The file or directory a name means, as its repository path; what means none is a pattern."""
        places = (path for path in self.repository_paths(name) if self.index.node(path) or self.below(path, 1))
        return next(places, name)

    def _record(
        self, kind: str, raw: object, answer: Answer, started: float, loaded: float, before: int, parsed: object = (),
    ) -> None:  # fmt: skip
        if not self.log or not telemetry.enabled(self.settings):
            return
        now = time.monotonic()
        parsed = parsed or getattr(answer.query, "notes", ())
        telemetry.record(
            self.repo.git_dir, kind, raw, parsed, [(r.path, r.focus) for r in answer.results], named=self.session,
            total=answer.total, latency_ms=round((now - loaded) * 1000, 3), load_ms=round((loaded - started) * 1000, 3),
            rss_before=before, rss_after=telemetry.resident(),
        )  # fmt: skip

    @repaired
    def related(
        self, paths: Iterable[str], *, limit: int = 20, kind: str = "", update: bool = True,
        progress: Progress | None = None,
    ) -> Answer:  # fmt: skip
        """What goes with these files, as one question.

        A file that is no artifact (git does not know it, or it is left out) is known by its path, by its
        history, and by the text it has in the work tree.
        """
        from ..recall.related import related

        started, before = time.monotonic(), telemetry.resident()
        index = self.fresh(update, progress)
        loaded = time.monotonic()
        names = list(paths)
        nodes, texts, strangers = [], [], []
        for name in names:
            try:
                node = self.resolve(name)[0]
            except UnknownPath:
                path, text = self._stranger(name)
                strangers.append(path)
                texts.append(text)
                continue
            if node not in nodes:  # a rename has two names
                nodes.append(node)
        answer = related(index, nodes, text="\n".join(texts), limit=limit, kind=kind, strangers=strangers)
        if nodes and kind in ("", "docs") and self._has_ontology:
            answer = self._with_documents(index, nodes, answer, limit)
        self._record("related", names, answer, started, loaded, before, [node.path for node in nodes])
        return answer

    @property
    def _has_ontology(self) -> bool:
        """Whether whoever owns this clone activated the ontology: its store is never part of a commit."""
        top = self.repo.work_tree
        return top is not None and os.path.isfile(os.path.join(top, ".agentlas", "ontology-runtime.sqlite"))

    def ontology(self) -> Runtime:
        """The ontology of this repository. Close it, or use it as a context manager."""
        from ..ontology.project import Project
        from ..ontology.runtime import Runtime

        if self.repo.work_tree is None:
            raise UsageError("a bare repository has no files to keep an ontology in", "ask in a clone of it")
        return Runtime(Project(self.repo.work_tree, self.repo))

    def _with_documents(self, index: Index, nodes: list[Node], answer: Answer, limit: int) -> Answer:
        from ..companion import with_documents

        try:
            with self.ontology() as runtime:
                return with_documents(index, runtime, nodes, answer, limit)
        except OraclError as error:
            self.notes.append(f"without the ontology: {error.message}")
            return answer

    def sync_ontology(self) -> Counts | None:
        """Read again the registered files that git tracks and that changed; None where there is no ontology to write.

        The index is right without it, so what is wrong with it is a note.
        """
        if not self._has_ontology:
            return None
        try:
            with self.ontology() as runtime:
                return runtime.ingest(only_tracked=True)
        except OraclError as error:
            self.notes.append(f"without the ontology: {error.message} ({error.hint})")
            return None

    def _stranger(self, name: str) -> tuple[str, str]:
        """(path, text in the work tree) of a file that is no artifact; a binary one has no text."""
        top = self.repo.work_tree
        for path in self.repository_paths(name):
            full = os.path.join(os.fsencode(top or ""), encode_path(path))  # bytes: the locale may know fewer letters
            # A symlink anywhere on the way may lead out of the repository.
            ours = self.strangers and bool(top) and os.path.realpath(full) == full and ".git" not in path.split("/")
            if ours and os.path.isfile(full):
                try:
                    # What was a file a moment ago may lead elsewhere now, or never end.
                    with open(os.open(full, os.O_RDONLY | _AS_IT_LIES), "rb") as file:
                        data = file.read(1 << 20)
                except OSError as error:
                    raise OraclError(f"{name} cannot be read: {error.strerror}", "check who owns it") from None
                return path, "" if b"\0" in data else data.decode("utf-8", "replace")
            if self.index.has(encode_path(path)):  # left out, and not here
                return path, ""
            if (ours and os.path.isdir(full)) or self.below(path, 1):
                raise is_directory(name, path)
        for path in self.repository_paths(name):
            if self.index.commits_of(path, 1):  # it was deleted: what went with it is known
                if not name.startswith(":/"):
                    self.notes.append(f"{name} was deleted: its path and its history are known, its text is not")
                return path, ""
        where = "is neither in the indexed commit nor in the work tree"
        raise self._unknown(name, where if self.strangers else "is not in the indexed commit")

    @repaired
    def why(self, a: str, b: str) -> list[Reason]:
        """Everything that ties two files."""
        from ..recall.related import why

        index = self.fresh()
        return why(index, self.resolve(a)[0], self.resolve(b)[0])

    @repaired
    def trace(self, path: str, *, direction: str = "out", depth: int = 2, relations: Iterable[str] = ()) -> Step:
        """The dependency tree of a file."""
        from ..recall.trace import tree

        index = self.fresh()
        node = self.resolve(path)[0]
        if node.language in UNREAD_IMPORTS:
            self.notes.append(f"imports of {node.language} are not read yet: this is what files name of each other")
        return tree(index, node, direction, min(depth, 64), relations)

    @repaired
    def paths_between(
        self, start: str, goal: str, *, direction: str = "out", relations: Iterable[str] = ()
    ) -> list[list[Step]]:
        """The shortest dependency paths from one file to another."""
        from ..recall.trace import shortest

        index = self.fresh()
        return shortest(index, self.resolve(start)[0], self.resolve(goal)[0], direction, relations)

    @repaired
    def impact(
        self, paths: Iterable[str], *, depth: int = 2, relations: Iterable[str] | None = None
    ) -> list[tuple[Node, int, Step]]:
        """What a change of these files can break, tests first. Paths that are new are passed over."""
        from ..recall.trace import IMPACT_RELATIONS, impact

        return impact(self.fresh(), self.artifacts(paths), depth, relations or IMPACT_RELATIONS)

    @repaired
    def artifacts(self, paths: Iterable[str]) -> list[Node]:
        """The artifacts that some paths name: a file, or all of a directory. `notes` says which name none."""
        index = self.fresh()
        found: dict[int, Node] = {}
        for name in paths:
            try:
                node = self.resolve(name)[0]
                found[node.id] = node
            except UnknownPath as error:
                below = next((rows for path in self.repository_paths(name) if (rows := self.below(path))), None)
                found.update(index.nodes([node for node, _ in below or ()]))
                if below is None and error.message not in self.notes:
                    self.notes.append(error.message)
        return list(found.values())

    @repaired
    def meant(self, name: str) -> str:
        """The repository path that a written one means: of a file or directory that is there, else from here."""
        index, places = self.fresh(), list(self.repository_paths(name))
        return next((path for path in places if index.node(path) or self.below(path, 1)), (places or [name])[0])

    @repaired
    def symbols(self, letters: str, *, limit: int = 100) -> list[Symbol]:
        """Files and definitions whose name has these letters in order."""
        from ..recall.symbols import symbols

        return symbols(self.fresh(), letters, limit)

    @repaired
    def places(self, path: str) -> list[Place]:
        """The references of a file that lead to another, place by place."""
        from ..recall.references import places

        index = self.fresh()
        return places(index, self.resolve(path)[0])

    @repaired
    def neighbours(self, path: str, direction: str) -> list[Neighbour]:
        """Whom a file refers to ("out"), or who refers to it ("in")."""
        from ..recall.references import neighbours

        index = self.fresh()
        return neighbours(index, self.resolve(path)[0], direction)

    @repaired
    def hub(self, domain: str, *, limit: int = 20, update: bool = True) -> Answer:
        """The files of a domain, by R̂ on its hub and then by priority."""
        from ..graph.model import HUB, hub_of

        index = self.fresh(update)
        node = index.node(hub_of(domain), HUB)
        if node is None:
            known = " ".join(name for name, _ in index.domains()[:12])
            raise UnknownPath(f"there is no domain {domain!r}", f"known: {known}")
        rows = []
        members = {link.source: link for link in index.links(node.id, "in", hubs=True)}
        nodes = index.nodes(members)
        for other, link in members.items():
            rows.append(
                (-index.normalised(link.rank), -index.priority(nodes[other])[1], nodes[other].path, nodes[other])
            )
        rows.sort(key=lambda row: row[:3])
        results = tuple(
            Result(
                path, -rank / 1e6, kind=member.role, source="hub", commit=index.commit,
                reasons=(Reason("priority", f"priority {-blended / 1e6:.2f}", -rank / 1e6),),
            )
            for rank, blended, path, member in rows[:limit]
        )  # fmt: skip
        return Answer(results, len(rows))

    @repaired
    def associations(self, path: str, k: int = 10) -> list[tuple[str, Link]]:
        """top_k_associations: the neighbours of a file ordered by R̂ alone."""
        from ..recall.related import top_k_associations

        index = self.fresh()
        rows = top_k_associations(index, self.resolve(path)[0].id, k)
        nodes = index.nodes(node for node, _ in rows)
        return [(nodes[node].path, link) for node, link in rows]

    @repaired
    def edges(self, key: str, *, limit: int = 100) -> list[tuple[str, Link]]:
        """(key, edge) by tag-derived key, forward or reverse, whole or a prefix: "core:graph:", "docs:"…"""
        from ..recall.keys import edges_at, edges_under

        index = self.fresh()
        exact = edges_at(index, key)
        return [(key, link) for link in exact] or edges_under(index, key, limit)

    @repaired
    def resolve_fragment(self, name: str) -> str:
        """The text of PATH#L10-40 or PATH#symbol, as the indexed commit has it."""
        self.fresh()
        node, start, end = self.resolve(name)
        return self.lines(node, start or 1, end or max(1, node.lines))

    @repaired
    def show(self, name: str) -> Shown:
        """Everything known of one file, or of some of its lines."""
        from ..graph import association
        from ..graph.parameters import BUCKET_WEIGHTS

        index = self.fresh()
        node, start, end = self.resolve(name)
        p, blended = index.priority(node)
        mu, sigma = index.statistics
        a = association.mean(node.sum, node.edges) if node.edges else mu
        text = self.lines(node, start or 1, end or 40)
        links = [(link, link.target, True) for link in index.links(node.id, "out", hubs=True)]
        links += [(link, link.source, False) for link in index.links(node.id, "in")]
        nodes = index.nodes(other for _, other, _ in links)
        rows = tuple((link, nodes[other].path, away) for link, other, away in links)
        terms = self._terms(node)
        others = max(1, int(str(index.header["nodes"])) - 1)
        terms["connectivity"] = (min(node.degree, others), others)
        return Shown(
            node, p, blended, {bucket: terms[bucket] for bucket in BUCKET_WEIGHTS}, a, association.delta(a, mu, sigma),
            rows, tuple(index.definitions(node.id)), text, start or 1, min(end or 40, max(node.lines, 1)),
            len(index.commits_of(node.path)), index.activity.get(node.id, (0, 0))[0],
        )  # fmt: skip

    def _terms(self, node: Node) -> dict[str, tuple[int, int]]:
        """The priority terms of a node, recomputed from what the commit says."""
        import json

        from ..extract.extractor import extract
        from ..graph import governance, link, priority
        from ..store.tree import StoredNames

        index = self.index
        blobs: dict[str, str] = json.loads(str(index.header.get("governance", "{}")))
        with self._objects() as objects:
            contents = dict(objects.blobs(list(blobs.values()))) if blobs else {}
        rules = governance.parse({name: contents.get(oid) or b"" for name, oid in blobs.items()})
        try:
            facts = index.facts(node)
        except LookupError:  # the cache was pruned: the blob still says the same
            facts = extract(self._blob(node), node.language)
        incoming = {edge.relation for edge in index.links(node.id, "in")}
        names = StoredNames(index.db, lambda blob, language: None)
        standing = priority.Standing(
            "tests" in incoming, "governs" in incoming, "provides" in incoming, link.is_package_root(node.path, names)
        )
        return priority.contributions(node.path, node.tags, facts, rules, standing)

    def _with_snippets(self, answer: Answer) -> Answer:
        from ..recall.lines import stems, window

        blobs = {}
        for result in answer.results:
            node = self.index.node(result.path)
            if node:
                blobs[result.path] = node.blob
        with self._objects() as objects:
            contents = dict(objects.blobs(list(dict.fromkeys(blobs.values()))))
        asked = stems(getattr(answer.query, "text", ""))
        results = []
        for result in answer.results:
            start, _, end = result.focus[1:].partition("-")
            rows = rows_of(contents.get(blobs.get(result.path, "")) or b"")
            rows = rows[int(start or 1) - 1 : int(end or start or tables.SNIPPET)]
            first = window(rows, asked, tables.SNIPPET)
            text = "\n".join(rows[first : first + tables.SNIPPET])
            results.append(result._replace(snippet=text, snippet_line=int(start or 1) + first))
        return answer._replace(results=tuple(results))

    def _time_of(self, name: str) -> int | None:
        """A date, or the time of the commit a revision names."""
        import re
        from datetime import UTC, datetime

        match = re.fullmatch(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", name)
        if match:
            year, month, day = (int(part or 1) for part in match.groups())
            try:
                return int(datetime(year, month, day, tzinfo=UTC).timestamp())
            except (ValueError, OverflowError):
                return None
        from ..git.run import attempt

        try:
            commit = resolve_commit(self.repo, name)
        except OraclError:
            return None
        code, out, _ = attempt(self.repo, "log", "-1", "--format=%ct", "--no-show-signature", commit, "--")
        return int(out) if code == 0 and out.strip() else None


def _lies_in(path: str, directory: str) -> bool:
    return not directory or path == directory or path.startswith(directory.rstrip("/") + "/")
