"""Attention weights from logits, and compiled models run in a data type with few digits.

The model: every sum, product and quotient of two numbers is rounded to nearest, ties to even, to the digits
of the type; exponents are unlimited (nothing here is near their limits). Zero terms are skipped, which is
exact. A head adds up its numerator Σ e·v and its denominator Σ e and divides once; e is 1 where the logit is
0. The bounds of `margins` hold for any order of summation; here positions are added from left to right, with
the target of a local head last, and coordinates in their order. Hardware that accumulates in a wider type is
at least as exact. An implementation that divides the weights first and adds up the quotients is less exact
and is not covered.

There are three models, and a run has one of them.
- Huang et al. (arXiv 2410.02140): softmax of log|x| · a_ij; logits and exponentials are each rounded to p
  bits, or not rounded (an integer or None).
- Izzo, Nichani and Lee (arXiv 2510.27015), one layer: the same softmax, but logits are taken relative to the
  row's maximum, and the weights are rounded (`RelativePrecision`).
- The same, two layers ("infinite"): nothing is rounded, and only φ is scaled, by log i for a query that sees
  i positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.limit.model import Array, Head, Layer, Transformer


@dataclass(frozen=True, slots=True)
class Format:
    """A floating-point type with `digits` binary digits, the hidden one included."""

    name: str
    digits: int

    @property
    def unit(self) -> float:
        """u: the largest relative error of rounding."""
        return 2.0**-self.digits

    def round(self, values: Array) -> Array:
        """To nearest, ties to even.

        >>> FORMATS["bfloat16"].round(np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 0.1])).tolist()
        [1.0, 1.015625, 0.10009765625]
        """
        dropped = np.uint64(53 - self.digits)
        if not dropped:
            return values
        bits = np.ascontiguousarray(values).view(np.uint64)
        odd = (bits >> dropped) & np.uint64(1)
        half = (np.uint64(1) << (dropped - np.uint64(1))) - np.uint64(1)
        kept = ((bits + half + odd) >> dropped) << dropped
        return kept.view(np.float64)


FORMATS = {name: Format(name, digits) for name, digits in (("float64", 53), ("float32", 24), ("bfloat16", 8))}


def rounded_states(model: Transformer, tokens: NDArray[np.intp], kind: Format) -> Array:
    """The residual stream after the last layer: words of one length × positions × coordinates.

    `tokens` are rows of the embedding, $ first. Heads must be of the compiler's kinds.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.limit.compiler import compile_program
    >>> model = compile_program(load("majority").core)
    >>> found = rounded_states(model, model.encode(list("0110"))[None], FORMATS["bfloat16"])
    >>> found[0, :, model.coordinates["M"]].tolist(), float(found[0, 2, model.coordinates["C_1"]])
    ([1.0, 0.0, 1.0, 1.0, 1.0], 0.333984375)
    """
    length = tokens.shape[1]
    positions = model.positions[np.arange(length) % model.period]
    y = kind.round(model.embedding[tokens] + positions)
    for layer in model.layers:
        mixed = y.copy()
        for head in layer.heads:
            rows = np.flatnonzero(head.v.any(axis=1))
            found = _attend(head, _apply(head.v[rows], y, kind), length, kind)
            mixed[..., rows] = kind.round(mixed[..., rows] + found)
        y = _mlp(layer, mixed, kind)
    return y


def _attend(head: Head, values: Array, length: int, kind: Format) -> Array:
    if head.kq.any() or callable(head.phi):
        raise InputError("only heads with KQ = 0 and a local φ are run in rounded arithmetic")
    numerator = _running(values, kind)
    denominator = _running(np.ones((1, length, 1)), kind)
    phi = np.zeros(0) if head.phi is None else head.phi
    logarithm = kind.round(np.log([float(length)]))
    for distance in np.flatnonzero(phi[:length]):
        weight = kind.round(np.exp(kind.round(logarithm * phi[distance])))
        target = values[:, : length - distance]
        # The other positions first: their sum is the running sum without the target.
        for sums, part in ((numerator, target), (denominator, np.ones_like(target[:1, :, :1]))):
            others = kind.round(sums[:, distance:] - part)
            sums[:, distance:] = kind.round(others + kind.round(weight * part))
    return kind.round(numerator / denominator)


def _running(values: Array, kind: Format) -> Array:
    """Sums over the positions so far."""
    exact: Array = np.cumsum(values, axis=1)
    whole = bool((values == np.rint(values)).all())
    if kind.digits == 53 or (whole and np.abs(values).sum(axis=1).max(initial=0) <= 2.0**kind.digits):
        return exact
    sums = np.empty_like(values)
    total: Array = np.zeros_like(values[:, 0])
    for position in range(values.shape[1]):
        total = kind.round(total + values[:, position])
        sums[:, position] = total
    return sums


def _mlp(layer: Layer, y: Array, kind: Format) -> Array:
    hidden = _apply(layer.a, y, kind, layer.b)
    active = np.where(layer.heaviside, (hidden >= 0).astype(np.float64), np.maximum(hidden, 0))
    rows = np.flatnonzero(layer.out.any(axis=1))
    result = y.copy()
    result[..., rows] = kind.round(y[..., rows] + _apply(layer.out[rows], active, kind))
    return result


def _apply(matrix: Array, vectors: Array, kind: Format, bias: Sequence[float] | Array = ()) -> Array:
    """A matrix times the vectors, plus a bias: terms that are not zero one after the other."""
    if kind.digits == 53:
        product: Array = vectors @ matrix.T
        return product + bias if len(bias) else product
    result: Array = np.zeros((*vectors.shape[:-1], len(matrix)))
    parameters = kind.round(matrix)
    for row in range(len(matrix)):
        total = result[..., row]
        for column in np.flatnonzero(parameters[row]):
            total = kind.round(total + kind.round(parameters[row, column] * vectors[..., column]))
        result[..., row] = kind.round(total + kind.round(np.asarray(bias[row]))) if len(bias) else total
    return result


Dtype: TypeAlias = Literal["float64", "float32", "bfloat16"]
Floats: TypeAlias = NDArray[np.floating[Any]]
Fit: TypeAlias = Callable[[Floats], Floats]
"""Rounds the result of an operation to a data type."""

MAX_RELATIVE = 1000
"""Bits: beyond it, scaled weights would leave the range of float64."""
SLACK = 2.0**-40  # far above the errors of float64, far below the distance of most logits to a tie


@dataclass(frozen=True, slots=True)
class RelativePrecision:
    """Weights exp(log|x| · (a_ij − max_j a_ij)) are rounded to `bits` fractional bits; ≤ 2^−bits becomes 0.

    The largest weight of a row is 1 and stays. With a logit margin γ attention is hard, that is uniform over
    the maximal keys, from |x| = 2^(bits/γ) on (arXiv 2510.27015, section 3.2).
    """

    bits: int

    def __post_init__(self) -> None:
        if not 0 <= self.bits <= MAX_RELATIVE:
            raise InputError(f"precision {self.bits}: a number of bits from 0 to {MAX_RELATIVE} is needed")

    def rounded(self, weights: Floats) -> Floats:
        """Weights relative to the largest of their row, which is 1.

        >>> RelativePrecision(2).rounded(np.array([1.0, 0.6, 0.3, 0.25, 0.2])).tolist()
        [1.0, 0.5, 0.25, 0.0, 0.0]
        """
        near = np.minimum(weights * (1 + SLACK), 1.0)
        kept = (weights > 2.0**-self.bits * (1 + SLACK)) | (weights >= 1 - SLACK)
        return np.where(kept, _round(near, self.bits), 0.0)


Rounding: TypeAlias = int | RelativePrecision | Literal["infinite"] | None
"""How attention weights are made from logits."""


def round_bfloat16(array: Floats) -> NDArray[np.float32]:
    """The nearest bfloat16 numbers, ties to even, as float32.

    >>> round_bfloat16(np.array([1.0, 257.0, 0.1])).tolist()
    [1.0, 256.0, 0.10009765625]
    """
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32)


def fitting(dtype: Dtype) -> Fit:
    """What every operation's result goes through."""
    if dtype == "bfloat16":
        return round_bfloat16
    wanted = np.float32 if dtype == "float32" else np.float64
    return lambda array: np.asarray(array, dtype=wanted)


