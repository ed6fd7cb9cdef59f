"""The odds of a task: by the same numbers as in the census, and none where it has nothing alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longreach.config.task_name import TaskName
from longreach.forecast import forecast
from longreach.forecast.odds_features import KNOWN, OddsCase, odds_features, range_at
from longreach.forecast.odds_of_task import NO_MODEL, OTHER_KIND, TaskOdds, task_odds
from longreach.studies.census.census_run import bins
from tests.helpers.census_samples import census_languages
from tests.helpers.odds_samples import MODEL


def _odds(name: str, trained_to: int = 20) -> TaskOdds:
    found = forecast(name)
    return task_odds(found.task, found.sides, trained_to=[trained_to], model=MODEL)


def test_tested_ranges_are_those_of_the_census() -> None:
    for trained_to in (10, 50):
        assert {ratio: range_at(trained_to, ratio) for ratio in (1, 2, 3, 5)} == bins(trained_to)


def test_rows_are_what_the_model_says() -> None:
    found = _odds("regex:(a|b)*bb(a|b)*")
    assert [(row.encoding, row.tested.name) for row in found.rows][:3] == [
        ("nope", "21-40"),
        ("nope", "41-60"),
        ("nope", "81-100"),
    ]
    row = found.at(3)["ape"]
    assert row.odds == MODEL.odds([1.0, 4.321928094887363, 1.584962500721156, 1.0, 3.0])
    assert row.comparable is not None
    document = found.document()
    assert document is not None
    assert document["rows"][0]["comparable"] == {"languages": 10, "cells": 30, "runs": 90, "work": 45}
    assert document["setting"] == MODEL.setting


@pytest.mark.parametrize(
    ("name", "trained_to", "reason"),
    [
        ("sort", 20, OTHER_KIND),
        ("parity", 20, OTHER_KIND),
        ("crasp:lib:contains-bb", 20, OTHER_KIND),
        ("aa", 20, "letters: 1 here, 2 to 3 in the census"),
        ("d-12", 20, "states: 14 here, 2 to 8 in the census"),
        ("tomita-4", 5, "training length: 5 here, 10 to 50 in the census"),
        ("tomita-4", 100, "training length: 100 here, 10 to 50 in the census"),
        ("regex:a(b|ba)?", 20, "no word has 21 to 40 letters"),
        ("regex:(ab)*", 20, "chance: 1 here, 0 to 0.9 in the census"),
    ],
)
def test_outside_the_census_there_are_none(name: str, trained_to: int, reason: str) -> None:
    found = _odds(name, trained_to)
    assert (found.rows, found.reason, found.document()) == ((), reason, None)


def test_without_a_model_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.forecast.odds_of_task.fitted_odds", lambda: None)
    answer = forecast("tomita-4")
    assert answer.odds().reason == NO_MODEL
    document = answer.document()
    assert (document["odds"], document["odds_note"]) == (None, NO_MODEL)


def test_lengths_that_are_not_covered_are_left_out() -> None:
    found = forecast("tomita-4")
    narrow = replace(MODEL, ranges={**MODEL.ranges, "training length": (10.0, 20.0)})
    rows = task_odds(found.task, found.sides, model=narrow).rows
    assert {row.trained_to for row in rows} == {10, 20}


@pytest.mark.parametrize("place", [3, 77])
def test_features_are_those_of_the_table(place: int) -> None:
    """A language of the census, asked for by its name, gets the numbers that odds were fitted on."""
    facts = list(census_languages().values())[place]
    names = tuple(KNOWN)
    seen: list[list[float | None]] = []
    model = replace(
        MODEL,
        features=names,
        coefficients=(0.0,) * len(names),
        replicates=((0.0,) * (1 + len(names)),),
    )
    answer = forecast(facts.task)
    with pytest.MonkeyPatch.context() as patch:

        def spy(case: OddsCase, wanted: tuple[str, ...]) -> list[float | None]:
            seen.append(odds_features(case, wanted))
            return seen[-1]

        patch.setattr("longreach.forecast.odds_of_task.odds_features", spy)
        found = task_odds(answer.task, answer.sides, trained_to=[10], model=model)
    assert found.reason is None
    assert TaskName(facts.task).is_regex
    cases = [
        OddsCase(features=facts.features(10), encoding=encoding, ratio=ratio)
        for encoding in model.encodings
        for ratio in model.ratios
    ]
    for row, case in zip(seen, cases, strict=True):
        assert row == pytest.approx(odds_features(case, names), abs=1e-4)
