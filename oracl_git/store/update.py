"""Moving the index from the commit it holds to another, in one transaction.

A rebuild is the same walk from the empty tree. As a commit flows: tree diff →
Facts of unseen blobs → node rows → links of every file whose links could have
changed → S, m and leaves → A, deg and R nearby → text → history → header.
Knows the order; each step has a module of its own.
"""

from __future__ import annotations

import gc
import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..embedding import Asset
from ..errors import GitFailed, NothingIndexed
from ..extract.exclude import excluded
from ..extract.languages import language_of
from ..git import Change, Objects, Repository, open_objects, pack_state, shallow_state
from ..graph import digest, governance
from ..graph.model import decode_path, encode_path
from . import database, sibling
from .chronicle import Chronicle
from .edges import EdgeTable
from .facts import Contents, FactsCache, Said, outlined
from .fill import settle
from .history import DEFAULT_DEPTH, HistoryStore
from .made_by import is_of_this_version, made_by
from .nodes import File, NodeTable, Outlined
from .readers import Witness, read_all
from .settings import Progress, Report, Settings
from .text import TextTable
from .tree import StoredNames

_WHOLE = 400  # from this many changed paths on, tables are read whole
_NONE = "no index yet"
_REGULAR = 0o100000
_TYPE = 0o170000

Skips = dict[tuple[str, str], str]  # (blob, language) → why to leave the file out, or ""


def update(
    repo: Repository, *, commit: str | None = None, settings: Settings | None = None, full: bool = False,
    depth: int = DEFAULT_DEPTH, progress: Progress | None = None, wait: float | None = None, home: str = "",
    asset: Asset | None = None,
) -> Report:  # fmt: skip
    """Bring this worktree's index (or the one in the directory `home`) to `commit` (default HEAD).

    With the `asset` of an embedding the vectors of its chunks come along, as far as they are known, and a few more.

    Waits up to `wait` seconds (default a minute) for another update. Raises
    NothingIndexed when unborn, IndexUnusable when the index cannot be written.
    """
    target = commit or repo.head
    if target is None:
        raise NothingIndexed("there is no commit to index yet", "make a first commit, then: git oracl update")
    places = database.places(repo, home)
    anew = False
    for sure in (False, True):
        try:
            made = _update(repo, target, settings, full or anew, depth, progress, wait, home, asset)
            return made._replace(rebuilt="the index was damaged") if anew else made
        except Exception as error:
            if not database.is_damage(error, *places):
                raise
        anew = database.start_over(places, sure)  # all of it is derived
    made = _update(repo, target, settings, True, depth, progress, wait, home, asset)
    return made._replace(rebuilt="the index was damaged")


def _update(
    repo: Repository, target: str, settings: Settings | None, full: bool, depth: int, progress: Progress | None,
    wait: float | None, home: str, asset: Asset | None,
) -> Report:  # fmt: skip
    with _no_collection(), database.writing(repo, "index", "facts", "history", home=home, wait=wait) as opened:
        index, facts, past = opened
        try:
            copied = not full and not home and sibling.begin(repo, index, settings or Settings(), target)
            with open_objects(repo) as objects, database.transaction(index):
                build = Build(repo, objects, index, FactsCache(facts), past, progress)
                report = build.run(target, settings, full, depth)
                settle(index, facts, asset)
                if index.replaced and report.rebuilt == _NONE:
                    report = report._replace(rebuilt=f"the index {index.replaced}")
                return report._replace(copied=copied)
        except Exception as error:
            if database.is_damage(error, index, facts, past):
                raise sqlite3.DatabaseError(f"malformed: {error}") from error
            if isinstance(error, sqlite3.OperationalError):
                raise database.unusable(error) from error
            raise


