"""Fitting the rows of a table to pairs of texts, with numpy and sparse matrices.

Knows bags of rows, the contrastive loss, its gradient, and Adam over the rows a
batch touches. Knows nothing of where texts come from. Every choice by chance
comes from one seeded generator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Floats = NDArray[np.float32]
TEMPERATURE = 0.07
BATCH = 512
SIF = 1e-3  # a row counts a/(a + its share of all pieces)
_FIRST, _SECOND = 0.9, 0.999  # Adam's memory of gradients and of their squares


def bags(texts: Iterable[Sequence[int]], rows: int) -> csr_matrix:
    """Texts as rows of counts [texts, rows of the table]."""
    indptr, indices, data = [0], [], []
    for text in texts:
        counts = Counter(text)
        indices += counts.keys()
        data += counts.values()
        indptr.append(len(indices))
    shape = (len(indptr) - 1, rows)
    return csr_matrix((np.array(data, np.float32), np.array(indices, np.int32), np.array(indptr)), shape)


def distilled(states: Floats, shares: NDArray[np.float64], dimensions: int) -> Floats:
    """Where training starts: the teacher's states, centred, turned to their main axes, weighted by rarity."""
    centred = states - states.mean(0)
    _, _, axes = np.linalg.svd(centred[::3], full_matrices=False)
    return (centred @ axes[:dimensions].T * (SIF / (SIF + shares))[:, None]).astype(np.float32)


def unit(values: Floats) -> tuple[Floats, Floats]:
    """(rows of length 1, their lengths before)."""
    lengths = np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)
    return values / lengths, lengths


class Adam:
    """Adam with a rate that falls to nothing, over those rows that have a gradient."""

    def __init__(self, table: Floats, rate: float, steps: int) -> None:
        self.table, self.rate, self.steps, self.step = table, rate, steps, 0
        self.first, self.second = np.zeros_like(table), np.zeros_like(table)

    def move(self, rows: NDArray[np.int32], gradient: Floats) -> None:
        """One step for some rows."""
        self.step += 1
        rate = self.rate * max(0.0, 1 - self.step / self.steps)
        first = _FIRST * self.first[rows] + (1 - _FIRST) * gradient
        second = _SECOND * self.second[rows] + (1 - _SECOND) * gradient**2
        self.first[rows], self.second[rows] = first, second
        first /= 1 - _FIRST**self.step
        second /= 1 - _SECOND**self.step
        self.table[rows] -= np.float32(rate) * first / (np.sqrt(second) + 1e-8)


def contrast(left: Floats, right: Floats, same: NDArray[np.bool_]) -> tuple[float, Floats, Floats]:
    """InfoNCE both ways: (loss, gradients of both sides before they were made unit).

    `same` masks what is no counter-example: other pairs with the same text.
    """
    a, size_a = unit(left)
    b, size_b = unit(right)
    scores = a @ b.T / TEMPERATURE
    scores[same] = -1e9
    gradient = np.zeros_like(scores)
    loss = 0.0
    for axis in (0, 1):
        top = np.exp(scores - scores.max(axis, keepdims=True))
        chance = top / top.sum(axis, keepdims=True)
        loss -= float(np.log(np.maximum(np.diag(chance), 1e-9)).mean()) / 2
        gradient += (chance - np.eye(len(scores), dtype=np.float32)) / (2 * len(scores) * TEMPERATURE)
    return loss, _through(gradient @ b, a, size_a), _through(gradient.T @ a, b, size_b)


def _through(gradient: Floats, value: Floats, length: Floats) -> Floats:
    """The gradient before a division by the length."""
    return (gradient - value * (gradient * value).sum(1, keepdims=True)) / length


def fit(
    table: Floats, left: csr_matrix, right: csr_matrix, texts: NDArray[np.int64], epochs: float, rate: float,
    seed: int, tell: Callable[[str], None] = print,
) -> Floats:  # fmt: skip
    """The table after training; the one given is left as it was. `texts`: a number for each distinct left text."""
    table = table.copy()
    chance = np.random.default_rng(seed)
    pairs = left.shape[0]
    steps = int(pairs * epochs // BATCH)
    adam = Adam(table, rate, steps)
    order = np.zeros(0, np.int64)
    seen: list[float] = []
    for step in range(steps):
        if len(order) < BATCH:
            order = np.concatenate([order, chance.permutation(pairs)])
        batch, order = order[:BATCH], order[BATCH:]
        some = texts[batch]
        same = (some[:, None] == some[None, :]) & ~np.eye(BATCH, dtype=bool)
        a, b = left[batch], right[batch]
        loss, ga, gb = contrast(a @ table, b @ table, same)
        touched = np.unique(np.concatenate([a.indices, b.indices]))
        adam.move(touched, np.asarray(a[:, touched].T @ ga + b[:, touched].T @ gb, np.float32))
        seen.append(loss)
        if (step + 1) % 100 == 0:
            tell(f"step {step + 1} of {steps}, loss {np.mean(seen[-100:]):.3f}")
    return table
