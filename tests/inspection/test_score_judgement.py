"""Scores on made-up runs of which it is known what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.comparison.calibration import roc_auc
from longreach.errors import InputError
from longreach.inspection.fitted_score import ALL_TOGETHER, TOGETHER, fit_scores
from longreach.inspection.limit_runs import LengthRow
from longreach.inspection.score_judgement import compare_limits, judge_scores
from tests.helpers.scored_runs import scored_run as _run


def test_areas_with_their_signs() -> None:
    rng = np.random.default_rng(0)
    works = rng.random(40) < 0.5
    margins = works + rng.normal(size=40)
    runs = [
        _run(n, bool(w), float(m), beside={"verdict": float(w)})
        for n, (w, m) in enumerate(zip(works, margins, strict=True))
    ]
    slices = {each.name: each for each in judge_scores(runs, samples=20)}
    assert set(slices) == {"all runs", "ape", "nope", "runs that learned"}
    rows = {row.name: row for row in slices["all runs"].rows}
    assert rows["margin"].auc.value == pytest.approx(roc_auc(margins, works))
    assert rows["offset variance"].auc.value == 0.0  # the larger, the better: the theory has it the other way
    assert rows["verdict"].auc.value == 1.0
    assert rows["verdict"].kind == "beside"
    assert rows["entropy"].auc.value == 0.5
    joint = rows[ALL_TOGETHER].auc.value
    assert joint is not None
    assert joint > 0.9  # a model may turn a sign around
    wrong, right = slices["all runs"].curves["margin"]
    assert (wrong[-1], right[-1]) == (1, 1)
    assert slices["ape"].runs + slices["nope"].runs == 40
    assert slices["all runs"].document()["work"] == int(works.sum())


def test_what_was_fitted_before_is_judged_as_it_is() -> None:
    """A score that was fitted where the margin helps says the opposite where it does not."""
    fitted = fit_scores([_run(n, n % 2 == 0, float(n % 2 == 0)) for n in range(20)], {"margin": 1.0})
    there = [_run(n, n % 2 == 0, float(n % 2 == 1), steady=True) for n in range(20)]
    (judged, *_) = judge_scores(there, fitted, samples=5)
    rows = {row.name: row for row in judged.rows}
    assert rows[ALL_TOGETHER].auc.value == 0.0
    assert rows[TOGETHER].auc.value == 0.5  # what it knows does not vary here
    (anew, *_) = judge_scores(there, samples=5)
    assert {row.name: row for row in anew.rows}[ALL_TOGETHER].auc.value == 1.0


def test_more_than_a_reference() -> None:
    """Differences of areas on the runs that have both."""
    ends = [True, True, False, False, True, False]
    odds = [0.9, 0.2, 0.5, 0.1, None, None]
    runs = [
        _run(n, works, float(n), beside={} if said is None else {"odds": said})
        for n, (works, said) in enumerate(zip(ends, odds, strict=True))
    ]
    (judged, *_) = judge_scores(runs, reference="odds", samples=20)
    rows = {row.name: row for row in judged.rows}
    assert rows["odds"].runs == 4
    assert rows["odds"].gain is None
    first = roc_auc([0, 1, 2, 3], ends[:4]) - roc_auc([0.9, 0.2, 0.5, 0.1], ends[:4])
    found = rows["margin"].gain
    assert found is not None
    assert found.value == pytest.approx(first)
    document = rows["margin"].document()
    assert document["minus_reference"]["value"] == pytest.approx(first, abs=1e-4)


def test_both_outcomes_are_needed() -> None:
    with pytest.raises(InputError, match="work"):
        judge_scores([_run(n, True, 0.0) for n in range(4)], samples=5)


def test_runs_beside_their_limits() -> None:
    rows = [
        LengthRow(length=30, model=0.2, kept=0.9, strict=0.5),
        LengthRow(length=30, model=0.8, kept=0.6, strict=0.1),
        LengthRow(length=30, model=1.0, kept=1.0, strict=0.9),
    ]
    runs = [_run(1 + 2 * n, True, 0.0, beyond=row, learned=n != 1) for n, row in enumerate(rows)]
    every, learned = compare_limits([*runs, _run(2, True, 0.0)])
    assert (every.name, every.runs, every.better, every.worse) == ("ape, all", 3, 1, 1)
    assert (every.model, every.kept, every.strict) == pytest.approx((2 / 3, 2.5 / 3, 0.5))
    assert (learned.name, learned.runs, learned.worse) == ("ape, learned", 2, 0)
