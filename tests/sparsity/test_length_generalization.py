from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.distribution_ensemble import ListedEnsemble
from longreach.sparsity.length_generalization import (
    length_generalization,
    length_generalizations,
    train_lengths,
)
from longreach.sparsity.population_risk import Sampling
from longreach.sparsity.sparse_attention import FunctionHypothesis

ONE = Fraction(1)
# One sequence for each length, labelled 1; hypotheses see the length.
ENSEMBLE = ListedEnsemble(
    vocabulary=2, lists={length: [((0,) * length, (ONE,), ONE)] for length in range(1, 12)}
)


def _constant(name: str, short: float, long: float) -> FunctionHypothesis:
    """One value up to length 4, another beyond."""
    return FunctionHypothesis(
        name, lambda tokens: np.full((len(tokens), 1), short if tokens.shape[1] <= 4 else long)
    )


def test_all_minimizers_are_kept_and_the_worst_is_judged() -> None:
    found = length_generalization(
        [_constant("right", 1, 1), _constant("wrong later", 1, 0.25), _constant("wrong", 0, 1)],
        ENSEMBLE,
        4,
        9,
    )
    assert found.minimizers == ("right", "wrong later")
    assert (found.worst, found.error.value) == ("wrong later", Fraction(3, 4))
    assert {name: risk.value for name, risk in found.train.items()} == {
        "right": 0,
        "wrong later": 0,
        "wrong": 1,
    }
    assert found.holds(Fraction(3, 4)) is True
    assert found.holds(0.7) is False
    assert found.document()["error"]["fraction"] == "3/4"


def test_training_is_on_lengths_from_half_to_the_whole() -> None:
    """Wrong at lengths 5 and 6 of 3 … 6: the risk is one half."""
    found = length_generalization([_constant("half", 1, 0)], ENSEMBLE, 6, 7)
    assert found.train["half"].value == Fraction(1, 2)
    assert list(train_lengths(6)) == [3, 4, 5, 6]


def test_one_training_for_several_test_lengths() -> None:
    hypotheses = [_constant("right", 1, 1), _constant("wrong later", 1, 0.25)]
    several = length_generalizations(hypotheses, ENSEMBLE, 4, [4, 9])
    assert [each.error.value for each in several] == [0, Fraction(3, 4)]


def test_samples_keep_what_they_cannot_tell_apart() -> None:
    few = Sampling(limit=0, samples=50)
    many = Sampling(limit=0, samples=20_000)
    hypotheses = [_constant("right", 1, 1), _constant("a little off", 0.99, 1), _constant("wrong", 0, 1)]
    found = length_generalization(hypotheses, ENSEMBLE, 4, 9, sampling=few)
    assert found.minimizers == ("right", "a little off")
    assert found.holds(0.0) is None
    assert length_generalization(hypotheses, ENSEMBLE, 4, 9, sampling=many).minimizers == ("right",)
    alone = length_generalization([_constant("wrong later", 1, 0)], ENSEMBLE, 4, 9, sampling=many)
    assert alone.holds(0.5) is False


@pytest.mark.parametrize("names", [[], ["same", "same"]])
def test_names_tell_hypotheses_apart(names: list[str]) -> None:
    with pytest.raises(InputError, match="different names"):
        length_generalization([_constant(name, 1, 1) for name in names], ENSEMBLE, 4, 9)


def test_bad_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="test_length: lengths 2 ≤ L ≤ L̄ are needed, not 4 and 3"):
        length_generalization([_constant("right", 1, 1)], ENSEMBLE, 4, 3)
    with pytest.raises(InputError, match="the ensemble has no length 12"):
        length_generalization([_constant("right", 1, 1)], ENSEMBLE, 4, 12)
