"""Length generalization of a finite class (Golowich et al., arXiv 2502.16792, Definition 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import Ensemble
from longreach.sparsity.population_risk import Risk, Sampling, half_width, population_risks
from longreach.sparsity.sparse_attention import Hypothesis

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
        """The names of the best hypotheses."""
        return tuple(self.test)

    @property
    def worst(self) -> str:
        """The minimizer with the largest risk at L̄."""
        return max(self.test, key=lambda name: self.test[name].value)

    @property
    def error(self) -> Risk:
        """Its risk: what training can be held to."""
        return self.test[self.worst]

    def holds(self, error: Fraction | float) -> bool | None:
        """Whether there is (L, L̄, ε)-length generalization; None where samples do not decide it."""
        if self.error.kind != "sampled":
            return self.error.value <= error
        if max(each.high for each in self.test.values()) <= error:
            return True
        # One of several sampled minimizers may be none: only a single one is a no.
        return False if len(self.test) == 1 and self.error.low > error else None

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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
    sampling: Sampling | None = None,
) -> tuple[dict[str, Risk], tuple[Hypothesis, ...]]:
    """Training risks by name, and all hypotheses that have the least one.

    From samples: all whose losses are not reliably above those of the best on the same samples.
    """
    check_names(hypotheses)
    how = sampling or Sampling()
    risks, losses = population_risks(hypotheses, ensemble, train_lengths(train_length), rng=rng, sampling=how)
    least = min(risk.value for risk in risks)
    if losses is None:
        close = 0 if all(risk.kind == "exact" for risk in risks) else CLOSE
        best = [place for place, risk in enumerate(risks) if risk.value <= least + close]
    else:
        first = losses[int(np.argmin(losses.mean(axis=1)))]
        best = [
            place
            for place, row in enumerate(losses)
            # Halved, differences lie within 1 of each other.
            if float((row - first).mean()) <= 2 * half_width((row - first) / 2, how.confidence)
        ]
    named = {each.name: risk for each, risk in zip(hypotheses, risks, strict=True)}
    return named, tuple(hypotheses[place] for place in best)


def length_generalization(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    train_length: int,
    test_length: int,
    *,
    rng: np.random.Generator | None = None,
    sampling: Sampling | None = None,
) -> Generalization:
    """Minimize the risk on lengths from L/2 to L, and judge every minimizer at L̄.

    >>> from longreach.sparsity.counter_examples import counter_example
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
    sampling: Sampling | None = None,
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


def check_names(hypotheses: Sequence[Hypothesis]) -> None:
    """Hypotheses are told apart by their names."""
    names = [each.name for each in hypotheses]
    if not names or len(set(names)) < len(names):
        raise InputError("hypotheses with different names are needed", place=Field("hypotheses"))
