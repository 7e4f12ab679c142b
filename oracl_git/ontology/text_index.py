"""The full-text index of chunks: what of them goes in, and how it comes out again.

Knows that FTS5 keeps no text of its own here, so a row is taken out by handing
back exactly what was put in: both are made from the chunk by one function.
"""

from __future__ import annotations

import os

from .store import Connection
from .words import indexed


def _row(uri: str, title: str, heading: str, text: str) -> tuple[str, str]:
    """What is indexed of a chunk: (where it stands, what it says)."""
    name = os.path.splitext(os.path.basename(uri))[0]
    above = heading if heading.startswith(title) and heading else f"{title} {heading}"
    return indexed(f"{name} {above}"), indexed(text)


def add(db: Connection, chunk: int, uri: str, title: str, heading: str, text: str) -> None:
    """Index a chunk."""
    db.execute("INSERT INTO chunk_fts(rowid, heading, text) VALUES(?,?,?)", (chunk, *_row(uri, title, heading, text)))


def remove(db: Connection, source: int) -> None:
    """Take the chunks of a source out; they must still be in `chunks`."""
    rows = db.execute(
        "SELECT c.id, s.uri, s.title, c.heading, c.text FROM chunks c JOIN sources s ON s.id=c.source WHERE s.id=?",
        (source,),
    ).fetchall()
    db.executemany(
        "INSERT INTO chunk_fts(chunk_fts, rowid, heading, text) VALUES('delete',?,?,?)",
        ((number, *_row(*rest)) for number, *rest in rows),
    )


def rebuild(db: Connection) -> None:
    """Make the index anew from the chunks. The caller holds the transaction."""
    db.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('delete-all')")
    for number, *rest in db.execute(
        "SELECT c.id, s.uri, s.title, c.heading, c.text FROM chunks c JOIN sources s ON s.id=c.source ORDER BY c.id"
    ).fetchall():
        add(db, number, *rest)


def tidy(db: Connection) -> None:
    """Let go of the words of what was taken out: until parts of the index are joined they stand there still."""
    db.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('optimize')")
