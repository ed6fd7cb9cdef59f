from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.counter_examples import counter_example
from longreach.sparsity.defeating_ensemble import defeating_ensemble
from longreach.sparsity.distribution_ensemble import ListedEnsemble
from longreach.sparsity.sparse_attention import FunctionHypothesis

PROBLEM = counter_example("coverage", 8).broken
NEAR, EITHER = PROBLEM.hypotheses


def test_the_wrong_minimizer_is_defeated_beyond_the_training_lengths() -> None:
    found = defeating_ensemble(
        PROBLEM.hypotheses, PROBLEM.ensemble, EITHER, NEAR, train_length=8, test_length=12, error=0.5
    )
    assert found.loss > Fraction(1, 2)
    assert len(found.sequence) == 12
    assert found.found.holds(0.5) is False
    assert found.found.error.value == found.loss
    # The training distributions are as they were, and the truth realizes all lengths.
    for length in (4, 8):
        assert found.ensemble.outcome_count(length) == PROBLEM.ensemble.outcome_count(length)
    for length in (9, 12):
        whole = found.ensemble.outcomes(length)
        truth = EITHER.quotient(whole.examples.tokens).values[0, 0]
        assert truth == float(found.ensemble.labels[whole.examples.labels[0]][0])
    drawn = found.ensemble.draw(12, 5, np.random.default_rng(0))
    assert set(map(tuple, drawn.tokens.tolist())) == {found.sequence}


def test_random_sequences_where_there_are_too_many() -> None:
    """Of 2^30 sequences; the hypotheses differ on half of them."""
    one = Fraction(1)
    ensemble = ListedEnsemble(vocabulary=2, lists={n: [((0,) * n, (one,), one)] for n in range(1, 5)})
    truth = FunctionHypothesis("one", lambda tokens: np.ones((len(tokens), 1)))
    wrong = FunctionHypothesis("first is 0", lambda tokens: 1 - tokens[:, :1])
    found = defeating_ensemble(
        [truth, wrong], ensemble, truth, wrong, train_length=4, test_length=30, error=0.5, tries=64
    )
    assert (found.sequence[0], found.loss) == (1, 1)


def test_what_is_no_such_pair_is_refused() -> None:
    lengths = {"train_length": 8, "test_length": 12}
    given = (PROBLEM.hypotheses, PROBLEM.ensemble)
    with pytest.raises(InputError, match=r"wrong: .* errs by at most 0.5 on any sequences of length 12"):
        defeating_ensemble(*given, EITHER, EITHER, error=0.5, **lengths)
    other = counter_example("realizability", 8).broken
    with pytest.raises(InputError, match=r"truth: g00, g1 does not realize the ensemble on lengths 4 to 8"):
        defeating_ensemble(other.hypotheses, other.ensemble, *other.hypotheses, error=0.5, **lengths)
    with pytest.raises(InputError, match="test_length: 8 is not above"):
        defeating_ensemble(*given, EITHER, NEAR, train_length=8, test_length=8, error=0.5)
