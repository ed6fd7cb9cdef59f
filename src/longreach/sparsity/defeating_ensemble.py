"""Without assumptions on longer lengths, any wrong hypothesis can be defeated.

Golowich et al. (arXiv 2502.16792), Proposition 3.1: where some sequence of length L̄ tells the learned
hypothesis from the true one, the ensemble that puts all its mass there extends the training distributions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import (
    Ensemble,
    Examples,
    IntArray,
    Label,
    ListedEnsemble,
    Outcomes,
)
from longreach.sparsity.length_generalization import (
    Generalization,
    length_generalization,
    minimizers,
    train_lengths,
)
from longreach.sparsity.population_risk import Sampling
from longreach.sparsity.sparse_attention import Hypothesis

BLOCK = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class ExtendedEnsemble:
    """Training distributions up to a length, and beyond it one sequence for each length."""

    base: Ensemble
    up_to: int
    beyond: ListedEnsemble

    @property
    def vocabulary(self) -> int:
        return self.base.vocabulary

    @property
    def labels(self) -> tuple[Label, ...]:
        return tuple(dict.fromkeys((*self.base.labels, *self.beyond.labels)))

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        part = self._part(length)
        return self._renamed(part, part.draw(length, count, rng))

    def outcome_count(self, length: int) -> int:
        return self._part(length).outcome_count(length)

    def outcomes(self, length: int) -> Outcomes:
        part = self._part(length)
        found = part.outcomes(length)
        return Outcomes(self._renamed(part, found.examples), found.weights)

    def _part(self, length: int) -> Ensemble:
        return self.base if length <= self.up_to else self.beyond

    def _renamed(self, part: Ensemble, found: Examples) -> Examples:
        places = {label: place for place, label in enumerate(self.labels)}
        own = np.array([places[label] for label in part.labels], dtype=np.int64)
        return Examples(found.tokens, own[found.labels])


@dataclass(frozen=True, kw_only=True, eq=False)
class Defeat:
    """The sequence that tells two hypotheses apart, and what it does to length generalization."""

    sequence: tuple[int, ...]
    loss: Fraction
    """Between the true and the wrong hypothesis on the sequence."""
    ensemble: ExtendedEnsemble
    found: Generalization
    """Its worst minimizer errs by at least the loss."""


def defeating_ensemble(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    truth: Hypothesis,
    wrong: Hypothesis,
    *,
    train_length: int,
    test_length: int,
    error: Fraction | float,
    tries: int = 1 << 16,
    rng: np.random.Generator | None = None,
    sampling: Sampling | None = None,
) -> Defeat:
    """Extend the ensemble beyond L so that the class does not have (L, L̄, ε)-length generalization.

    `truth` realizes the training distributions, `wrong` is a minimizer. All sequences of length L̄ are looked
    through in order, or so many random ones where there are more.
    """
    draws = rng or np.random.default_rng(0)
    if not train_length < test_length:
        raise InputError(f"{test_length} is not above the training length", place=Field("test_length"))
    risks, best = minimizers(hypotheses, ensemble, train_length, rng=draws, sampling=sampling)
    if truth.name not in risks or risks[truth.name].value != 0:
        reason = f"{truth.name} does not realize the ensemble on lengths {_words(train_length)}"
        raise InputError(reason, place=Field("truth"))
    if wrong.name not in {each.name for each in best}:
        raise InputError(f"{wrong.name} is not among the minimizers", place=Field("wrong"))
    sequence = _telling(truth, wrong, ensemble.vocabulary, test_length, error, tries, draws)
    ones = (0,) * test_length
    listed = {
        length: [
            (row := sequence if length == test_length else ones[:length], _label(truth, row), Fraction(1))
        ]
        for length in range(train_length + 1, test_length + 1)
    }
    beyond = ListedEnsemble(vocabulary=ensemble.vocabulary, lists=listed)
    extended = ExtendedEnsemble(base=ensemble, up_to=train_length, beyond=beyond)
    found = length_generalization(
        hypotheses, extended, train_length, test_length, rng=draws, sampling=sampling
    )
    return Defeat(sequence=sequence, loss=_distance(truth, wrong, sequence), ensemble=extended, found=found)


def _words(train_length: int) -> str:
    lengths = train_lengths(train_length)
    return f"{lengths[0]} to {lengths[-1]}"


def _label(hypothesis: Hypothesis, row: Sequence[int]) -> Label:
    found = hypothesis.quotient(np.array([row], dtype=np.int64))
    below = Fraction(float(found.denominators[0]))
    return tuple(Fraction(top) / below for top in found.numerators[0].tolist())


def _distance(one: Hypothesis, other: Hypothesis, row: Sequence[int]) -> Fraction:
    return max(abs(a - b) for a, b in zip(_label(one, row), _label(other, row), strict=True))


def _telling(
    truth: Hypothesis,
    wrong: Hypothesis,
    vocabulary: int,
    length: int,
    error: Fraction | float,
    tries: int,
    rng: np.random.Generator,
) -> tuple[int, ...]:
    for rows in _candidates(vocabulary, length, tries, rng):
        losses = np.abs(truth.quotient(rows).values - wrong.quotient(rows).values).max(axis=1)
        row = tuple(rows[int(np.argmax(losses))].tolist())
        if _distance(truth, wrong, row) > error:
            return row
    looked = "any" if vocabulary**length <= tries else f"{tries} random"
    reason = f"{wrong.name} errs by at most {float(error):g} on {looked} sequences of length {length}"
    raise InputError(reason, place=Field("wrong"))


def _candidates(vocabulary: int, length: int, tries: int, rng: np.random.Generator) -> Iterator[IntArray]:
    if vocabulary**length <= tries:
        rows = product(range(vocabulary), repeat=length)
        while block := list(islice(rows, BLOCK)):
            yield np.array(block, dtype=np.int64)
        return
    for first in range(0, tries, BLOCK):
        yield rng.integers(0, vocabulary, (min(BLOCK, tries - first), length))
