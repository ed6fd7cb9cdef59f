"""Sparse planted correlations (Golowich et al., arXiv 2502.16792, Theorem 4.3): an error, not a length."""

from __future__ import annotations

from fractions import Fraction

from longreach.bounds.bound_definition import Definition, Term, Values
from longreach.bounds.bound_size import Size

FACTOR = 4
"""The training length is at least so many windows."""


def error(values: Values) -> Size:
    """η_L η_L̄ L L̄² δ."""
    eta_train, eta_test, train, test, delta = _exact(
        values, "eta_train", "eta_test", "train_length", "test_length", "delta"
    )
    return Size.of(eta_train * eta_test * train * test**2 * delta)


def shortest(values: Values) -> Size:
    """4 L_local, the least training length that the theorem speaks of."""
    (window,) = _exact(values, "L_local")
    return Size.of(FACTOR * window)


def _refusal(values: Values) -> str | None:
    train, test, window = _exact(values, "train_length", "test_length", "L_local")
    if train < FACTOR * window:
        return f"a train_length of at least {FACTOR} · L_local = {FACTOR * window}"
    if test < train:
        return "a test_length that is not below train_length"
    if (test - train) % window:
        return f"a test_length that is train_length plus a multiple of L_local = {window}"
    return None


def _exact(values: Values, *names: str) -> list[Fraction]:
    return [Fraction(values[name]) for name in names]


PLANTED = Definition(
    name="planted-sparse",
    terms={
        "error": Term(needs=("eta_train", "eta_test", "train_length", "test_length", "delta"), compute=error),
        "shortest": Term(needs=("L_local",), compute=shortest),
    },
    combine=lambda terms: terms["error"],
    formula="η_L η_L̄ L L̄² δ, for L ≥ 4 L_local and L_local | L̄ − L",
    says="a sparse attention that fits best up to the training length errs at most by this at the test one",
    source="Golowich et al., The Role of Sparsity for Length Generalization in Transformers "
    "(arXiv 2502.16792), Theorem 4.3",
    assumes=(
        "data with k-sparse planted correlations, whose places are covered up to the factor η",
        "the models are a class of k-sparse functional attention that is relative and L_local-local",
        "some model of the class has an error of at most δ at every length",
        "the value is an error at test_length, not a training length; ε plays no part",
    ),
    constants="the statement has the factor 1; its proof leaves a factor open",
    up_to_constants=False,
    gives="error",
    refusal=_refusal,
)
