"""Two evaluators written from the description of the export format, and random small transformers.

Where all exponentials of a row round to 0 the definition is 0/0; here such a head then adds nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import numpy as np

from longreach.theory.limit.model import Array, Head, Layer, Transformer


def outputs(model: Transformer, word: tuple[str, ...], offset: int = 0) -> Array:
    """The outputs at every position in floating point; row 0 is at $."""
    y = model.embedding[model.encode(word)] + _positions(model, len(word) + 1, offset)
    length = len(y)
    place = np.arange(length)
    for layer in model.layers:
        read, y = y, y.copy()
        for head in layer.heads:
            logits = read @ head.kq.T @ read.T  # rows are queries
            if head.phi is not None:
                assert isinstance(head.phi, np.ndarray)
                distance = place[:, None] - place[None, :]
                inside = (distance >= 0) & (distance < len(head.phi))
                logits = logits + np.where(inside, head.phi[np.where(inside, distance, 0)], 0.0)
            weights = np.exp(np.log(length) * _rounded(logits, model.precision))
            weights = np.tril(_rounded(weights, model.precision))
            total = weights.sum(axis=1, keepdims=True)
            y = y + weights / np.where(total > 0, total, 1.0) @ read @ head.v.T
        units = y @ layer.a.T + layer.b
        y = y + np.where(layer.heaviside, units >= 0, np.maximum(units, 0.0)) @ layer.out.T
    return np.asarray(y @ model.unembedding.T)


def exact_outputs(model: Transformer, word: tuple[str, ...], offset: int = 0) -> list[list[Fraction]]:
    """The same in rational arithmetic: with rounding, every exponential is a rational number."""
    bits = model.precision
    assert bits is not None
    rows = model.embedding[model.encode(word)], _positions(model, len(word) + 1, offset)
    y = [[Fraction(e) + Fraction(p) for e, p in zip(*pair, strict=True)] for pair in zip(*rows, strict=True)]
    for layer in model.layers:
        read, y = y, [list(row) for row in y]
        for head in layer.heads:
            kq, v = _sparse(head.kq), _sparse(head.v)
            assert head.phi is None or isinstance(head.phi, np.ndarray)
            values = [_times(v, row, len(row)) for row in read]
            for i in range(len(read)):
                weights = []
                queries = _times(kq, read[i], len(read[i]))
                for j in range(i + 1):
                    logit = sum((a * b for a, b in zip(read[j], queries, strict=True) if a and b), Fraction())
                    if head.phi is not None and i - j < len(head.phi):
                        logit += Fraction(head.phi[i - j])
                    weights.append(_power(len(read), (2 * logit * 2**bits + 1) // 2, bits))
                total = sum(weights) or 1
                for j, weight in enumerate(weights):
                    share = Fraction(weight, total)
                    y[i] = [a + share * b if b else a for a, b in zip(y[i], values[j], strict=True)]
        a, out = _sparse(layer.a), _sparse(layer.out)
        for i, row in enumerate(y):
            units = [u + Fraction(b) for u, b in zip(_times(a, row, len(layer.b)), layer.b, strict=True)]
            hidden = [
                Fraction(u >= 0) if heaviside else max(u, Fraction())
                for u, heaviside in zip(units, layer.heaviside, strict=True)
            ]
            y[i] = [r + added for r, added in zip(row, _times(out, hidden, len(row)), strict=True)]
    return [_times(_sparse(model.unembedding), row, model.outputs) for row in y]


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


def _positions(model: Transformer, length: int, offset: int) -> Array:
    if model.kind == "limit":
        assert offset == 0
        return model.positions[np.arange(length) % model.period]
    return model.positions[offset : offset + length]


def _rounded(values: Array, bits: int | None) -> Array:
    return values if bits is None else np.floor(values * 2.0**bits + 0.5) / 2.0**bits


def _power(base: int, exponent: int, bits: int) -> int:
    """⌊base^(exponent / 2^bits) · 2^bits + ½⌋, exactly."""
    degree = 2**bits
    scaled = Fraction(2 ** ((bits + 1) * degree)) * Fraction(base) ** exponent
    low, high = 0, 1
    while high**degree <= scaled:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= scaled else (low, middle)
    return (low + 1) // 2


def _sparse(matrix: Array) -> list[tuple[int, int, Fraction]]:
    return [(int(r), int(c), Fraction(matrix[r, c])) for r, c in zip(*np.nonzero(matrix), strict=True)]


def _times(matrix: list[tuple[int, int, Fraction]], vector: list[Fraction], rows: int) -> list[Fraction]:
    result = [Fraction()] * rows
    for r, c, value in matrix:
        if vector[c]:
            result[r] += value * vector[c]
    return result
