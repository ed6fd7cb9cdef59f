"""Tests of `studies.sparsity.counter_examples`."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from longreach.studies.sparsity.counter_examples import (
    ASSUMPTIONS,
    Problem,
    check_assumptions,
    counter_example,
    defeating_ensemble,
)
from longreach.studies.sparsity.ensembles import SingleSequences
from longreach.studies.sparsity.generalization import Generalization, length_generalization
from tests.helpers.sparsity_oracle import FunctionHypothesis


def generalization(problem: Problem, train: int, test: int) -> Generalization:
    return length_generalization(problem.hypotheses, problem.ensemble, train, test)


@pytest.mark.parametrize("train", [8, 11])
@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_without_the_assumption_alone_it_fails_and_with_all_it_works(assumption: str, train: int) -> None:
    example = counter_example(assumption, train)
    assert check_assumptions(example.broken, train, 2 * train).missing() == (assumption,)
    assert check_assumptions(example.intact, train, 2 * train).missing() == ()
    for times in (2, 3):
        broken = generalization(example.broken, train, times * train)
        assert broken.error.kind == "exact"
        assert broken.error.value > Fraction(4, 5)
        assert generalization(example.intact, train, times * train).error.value == 0


def test_coverage_grows_at_most_linearly_where_it_is_not_dropped() -> None:
    for assumption, factor in (("locality", 2), ("relativity", 1), ("realizability", 10)):
        for train, test in ((8, 16), (12, 24)):
            found = check_assumptions(counter_example(assumption, train).broken, train, test)
            assert found.eta_test is not None
            assert found.eta_test <= factor * test


def test_errors_by_hand() -> None:
    """Length 16, trained to 8."""
    error = {name: generalization(counter_example(name, 8).broken, 8, 16).error.value for name in ASSUMPTIONS}
    # One planted pair beside the pairs at distance 2 behind place 8, of which (k−2, k) has k = 9 … 16.
    assert error["relativity"] == 1 - Fraction(1, 9)
    # Pairs at distance 2 are missed: the mean over all pairs is 1/120.
    assert error["coverage"] == 1 - Fraction(1, comb(16, 2))
    assert error["realizability"] == Fraction(9, 10) * (1 - Fraction(1, comb(16, 2)))
    # 36 pairs are at least 8 apart; a planted pair at distance 8 is one of them, neighbours are not.
    near, far = 1 - Fraction(1, 37), 1 - Fraction(1, 36)
    assert error["locality"] == (15 * near + 8 * far) / 23


def test_the_learned_hypothesis_is_far_from_the_best_one_without_realizability() -> None:
    """Equation (16): at L̄ the other key errs by about one tenth."""
    problem = counter_example("realizability", 8).broken
    found = generalization(problem, 8, 16)
    assert found.minimizers == ("g00, g1",)
    other = [each for each in problem.hypotheses if each.name == "g01, g1"]
    alone = generalization(type(problem)(tuple(other), problem.ensemble), 8, 16)
    assert alone.error.value == Fraction(1, 10) * (1 - Fraction(1, comb(16, 2)))


PROBLEM = counter_example("coverage", 8).broken
NEAR, EITHER = PROBLEM.hypotheses


def test_the_wrong_minimizer_is_defeated_beyond_the_training_lengths() -> None:
    found = defeating_ensemble(
        PROBLEM.hypotheses, PROBLEM.ensemble, EITHER, NEAR, train_length=8, test_length=12, error=0.5
    )
    assert found.loss > Fraction(1, 2)
    assert len(found.sequence) == 12
    assert found.found.error.value == found.loss
    # The training distributions are as they were, and the truth realizes all lengths.
    for length in (4, 8):
        assert found.ensemble.outcome_count(length) == PROBLEM.ensemble.outcome_count(length)
    for length in (9, 12):
        whole = found.ensemble.outcomes(length)
        assert EITHER.quotient(whole.tokens).values[0, 0] == float(whole.labels[0][0])
    drawn = found.ensemble.draw(12, 5, np.random.default_rng(0))
    assert set(map(tuple, drawn.tokens.tolist())) == {found.sequence}


def test_random_sequences_where_there_are_too_many() -> None:
    """Of 2^30 sequences; the hypotheses differ on half of them."""
    one = Fraction(1)
    ensemble = SingleSequences(vocabulary=2, sequences={n: ((0,) * n, (one,)) for n in range(1, 5)})
    truth = FunctionHypothesis("one", lambda tokens: np.ones((len(tokens), 1)))
    wrong = FunctionHypothesis("first is 0", lambda tokens: 1 - tokens[:, :1])
    found = defeating_ensemble(
        [truth, wrong], ensemble, truth, wrong, train_length=4, test_length=30, error=0.5
    )
    assert (found.sequence[0], found.loss) == (1, 1)
