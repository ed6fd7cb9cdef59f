"""Tests of `studies.sparsity.generalization`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from longreach.studies.sparsity.attention import (
    SparseAttention,
    not_local,
    not_relative,
    table_key,
    table_value,
)
from longreach.studies.sparsity.ensembles import (
    PlantedEnsemble,
    SingleSequences,
    even_shapes,
)
from longreach.studies.sparsity.generalization import (
    Sampling,
    compare_with_bound,
    half_width,
    length_generalization,
    length_generalizations,
    population_risks,
    rare_pair,
    rare_pair_class,
    train_lengths,
)
from tests.helpers.sparsity_oracle import FunctionHypothesis, attention, distribution, eta

ONE = Fraction(1)
# One sequence for each length, labelled 1; hypotheses see the length.
ENSEMBLE = SingleSequences(vocabulary=2, sequences={n: ((0,) * n, (ONE,)) for n in range(1, 12)})


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
    assert length_generalization(hypotheses, ENSEMBLE, 4, 9, sampling=many).minimizers == ("right",)
    alone = length_generalization([_constant("wrong later", 1, 0)], ENSEMBLE, 4, 9, sampling=many)
    assert alone.error.low > 0.5


DELTA, WINDOW = Fraction(1, 64), 3


def test_the_bound_is_the_formula_and_holds() -> None:
    ensemble, hypotheses = rare_pair(DELTA, WINDOW), rare_pair_class(DELTA, WINDOW)
    for train, tests in ((12, [12, 15, 24]), (13, [13, 16])):
        rows = compare_with_bound(
            hypotheses, ensemble, train_length=train, test_lengths=tests, window=WINDOW, delta=DELTA
        )
        for test, row in zip(tests, rows, strict=True):
            assert row.bound == row.eta_train * row.eta_test * train * test**2 * DELTA
            assert row.found.error.value <= row.bound
            assert row.document()["bound_over_error"] == row.ratio
    assert rows[0].eta_train == eta(ensemble.places, 13, WINDOW, 2)


def test_the_class_satisfies_the_assumptions() -> None:
    keys = [each.key for each in rare_pair_class(DELTA, WINDOW)]
    assert not_local(keys, WINDOW, sparsity=2, vocabulary=3, up_to=9) is None
    assert not_relative(keys, sparsity=2, vocabulary=3, up_to=9) is None


def test_errors_by_hand() -> None:
    """Soft: every near pair but the planted one has the weight δ/64. Hard: the rare pair is missed."""
    ensemble, hypotheses = rare_pair(DELTA, WINDOW), rare_pair_class(DELTA, WINDOW)
    short, long = compare_with_bound(
        hypotheses, ensemble, train_length=12, test_lengths=[12, 48], window=WINDOW, delta=DELTA
    )
    for row, length in ((short, 12), (long, 48)):
        assert row.found.minimizers == ("soft 1/64, planted",)
        near = (length - 1) + (length - 2) + (length - 3) - 1
        weight = near / 64 * float(DELTA)
        assert float(row.found.error.value) == pytest.approx(weight / (1 + weight), rel=1e-9)
    assert short.found.train["hard, planted"].kind == "exact"


HALF = Fraction(1, 2)
PLANTED = PlantedEnsemble(
    background=(HALF, HALF),
    places=even_shapes(lambda length: {(0, 1): 1}),
    planted={(1, 1): Fraction(2, 3), (0, 0): Fraction(1, 3)},
    label={(1, 1): (ONE,), (0, 0): (Fraction(1, 3),)},
)


def _attention(score: float, window: int | None = 1) -> SparseAttention:
    return SparseAttention(
        table_key("key", {(1, 1): score}, vocabulary=2, window=window),
        table_value("value", {(1, 1): (1,), (0, 1): (HALF,)}, vocabulary=2),
        2,
    )


def _literal(score: float, length: int) -> float:
    def key(places: tuple[int, ...], tokens: tuple[int, ...]) -> float:
        return score if tokens == (1, 1) and places[1] - places[0] <= 1 else -np.inf

    def value(tokens: tuple[int, ...]) -> tuple[Fraction]:
        return ({(1, 1): ONE, (0, 1): HALF}.get(tokens, Fraction(0)),)

    return sum(
        float(weight) * abs(attention(key, value, 2, tokens)[0] - float(label[0]))
        for (tokens, label), weight in distribution(PLANTED, length).items()
    )


@pytest.mark.parametrize(("score", "kind"), [(0.0, "exact"), (1.0, "enumerated")])
def test_listed_risks_are_those_of_the_definition(score: float, kind: str) -> None:
    rng = np.random.default_rng(0)
    (risk,), losses = population_risks([_attention(score)], PLANTED, [3, 5], rng=rng)
    assert (risk.kind, losses) == (kind, None)
    assert float(risk.value) == pytest.approx((_literal(score, 3) + _literal(score, 5)) / 2, abs=1e-12)
    if kind == "exact":
        assert isinstance(risk.value, Fraction)
        assert risk.document()["fraction"] == str(risk.value)


def test_exact_risks_are_rational() -> None:
    """Always 1/2: errs by 1/2 with probability 2/3 and by 1/6 with probability 1/3."""
    half = FunctionHypothesis("half", lambda tokens: np.full((len(tokens), 1), 0.5))
    (risk,), _ = population_risks([half], PLANTED, [4], rng=np.random.default_rng(0))
    assert risk.value == Fraction(2, 3) * HALF + Fraction(1, 3) * Fraction(1, 6)


def test_intervals_from_samples_hold_the_truth() -> None:
    """At 95%; of 40 intervals at most 6 may miss, and in fact these are wide."""
    truth = _literal(1.0, 5)
    missed = 0
    for seed in range(40):
        (risk,), losses = population_risks(
            [_attention(1.0)], PLANTED, [5],
            rng=np.random.default_rng(seed), sampling=Sampling(limit=1, samples=200),
        )  # fmt: skip
        assert risk.kind == "sampled"
        assert risk.samples == 200
        assert losses is not None
        assert losses.shape == (1, 200)
        missed += not risk.low <= truth <= risk.high
    assert missed <= 6


def test_several_lengths_are_drawn_alike() -> None:
    truth = (_literal(0.0, 3) + _literal(0.0, 5)) / 2
    (risk,), _ = population_risks(
        [_attention(0.0)],
        PLANTED,
        [3, 5],
        rng=np.random.default_rng(3),
        sampling=Sampling(limit=1, samples=6000),
    )
    assert risk.low <= truth <= risk.high
    assert abs(float(risk.value) - truth) < 0.03


def test_the_width_shrinks_with_the_number_of_samples() -> None:
    values = np.random.default_rng(0).random(4000)
    assert half_width(values, 0.95) < half_width(values[:400], 0.95) < half_width(values[:40], 0.95)
    assert half_width(values, 0.99) > half_width(values, 0.9)
