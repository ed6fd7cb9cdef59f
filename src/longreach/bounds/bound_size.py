"""Numbers of any size: bounds are often beyond floating point, and then their logarithm is what is left."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, isinf, log2, log10
from typing import TypeAlias

Number: TypeAlias = Fraction | float
"""An exact number; or infinity, which stands for a margin that limits nothing."""
LARGEST = 1023
"""log₂ of the largest number that is written with its digits."""
_LARGEST_EXACT = 4096
"""log₂ up to which powers are computed exactly."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number ≥ 0 by its logarithm, and exactly where that is known."""

    log2: float
    exact: Fraction | None = None

    @classmethod
    def of(cls, value: Fraction | int) -> Size:
        """An exact number.

        >>> Size.of(65536).log2, Size.of(0).log2
        (16.0, -inf)
        """
        value = Fraction(value)
        return cls(log2(value.numerator) - log2(value.denominator) if value else -inf, value)

    def power(self, exponent: Number) -> Size:
        """To the power of an exponent ≥ 0, exactly if it is a whole number and the result is not huge.

        >>> Size.of(2).power(Fraction(16)).number(), Size.of(2).power(Fraction(10**9)).number()
        (65536, None)
        """
        if not exponent:
            return Size.of(1)
        whole = isinstance(exponent, Fraction) and exponent.denominator == 1
        if self.exact is not None and whole and self._bits * exponent <= _LARGEST_EXACT:
            return Size.of(self.exact ** int(exponent))
        return Size(self.log2 * _float(exponent) if self.log2 else 0.0)

    @property
    def _bits(self) -> int:
        assert self.exact is not None
        return max(self.exact.numerator.bit_length(), self.exact.denominator.bit_length())

    def times(self, other: Size) -> Size:
        if self.exact is not None and other.exact is not None:
            return Size.of(self.exact * other.exact)
        return Size(self.log2 + other.log2)

    def number(self) -> int | float | None:
        """For a document: whole numbers as such; None where it is too large to be written."""
        if self.log2 > LARGEST:
            return None
        if self.exact is not None:
            return self.exact.numerator if self.exact.denominator == 1 else float(self.exact)
        return float(2.0**self.log2)

    @property
    def logarithm(self) -> float | None:
        """For a document: log₂, or None of 0 and of infinity."""
        return None if isinf(self.log2) else self.log2

    def __str__(self) -> str:
        """Short, for people: digits up to a million, then powers of ten.

        >>> [str(Size.of(value)) for value in (8, 65536, 55_987_200)], str(Size(1e6))
        (['8', '65,536', '5.6 · 10^7'], '10^301,030')
        """
        number = self.number()
        if number is not None and number < 10**6:
            return f"{number:,}" if isinstance(number, int) else f"{number:,.4g}"
        if isinf(self.log2):
            return "beyond any number"
        tens = self.log2 / log2(10)
        if tens >= 10**15:
            return f"10^(10^{log10(tens):.1f})"
        if tens >= 1000:
            return f"10^{ceil(tens):,}"
        return f"{10 ** (tens - int(tens)):.1f} · 10^{int(tens)}"


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


def largest(*sizes: Size) -> Size:
    """The largest of some numbers."""
    return max(sizes, key=lambda size: size.log2)
