"""Meaning: passages that say in other words what a question asks.

Knows how a question is encoded and what makes a near passage count. Knows
nothing of how vectors are made or kept.
"""

from __future__ import annotations

from ..embedding import find, kept_encoder
from ..errors import EmbeddingUnusable
from ..extract.words import split_identifiers
from ..store.index import Index
from . import tables


def passages(index: Index, text: str, notes: list[str]) -> list[tuple[int, int, float]]:
    """(passage, its file, cosine with the question) of the passages nearest in meaning, best first.

    `notes` hears when there are no vectors, or only some.
    """
    asset = find()
    model, verified = index.embedding
    try:
        waiting = index.vectors.pending if model == asset.model else index.chunk_count
        say_waiting(index, waiting, notes)
        if model != asset.model:
            return []
        query = kept_encoder(asset, verified, asset.seen).encode(split_identifiers(text))
    except EmbeddingUnusable as error:
        notes.append(f"without meaning: {error.message}")
        return []
    found = index.vectors.nearest(query, tables.NEAREST) if query else []
    homes = index.homes(chunk for chunk, _ in found)
    return [(chunk, homes[chunk], cosine) for chunk, cosine in found if chunk in homes]


def say_waiting(index: Index, waiting: int, notes: list[str]) -> None:
    """Note that meaning is not known of everything yet."""
    if waiting:
        notes.append(f"{waiting:,} of {index.chunk_count:,} passages are not encoded yet (git oracl update --vectors)")
