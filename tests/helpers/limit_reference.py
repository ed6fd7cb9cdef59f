"""A literal reading of the formulas of a transformer (one word, n² attention, float64), and random models."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from longreach.theory.limit.model import Array, Head, Layer, Transformer


def states(model: Transformer, word: Sequence[str], offset: int = 0) -> Array:
    """The residual stream after the last layer, one row per position, $ first."""
    rows = model.encode(list(word), offset)
    y: Array = model.embedding[rows] + model.positions[(np.arange(len(rows)) + offset) % len(model.positions)]
    for layer in model.layers:
        mixed = y.copy()
        for head in layer.heads:
            mixed += _weights(head, y, model.precision) @ (y @ head.v.T)
        hidden = mixed @ layer.a.T + layer.b
        active = np.where(layer.heaviside, hidden >= 0, np.maximum(hidden, 0))
        y = mixed + active @ layer.out.T
    return y


def _weights(head: Head, y: Array, bits: int | None) -> Array:
    """Where all exponentials of a row round to 0 the definition is 0/0; the head then adds nothing."""

    def rounded(values: Array) -> Array:
        return values if bits is None else np.floor(values * 2.0**bits + 0.5) / 2.0**bits

    n = len(y)
    logits = (y @ head.kq @ y.T).T  # rows are queries
    if isinstance(head.phi, np.ndarray):
        for distance, value in enumerate(head.phi[:n]):
            logits[np.arange(distance, n), np.arange(n - distance)] += value
    scores = rounded(np.exp(np.log(n) * rounded(logits))) * np.tri(n)
    sums = scores.sum(axis=1, keepdims=True)
    return np.asarray(scores / np.where(sums > 0, sums, 1.0))


def outputs(model: Transformer, word: Sequence[str], offset: int = 0) -> Array:
    return states(model, word, offset) @ model.unembedding.T


def words(model: Transformer, longest: int) -> Iterator[tuple[str, ...]]:
    letters = [token for token in model.vocabulary if token != "$"]
    for length in range(longest + 1):
        yield from itertools.product(letters, repeat=length)


def random_limit(
    rng: np.random.Generator,
    *,
    period: int = 2,
    width: int = 3,
    layers: int = 2,
    heads: int = 2,
    units: int = 2,
    tau: int = 2,
    precision: int | None = None,
    outputs: int = 1,
) -> Transformer:
    """Parameters are small multiples of 1/2, so that products are exact in floating point."""

    def draw(*shape: int) -> Array:
        return np.asarray(rng.integers(-2, 3, shape) / 2.0)

    made = tuple(
        Layer(
            tuple(
                Head(draw(width, width), draw(width, width), draw(tau + 1) if tau >= 0 else None)
                for _ in range(heads)
            ),
            draw(units, width),
            draw(units) + 0.25,
            draw(width, units),
            rng.integers(0, 2, units).astype(np.bool_),
        )
        for _ in range(layers)
    )
    read_out: Literal["acceptor"] | tuple[str, ...] = "acceptor" if outputs == 1 else tuple("ab$"[:outputs])
    return Transformer(
        "limit", ("$", "a", "b"), draw(3, width), draw(period, width), made, draw(outputs, width),
        read_out=read_out, precision=precision,
    )  # fmt: skip
