"""Odds as data: what is written is read, what is wrong is refused, intervals hold what they should."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.forecast.odds_model import FITTED, Odds, fitted_odds, odds_words, read_odds
from tests.helpers.odds_samples import MODEL


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "odds.json"
    path.write_text(MODEL.text(), encoding="utf-8")
    assert read_odds(path) == MODEL
    assert read_odds(path).text() == MODEL.text()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"features": ["luck"]}, "no feature is named 'luck'"),
        ({"coefficients": [1.0]}, "features need as many coefficients"),
        ({"replicates": []}, "may not be empty"),
        ({"more": 1}, "more: Unexpected"),
        ({"version": 2}, "version: Input should be 1"),
        ({"constant": "1"}, "constant: Input should be a valid number"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    path = tmp_path / "odds.json"
    path.write_text(json.dumps({**json.loads(MODEL.text()), **changes}))
    with pytest.raises(InputError, match=reason) as caught:
        read_odds(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert "\n" not in caught.value.message


def test_no_file_is_no_odds(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_odds(tmp_path / "none.json")
    assert (fitted_odds() is None) == (not FITTED.is_file())


def test_an_interval_is_the_middle_of_the_replicates() -> None:
    lines = tuple((each, 0.0, 0.0, 0.0, 0.0, 0.0) for each in np.linspace(-2, 2, 401).tolist())
    model = replace(MODEL, constant=0.0, coefficients=(0.0,) * 5, replicates=lines)
    found = model.odds([1.0] * 5)
    assert found.probability == 0.5
    assert (found.low, found.high) == pytest.approx((1 / (1 + np.exp(1.9)), 1 / (1 + np.exp(-1.9))))


def test_the_first_number_outside_is_named() -> None:
    assert MODEL.outside({"states": 8.0, "letters": 2.0, "luck": 3.0}) is None
    assert MODEL.outside({"states": 9.0, "letters": 1.0}) == "states: 9 here, 2 to 8 in the census"


def test_comparable_cells_have_the_same_verdict_and_about_as_many_states() -> None:
    found = MODEL.comparable_to("ape", "yes", 3, 3)
    assert found is not None
    assert (found.runs, found.states) == (90, (2, 3))
    assert MODEL.comparable_to("ape", "no", 3, 3) is None


def test_nothing_is_certain_in_words() -> None:
    assert odds_words(Odds(probability=0.999, low=0.2, high=1.0)) == "over 99 % (20–over 99)"
    assert odds_words(Odds(probability=0.001, low=0.0, high=0.002)) == "under 1 %"
