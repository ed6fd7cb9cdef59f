"""Odds from runs whose true odds are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from longreach.answers.odds import OddsModel
from longreach.answers.odds_features import CONTEXT, odds_features
from longreach.errors import InputError
from longreach.studies.census.odds import (
    VERDICT_ALONE,
    fit_odds,
    judge_odds,
    probabilities,
    stratum_skills,
)
from longreach.studies.census.strata import group_of
from longreach.studies.census.tables import cells
from tests.helpers.census_samples import synthetic_runs, true_odds


@cache
def _model() -> OddsModel:
    return fit_odds(synthetic_runs("development"), setting="drawn", replicates=40)


def test_what_the_outcomes_were_drawn_from_is_found() -> None:
    model = _model()
    assert model.features[: len(CONTEXT)] == tuple(CONTEXT)
    assert {"verdict yes", "states"} <= set(model.features)
    said, true = [], []
    for cell in cells(synthetic_runs("held-out")):
        if cell.ratio > 1:
            row = odds_features(cell.case, model.features)
            said.append(model.probabilities([[value or 0.0 for value in row]])[0])
            true.append(true_odds(cell.language, cell.encoding, cell.trained_to, cell.ratio))
    assert np.abs(np.array(said) - np.array(true)).mean() < 0.06


def test_features_that_say_nothing_are_not_chosen() -> None:
    random = np.random.default_rng(3)
    runs = [
        replace(run, accuracy=(float(random.random() < 0.5),) * 4) for run in synthetic_runs("development")
    ]
    model = fit_odds(runs, setting="coins", replicates=5)
    assert len(model.features) <= len(CONTEXT) + 1


def test_the_model_says_what_it_rests_on() -> None:
    model, runs = _model(), synthetic_runs("development")
    assert model.languages == 63
    assert model.runs == 3 * len(runs)  # at three ratios
    assert model.cells == len(runs)  # three seeds, three ratios
    assert (model.trained_to, model.ratios, model.encodings) == ((10, 20), (2, 3, 5), ("nope", "ape"))
    assert sum(each.runs for each in model.comparable) == model.runs
    assert model.ranges["states"] == (2.0, 8.0)
    assert len(model.verdict_alone) == 1 + len(VERDICT_ALONE)
    assert len(model.replicates) == 40


def test_held_out_languages_are_refused() -> None:
    with pytest.raises(InputError, match="is held out"):
        fit_odds(synthetic_runs("held-out"), setting="")


def test_odds_are_judged_on_what_was_not_fitted() -> None:
    found = judge_odds(_model(), synthetic_runs("held-out"), samples=100)
    whole = found.scores[0]
    assert (found.part, whole.encoding, whole.languages) == ("held-out", None, 126)
    assert whole.skill.value is not None
    assert whole.skill.value > 0.3
    assert whole.skill_over_verdict.value is not None
    assert whole.skill_over_verdict.value > 0
    assert sum(each.rows for each in found.reliability) == whole.runs
    for each in found.reliability:
        assert each.found_low is not None
        assert each.found_high is not None
        assert each.found_low <= each.found <= each.found_high
    parts = [each for each in found.scores if each.encoding]
    assert sum(each.runs for each in parts) == whole.runs
    # What is said comes true about as often, as it must when the truth is of this form.
    for each in found.reliability:
        if each.rows > 200:
            assert each.found == pytest.approx(each.said, abs=0.12)
    both = (*synthetic_runs("held-out"), *synthetic_runs("development"))
    with pytest.raises(InputError, match="one part"):
        judge_odds(_model(), both)
    with pytest.raises(InputError, match="at least one run"):
        judge_odds(_model(), [])


# Three encodings, and how good the odds are by stratum.


def test_an_encoding_without_development_runs_has_no_odds() -> None:
    model = _model()
    assert model.tested == {each: {"10": (2, 3, 5), "20": (2, 3, 5)} for each in ("nope", "ape")}
    assert model.ratios_of("ape", 15) == (2, 3, 5)
    assert model.ratios_of("reach", 20) == ()
    reach = synthetic_runs("development", lengths=(20,), encodings=("nope", "ape", "reach"))
    wider = fit_odds(reach, setting="drawn", replicates=5)
    assert wider.encodings == ("nope", "ape", "reach")
    assert wider.ratios_of("reach", 20) == (2, 3, 5)
    assert wider.ratios_of("reach", 10) == ()


def test_skill_by_stratum_is_that_of_the_definition() -> None:
    model, runs = _model(), synthetic_runs("held-out", kinds=("drawn", "typed"), lengths=(20,))
    found = {(each.encoding, each.group, each.kind): each for each in stratum_skills(model, runs, samples=5)}
    kept, said, _ = probabilities(model, [cell for cell in cells(runs) if cell.ratio in model.ratios])
    places = {(c.encoding, group_of(c.language), c.language.kind) for c in kept}
    assert set(found) == places
    assert {kind for _, _, kind in places} == {"drawn", "typed"}
    for (encoding, group, kind), score in found.items():
        rows = [
            (p, float(works))
            for cell, p in zip(kept, said.tolist(), strict=True)
            if (cell.encoding, group_of(cell.language), cell.language.kind) == (encoding, group, kind)
            for works in cell.works
        ]
        share = sum(y for _, y in rows) / len(rows)
        brier = sum((p - y) ** 2 for p, y in rows) / len(rows)
        assert (score.runs, score.work) == (len(rows), pytest.approx(share, abs=1e-5))
        assert score.brier == pytest.approx(brier, abs=1e-5)
        base = share * (1 - share)
        if base:
            assert score.skill == pytest.approx(1 - brier / base, abs=1e-4)
        else:
            assert score.skill is None
    with pytest.raises(InputError, match="judged on held-out languages"):
        stratum_skills(model, synthetic_runs("development"))
