"""Fitting p_jᵀ KᵀQ p_i to a function of positions directly (Huang et al., arXiv 2410.02140, G.2).

All functions and seeds of one width train side by side. A batch of windows is a weight for each pair of
positions, the number of windows that hold both: the loss over the windows, without computing any twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.theory.limit.model import Array

EVERY = 250
"""Steps after which progress is reported."""


def pair_weights(offsets: NDArray[np.int64], length: int, positions: int) -> Array:
    """For each query and each key that does not follow it, how many windows hold both; they add up to 1.

    >>> (pair_weights(np.array([0, 1]), 2, 3) * 6).round(6).tolist()
    [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]
    """
    places = np.arange(positions)
    starts = np.bincount(offsets, minlength=positions + 1).astype(np.float64)
    before = np.concatenate([[0.0], np.cumsum(starts)])
    # A window from o holds j ≤ i when i − length < o ≤ j.
    low = np.maximum(places[:, None] - length + 1, 0)
    held = before[places[None, :] + 1] - before[np.minimum(low, len(before) - 1)]
    found = np.where((places[None, :] <= places[:, None]) & (held > 0), held, 0.0)
    return np.asarray(found / found.sum())


def initial(count: int, seeds: Sequence[int], width: int, positions: int) -> list[Tensor]:
    """Positions, queries and keys of every function and seed: normal, of variance 1/width.

    What a seed starts from does not depend on what trains beside it.
    """
    made: list[list[Tensor]] = [[], [], []]
    for seed in seeds:
        rng = torch.Generator().manual_seed(seed)
        for each, rows in zip(made, (positions, width, width), strict=True):
            each.append((torch.randn(rows, width, generator=rng) * width**-0.5).expand(count, -1, -1))
    return [torch.cat(each).clone().requires_grad_() for each in made]


def products(parameters: Sequence[Tensor]) -> Tensor:
    """(functions and seeds, queries, keys)"""
    positions, query, key = parameters
    return (positions @ query.transpose(1, 2)) @ (positions @ key.transpose(1, 2)).transpose(1, 2)


def fit_functions(
    targets: Array,
    *,
    seeds: Sequence[int],
    width: int,
    length: int,
    tests: Sequence[int],
    steps: int,
    batch: int = 64,
    lr: float = 1e-3,
    penalty: float = 0.01,
    report: Callable[[int], None] = lambda _: None,
) -> Array:
    """Mean squared errors (seeds, functions, test lengths) after training on windows of `length`.

    `targets` are (functions, positions, positions), queries first. Each step draws its windows at offsets
    that are uniform from 0 to positions − length; a test length is measured over all its offsets. The penalty
    is the mean square of each of the three matrices, added up. Progress is told in steps since the last time.
    """
    count, positions = len(targets), targets.shape[1]
    parameters = initial(count, seeds, width, positions)
    wanted = torch.from_numpy(targets).float().repeat(len(seeds), 1, 1)
    optimizer = torch.optim.Adam(parameters, lr=lr)
    streams = [np.random.default_rng([seed, 1]) for seed in seeds]
    for step in range(steps):
        drawn = [
            pair_weights(rng.integers(0, positions - length + 1, batch), length, positions) for rng in streams
        ]
        weights = torch.from_numpy(np.repeat(np.stack(drawn), count, axis=0)).float()
        # A sum over all fits: each has the gradient of its own loss, and Adam treats every number by itself.
        loss = (weights * (products(parameters) - wanted) ** 2).sum()
        loss = loss + penalty * sum(each.square().mean(dim=(1, 2)).sum() for each in parameters)
        for each, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
            each.grad = gradient
        optimizer.step()
        if (step + 1) % EVERY == 0 or step + 1 == steps:
            report(step % EVERY + 1)
    return errors_at(products(parameters).detach(), wanted, tests).reshape(len(seeds), count, len(tests))


def errors_at(found: Tensor, wanted: Tensor, tests: Sequence[int]) -> Array:
    """(functions and seeds, tests): the mean squared error over all windows of each length."""
    positions = wanted.shape[1]
    squares = (found - wanted).double().square()
    columns = []
    for length in tests:
        every = pair_weights(np.arange(positions - length + 1), length, positions)
        columns.append((squares * torch.from_numpy(every)).sum(dim=(1, 2)))
    return np.asarray(torch.stack(columns, dim=1).numpy())
