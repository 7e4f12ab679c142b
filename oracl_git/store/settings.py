"""What an update can be told, and what it reports.

Knows plain values only, so that asking a question need not load the build plane.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from ..graph.parameters import Blend

Progress = Callable[[str, int, int], None]  # (step, done, total)


class Settings(NamedTuple):
    """What a rebuild may tune; kept in the header, so that updates go on with it."""

    blend: Blend = Blend()
    skip: frozenset[str] = frozenset()

    def encode(self) -> str:
        blend = self.blend
        return json.dumps([blend.alpha, blend.beta, blend.gamma, blend.decay, sorted(self.skip)])

    @classmethod
    def decode(cls, text: object) -> Settings:
        if not isinstance(text, str):
            return cls()
        alpha, beta, gamma, decay, skip = json.loads(text)
        return cls(Blend(alpha, beta, gamma, decay), frozenset(skip))


class Report(NamedTuple):
    """What an update did."""

    commit: str
    changed: int  # paths that differed
    parsed: int  # blobs that no cache knew
    linked: int  # files whose links were recomputed
    commits: int  # commits of history laid over the index
    rebuilt: str  # why it started from nothing, or ""
    copied: bool = False  # whether it started as a copy of another worktree's index
