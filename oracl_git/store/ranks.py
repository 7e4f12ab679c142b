"""Derived values (A, deg, R) kept up to date in the neighbourhood of a change.

Knows which of them an edit can move, and recomputes those. Knows nothing of
where edges come from. R(p→v) depends on T(p), T(v) and on the paths
p→x→v, so an edge x→v can move R(p→v) for every p that points at x.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from ..graph import association
from ..graph.model import ARTIFACT, HUB, canonical_name, decode_path
from ..graph.parameters import NEIGHBOUR_CAP, Blend
from ..graph.tags import jaccard
from .nodes import LEAVING

Neighbours = dict[int, int]  # node → the heaviest weight of the parallel edges
_Row = tuple[int, int, int, int, int]  # edge id, target, relation, w, r
_EMPTY: Neighbours = {}


class Neighbourhood:
    """Edges around nodes, read once each; `whole` reads all of them in one pass."""

    def __init__(self, db: sqlite3.Connection, relations: tuple[str, ...], whole: bool = False) -> None:
        self._db = db
        self._belongs = relations.index("belongs_to")
        self._out: dict[int, Neighbours] = {}
        self._into: dict[int, Neighbours] = {}
        self._kept_out: dict[int, Neighbours] = {}
        self._kept_into: dict[int, Neighbours] = {}
        self._profiles: dict[int, frozenset[tuple[str, str]]] = {}
        self._profile_of: dict[str, frozenset[tuple[str, str]]] = {}
        self._whole = whole
        if whole:
            self._read_profiles()
            for source, target, w in db.execute(
                "SELECT source, target, w FROM edge WHERE relation<>?", (self._belongs,)
            ):
                self._note(self._out.setdefault(source, {}), target, w)
                self._note(self._into.setdefault(target, {}), source, w)

    def _read_profiles(self) -> None:
        for node, text in self._db.execute("SELECT id, tags FROM node"):
            self._profiles[node] = self._parse(text)

    def _parse(self, text: str) -> frozenset[tuple[str, str]]:
        found = self._profile_of.get(text)
        if found is None:
            found = self._profile_of[text] = frozenset(json.loads(text).items())
        return found

    @staticmethod
    def _note(neighbours: Neighbours, node: int, weight: int) -> None:
        if weight > neighbours.get(node, 0):
            neighbours[node] = weight

    def _read(self, cache: dict[int, Neighbours], node: int, key: str, other: str) -> Neighbours:
        found = cache.get(node)
        if found is None:
            if self._whole:
                return _EMPTY
            rows = self._db.execute(
                f"SELECT {other}, max(w) FROM edge WHERE {key}=? AND relation<>? GROUP BY {other}",
                (node, self._belongs),
            )
            found = cache[node] = dict(rows.fetchall())
        return found

    def out(self, node: int) -> Neighbours:
        return self._read(self._out, node, "source", "target")

    def into(self, node: int) -> Neighbours:
        return self._read(self._into, node, "target", "source")

    def kept_out(self, node: int) -> Neighbours:
        found = self._kept_out.get(node)
        if found is None:
            found = self._kept_out[node] = self._cap(self.out(node))
        return found

    def kept_into(self, node: int) -> Neighbours:
        found = self._kept_into.get(node)
        if found is None:
            found = self._kept_into[node] = self._cap(self.into(node))
        return found

    def _cap(self, neighbours: Neighbours) -> Neighbours:
        """The 250 heaviest artifacts, ties broken by their canonical names."""
        if len(neighbours) <= NEIGHBOUR_CAP:
            return neighbours
        rows = []
        for node, weight in neighbours.items():
            kind, raw = self._db.execute("SELECT kind, path FROM node WHERE id=?", (node,)).fetchone()
            if kind in (ARTIFACT, LEAVING):
                rows.append((-weight, canonical_name(ARTIFACT, decode_path(raw)), node))
        return {node: -negative for negative, _, node in sorted(rows)[:NEIGHBOUR_CAP]}

    def profile(self, node: int) -> frozenset[tuple[str, str]]:
        """T(v): the set of (field, value) pairs of a node's tags."""
        found = self._profiles.get(node)
        if found is None:
            text = self._db.execute("SELECT tags FROM node WHERE id=?", (node,)).fetchone()[0]
            found = self._profiles[node] = self._parse(text)
        return found


