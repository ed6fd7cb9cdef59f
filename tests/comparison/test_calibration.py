"""Scores of probabilities against slow loops and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.comparison.calibration import (
    IntArray,
    bootstrap,
    brier,
    brier_skill,
    interval,
    reliability,
    roc_auc,
    roc_curve,
)
from longreach.errors import InputError

SHARES = st.sampled_from([k / 20 for k in range(21)])  # with ties, and on the edges of bins
ROWS = st.lists(st.tuples(SHARES, st.integers(0, 1)), min_size=1, max_size=25)
Rows = list[tuple[float, int]]


@given(ROWS)
def test_brier_is_a_mean_of_squares(rows: Rows) -> None:
    said, wins = map(list, zip(*rows, strict=True))
    wanted = sum((p - y) ** 2 for p, y in rows) / len(rows)
    assert brier(said, wins) == pytest.approx(wanted, abs=1e-12)
    share = sum(wins) / len(wins)
    if 0 < share < 1:
        assert brier_skill(said, wins) == pytest.approx(1 - wanted / (share * (1 - share)), abs=1e-9)
        assert brier_skill([share] * len(wins), wins) == pytest.approx(0.0, abs=1e-12)
        assert brier_skill(wins, wins) == 1.0
        assert brier_skill(said, wins, said) == pytest.approx(0.0) or brier(said, wins) == 0
    else:
        assert math.isnan(brier_skill(said, wins))


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


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_the_same_seed_gives_the_same_samples(seed: int) -> None:
    rows = np.arange(6.0)
    one, other = (
        bootstrap([0, 0, 1, 1, 2, 3], lambda drawn: float(rows[drawn].sum()), samples=5, seed=seed)
        for _ in range(2)
    )
    assert one.tolist() == other.tolist()


def test_samples_without_a_value_are_left_out() -> None:
    scores, wins = np.array([0.9, 0.1]), np.array([1, 0])
    found = bootstrap([0, 1], lambda drawn: roc_auc(scores[drawn], wins[drawn]), samples=400)
    assert set(found.tolist()) == {1.0}
    assert 150 < len(found) < 250  # half of the samples draw one row twice
    with pytest.raises(InputError, match="no sample has a value"):
        interval(bootstrap([0], lambda drawn: float("nan"), samples=3))


@pytest.mark.parametrize(
    ("values", "outcomes", "message"),
    [
        ([0.5], [0, 1], "two lists of one length"),
        ([], [], "two lists of one length"),
        ([float("nan")], [1], "no finite number"),
        ([0.5], [0.5], "outcomes are 0 or 1"),
    ],
)
def test_what_cannot_be_scored(values: list[float], outcomes: list[float], message: str) -> None:
    for score in (brier, roc_auc, reliability):
        with pytest.raises(InputError, match=message):
            score(values, outcomes)


def test_more_that_cannot_be_scored() -> None:
    with pytest.raises(InputError, match="successes and failures"):
        roc_curve([0.1, 0.2], [1, 1])
    with pytest.raises(InputError, match="between 0 and 1"):
        reliability([1.5], [1])
    with pytest.raises(InputError, match="nothing to draw"):
        bootstrap([], lambda drawn: 0.0)
