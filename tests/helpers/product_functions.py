"""Product functions of a finite transformer, as Definition 43 of Huang et al. (arXiv 2410.02140) has them."""

from __future__ import annotations

import numpy as np

from longreach.theory.limit.model import Array, Transformer
from longreach.theory.limit.products import Path, position_logits


def value_product(model: Transformer, path: Path) -> Array:
    """∏S: the value matrices of a path, the lowest layer applied first."""
    product = np.eye(model.width)
    for layer, head in path:
        product = model.layers[layer].heads[head].v @ product
    return product


def alpha_of_positions(model: Transformer, layer: int, head: int, left: Path, right: Path) -> Array:
    """α for the positional encodings of all keys (rows) and all queries (columns)."""
    key, query = (value_product(model, path) @ model.positions.T for path in (left, right))
    return np.asarray(key.T @ model.layers[layer].heads[head].kq @ query)


def term_67(model: Transformer) -> float:
    """The variant (67) of term (8): over all pairs that causal attention admits, divided by n."""
    total = sum(
        float(np.sum(np.triu(position_logits(model, layer, h)) ** 2)) for layer, h, _ in model.heads()
    )
    return total / len(model.positions)
