"""Samples by weights are samples of rows: checked against drawing rows one sample after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.comparison.calibration import bootstrap, brier, brier_skill, interval, roc_auc
from longreach.comparison.resampling import Estimate, Resampling
from longreach.errors import InputError

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
    assert drawn.auc([1, 2], [1, 1], [0, 0]) == Estimate(value=None, low=None, high=None)
    assert drawn.skill([0.5, 0.5], [1, 1], [0, 0]).value is None
    with pytest.raises(InputError, match="nothing to draw"):
        Resampling([])
    assert Estimate(value=1 / 3, low=None, high=0.5).rounded(2) == {"value": 0.33, "low": None, "high": 0.5}


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
