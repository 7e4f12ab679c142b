"""Giving chunks their vectors: a few with the update itself, the rest after it.

Knows which chunks wait, where their text is, and how the work is cut into
pieces that a kill cannot spoil: what was encoded stays in the facts cache, what
was placed stays in the index, the rest waits on. Knows nothing of ranking.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple, Protocol

from ..embedding import Asset, Encoder, find, kept_encoder
from ..errors import EmbeddingUnusable
from ..extract.facts import Texts
from ..git import Repository, open_objects
from . import database, vectors
from .facts import Contents, FactsCache
from .settings import Progress

AT_ONCE = 8  # chunks an update encodes itself
WITHIN = 512  # chunks an update looks up in the cache; more are left to `fill`
_BATCH = 1024  # chunks between two transactions
_KEPT = 8192  # vectors of what was laid over a copy
_WAITING = (
    "SELECT DISTINCT n.id, n.blob, n.language FROM (SELECT chunk FROM pending WHERE chunk>? ORDER BY chunk LIMIT ?) p"
    " JOIN chunk c ON c.id=p.chunk JOIN node n ON n.id=c.node ORDER BY n.id"
)
_CHUNKS = (
    "SELECT c.id, p.chunk IS NOT NULL FROM chunk c LEFT JOIN pending p ON p.chunk=c.id WHERE c.node=? ORDER BY c.start"
)
_LAST = "SELECT max(chunk) FROM (SELECT chunk FROM pending WHERE chunk>? ORDER BY chunk LIMIT ?)"

_File = tuple[int, str, str]  # node, blob, language
TextsOf = Callable[[str, str], Texts | None]


class LaidTexts(Protocol):
    """What a copy's texts and their vectors are had from."""

    def texts(self, blob: str, language: str) -> Texts | None: ...

    def vectors(self, keys: list[bytes]) -> dict[bytes, bytes]: ...


class Filled(NamedTuple):
    """What was done: chunks that got a vector, how many had to be encoded, and how many still wait."""

    placed: int
    encoded: int
    pending: int


class _Waiting(NamedTuple):
    """A chunk without a vector, and the content it is of."""

    chunk: int
    node: int
    blob: str
    language: str
    title: str
    body: str
    key: bytes


def settle(index: sqlite3.Connection, facts: sqlite3.Connection, asset: Asset | None) -> None:
    """The part of an update: vectors of what went are removed; those known, and a few more, are placed.

    The caller holds the transaction on `index`. Without an asset the rest waits.
    """
    table = vectors.VectorTable(index)
    table.forget()
    if asset is not None:
        with suppress(EmbeddingUnusable):  # a question says so; an update is not to fail for it
            _settle(index, table, facts, asset)


def _settle(index: sqlite3.Connection, table: vectors.VectorTable, facts: sqlite3.Connection, asset: Asset) -> None:
    _same_model(index, facts, table, asset)
    if index.execute(f"SELECT count(*) FROM (SELECT 1 FROM pending LIMIT {WITHIN + 1})").fetchone()[0] > WITHIN:
        return
    waiting = list(_waiting(index, FactsCache(facts, write=False).texts, asset.model, _first(index, 0, WITHIN)))
    known = vectors.cached(facts, (row.key for row in waiting))
    new = [row for row in waiting if row.key not in known]
    if new:
        known |= _encode(facts, _encoder(index, asset), new[:AT_ONCE])
    table.place([(row.chunk, known[row.key]) for row in waiting if row.key in known])


def settle_copy(
    index: sqlite3.Connection, facts: LaidTexts, paths: Iterable[bytes], known: dict[bytes, bytes]
) -> None:
    """The same for a copy of an index that is thrown away: what is laid over it is encoded, and kept nowhere.

    Only the files that were laid: what else waits, the index's own worker does.
    `known` is what the owner of the copy keeps from one state to the next: a
    keystroke changes one chunk. The caller holds the transaction.
    """
    table = vectors.VectorTable(index)
    table.forget()
    row = index.execute("SELECT model, seen FROM embedding").fetchone()
    with suppress(EmbeddingUnusable):
        if row and row[0] == find().model:
            find_file = "SELECT id, blob, language FROM node WHERE path=? AND kind=0"
            files = [found for path in paths for found in index.execute(find_file, (path,))]
            waiting = list(_waiting(index, facts.texts, row[0], files))
            if len(known) > _KEPT:
                known.clear()
            known |= facts.vectors([each.key for each in waiting if each.key not in known])
            for each in waiting:
                if each.key not in known:
                    encoder = kept_encoder(find(), row[1], find().seen)
                    known[each.key] = encoder.encode(f"{each.title} {each.body}")
            table.place([(each.chunk, known[each.key]) for each in waiting])


def fill(
    repo: Repository, asset: Asset, progress: Progress | None = None, stop: Callable[[], bool] | None = None
) -> Filled:
    """Encode and place whatever waits in this worktree's index, until `stop()`.

    May be killed at any instant, and run again. Raises EmbeddingUnusable, and
    FileNotFoundError when there is no index.
    """
    with database.writing(repo, "index", "facts") as (index, facts):
        return _fill(repo, index, facts, asset, progress or _silent, stop or _never)


