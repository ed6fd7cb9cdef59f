"""One layer at finite precision (Izzo, Nichani and Lee, arXiv 2510.27015, Theorems 4.1 and 4.2).

Attention is uniform over the keys of the largest logit once the length passes 2^{p/γ}; from there on it is
the number of tokens of each kind that must be reproduced by a shorter input.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt

from longreach.bounds.bound_definition import ERROR, Definition, Term, Values
from longreach.bounds.bound_size import Size, largest

PAPER = "Izzo, Nichani and Lee, Quantitative Bounds for Length Generalization in Transformers"
PAIR = "f and g are limit transformers of one layer that differ by at most δ on all inputs up to this length"
THEN = "then they differ by O(δ + ε) at every length"
ROUNDED = "attention weights are rounded to p fractional bits relative to the largest"
CONTINUOUS = "the MLP is Lipschitz with the constant ‖A‖_F ‖B‖_F: no Heaviside units"
SUFFIX = "τ = 0 is read as 1, because the printed formula would vanish"


def hard(values: Values) -> Size:
    """2^{p/γ}, from where on attention is hard; 1 where all logits are equal."""
    if values["gamma"] == inf:
        return Size.of(1)
    return Size.of(2).power(values["precision"] / values["gamma"])


def resolution(values: Values) -> Size:
    """L² Δ⁷ |Σ|⁶ τ² / ε² of Theorem 4.1."""
    size = _squared_over_error(values)
    for name, exponent in (("period", 7), ("alphabet", 6)):
        size = size.times(Size.of(_exact(values, name)).power(Fraction(exponent)))
    return size.times(Size.of(_window(values) ** 2))


def workshop_resolution(values: Values) -> Size:
    """τ Δ L² / ε² of the workshop version."""
    return _squared_over_error(values).times(Size.of(_window(values) * _exact(values, "period")))


def average(values: Values) -> Size:
    """ε^{−2−2/α₀} of Theorem 4.2."""
    return Size.of(1 / _exact(values, ERROR)).power(2 + 2 / _exact(values, "alpha0"))


def reached(values: Values) -> Size:
    """√ε, the error that Theorem 4.2 gives."""
    return Size.of(Fraction(sqrt(_exact(values, ERROR))))


def _squared_over_error(values: Values) -> Size:
    return Size.of((_exact(values, "L") / _exact(values, ERROR)) ** 2)


def _window(values: Values) -> Fraction:
    return max(_exact(values, "locality"), Fraction(1))


def _exact(values: Values, name: str) -> Fraction:
    return Fraction(values[name])


WORST_CASE = Definition(
    name="one-layer-worst-case",
    terms={
        "hard": Term(needs=("precision", "gamma"), compute=hard),
        "resolution": Term(needs=("L", "period", "alphabet", "locality", ERROR), compute=resolution),
    },
    combine=lambda terms: largest(*terms.values()),
    formula="max{2^{p/γ}, L² Δ⁷ |Σ|⁶ τ² / ε²}",
    says="two models of one layer that agree up to this length agree everywhere, up to an error of order ε",
    source=f"{PAPER} (arXiv 2510.27015), Theorem 4.1",
    assumes=(PAIR, THEN, ROUNDED, CONTINUOUS, SUFFIX),
    constants="one factor before the maximum and one before the error, both unknown and taken as 1",
    up_to_constants=True,
)
WORKSHOP = Definition(
    name="one-layer-workshop",
    terms={
        "hard": WORST_CASE.terms["hard"],
        "resolution": Term(needs=("L", "period", "locality", ERROR), compute=workshop_resolution),
    },
    combine=lambda terms: largest(*terms.values()),
    formula="max{2^{p/γ}, τ Δ L² / ε²}",
    says="the same with a shorter second term: a heuristic, because |Σ| is hidden in it",
    source=f"{PAPER}, workshop version, Theorem 4.1",
    assumes=(
        "heuristic: |Σ| counts as a constant, and the reduction of positions to tokens multiplies it by Δ",
        PAIR,
        THEN,
        ROUNDED,
        CONTINUOUS,
        SUFFIX,
    ),
    constants="a power of |Σ| Δ is hidden; other factors are unknown and taken as 1",
    up_to_constants=True,
)
AVERAGE = Definition(
    name="one-layer-average",
    terms={
        "resolution": Term(needs=("alpha0", ERROR), compute=average),
        "error": Term(needs=(ERROR,), compute=reached),
    },
    combine=lambda terms: terms["resolution"],
    formula="ε^{−2−2/α₀}",
    says="on random inputs the two models then differ by the order of √ε on average, not of ε",
    source=f"{PAPER} (arXiv 2510.27015), Theorem 4.2",
    assumes=(
        "tokens are drawn independently with probabilities from a Dirichlet prior, α₀ its least parameter",
        "f and g are limit transformers of one layer, and attention is hard at these lengths",
        "the error on average is of the order √ε: for an average error of e ask with ε = e²",
    ),
    constants="all factors, logarithms and the dependence on L, Δ, τ and |Σ| are unknown and taken as 1",
    up_to_constants=True,
)
