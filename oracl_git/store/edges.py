"""Re-linking the nodes an update affects, and all that follows from their edges.

Knows the order: links → what left → S, m and leaves → ranks and associations.
Formulas are in `graph`; rows are written by `links`, `ranks` and here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

from ..extract.facts import Facts
from ..graph import digest, link, priority
from ..graph.governance import Governance
from ..graph.model import ARTIFACT, CONSTRAINT, CONSTRAINT_PREFIX, HUB, HUB_PREFIX, Edge, decode_path
from ..graph.names import Memo, Names, Recorder
from ..graph.parameters import RELATIONS, Blend
from ..graph.tags import tags
from .database import bulk
from .facts import Contents
from .links import RELATION_CODES, LinkTable, Moved, outgoing
from .lookups import LookupTable
from .nodes import NodeTable, tags_text
from .ranks import Derived

_TESTS, _GOVERNS, _PROVIDES = (RELATION_CODES[name] for name in ("tests", "governs", "provides"))
_TELL = 64


class _Linked(NamedTuple):
    """What linking a node leaves for its inputs."""

    tags: dict[str, str]
    text: str  # of the tags, as stored
    resolutions: tuple[int, ...]
    edges: tuple[Edge, ...]
    weighed: tuple[int, int]  # the sum of the priority terms that need no standing
    package_root: bool
    entry: bool


class EdgeTable:
    """Re-links nodes and keeps everything that follows from their edges."""

    def __init__(
        self, db: sqlite3.Connection, nodes: NodeTable, names: Names, contents: Contents, rules: Governance,
        blend: Blend, skip: frozenset[str], whole: bool, tell: Callable[[str, int, int], None],
    ) -> None:  # fmt: skip
        self._db, self._nodes, self._names, self._contents, self._rules = db, nodes, names, contents, rules
        self._skip, self._whole, self._tell = skip, whole, tell
        self._derived = Derived(db, RELATIONS, blend, whole)
        self._links = LinkTable(db, nodes, whole)
        self._lookups = LookupTable(db)
        self._linked: dict[int, _Linked] = {}
        self._memo: Memo = {}
        self._profiles_changed: set[int] = set()
        self.shards: set[int] = set()

    def greatest_rank(self, before: int) -> int:
        """max R after this update, from what it was before."""
        if self._whole or max(self._links.lost_rank, self._derived.lost_rank) >= before:
            before = self._db.execute("SELECT max(r) FROM edge").fetchone()[0] or 0
        return max(before, self._derived.gained_rank)

    def relink(self, affected: set[int] | None) -> tuple[int, tuple[int, int, int]]:
        """Link the affected nodes (None: all), drop the leaving ones; (how many, change of ΣA sums)."""
        db, nodes = self._db, self._nodes
        if affected is None:
            affected = {row[0] for row in db.execute("SELECT id FROM node WHERE kind=?", (ARTIFACT,))}
        constraints = self._constraints()
        affected -= set(constraints)
        with bulk(db, "edge") if self._links.fresh else nullcontext():
            moved = [m for node in sorted(nodes.leaving) if (m := self._links.write(node, ()))]
            moved += self._link_all(sorted(affected), len(affected) + len(constraints))
            moved += [m for node, path in constraints.items() if (m := self._link_constraint(node, path))]
            self._links.flush()
        change = self._lose(nodes.leaving)
        self._inputs(affected | set(constraints), moved)
        self._linked.clear()  # it is the most that is held of a whole tree
        self._ranks(moved)
        dirty = {m.source for m in moved} | {t for m in moved for t in m.targets}
        extra = self._derived.associations(None if self._whole else dirty - nodes.leaving)
        self._empty_hubs()
        self._lookups.finish()
        if self._whole:  # counted from nothing: what left is not in it
            change = (0, 0, 0)
        return len(affected), (change[0] + extra[0], change[1] + extra[1], change[2] + extra[2])

    # -- links ----------------------------------------------------------------------

    def _link_all(self, affected: list[int], total: int) -> Iterable[Moved]:
        for done, (node, path, blob, language, text) in enumerate(self._rows(affected), 1):
            facts = self._contents.links(blob, language)
            assert facts is not None, "a node whose blob is missing is no artifact"
            moved = self._link(node, path, facts, text)
            if moved:
                yield moved
            if done % _TELL == 0:
                self._tell("linking", done, total)

    def _rows(self, nodes: list[int]) -> Iterable[tuple[int, str, str, str, str]]:
        columns = "SELECT id, path, blob, language, tags FROM node WHERE"
        for node, path, blob, language, text in self._select(columns, nodes):
            yield node, decode_path(path), blob, language, text

    def _select(self, columns: str, nodes: list[int]) -> Iterator[tuple[Any, ...]]:
        """Rows of the nodes, in the order given; read in one go when there are many."""
        if self._whole:
            wanted = set(nodes)
            rows = self._db.execute(f"{columns} 1 ORDER BY id").fetchall()
            yield from (row for row in rows if row[0] in wanted)
        else:
            yield from (self._db.execute(f"{columns} id=?", (node,)).fetchone() for node in nodes)

    def _link(self, node: int, path: str, facts: Facts, old_tags: str) -> Moved | None:
        recorder = Recorder(self._names, self._memo)
        values = tags(path, facts, self._rules)
        links = link.link(path, facts, values, self._rules, recorder, self._skip)
        root = link.is_package_root(path, recorder)
        terms = priority.contributions(path, values, facts, self._rules, priority.Standing(package_root=root))
        text = tags_text(values)
        self._linked[node] = _Linked(
            values, text, links.resolutions, links.edges, priority.weighed(terms), root, bool(terms["entry_point"][0])
        )
        if text != old_tags:
            self._profiles_changed.add(node)
        self._lookups.record(node, recorder.keys)
        return self._links.write(node, links.edges)

    def _link_constraint(self, node: int, path: str) -> Moved | None:
        recorder = Recorder(self._names, self._memo)
        constraint = next(c for c in self._rules.constraints if CONSTRAINT_PREFIX + c.id == path)
        edges = link.govern(constraint, recorder, self._skip)
        self._lookups.record(node, recorder.keys)
        return self._links.write(node, edges)

    def _constraints(self) -> dict[int, str]:
        """Make and drop constraint nodes as the tracked rules say; those to link."""
        wanted = {CONSTRAINT_PREFIX + c.id for c in self._rules.constraints}
        rows = self._db.execute("SELECT id, path FROM node WHERE kind<>0 AND kind=?", (CONSTRAINT,)).fetchall()
        have = {decode_path(path): node for node, path in rows}
        for path in have.keys() - wanted:
            self._nodes.leaving.add(have[path])
            self._nodes.forget(CONSTRAINT, path)
        return {self._nodes.virtual(CONSTRAINT, path): path for path in sorted(wanted)}

    def _lose(self, leaving: set[int]) -> tuple[int, int, int]:
        """Drop the rows of nodes that left, now that their edges are gone."""
        change = [0, 0, 0]
        for node in leaving:
            shard, total, count = self._db.execute("SELECT shard, sum, cnt FROM node WHERE id=?", (node,)).fetchone()
            Derived.forget(total, count, change)
            self._lookups.record(node, set())
            self._db.execute("DELETE FROM activity WHERE node=?", (node,))
            self._nodes.drop(node)
            self.shards.add(shard)
        return change[0], change[1], change[2]

    def _empty_hubs(self) -> None:
        rows = self._db.execute("SELECT id, path FROM node WHERE kind<>0 AND kind=? AND deg=0", (HUB,)).fetchall()
        for _, path in rows:
            self._nodes.forget(HUB, decode_path(path))
        self._lose({node for node, _ in rows})

    # -- inputs -----------------------------------------------------------------------

    def _inputs(self, affected: set[int], moved: list[Moved]) -> None:
        """S, m and leaf of every node whose own rows, or standing, could have changed."""
        db = self._db
        if self._whole:
            wanted = {row[0] for row in db.execute("SELECT id FROM node")}
        else:
            wanted = affected | {target for m in moved for target in m.targets}
        reached = self._reached()
        updates = []
        columns = (
            "SELECT id, kind, path, mode, blob, size, checksum, tags, resolutions, s, m, leaf, shard, language"
            " FROM node WHERE"
        )
        rows = self._select(columns, sorted(wanted - self._nodes.leaving))
        for done, row in enumerate(rows, 1):
            changed = self._input(row, reached, row[0] in affected)
            if changed:
                updates.append(changed)
            if done % _TELL == 0:
                self._tell("weighing", done, len(wanted))
        db.executemany("UPDATE node SET tags=?, resolutions=?, s=?, m=?, leaf=? WHERE id=?", updates)

    def _reached(self) -> dict[int, set[int]] | None:
        """Target → relations that change its standing; None when it is asked node by node."""
        if not self._whole:
            return None
        found: dict[int, set[int]] = {}
        for target, relation in self._db.execute(
            "SELECT DISTINCT target, relation FROM edge WHERE relation IN (?,?,?)", (_TESTS, _GOVERNS, _PROVIDES)
        ):
            found.setdefault(target, set()).add(relation)
        return found

    def _standing(self, node: int, reached: dict[int, set[int]] | None, root: bool) -> priority.Standing:
        if reached is None:
            rows = self._db.execute(
                "SELECT DISTINCT relation FROM edge WHERE target=? AND relation IN (?,?,?)",
                (node, _TESTS, _GOVERNS, _PROVIDES),
            )
            kinds = {row[0] for row in rows}
        else:
            kinds = reached.get(node, set())
        return priority.Standing(_TESTS in kinds, _GOVERNS in kinds, _PROVIDES in kinds, root)

    def _input(
        self, stored: tuple[Any, ...], reached: dict[int, set[int]] | None, relinked: bool
    ) -> tuple[str, str, int, int, bytes, int] | None:
        """The row to write, or None when nothing of it changed."""
        (node, kind, raw, mode, blob, size, checksum, text, resolutions, old_s, old_m, old_leaf, shard, language) = (
            stored
        )
        path = decode_path(raw)
        s = m = 0
        linked = self._linked.get(node)
        edges: Iterable[Edge]
        if kind == ARTIFACT:
            if linked:
                values, edges = linked.tags, linked.edges
                resolutions = json.dumps(linked.resolutions, separators=(",", ":"))
                standing = self._standing(node, reached, linked.package_root)
                weighed = priority.stood(linked.weighed, standing, linked.entry)
            else:
                values = json.loads(text)
                root = link.is_package_root(path, self._names)
                facts = self._contents.links(blob, language)
                assert facts is not None, "a node whose blob is missing is no artifact"
                standing = self._standing(node, reached, root)
                weighed = priority.weighed(priority.contributions(path, values, facts, self._rules, standing))
            s, m = priority.uncapped(weighed), priority.multiplier(values)
            if not relinked and (s, m) == (old_s, old_m) and old_leaf is not None:
                return None
            if not linked:
                edges = outgoing(self._db, node)
        else:
            values = {"domain": path.removeprefix(HUB_PREFIX)} if kind == HUB else {}
            edges = () if kind == HUB else outgoing(self._db, node)
            if kind == HUB and old_leaf is not None:
                return None
        leaf = digest.leaf(digest.leaf_row(kind, path, blob, mode, size, checksum, values, s, m, edges))
        row = (linked.text if linked else tags_text(values), resolutions, s, m, leaf)
        if row == (text, resolutions, old_s, old_m, old_leaf) and not linked:
            return None
        if leaf != old_leaf:
            self.shards.add(shard)
        return (*row, node)

    # -- ranks --------------------------------------------------------------------------

    def _ranks(self, moved: list[Moved]) -> None:
        if self._whole:
            self._derived.all_ranks()
            return
        around = self._derived.around
        sources = ({m.source for m in moved} | self._profiles_changed) - self._nodes.leaving
        pairs: set[tuple[int, int]] = set()
        for node in self._profiles_changed:
            rows = self._db.execute("SELECT source FROM edge WHERE target=?", (node,))
            pairs.update((source, node) for (source,) in rows)
        for v, before in self._links.before.items():
            after = around.kept_into(v)
            into_v = around.into(v)
            for x in before.keys() | after.keys():
                if before.get(x) != after.get(x):
                    pairs.update((p, v) for p in around.into(x) if p in into_v)
        self._derived.ranks(sources, pairs)
