"""How hard attention is: how much of it lies where it should, and how evenly (Izzo et al., Figure 3).

Weights are arrays (…, queries, keys) whose rows add up to 1 over the keys up to the query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.limit.model import Array

Wanted = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Softness:
    """How spread out attention is where nothing says where it should be."""

    largest: float
    """The mean of the largest weight of a query."""
    entropy: float
    """The mean entropy of a query's weights over that of even weights: 0 one key alone, 1 all alike."""


@dataclass(frozen=True, kw_only=True)
class Hardness:
    """Weights on the keys that should be attended, and on the others."""

    mass: float
    """The mean share of a query's attention that lies on wanted keys."""
    even_mass: float
    """The same for attention that is even over all keys, to compare with."""
    wanted: float
    """The mean weight of a wanted key …"""
    wanted_deviation: float
    other: float
    """… and of another one; 0 where there is none."""
    other_deviation: float
    ideal: float
    """The mean weight of a wanted key if attention were hard."""
    distance: float
    """The mean total variation distance from hard attention: 0 is hard, 1 elsewhere."""

    def document(self) -> dict[str, float]:
        """As JSON has it."""
        return dict(vars(self))


def softness(weights: Array, queries: Wanted | None = None) -> Softness:
    """Of all queries that see two keys or more; `queries` (…, queries) chooses among them.

    >>> softness(np.array([[1.0, 0.0], [0.5, 0.5]]))
    Softness(largest=0.5, entropy=1.0)
    """
    size = weights.shape[-1]
    seen = np.arange(1, size + 1)
    used = np.broadcast_to(seen > 1, weights.shape[:-1])
    if queries is not None:
        used = used & np.broadcast_to(queries, weights.shape[:-1])
    if not used.any():
        return Softness(largest=1.0, entropy=0.0)
    logs = np.log(np.where(weights > 0, weights, 1.0))
    entropy = -(weights * logs).sum(axis=-1) / np.log(np.maximum(seen, 2))
    return Softness(largest=float(weights.max(axis=-1)[used].mean()), entropy=float(entropy[used].mean()))


def hardness(weights: Array, wanted: Wanted, queries: Wanted | None = None) -> Hardness:
    """How the weights lie on wanted keys, over the queries that want some key.

    >>> found = hardness(np.array([[1.0, 0.0], [0.8, 0.2]]), np.array([[True, False], [True, False]]))
    >>> found.mass, found.even_mass, found.ideal, round(found.distance, 6)
    (0.9, 0.75, 1.0, 0.1)
    """
    if weights.shape[-2:] != wanted.shape[-2:]:
        raise InputError(f"weights of shape {weights.shape} for wanted keys of shape {wanted.shape}")
    size = weights.shape[-1]
    causal = np.tri(size, dtype=bool)
    wanted = np.broadcast_to(wanted & causal, weights.shape)
    number = wanted.sum(axis=-1)
    used = number > 0
    if queries is not None:
        used = used & np.broadcast_to(queries, used.shape)
    if not used.any():
        raise InputError("no query wants any key")
    on, off = wanted & used[..., None], causal & ~wanted & used[..., None]
    hard = wanted / np.maximum(number, 1)[..., None]
    mass = (weights * wanted).sum(axis=-1)
    apart = np.abs(weights - hard).sum(axis=-1) / 2
    others = weights[off]
    return Hardness(
        mass=float(mass[used].mean()),
        even_mass=float((number / np.arange(1, size + 1))[used].mean()),
        wanted=float(weights[on].mean()),
        wanted_deviation=float(weights[on].std()),
        other=float(others.mean()) if others.size else 0.0,
        other_deviation=float(others.std()) if others.size else 0.0,
        ideal=float(hard[on].mean()),
        distance=float(apart[used].mean()),
    )
