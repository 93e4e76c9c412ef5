"""The forward pass of the encoder: texts → unit vectors whose product is the closeness of their meanings.

The network is a BERT of 6 layers; a vector is the average of the last layer over the word pieces of a text. The texts
of a batch are concatenated in one matrix without padding; only attention works text by text. Tests compare it with
golden vectors of the reference implementation. Only the child process imports this module, as numpy is native code.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Matrix: TypeAlias = npt.NDArray[np.float32]

MAX_PIECES = 256
"""Word pieces of one text; the rest is cut off, as in the reference."""
_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_BATCH_PIECES = 512


class Network:
    """The network, with weights read from a `safetensors` file when needed."""

    def __init__(self, path: Path) -> None:
        """Raises `OSError`, and `ValueError` or `KeyError` if the file has another network."""
        self._weights = _tensors(path)
        table = self._weights["embeddings.word_embeddings.weight"]
        self._type = self._weights["embeddings.token_type_embeddings.weight"][0]
        self.vocabulary, self.width = table.shape

    def encode(self, texts: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Matrix]]:
        """Batches of `texts`, shortest first: the indexes of the texts, and a matrix with one row for each.

        A text is a list of 2 to `MAX_PIECES` piece numbers.
        """
        by_length = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        batch: list[int] = []
        pieces = 0
        for place in by_length:
            if batch and pieces + len(texts[place]) > _BATCH_PIECES:
                yield batch, self._batch([texts[each] for each in batch])
                batch, pieces = [], 0
            batch.append(place)
            pieces += len(texts[place])
        if batch:
            yield batch, self._batch([texts[each] for each in batch])

    def _batch(self, texts: Sequence[Sequence[int]]) -> Matrix:
        ends = np.cumsum([len(text) for text in texts])
        parts = [slice(int(end) - len(text), int(end)) for text, end in zip(texts, ends, strict=True)]
        state = self._embedded(texts)
        for layer in range(_LAYERS):
            state = self._layer(f"encoder.layer.{layer}.", state, parts)
        means = np.stack([state[part].mean(axis=0) for part in parts])
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    def _embedded(self, texts: Sequence[Sequence[int]]) -> Matrix:
        pieces = np.concatenate([np.asarray(text) for text in texts])
        places = np.concatenate([np.arange(len(text)) for text in texts])
        state = self._weights["embeddings.word_embeddings.weight"][pieces]
        state = state + self._weights["embeddings.position_embeddings.weight"][places] + self._type
        return self._normed("embeddings.LayerNorm", state)

    def _layer(self, name: str, state: Matrix, parts: Sequence[slice]) -> Matrix:
        attended = self._linear(
            name + "attention.output.dense", self._attention(name + "attention.self.", state, parts)
        )
        state = self._normed(name + "attention.output.LayerNorm", state + attended)
        inner = _gelu(self._linear(name + "intermediate.dense", state))
        return self._normed(name + "output.LayerNorm", state + self._linear(name + "output.dense", inner))

    def _attention(self, name: str, state: Matrix, parts: Sequence[slice]) -> Matrix:
        query, key, value = (self._by_head(self._linear(name + each, state)) for each in ("query", "key", "value"))
        out = np.empty_like(value)
        for part in parts:
            scores = query[:, part] @ key[:, part].transpose(0, 2, 1) / np.float32(math.sqrt(self.width // _HEADS))
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            out[:, part] = shares / shares.sum(axis=-1, keepdims=True) @ value[:, part]
        return out.transpose(1, 0, 2).reshape(state.shape)

    def _by_head(self, state: Matrix) -> Matrix:
        return state.reshape(len(state), _HEADS, -1).transpose(1, 0, 2)

    def _linear(self, name: str, state: Matrix) -> Matrix:
        return state @ self._weights[name + ".weight"].T + self._weights[name + ".bias"]

    def _normed(self, name: str, state: Matrix) -> Matrix:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        return centred / spread * self._weights[name + ".weight"] + self._weights[name + ".bias"]


def _gelu(values: Matrix) -> Matrix:
    """x·Φ(x), with the error function by Abramowitz and Stegun 7.1.26 (error at most 1.5e-7)."""
    one = np.float32(1)
    scaled: Matrix = np.abs(values) * np.float32(math.sqrt(0.5))
    t: Matrix = one / (one + np.float32(0.3275911) * scaled)
    series: Matrix = np.full_like(t, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + np.float32(factor)
    error: Matrix = one - series * t * np.exp(-scaled * scaled)
    return values * np.float32(0.5) * (one + np.copysign(error, values))


def _tensors(path: Path) -> dict[str, Matrix]:
    """The tensors of a `safetensors` file by name, memory-mapped: a length, a JSON header, then the numbers."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(size))
    numbers = np.memmap(path, np.uint8, mode="r", offset=8 + size)
    found: dict[str, Matrix] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            found[name] = np.asarray(numbers[start:end]).view(np.float32).reshape(entry["shape"])
    return found
