"""Differentiable parts of the regularizer, to be added to a training loss with a coefficient.

Key position j on the left, query position i on the right, p_jᵀ KᵀQ p_i, and only j ≤ i counts (Huang et al.,
arXiv 2410.02140, Definition 5, term (8), and its variant (67)).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from torch import Tensor

Variant: TypeAlias = Literal["first-key", "all-pairs", "mean"]


def position_products(positions: Tensor, kq: Tensor) -> Tensor:
    """p_jᵀ KᵀQ p_i: keys j on the second last axis, queries i on the last; `kq` is (…, d, d)."""
    return positions @ kq @ positions.T


def position_penalty(positions: Tensor, kqs: Iterable[Tensor], variant: Variant = "mean") -> Tensor:
    """The penalty on attention between positions, summed over heads.

    `first-key` is term (8): the sum over queries of squared products with position 0. `all-pairs` is (67):
    all pairs j ≤ i, divided by the number of positions. `mean` is what the authors added to their training
    loss, with coefficients 1e-4 and 1e-3: the mean over the same pairs.

    >>> import torch
    >>> positions, kq = torch.eye(3), torch.ones(1, 3, 3)
    >>> [position_penalty(positions, [kq], variant).item() for variant in ("first-key", "all-pairs", "mean")]
    [3.0, 2.0, 1.0]
    """
    total = positions.new_zeros(())
    n = len(positions)
    for kq in kqs:
        if variant == "first-key":
            total = total + ((positions[0] @ kq) @ positions.T).square().sum()
            continue
        squares = position_products(positions, kq).square().triu()
        total = total + squares.sum() / (n if variant == "all-pairs" else n * (n + 1) / 2)
    return total
