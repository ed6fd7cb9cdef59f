"""Scores on made-up runs of which it is known what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.comparison.calibration import roc_auc
from longreach.errors import InputError
from longreach.inspection.limit_runs import LengthRow
from longreach.inspection.run_features import FEATURES
from longreach.inspection.score_judgement import (
    ALL_TOGETHER,
    ScoredRun,
    compare_limits,
    judge_scores,
    left_out,
)


def _run(number: int, works: bool, margin: float, **changes: object) -> ScoredRun:
    features = {**dict.fromkeys(FEATURES, 0.0), "margin": margin, "offset variance": float(works)}
    made: dict[str, object] = {
        "run": str(number), "language": f"l{number % 10}", "encoding": "ape" if number % 2 else "nope",
        "trained_to": 10, "works": works, "learned": True, "features": features, "beside": {},
    }  # fmt: skip
    return ScoredRun(**{**made, **changes})  # type: ignore[arg-type]


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


def test_a_language_is_judged_by_others() -> None:
    """A feature that only names the language says nothing once that language is left out."""
    runs = [_run(n, n % 10 < 5, float(n % 10 == 0)) for n in range(40)]
    said = left_out(runs, ["margin"])
    # The only rows with 1 are of one language: the others give its coefficient no data, so it stays small.
    here = said[[n for n in range(40) if n % 10 == 0]]
    assert np.ptp(here) == pytest.approx(0)
    assert here[0] == pytest.approx(16 / 36, abs=0.05)


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
