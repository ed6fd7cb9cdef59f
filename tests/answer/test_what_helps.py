from __future__ import annotations

from pathlib import Path

import pytest

from longreach.answer.what_helps import advice
from longreach.forecast import forecast
from tests.helpers.asked_results import asked


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        ("regex:(aa)*", ["learned positions (APE) instead of none", "periodic positions"]),
        ("regex:(a|b)*bb(a|b)*", ["learned positions (APE) instead of none", "positions that single out"]),
        ("binary-majority", []),
        ("parity", []),
    ],
)
def test_the_encoding_under_which_it_is_a_yes(task: str, changes: list[str]) -> None:
    found = advice(forecast(task), (), None, {}, ("nope", "ape"))
    assert len(found) == len(changes)
    for each, change in zip(found, changes, strict=True):
        assert each.change.startswith(change)
        assert each.measured is None


def test_what_was_measured_stands_beside_it(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 2}).advice
    first = found[0]
    assert first.measured is not None
    assert "0 of 3 runs work" in first.measured
    assert "2 of 3 runs work" in first.measured
    assert any(each.change == "training to 8 or more" for each in found)
    assert any("several seeds" in each.change for each in found)


def test_runs_that_contradict_say_what_to_try(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 0}).advice
    assert any("train on longer inputs" in each.change for each in found)