class Derived:
    """Recomputes A, deg and R after edges were written."""

    def __init__(self, db: sqlite3.Connection, relations: tuple[str, ...], blend: Blend, whole: bool) -> None:
        self._db = db
        self._relations = relations
        self._belongs = relations.index("belongs_to")
        self._blend = blend
        self._whole = whole
        self.around = Neighbourhood(db, relations)
        self.lost_rank = 0  # the greatest rank that was overwritten
        self.gained_rank = 0  # the greatest rank that was written

    def ranks(self, sources: set[int], pairs: Iterable[tuple[int, int]]) -> None:
        """R of every edge out of `sources`, and of the edges between the given (source, target) pairs."""
        wanted: dict[int, set[int] | None] = dict.fromkeys(sources)
        for source, target in pairs:
            targets = wanted.setdefault(source, set())
            if targets is not None:
                targets.add(target)
        find = "SELECT id, target, relation, w, r FROM edge WHERE source=?"
        writes: list[tuple[int, int]] = []
        for source, only in wanted.items():
            self._rank(source, self._db.execute(find, (source,)).fetchall(), only, writes)
        self._db.executemany("UPDATE edge SET r=? WHERE id=?", writes)

    def all_ranks(self) -> None:
        """R of every edge."""
        self.around = Neighbourhood(self._db, self._relations, whole=True)
        rows = self._db.execute("SELECT source, id, target, relation, w, r FROM edge ORDER BY source")
        writes: list[tuple[int, int]] = []
        for source, edges in groupby(rows, key=itemgetter(0)):
            self._rank(source, [edge[1:] for edge in edges], None, writes)
        writes.sort(key=itemgetter(1))
        self._db.executemany("UPDATE edge SET r=? WHERE id=?", writes)

    def _rank(self, u: int, edges: list[_Row], targets: set[int] | None, writes: list[tuple[int, int]]) -> None:
        around, blend, belongs = self.around, self._blend, self._belongs
        mine = around.profile(u)
        out = around.kept_out(u)
        seen: dict[tuple[int, bool], tuple[int, int, int]] = {}
        for edge, v, relation, w, r in edges:
            if targets is not None and v not in targets:
                continue
            hub = relation == belongs
            facts = seen.get((v, hub))
            if facts is None:
                via = 0
                if not hub:
                    into = around.kept_into(v)
                    small, large = (out, into) if len(out) < len(into) else (into, out)
                    for x, weight in small.items():
                        other = large.get(x)
                        if other is not None and x != u and x != v:
                            via += weight * other
                shared, union = jaccard(mine, around.profile(v))
                facts = seen[v, hub] = (via, shared, union)
            rank = association.edge_rank(w, *facts[1:], facts[0], blend)
            if rank != r:
                self.lost_rank = max(self.lost_rank, r)
                self.gained_rank = max(self.gained_rank, rank)
                writes.append((rank, edge))

    def associations(self, nodes: set[int] | None) -> tuple[int, int, int]:
        """Recompute A and deg; (Δ connected, Δ ΣA, Δ ΣA²). None means every node."""
        if nodes is None:
            return self._all_associations()
        change = [0, 0, 0]
        for node in sorted(nodes):
            row = self._db.execute("SELECT kind, sum, cnt, deg FROM node WHERE id=?", (node,)).fetchone()
            if row is None:
                continue
            kind, old_sum, old_count, old_degree = row
            weights = [w for (w,) in self._db.execute("SELECT w FROM edge WHERE target=?", (node,))]
            weights += [w for (w,) in self._db.execute("SELECT w FROM edge WHERE source=?", (node,))]
            total, count = association.association(weights, kind == HUB)
            if (total, count, len(weights)) != (old_sum, old_count, old_degree):
                self.forget(old_sum, old_count, change)
                self._count(total, count, 1, change)
                self._db.execute("UPDATE node SET sum=?, cnt=?, deg=? WHERE id=?", (total, count, len(weights), node))
        return change[0], change[1], change[2]

    def _all_associations(self) -> tuple[int, int, int]:
        incident: dict[int, list[int]] = {}
        for source, target, w in self._db.execute("SELECT source, target, w FROM edge"):
            incident.setdefault(source, []).append(w)
            incident.setdefault(target, []).append(w)
        hubs = {row[0] for row in self._db.execute("SELECT id FROM node WHERE kind=?", (HUB,))}
        change = [0, 0, 0]
        rows = []
        for node, weights in incident.items():
            total, count = association.association(weights, node in hubs)
            self._count(total, count, 1, change)
            rows.append((total, count, len(weights), node))
        rows += [
            (0, 0, 0, node) for (node,) in self._db.execute("SELECT id FROM node WHERE deg>0") if node not in incident
        ]
        self._db.executemany("UPDATE node SET sum=?, cnt=?, deg=? WHERE id=?", rows)
        return change[0], change[1], change[2]

    @staticmethod
    def _count(total: int, count: int, sign: int, change: list[int]) -> None:
        if count:
            a = association.mean(total, count)
            change[0] += sign
            change[1] += sign * a
            change[2] += sign * a * a

    @classmethod
    def forget(cls, total: int, count: int, change: list[int]) -> None:
        """Take a node's old A out of the sums."""
        cls._count(total, count, -1, change)
