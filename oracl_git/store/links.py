"""Edge rows: written only where they differ.

Knows how the new links of a node are compared with its old ones, and what the
difference can move elsewhere. Knows nothing of how links are found.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from ..graph.model import ARTIFACT, HUB, Edge, decode_path
from ..graph.parameters import RELATIONS
from .database import insert
from .nodes import NodeTable
from .ranks import Neighbourhood, Neighbours

RELATION_CODES = {name: code for code, name in enumerate(RELATIONS)}

_Key = tuple[int, int, str, str]  # target, relation, source fragment, target fragment
_Value = tuple[int, int, int]  # weight, confidence, partition
_BATCH = 2_000


class Moved(NamedTuple):
    """What the new links of one node changed."""

    source: int
    targets: frozenset[int]  # targets with any difference in weights or relations


class LinkTable:
    """Writes the edges of one update. `whole`: everything is ranked anew afterwards."""

    def __init__(self, db: sqlite3.Connection, nodes: NodeTable, whole: bool) -> None:
        self._db, self._nodes, self._whole = db, nodes, whole
        self.fresh = db.execute("SELECT 1 FROM edge LIMIT 1").fetchone() is None
        self._inserts: list[tuple[int | str, ...]] = []
        self.before: dict[int, Neighbours] = {}  # target → its heaviest in-neighbours before this update
        self.lost_rank = 0  # the greatest rank of an edge that was deleted

    def write(self, node: int, edges: Iterable[Edge]) -> Moved | None:
        """Replace the outgoing edges of a node; None when they are the same."""
        new: dict[_Key, _Value] = {
            (self._target(e), RELATION_CODES[e.relation], e.source_fragment, e.target_fragment): (
                e.weight,
                e.confidence,
                e.partition,
            )
            for e in edges
        }
        if self.fresh and self._whole:
            self._inserts += [(node, *key, *value) for key, value in new.items()]
            if len(self._inserts) > _BATCH:
                self.flush()
            return None  # nobody asks what moved where all is anew
        old = self._old(node)
        stale = [key for key, (_, value, _) in old.items() if new.get(key) != value]
        fresh = [key for key, value in new.items() if key not in old or old[key][1] != value]
        if not stale and not fresh:
            return None
        targets: frozenset[int] = frozenset()
        if not self._whole:
            targets = self._note(old, new, {key[0] for key in (*stale, *fresh)})
        for key in stale:
            self.lost_rank = max(self.lost_rank, old[key][2])
        if stale:
            self._db.executemany("DELETE FROM edge WHERE id=?", [(old[key][0],) for key in stale])
        self._inserts += [(node, *key, *new[key]) for key in fresh]
        if not self._whole or len(self._inserts) > _BATCH:
            self.flush()
        return Moved(node, targets)

    def _target(self, edge: Edge) -> int:
        if edge.target_kind == HUB:
            return self._nodes.virtual(HUB, edge.target)
        found = self._nodes.find(ARTIFACT, edge.target)
        assert found is not None, "linking names only what exists"
        return found

    def _old(self, node: int) -> dict[_Key, tuple[int, _Value, int]]:
        return {
            (target, relation, sfrag, tfrag): (row, (w, kappa, part), r)
            for row, target, relation, sfrag, tfrag, w, kappa, part, r in self._db.execute(
                "SELECT id, target, relation, sfrag, tfrag, w, kappa, part, r FROM edge WHERE source=?", (node,)
            )
        }

    def _note(
        self, old: dict[_Key, tuple[int, _Value, int]], new: dict[_Key, _Value], touched: set[int]
    ) -> frozenset[int]:
        """Remember how things stood at targets whose heaviest edge from here moves."""
        before: dict[int, list[tuple[int, int]]] = {target: [] for target in touched}  # (weight, relation)
        after: dict[int, list[tuple[int, int]]] = {target: [] for target in touched}
        for key, (_, value, _) in old.items():
            if key[0] in touched:
                before[key[0]].append((value[0], key[1]))
        for key, value in new.items():
            if key[0] in touched:
                after[key[0]].append((value[0], key[1]))
        for target in touched:
            heaviest = [max(side[target], default=(0, 0))[0] for side in (before, after)]
            if target not in self.before and heaviest[0] != heaviest[1]:
                self.before[target] = Neighbourhood(self._db, RELATIONS).kept_into(target)
        return frozenset(target for target in touched if sorted(before[target]) != sorted(after[target]))

    def flush(self) -> None:
        """Write the edges that wait."""
        insert(self._db, "INSERT INTO edge(source, target, relation, sfrag, tfrag, w, kappa, part)", self._inserts)
        self._inserts.clear()


def outgoing(db: sqlite3.Connection, node: int) -> list[Edge]:
    """The stored outgoing edges of a node."""
    return [
        Edge(kind, decode_path(path), sfrag, tfrag, RELATIONS[relation], w, kappa, part)
        for kind, path, sfrag, tfrag, relation, w, kappa, part in db.execute(
            "SELECT n.kind, n.path, e.sfrag, e.tfrag, e.relation, e.w, e.kappa, e.part"
            " FROM edge e JOIN node n ON n.id = e.target WHERE e.source=?",
            (node,),
        )
    ]
