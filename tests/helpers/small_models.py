"""Random small transformers with dyadic parameters, for tests of the evaluators."""

from __future__ import annotations

from typing import Literal

import numpy as np

from longreach.theory.limit.model import Array, Head, Layer, Relation, Transformer

CONTEXT = 14


def general(j: int, i: int) -> float:
    """A φ that is not local."""
    return float((i * j) % 3) / 2


def small_model(
    seed: int,
    kind: Literal["limit", "finite"] = "limit",
    *,
    precision: int | None = None,
    integer: bool = False,
    phi: Literal["local", "none", "general"] = "local",
    width: int = 4,
    layers: int = 2,
) -> Transformer:
    """A predictor over a, b; `integer` keeps the first layer's logits integers."""
    rng = np.random.default_rng(seed)
    unit = 1.0 if integer else 0.5

    def draw(*shape: int) -> Array:
        return unit * rng.integers(-2, 3, shape) * (rng.random(shape) < 0.5)

    def relation() -> Array | Relation | None:
        if kind == "finite" or phi == "none":
            return None
        return general if phi == "general" else draw(int(rng.integers(1, 4)))

    return Transformer(
        kind=kind,
        vocabulary=("a", "$", "b"),
        embedding=draw(3, width),
        positions=draw(CONTEXT if kind == "finite" else 2, width),
        layers=tuple(
            Layer(
                heads=tuple(
                    Head(draw(width, width), draw(width, width), relation())
                    for _ in range(rng.integers(0, 3))
                ),
                a=draw(3, width),
                b=draw(3),
                out=draw(width, 3),
                heaviside=rng.random(3) < 0.5,
            )
            for _ in range(layers)
        ),
        unembedding=draw(2, width),
        read_out=("a", "b"),
        precision=precision,
    )


def random_words(seed: int, number: int, longest: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(["a", "b"], rng.integers(0, longest + 1))) for _ in range(number)]
