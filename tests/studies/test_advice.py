"""What would help, tried: which tasks, what is changed, and what is claimed."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources

import pytest

from longreach.answers.forecast import forecast
from longreach.studies.advice import BUILT_IN, OF_THE_CENSUS, STUDY, claims, curves
from longreach.studies.curves import Curve
from longreach.studies.study import StudyOptions, study_members
from longreach.tasks.catalog import FAMILIES, TASKS
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.curve_samples import measured_curves

VARIANTS = {"addition-no-leading-zeros", "parity-with-empty"}


@pytest.mark.slow
def test_no_built_in_task_without_a_program_is_left_out() -> None:
    sides = {name: forecast(name).sides for name in TASKS if name not in FAMILIES}
    none = {name for name, each in sides.items() if each["nope"].trained is each["ape"].trained is Answer.NO}
    assert none == {*BUILT_IN, *VARIANTS}


def test_the_languages_are_the_shortest_of_the_census() -> None:
    census = resources.files("longreach.studies.census") / "languages.json"
    known = [
        each["task"]
        for each in json.loads(census.read_text())
        if each["part"] == "development" and each["verdict"] == "no/no"
    ]
    assert {*sorted(known, key=len)[:3]} == {*OF_THE_CENSUS}


def test_the_original_differs_in_the_change_alone() -> None:
    found = curves("smoke")
    assert [each.panel for each in found] == ["parity"] * 2 + ["multiplication"] * 3
    original, changed = (each.config for each in found[:2])
    assert (original.encoding, changed.encoding) == ("ape", "coupled-local")
    assert original.max_steps == changed.max_steps
    assert original.train_lengths.last == changed.train_lengths.last == 6
    assert found[0].lengths == found[1].lengths == (6, 12, 18)
    assert len(study_members(STUDY, StudyOptions(scale="smoke"))) == 5


@pytest.mark.slow
def test_claims() -> None:
    def works(curve: Curve, length: int) -> float:
        return 1.0 if "coupled-local" in curve.name else 0.1

    known = curves("laptop")
    found = {each.text.split(":")[0]: each for each in claims("laptop", measured_curves(known, works))}
    assert found["parity"].holds
    assert "as it is with ape 10.0" in found["parity"].detail
    assert found["multiplication"].holds is False
    assert ", +reversed with coupled 10.0" in found["multiplication"].detail
    none = [replace(each, rows=()) for each in measured_curves(known, works)]
    assert {each.holds for each in claims("laptop", none)} == {None}
