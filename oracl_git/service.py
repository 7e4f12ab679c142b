"""The use cases. The CLI, the language server, MCP and hooks call these and nothing deeper.

Knows how a question finds its repository, how the index is kept fresh before
it is read, and which layers answer. Knows nothing of terminals or protocols.
"""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import IO, TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from . import telemetry
from .errors import EmbeddingUnusable, IndexUnusable, NothingIndexed, OraclError, UnknownPath, Unverified, UsageError
from .git import Objects, Repository, discover, head_state, open_objects, resolve_commit, settings, shallow_state
from .graph.model import decode_path, encode_path
from .graph.parameters import UNREAD_IMPORTS
from .recall import tables
from .recall.model import Answer, Reason, Result, Step
from .store import database
from .store.index import Index, Link, Node
from .store.settings import Report, Settings

if TYPE_CHECKING:
    from .check.file import Standing
    from .check.model import Finding
    from .embedding import Asset
    from .learn.mine import Mined
    from .learn.tickets import Ticket
    from .ontology.model import Counts
    from .ontology.runtime import Runtime
    from .recall.context import Context
    from .recall.references import Neighbour, Place
    from .recall.symbols import Symbol
    from .store.fill import Filled
    from .store.mirror import Found
    from .uncommitted import Uncommitted
    from .vault.chain import Chain, Snapshot
    from .vault.export import Exported
    from .vault.keyring import Listing
    from .vault.use import Checked, Created, Transfer
    from .vault.verify import Options

P = ParamSpec("P")
T = TypeVar("T")
Progress = Callable[[str, int, int], None]
FRESHNESS_BUDGET = 2.0  # seconds a question may spend on bringing the index up to date
_WIDE = 300  # answers that are looked through when only some paths are wanted
_LOCK_WAIT = 0.2  # seconds a question waits for another update


