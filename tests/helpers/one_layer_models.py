"""Random one-layer limit transformers with one head: coarse logits, so that ties and large margins occur."""

from __future__ import annotations

import numpy as np

from longreach.theory.limit.model import Array, Head, Layer, Transformer


def one_layer_model(
    rng: np.random.Generator, *, tokens: str = "abc", period: int = 1, locality: int | None = None
) -> Transformer:
    """ReLU units; φ up to `locality`, or none; half of all models attend to few tokens."""
    width, units = 4, 5

    def coarse(*shape: int) -> Array:
        return np.asarray(rng.integers(-1, 2, shape), dtype=np.float64)

    phi = None if locality is None else np.append(coarse(locality), 1.0)
    return Transformer(
        kind="limit",
        vocabulary=("$", *tokens),
        embedding=coarse(len(tokens) + 1, width),
        positions=coarse(period, width) * (period > 1),
        layers=(
            Layer(
                (Head(coarse(width, width) * rng.integers(0, 2), rng.normal(size=(width, width)), phi),),
                rng.normal(size=(units, width)),
                rng.normal(size=units),
                rng.normal(size=(width, units)),
                np.zeros(units, dtype=np.bool_),
            ),
        ),
        unembedding=rng.normal(size=(2, width)),
        read_out=("y", "z"),
    )
