"""What past commits touched, as questions read it.

Knows the commits that HEAD reaches, the paths of each, and what old names are called
today; their messages are `messages`'s. Knows nothing of how history is read from git.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from ..graph.model import decode_path, encode_path
from .database import among
from .reading import Reading

_REMEMBERED = 64
T = TypeVar("T")


class Past(Reading):
    """The history that the index lies on."""

    @cached_property
    def reach(self) -> array[int]:
        """The commits HEAD reaches, newest first, as ids of the history store."""
        stored = self.header.get("reach")
        return array("I", stored if isinstance(stored, bytes) else b"")

    @cached_property
    def distance(self) -> dict[int, int]:
        """Commit id → how many commits before HEAD it lies."""
        return dict(zip(self.reach, range(len(self.reach)), strict=True))

    @cached_property
    def activity(self) -> dict[int, tuple[int, int]]:
        """Node → (time of its last commit, commits that touched it)."""
        return {
            node: (last, touches) for node, last, touches in self.db.execute("SELECT node, last, touches FROM activity")
        }

    def commit_files(self, entries: Sequence[int]) -> dict[int, array[int]]:
        """Commit id → the path ids it touched."""
        return {entry: array("I", files) for entry, files in self._past_rows("id, files", "entry", entries)}

    def touched(self, entries: Sequence[int], most: int) -> Mapping[int, tuple[int, tuple[int, ...]]]:
        """Commit id → (how many paths it touched, today's artifacts among them); (0, ()) for more than `most` paths.

        What was asked for before is there too.
        """
        known = self._touched.setdefault(most, {})
        wanted = [entry for entry in entries if entry not in known]
        if wanted:
            known.update(dict.fromkeys(wanted, (0, ())))
            columns = f"id, CASE WHEN length(files) <= {4 * most} THEN files END"  # a large one is not even read
            found = {entry: array("I", files or b"") for entry, files in self._past_rows(columns, "entry", wanted)}
            todays = self._todays({hid for files in found.values() for hid in files})
            known.update((entry, (len(files), tuple({todays[hid] for hid in files} - {0})))
                         for entry, files in found.items())  # fmt: skip
        return known

    @cached_property
    def _touched(self) -> dict[int, dict[int, tuple[int, tuple[int, ...]]]]:
        return {}

    def _past_rows(self, columns: str, table: str, ids: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        """Rows of the history store by id, in no order."""
        return among(self.past, f"SELECT {columns} FROM {table} WHERE id IN", ids) if self.past else iter(())

    def commit_lines(self, entries: Sequence[int]) -> dict[int, tuple[str, str, int]]:
        """Commit id → (oid, subject, time)."""
        rows = self._past_rows("id, oid, subject, time", "entry", entries)
        return {entry: (oid, subject, time) for entry, oid, subject, time in rows}

    def commits_of(self, path: str, most: int | None = None) -> list[int]:
        """The reached commits that touched a path, under its old names too, newest first; at most so many."""
        if path not in self._commits:
            self._commits[path] = self._find_commits(encode_path(path))
        return self._commits[path][:most].tolist()

    def _find_commits(self, path: bytes) -> array[int]:
        if self.past is None:
            return array("I")
        hids = [row[0] for row in self.past.execute("SELECT id FROM path WHERE path=?", (path,))]
        hids += [row[0] for row in self.db.execute("SELECT hid FROM alias WHERE path=?", (path,))]
        found = {row for hid in hids for row in self.past.execute("SELECT entry FROM touch WHERE path=?", (hid,))}
        distance, reach = self.distance, self.reach
        return array("I", [reach[place] for place in sorted([distance[row[0]] for row in found if row[0] in distance])])

    @cached_property
    def _commits(self) -> dict[str, array[int]]:
        """Path → the commits that touched it, newest first, of the paths that were asked for."""
        return {}

    def past_paths(self) -> list[str]:
        """Every path that a commit ever touched."""
        if self.past is None:
            return []
        return [decode_path(path) for (path,) in self.past.execute("SELECT path FROM path")]

    def renamed(self) -> dict[str, str]:
        """Old path → what it is called today, where renames tell."""
        if self.past is None:
            return {}
        names = dict(self.past.execute("SELECT id, path FROM path").fetchall()) if self._aliases else {}
        return {decode_path(names[hid]): decode_path(path) for hid, path in self._aliases.items() if hid in names}

    def called_now(self, path: str) -> str:
        """What a path that is no more is called today, where renames tell; else ""."""
        for (hid,) in self.past.execute("SELECT id FROM path WHERE path=?", (encode_path(path),)) if self.past else ():
            if hid in self._aliases:
                return decode_path(self._aliases[hid])
        return ""

    @cached_property
    def _aliases(self) -> dict[int, bytes]:
        return dict(self.db.execute("SELECT hid, path FROM alias"))

    def _todays(self, hids: Iterable[int]) -> dict[int, int]:
        """Path ids of the history store → ids of today's artifacts (under new names where renamed); 0 for none.

        What was asked for before is there too.
        """
        known = self._today
        wanted = [hid for hid in hids if hid not in known]
        known.update(dict.fromkeys(wanted, 0))
        paths: dict[int, bytes] = dict(self._past_rows("id, path", "path", wanted))
        paths.update((hid, self._aliases[hid]) for hid in self._aliases.keys() & paths.keys())
        names = list(dict.fromkeys(paths.values()))
        nodes: dict[bytes, int] = dict(among(self.db, "SELECT path, id FROM node WHERE kind=0 AND path IN", names))
        known.update((hid, nodes[path]) for hid, path in paths.items() if path in nodes)
        return known

    @cached_property
    def _today(self) -> dict[int, int]:
        return {}

    @cached_property
    def memory(self) -> dict[object, object]:
        """What was worked out of history and paths alone, by what it is of; see `remember`."""
        return {}

    def remember(self, key: object, work: Callable[[], T]) -> T:
        """The result of work that depends on history and paths alone, not on what files say."""
        if key not in self.memory:
            if len(self.memory) >= _REMEMBERED:
                self.memory.clear()
            self.memory[key] = work()
        return cast("T", self.memory[key])
