"""Population risk, length generalization, and the comparison with the planted bound."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import log, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.studies.sparsity.attention import (
    Hypothesis,
    Quotient,
    SparseAttention,
    attention_class,
    table_key,
    table_value,
)
from longreach.studies.sparsity.ensembles import Ensemble, FloatArray, Label, PlantedEnsemble, shifted_sets
from longreach.theory.bounds.theorems import PLANTED

# Population risk: exactly where all outcomes can be listed, else from samples with a confidence interval.


Kind: TypeAlias = Literal["exact", "enumerated", "sampled"]
"""`exact`: a rational number. `enumerated`: all outcomes, in floating point. `sampled`: an estimate."""
CONFIDENCE = 0.95
"""Of the intervals around sampled risks."""


@dataclass(frozen=True, kw_only=True)
class Risk:
    """An expected loss.

    >>> str(Risk(kind="exact", value=Fraction(1, 3)))
    '0.3333'
    """

    kind: Kind
    value: Fraction | float
    half: float = 0.0
    """Half the width of the confidence interval; 0 where nothing was sampled."""
    samples: int | None = None

    @property
    def low(self) -> float:
        return max(0.0, float(self.value) - self.half)

    @property
    def high(self) -> float:
        return min(1.0, float(self.value) + self.half)

    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": self.kind, "value": float(self.value)}
        if isinstance(self.value, Fraction):
            found["fraction"] = str(self.value)
        if self.kind == "sampled":
            found |= {"low": self.low, "high": self.high, "samples": self.samples}
        return found

    def __str__(self) -> str:
        shown = f"{float(self.value):.4g}"
        return shown if self.kind != "sampled" else f"{shown} [{self.low:.2g}, {self.high:.2g}]"


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """When to sample, and how often."""

    limit: int = 4096
    """Outcomes of one length that are listed; more are sampled."""
    samples: int = 2000

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise InputError("at least two samples are needed", place=Field("samples"))


USUAL = Sampling()


def population_risks(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    lengths: Sequence[int],
    *,
    rng: np.random.Generator,
    sampling: Sampling = USUAL,
) -> tuple[list[Risk], FloatArray | None]:
    """The expected loss of each hypothesis on a uniformly random one of the lengths.

    All hypotheses see the same samples; their losses (hypotheses × samples) are given too where any were
    drawn.
    """
    if not lengths:
        raise InputError("at least one length is needed", place=Field("lengths"))
    if all(ensemble.outcome_count(length) <= sampling.limit for length in lengths):
        return [_listed(each, ensemble, lengths) for each in hypotheses], None
    chosen = np.array(lengths, dtype=np.int64)[rng.integers(0, len(lengths), sampling.samples)]
    parts = []
    for length, count in zip(*(each.tolist() for each in np.unique(chosen, return_counts=True)), strict=True):
        examples = ensemble.draw(length, count, rng)
        parts.append([_losses(each.quotient(examples.tokens), examples.labels) for each in hypotheses])
    losses = np.stack([np.concatenate(rows) for rows in zip(*parts, strict=True)])
    risks = [
        Risk(kind="sampled", value=float(row.mean()), half=half_width(row, CONFIDENCE), samples=len(row))
        for row in losses
    ]
    return risks, losses


def _losses(found: Quotient, labels: Sequence[Label]) -> FloatArray:
    """The largest difference of a coordinate, for each example."""
    numbers = {label: [float(part) for part in label] for label in set(labels)}
    losses: FloatArray = np.abs(found.values - [numbers[label] for label in labels]).max(axis=1)
    return losses


def _listed(hypothesis: Hypothesis, ensemble: Ensemble, lengths: Sequence[int]) -> Risk:
    """From all outcomes of several lengths, each length as likely."""
    total, exact = Fraction(0), True
    for length in lengths:
        whole = ensemble.outcomes(length)
        found = hypothesis.quotient(whole.tokens)
        exact = exact and found.exact
        if found.exact:
            weights: dict[tuple[tuple[float, ...], float, Label], Fraction] = defaultdict(Fraction)
            rows = zip(found.numerators.tolist(), found.denominators.tolist(), whole.labels, strict=True)
            for (top, bottom, label), weight in zip(rows, whole.weights, strict=True):
                weights[tuple(top), bottom, label] += weight
            for (tops, bottom, label), weight in weights.items():
                below = Fraction(bottom)
                total += weight * max(
                    abs(Fraction(top) / below - part) for top, part in zip(tops, label, strict=True)
                )
        else:
            shares = [float(weight) for weight in whole.weights]
            total += Fraction(float(np.dot(_losses(found, whole.labels), shares)))
    mean = total / len(lengths)
    return Risk(kind="exact", value=mean) if exact else Risk(kind="enumerated", value=float(mean))


def half_width(values: FloatArray, confidence: float) -> float:
    """Of an interval around the mean of independent numbers within 1 of each other, for any number of them.

    Maurer and Pontil, arXiv 0907.3740, Theorem 4 (empirical Bernstein), on both sides.
    """
    count, each = len(values), (1 - confidence) / 2
    spread = sqrt(2 * float(values.var(ddof=1)) * log(2 / each) / count)
    return spread + 7 * log(2 / each) / (3 * (count - 1))


# Length generalization of a finite class (Golowich et al., arXiv 2502.16792, Definition 3.1).


CLOSE = 1e-12
"""Risks in floating point that differ by less are the same."""


@dataclass(frozen=True, kw_only=True)
class Generalization:
    """What the best hypotheses on short sequences do on long ones."""

    train_length: int
    """L: lengths from L/2 to L count."""
    test_length: int
    """L̄."""
    train: dict[str, Risk]
    """By hypothesis."""
    test: dict[str, Risk]
    """By minimizer: all hypotheses whose training risk is least, or cannot be told from the least one."""

    @property
    def minimizers(self) -> tuple[str, ...]:
        return tuple(self.test)

    @property
    def worst(self) -> str:
        """The minimizer with the largest risk at L̄."""
        return max(self.test, key=lambda name: self.test[name].value)

    @property
    def error(self) -> Risk:
        """Its risk: what training can be held to."""
        return self.test[self.worst]

    def document(self) -> dict[str, Any]:
        return {
            "train_length": self.train_length,
            "test_length": self.test_length,
            "train": {name: risk.document() for name, risk in self.train.items()},
            "test": {name: risk.document() for name, risk in self.test.items()},
            "worst": self.worst,
            "error": self.error.document(),
        }


def train_lengths(length: int) -> range:
    """The whole numbers from L/2 to L.

    >>> list(train_lengths(7))
    [4, 5, 6, 7]
    """
    return range(-(-length // 2), length + 1)


def minimizers(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    train_length: int,
    *,
    rng: np.random.Generator,
    sampling: Sampling = USUAL,
) -> tuple[dict[str, Risk], tuple[Hypothesis, ...]]:
    """Training risks by name, and all hypotheses that have the least one.

    From samples: all whose losses are not reliably above those of the best on the same samples.
    """
    names = [each.name for each in hypotheses]
    if not names or len(set(names)) < len(names):
        raise InputError("hypotheses with different names are needed", place=Field("hypotheses"))
    lengths = train_lengths(train_length)
    risks, losses = population_risks(hypotheses, ensemble, lengths, rng=rng, sampling=sampling)
    if losses is None:
        close = 0 if all(risk.kind == "exact" for risk in risks) else CLOSE
        least = min(risk.value for risk in risks)
        best = [risk.value <= least + close for risk in risks]
    else:
        apart = losses - losses[int(np.argmin(losses.mean(axis=1)))]
        # Halved, differences lie within 1 of each other.
        best = [float(row.mean()) <= 2 * half_width(row / 2, CONFIDENCE) for row in apart]
    kept = tuple(each for each, is_best in zip(hypotheses, best, strict=True) if is_best)
    return dict(zip(names, risks, strict=True)), kept


def length_generalization(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    train_length: int,
    test_length: int,
    *,
    rng: np.random.Generator | None = None,
    sampling: Sampling = USUAL,
) -> Generalization:
    """Minimize the risk on lengths from L/2 to L, and judge every minimizer at L̄.

    >>> from longreach.studies.sparsity.counter_examples import counter_example
    >>> example = counter_example("relativity", 8)
    >>> found = length_generalization(example.broken.hypotheses, example.broken.ensemble, 8, 16)
    >>> len(found.minimizers), found.worst, found.error.value > Fraction(1, 2)
    (2, 'g01, g1', True)
    """
    (found,) = length_generalizations(
        hypotheses, ensemble, train_length, [test_length], rng=rng, sampling=sampling
    )
    return found


def length_generalizations(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    train_length: int,
    test_lengths: Sequence[int],
    *,
    rng: np.random.Generator | None = None,
    sampling: Sampling = USUAL,
) -> list[Generalization]:
    """The same for several L̄, with one training."""
    for test_length in test_lengths:
        if not 2 <= train_length <= test_length:
            reason = f"lengths 2 ≤ L ≤ L̄ are needed, not {train_length} and {test_length}"
            raise InputError(reason, place=Field("test_length"))
    draws = rng or np.random.default_rng(0)
    train, best = minimizers(hypotheses, ensemble, train_length, rng=draws, sampling=sampling)
    found = []
    for test_length in test_lengths:
        risks, _ = population_risks(best, ensemble, [test_length], rng=draws, sampling=sampling)
        test = {each.name: risk for each, risk in zip(best, risks, strict=True)}
        found.append(
            Generalization(train_length=train_length, test_length=test_length, train=train, test=test)
        )
    return found


# The bound of Theorem 4.3 beside the error that is measured (Golowich et al., arXiv 2502.16792).


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One pair of lengths."""

    found: Generalization
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
    sampling: Sampling = USUAL,
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
        refused = PLANTED.refusal(values)
        if refused is not None:
            raise InputError(f"the theorem wants {refused}", place=Field("train_length"))
        bound = PLANTED.terms["error"].compute(values).exact
        assert bound is not None
        bounds.append(bound)
    judged = length_generalizations(hypotheses, ensemble, train_length, test_lengths, sampling=sampling)
    return [
        Comparison(found=found, delta=delta, eta_train=etas[0], eta_test=eta, bound=bound)
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
