"""Population risk: exactly where all outcomes can be listed, else from samples with a confidence interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import Ensemble, FloatArray, Label, label_table
from longreach.sparsity.sparse_attention import Hypothesis, Quotient

Kind: TypeAlias = Literal["exact", "enumerated", "sampled"]
"""`exact`: a rational number. `enumerated`: all outcomes, in floating point. `sampled`: an estimate."""
CONFIDENCE = 0.95
LIMIT = 4096
"""Outcomes of one length that are listed; more are sampled."""


@dataclass(frozen=True, kw_only=True)
class Risk:
    """An expected loss.

    >>> risk = Risk(kind="exact", value=Fraction(1, 3), low=1 / 3, high=1 / 3)
    >>> str(risk)
    '0.3333'
    """

    kind: Kind
    value: Fraction | float
    low: float
    high: float
    """The confidence interval; a point where nothing was sampled."""
    samples: int | None = None

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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
    """When and how to sample."""

    limit: int = LIMIT
    samples: int = 2000
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        if self.samples < 2 or not 0 < self.confidence < 1:
            raise InputError(
                "at least two samples and a confidence between 0 and 1 are needed", place=Field("samples")
            )


def population_risks(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    lengths: Sequence[int],
    *,
    rng: np.random.Generator,
    sampling: Sampling | None = None,
) -> tuple[list[Risk], FloatArray | None]:
    """The expected loss of each hypothesis on a uniformly random one of the lengths.

    All hypotheses see the same samples; their losses (hypotheses × samples) are given too where any were
    drawn.
    """
    how = sampling or Sampling()
    if not lengths:
        raise InputError("at least one length is needed", place=Field("lengths"))
    if all(ensemble.outcome_count(length) <= how.limit for length in lengths):
        listed = [[_listed(each, ensemble, length) for length in lengths] for each in hypotheses]
        return [_mean(risks) for risks in listed], None
    chosen = np.array(lengths, dtype=np.int64)[rng.integers(0, len(lengths), how.samples)]
    parts = []
    table = label_table(ensemble.labels)
    for length, count in zip(*(each.tolist() for each in np.unique(chosen, return_counts=True)), strict=True):
        examples = ensemble.draw(length, count, rng)
        truth = table[examples.labels]
        parts.append([_losses(each.quotient(examples.tokens), truth) for each in hypotheses])
    losses = np.stack([np.concatenate(rows) for rows in zip(*parts, strict=True)])
    return [_sampled(row, how.confidence) for row in losses], losses


def _losses(found: Quotient, truth: FloatArray) -> FloatArray:
    losses: FloatArray = np.abs(found.values - truth).max(axis=1)
    return losses


def _listed(hypothesis: Hypothesis, ensemble: Ensemble, length: int) -> Risk:
    whole = ensemble.outcomes(length)
    found = hypothesis.quotient(whole.examples.tokens)
    if found.exact:
        weights: dict[tuple[tuple[float, ...], float, int], Fraction] = defaultdict(Fraction)
        rows = zip(
            found.numerators.tolist(),
            found.denominators.tolist(),
            whole.examples.labels.tolist(),
            strict=True,
        )
        for (top, bottom, label), weight in zip(rows, whole.weights, strict=True):
            weights[(tuple(top), bottom, label)] += weight
        value = sum(
            (
                weight * exact_loss(top, bottom, ensemble.labels[label])
                for (top, bottom, label), weight in weights.items()
            ),
            start=Fraction(0),
        )
        return Risk(kind="exact", value=value, low=float(value), high=float(value))
    truth = label_table(ensemble.labels)[whole.examples.labels]
    mean = float(np.dot(_losses(found, truth), [float(weight) for weight in whole.weights]))
    return Risk(kind="enumerated", value=mean, low=mean, high=mean)


def exact_loss(numerators: Sequence[float], denominator: float, label: Label) -> Fraction:
    """The largest difference of a coordinate, as a rational number.

    >>> exact_loss((1.0,), 3.0, (Fraction(1),))
    Fraction(2, 3)
    """
    below = Fraction(denominator)
    return max(abs(Fraction(top) / below - part) for top, part in zip(numerators, label, strict=True))


def _mean(risks: Sequence[Risk]) -> Risk:
    """Of several lengths, each as likely."""
    kind: Kind = "exact" if all(each.kind == "exact" for each in risks) else "enumerated"
    total = sum((Fraction(each.value) for each in risks), start=Fraction(0)) / len(risks)
    value = total if kind == "exact" else float(total)
    return Risk(kind=kind, value=value, low=float(value), high=float(value))


def _sampled(losses: FloatArray, confidence: float) -> Risk:
    half = half_width(losses, confidence)
    mean = float(losses.mean())
    return Risk(
        kind="sampled", value=mean, low=max(0.0, mean - half), high=min(1.0, mean + half), samples=len(losses)
    )


def half_width(values: FloatArray, confidence: float) -> float:
    """Of an interval around the mean of independent numbers within 1 of each other, for any number of them.

    Maurer and Pontil, arXiv 0907.3740, Theorem 4 (empirical Bernstein), on both sides.
    """
    count, each = len(values), (1 - confidence) / 2
    spread = sqrt(2 * float(values.var(ddof=1)) * log(2 / each) / count)
    return spread + 7 * log(2 / each) / (3 * (count - 1))
