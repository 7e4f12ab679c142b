"""What past commits touched and said, as questions read it.

Knows the commits that HEAD reaches, the paths and messages of each, and what old names
are called today. Knows nothing of how history is read from git.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar, cast

from ..graph.model import decode_path, encode_path
from .reading import Reading
from .wording import first_words

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
        return {entry: place for place, entry in enumerate(self.reach)}

    @cached_property
    def activity(self) -> dict[int, tuple[int, int]]:
        """Node → (time of its last commit, commits that touched it)."""
        return {
            node: (last, touches) for node, last, touches in self.db.execute("SELECT node, last, touches FROM activity")
        }

    def match_commits(self, expression: str, limit: int) -> list[tuple[int, float]]:
        """(commit, score) of reached commits whose message matches, best first."""
        if self.past is None:
            return []
        rows = self.past.execute(
            "SELECT rowid, -bm25(entry_fts) AS score FROM entry_fts WHERE entry_fts MATCH ? ORDER BY score DESC",
            (expression,),
        )
        # The limit counts reached commits only: those of other branches must not crowd them out.
        found: list[tuple[int, float]] = []
        for entry, score in rows:
            if entry in self.distance:
                if len(found) >= limit and score < found[-1][1]:
                    break
                found.append((entry, score))
        if len({score for _, score in found}) < len(found):  # equals: the newer first, whatever this clone's ids are
            lines = self.commit_lines([entry for entry, _ in found])
            found.sort(key=lambda row: (-row[1], -lines[row[0]][2], lines[row[0]][0]))
        return found[:limit]

    def commit_files(self, entries: Sequence[int]) -> dict[int, array[int]]:
        """Commit id → the path ids it touched."""
        found: dict[int, array[int]] = {}
        if self.past is not None:
            for start in range(0, len(entries), 500):
                part = entries[start : start + 500]
                marks = ",".join("?" * len(part))
                for entry, files in self.past.execute(f"SELECT id, files FROM entry WHERE id IN ({marks})", part):
                    found[entry] = array("I", files)
        return found

    def commit_lines(self, entries: Sequence[int]) -> dict[int, tuple[str, str, int]]:
        """Commit id → (oid, subject, time)."""
        found: dict[int, tuple[str, str, int]] = {}
        for start in range(0, len(entries) if self.past is not None else 0, 500):
            part = list(entries[start : start + 500])
            find = f"SELECT id, oid, subject, time FROM entry WHERE id IN ({','.join('?' * len(part))})"
            assert self.past is not None
            found.update((entry, (oid, subject, time)) for entry, oid, subject, time in self.past.execute(find, part))
        return found

    def commits_of(self, path: str) -> list[int]:
        """The reached commits that touched a path, under its old names too, newest first."""
        if self.past is None:
            return []
        raw = encode_path(path)
        hids = [row[0] for row in self.past.execute("SELECT id FROM path WHERE path=?", (raw,))]
        hids += [row[0] for row in self.db.execute("SELECT hid FROM alias WHERE path=?", (raw,))]
        found: set[int] = set()
        for hid in hids:
            found.update(row[0] for row in self.past.execute("SELECT entry FROM touch WHERE path=?", (hid,)))
        place = self.distance
        return sorted((entry for entry in found if entry in place), key=place.__getitem__)

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
        return {decode_path(names[hid]): path for hid, path in self._aliases.items() if hid in names}

    @cached_property
    def _aliases(self) -> dict[int, str]:
        return {hid: decode_path(path) for hid, path in self.db.execute("SELECT hid, path FROM alias")}

    def todays(self, hids: Iterable[int]) -> dict[int, int]:
        """Path ids of the history store → ids of today's artifacts (under new names where renamed)."""
        if self.past is None:
            return {}
        wanted = sorted(set(hids))
        paths: dict[int, bytes] = {}
        nodes: dict[bytes, int] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            paths.update(self.past.execute(f"SELECT id, path FROM path WHERE id IN ({marks})", part))
        for hid in paths:
            if hid in self._aliases:
                paths[hid] = encode_path(self._aliases[hid])
        names = list(dict.fromkeys(paths.values()))
        for start in range(0, len(names), 500):
            some = names[start : start + 500]
            marks = ",".join("?" * len(some))
            nodes.update(self.db.execute(f"SELECT path, id FROM node WHERE kind=0 AND path IN ({marks})", some))
        return {hid: nodes[path] for hid, path in paths.items() if path in nodes}

    def spoken_words(self, words: Sequence[str]) -> list[tuple[str, str, int]]:
        """(word, its stem, commits whose message holds it) of the words that messages know."""
        if self.past is None:
            return []
        find = "SELECT doc FROM entry_vocab WHERE term=?"
        rows = ((word, stem, self.past.execute(find, (stem,)).fetchone()) for stem, word in first_words(words).items())
        return [(word, stem, row[0]) for word, stem, row in rows if row]

    def commits_saying(self, stem: str) -> list[int]:
        """The reached commits whose message holds a stem."""
        if self.past is None:
            return []
        rows = self.past.execute("SELECT DISTINCT doc FROM entry_terms WHERE term=?", (stem,))
        return [entry for (entry,) in rows if entry in self.distance]

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
