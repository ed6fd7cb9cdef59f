"""A literal reading of the formulas of a limit transformer: one word, n² attention, float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.theory.limit.model import Array, Head, Transformer


def states(model: Transformer, word: Sequence[str]) -> Array:
    """The residual stream after the last layer, one row per position, $ first."""
    rows = model.encode(list(word))
    n = len(rows)
    y: Array = model.embedding[rows] + model.positions[np.arange(n) % model.period]
    for layer in model.layers:
        mixed = y.copy()
        for head in layer.heads:
            mixed += _weights(head, y) @ (y @ head.v.T)
        hidden = mixed @ layer.a.T + layer.b
        active = np.where(layer.heaviside, hidden >= 0, np.maximum(hidden, 0))
        y = mixed + active @ layer.out.T
    return y


def _weights(head: Head, y: Array) -> Array:
    n = len(y)
    logits = (y @ head.kq @ y.T).T  # rows are queries
    if isinstance(head.phi, np.ndarray):
        for distance, value in enumerate(head.phi[:n]):
            logits[np.arange(distance, n), np.arange(n - distance)] += value
    scores = np.exp(np.log(n) * logits)
    scores *= np.tri(n)
    return scores / scores.sum(axis=1, keepdims=True)


def outputs(model: Transformer, word: Sequence[str]) -> Array:
    return states(model, word) @ model.unembedding.T
