"""The bound of Theorem 4.3 beside the error that is measured (Golowich et al., arXiv 2502.16792)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from longreach.bounds.planted_bound import PLANTED
from longreach.bounds.planted_bound import error as bound_of
from longreach.errors import Field, InputError
from longreach.sparsity.length_generalization import Generalization, length_generalizations
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.population_risk import Sampling
from longreach.sparsity.position_law import shifted_sets
from longreach.sparsity.sparse_attention import (
    Hypothesis,
    SparseAttention,
    attention_class,
    table_key,
    table_value,
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One pair of lengths."""

    found: Generalization
    window: int
    delta: Fraction
    eta_train: Fraction
    eta_test: Fraction
    bound: Fraction
    """η_L η_L̄ L L̄² δ."""

    @property
    def ratio(self) -> float:
        """How many times the error the bound is; infinite where there is no error."""
        error = float(self.found.error.value)
        return float(self.bound) / error if error else float("inf")

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "delta": float(self.delta),
            "eta_train": float(self.eta_train),
            "eta_test": float(self.eta_test),
            "bound": float(self.bound),
            "bound_over_error": None if not self.found.error.value else self.ratio,
            **self.found.document(),
        }


def compare_with_bound(
    hypotheses: Sequence[Hypothesis],
    ensemble: PlantedEnsemble,
    *,
    train_length: int,
    test_lengths: Sequence[int],
    window: int,
    delta: Fraction,
    rng: np.random.Generator | None = None,
    sampling: Sampling | None = None,
) -> list[Comparison]:
    """Train up to L, judge at each L̄, with η and the bound; δ is how well the class can do at every length.

    >>> delta = Fraction(1, 64)
    >>> (found,) = compare_with_bound(
    ...     rare_pair_class(delta, 4), rare_pair(delta, 4),
    ...     train_length=16, test_lengths=[32], window=4, delta=delta,
    ... )
    >>> found.found.minimizers, found.eta_test, found.found.error.value < found.bound
    (('soft 1/64, planted',), Fraction(29, 1), True)
    """
    etas = [_eta(ensemble, length, window) for length in (train_length, *test_lengths)]
    bounds = []
    for test_length, eta in zip(test_lengths, etas[1:], strict=True):
        values = {
            "train_length": Fraction(train_length), "test_length": Fraction(test_length),
            "L_local": Fraction(window), "eta_train": etas[0], "eta_test": eta, "delta": delta,
        }  # fmt: skip
        assert PLANTED.refusal is not None
        refused = PLANTED.refusal(values)
        if refused is not None:
            raise InputError(f"the theorem wants {refused}", place=Field("train_length"))
        bound = bound_of(values).exact
        assert bound is not None
        bounds.append(bound)
    judged = length_generalizations(
        hypotheses, ensemble, train_length, test_lengths, rng=rng, sampling=sampling
    )
    return [
        Comparison(found=found, window=window, delta=delta, eta_train=etas[0], eta_test=eta, bound=bound)
        for found, eta, bound in zip(judged, etas[1:], bounds, strict=True)
    ]


def _eta(ensemble: PlantedEnsemble, length: int, window: int) -> Fraction:
    found = ensemble.coverage(length, window=window)
    if found.eta is None:
        reason = f"coverage fails at length {length}: {found.places} has no counterpart at {found.other}"
        raise InputError(reason, place=Field("ensemble"))
    return found.eta


def rare_pair(delta: Fraction, window: int) -> PlantedEnsemble:
    """Background 0 and a planted pair in a window: 1 1 as a rule, 2 2 with probability δ. The label is 1.

    >>> rare_pair(Fraction(1, 8), 3).planted
    {(1, 1): Fraction(7, 8), (2, 2): Fraction(1, 8)}
    """
    one = Fraction(1)
    pairs: dict[tuple[int, ...], int] = dict.fromkeys(combinations(range(1, window + 1), 2), 1)
    return PlantedEnsemble(
        background=(one, Fraction(0), Fraction(0)),
        places=shifted_sets(pairs, window),
        planted={(1, 1): 1 - delta, (2, 2): delta},
        label={(1, 1): (one,), (2, 2): (one,)},
    )


def rare_pair_class(delta: Fraction, window: int) -> tuple[SparseAttention, ...]:
    """Keys that miss the rare pair (hard), or see it and give every other near pair a little weight (soft).

    The soft ones are better on short sequences and are diluted on long ones: their weight is a share of δ.

    >>> [each.name for each in rare_pair_class(Fraction(1, 8), 3)]
    ['hard, planted', 'hard, zero', 'soft 1/64, planted', 'soft 1/64, zero', 'soft 1/16, planted', 'soft 1/16,
    zero']
    """
    planted: dict[tuple[int, ...], float] = {(1, 1): 0.0, (2, 2): 0.0}
    hard = table_key("hard", {(1, 1): 0.0}, vocabulary=3, window=window)
    soft = [
        table_key(
            f"soft 1/{share}", planted, vocabulary=3, window=window, other=float(np.log(float(delta) / share))
        )
        for share in (64, 16)
    ]
    values = [
        table_value("planted", {(1, 1): (1,), (2, 2): (1,)}, vocabulary=3),
        table_value("zero", {(1, 1): (0,)}, vocabulary=3),
    ]
    return attention_class([hard, *soft], values, sparsity=2)
