"""Random small members of the hypothesis class Θ_n that are not translations of limit transformers."""

from __future__ import annotations

import dataclasses

import numpy as np

from longreach.theory.limit.model import Array, Head, Layer, Transformer


def random_member(
    rng: np.random.Generator,
    *,
    context: int = 6,
    period: int = 2,
    width: int = 2,
    layers: int = 2,
    heads: int = 2,
    units: int = 2,
    precision: int | None = None,
) -> Transformer:
    """Regions: main, one-hot position, one-hot residue, copied residue; p is constant in the main one.

    Logits between positions are any function of the distance (arbitrary where the key follows the query),
    logits between residues any function of their difference, directly and after value matrices; the main
    region reads sums of residues, which are the same everywhere.
    """
    n = context
    d = width + n + 2 * period
    main, place = slice(0, width), slice(width, width + n)
    residue, copied = slice(width + n, width + n + period), slice(width + n + period, d)

    def draw(*shape: int) -> Array:
        return np.asarray(rng.integers(-2, 3, shape) / 2.0)

    def circulant() -> Array:
        row = draw(period)
        return np.array([np.roll(row, shift) for shift in range(period)])

    def key_query() -> Array:
        kq = np.zeros((d, d))
        kq[main, main] = draw(width, width)
        by_distance = draw(n)
        kq[place, place] = np.tril(draw(n, n), -1) + sum(by_distance[t] * np.eye(n, k=t) for t in range(n))
        for left in (residue, copied):
            kq[left, main] = np.ones((period, 1)) * draw(width)
            for right in (residue, copied):
                kq[left, right] = circulant()
        kq[main, copied] = draw(width, 1) * np.ones((1, period))
        return kq

    def value() -> Array:
        v = np.zeros((d, d))
        v[main, main] = draw(width, width)
        v[main, residue] = draw(width, 1) * np.ones((1, period))
        v[copied, residue], v[copied, copied] = circulant(), circulant()
        return v

    def mlp() -> tuple[Array, Array]:
        a, out = np.zeros((units, d)), np.zeros((d, units))
        a[:, main], out[main] = draw(units, width), draw(width, units)
        a[:, copied] = draw(units, 1)
        out[copied] = draw(1, units)
        return a, out

    made = []
    for _ in range(layers):
        a, out = mlp()
        found = tuple(Head(key_query(), value()) for _ in range(heads))
        made.append(Layer(found, a, draw(units) + 0.25, out, rng.integers(0, 2, units).astype(np.bool_)))
    positions = np.zeros((n, d))
    positions[:, main] = draw(width)
    positions[:, place] = np.eye(n)
    positions[np.arange(n), residue.start + np.arange(n) % period] = 1
    embedding = np.zeros((3, d))
    embedding[:, main] = draw(3, width)
    unembedding = np.zeros((2, d))
    unembedding[:, main] = draw(2, width)
    unembedding[:, residue] = draw(2, 1)
    return Transformer(
        "finite", ("$", "a", "b"), embedding, positions, tuple(made), unembedding,
        read_out=("a", "b"), precision=precision,
    )  # fmt: skip


def rotated(rng: np.random.Generator, model: Transformer, steps: int = 30) -> Transformer:
    """The same transformer in another basis, y ↦ My with integer M and M⁻¹: no product function changes."""
    d = model.width
    m, inverse = np.eye(d), np.eye(d)
    for _ in range(steps):
        row, other = rng.choice(d, 2, replace=False)
        sign = float(rng.choice([-1, 1]))
        m[row] += sign * m[other]
        inverse[:, other] -= sign * inverse[:, row]
    layers = tuple(
        Layer(
            tuple(Head(inverse.T @ head.kq @ inverse, m @ head.v @ inverse) for head in layer.heads),
            layer.a @ inverse,
            layer.b,
            m @ layer.out,
            layer.heaviside,
        )
        for layer in model.layers
    )
    return dataclasses.replace(
        model,
        embedding=model.embedding @ m.T,
        positions=model.positions @ m.T,
        layers=layers,
        unembedding=model.unembedding @ inverse,
    )
