"""What history says of today's artifacts: reached commits, activity, old names.

Knows how the history store's commits are laid over the paths of one tree.
Incremental when HEAD moved forward in a line, made anew otherwise; either way
the rows are a function of (reached commits, paths).
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable

from ..git import Repository, shallow_state
from ..graph.model import encode_path
from .database import insert
from .history import HistoryStore, follow, lineage


class Chronicle:
    """Writes `activity`, `alias` and the list of reached commits, with the lengths of their messages."""

    def __init__(self, index: sqlite3.Connection, past: sqlite3.Connection) -> None:
        self._db, self._past = index, past

    def move(
        self, repo: Repository, header: dict[str, object], commit: str, depth: int, came: list[str], went: list[str]
    ) -> int:
        """Follow HEAD to `commit`; how many commits were laid on top (all of them when anew)."""
        stored = header.get("reach")
        known = array("I", stored if isinstance(stored, bytes) else b"")
        old = str(header["reach_head"]) if "reach_head" in header else None
        store = HistoryStore(self._past)
        # Another worktree may have seen the edge of a shallow clone move before this one did.
        stands = {"depth": depth, "history": store.identity, "shallow": shallow_state(repo)}
        if {name: header.get(name) for name in stands} != stands:
            known = array("I")
        reach, moved = follow(store, repo, old, known, commit, depth)
        if moved is None or self._has_renames([*moved[0], *moved[1]]) or self._renamed([*came, *went]):
            self._anew(reach)
        else:
            self._extend(moved[0])
            reached = set(reach)
            self._count_paths(came, reached, {node for entry in moved[1] for node in self._nodes(entry)[1]})
        stored = header.get("lengths")
        lengths = array("H", stored if moved is not None and isinstance(stored, bytes) else b"")
        lengths = store.lengths(reach[: len(reach) if moved is None else len(moved[0])]) + lengths
        header |= stands | {"reach_head": commit}
        header |= {"reach": reach.tobytes(), "lengths": lengths[: len(reach)].tobytes()}
        row = self._past.execute("SELECT time FROM entry WHERE oid=?", (commit,)).fetchone()
        header["time"] = row[0] if row else 0
        return len(reach) if moved is None else len(moved[0])

    def recount(self, reach: array[int], came: list[str], went: list[str]) -> None:
        """Follow a change of paths that is in no commit."""
        if self._renamed([*came, *went]):
            self._anew(reach)
        else:
            self._count_paths(came, set(reach))

    def _count_paths(self, came: list[str], reached: set[int], also: Iterable[int] = ()) -> None:
        find = "SELECT id FROM node WHERE path=? AND kind=0"
        self._count({*also, *(self._db.execute(find, (encode_path(path),)).fetchone()[0] for path in came)}, reached)

    def _has_renames(self, entries: list[int]) -> bool:
        find = "SELECT 1 FROM rename WHERE entry=? LIMIT 1"
        return any(self._past.execute(find, (entry,)).fetchone() for entry in entries)

    def _renamed(self, paths: list[str]) -> bool:
        """Whether a rename ever led from or to one of the paths."""
        find = "SELECT 1 FROM path p JOIN rename r ON r.old=p.id OR r.new=p.id WHERE p.path=? LIMIT 1"
        return any(self._past.execute(find, (encode_path(path),)).fetchone() for path in paths)

    def _count(self, nodes: Iterable[int], reached: set[int]) -> None:
        """Count anew what history says of some artifacts, under their old names too."""
        db, past = self._db, self._past
        for node in nodes:
            (raw,) = db.execute("SELECT path FROM node WHERE id=?", (node,)).fetchone()
            hids = [row[0] for row in past.execute("SELECT id FROM path WHERE path=?", (raw,))]
            hids += [row[0] for row in db.execute("SELECT hid FROM alias WHERE path=?", (raw,))]
            times: dict[int, int] = {}
            for hid in hids:
                find = "SELECT e.id, e.time FROM touch t JOIN entry e ON e.id=t.entry WHERE t.path=?"
                times.update(row for row in past.execute(find, (hid,)) if row[0] in reached)
            db.execute("DELETE FROM activity WHERE node=?", (node,))
            if times:
                db.execute("INSERT INTO activity VALUES(?,?,?)", (node, max(times.values()), len(times)))

    def _anew(self, reach: array[int]) -> None:
        db, past = self._db, self._past
        nodes = dict(db.execute("SELECT path, id FROM node WHERE kind=0"))
        db.execute("DELETE FROM alias")
        db.executemany("INSERT INTO alias VALUES(?,?)", lineage(past, reach, set(nodes)))
        node_of = {hid: nodes[path] for hid, path in past.execute("SELECT id, path FROM path") if path in nodes}
        node_of |= {hid: nodes[path] for hid, path in db.execute("SELECT hid, path FROM alias")}
        reached = set(reach)
        last: dict[int, int] = {}
        touches: dict[int, int] = {}
        for entry, time, files in past.execute("SELECT id, time, files FROM entry"):
            if entry in reached:
                for node in {node_of[hid] for hid in array("I", files) if hid in node_of}:
                    touches[node] = touches.get(node, 0) + 1
                    last[node] = max(last.get(node, 0), time)
        db.execute("DELETE FROM activity")
        insert(db, "INSERT INTO activity", [(node, last[node], touches[node]) for node in sorted(touches)])

    def _extend(self, added: list[int]) -> None:
        for entry in reversed(added):
            time, nodes = self._nodes(entry)
            self._db.executemany(
                "INSERT INTO activity VALUES(?,?,1)"
                " ON CONFLICT DO UPDATE SET touches=touches+1, last=max(last, excluded.last)",
                [(node, time) for node in sorted(nodes)],
            )

    def _nodes(self, entry: int) -> tuple[int, set[int]]:
        time, files = self._past.execute("SELECT time, files FROM entry WHERE id=?", (entry,)).fetchone()
        return time, {node for hid in array("I", files) if (node := self._node(hid)) is not None}

    def _node(self, hid: int) -> int | None:
        row = self._db.execute("SELECT path FROM alias WHERE hid=?", (hid,)).fetchone()
        if row is None:
            row = self._past.execute("SELECT path FROM path WHERE id=?", (hid,)).fetchone()
        found = self._db.execute("SELECT id FROM node WHERE path=? AND kind=0", (row[0],)).fetchone()
        return found[0] if found else None
