"""Edges, the inputs S and m, and leaves: what linking an affected file writes.

Knows how old and new links of a node are compared so that only what differs is
written, and which derived values and leaves that touches. Formulas are in
`graph`; the neighbourhood arithmetic is in `ranks`.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..extract import Facts
from ..graph import digest, link, priority
from ..graph.governance import Governance
from ..graph.model import ARTIFACT, CONSTRAINT, HUB, Edge, decode_path
from ..graph.names import Names, Recorder
from ..graph.parameters import RELATION_WEIGHTS, Blend
from ..graph.tags import tags
from .nodes import NodeTable, tags_text
from .ranks import Derived, Neighbourhood, Neighbours
from .tree import FactsOf

RELATIONS = tuple(RELATION_WEIGHTS)
RELATION_CODES = {name: code for code, name in enumerate(RELATIONS)}
_BELONGS = RELATION_CODES["belongs_to"]
_STANDING = tuple(RELATION_CODES[name] for name in ("tests", "governs", "provides"))
CONSTRAINT_PREFIX = "constraint:"

_Key = tuple[int, int, str, str]  # target, relation, source fragment, target fragment
_Value = tuple[int, int, int]  # weight, confidence, partition


class _Moved(NamedTuple):
    """What the new links of one node changed."""

    source: int
    targets: set[int]  # targets with any difference in weights
    heaviest: set[int]  # targets whose heaviest edge from here differs


class EdgeTable:
    """Re-links nodes and keeps everything that follows from their edges."""

    def __init__(
        self, db: sqlite3.Connection, nodes: NodeTable, names: Names, facts_of: FactsOf, rules: Governance,
        blend: Blend, skip: frozenset[str], whole: bool, tell: Callable[[str, int, int], None],
    ) -> None:  # fmt: skip
        self._db, self._nodes, self._names, self._facts_of, self._rules = db, nodes, names, facts_of, rules
        self._skip, self._whole, self._tell = skip, whole, tell
        self._derived = Derived(db, RELATIONS, blend, whole)
        self._profiles_changed: set[int] = set()
        self._before: dict[int, Neighbours] = {}
        self._package_roots: dict[int, bool] = {}
        self.shards: set[int] = set()

    def relink(self, affected: set[int] | None) -> tuple[int, tuple[int, int, int]]:
        """Link the affected nodes (None: all), drop the leaving ones; (how many, change of ΣA sums)."""
        db, nodes = self._db, self._nodes
        if affected is None:
            affected = {row[0] for row in db.execute("SELECT id FROM node WHERE kind=?", (ARTIFACT,))}
        affected |= self._constraints()
        moved = [m for node in sorted(nodes.leaving) if (m := self._write(node, (), ()))]
        for done, node in enumerate(sorted(affected), 1):
            moved_here = self._link(node)
            if moved_here:
                moved.append(moved_here)
            if done % 64 == 0:
                self._tell("linking", done, len(affected))
        change = self._lose(nodes.leaving)
        self._inputs(affected, moved)
        self._ranks(moved)
        dirty = {m.source for m in moved} | {t for m in moved for t in m.targets}
        extra = self._derived.associations(None if self._whole else dirty - nodes.leaving)
        self._empty_hubs()
        if self._whole:  # counted from nothing: what left is not in it
            change = (0, 0, 0)
        return len(affected), (change[0] + extra[0], change[1] + extra[1], change[2] + extra[2])

    # -- links ----------------------------------------------------------------------

    def _link(self, node: int) -> _Moved | None:
        kind, path = self._nodes.describe(node)
        recorder = Recorder(self._names)
        if kind == CONSTRAINT:
            constraint = next(c for c in self._rules.constraints if CONSTRAINT_PREFIX + c.id == path)
            moved = self._write(node, link.govern(constraint, recorder, self._skip), ())
        else:
            facts = self._facts(node)
            values = tags(path, facts, self._rules)
            links = link.link(path, facts, values, self._rules, recorder, self._skip)
            self._package_roots[node] = link.is_package_root(path, recorder)
            moved = self._write(node, links.edges, links.resolutions)
            self._tag(node, values)
        self._record(node, recorder.keys)
        return moved

    def _tag(self, node: int, values: dict[str, str]) -> None:
        text = tags_text(values)
        if self._db.execute("SELECT tags FROM node WHERE id=?", (node,)).fetchone()[0] != text:
            self._db.execute("UPDATE node SET tags=? WHERE id=?", (text, node))
            self._profiles_changed.add(node)

    def _record(self, node: int, keys: set[int]) -> None:
        packed = array("I", sorted(keys)).tobytes()
        old = self._db.execute("SELECT keys FROM asked WHERE source=?", (node,)).fetchone()
        if old and old[0] == packed:
            return
        before = set(array("I", old[0])) if old else set()
        self._db.executemany("DELETE FROM lookup WHERE key=? AND source=?", [(k, node) for k in before - keys])
        self._db.executemany("INSERT INTO lookup VALUES(?,?)", [(k, node) for k in sorted(keys - before)])
        if keys:
            self._db.execute("INSERT OR REPLACE INTO asked VALUES(?,?)", (node, packed))
        else:
            self._db.execute("DELETE FROM asked WHERE source=?", (node,))

    def _target(self, edge: Edge) -> int:
        if edge.target_kind == HUB:
            return self._nodes.virtual(HUB, edge.target)
        found = self._nodes.find(ARTIFACT, edge.target)
        assert found is not None, "linking names only what exists"
        return found

    def _write(self, node: int, edges: Iterable[Edge], resolutions: tuple[int, ...]) -> _Moved | None:
        db = self._db
        new: dict[_Key, _Value] = {
            (self._target(e), RELATION_CODES[e.relation], e.source_fragment, e.target_fragment): (
                e.weight, e.confidence, e.partition,
            )
            for e in edges
        }  # fmt: skip
        old: dict[_Key, tuple[int, _Value]] = {
            (target, relation, sfrag, tfrag): (row, (w, kappa, part))
            for row, target, relation, sfrag, tfrag, w, kappa, part in db.execute(
                "SELECT id, target, relation, sfrag, tfrag, w, kappa, part FROM edge WHERE source=?", (node,)
            )
        }
        db.execute("UPDATE node SET resolutions=? WHERE id=?", (json.dumps(resolutions, separators=(",", ":")), node))
        stale = [key for key, (_, value) in old.items() if new.get(key) != value]
        fresh = [key for key, value in new.items() if key not in old or old[key][1] != value]
        if not stale and not fresh:
            return None
        touched = {key[0] for key in stale} | {key[0] for key in fresh}
        weights_before = self._weights(((k, v) for k, (_, v) in old.items()), touched)
        weights_after = self._weights(new.items(), touched)
        heaviest = {t for t in touched if max(weights_before[t], default=0) != max(weights_after[t], default=0)}
        if not self._whole:
            for target in heaviest:
                if target not in self._before:
                    self._before[target] = Neighbourhood(db, RELATIONS).kept_into(target)
        db.executemany("DELETE FROM edge WHERE id=?", [(old[key][0],) for key in stale])
        db.executemany(
            "INSERT INTO edge(source, target, relation, sfrag, tfrag, w, kappa, part) VALUES(?,?,?,?,?,?,?,?)",
            [(node, *key, *new[key]) for key in fresh],
        )
        return _Moved(node, {t for t in touched if weights_before[t] != weights_after[t]}, heaviest)

    @staticmethod
    def _weights(rows: Iterable[tuple[_Key, _Value]], wanted: set[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {target: [] for target in wanted}
        for (target, *_), (weight, _, _) in rows:
            if target in wanted:
                found[target].append(weight)
        for weights in found.values():
            weights.sort()
        return found

    def _constraints(self) -> set[int]:
        """Make and drop constraint nodes as the tracked rules say; the ids to link."""
        wanted = {CONSTRAINT_PREFIX + c.id for c in self._rules.constraints}
        rows = self._db.execute("SELECT id, path FROM node WHERE kind=?", (CONSTRAINT,)).fetchall()
        have = {decode_path(path): node for node, path in rows}
        for path in have.keys() - wanted:
            self._nodes.leaving.add(have[path])
            self._nodes.forget(CONSTRAINT, path)
        return {self._nodes.virtual(CONSTRAINT, path) for path in wanted}

    # -- what follows -----------------------------------------------------------------

    def _lose(self, leaving: set[int]) -> tuple[int, int, int]:
        """Drop the rows of nodes that left, now that their edges are gone."""
        change = [0, 0, 0]
        for node in leaving:
            shard, total, count = self._db.execute("SELECT shard, sum, cnt FROM node WHERE id=?", (node,)).fetchone()
            Derived.forget(total, count, change)
            self._record(node, set())
            self._db.execute("DELETE FROM activity WHERE node=?", (node,))
            self._nodes.drop(node)
            self.shards.add(shard)
        return change[0], change[1], change[2]

    def _empty_hubs(self) -> None:
        rows = self._db.execute("SELECT id, path FROM node WHERE kind=? AND deg=0", (HUB,)).fetchall()
        for _, path in rows:
            self._nodes.forget(HUB, decode_path(path))
        self._lose({node for node, _ in rows})

    def _facts(self, node: int) -> Facts:
        blob, language = self._db.execute("SELECT blob, language FROM node WHERE id=?", (node,)).fetchone()
        facts = self._facts_of(blob, language)
        assert facts is not None, "a node whose blob is missing is no artifact"
        return facts

    def _inputs(self, affected: set[int], moved: list[_Moved]) -> None:
        """S, m and leaf of every node whose own rows, or standing, could have changed."""
        stand = {t for m in moved for t in m.targets}
        hubs = {row[0] for row in self._db.execute("SELECT id FROM node WHERE kind=?", (HUB,))}
        done = 0
        wanted = (affected | stand | (hubs & stand)) - self._nodes.leaving
        for node in sorted(wanted):
            self._input(node, node in affected)
            done += 1
            if done % 64 == 0:
                self._tell("weighing", done, len(wanted))

    def _input(self, node: int, relinked: bool) -> None:
        db = self._db
        row = db.execute(
            "SELECT kind, path, mode, blob, size, checksum, tags, s, m, leaf, shard FROM node WHERE id=?", (node,)
        ).fetchone()
        kind, raw, mode, blob, size, checksum, text, old_s, old_m, old_leaf, shard = row
        path = decode_path(raw)
        values: dict[str, str] = json.loads(text)
        s = m = 0
        if kind == ARTIFACT:
            s, m = self._weigh(node, path, values)
            if not relinked and (s, m) == (old_s, old_m):
                return
        elif kind == HUB:
            values = {"domain": path.rpartition(":")[2]}
            if tags_text(values) != text:
                db.execute("UPDATE node SET tags=? WHERE id=?", (tags_text(values), node))
        canonical = digest.leaf_row(kind, path, blob, mode, size, checksum, values, s, m, self.outgoing(node))
        leaf = digest.leaf(canonical)
        if leaf != old_leaf or (s, m) != (old_s, old_m):
            db.execute("UPDATE node SET s=?, m=?, leaf=? WHERE id=?", (s, m, leaf, node))
            self.shards.add(shard)

    def _weigh(self, node: int, path: str, values: dict[str, str]) -> tuple[int, int]:
        reached = {
            row[0]
            for row in self._db.execute(
                f"SELECT DISTINCT relation FROM edge WHERE target=? AND relation IN {_STANDING}", (node,)
            )
        }
        root = self._package_roots.get(node)
        if root is None:
            root = self._package_roots[node] = link.is_package_root(path, self._names)
        tests, governs, provides = _STANDING
        standing = priority.Standing(tests in reached, governs in reached, provides in reached, root)
        terms = priority.contributions(path, values, self._facts(node), self._rules, standing)
        return priority.uncapped(terms), priority.multiplier(values)

    def outgoing(self, node: int) -> list[Edge]:
        """The stored outgoing edges of a node."""
        return [
            Edge(kind, decode_path(path), sfrag, tfrag, RELATIONS[relation], w, kappa, part)
            for kind, path, sfrag, tfrag, relation, w, kappa, part in self._db.execute(
                "SELECT n.kind, n.path, e.sfrag, e.tfrag, e.relation, e.w, e.kappa, e.part"
                " FROM edge e JOIN node n ON n.id = e.target WHERE e.source=?",
                (node,),
            )
        ]

    def _ranks(self, moved: list[_Moved]) -> None:
        if self._whole:
            self._derived.around = Neighbourhood(self._db, RELATIONS, whole=True)
            sources = {row[0] for row in self._db.execute("SELECT DISTINCT source FROM edge")}
            self._derived.ranks(sources, ())
            return
        around = self._derived.around
        sources = ({m.source for m in moved} | self._profiles_changed) - self._nodes.leaving
        pairs: set[tuple[int, int]] = set()
        for node in self._profiles_changed:
            pairs.update(
                (source, node) for (source,) in self._db.execute("SELECT source FROM edge WHERE target=?", (node,))
            )
        for v, before in self._before.items():
            after = around.kept_into(v)
            into_v = around.into(v)
            for x in before.keys() | after.keys():
                if before.get(x) != after.get(x):
                    pairs.update((p, v) for p in around.into(x) if p in into_v)
        self._derived.ranks(sources, pairs)
