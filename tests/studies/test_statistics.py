"""Tests of `studies.statistics`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.statistics import (
    Estimate,
    IntArray,
    LogisticModel,
    Resampling,
    bootstrap,
    fit_logistic,
    interval,
    reliability,
    roc_curve,
)
from tests.helpers.scores import brier, brier_skill, roc_auc

# Scores of probabilities against slow loops and closed forms.


SHARES = st.sampled_from([k / 20 for k in range(21)])  # with ties, and on the edges of bins
ROWS = st.lists(st.tuples(SHARES, st.integers(0, 1)), min_size=1, max_size=25)
Rows = list[tuple[float, int]]


@given(ROWS)
def test_auc_counts_pairs(rows: Rows) -> None:
    said, wins = map(list, zip(*rows, strict=True))
    assume(0 < sum(wins) < len(wins))
    pairs = [(p, q) for p, won in rows if won for q, lost in rows if not lost]
    wanted = sum((p > q) + (p == q) / 2 for p, q in pairs) / len(pairs)
    assert roc_auc(said, wins) == pytest.approx(wanted, abs=1e-12)
    assert roc_auc([-p for p in said], wins) == pytest.approx(1 - wanted, abs=1e-12)


@given(ROWS)
def test_the_curve_is_that_of_all_thresholds(rows: Rows) -> None:
    said, wins = map(list, zip(*rows, strict=True))
    assume(0 < sum(wins) < len(wins))
    wanted = [(0.0, 0.0)]
    for level in sorted(set(said), reverse=True):
        wrong = sum(p >= level and not y for p, y in rows) / (len(rows) - sum(wins))
        right = sum(p >= level and y for p, y in rows) / sum(wins)
        wanted.append((wrong, right))
    found = list(zip(*(each.tolist() for each in roc_curve(said, wins)), strict=True))
    assert np.array(found) == pytest.approx(np.array(wanted))


@given(ROWS, st.integers(1, 12))
def test_reliability_sorts_rows_into_bins(rows: Rows, bins: int) -> None:
    said, wins = map(list, zip(*rows, strict=True))
    found = reliability(said, wins, bins)
    assert sum(each.rows for each in found) == len(rows)
    for each in found:
        here = [(p, y) for p, y in rows if each.low <= p < each.high or (each.high == 1 == p)]
        assert each.rows == len(here)
        assert each.said == pytest.approx(sum(p for p, _ in here) / len(here))
        assert each.found == pytest.approx(sum(y for _, y in here) / len(here))


def test_clusters_are_drawn_whole() -> None:
    clusters = ["x", "y", "x", "z", "y", "x"]
    seen: list[IntArray] = []

    def note(rows: IntArray) -> float:
        seen.append(rows)
        return 0.0

    bootstrap(clusters, note, samples=200)
    for rows in seen:
        times = [sum(clusters[row] == name for row in rows.tolist()) for name in "xyz"]
        assert all(count % size == 0 for count, size in zip(times, (3, 2, 1), strict=True))
        assert sum(count // size for count, size in zip(times, (3, 2, 1), strict=True)) == 3
    assert len({tuple(rows.tolist()) for rows in seen}) > 10


def test_the_spread_of_a_mean_is_that_of_clusters_not_rows() -> None:
    """Rows of a cluster are equal, so that the error is that of 40 values, however often each is repeated."""
    values = np.random.default_rng(1).normal(size=40)
    rows, clusters = np.repeat(values, 5), np.repeat(np.arange(40), 5).tolist()
    found = bootstrap(clusters, lambda drawn: float(rows[drawn].mean()), samples=4000)
    assert found.std() == pytest.approx(values.std() / math.sqrt(40), rel=0.05)
    low, high = interval(found)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / math.sqrt(40), rel=0.1)


def test_samples_without_a_value_are_left_out() -> None:
    scores, wins = np.array([0.9, 0.1]), np.array([1, 0])
    found = bootstrap([0, 1], lambda drawn: roc_auc(scores[drawn], wins[drawn]), samples=400)
    assert set(found.tolist()) == {1.0}
    assert 150 < len(found) < 250  # half of the samples draw one row twice
    with pytest.raises(InputError, match="no sample has a value"):
        interval(bootstrap([0], lambda drawn: float("nan"), samples=3))


@pytest.mark.parametrize(
    ("score", "values", "outcomes", "message"),
    [
        *(
            (score, *case)
            for score in (roc_curve, reliability)
            for case in [
                ([0.5], [0, 1], "two lists of one length"),
                ([], [], "two lists of one length"),
                ([float("nan")], [1], "not a finite number"),
                ([0.5], [0.5], "outcomes are 0 or 1"),
            ]
        ),
        (roc_curve, [0.1, 0.2], [1, 1], "successes and failures"),
        (reliability, [1.5], [1], "between 0 and 1"),
        (lambda clusters, _: bootstrap(clusters, lambda drawn: 0.0), [], [], "nothing to draw"),
        (lambda clusters, _: Resampling(clusters), [], [], "nothing to draw"),
    ],
)
def test_what_cannot_be_scored(
    score: Callable[..., object], values: list[float], outcomes: list[float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        score(values, outcomes)


# Samples by weights are samples of rows: checked against drawing rows one sample after the other.


rows = st.lists(
    st.tuples(
        st.sampled_from("pqrst"), st.sampled_from([0.0, 0.2, 0.5, 0.9]), st.integers(0, 3), st.integers(0, 3)
    ),
    min_size=2,
    max_size=12,
).filter(lambda found: any(row[2] for row in found) and any(row[3] for row in found))


def _runs(found: list[tuple[str, float, int, int]]) -> tuple[list[str], list[float], list[int]]:
    """A row a run, as the slow functions take them."""
    single = [
        (language, said, outcome)
        for language, said, wins, losses in found
        for outcome in [1] * wins + [0] * losses
    ]
    return [each[0] for each in single], [each[1] for each in single], [each[2] for each in single]


@given(rows)
def test_values_are_those_of_the_runs_one_by_one(found: list[tuple[str, float, int, int]]) -> None:
    languages, said, wins, losses = (list(column) for column in zip(*found, strict=True))
    _, single, outcomes = _runs(found)
    drawn = Resampling(languages, samples=10)
    assert drawn.brier(said, wins, losses).value == pytest.approx(brier(single, outcomes))
    assert drawn.skill(said, wins, losses).value == pytest.approx(brier_skill(single, outcomes))
    assert drawn.auc(said, wins, losses).value == pytest.approx(roc_auc(single, outcomes))
    other = np.full(len(said), 0.3)
    skill = drawn.skill(said, wins, losses, other).value
    assert skill == pytest.approx(brier_skill(single, outcomes, np.full(len(single), 0.3)))


def test_samples_are_those_of_whole_languages() -> None:
    """The same spread as drawing rows; and each sample, rebuilt row by row, has the same numbers."""
    random = np.random.default_rng(1)
    languages = [f"l{number // 4}" for number in range(60)]
    said = random.random(60).round(1)
    wins = (random.random(60) < said).astype(int) * 2
    losses = 2 - wins
    drawn = Resampling(languages, samples=400)
    single_languages, single, outcomes = _runs(
        list(zip(languages, said.tolist(), wins.tolist(), losses.tolist(), strict=True))
    )
    values, ends = np.array(single), np.array(outcomes)
    slow = bootstrap(single_languages, lambda rows: roc_auc(values[rows], ends[rows]), samples=400)
    found = drawn.auc(said, wins, losses)
    turned = drawn.auc_gain(said, -np.asarray(said), wins, losses)
    assert [turned.value, turned.low, turned.high] == pytest.approx(
        [2 * each - 1 for each in (found.value, found.low, found.high) if each is not None]
    )
    assert (found.low, found.high) == pytest.approx(interval(slow), abs=0.03)
    weights = drawn.weights[7][drawn.places]
    again = np.repeat(np.arange(60), weights.astype(int))
    rebuilt = _runs([(languages[n], said[n], int(wins[n]), int(losses[n])) for n in again])
    assert drawn.sums(wins)[7] == sum(rebuilt[2])


def test_what_has_no_meaning_has_no_value() -> None:
    drawn = Resampling(["x", "y"], samples=20)
    assert drawn.auc([1, 2], [1, 1], [0, 0]) == Estimate()
    assert drawn.skill([0.5, 0.5], [1, 1], [0, 0]).value is None


@pytest.mark.parametrize("languages", [1, 5, 40])
def test_a_share_of_none_is_not_certain(languages: int) -> None:
    """The bound is the greatest share with which none of so many is seen in one case of forty."""
    drawn = Resampling([n // 2 for n in range(2 * languages)], samples=20)
    nothing, ones = np.zeros(2 * languages), np.ones(2 * languages)
    none, every = drawn.mean(nothing, ones), drawn.mean(ones, ones)
    assert none.high is not None
    assert (1 - none.high) ** languages == pytest.approx(0.025)
    assert (none.low, every.high) == (0.0, 1.0)
    assert every.low == pytest.approx(1 - none.high)
    assert drawn.mean(nothing, nothing).value is None


# The logistic model against closed forms, its own first-order conditions and a slow descent.


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
        ([[1], [float("nan")]], [0, 1], None, "not a finite number"),
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