@dataclass(frozen=True, eq=False)
class Softmax:
    """From logits to unnormalized weights; `lengths` has one entry per word."""

    lengths: NDArray[np.int64]
    precision: Rounding
    fit: Fit

    @property
    def by_row(self) -> bool:
        """Whether a weight depends on the row's largest logit, beyond a common factor."""
        return isinstance(self.precision, RelativePrecision)

    @property
    def unit(self) -> float:
        """What exponents are multiplied with before the exponential."""
        return float(np.log(self.lengths.max())) if isinstance(self.precision, int) else 1.0

    def local(self, positions: NDArray[np.int64]) -> Array:
        """What φ is multiplied with for the queries at these positions, counted from 0 at $."""
        return np.log1p(positions) if self.precision == "infinite" else np.ones(len(positions))

    def _column(self, like: Floats) -> Array:
        return self.lengths.astype(np.float64).reshape(-1, *[1] * (like.ndim - 1))

    def exponents(self, logits: Floats) -> Floats:
        """log|x| times the logit; the rounded logit if logits are rounded; the logit if only φ is scaled."""
        if self.precision == "infinite":
            return logits
        if isinstance(self.precision, int):
            # Ties round up; sums of fractions meet them exactly, where floats may fall just short.
            return _round(logits + SLACK * (1 + np.abs(logits)), self.precision)
        return self.fit(self.fit(np.log(self._column(logits))) * logits)

    def largest(self, top: Floats) -> Floats:
        """What to subtract from exponents of which `top` is the largest.

        Rounded exponentials of moderate size stay as they are: they are powers of |x|, often exact.
        """
        if not isinstance(self.precision, int):
            return top
        return np.where(top * np.log(self._column(top)) > 30, top, 0.0)

    def weights(self, exponents: Floats, top: Floats) -> Floats:
        """exp(log|x| · logit), rounded if the model rounds, divided by the exponential of `top`."""
        if not isinstance(self.precision, int):
            weights = np.exp(np.asarray(exponents, dtype=np.float64) - top)
            if isinstance(self.precision, RelativePrecision):
                weights = self.precision.rounded(weights)
            return self.fit(weights)
        base = self._column(exponents)
        # Powers, because exp(log|x| · a) misses exact ties of the rounding.
        small = _round(base ** np.minimum(exponents, 36 / np.log(np.maximum(base, 2))), self.precision)
        shifted = np.where(exponents * np.log(base) <= 35, small * base**-top, base ** (exponents - top))
        return self.fit(shifted)


def _round(array: Floats, precision: int) -> Floats:
    scale = 2.0**precision
    return np.asarray(np.floor(array * scale + 0.5) / scale)