@contextmanager
def _no_collection() -> Iterator[None]:
    """What an update builds is live to its end and has no cycles: looking for some costs a tenth of it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Build:
    """One update under way: what its steps share."""

    def __init__(
        self, repo: Repository, objects: Objects, index: sqlite3.Connection, cache: FactsCache,
        past: sqlite3.Connection | None, progress: Progress | None,
    ) -> None:  # fmt: skip
        self.repo, self.objects, self.db, self.cache, self.past = repo, objects, index, cache, past
        self.tell: Progress = progress or (lambda step, done, total: None)
        self.header: dict[str, object] = dict(index.execute("SELECT key, value FROM header"))
        self.contents = Contents(cache, lambda blob: dict(objects.blobs([blob])).get(blob))
        self.parsed = 0

    def run(self, commit: str, settings: Settings | None, full: bool, depth: int) -> Report:
        """The walk. The caller holds the transaction."""
        assert self.past is not None, "only changes that are in no commit are laid without history"
        tree = self.objects.tree_of(commit)
        stored = Settings.decode(self.header.get("settings"))
        settings = settings or stored
        why = self._why_anew(settings, stored, full)
        if why:
            self._empty()
        current = (commit, depth, shallow_state(self.repo), HistoryStore(self.past).identity)
        packs = pack_state(self.repo)  # before anything is looked for: what comes meanwhile is found next time
        changes = self._changes(tree)
        changes += self._come(changes)
        stands = tuple(self.header.get(name) for name in ("commit", "depth", "shallow", "history")) == current
        if stands and not changes:
            if self._has_seen(packs):
                self._write_header()
            return Report(commit, 0, 0, 0, 0, "")
        linked, nodes = self._apply(changes, settings)
        read = Chronicle(self.db, self.past).move(self.repo, self.header, commit, depth, nodes.came, nodes.went)
        self.header |= {
            "commit": commit, "tree": tree, **made_by(), "object_format": self.repo.object_format,
            "settings": settings.encode(), "depth": depth,
        }  # fmt: skip
        self._has_seen(packs)
        self._write_header()
        return Report(commit, len(changes), self.parsed, linked, read, why)

    def lay(self, changes: list[Change], settings: Settings) -> None:
        """Apply changes that are in no commit. The caller holds the transaction."""
        _, nodes = self._apply(changes, settings)
        if (nodes.came or nodes.went) and self.past is not None:
            stored = self.header.get("reach")
            reach = array("I", stored if isinstance(stored, bytes) else b"")
            Chronicle(self.db, self.past).recount(reach, nodes.came, nodes.went)
        self._write_header()

    def _apply(self, changes: list[Change], settings: Settings) -> tuple[int, NodeTable]:
        """Everything but history: the graph and the text; (files linked, the node table)."""
        self.fresh = self.db.execute("SELECT 1 FROM node LIMIT 1").fetchone() is None
        self.whole = self.fresh or len(changes) >= _WHOLE
        governed = self._govern(changes)
        files, gone = self._classify(changes)
        skips = self.cache.known({(file.blob, file.language) for file in files})
        learned = self._learned(files, skips)
        if not self.fresh:  # what questions were answered is asked for before any row changes
            for _ in learned:
                pass
            files = [file for file in files if self._stays(file, skips, gone)]
        return self._graph(files, gone, self._outlines(files, skips, learned, gone), governed, settings)

    # -- where it starts ----------------------------------------------------------------

    def _why_anew(self, settings: Settings, stored: Settings, full: bool) -> str:
        if "tree" not in self.header:
            return _NONE
        if full:
            return "asked for"
        if not is_of_this_version(self.header):
            return "another version of oracl-git or Python"
        if settings != stored:
            return "other parameters"
        return ""

    def _empty(self) -> None:
        database.renew(self.db, "index")
        self.header = {}

    def _changes(self, tree: str) -> list[Change]:
        old = self.header.get("tree")
        if old == tree:
            return []
        try:
            return list(self.objects.changes(str(old) if old else None, tree))
        except GitFailed:
            if old is None:
                raise
            self._empty()  # the indexed tree was pruned: start from nothing
            return list(self.objects.changes(None, tree))

    def _come(self, changes: list[Change]) -> list[Change]:
        """What was left out as not in this clone and has come since, as changes; nothing else is looked for."""
        if self.header.get("root") is not None:
            return []
        rows = self.db.execute("SELECT path, mode, blob FROM skipped WHERE reason='missing'").fetchall()
        for path in json.loads(str(self.header.get("ungoverned", "[]"))):
            rows += self.db.execute("SELECT path, mode, blob FROM skipped WHERE path=?", (path.encode(),))
        known = {change.path for change in changes} if rows else set()
        left = {path: (mode, blob) for path, mode, blob in rows if path not in known}
        sizes = dict(self.objects.sizes({blob for _, blob in left.values()}))
        return [Change(path, 0, "", mode, blob) for path, (mode, blob) in left.items() if sizes[blob] is not None]

    def _has_seen(self, packs: str) -> bool:
        """Remember what was looked through, where something is missing; whether that is news."""
        before = self.header.pop("packs", None)
        if self.header.get("root") is None:
            self.header["packs"] = packs
        return self.header.get("packs") != before

    def _write_header(self) -> None:
        self.db.execute("DELETE FROM header")
        self.db.executemany("INSERT INTO header VALUES(?,?)", sorted(self.header.items()))

    # -- what changed --------------------------------------------------------------------

    def _govern(self, changes: list[Change]) -> bool:
        """Read the tracked settings of the new tree; whether they differ from the old ones."""
        wanted = {name.encode() for name in governance.FILES}
        blobs: dict[str, str] = json.loads(str(self.header.get("governance", "{}")))
        before = dict(blobs)
        lacked: list[str] = json.loads(str(self.header.get("ungoverned", "[]")))
        for change in changes:
            if change.path in wanted:
                blobs.pop(change.path.decode(), None)
                if change.new_mode & _TYPE == _REGULAR:
                    blobs[change.path.decode()] = change.new_oid
        contents = dict(self.objects.blobs(list(blobs.values()))) if blobs else {}
        self.rules = governance.parse({name: contents.get(oid) or b"" for name, oid in blobs.items()})
        lacking = sorted(name for name, oid in blobs.items() if contents.get(oid) is None)
        self.header["ungoverned"] = json.dumps(lacking)
        self.header["governance"] = json.dumps(blobs, sort_keys=True)
        self.header["problems"] = json.dumps(self.rules.problems)
        self.header["asked"] = json.dumps(self.rules.asked)
        return before != blobs or lacked != lacking

    def _classify(self, changes: list[Change]) -> tuple[list[File], list[str]]:
        """(new or changed artifacts, paths that are no artifact any more)."""
        sizes = dict(self.objects.sizes({c.new_oid for c in changes if c.new_mode & _TYPE == _REGULAR}))
        files, gone = [], []
        left_out = self.db.execute("SELECT 1 FROM skipped LIMIT 1").fetchone() is not None
        for change in changes:
            path = decode_path(change.path)
            if left_out:
                self.db.execute("DELETE FROM skipped WHERE path=?", (change.path,))
            size = sizes.get(change.new_oid)
            reason = excluded(change.path, change.new_mode, size) if change.new_mode else "deleted"
            if not reason:
                files.append(File(path, change.new_mode, change.new_oid, size or 0, language_of(change.path)))
                continue
            gone.append(path)
            if change.new_mode:
                self._leave_out(change.path, reason, change.new_mode, change.new_oid)
        return files, gone

    def _learned(self, files: list[File], skips: Skips) -> Iterator[dict[tuple[str, str], Said]]:
        """Read and parse the blobs that no cache knows, in the order of the files, which reads packs well.

        Yields what each blob says in its languages; `skips` learns why a file of it is to be left out, or "".
        """
        unseen: dict[str, list[str]] = {}
        for file in files:
            if (file.blob, file.language) not in skips and file.language not in unseen.setdefault(file.blob, []):
                unseen[file.blob].append(file.language)
        wanted = [blob for blob, languages in unseen.items() if languages]
        pieces = ((blob, unseen[blob], data) for blob, data in self.objects.blobs(wanted))
        sizes = {file.blob: file.size for file in files} if self.whole else {}  # few are read here
        size = sum(sizes[blob] for blob in wanted if blob in sizes)
        answers = read_all(pieces, size, Witness(database.beside(self.db, "reading") if wanted else ""))
        for done, ((blob, languages, data), rows) in enumerate(answers, 1):
            if data is None:
                skips.update(((blob, language), "missing") for language in languages)
            said: dict[tuple[str, str], Said] = {}
            for language, (row, outline) in zip(languages, rows, strict=False):
                self.cache.remember(blob, language, row)
                skips[blob, language] = row[0]
                said[blob, language] = outline or outlined(row)
                self.parsed += 1
                if outline and not self.whole:  # what another process read, the cache alone has all of
                    self.contents.recent[blob, language] = outline[0]
            self.tell("reading", done, len(wanted))
            yield said
        self.cache.flush()

    def _stays(self, file: File, skips: Skips, gone: list[str]) -> bool:
        """Whether a file is an artifact, by what it says."""
        reason = skips[file.blob, file.language]
        if reason:
            self._leave_out(encode_path(file.path), reason, file.mode, file.blob)
            gone.append(file.path)
        return not reason

    def _leave_out(self, path: bytes, reason: str, mode: int, blob: str) -> None:
        self.db.execute("INSERT INTO skipped VALUES(?,?,?,?)", (path, reason, mode, blob))

    def _outlines(
        self, files: list[File], skips: Skips, learned: Iterator[dict[tuple[str, str], Said]], gone: list[str]
    ) -> Iterator[Outlined]:
        """What the rows of each artifact are made of."""
        said: dict[tuple[str, str], Said] = {}
        for file in files:
            key = file.blob, file.language
            while key not in skips:
                said = next(learned)
            if self._stays(file, skips, gone):
                outline = said.get(key) or self.contents.outline(*key)
                assert outline is not None, "files whose blob is missing were left out before"
                yield file, *outline
        for _ in learned:  # the rest is written
            pass

    # -- the graph -------------------------------------------------------------------------

    def _graph(
        self, files: list[File], gone: list[str], outlines: Iterable[Outlined], governed: bool, settings: Settings
    ) -> tuple[int, NodeTable]:
        """Everything between node rows and the root; (files linked, the node table)."""
        text = TextTable(self.db, self.contents)
        nodes = NodeTable(self.db, self.contents, self.rules)
        affected = None
        if self.fresh:
            with database.bulk(self.db, "node", "symbol", "declared", "chunk"), self.cache.held():
                nodes.fill(outlines, text)
                text.await_vectors()
        else:
            self._displace([*gone, *(file.path for file in files)], set(gone), text)
            affected = nodes.apply(files, gone, outlines, text)
        names = StoredNames(self.db, self.contents.facts, self.whole)
        edges = EdgeTable(
            self.db, nodes, names, self.contents, self.rules, settings.blend, settings.skip, self.whole, self.tell
        )
        with self.cache.held():
            linked, change = edges.relink(None if governed else affected)
        self._header_sums(change)
        self.header["max_r"] = edges.greatest_rank(int(str(self.header.get("max_r", 0))))
        self._digest(edges.shards)
        return linked, nodes

    def _displace(self, paths: list[str], gone: set[str], text: TextTable) -> None:
        """Take out the text of artifacts that go, and note that of those that change, while their rows say it."""
        find = "SELECT id, blob, language FROM node WHERE path=? AND kind=0"
        for path in paths:
            row = self.db.execute(find, (encode_path(path),)).fetchone()
            if row and path in gone:
                text.remove(row[0], path, row[1], row[2])
            elif row:
                text.replaces(*row)

    def _header_sums(self, change: tuple[int, int, int]) -> None:
        anew = self.whole  # then the change is counted from nothing
        for name, delta in zip(("connected", "sum_a", "sum_a2"), change, strict=True):
            self.header[name] = str((0 if anew else int(str(self.header.get(name, 0)))) + delta)
        for name, sql in (("nodes", "SELECT count(*) FROM node"), ("edges", "SELECT count(*) FROM edge")):
            self.header[name] = self.db.execute(sql).fetchone()[0]

    def _digest(self, dirty: set[int]) -> None:
        for shard in dirty:
            rows = self.db.execute("SELECT kind, path, leaf FROM node WHERE shard=?", (shard,))
            hashed = digest.shard_hash((digest.leaf_key(kind, decode_path(path)), leaf) for kind, path, leaf in rows)
            if hashed is None:
                self.db.execute("DELETE FROM shard WHERE id=?", (shard,))
            else:
                self.db.execute("INSERT OR REPLACE INTO shard VALUES(?,?)", (shard, hashed))
        missing = self.db.execute("SELECT count(*) FROM skipped WHERE reason='missing'").fetchone()[0]
        missing += len(json.loads(str(self.header["ungoverned"])))
        shards = dict(self.db.execute("SELECT id, hash FROM shard"))
        self.header["root"] = None if missing else digest.root(shards).hex()
