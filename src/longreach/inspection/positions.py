"""Functions of two positions in a trained decoder: are they local, periodic or neither?

Rows are queries i, columns keys j, as Equations 80 and 81 of Huang et al. (arXiv 2410.02140) read them. The
factor 1/√(head width) of the logits belongs to KᵀQ, log |x| does not. Where positions are no vectors, what
the encoding adds to the logits stands in the place of the product.

Matrices have a row for each query i and a column for each key j; only j ≤ i counts, the lower triangle.

The fit is M_ij ≈ π((i − j) mod Δ) + λ(i − j), where λ is 0 beyond the distance τ: by least squares over the
lower triangle, for every Δ and τ. Of two fits the one with more numbers must explain enough more: Δ + τ + 1
of them are compared by the Bayesian information criterion over distances, as entries of one diagonal are no
independent observations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
import torch

from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.inspection.trace import FoldedModel, Trace
from longreach.models.decoder import encoding_module
from longreach.models.parameters import Parameters
from longreach.theory.limit.model import Array

Path = tuple[tuple[int, int], ...]
MOST_PRODUCTS = 64
"""Products through value matrices of one head that are looked at."""


@dataclass(frozen=True, eq=False)
class PositionProduct:
    """One product function: a head, and the value matrices that keys and queries passed through."""

    layer: int
    head: int
    matrix: Array
    key_path: Path = ()
    query_path: Path = ()

    @property
    def name(self) -> str:
        """As people read it.

        >>> PositionProduct(1, 0, np.zeros((1, 1)), key_path=((0, 2),)).name
        'layer 1 head 0, keys through V of layer 0 head 2'
        """
        through = [
            f"{who} through {' and '.join(f'V of layer {layer} head {head}' for layer, head in path)}"
            for who, path in (("keys", self.key_path), ("queries", self.query_path))
            if path
        ]
        return ", ".join([f"layer {self.layer} head {self.head}", *through])


def has_position_functions(config: ModelConfig) -> bool:
    """Whether the encoding adds vectors to tokens, or numbers to logits: else there is nothing to read.

    >>> made = {"layers": 1, "heads": 1, "width": 4, "vocabulary": 3, "positions": 8}
    >>> [has_position_functions(ModelConfig(**made, encoding=name)) for name in ("ape", "t5", "nope")]
    [True, True, False]
    """
    found = encoding_module(config.encoding)
    return found.adds_vectors or found.adds_bias


def position_products(
    model: FoldedModel,
    parameters: Parameters,
    *,
    size: int | None = None,
    only: Collection[tuple[int, int]] | None = None,
) -> Iterator[PositionProduct]:
    """p_jᵀ KᵀQ p_i of every head, or of some, for the first `size` positions, by layer and head."""
    config = model.config
    number = config.positions if size is None else min(size, config.positions)
    vectors = np.zeros((number, config.width)) if model.positions is None else model.positions[:number]
    for layer, folded in enumerate(model.layers):
        added = _added(parameters, config, layer, number)
        for head, each in enumerate(folded.heads):
            if only is None or (layer, head) in only:
                yield PositionProduct(layer, head, each.product(vectors, vectors) + added[head])


def value_products(model: FoldedModel, *, size: int | None = None) -> Iterator[PositionProduct]:
    """The products in which positions have passed a value matrix of a lower layer, as keys, queries or both.

    At most MOST_PRODUCTS for a head, those of the nearest layers; none where positions are no vectors.
    """
    if model.positions is None:
        return
    vectors = model.positions[: size or len(model.positions)]
    for layer, folded in enumerate(model.layers):
        below = [(low, head) for low in reversed(range(layer)) for head in range(model.config.heads)]
        passed = {
            (low, head): model.layers[low].heads[head].passed(vectors) for low, head in below[:MOST_PRODUCTS]
        }
        ways: list[tuple[Path, Array]] = [((), vectors), *(((each,), v) for each, v in passed.items())]
        pairs = [pair for pair in product(ways, ways) if pair[0][0] or pair[1][0]]
        pairs.sort(key=lambda pair: len(pair[0][0]) + len(pair[1][0]))
        for head, each in enumerate(folded.heads):
            for (key_path, keys), (query_path, queries) in pairs[:MOST_PRODUCTS]:
                yield PositionProduct(layer, head, each.product(keys, queries), key_path, query_path)


def _added(parameters: Parameters, config: ModelConfig, layer: int, size: int) -> Array:
    """What the encoding adds to the logits of each head."""
    ids = torch.arange(size)
    found = encoding_module(config.encoding).bias(parameters, config, layer, ids, ids)
    if found is None:
        return np.zeros((config.heads, 1, 1))
    return np.broadcast_to(found.detach().double().numpy(), (config.heads, *found.shape[-2:]))


def mean_logits(found: Trace, first: int = 0) -> list[Array]:
    """By layer, (heads, queries, keys): logits averaged over rows of one length, without each query's mean.

    A softmax does not see what all keys of a query have in common. Places before `first` are left out.
    """
    return [
        _centred(layer.detach().double().mean(dim=0).numpy()[:, first:, first:]) for layer in found.logits
    ]


def logits_of_weights(weights: Array) -> Array:
    """Logits, but for a constant per query, from weights (rows, heads, queries, keys), averaged over rows.

    Weights that came out as 0 count as the least number that is not.

    >>> found = logits_of_weights(np.array([[[[1.0, 0.0], [0.2, 0.8]]]]))
    >>> bool(np.isclose(found[0, 1, 1] - found[0, 1, 0], np.log(4)))
    True
    """
    logs = np.log(np.maximum(weights, np.finfo(np.float32).tiny))
    causal = np.tri(weights.shape[-1], dtype=bool)
    # Centred before the mean over rows: constants of each row of data are as arbitrary.
    return np.asarray(_centred(np.where(causal, logs, 0.0)).mean(axis=0))


def _centred(logits: Array) -> Array:
    """Without the mean over the keys up to each query, and 0 beyond."""
    size = logits.shape[-1]
    causal = np.tri(size, dtype=bool)
    sums = np.where(causal, logits, 0.0).sum(axis=-1, keepdims=True)
    return np.where(causal, logits - sums / np.arange(1, size + 1)[:, None], 0.0)


# How far a function of two positions is from one of their distance (Huang et al., arXiv 2410.02140,
# G.6.2).


def diagonal_means(matrix: Array) -> Array:
    """The mean along each sub-diagonal, by distance i − j (Equation 80).

    >>> diagonal_means(np.array([[1.0, 9.0], [5.0, 3.0]])).tolist()
    [2.0, 5.0]
    """
    _square(matrix)
    return np.array([np.diagonal(matrix, -distance).mean() for distance in range(len(matrix))])


def invariant_version(matrix: Array) -> Array:
    """Each entry replaced by the mean of its sub-diagonal (Figure 9 b); 0 where the key follows the query.

    >>> invariant_version(np.array([[1.0, 9.0], [5.0, 3.0]])).tolist()
    [[2.0, 0.0], [5.0, 2.0]]
    """
    return by_distance(diagonal_means(matrix), len(matrix))


def by_distance(values: Array, size: int) -> Array:
    """The matrix of a function of the distance, which is 0 beyond its last value."""
    distances = np.subtract.outer(np.arange(size), np.arange(size))
    inside = (distances >= 0) & (distances < len(values))
    return np.where(inside, values[np.clip(distances, 0, max(len(values) - 1, 0))], 0.0)


def offset_variance(matrix: Array) -> float:
    """Var_offset: the mean square of what the sub-diagonals' means leave (Equation 81).

    >>> offset_variance(np.array([[1.0, 9.0], [5.0, 3.0]])), offset_variance(np.tri(4))
    (0.666..., 0.0)
    """
    lower = np.tril_indices(len(matrix))
    left = matrix[lower] - invariant_version(matrix)[lower]
    return float(np.mean(left**2))


def total_variance(matrix: Array) -> float:
    """The variance of all entries of the lower triangle: what Var_offset is a part of."""
    return float(np.var(matrix[np.tril_indices(len(_square(matrix)))]))


def window_weights(matrix: Array, window: int, offset: int) -> Array:
    """M^(o): the causal softmax of the window that begins at an offset (Figure 9 c).

    >>> window_weights(np.zeros((5, 5)), 2, 3).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    _square(matrix)
    if not (1 <= window <= len(matrix) and 0 <= offset <= len(matrix) - window):
        raise InputError(f"a window of {window} at offset {offset} does not fit into {len(matrix)} positions")
    part = matrix[offset : offset + window, offset : offset + window]
    part = np.where(np.tri(window, dtype=bool), part, -np.inf)
    weights = np.exp(part - part.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def window_offsets(size: int, window: int) -> tuple[int, ...]:
    """Evenly spaced offsets, the first and the last that fit among them.

    >>> window_offsets(200, 40), window_offsets(10, 10)
    ((0, 40, 80, 120, 160), (0,))
    """
    return tuple(sorted({round(place) for place in np.linspace(0, size - window, WINDOWS).tolist()}))


@dataclass(frozen=True, kw_only=True)
class WindowShift:
    """How much attention by positions alone differs between windows."""

    window: int
    offsets: tuple[int, ...]
    distance: float
    """The mean over queries and pairs of windows of the total variation distance: 0 the same, 1 disjoint."""


def window_shift(matrix: Array, window: int) -> WindowShift:
    """The weights of windows at several offsets, compared with each other.

    >>> window_shift(np.tri(6), 3).distance
    0.0
    """
    chosen = window_offsets(len(matrix), window)
    every = np.stack([window_weights(matrix, window, offset) for offset in chosen])
    pairs = [
        np.abs(every[one] - every[other]).sum(axis=1).mean() / 2
        for one in range(len(chosen))
        for other in range(one)
    ]
    return WindowShift(window=window, offsets=chosen, distance=float(np.mean(pairs)) if pairs else 0.0)


def _square(matrix: Array) -> Array:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InputError(f"a product function is a square matrix, not of the shape {matrix.shape}")
    return matrix


# Is a function of two positions local, periodic or neither (Huang et al., arXiv 2410.02140, section 3)?


Shape: TypeAlias = Literal["constant", "local", "periodic", "local and periodic", "neither"]
MOST_PERIOD = 12
WINDOWS = 5
"""Of one head that are compared."""
ENOUGH = 0.25
"""A fit that leaves more of the variance unexplained describes nothing."""
FLOOR, TIE = 1e-12, 1e-9
FLAT = 0.05
"""Logits whose standard deviation is below this are constant: weights change by about as small a share."""


@dataclass(frozen=True, kw_only=True)
class PeriodicFit:
    """What the fit found for one head."""

    shape: Shape
    local_to: int
    """τ: the largest distance at which the local part is not 0; −1: there is none."""
    period: int
    """Δ; 1: no distances repeat."""
    periodic: Array
    """π, by distance modulo Δ."""
    local: Array
    """λ at the distances 0 … τ."""
    residual: float
    """The root mean square residual, in logits."""
    unexplained: float
    """The share of the variance that is left: of offsets, and of distances that the fit does not follow."""
    by_offsets: float
    """The share of the variance within diagonals, which no function of the distance explains."""

    def at(self, distances: Array) -> Array:
        """The fitted value at each distance."""
        whole = distances.astype(np.int64)
        found = self.periodic[whole % self.period].astype(np.float64)
        near = whole <= self.local_to
        found[near] += self.local[whole[near]]
        return found

    @property
    def words(self) -> str:
        """The shape with its parameters; for neither, those of the nearest fit."""
        if self.shape == "constant":
            return self.shape
        near = [f"τ={self.local_to}"] if self.local_to >= 0 else []
        turns = [f"Δ={self.period}"] if self.period > 1 else []
        nearest = ["(nearest"] if self.shape == "neither" and near + turns else []
        return " ".join([self.shape, *nearest, *near, *turns]) + (")" if nearest else "")

    def document(self) -> dict[str, object]:
        return {
            "shape": self.shape,
            "tau": self.local_to,
            "delta": self.period,
            "periodic": [round(value, 6) for value in self.periodic.tolist()],
            "local": [round(value, 6) for value in self.local.tolist()],
            "residual": self.residual,
            "unexplained": self.unexplained,
            "by_offsets": self.by_offsets,
        }


def fit_positions(matrix: Array) -> PeriodicFit:
    """The local and periodic function that is nearest to a matrix with rows for queries.

    >>> parity = np.fromfunction(lambda i, j: ((i - j) % 2 == 0) * 3.5 - 1.5, (24, 24))
    >>> found = fit_positions(parity)
    >>> found.shape, found.period, found.local_to, found.periodic.tolist(), found.residual
    ('periodic', 2, -1, [2.0, -1.5], 0.0)
    """
    size = len(matrix)
    means = diagonal_means(matrix)
    counts = np.arange(size, 0, -1, dtype=np.float64)  # entries of each diagonal
    total, within = total_variance(matrix), offset_variance(matrix)
    longest = min(size // 3 - 1, size - 2)
    period, local_to, periodic = _least(means, counts, max(1, min(MOST_PERIOD, size // 3)), longest)
    local = means[: local_to + 1] - periodic[np.arange(local_to + 1) % period]
    left = _left(means, counts, period, local_to, periodic)
    residual = math.sqrt(max(within + left / counts.sum(), 0.0))
    unexplained = min(residual**2 / total, 1.0) if total > 0 else 0.0
    shape = _shape(math.sqrt(total), unexplained, period, local_to)
    return PeriodicFit(
        shape=shape,
        local_to=local_to,
        period=period,
        periodic=periodic,
        local=local,
        residual=residual,
        unexplained=unexplained,
        by_offsets=within / total if total > 0 else 0.0,
    )


def _shape(deviation: float, unexplained: float, period: int, local_to: int) -> Shape:
    if deviation <= FLAT:
        return "constant"
    if unexplained > ENOUGH:
        return "neither"
    if period > 1:
        return "periodic" if local_to < 0 else "local and periodic"
    return "local" if local_to >= 0 else "constant"


def _least(means: Array, counts: Array, most_period: int, most_local: int) -> tuple[int, int, Array]:
    """Δ, τ and π of the least criterion; ties go to fewer numbers.

    For each Δ the sums over the distances beyond every τ are made at once.
    """
    size, distances, starts = len(means), np.arange(len(means)), np.arange(most_local + 2)
    centre = float(np.average(means, weights=counts))  # differences of squares of small numbers are exact
    values = means - centre
    squares = _tails(counts * values**2)[starts]
    found: tuple[float, int, int] | None = None
    for period in range(1, most_period + 1):
        member = (distances % period)[:, None] == np.arange(period)
        weights = _tails(counts[:, None] * member)[starts]
        sums = _tails((counts * values)[:, None] * member)[starts]
        enough = (weights > 0).all(axis=1)
        explained = (sums**2 / np.maximum(weights, 1e-300)).sum(axis=1)
        left = np.maximum(squares - explained, 0.0) / counts.sum()
        criterion = size * np.log(left + FLOOR) + (period + starts) * math.log(size)
        criterion[~enough] = math.inf
        for start in np.flatnonzero(criterion <= criterion.min() + TIE)[:1].tolist():
            least, numbers = float(criterion[start]), period + start
            if found is None or least < found[0] - TIE or (least < found[0] + TIE and numbers < found[1]):
                found = (least, numbers, period)
    assert found is not None
    _, numbers, period = found
    local_to = numbers - period - 1
    beyond = distances[local_to + 1 :]
    residues = [beyond[beyond % period == residue] for residue in range(period)]
    periodic = np.array([np.average(means[each], weights=counts[each]) for each in residues])
    return period, local_to, periodic


def _tails(values: Array) -> Array:
    """The sum from each place on."""
    return np.asarray(np.cumsum(values[::-1], axis=0)[::-1])


def _left(means: Array, counts: Array, period: int, local_to: int, periodic: Array) -> float:
    """The residual sum of squares over entries beyond τ."""
    beyond = np.arange(local_to + 1, len(means))
    return float((counts[beyond] * (means[beyond] - periodic[beyond % period]) ** 2).sum())
