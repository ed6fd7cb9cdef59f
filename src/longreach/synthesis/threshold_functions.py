"""F_α of Huang et al., D.2: at least one 1 for every 1/α zeros, and how long inputs must be to tell two
apart.

The closer two thresholds, the longer the shortest input on which they differ; so nothing is identified from
finite inputs unless the precision of parameters is penalized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from longreach.crasp.program import Builder, Program
from longreach.crasp.syntax import count
from longreach.errors import InputError


@dataclass(frozen=True)
class ThresholdPair:
    """Two thresholds and the shortest input that tells them apart."""

    first: Fraction
    second: Fraction
    ones: int
    zeros: int

    @property
    def gap(self) -> Fraction:
        return abs(self.first - self.second)

    @property
    def length(self) -> int:
        return self.ones + self.zeros


def accepts_threshold(alpha: Fraction, word: Sequence[str]) -> bool:
    """F_α: α times the ones is at least the zeros.

    >>> accepts_threshold(Fraction(1, 2), "110"), accepts_threshold(Fraction(1, 2), "10")
    (True, False)
    """
    ones = sum(letter == "1" for letter in word)
    return alpha * ones >= len(word) - ones


def told_apart(first: Fraction, second: Fraction) -> ThresholdPair:
    """The shortest input on which two functions differ: the least n₁ + n₀ with n₀ between α n₁ and β n₁.

    >>> told_apart(Fraction(1, 2), Fraction(1, 3)).length
    3
    >>> told_apart(Fraction(10, 21), Fraction(11, 23)).length
    34
    """
    low, high = sorted((Fraction(first), Fraction(second)))
    if low < 0 or low == high:
        raise InputError("thresholds are two different numbers that are not negative")
    ones = 1
    while True:
        # The higher threshold accepts so many zeros, and the lower does not.
        zeros = int(low * ones) + 1
        if zeros <= high * ones:
            return ThresholdPair(Fraction(first), Fraction(second), ones, zeros)
        ones += 1


def threshold_program(alpha: Fraction) -> Program:
    """F_α as a program: p · #1 ≥ q · #0 for α = p/q; more precision is a larger program.

    >>> threshold_program(Fraction(1, 2)).accepts("110")
    True
    """
    b = Builder("01")
    b.let("F", alpha.numerator * count("1") >= alpha.denominator * count("0"))
    return b.program()


def approaching(alpha: Fraction, steps: int) -> list[ThresholdPair]:
    """α beside α + 1/2, α + 1/4, …: the length grows as they approach.

    >>> [pair.length for pair in approaching(Fraction(1), 5)]
    [5, 9, 17, 33, 65]
    """
    return [told_apart(alpha, alpha + Fraction(1, 2 ** (k + 1))) for k in range(steps)]
