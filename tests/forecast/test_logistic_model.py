"""The logistic model against closed forms, its own first-order conditions and a slow descent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.forecast.logistic_model import LogisticModel, fit_logistic


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share))


@given(st.tuples(*[st.integers(1, 40)] * 4))
def test_one_binary_feature_has_a_closed_form(counts: tuple[int, int, int, int]) -> None:
    """Without a penalty the model says the share of successes at either value."""
    lost0, won0, lost1, won1 = counts
    model = fit_logistic(
        ["x"], [[0], [0], [1], [1]], [0, 1, 0, 1], weights=[lost0, won0, lost1, won1], penalty=0.0
    )
    low, high = won0 / (lost0 + won0), won1 / (lost1 + won1)
    assert model.probabilities([[0], [1]]) == pytest.approx([low, high], rel=1e-6)
    assert model.constant == pytest.approx(_log_odds(low), abs=1e-6)
    assert model.coefficients[0] == pytest.approx(_log_odds(high) - _log_odds(low), abs=1e-6)


def test_three_groups_with_two_indicators_are_their_shares() -> None:
    rows = [[0, 0]] * 10 + [[1, 0]] * 8 + [[0, 1]] * 5
    wins = [1] * 3 + [0] * 7 + [1] * 6 + [0] * 2 + [1] * 1 + [0] * 4
    model = fit_logistic(["no", "yes"], rows, wins, penalty=0.0)
    assert model.probabilities([[0, 0], [1, 0], [0, 1]]) == pytest.approx([0.3, 0.75, 0.2], rel=1e-6)


def _data(seed: int, rows: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rows, width)) * rng.uniform(0.1, 20, width) + rng.normal(size=width) * 5
    wins = (rng.random(rows) < rng.uniform(0.2, 0.8)).astype(float)
    return features, wins


def _penalized_loss(model_at: np.ndarray, features: np.ndarray, wins: np.ndarray, penalty: float) -> float:
    """As the definition has it, one row after the other; the first entry is the constant."""
    spread = features.std(axis=0)
    loss = penalty / 2 * sum((float(b) * float(s)) ** 2 for b, s in zip(model_at[1:], spread, strict=True))
    for row, won in zip(features, wins, strict=True):
        value = float(model_at[0] + model_at[1:] @ row)
        loss += math.log1p(math.exp(-abs(value))) + max(value, 0.0) - float(won) * value
    return loss


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(20, 60), st.integers(1, 3), st.floats(0.01, 5.0))
def test_no_other_model_has_a_smaller_loss(seed: int, rows: int, width: int, penalty: float) -> None:
    features, wins = _data(seed, rows, width)
    assume(0 < wins.mean() < 1)
    model = fit_logistic([f"x{k}" for k in range(width)], features, wins, penalty=penalty)
    at = np.array([model.constant, *model.coefficients])
    best = _penalized_loss(at, features, wins, penalty)
    rng = np.random.default_rng(seed)
    scale = np.array([1.0, *(1 / features.std(axis=0))])
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(6):
            other = at + size * scale * rng.normal(size=1 + width)
            assert _penalized_loss(other, features, wins, penalty) >= best - 1e-9


def test_a_slow_descent_finds_the_same() -> None:
    features, wins = _data(4, 80, 2)
    model = fit_logistic(["x", "y"], features, wins, penalty=0.5)
    middle, spread = features.mean(axis=0), features.std(axis=0)
    design = np.column_stack([np.ones(80), (features - middle) / spread])
    at = np.zeros(3)
    for _ in range(20_000):
        guess = 1 / (1 + np.exp(-design @ at))
        at -= 0.01 * (design.T @ (guess - wins) + np.array([0, 0.5, 0.5]) * at)
    assert model.coefficients == pytest.approx(at[1:] / spread, rel=1e-6)
    assert model.constant == pytest.approx(at[0] - (middle / spread) @ at[1:], rel=1e-6)


def test_weights_are_repetitions() -> None:
    features, wins = _data(1, 30, 2)
    counts = np.arange(30) % 4
    weighted = fit_logistic(["x", "y"], features, wins, weights=counts)
    repeated = fit_logistic(["x", "y"], np.repeat(features, counts, axis=0), np.repeat(wins, counts))
    assert weighted.coefficients == pytest.approx(repeated.coefficients, rel=1e-8)


def test_units_do_not_matter() -> None:
    features, wins = _data(2, 50, 2)
    one = fit_logistic(["x", "y"], features, wins)
    other = fit_logistic(["x", "y"], features * 1000 + 7, wins)
    assert one.probabilities(features) == pytest.approx(other.probabilities(features * 1000 + 7), rel=1e-6)


def test_separated_outcomes_need_a_penalty() -> None:
    rows, wins = [[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]
    with pytest.raises(InputError, match="a penalty is needed"):
        fit_logistic(["verdict"], rows, wins, penalty=0.0)
    model = fit_logistic(["verdict"], rows, wins)
    low, high = model.probabilities([[0], [1]])
    assert 0.02 < low < 0.5 < high < 0.98


def test_a_feature_that_never_varies_says_nothing() -> None:
    features, wins = _data(3, 40, 1)
    with_it = fit_logistic(["x", "same"], np.column_stack([features, np.full(40, 3.0)]), wins, penalty=0.0)
    without = fit_logistic(["x"], features, wins, penalty=0.0)
    assert with_it.coefficients[1] == 0.0
    assert with_it.coefficients[0] == pytest.approx(without.coefficients[0], rel=1e-6)


def test_large_values_do_not_overflow() -> None:
    model = LogisticModel(names=("x",), constant=0.0, coefficients=(1.0,))
    assert model.probabilities([[-1e4], [0], [1e4]]).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("features", "outcomes", "weights", "message"),
    [
        ([[1, 2], [3, 4]], [0, 1], None, "a table with 1 columns"),
        ([[1], [2]], [0, 1, 1], None, "2 rows of features, 3 outcomes"),
        ([[1], [float("nan")]], [0, 1], None, "no finite number"),
        ([[1], [2]], [0, 2], None, "between 0 and 1"),
        ([[1], [2]], [1, 1], None, "nothing to fit"),
        ([[1], [2]], [0, 1], [1, -1], "weights are not negative"),
        ([[1], [2]], [0, 1], [0, 0], "one is positive"),
    ],
)
def test_what_cannot_be_fitted(
    features: list[list[float]], outcomes: list[float], weights: list[float] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        fit_logistic(["x"], features, outcomes, weights=weights)
