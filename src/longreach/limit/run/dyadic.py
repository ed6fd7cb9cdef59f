"""Floating-point arrays as whole numbers over a power of two, for products without rounding."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longreach.limit.model import Array


@dataclass(frozen=True, eq=False)
class Dyadic:
    """The array `whole` / `unit`: `whole` has Python integers, and `unit` is a power of two."""

    whole: NDArray[Any]
    unit: int

    @classmethod
    def of(cls, array: Array) -> Dyadic:
        """Exactly the numbers of a floating-point array.

        >>> found = Dyadic.of(np.array([0.75, -2.0]))
        >>> found.whole.tolist(), found.unit
        ([3, -8], 4)
        """
        ratios = [float(value).as_integer_ratio() for value in array.ravel()]
        unit = max((below for _, below in ratios), default=1)
        whole = np.empty(len(ratios), dtype=object)
        whole[:] = [above * (unit // below) for above, below in ratios]
        return cls(whole.reshape(array.shape), unit)

    def __matmul__(self, other: Dyadic) -> Dyadic:
        return Dyadic(self.whole @ other.whole, self.unit * other.unit)

    @property
    def T(self) -> Dyadic:
        return Dyadic(self.whole.T, self.unit)

    def squares(self) -> Fraction:
        """The sum of the squares, for an array the squared Frobenius norm."""
        return Fraction(sum(value * value for value in self.whole.flat), self.unit * self.unit)
