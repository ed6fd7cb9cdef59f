from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.population_risk import Sampling, half_width, population_risks
from longreach.sparsity.position_law import uniform_sets
from longreach.sparsity.sparse_attention import FunctionHypothesis, SparseAttention, table_key, table_value
from tests.helpers.sparsity_oracle import attention, distribution

HALF, ONE = Fraction(1, 2), Fraction(1)
ENSEMBLE = PlantedEnsemble(
    background=(HALF, HALF),
    places=uniform_sets(lambda length: iter([(0, 1)])),
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
        for (tokens, label), weight in distribution(ENSEMBLE, length).items()
    )


@pytest.mark.parametrize(("score", "kind"), [(0.0, "exact"), (1.0, "enumerated")])
def test_listed_risks_are_those_of_the_definition(score: float, kind: str) -> None:
    rng = np.random.default_rng(0)
    (risk,), losses = population_risks([_attention(score)], ENSEMBLE, [3, 5], rng=rng)
    assert (risk.kind, losses) == (kind, None)
    assert float(risk.value) == pytest.approx((_literal(score, 3) + _literal(score, 5)) / 2, abs=1e-12)
    if kind == "exact":
        assert isinstance(risk.value, Fraction)
        assert risk.document()["fraction"] == str(risk.value)


def test_exact_risks_are_rational() -> None:
    """Always 1/2: errs by 1/2 with probability 2/3 and by 1/6 with probability 1/3."""
    half = FunctionHypothesis("half", lambda tokens: np.full((len(tokens), 1), 0.5))
    (risk,), _ = population_risks([half], ENSEMBLE, [4], rng=np.random.default_rng(0))
    assert risk.value == Fraction(2, 3) * HALF + Fraction(1, 3) * Fraction(1, 6)


def test_intervals_from_samples_hold_the_truth() -> None:
    """At 95%; of 40 intervals at most 6 may miss, and in fact these are wide."""
    truth = _literal(1.0, 5)
    missed = 0
    for seed in range(40):
        (risk,), losses = population_risks(
            [_attention(1.0)], ENSEMBLE, [5],
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
        ENSEMBLE,
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


def test_what_cannot_be_sampled_is_refused() -> None:
    with pytest.raises(InputError, match="two samples"):
        Sampling(samples=1)
    with pytest.raises(InputError, match="at least one length"):
        population_risks([_attention(0.0)], ENSEMBLE, [], rng=np.random.default_rng(0))
