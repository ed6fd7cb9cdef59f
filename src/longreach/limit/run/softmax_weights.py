"""From logits to attention weights: the data type, and the models of finite and infinite precision.

There are three models, and a run has one of them.
- Huang et al. (arXiv 2410.02140): softmax of log|x| · a_ij; logits and exponentials are each rounded to p
  bits, or not rounded (an integer or None).
- Izzo, Nichani and Lee (arXiv 2510.27015), one layer: the same softmax, but logits are taken relative to the
  row's maximum, and the weights are rounded (`RelativePrecision`).
- The same, two layers ("infinite"): nothing is rounded, and only φ is scaled, by log i for a query that sees
  i positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.limit.model import Array

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
