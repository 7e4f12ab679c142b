"""The index as the query plane reads it: one immutable snapshot, read-only.

Knows which rows answer which question about nodes and edges; full text is `wording`'s,
history `past`'s and `messages`'s. Knows nothing of ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..graph.model import ARTIFACT, HUB, HUB_PREFIX, PARTITIONS, decode_path, encode_path
from ..graph.parameters import RELATIONS
from .database import among
from .messages import Messages
from .reading import NODE, Link, Node, Span, node_of
from .wording import Wording, runs, stems_of

__all__ = ["OF_COMMIT", "OF_PATHS", "Index", "Link", "Node", "Span", "stems_of"]

# What an overlay's next state shares with the one before: what is of the commit; and, as
# long as the same paths are there, what is of the paths.
OF_COMMIT = (
    "past", "reach", "distance", "frequencies", "spoken", "known_homes", "_saying", "_lengths", "_norms", "_unreached",
)  # fmt: skip
OF_PATHS = (
    "activity", "memory", "sizes", "holders", "known_cards", "known_chunks", "_aliases", "_commits", "_today",
    "_touched", "namings", "bearers",
)  # fmt: skip


class Index(Messages, Wording):
    """All that one index answers."""

    def node(self, path: str, kind: int = ARTIFACT) -> Node | None:
        """The node of that name."""
        row = self.db.execute(f"SELECT {NODE} FROM node WHERE path=? AND kind=?", (encode_path(path), kind)).fetchone()
        return node_of(row) if row else None

    def best(self, scores: Mapping[int, float], count: int) -> list[int]:
        """The `count` nodes of the greatest score, best first; equals by path."""
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        end = count
        while 0 < end < len(ranked) and scores[ranked[end]] == scores[ranked[end - 1]]:
            end += 1
        del ranked[end:]
        for start, stop in runs([scores[node] for node in ranked]):
            equals = ranked[start:stop]
            cards = self.cards(equals)
            ranked[start:stop] = sorted(equals, key=lambda node: cards[node][0])
        return ranked[:count]

    def has(self, path: bytes) -> bool:
        """Whether the path is there, as an artifact or left out."""
        find = "SELECT 1 FROM node WHERE path=:path AND kind=0 UNION ALL SELECT 1 FROM skipped WHERE path=:path"
        return self.db.execute(find, {"path": path}).fetchone() is not None

    def left_out(self, path: bytes) -> str:
        """Why a path is left out; "" when it is not, or not there."""
        row = self.db.execute("SELECT reason FROM skipped WHERE path=?", (path,)).fetchone()
        return str(row[0]) if row else ""

    def count(self) -> int:
        """How many artifacts there are."""
        found: int = self.db.execute("SELECT count(*) FROM node WHERE kind=0").fetchone()[0]
        return found

    def nodes(self, ids: Iterable[int]) -> dict[int, Node]:
        """Nodes by id."""
        return {row[0]: node_of(row) for row in among(self.db, f"SELECT {NODE} FROM node WHERE id IN", list(ids))}

    def all_nodes(self) -> Iterator[Node]:
        """Every node, by kind and path."""
        for row in self.db.execute(f"SELECT {NODE} FROM node ORDER BY kind, path"):
            yield node_of(row)

    def paths(self, pattern: str = "", argument: object = None) -> list[tuple[int, str]]:
        """(id, path) of artifacts, all or those where an SQL condition on node columns holds."""
        where = f"AND {pattern}" if pattern else ""
        args = () if argument is None else (argument,)
        rows = self.db.execute(f"SELECT id, path FROM node WHERE kind=0 {where} ORDER BY path", args)
        return [(node, decode_path(path)) for node, path in rows]

    def under(self, prefix: str, limit: int = -1) -> list[tuple[int, str]]:
        """Artifacts whose path starts with the prefix, in path order."""
        low = encode_path(prefix)
        rows = self.db.execute(
            "SELECT id, path FROM node WHERE kind=0 AND path>=? AND path<? ORDER BY path LIMIT ?",
            (low, low + b"\xff" * 4, limit),
        )
        return [(node, decode_path(path)) for node, path in rows]

    def named(self, name: str, limit: int = -1) -> list[tuple[int, str]]:
        """Artifacts with that file name, in path order."""
        rows = self.db.execute(
            "SELECT id, path FROM node WHERE kind=0 AND name=? ORDER BY path LIMIT ?", (encode_path(name), limit)
        )
        return [(node, decode_path(path)) for node, path in rows]

    def domains(self) -> list[tuple[str, int]]:
        """(domain, members) of every hub, largest first."""
        rows = self.db.execute("SELECT path, deg FROM node WHERE kind<>0 AND kind=? ORDER BY deg DESC, path", (HUB,))
        return [(decode_path(path).removeprefix(HUB_PREFIX), degree) for path, degree in rows]

    def skipped(self) -> list[tuple[str, int]]:
        """(reason, count) of what was left out."""
        return self.db.execute("SELECT reason, count(*) FROM skipped GROUP BY reason ORDER BY 2 DESC, 1").fetchall()

    def unparsed(self) -> list[tuple[str, int]]:
        """(reason, count) of the files that are known by their text alone."""
        find = "SELECT unparsed, count(*) FROM node WHERE unparsed<>'' GROUP BY unparsed ORDER BY 2 DESC, 1"
        return self.db.execute(find).fetchall()

    def unparsed_paths(self) -> list[tuple[str, str]]:
        """(path, reason) of each of them."""
        find = "SELECT path, unparsed FROM node WHERE unparsed<>'' ORDER BY unparsed, path"
        return [(decode_path(path), reason) for path, reason in self.db.execute(find)]

    def skipped_paths(self) -> list[tuple[str, str]]:
        """(path, reason) of everything that was left out."""
        return [
            (decode_path(p), r) for p, r in self.db.execute("SELECT path, reason FROM skipped ORDER BY reason, path")
        ]

    def symbols_named(self, names: Sequence[str], limit: int = 50) -> list[tuple[str, int, int, int]]:
        """(name, node, start, end) of definitions with exactly these names, in full or as last part."""
        found = []
        for name in names:
            found += self.db.execute(
                "SELECT s.name, s.node, s.start, s.stop FROM symbol s JOIN node n ON n.id=s.node WHERE s.name=?"
                " ORDER BY n.path, s.start LIMIT ?",
                (name, limit),
            ).fetchall()
        return found

    def names_like(self, patterns: Sequence[str], whole: bool = False) -> set[str]:
        """The names of definitions and files that are LIKE one of the patterns; `whole`: of files their paths."""
        files = "+kind=0 AND CAST(path AS TEXT)" if whole else "kind=0 AND CAST(name AS TEXT)"  # each has an index
        found: set[str] = set()
        for pattern in patterns:
            text = pattern.encode("utf-8", "replace").decode()  # SQLite takes no surrogates
            find = "SELECT DISTINCT name FROM symbol WHERE name LIKE ? ESCAPE '\\'"
            found.update(name for (name,) in self.db.execute(find, (text,)))
            find = f"SELECT DISTINCT {'path' if whole else 'name'} FROM node WHERE {files} LIKE ? ESCAPE '\\'"
            found.update(decode_path(name) for (name,) in self.db.execute(find, (text,)))
        return found

    def definitions_named(self, name: str, limit: int) -> list[tuple[str, str, int, int]]:
        """(kind, path, start, end) of the definitions with exactly this name, by path and line."""
        rows = self.db.execute(
            "SELECT s.kind, n.path, s.start, s.stop FROM symbol s JOIN node n ON n.id=s.node WHERE s.name=?"
            " ORDER BY n.path, s.start LIMIT ?",
            (name, limit),
        )
        return [(kind, decode_path(path), start, end) for kind, path, start, end in rows]

    def symbol(self, node: int, name: str) -> tuple[int, int] | None:
        """The lines of a definition of one file."""
        name = name.encode("utf-8", "replace").decode()  # SQLite takes no surrogates
        row = self.db.execute("SELECT start, stop FROM symbol WHERE node=? AND name=?", (node, name)).fetchone()
        return (row[0], row[1]) if row else None

    def definitions(self, node: int) -> list[tuple[str, int, int, str]]:
        """(name, start, end, kind) of a file's definitions."""
        return self.db.execute(
            "SELECT name, start, stop, kind FROM symbol WHERE node=? ORDER BY start, name", (node,)
        ).fetchall()

    def links(self, node: int, direction: str, hubs: bool = False) -> list[Link]:
        """The edges out of ("out") or into ("in") a node, in a fixed order."""
        column = "source" if direction == "out" else "target"
        rows = self.db.execute(
            f"SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM edge WHERE {column}=?"
            " ORDER BY source, target, relation, sfrag, tfrag",
            (node,),
        )
        belongs = RELATIONS.index("belongs_to")
        return [
            Link(s, t, RELATIONS[rel], sf, tf, w, k, PARTITIONS[part], r)
            for s, t, rel, sf, tf, w, k, part, r in rows
            if hubs or rel != belongs
        ]

    def all_links(self) -> Iterator[Link]:
        """Every edge, by the paths of its ends."""
        for s, t, rel, sf, tf, w, k, part, r in self.db.execute(
            "SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM edge e"
            " JOIN node a ON a.id=e.source JOIN node b ON b.id=e.target"
            " ORDER BY a.kind, a.path, b.kind, b.path, relation, sfrag, tfrag"
        ):
            yield Link(s, t, RELATIONS[rel], sf, tf, w, k, PARTITIONS[part], r)

    def top_links(self, node: int, limit: int) -> list[Link]:
        """The edges at a node, both directions, heaviest rank first, at most `limit` read."""
        rows = self.db.execute(
            "SELECT source, target, relation, sfrag, tfrag, w, kappa, part, r FROM ("
            " SELECT * FROM edge WHERE source=:node UNION ALL SELECT * FROM edge WHERE target=:node) e"
            " JOIN node n ON n.id=CASE e.source WHEN :node THEN e.target ELSE e.source END"
            " ORDER BY r DESC, n.path, relation, sfrag, tfrag LIMIT :most",
            {"node": node, "most": limit},
        )
        return [
            Link(s, t, RELATIONS[rel], sf, tf, w, k, PARTITIONS[part], r) for s, t, rel, sf, tf, w, k, part, r in rows
        ]

    def relation_counts(self) -> list[tuple[str, int]]:
        """(relation, edges), most first."""
        rows = self.db.execute("SELECT relation, count(*) FROM edge GROUP BY relation ORDER BY 2 DESC, 1")
        return [(RELATIONS[code], count) for code, count in rows]
