"""Odds for runs: of those that differ in their seed alone the same, of other tasks none."""

from __future__ import annotations

import pytest

from longreach.forecast.odds_features import OddsCase, odds_features
from longreach.forecast.odds_model import fitted_odds
from longreach.inspection.scored_run import ScoredRun
from longreach.studies.census.census_members import language_table
from longreach.studies.score_odds import frozen_odds, left_out_odds
from tests.helpers.scored_runs import scored_run


def _runs(part: str, count: int) -> list[ScoredRun]:
    table = [each for each in language_table().values() if each.part == part and "20" in each.lengths]
    return [
        scored_run(
            n, table[n // 2].sides["nope"].verdict == "yes", 0.0, run=f"r{n}", language=table[n // 2].task,
            encoding="nope", trained_to=20, seed=n % 2,
        )
        for n in range(count)
    ]  # fmt: skip


def test_frozen_odds_are_those_of_the_model() -> None:
    model = fitted_odds()
    assert model is not None
    runs = _runs("held-out", 20)
    said = frozen_odds(model, [*runs, scored_run(99, True, 0.0)])
    assert set(said) <= {run.run for run in runs}
    assert len(said) > 10
    facts = {each.task: each for each in language_table().values()}
    for run in runs:
        if run.run in said:
            case = OddsCase(features=facts[run.language].features(20), encoding="nope", ratio=3)
            row = odds_features(case, model.features)
            assert said[run.run] == pytest.approx(model.probabilities([row])[0])  # type: ignore[list-item]
    assert all(said[f"r{n}"] == said[f"r{n + 1}"] for n in range(0, 20, 2) if f"r{n}" in said)


def test_odds_with_the_language_left_out() -> None:
    runs = _runs("development", 40)
    said = left_out_odds(runs)
    assert set(said) == {run.run for run in runs}
    assert all(said[f"r{n}"] == said[f"r{n + 1}"] for n in range(0, 40, 2))
    assert left_out_odds(runs[:2]) == {}
    assert left_out_odds([scored_run(1, True, 0.0), scored_run(2, False, 0.0)]) == {}
