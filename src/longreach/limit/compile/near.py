"""Looking back by a distance: the margins of a head with φ = 2 on one distance ℓ ≥ 1.

The head reads a Boolean P(j) at every position and −ℓ at $. With n = |x| the target weighs n², every other
position 1, so at position i the head finds, before dividing by n² + i (or by i + 1 when i < ℓ),

    target true      at least n² − ℓ          (all others false, and i ≥ ℓ + 1)
    target false     at most i − 1            (all others true)
    target is $      at most i − ℓ·n² < 0     (i = ℓ)
    no target        at most i − ℓ < 0        (i < ℓ)

The value at $ replaces a test of 1/(i+1) against a constant between 1/(ℓ+1) and 1/ℓ: the weight of $ is
1/(i+1) without a target and about 1/n² with one, so the same comparison happens inside the head, and the
answer needs no second layer. φ = 1 would let "true" and "false" approach each other like 1/n
(Huang et al., arXiv 2410.02140, Theorem 27 states the case φ = 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

PHI = 2.0
LEAST_GAP = Fraction(1, 8)
# sup over i < n of (i − 1)/(n² + i): it is (n − 2)/(n² + n − 1), largest at n = 4.
FALSE_AT_MOST = Fraction(2, 19)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The sum of look-ups is ≥ `middle` + `margin` if all are true, ≤ `middle` − `margin` if one is not."""

    middle: float
    margin: Fraction
    slope: float
    """Times half the margin it is at least ½, so that it stays above 1/(i+1) under rounding errors too."""


def threshold_of(distances: Iterable[int]) -> Threshold | None:
    """How a sum of look-ups tells whether all are true; None when they are too many to tell.

    >>> threshold_of([1])
    Threshold(middle=0.4375, margin=Fraction(51, 176), slope=4.0)
    >>> threshold_of(range(1, 9)) is None
    True
    """
    listed = list(distances)
    # All true needs i > ℓ for every ℓ; the least n, with i = n − 1, is the worst case.
    n = max(listed) + 2
    all_true = sum((Fraction(n * n - distance, n * n + n - 1) for distance in listed), Fraction(0))
    one_false = len(listed) - 1 + FALSE_AT_MOST
    if all_true - one_false < 2 * LEAST_GAP:
        return None
    # Sixteenths are exact in every data type; the gap is at least four of them.
    middle = Fraction(round((all_true + one_false) * 8), 16)
    margin = min(all_true - middle, middle - one_false)
    slope = 1
    while slope * margin < 1:  # 1/(i+1) ≤ ½ except at $, where sums are ≤ −1
        slope *= 2
    return Threshold(float(middle), margin, float(slope))
