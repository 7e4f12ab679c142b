"""A trained table as the files that ship: rows as int8, whole-number scales, a manifest with digests.

Knows the formats that `oracl_git.embedding.asset` reads. Knows nothing of training.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oracl_git.embedding import DIMENSIONS
from oracl_git.embedding.asset import FORMAT, MANIFEST, SCALES, TABLE, VOCABULARY
from oracl_git.embedding.encoder import UNIT

TOP = UNIT - 1  # the scale of the longest row


def quantised(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """(int8 rows, whole-number scales): row · scale is the table, but for one common factor."""
    most = np.abs(table).max(axis=1).astype(np.float64)
    step = most.max() / 127 / TOP
    scales = np.maximum(1, np.ceil(most / 127 / step - 1e-9)).astype(np.int64)
    return np.rint(table / (scales[:, None] * step)).astype(np.int8), scales


def write(place: Path, vocabulary: Sequence[str], table: NDArray[np.float32], about: Mapping[str, object]) -> None:
    """Write the table, the scales, the words and the manifest; other files of `place` are in the manifest too."""
    assert list(vocabulary) == sorted(vocabulary) and table.shape == (len(vocabulary), DIMENSIONS)
    rows, scales = quantised(table)
    (place / TABLE).write_bytes(rows.tobytes())
    (place / SCALES).write_bytes((scales / UNIT).astype("<f4").tobytes())
    (place / VOCABULARY).write_bytes("\n".join(vocabulary).encode())
    files = sorted(path for path in place.iterdir() if path.name != MANIFEST)
    manifest = {
        "format": FORMAT, "dimensions": DIMENSIONS, "rows": len(vocabulary), **about,
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
    }  # fmt: skip
    (place / MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")