def _silent(step: str, done: int, total: int) -> None:
    pass


def _never() -> bool:
    return False


def _fill(
    repo: Repository, index: sqlite3.Connection, facts: sqlite3.Connection, asset: Asset, tell: Progress,
    stop: Callable[[], bool],
) -> Filled:  # fmt: skip
    cache, table, pending = FactsCache(facts), vectors.VectorTable(index), vectors.Vectors(index)
    texts_of = _reader(repo, cache)
    with database.transaction(index):
        table.forget()
        _same_model(index, facts, table, asset)
        total = pending.pending
        encoder = _encoder(index, asset) if total else None
    last = placed = encoded = 0
    while encoder is not None and not stop():
        waiting = list(_waiting(index, texts_of, asset.model, _first(index, last, _BATCH)))
        cache.flush()
        if not waiting:
            last = index.execute(_LAST, (last, _BATCH)).fetchone()[0]
            if last is None:
                break
            continue  # chunks whose text cannot be had: objects are missing
        known = vectors.cached(facts, (row.key for row in waiting))
        new = _encode(facts, encoder, [row for row in waiting if row.key not in known])
        known |= new
        with database.transaction(index):
            still = [row for row in waiting if _unmoved(index, row)]
            table.place([(row.chunk, known[row.key]) for row in still])
        encoded += len(new)
        placed += len(still)
        last = max(row.chunk for row in waiting)
        tell("encoding", min(placed, total), total)
    with database.transaction(index):
        if table.wasteful():
            table.compact()
    return Filled(placed, encoded, pending.pending)


def _same_model(index: sqlite3.Connection, facts: sqlite3.Connection, table: vectors.VectorTable, asset: Asset) -> None:
    """Vectors of another table of words are worth nothing: they are forgotten, and wait to be made anew."""
    row = facts.execute("SELECT model FROM embedding").fetchone()
    if row is None or row[0] != asset.model:
        with database.transaction(facts):
            for name in ("vector", "embedding"):
                facts.execute(f"DELETE FROM {name}")
            facts.execute("INSERT INTO embedding VALUES(?)", (asset.model,))
    row = index.execute("SELECT model FROM embedding").fetchone()
    if row is None or row[0] != asset.model:
        table.clear()
        index.execute("INSERT OR IGNORE INTO pending SELECT id FROM chunk")
        index.execute("DELETE FROM embedding")
        index.execute("INSERT INTO embedding VALUES(?,'')", (asset.model,))


def _encoder(index: sqlite3.Connection, asset: Asset) -> Encoder:
    """The encoder, its files checked and the check remembered with the index."""
    encoder = asset.encoder(index.execute("SELECT seen FROM embedding").fetchone()[0])
    index.execute("UPDATE embedding SET seen=? WHERE seen<>?", (asset.seen, asset.seen))
    return encoder


def _first(index: sqlite3.Connection, after: int, limit: int) -> list[_File]:
    """The files of the first chunks that wait."""
    return index.execute(_WAITING, (after, limit)).fetchall()


def _waiting(index: sqlite3.Connection, texts_of: TextsOf, model: str, files: Iterable[_File]) -> Iterator[_Waiting]:
    """Those chunks of some files that wait."""
    for node, blob, language in files:
        texts = texts_of(blob, language)
        rows = index.execute(_CHUNKS, (node,)).fetchall()
        if texts is None or len(texts) != len(rows):
            continue
        for (chunk, waits), (title, body) in zip(rows, texts, strict=True):
            if waits:
                yield _Waiting(chunk, node, blob, language, title, body, vectors.key(model, title, body))


def _unmoved(index: sqlite3.Connection, row: _Waiting) -> bool:
    """Whether a chunk still is of the content that was read: another update may have come in between."""
    return (
        index.execute(
            "SELECT 1 FROM pending p JOIN chunk c ON c.id=p.chunk JOIN node n ON n.id=c.node"
            " WHERE p.chunk=? AND n.id=? AND n.blob=? AND n.language=?",
            (row.chunk, row.node, row.blob, row.language),
        ).fetchone()
        is not None
    )


def _encode(facts: sqlite3.Connection, encoder: Encoder, rows: list[_Waiting]) -> dict[bytes, bytes]:
    """Encode each text once, and keep it for every worktree."""
    found = {row.key: encoder.encode(f"{row.title} {row.body}") for row in {row.key: row for row in rows}.values()}
    if found:
        with database.transaction(facts):
            facts.executemany("INSERT OR IGNORE INTO vector VALUES(?,?)", found.items())
    return found


def _reader(repo: Repository, cache: FactsCache) -> TextsOf:
    """The split text of a blob, read again when the cache lost it."""

    def fetch(blob: str) -> bytes | None:
        with open_objects(repo) as objects:
            return dict(objects.blobs([blob])).get(blob)

    contents = Contents(cache, fetch)

    def texts_of(blob: str, language: str) -> Texts | None:
        found = contents.outline(blob, language)
        return found and found[1]

    return texts_of