def repaired(ask: Callable[Concatenate[Oracl, P], T]) -> Callable[Concatenate[Oracl, P], T]:
    """A question that finds the index damaged makes it anew, says so, and is asked once more."""

    @wraps(ask)
    def asked(self: Oracl, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return ask(self, *args, **kwargs)
        except database.DatabaseError as error:
            if not database.is_damage(error):
                raise database.unusable(error) from error
        self.close()
        for name in ("index", "facts", "history"):
            database.remove(database.place(self.repo, name))
        self.notes.append("the index was damaged and has been made anew")
        return ask(self, *args, **kwargs)

    return cast("Callable[Concatenate[Oracl, P], T]", asked)


class Status(NamedTuple):
    """Where the index stands against HEAD."""

    commit: str | None
    head: str | None
    tree: str | None
    root: str | None
    artifacts: int
    edges: int
    behind: int  # commits between the index and HEAD
    skipped: dict[str, int]
    pending: int  # chunks that wait for the worker
    problems: tuple[str, ...]  # entries of tracked settings that were not believed
    shallow: bool
    history: int  # commits of history the index lies on


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


class Check(NamedTuple):
    """One finding of `doctor`."""

    name: str
    ok: bool
    text: str
    hint: str = ""


class Oracl:
    """One repository's memory. Close it, or use it as a context manager."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.notes: list[str] = []
        self._index: Index | None = None
        self._settings: dict[str, str] | None = None
        self.uncommitted: Uncommitted | None = None  # what lies over the index; None: answers are of the commit
        self.budget = FRESHNESS_BUDGET
        self.log = True  # whether questions are kept in the query log
        self.build = True  # whether a question may make an index where there is none
        self._head: tuple[object, ...] = ()
        self._standing: tuple[object, Standing] | None = None  # what files are judged by, and of which set of paths

    # -- opening -----------------------------------------------------------------------

    @classmethod
    def at(cls, path: str | None = None, *, worktree: bool = False) -> Oracl:
        """The repository at a path (default: here). Raises NotARepository.

        `worktree`: answer as if what is not committed were, see `uncommitted`.
        """
        oracl = cls(discover(path))
        if worktree:
            from .uncommitted import Uncommitted

            if oracl.repo.work_tree is None:
                raise UsageError("a bare repository has no work tree", "leave out --worktree")
            oracl.uncommitted = Uncommitted(oracl.repo)
        return oracl

    def close(self) -> None:
        """Let go of the index."""
        if self.uncommitted is not None:
            self.uncommitted.close()
        self._close_base()

    def _close_base(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def follow(self) -> bool:
        """Look again where HEAD is, for who keeps this open; whether it may have moved."""
        now = head_state(self.repo)
        if now == self._head:
            return False
        self.repo = discover(self.repo.work_tree or self.repo.git_dir)._replace(prefix=self.repo.prefix)
        self._head, self._settings = now, None
        self._close_base()
        if self.uncommitted is not None:
            self.uncommitted.follow(self.repo)
        return True

    def __enter__(self) -> Oracl:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def settings(self) -> dict[str, str]:
        """The `oracl.*` settings of git config."""
        if self._settings is None:
            self._settings = settings(self.repo)
        return self._settings

    @property
    def depth(self) -> int:
        """How many commits of history count (`oracl.historyDepth`)."""
        from .store.history import DEFAULT_DEPTH

        value = self.settings.get("oracl.historydepth", str(DEFAULT_DEPTH))
        if not (value.isascii() and value.isdigit()) or len(value) > 9 or int(value) < 1:
            raise UsageError(f"oracl.historyDepth must be a whole number above 0, not {value[:40]!r}",
                             "git config --unset oracl.historyDepth")  # fmt: skip
        return int(value)

    @property
    def embedding(self) -> Asset | None:
        """The embedding, unless `oracl.embedding` says to do without."""
        from .embedding import find

        return None if self.settings.get("oracl.embedding", "").lower() in ("false", "no", "off", "0") else find()

    @property
    def index(self) -> Index:
        """The index as it was last asked for; see `fresh`."""
        if self.uncommitted is not None and self.uncommitted.index is not None:
            return self.uncommitted.index
        if self._index is None:
            self._index = Index(self.repo)
        return self._index

    # -- keeping it fresh --------------------------------------------------------------

    def update(
        self, *, full: bool = False, progress: Progress | None = None, wait: float | None = None,
        alpha: float | None = None, beta: float | None = None, skip: Iterable[str] | None = None,
    ) -> Report:  # fmt: skip
        """Bring the index to HEAD; the report of what was done."""
        from .store.update import update

        tuned = _tuned(alpha, beta, skip) if (alpha, beta, skip) != (None, None, None) else None
        self.close()
        return update(
            self.repo, settings=tuned, full=full, depth=self.depth, progress=progress, wait=wait, asset=self.embedding
        )

    def fill(self, progress: Progress | None = None, stop: Callable[[], bool] | None = None) -> Filled | None:
        """Encode the passages that have no vector yet, until `stop()`; None when there is to be no embedding.

        Raises EmbeddingUnusable when its files are not whole.
        """
        from .store.fill import fill

        asset = self.embedding
        if asset is None:
            return None
        self.close()
        return fill(self.repo, asset, progress, stop)

    def fresh(self, update: bool = True, progress: Progress | None = None) -> Index:
        """The index, at HEAD where that can be had within the budget; `notes` says when not."""
        if self.uncommitted is None:
            return self._base(update, progress)
        if self.uncommitted.follows(update):
            try:
                return self.uncommitted.lay()
            except LookupError:  # what the commit has there is not known any more: take another copy
                pass
        self.uncommitted.close()  # a copy: of an index that is no more, or of another commit
        base = self._base(update, progress)
        self.uncommitted.start(base, self._current(base))
        self._close_base()
        return self.uncommitted.lay()

    def _base(self, update: bool, progress: Progress | None) -> Index:
        if self.repo.head is None:
            raise NothingIndexed("there is no commit to index yet", "make a first commit, then ask again")
        try:
            index = self.index
        except FileNotFoundError as error:
            if not update or not self.build:
                raise IndexUnusable("there is no index yet", "git oracl init") from None
            self.update(progress=progress)
            if "damaged" in str(error):
                self.notes.append("the index was damaged and has been made anew")
            return self.index
        if not update or self._current(index):
            return index
        started = time.monotonic()

        def within(step: str, done: int, total: int) -> None:
            if time.monotonic() - started > self.budget:
                raise _OverBudget
            if progress:
                progress(step, done, total)

        try:
            self.update(progress=within, wait=_LOCK_WAIT)
        except (_OverBudget, OraclError):
            behind = self._behind(self.index.commit)
            if not behind and self.index.commit == self.repo.head:
                why = "was made by another version" if self.index.past else "has lost its history of commits"
                self.notes.append(f"the index {why} (git oracl update makes it anew)")
                return self.index
            self.notes.append(
                f"index is {behind} commit{'s' * (behind != 1)} behind HEAD (git oracl update brings it up to date)"
                if behind else "index is not at HEAD (git oracl update brings it up to date)"
            )  # fmt: skip
        return self.index

    def _current(self, index: Index) -> bool:
        """Whether the index is of HEAD, by this version, with as much history as the clone has."""
        from .extract import version

        if index.commit != self.repo.head or index.header.get("extractor") != version():
            return False
        # The store of history is shared: another worktree may have lost it and made it anew.
        return index.header.get("shallow", "") == shallow_state(self.repo) and index.past is not None

    def _behind(self, commit: str) -> int:
        from .git.run import attempt

        if self.repo.head is None or commit == self.repo.head:
            return 0
        code, out, _ = attempt(self.repo, "rev-list", "--count", f"{commit}..{self.repo.head}", "--")
        return int(out) if code == 0 else 0

    @repaired
    def status(self) -> Status:
        """Where the index stands; reads, never updates."""
        try:
            index = self.index
        except FileNotFoundError:
            return Status(None, self.repo.head, None, None, 0, 0, 0, {}, 0, (), self.repo.shallow, 0)
        import json

        head = index.header
        root = head.get("root")
        artifacts = len(index.paths())
        return Status(
            index.commit, self.repo.head, str(head["tree"]), str(root) if root else None, artifacts,
            int(str(head["edges"])), self._behind(index.commit), dict(index.skipped()),
            self._pending(index), tuple(json.loads(str(head.get("problems", "[]")))), self.repo.shallow,
            len(index.reach),
        )  # fmt: skip

    def _pending(self, index: Index) -> int:
        asset = self.embedding
        if asset is None:
            return 0
        try:
            return index.vectors.pending if index.embedding[0] == asset.model else index.chunk_count
        except EmbeddingUnusable as error:
            self.notes.append(error.message)
            return index.chunk_count

    def forget(self) -> list[str]:
        """Remove everything `init` and updates made; what was removed."""
        import shutil

        from .vault.place import quiet_log

        self.close()
        quiet_log(self.repo, quiet=False)
        gone = []
        linked = os.path.join(self.repo.common_dir, "worktrees")
        worktrees = [os.path.join(linked, name) for name in sorted(os.listdir(linked))] if os.path.isdir(linked) else []
        for place in dict.fromkeys((self.repo.git_dir, self.repo.common_dir, *worktrees)):
            path = os.path.join(place, "oracl")
            if os.path.isdir(path):
                shutil.rmtree(path)
                gone.append(path)
        return gone

    # -- questions --------------------------------------------------------------------

    def resolve(self, name: str) -> tuple[Node, int, int]:
        """PATH or PATH#L10-40 as written here → (artifact, first line, last line; 0, 0 without)."""
        whole = self._locate(name)
        if whole is None and "#" in name:
            path, _, tail = name.rpartition("#")
            node = self._locate(path)
            if node is not None:
                return (node, *self._lines(node, tail))
        if whole is None:
            for path in self.repository_paths(name):
                if self.index.under(f"{path}/", 1):
                    raise UnknownPath(f"{name} is a directory", f"git oracl search prefix:{path}/")
            raise UnknownPath(
                f"{name} is not in the indexed commit", f"git oracl search filename:{posixpath.basename(name) or name}"
            )
        return whole, 0, 0

    def _locate(self, name: str) -> Node | None:
        for path in self.repository_paths(name):
            node = self.index.node(path)
            if node is not None:
                return node
        return None

    def repository_paths(self, name: str) -> Iterator[str]:
        """The repository paths a written path may mean: from here, then from the root (":/x": the root only)."""
        if "\0" in name:  # no path has one, and the system refuses to look
            return
        if name.startswith(":/"):
            yield name[2:]
        if os.path.isabs(name):
            top = self.repo.work_tree
            if top is None:
                return
            for place in (name, os.path.realpath(name)):
                relative = os.path.relpath(place, top)
                if not relative.startswith(".."):
                    yield relative.replace(os.sep, "/")
            return
        here = posixpath.normpath(posixpath.join(self.repo.prefix, name))
        if not here.startswith("../") and here not in ("..", "."):
            yield here
        root = posixpath.normpath(name)
        if root != here and not root.startswith("../"):
            yield root

    def _lines(self, node: Node, tail: str) -> tuple[int, int]:
        import re

        match = re.fullmatch(r"L(\d+)(?:-L?(\d+))?", tail)
        if match:
            start = int(match.group(1)[:9])
            return start, int((match.group(2) or match.group(1))[:9])
        if not tail:
            raise UnknownPath(f"{node.path}# names no lines and no definition", f"git oracl show {node.path}")
        symbol = self.index.symbol(node.id, tail)
        if symbol is None:
            raise UnknownPath(f"{node.path} defines no {tail}", f"git oracl show {node.path}")
        return symbol

    @repaired
    def search(
        self, text: str, *, limit: int = 20, ranker: str = "hybrid", persona: str = tables.DEFAULT_PERSONA,
        snippet: bool = False, update: bool = True, progress: Progress | None = None,
    ) -> Answer:  # fmt: skip
        """Where is this? Every string is a question."""
        from .recall.search import RANKERS, search

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
        progress: Progress | None = None,
    ) -> Context:  # fmt: skip
        """The best fragments for a question in at most `budget` tokens, from `limit` files (below `paths`, if any)."""
        from .graph.globs import matches
        from .recall.context import pack
        from .recall.search import search

        started, before = time.monotonic(), telemetry.resident()
        index = self.fresh(update, progress)
        loaded = time.monotonic()
        within = [path.removeprefix("./") for path in paths]
        wide = limit if not within else max(_WIDE, limit)
        answer = search(index, text, limit=wide, resolve_time=self._time_of)
        if within:
            kept = [r for r in answer.results if any(_lies_in(r.path, p) or matches(p, r.path) for p in within)]
            answer = answer._replace(results=tuple(kept[:limit]))
        packed = pack(index, answer, budget, self._rows)
        self._record("context", text, answer, started, loaded, before)
        return packed

    def _rows(self, node: Node) -> list[str]:
        """The lines of an artifact, counted as extraction counts them: at line feeds alone."""
        rows = self._blob(node).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        return rows if rows[-1] else rows[:-1]

    def _record(
        self, kind: str, raw: object, answer: Answer, started: float, loaded: float, before: int, parsed: object = (),
    ) -> None:  # fmt: skip
        if not self.log or not telemetry.enabled(self.settings):
            return
        now = time.monotonic()
        parsed = parsed or getattr(answer.query, "notes", ())
        telemetry.record(
            self.repo.git_dir, kind, raw, parsed, [(r.path, r.fragment) for r in answer.results], total=answer.total,
            latency_ms=round((now - loaded) * 1000, 3), load_ms=round((loaded - started) * 1000, 3),
            rss_before=before, rss_after=telemetry.resident(),
        )  # fmt: skip

    @repaired
    def related(
        self, paths: Iterable[str], *, limit: int = 20, kind: str = "", update: bool = True,
        progress: Progress | None = None,
    ) -> Answer:  # fmt: skip
        """What goes with these files, as one question. A file git does not know is read from the work tree."""
        from .recall.related import related

        started, before = time.monotonic(), telemetry.resident()
        index = self.fresh(update, progress)
        loaded = time.monotonic()
        names = list(paths)
        nodes, texts, directory = [], [], ""
        for name in names:
            try:
                node = self.resolve(name)[0]
            except UnknownPath:
                text, directory = self._untracked(name)
                texts.append(text)
                continue
            nodes.append(node)
        answer = related(index, nodes, text="\n".join(texts), limit=limit, kind=kind, directory=directory)
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
        from .ontology.project import Project
        from .ontology.runtime import Runtime

        if self.repo.work_tree is None:
            raise UsageError("a bare repository has no files to keep an ontology in", "ask in a clone of it")
        return Runtime(Project(self.repo.work_tree, self.repo))

    def _with_documents(self, index: Index, nodes: list[Node], answer: Answer, limit: int) -> Answer:
        from .companion import with_documents

        try:
            with self.ontology() as runtime:
                return with_documents(index, runtime, nodes, answer, limit)
        except OraclError as error:
            self.notes.append(f"without the ontology: {error.message}")
            return answer

    def sync_ontology(self) -> Counts | None:
        """Read again the registered files that git tracks and that changed; None where there is no ontology."""
        if not self._has_ontology:
            return None
        with self.ontology() as runtime:
            return runtime.ingest(only_tracked=True)

    def _untracked(self, name: str) -> tuple[str, str]:
        """(text, directory) of a file in the work tree that the index does not know."""
        top = self.repo.work_tree
        for path in self.repository_paths(name) if top else ():
            full = os.path.join(os.fsencode(top or ""), encode_path(path))  # bytes: the locale may know fewer letters
            # A symlink anywhere on the way may lead out of the repository.
            if os.path.isfile(full) and os.path.realpath(full) == full and ".git" not in path.split("/"):
                try:
                    with open(full, "rb") as file:
                        data = file.read(1 << 20)
                except OSError as error:
                    raise OraclError(f"{name} cannot be read: {error.strerror}", "check who owns it") from None
                return f"{path}\n{data.decode('utf-8', 'replace')}", posixpath.dirname(path)
        raise UnknownPath(
            f"{name} is neither in the indexed commit nor in the work tree",
            f"git oracl search filename:{posixpath.basename(name) or name}",
        )

    @repaired
    def why(self, a: str, b: str) -> list[Reason]:
        """Everything that ties two files."""
        from .recall.related import why

        index = self.fresh()
        return why(index, self.resolve(a)[0], self.resolve(b)[0])

    @repaired
    def trace(self, path: str, *, direction: str = "out", depth: int = 2, relations: Iterable[str] = ()) -> Step:
        """The dependency tree of a file."""
        from .recall.trace import tree

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
        from .recall.trace import shortest

        index = self.fresh()
        return shortest(index, self.resolve(start)[0], self.resolve(goal)[0], direction, relations)

    @repaired
    def impact(
        self, paths: Iterable[str], *, depth: int = 2, relations: Iterable[str] | None = None
    ) -> list[tuple[Node, int, Step]]:
        """What a change of these files can break, tests first. Paths that are new are passed over."""
        from .recall.trace import IMPACT_RELATIONS, impact

        index = self.fresh()
        nodes = []
        for path in paths:
            try:
                nodes.append(self.resolve(path)[0])
            except UnknownPath:
                self.notes.append(f"{path} is not in the indexed commit")
        return impact(index, nodes, depth, relations or IMPACT_RELATIONS)

    @repaired
    def symbols(self, letters: str, *, limit: int = 100) -> list[Symbol]:
        """Files and definitions whose name has these letters in order."""
        from .recall.symbols import symbols

        return symbols(self.fresh(), letters, limit)

    @repaired
    def places(self, path: str) -> list[Place]:
        """The references of a file that lead to another, place by place."""
        from .recall.references import places

        index = self.fresh()
        return places(index, self.resolve(path)[0])

    @repaired
    def neighbours(self, path: str, direction: str) -> list[Neighbour]:
        """Whom a file refers to ("out"), or who refers to it ("in")."""
        from .recall.references import neighbours

        index = self.fresh()
        return neighbours(index, self.resolve(path)[0], direction)

    # -- learning ----------------------------------------------------------------------

    @repaired
    def learn(self) -> tuple[list[Ticket], Mined]:
        """(all tickets, what the local log says): new findings wait as proposals, decided ones keep their status."""
        from .learn import tickets
        from .learn.mine import mine
        from .recall.lines import stems
        from .recall.query import compile_query

        index = self.fresh()
        learned = {(path, question) for path, question, _ in index.asked}

        def words(text: str) -> frozenset[str]:
            query = compile_query(text)
            return frozenset() if query.frames or query.directives else stems(query.text)

        mined = mine(telemetry.lines(self.repo.git_dir), words, lambda path: index.node(path) is not None)
        known = tickets.load(self.repo.git_dir)
        for ticket in mined.tickets:
            standing = known.get(ticket.id)
            if standing is not None:
                known[ticket.id] = ticket._replace(status=standing.status)
            elif ticket.kind != tickets.TAG or ticket.subject not in learned:
                known[ticket.id] = ticket
        if known:
            tickets.save(self.repo.git_dir, known.values())
        order = {status: place for place, status in enumerate(tickets.STATUSES)}
        return sorted(known.values(), key=lambda t: (order[t.status], -t.confidence, t.kind, t.subject)), mined

    def decide(self, names: Iterable[str], status: str) -> list[Ticket]:
        """Approve or reject tickets by id, or by its beginning; "all" are those that are proposed."""
        from .learn import tickets

        known = tickets.load(self.repo.git_dir)
        chosen = []
        for name in names:
            open_ones = [t for t in known.values() if t.status == tickets.PROPOSED]
            mine = open_ones if name == "all" else [t for i, t in sorted(known.items()) if name and i.startswith(name)]
            if not mine or (name != "all" and len(mine) > 1):
                what = "no ticket" if not mine else f"{len(mine)} tickets"
                raise UsageError(f"there {'is' if not mine else 'are'} {what} {name!r}", "git oracl learn")
            chosen += mine
        for ticket in chosen:
            known[ticket.id] = ticket._replace(status=status)
        tickets.save(self.repo.git_dir, known.values())
        return [known[ticket.id] for ticket in dict.fromkeys(chosen)]

    def apply_learned(self) -> list[str]:
        """Write approved tickets into the tracked files of the work tree; which files changed. Commits nothing."""
        from .graph.governance import LEARNED_EDGES, LEARNED_TAGS
        from .learn import tickets, tracked

        top = self.repo.work_tree
        if top is None:
            raise UsageError("a bare repository has no files to write", "git clone it, then: git oracl learn --apply")
        known = tickets.load(self.repo.git_dir)
        approved = [ticket for ticket in known.values() if ticket.status == tickets.APPROVED]
        folder = os.path.join(top, ".agentlas")
        files: dict[str, bytes | None] = {}
        for name in (LEARNED_EDGES, LEARNED_TAGS):
            full = os.path.join(top, name)
            if os.path.islink(folder) or os.path.islink(full):  # it may lead out of the repository
                raise UsageError(f"{name} is reached by a symbolic link, and is not followed", f"ls -l {folder}")
            try:
                with open(full, "rb") as file:
                    files[name] = file.read()
            except FileNotFoundError:
                files[name] = None
        changed = tracked.changed(files, approved)
        for name, data in changed.items():
            tickets.replace(os.path.join(top, name), data, 0o644)
        for ticket in approved:
            known[ticket.id] = ticket._replace(status=tickets.APPLIED)
        tickets.save(self.repo.git_dir, known.values())
        return sorted(changed)

    def changed_paths(self, *, staged: bool = False, commit: str = "", diff: str = "") -> list[str]:
        """The paths of a change: what is staged, one commit, or a range."""
        from .git.run import git

        args = ["--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames"]
        if staged:
            out = git(self.repo, "diff", "--cached", *args, "--", index=True)
        elif commit:
            out = git(
                self.repo, "diff-tree", "-r", "--root", "--no-commit-id", *args, resolve_commit(self.repo, commit), "--"
            )
        else:
            left, dots, right = diff.partition("...") if "..." in diff else diff.partition("..")
            ends = [resolve_commit(self.repo, end or "HEAD") for end in ((left, right) if dots else (left, "HEAD"))]
            out = git(self.repo, "diff", *args, dots.join(ends) if dots else f"{ends[0]}..{ends[1]}", "--")
        return [raw.decode("utf-8", "surrogateescape") for raw in out.split(b"\0") if raw]

    def check(self, span: str = "", *, whole: bool = False) -> list[Finding]:
        """What a change breaks: a range of commits, else what is staged; or all that is wrong. Needs no index."""
        from .check.run import check

        return check(self.repo, span, whole=whole)

    @repaired
    def broken(self, name: str) -> list[Finding]:
        """The references of one file that lead nowhere, as it stands; with `worktree`, as it is not committed."""
        self.fresh()
        node = self.resolve(name)[0]
        return self._judge().findings(node.path, node.mode, self._blob(node))

    def _judge(self) -> Standing:
        from .check.file import Standing
        from .check.tree import Tree
        from .git import ignored
        from .graph.governance import ORACL_TOML

        index, laid = self.index, self.uncommitted
        key = (index.commit, laid.generation if laid else 0, laid.copies if laid else 0)
        if self._standing is None or self._standing[0] != key:
            paths = [path for _, path in index.paths()] + [path for path, _ in index.skipped_paths()]
            renamed = {**index.renamed(), **(laid.renames() if laid else {})}
            was = [decode_path(raw) for raw in laid.files()] if laid else []

            def made(wanted: list[str]) -> set[str]:
                here = {path for path in wanted if self._lies(path)}
                rest = [encode_path(path) for path in wanted if path not in here]
                return here | set(map(decode_path, ignored(self.repo, rest)))

            settings = index.node(ORACL_TOML)
            self._standing = key, Standing(
                Tree(paths), Tree([*paths, *index.past_paths(), *was, *renamed]), renamed, self._current_text, made,
                self._blob(settings) if settings else b"",
            )  # fmt: skip
        return self._standing[1]

    def _lies(self, path: str) -> bool:
        """Whether something lies there that git may not know of."""
        return self.repo.work_tree is not None and os.path.lexists(os.path.join(self.repo.work_tree, path))

    def _current_text(self, path: str) -> bytes | None:
        if self.uncommitted is not None:
            return self.uncommitted.text(path)
        node = self.index.node(path)
        return self._blob(node) if node else None

    def text(self, name: str) -> str:
        """The whole text of a file, as the answers are about it."""
        return self._blob(self.resolve(name)[0]).decode("utf-8", "replace")

    def fix(self, findings: Iterable[Finding]) -> list[Finding]:
        """Rewrite, in the work tree, the references that can be; which ones. Staged files that differ there stay."""
        from .check.mend import mend

        done, notes = mend(self.repo, findings)
        self.notes += notes
        return done

    @repaired
    def hub(self, domain: str, *, limit: int = 20, update: bool = True) -> Answer:
        """The files of a domain, by R̂ on its hub and then by priority."""
        from .graph.model import HUB, hub_of

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
        from .recall.related import top_k_associations

        index = self.fresh()
        rows = top_k_associations(index, self.resolve(path)[0].id, k)
        nodes = index.nodes(node for node, _ in rows)
        return [(nodes[node].path, link) for node, link in rows]

    @repaired
    def edges(self, key: str, *, limit: int = 100) -> list[tuple[str, Link]]:
        """(key, edge) by tag-derived key, forward or reverse, whole or a prefix: "core:graph:", "docs:"…"""
        from .recall.keys import edges_at, edges_under

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
        from .graph import association
        from .graph.parameters import BUCKET_WEIGHTS

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

        from .extract import extract
        from .graph import governance, link, priority
        from .store.tree import StoredNames

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

    @repaired
    def stats(self, deep: bool = False) -> dict[str, object]:
        """Counts, the numbers of the header, and on request centralities."""
        from collections import Counter

        from .graph.link import RESOLUTIONS

        index = self.fresh()
        kinds: Counter[str] = Counter()
        languages: Counter[str] = Counter()
        imports = [0] * len(RESOLUTIONS)
        for node in index.all_nodes():
            if node.role:
                kinds[node.role] += 1
                languages[node.language] += 1
                if node.language == "python":
                    imports = [a + b for a, b in zip(imports, node.resolutions, strict=True)]
        mu, sigma = index.statistics
        found: dict[str, object] = {
            "commit": index.commit, "root": index.header.get("root"), "nodes": index.header["nodes"],
            "edges": index.header["edges"], "mu": mu, "sigma": sigma, "max_r": index.max_rank,
            "extractor": index.header["extractor"], "imports": dict(zip(RESOLUTIONS, imports, strict=True)),
            "relations": dict(index.relation_counts()), "kinds": dict(kinds.most_common()),
            "languages": dict(languages.most_common()), "domains": dict(index.domains()),
            "skipped": dict(index.skipped()),
        }  # fmt: skip
        if deep:
            from .recall.export import centralities

            found["centralities"] = centralities(index)
        return found

    def recall_table(self) -> dict[str, object]:
        """The published constants of recall."""
        return {
            name.lower(): value
            for name, value in vars(tables).items()
            if name.isupper() and isinstance(value, (dict, int, float))
        }

    def export(self, form: str, file: IO[bytes]) -> None:
        """Write the graph as graphml, gexf, node-link or dot."""
        from .recall.export import write

        write(self.fresh(), form, file)

    def to_networkx(self) -> Any:
        """The graph as a networkx.MultiDiGraph."""
        from .recall.export import to_networkx

        return to_networkx(self.fresh())

    def two_layer(self) -> dict[str, int]:
        """Append the evidence partitions and make the committed view; partition → edges."""
        from .store.evidence import append

        return append(self.index)

    # -- snapshots ----------------------------------------------------------------------

    def snapshot(self, rev: str = "HEAD", *, hmac: bool = False, progress: Progress | None = None) -> Created:
        """Vouch for the graph of a commit with the configured key."""
        from .vault import use

        commit = resolve_commit(self.repo, rev)
        if commit == self.repo.head:
            self.update(progress=progress)
        return use.create(self.repo, self._present(), commit, hmac=hmac, progress=progress)

    def snapshot_if_made_here(self) -> Created | None:
        """A snapshot of HEAD when its commit was made in this clone and a key is configured; else None."""
        from .git.refs import made_here
        from .vault import keys, use

        if not keys.configured(self.repo) or use.policy(self.repo) == "none" or not made_here(self.repo):
            return None
        return use.create(self.repo, self.index, self.index.commit)

    def verify(
        self, rev: str = "HEAD", options: Options | None = None, *, rebuild: bool = False, against: str = "",
        proof: bytes = b"", progress: Progress | None = None,
    ) -> Checked:  # fmt: skip
        """Whether a trusted key vouches for a commit, and whether it is right. Raises Unverified."""
        from .vault import use
        from .vault.verify import Options

        commit = resolve_commit(self.repo, rev)
        return use.check(
            self.repo, commit, options or Options(), again=rebuild, against=against, proof=proof, progress=progress
        )

    def export_snapshot(
        self, directory: str, rev: str = "HEAD", *, hmac: bool = False, keep: int = 10,
        progress: Progress | None = None,
    ) -> Exported:  # fmt: skip
        """Write the graph of a commit as artefacts that can be checked."""
        from .vault import use

        commit = resolve_commit(self.repo, rev)
        if commit == self.repo.head:
            self.update(progress=progress)
        index = self._present()
        return use.export(self.repo, index, commit, directory, hmac=hmac, keep=keep, progress=progress)

    def verify_export(
        self, directory: str, rev: str = "HEAD", options: Options | None = None, *, progress: Progress | None = None
    ) -> tuple[Checked, int]:
        """Whether an export is what the signed graph of its commit gives; (verdict, files). Raises Unverified."""
        from .vault import export, use
        from .vault.verify import Options

        commit = resolve_commit(self.repo, export.commit_of(directory))
        if rev != "HEAD" and resolve_commit(self.repo, rev) != commit:
            raise Unverified(Unverified.MISMATCH, f"the export is of {commit[:7]}, not of {rev}")
        return use.check_export(self.repo, self._present(), commit, directory, options or Options(), progress)

    def _present(self) -> Index | None:
        """The index as it is, or None."""
        try:
            return self.index
        except FileNotFoundError:
            return None

    def health(self, deep: bool = False) -> dict[str, Any]:
        """Population, μ, σ, orphans, unresolved share, drift and a verdict; remembered."""
        from .vault import health

        found = health.examine(self.fresh(), deep)
        health.record(self.repo, found)
        return found

    def health_history(self) -> list[dict[str, Any]]:
        """Every look so far."""
        from .vault import health

        return health.history(self.repo)

    def sharing(self) -> tuple[int, list[str]]:
        """(chains of snapshots in this clone, refspecs that are missing for `git fetch` to bring them along)."""
        from .vault.place import sharing

        return sharing(self.repo)

    def chains(self) -> list[Chain]:
        """The chains of snapshots in this clone."""
        from .vault import use

        return use.listing(self.repo)

    def snapshots_of(self, rev: str) -> list[tuple[Chain, Snapshot]]:
        """Every snapshot of a commit, believed or not."""
        from .vault import use

        return use.find(self.repo, resolve_commit(self.repo, rev))

    def prove(self, name: str) -> dict[str, Any]:
        """The proof that a file is under the root of HEAD's graph."""
        from .graph.model import CONSTRAINT_PREFIX, HUB_PREFIX
        from .vault import use

        index = self.fresh()
        path = name if name.startswith((HUB_PREFIX, CONSTRAINT_PREFIX)) else self.resolve(name)[0].path
        return use.prove(index, path)

    def push_snapshots(self, remote: str, *, everything: bool = False) -> list[Transfer]:
        """Send this clone's chains, or all of them."""
        from .vault import use

        return use.push(self.repo, remote, everything=everything)

    def fetch_snapshots(self, remote: str) -> list[Transfer]:
        """Bring a remote's chains."""
        from .vault import use

        return use.fetch(self.repo, remote)

    def keys(self, *, trust: str = "", base: str = "") -> Listing:
        """The configured key, and who is trusted here."""
        from .vault import keyring

        return keyring.listing(self.repo, trust, base)

    def trust_key(
        self, key: str = "", *, principal: str = "", after: str = "", before: str = "", file: str = ""
    ) -> tuple[str, str]:
        """Add a key to allowed_signers in the work tree, or another file; (file, line)."""
        from .vault import keyring

        return keyring.add_trust(self.repo, key, principal=principal, after=after, before=before, file=file)

    def revoke_key(self, key: str, *, file: str = "") -> tuple[str, str]:
        """Add a key to revoked_signers in the work tree, or another file; (file, line)."""
        from .vault import keyring

        return keyring.add_revocation(self.repo, key, file=file)

    # -- housekeeping -------------------------------------------------------------------

    def diagnose(self) -> list[Check]:
        """Is everything as it should be?"""
        import platform
        import sqlite3

        from . import __version__
        from .git.run import attempt

        _, out, _ = attempt(None, "version")
        checks = [
            Check(
                "oracl-git", True, f"{__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
            ),
            Check("git", bool(out), out.decode("utf-8", "replace").strip() or "git was not found", "install git"),
        ]
        place = os.path.join(self.repo.git_dir, "oracl")
        writable = os.access(place if os.path.isdir(place) else self.repo.git_dir, os.W_OK)
        checks.append(Check("writable", writable, place, f"check who owns {self.repo.git_dir}"))
        checks.append(self._embedding_check())
        try:
            index = self.index
        except FileNotFoundError:
            return [*checks, Check("index", self.repo.head is None, "none yet", "git oracl init")]
        try:
            sound = index.db.execute("PRAGMA quick_check").fetchone()[0]
        except database.DatabaseError as error:
            sound = str(error)
        checks.append(Check("index", sound == "ok", f"{index.commit[:7]}, {sound}", "git oracl update --full"))
        behind = index.commit == self.repo.head
        checks.append(Check("freshness", behind, "at HEAD" if behind else "behind HEAD", "git oracl update"))
        rooted = index.header.get("root") is not None
        checks.append(
            Check("root", rooted, str(index.header.get("root") or "objects are missing"), "git fetch --refetch")
        )
        return checks

    def _embedding_check(self) -> Check:
        asset = self.embedding
        if asset is None:
            return Check("embedding", True, "switched off (oracl.embedding)")
        try:
            asset.verify()
        except EmbeddingUnusable as error:
            return Check("embedding", False, error.message, error.hint)
        return Check("embedding", True, f"{asset.manifest['name']}, every file as its manifest says")

    def lines(self, node: Node, start: int, end: int) -> str:
        """Lines of an artifact as the indexed commit has them (`resolve_fragment`)."""
        return "\n".join(self._rows(node)[start - 1 : end])

    def _objects(self) -> Objects:
        """The texts that the answers are about."""
        return self.uncommitted.objects() if self.uncommitted is not None else open_objects(self.repo)

    def _blob(self, node: Node) -> bytes:
        with self._objects() as objects:
            data = dict(objects.blobs([node.blob])).get(node.blob)
        if data is None:
            self.notes.append(f"the text of {node.path} is not in this clone (git fsck)")
        return data or b""

    def _with_snippets(self, answer: Answer) -> Answer:
        blobs = {}
        for result in answer.results:
            node = self.index.node(result.path)
            if node:
                blobs[result.path] = node.blob
        with self._objects() as objects:
            contents = dict(objects.blobs(list(dict.fromkeys(blobs.values()))))
        results = []
        for result in answer.results:
            start, _, end = result.fragment[1:].partition("-")
            rows = (contents.get(blobs.get(result.path, "")) or b"").decode("utf-8", "replace").splitlines()
            first = int(start) if start else 1
            results.append(result._replace(snippet="\n".join(rows[first - 1 : min(int(end or first), first + 11)])))
        return answer._replace(results=tuple(results))

    def _time_of(self, name: str) -> int | None:
        """A date, or the time of the commit a revision names."""
        import calendar
        import re

        match = re.fullmatch(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", name)
        if match:
            year, month, day = (int(part or 1) for part in match.groups())
            try:
                return calendar.timegm((year, month, day, 0, 0, 0))
            except (ValueError, OverflowError):
                return None
        from .git.run import attempt

        try:
            commit = resolve_commit(self.repo, name)
        except OraclError:
            return None
        code, out, _ = attempt(self.repo, "log", "-1", "--format=%ct", "--no-show-signature", commit, "--")
        return int(out) if code == 0 and out.strip() else None


def _lies_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


class _OverBudget(Exception):
    """The update would take longer than a question may."""


def _tuned(alpha: float | None, beta: float | None, skip: Iterable[str] | None) -> Settings:
    from .graph.link import PHASES
    from .graph.parameters import Blend

    blend = Blend()
    for name, value in (("alpha", alpha), ("beta", beta)):
        if value is not None:
            if not 0 <= value <= 10:
                raise UsageError(f"{name} must lie between 0 and 10, not {value}")
            blend = blend._replace(**{name: round(value * 1_000_000)})
    skipped = frozenset(skip or ())
    unknown = skipped - set(PHASES)
    if unknown:
        raise UsageError(f"there is no phase {sorted(unknown)[0]!r}", f"one of: {' '.join(PHASES)}")
    return Settings(blend, skipped)


def query_mirror(directory: str, text: str, limit: int = 20) -> list[Found]:
    """Artifacts of an export's SQLite bundle, by exact name or prefix; needs no repository."""
    from .store import mirror

    return mirror.query(directory, text, limit)


def check_mirror(directory: str) -> dict[str, Any]:
    """The manifest of a bundle whose parts agree. Raises Unverified (11)."""
    from .store import mirror

    return mirror.check(directory)


def database_place(repo: Repository, name: str) -> str:
    """Where one of the databases lies, for `doctor` and `status`."""
    return database.place(repo, name)
