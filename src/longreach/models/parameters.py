"""Parameters as dictionaries from dotted names to tensors: initial values, views of vectors, checks.

A model is a function of such a dictionary. An ensemble is the same dictionary with a leading axis for runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from longreach.errors import InputError, near_names

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


def position_penalty(positions: Tensor, kqs: Iterable[Tensor]) -> Tensor:
    """The penalty on attention between positions, summed over heads (Huang et al., arXiv 2410.02140).

    It is the mean over all pairs of a key position j ≤ i of (p_jᵀ KᵀQ p_i)², as the authors added it to
    their training loss, with coefficients 1e-4 and 1e-3. `kqs` are KᵀQ of all heads, (…, d, d).

    >>> position_penalty(torch.eye(3), [torch.ones(1, 3, 3)]).item()
    1.0
    """
    total = positions.new_zeros(())
    pairs = len(positions) * (len(positions) + 1) / 2
    for kq in kqs:
        total = total + (positions @ kq @ positions.T).square().triu().sum() / pairs
    return total
