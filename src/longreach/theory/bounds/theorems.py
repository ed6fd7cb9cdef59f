"""The bounds proved in the papers, and the table of all of them.

Attention is uniform over the keys of the largest logit once the length passes 2^{p/γ}; from there on it is
the number of tokens of each kind that must be reproduced by a shorter input.

A learner that returns a simplest function which fits every input up to this length has found the function.
No computable bound of this kind exists for C-RASP of two layers (Yang et al., arXiv 2603.02238).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt
from typing import Any

from longreach.theory.bounds.definition import (
    ERROR,
    Bound,
    BoundInputs,
    Definition,
    NotApplicable,
    Number,
    Size,
    Term,
    Values,
    apply,
)

QUANTITATIVE_BOUNDS_PAPER = (
    "Izzo, Nichani and Lee, Quantitative Bounds for Length Generalization in Transformers"
)
PAIR = "f and g are limit transformers of one layer that differ by at most δ on all inputs up to this length"
THEN = "then they differ by O(δ + ε) at every length"
ROUNDED = "attention weights are rounded to p fractional bits relative to the largest"
CONTINUOUS = "the MLP is Lipschitz with the constant ‖A‖_F ‖B‖_F: no Heaviside units"
SUFFIX = "τ = 0 is read as 1, because the printed formula would vanish"


def hard(precision: Fraction | None, gamma: Number) -> Size:
    """2^{p/γ}, from where on attention is hard; 1 where all logits are equal."""
    if gamma == inf:
        return Size.of(1)
    assert precision is not None
    return Size.of(2).power(precision / gamma)


def resolution(
    L: Fraction, period: Fraction, alphabet: Fraction, locality: Fraction, error: Fraction
) -> Size:
    """L² Δ⁷ |Σ|⁶ τ² / ε² of Theorem 4.1."""
    return Size.of((L / error) ** 2 * period**7 * alphabet**6 * max(locality, Fraction(1)) ** 2)


def workshop_resolution(L: Fraction, period: Fraction, locality: Fraction, error: Fraction) -> Size:
    """τ Δ L² / ε² of the workshop version."""
    return Size.of(max(locality, Fraction(1)) * period * (L / error) ** 2)


WORST_CASE = Definition(
    name="one-layer-worst-case",
    terms={
        "hard": Term(("precision", "gamma"), hard),
        "resolution": Term(("L", "period", "alphabet", "locality", ERROR), resolution),
    },
    formula="max{2^{p/γ}, L² Δ⁷ |Σ|⁶ τ² / ε²}",
    says="two models of one layer that agree up to this length agree everywhere, up to an error of order ε",
    answer="A length of the order of {value} is enough for an error of {error}: models of one layer that "
    "agree to there agree everywhere.",
    source=f"{QUANTITATIVE_BOUNDS_PAPER} (arXiv 2510.27015), Theorem 4.1",
    assumes=(PAIR, THEN, ROUNDED, CONTINUOUS, SUFFIX),
    constants="one factor before the maximum and one before the error, both unknown and taken as 1",
)
WORKSHOP = Definition(
    name="one-layer-workshop",
    terms={
        "hard": WORST_CASE.terms["hard"],
        "resolution": Term(("L", "period", "locality", ERROR), workshop_resolution),
    },
    formula="max{2^{p/γ}, τ Δ L² / ε²}",
    says="the same with a shorter second term: a heuristic, because |Σ| is hidden in it",
    answer="A length of the order of {value} may be enough for an error of {error}: a heuristic, in "
    "which the number of tokens is hidden.",
    source=f"{QUANTITATIVE_BOUNDS_PAPER}, workshop version, Theorem 4.1",
    assumes=(
        "heuristic: |Σ| counts as a constant, and the reduction of positions to tokens multiplies it by Δ",
        PAIR,
        THEN,
        ROUNDED,
        CONTINUOUS,
        SUFFIX,
    ),
    constants="a power of |Σ| Δ is hidden; other factors are unknown and taken as 1",
)
AVERAGE = Definition(
    name="one-layer-average",
    terms={
        "resolution": Term(("alpha0", ERROR), lambda alpha0, error: Size.of(1 / error).power(2 + 2 / alpha0)),
        "error": Term((ERROR,), lambda error: Size.of(Fraction(sqrt(error)))),
    },
    combine=lambda terms: terms["resolution"],
    formula="ε^{−2−2/α₀}",
    says="on random inputs the two models then differ by the order of √ε on average, not of ε",
    answer="On random inputs a length of the order of {value} is enough for an average error of the "
    "order of √{error}.",
    source=f"{QUANTITATIVE_BOUNDS_PAPER} (arXiv 2510.27015), Theorem 4.2",
    assumes=(
        "tokens are drawn independently with probabilities from a Dirichlet prior, α₀ its least parameter",
        "f and g are limit transformers of one layer, and attention is hard at these lengths",
        "the error on average is of the order √ε: for an average error of e ask with ε = e²",
    ),
    constants="all factors, logarithms and the dependence on L, Δ, τ and |Σ| are unknown and taken as 1",
)


def exponent(*margins: Number) -> Size:
    """max(1/γ_f, 1/γ_g, 3); a margin that limits nothing is infinite."""
    return Size.of(max([Fraction(3), *(1 / margin for margin in margins if isinstance(margin, Fraction))]))


def _power(terms: Mapping[str, Size]) -> Size:
    assert terms["exponent"].exact is not None
    return terms["base"].power(terms["exponent"].exact)


TWO_LAYER = Definition(
    name="two-layer",
    terms={
        "base": Term(("C_f", "C_g", ERROR), lambda f, g, error: Size.of(max(f, g) / error)),
        "exponent": Term(("gamma_f", "gamma_g"), exponent),
    },
    combine=_power,
    formula="(max(C(f), C(g)) / ε)^{max(1/γ_f, 1/γ_g, 3)}",
    says="two models of two layers that agree up to this length agree everywhere, up to an error of order ε",
    answer="A length of the order of {value} is enough for an error of {error}: models of two layers "
    "that agree to there agree everywhere.",
    source=f"{QUANTITATIVE_BOUNDS_PAPER} (arXiv 2510.27015), Theorem 5.2",
    assumes=(
        "f and g are limit transformers of two layers whose local logits alone are scaled, by log i",
        "nothing is rounded, and the MLPs are Lipschitz: no Heaviside units",
    ),
    constants="the factor is unknown and taken as 1; C(f) is known by its growth only",
)
IN_CONTEXT_GRAMS = Definition(
    name="in-context-kgram",
    terms={"length": Term(("k", ERROR), lambda k, error: Size.of(1 / error).power(k * k))},
    formula="ε^{−Θ(k²)}",
    says="for the in-context k-gram task some model of two layers has a bound of this growth",
    answer="A length of the order of {value} is enough for an error of {error}: for this task some model "
    "of two layers has a bound of this growth.",
    source=f"{QUANTITATIVE_BOUNDS_PAPER} (arXiv 2510.27015), section 5",
    assumes=("the exponent is taken as k², its unknown factor as 1",),
    constants="the factor in the exponent is unknown: the number shows the growth and nothing else",
    extra=True,
)


LENGTH_COMPLEXITY_PAPER = "Chen, Ma and Li, Non-Asymptotic Length Generalization (arXiv 2506.03085)"
NO_BOUND = "no computable bound exists for two-layer C-RASP in general (Yang et al., arXiv 2603.02238)"
LEARNER = "the learner sees every input up to this length and returns a simplest function that fits them"


AUTOMATON = Definition(
    name="automaton",
    terms={"length": Term(("states",), lambda states: Size.of(2 * states - 2))},
    formula="2n − 2",
    says="two different complete automata of at most n states differ on a word of at most this length",
    answer="Length {value} is enough for a learner that returns the smallest automaton which fits all "
    "words to there: two automata of at most {states} states differ on such a word.",
    source=LENGTH_COMPLEXITY_PAPER,
    assumes=(
        f"{LEARNER}, an automaton of at most n states",
        "n counts the states of the minimal complete automaton",
    ),
    constants="none: the bound is exact",
    up_to_constants=False,
)
DEPTH_ONE = Definition(
    name="depth-one",
    terms={"length": Term(("T",), lambda T: Size.of(T**2))},
    formula="O(T²)",
    says="two different programs of counting depth one with numbers up to T differ on an input of this order",
    answer="A length of the order of T² = {value} is enough for a learner that returns the smallest "
    "program which fits all inputs to there; T = {T} is the largest number in a comparison.",
    source=LENGTH_COMPLEXITY_PAPER,
    assumes=(
        f"{LEARNER}, a program of counting depth one",
        "two letters, no relations of positions, and no number in a comparison exceeds T",
    ),
    constants="the factor is unknown and taken as 1",
)
RESTRICTED = Definition(
    name="two-layer-restricted",
    terms={"length": Term(("T", "K"), lambda T, K: Size.of(T).power(K))},
    formula="O(T^{O(K)})",
    says="the same for a restricted class of programs of two layers with K heads in the first",
    answer="A length of the order of T^K = {value} is enough for a learner of a restricted class of "
    "programs of two layers; this shows the growth and nothing else.",
    source=LENGTH_COMPLEXITY_PAPER,
    assumes=(f"{LEARNER}, a program of the restricted class of that paper", f"in general {NO_BOUND}"),
    constants="the factor of the exponent is unknown and taken as 1: the number shows the growth alone",
    extra=True,
)


FACTOR = 4
"""The least training length, in windows."""


def _refusal(values: Values) -> str | None:
    train, test, window = (Fraction(values[name]) for name in ("train_length", "test_length", "L_local"))
    if train < FACTOR * window:
        return f"a train_length of at least {FACTOR} · L_local = {FACTOR * window}"
    if test < train:
        return "a test_length that is not below train_length"
    if (test - train) % window:
        return f"a test_length that is train_length plus a multiple of L_local = {window}"
    return None


PLANTED = Definition(
    name="planted-sparse",
    terms={
        "error": Term(
            ("eta_train", "eta_test", "train_length", "test_length", "delta"),
            lambda eta_train, eta_test, train, test, delta: Size.of(
                eta_train * eta_test * train * test**2 * delta
            ),
        ),
        "shortest": Term(("L_local",), lambda window: Size.of(FACTOR * window)),
    },
    combine=lambda terms: terms["error"],
    formula="η_L η_L̄ L L̄² δ, for L ≥ 4 L_local and L_local | L̄ − L",
    says="a sparse attention that fits best up to the training length errs at most by this at the test one",
    answer="Trained to length {train_length}, a sparse attention that fits best errs at length "
    "{test_length} by {value} at most.",
    source="Golowich et al., The Role of Sparsity for Length Generalization in Transformers "
    "(arXiv 2502.16792), Theorem 4.3",
    assumes=(
        "data with k-sparse planted correlations, whose places are covered up to the factor η",
        "the models are a class of k-sparse functional attention that is relative and L_local-local",
        "some model of the class has an error of at most δ at every length",
        "the value is an error at test_length, not a training length; ε plays no part",
    ),
    constants="the proof ends in O(·): one factor is unknown and taken as 1",
    gives="error",
    refusal=_refusal,
)


DEFINITIONS: tuple[Definition, ...] = (
    WORST_CASE,
    WORKSHOP,
    AVERAGE,
    TWO_LAYER,
    IN_CONTEXT_GRAMS,
    PLANTED,
    AUTOMATON,
    DEPTH_ONE,
    RESTRICTED,
)


FIRST = (
    AUTOMATON,
    WORST_CASE,
    TWO_LAYER,
    IN_CONTEXT_GRAMS,
    AVERAGE,
    PLANTED,
    DEPTH_ONE,
    RESTRICTED,
    WORKSHOP,
)
"""Which bound to name where several apply: exact ones, proved ones, then those that show a growth."""


@dataclass(frozen=True, kw_only=True)
class BoundsFound:
    """The bounds that apply, those that do not, and what is to be said besides."""

    bounds: tuple[Bound, ...]
    not_applicable: tuple[NotApplicable, ...]
    notes: tuple[str, ...]

    @property
    def first(self) -> Bound | None:
        """The one number that applies."""
        known = {each.definition.name: each for each in self.bounds}
        return next((known[each.name] for each in FIRST if each.name in known), None)

    def document(self) -> dict[str, Any]:
        """As `longreach bound --json` prints it."""
        return {
            "bounds": [bound.document() for bound in self.bounds],
            "not_applicable": [each.document() for each in self.not_applicable],
            "notes": list(self.notes),
        }


def bounds(
    inputs: BoundInputs, error: Fraction | None = None, definitions: Iterable[Definition] = DEFINITIONS
) -> BoundsFound:
    """Compute what can be computed; `error` is ε.

    >>> from longreach.theory.bounds.definition import read_settings
    >>> found = bounds(BoundInputs(values=read_settings(["states=5", "alpha0=2"])), Fraction(1, 10))
    >>> [(bound.definition.name, bound.value.number()) for bound in found.bounds]
    [('one-layer-average', 1000), ('automaton', 8)]
    """
    asked = [each for each in definitions if not each.extra or _own(each, inputs)]
    answers = [apply(each, inputs, error) for each in asked]
    return BoundsFound(
        bounds=tuple(each for each in answers if isinstance(each, Bound)),
        not_applicable=tuple(each for each in answers if isinstance(each, NotApplicable)),
        notes=inputs.notes,
    )


def _own(definition: Definition, inputs: BoundInputs) -> bool:
    """Whether a quantity is there that no other bound reads."""
    others = {name for each in DEFINITIONS if each is not definition for name in each.needs}
    return any(name in inputs.values for name in definition.needs if name not in others)
