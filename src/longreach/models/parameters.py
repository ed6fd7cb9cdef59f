"""Parameters as dictionaries of tensors: initial values, stacking, checks, and the penalty on positions.

A model is a function of such a dictionary. An ensemble is the same dictionary with a leading member axis.

Key position j on the left, query position i on the right, p_jᵀ KᵀQ p_i, and only j ≤ i counts (Huang et al.,
arXiv 2410.02140, Definition 5, term (8), and its variant (67)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from longreach.errors import InputError, near_names

# Parameters as dictionaries from dotted names to tensors: initial values, members side by side, checks.


Parameters: TypeAlias = dict[str, Tensor]


@dataclass(frozen=True)
class Initial:
    """The shape of a parameter and what it starts from."""

    shape: tuple[int, ...]
    distribution: Literal["normal", "uniform", "constant"]
    scale: float
    """The standard deviation, the bound ±scale, or the value."""


def draw(table: Mapping[str, Initial], seed: int) -> Parameters:
    """The initial parameters of one run.

    >>> table = {"weight": Initial((2, 2), "normal", 0.02), "bias": Initial((2,), "constant", 0.0)}
    >>> first, again, other = draw(table, 7), draw(table, 7), draw(table, 8)
    >>> torch.equal(first["weight"], again["weight"]), torch.equal(first["weight"], other["weight"])
    (True, False)
    """
    generator = torch.Generator().manual_seed(seed)
    made: Parameters = {}
    for name, initial in table.items():
        value = torch.empty(initial.shape)
        if initial.distribution == "normal":
            value.normal_(0.0, initial.scale, generator=generator)
        elif initial.distribution == "uniform":
            value.uniform_(-initial.scale, initial.scale, generator=generator)
        else:
            value.fill_(initial.scale)
        made[name] = value
    return made


def views(table: Mapping[str, tuple[int, ...]], vectors: Tensor) -> Parameters:
    """The parameters of these shapes as views of vectors, whose leading axes they keep."""
    parts = torch.split_with_sizes(vectors, [math.prod(shape) for shape in table.values()], dim=-1)
    leading = vectors.shape[:-1]
    return {
        name: part.view((*leading, *shape)) for (name, shape), part in zip(table.items(), parts, strict=True)
    }


def check(table: Mapping[str, Initial], parameters: Mapping[str, Tensor]) -> None:
    """Refuse parameters that are not those of the table, in one line.

    >>> check({"bias": Initial((2,), "constant", 0.0)}, {"bias": torch.zeros(3)})
    Traceback (most recent call last):
    longreach.errors.InputError: parameter 'bias': shape (3,), expected (2,)
    """
    for name in parameters:
        if name not in table:
            raise InputError(f"parameter {name!r}: not of this model{near_names(name, table)}")
    for name, initial in table.items():
        if name not in parameters:
            raise InputError(f"parameter {name!r}: missing")
        if (shape := tuple(parameters[name].shape)) != initial.shape:
            raise InputError(f"parameter {name!r}: shape {shape}, expected {initial.shape}")


# Differentiable parts of the regularizer, to be added to a training loss with a coefficient.


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
