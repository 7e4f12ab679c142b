"""The files of the embedding: where they lie, what they are, whether they are whole.

Knows the manifest and its digests. A table is used only after every file was
found to be the one the manifest names. Knows nothing of what is encoded.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from array import array
from functools import cache, cached_property, lru_cache

from ..errors import EmbeddingUnusable
from .encoder import DIMENSIONS, FEW, MANY, Encoder

FORMAT = "static-int8-v1"
TABLE, SCALES, VOCABULARY, MANIFEST = "table.int8", "scales.f32", "vocabulary.txt", "manifest.json"  # scales: float32
_PLACE = os.path.join(os.path.dirname(__file__), "asset")


class Asset:
    """One table on disk, not yet believed."""

    def __init__(self, place: str) -> None:
        self.place = place

    @cached_property
    def manifest(self) -> dict[str, object]:
        """What the table says of itself. Raises EmbeddingUnusable."""
        try:
            with open(os.path.join(self.place, MANIFEST), encoding="utf-8") as file:
                found = json.load(file)
            if found["format"] != FORMAT or found["dimensions"] != DIMENSIONS or not isinstance(found["files"], dict):
                raise ValueError(f"not {FORMAT}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbeddingUnusable(f"the embedding has no manifest that can be read: {error}") from None
        return dict(found)

    @property
    def files(self) -> dict[str, str]:
        """File → its SHA-256, as the manifest has it."""
        files = self.manifest["files"]
        assert isinstance(files, dict)
        return files

    @cached_property
    def model(self) -> str:
        """A name for exactly these bytes: what vectors were made with."""
        return ":".join(self.files.get(name, "")[:12] for name in (TABLE, SCALES, VOCABULARY))

    @property
    def seen(self) -> str:
        """What the file system says of the files: while it is the same, so are their bytes."""
        try:
            stats = [os.stat(os.path.join(self.place, name)) for name in (TABLE, SCALES, VOCABULARY)]
        except OSError as error:
            raise EmbeddingUnusable(f"a file of the embedding is missing: {error.strerror}") from None
        return " ".join(f"{s.st_size}.{s.st_mtime_ns}.{s.st_ctime_ns}.{s.st_ino}" for s in stats)

    def verify(self) -> None:
        """Compare every file with its digest. Raises EmbeddingUnusable, naming the one that differs."""
        import hashlib

        for name, wanted in self.files.items():
            try:
                with open(os.path.join(self.place, name), "rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise EmbeddingUnusable(f"the embedding cannot be read: {name}: {error.strerror}") from None
            if found != wanted:
                raise EmbeddingUnusable(f"the embedding is damaged: {name} is not the file its manifest names")

    def encoder(self, verified: str = "", keep: int = MANY) -> Encoder:
        """The encoder of this table, checked first unless `seen` still is what was `verified` before."""
        if not verified or verified != self.seen:
            self.verify()
        with open(os.path.join(self.place, VOCABULARY), encoding="utf-8") as file:
            vocabulary = file.read().split("\n")
        with open(os.path.join(self.place, SCALES), "rb") as file:
            scales = array("f", file.read())
        if sys.byteorder == "big":
            scales.byteswap()
        with open(os.path.join(self.place, TABLE), "rb") as file:
            rows = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if not len(vocabulary) == len(scales) == len(rows) // DIMENSIONS:
            raise EmbeddingUnusable("the embedding is damaged: its files do not fit each other")
        return Encoder(vocabulary, rows, scales, keep)


@lru_cache(maxsize=1)
def kept_encoder(asset: Asset, verified: str, seen: str) -> Encoder:
    """One encoder for all that a long-lived process asks; made anew when the files are others (`seen`)."""
    return asset.encoder(verified, FEW)


@cache
def find() -> Asset:
    """The table that ships with the package."""
    return Asset(_PLACE)
