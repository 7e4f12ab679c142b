"""What the store holds of the registered sources: whose scope each has, and taking one away.

Knows that the register decides at once: a source registered more private is so for the
next question, before anything is read again. Reads no document.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import evidence, store, text_index
from .gather import Roots
from .project import Root
from .store import Connection

_SCOPED = "scoped"  # meta: the register whose scopes the rows have


def outdated(db: Connection, roots: Roots) -> bool:
    """Whether a source has another scope than it is registered with now."""
    if _signature(db) == roots.signature():
        return False
    return any(True for _ in _differing(db, roots))


def rescope(db: Connection, roots: Roots) -> int:
    """Give each source the scope and root that are registered now; how many have another scope than before."""
    changed = 0
    with store.transaction(db):
        for number, uri, old, root in list(_differing(db, roots)):
            values = (root.scope, root.path, root.kind, number)
            db.execute("UPDATE sources SET scope=?, root=?, kind=? WHERE id=?", values)
            if root.scope != old:
                evidence.rescope(db, uri, root.scope)
                changed += 1
        db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (_SCOPED, roots.signature()))
    return changed


def of_root(db: Connection, path: str) -> list[str]:
    """The sources that were read because this root was registered."""
    return [uri for (uri,) in db.execute("SELECT uri FROM sources WHERE root=? ORDER BY uri", (path,))]


def unregistered(db: Connection, roots: Roots) -> list[str]:
    """The sources that nothing registered holds any more."""
    return [uri for (uri,) in db.execute("SELECT uri FROM sources ORDER BY uri") if roots.of(uri) is None]


def forget(db: Connection, uris: list[str]) -> int:
    """Take sources away with all that was derived from them, each in a transaction of its own; how many."""
    gone = 0
    for uri in uris:
        with store.transaction(db):
            row = db.execute("SELECT id, ref FROM sources WHERE uri=?", (uri,)).fetchone()
            if row:
                clear(db, row[0])
                db.execute("DELETE FROM sources WHERE id=?", row[:1])
                db.execute(
                    "DELETE FROM source_lineage WHERE source=? OR (parent=? AND relation='same_content_as')",
                    (row[1], row[1]),
                )
                gone += 1
    return gone


def clear(db: Connection, source: int) -> None:
    """Take away what was derived from a source, and entities nothing names then. The caller holds the transaction."""
    text_index.remove(db, source)
    named = db.execute(
        "SELECT DISTINCT m.entity FROM entity_mentions m JOIN chunks c ON c.id=m.chunk WHERE c.source=?", (source,)
    ).fetchall()
    db.execute("DELETE FROM chunks WHERE source=?", (source,))
    # Those alone: to look at all of them for each source takes ever longer as the store grows.
    unnamed = "DELETE FROM entities AS e WHERE id=? AND NOT EXISTS(SELECT 1 FROM entity_mentions m WHERE m.entity=e.id)"
    db.executemany(unnamed, named)


def _signature(db: Connection) -> str:
    row = db.execute("SELECT value FROM meta WHERE key=?", (_SCOPED,)).fetchone()
    return str(row[0]) if row else ""


def _differing(db: Connection, roots: Roots) -> Iterator[tuple[int, str, str, Root]]:
    """(source, uri, scope it has, root it belongs to) where the scope or the root is another one."""
    for number, uri, scope, place in db.execute("SELECT id, uri, scope, root FROM sources"):
        root = roots.of(uri)
        if root is not None and (scope, place) != (root.scope, root.path):
            yield number, uri, scope, root
