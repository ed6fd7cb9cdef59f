"""Tests of `answers.odds`."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from longreach.answers.forecast import forecast
from longreach.answers.odds import (
    FITTED,
    NO_MODEL,
    OTHER_KIND,
    Odds,
    OddsModel,
    TaskOdds,
    fitted_odds,
    odds_words,
    read_odds,
    task_odds,
)
from longreach.answers.odds_features import (
    KNOWN,
    PROGRAM_SIDES,
    SUMMARIES,
    OddsCase,
    language_features,
    odds_features,
    range_at,
)
from longreach.errors import InputError
from longreach.studies.census.draw import bins
from longreach.studies.census.tables import language_table
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.names import TaskName
from longreach.theory.shares.summaries import Summary
from longreach.theory.verdicts.judge import judge
from tests.helpers.odds_samples import MODEL

# Odds as data: what is written is read, what is wrong is refused, intervals hold what they should.


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "odds.json"
    path.write_text(MODEL.text(), encoding="utf-8")
    assert read_odds(path) == MODEL
    assert read_odds(path).text() == MODEL.text()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"features": ["luck"]}, "no feature named 'luck'"),
        ({"coefficients": [1.0]}, "features need as many coefficients"),
        ({"replicates": []}, "may not be empty"),
        ({"more": 1}, "more: Unexpected"),
        ({"version": 2}, "version: expected 1, not 2"),
        ({"constant": "1"}, "constant: expected a number"),
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
    with pytest.raises(InputError, match="no such file"):
        read_odds(tmp_path / "none.json")
    assert (fitted_odds() is None) == (not FITTED.is_file())


def test_an_interval_is_the_middle_of_the_replicates() -> None:
    lines = tuple((each, *(0.0,) * 6) for each in np.linspace(-2, 2, 401).tolist())
    model = replace(MODEL, constant=0.0, coefficients=(0.0,) * 6, replicates=lines)
    found = model.odds([1.0] * 6)
    assert found.probability == 0.5
    assert (found.low, found.high) == pytest.approx((1 / (1 + np.exp(1.9)), 1 / (1 + np.exp(-1.9))))


def test_the_first_number_outside_is_named() -> None:
    assert MODEL.outside({"states": 8.0, "letters": 2.0, "luck": 3.0}) is None
    assert MODEL.outside({"states": 9.0, "letters": 1.0}) == "the census covers 2–8 states, not 9"


def test_comparable_cells_have_the_same_verdict_and_about_as_many_states() -> None:
    found = MODEL.comparable_to("ape", "yes", 3, 3)
    assert found is not None
    assert (found.runs, found.states) == (90, (2, 3))
    assert MODEL.comparable_to("ape", "no", 3, 3) is None


def test_nothing_is_certain_in_words() -> None:
    assert odds_words(Odds(probability=0.999, low=0.2, high=1.0)) == ">99 % (20–>99)"
    assert odds_words(Odds(probability=0.001, low=0.0, high=0.002)) == "<1 %"


# The odds of a task: by the same numbers as in the census, and none where it has nothing alike.


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
    assert row.odds == MODEL.odds([1.0, 0.0, 4.321928094887363, 1.584962500721156, 1.0, 3.0])
    assert row.comparable is not None
    document = found.document()
    assert document is not None
    assert document["rows"][0]["comparable"] == {"languages": 10, "cells": 30, "runs": 90, "work": 45}
    assert document["setting"] == MODEL.setting


def _judged(*, brier: float, skill: float | None) -> OddsModel:
    """The model, with other skills of learned positions."""
    given = {"brier": brier, "skill": skill}
    return replace(
        MODEL,
        skills=tuple(replace(each, **given) if each.encoding == "ape" else each for each in MODEL.skills),
    )


def test_odds_are_shown_only_where_they_were_right_on_held_out_languages() -> None:
    task = forecast("regex:(a|b)*bb(a|b)*")
    bad = task_odds(task.task, task.sides, trained_to=[20], model=_judged(brier=0.24, skill=-0.1))
    assert {row.encoding for row in bad.rows} == {"nope"}
    (reason,) = bad.withheld
    assert reason == (
        "APE: on held-out languages like this one (no/yes) they say no more than that 50 % of runs work "
        "(Brier score 0.24)"
    )
    assert bad.basis(bad.rows, {}).endswith(f"no odds for {reason}")
    document = bad.document()
    assert document is not None
    assert document["withheld"] == [reason]
    for model in (_judged(brier=0.2, skill=0.1), _judged(brier=0.01, skill=None)):
        good = task_odds(task.task, task.sides, trained_to=[20], model=model)
        assert ({row.encoding for row in good.rows}, good.withheld) == ({"nope", "ape"}, ())
    none = task_odds(task.task, task.sides, trained_to=[20], model=replace(MODEL, skills=()))
    assert not none.rows
    assert none.reason is not None
    assert none.reason.startswith("NoPE: the odds were not judged on held-out languages like this one; APE: ")


def test_expressions_as_people_type_them_judge_first() -> None:
    (drawn,) = [each for each in MODEL.skills if (each.encoding, each.group) == ("ape", "no/yes")]
    typed = replace(drawn, kind="typed", brier=0.3, skill=-0.2)
    model = replace(MODEL, skills=(*MODEL.skills, typed))
    assert model.skill_of("ape", "no/yes") == typed
    assert model.silence("ape", "no/yes") is not None
    assert model.silence("ape", "yes/yes") is None


@pytest.mark.parametrize(
    ("name", "trained_to", "reason"),
    [
        ("sort", 20, OTHER_KIND),
        ("parity", 20, OTHER_KIND),
        ("crasp:lib:contains-bb", 20, OTHER_KIND),
        ("aa", 20, "the census covers 2–3 letters, not 1"),
        ("d-12", 20, "the census covers 2–8 states, not 14"),
        ("tomita-4", 5, "the census covers training to 10–50, not 5"),
        ("tomita-4", 100, "the census covers training to 10–50, not 100"),
        ("regex:a(b|ba)?", 20, "no word has 21 to 40 letters"),
        (
            "regex:(ab)*",
            20,
            "the census covers a share of 0–0.9 right by position alone, not 1",
        ),
    ],
)
def test_outside_the_census_there_are_none(name: str, trained_to: int, reason: str) -> None:
    found = _odds(name, trained_to)
    assert (found.rows, found.reason, found.document()) == ((), reason, None)


def test_without_a_model_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.answers.odds.fitted_odds", lambda: None)
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
    facts = list(language_table().values())[place]
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

        patch.setattr("longreach.answers.odds.odds_features", spy)
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


# The numbers of a language: those of the commands and of brute force


@pytest.mark.parametrize("name", ["tomita-4", "tomita-3", "d-3", "aa"])
def test_sides_are_what_the_language_command_says(name: str) -> None:
    automaton = named_automaton(name)
    found = language_features(automaton, 20, [LengthRange(21, 40)], summaries=[])
    document = judge(automaton).document(name)
    assert (found.states, found.letters) == (document["states"], len(document["alphabet"]))
    for side in PROGRAM_SIDES:
        features = found.sides[side]
        told = document[side]
        assert features.verdict == told["prediction"]
        assert (features.size is not None) == (features.verdict == "yes")
        for number in ("window", "modulus", "depth"):
            assert getattr(features, number) == told.get(f"prediction_{number}")


def test_a_range_is_what_a_test_draws() -> None:
    """Determinacy of a window as the accuracy of a table, learned from all words of training lengths."""
    automaton, summary = from_expression("(a|bb)*"), Summary(window=4)
    task = RegularLanguage("mine", automaton)
    table: dict[object, set[str]] = {}
    for length in range(9):
        for word in product("ab", repeat=length):
            if automaton.accepts(word):
                for place, label in enumerate(task.answer(word)):
                    table.setdefault(summary.value(word[:place]), set()).add(label)
    rng = np.random.default_rng(0)
    known = task.lengths(9, 16)
    lengths = known[rng.integers(0, len(known), 6000)]
    batch = task.sample(lengths, rng)
    right = 0
    for row, length in zip(batch.tokens.tolist(), lengths.tolist(), strict=True):
        word = task.decode(row[1 : length + 1])
        answers = enumerate(task.answer(word))
        right += all(table.get(summary.value(word[:place])) == {label} for place, label in answers)
    found = language_features(automaton, 8, [LengthRange(9, 16)], summaries=[summary])
    share = found.ranges[0].determined[0].from_training
    assert share == pytest.approx(right / 6000, abs=4 * 0.5 / 6000**0.5)
    assert 0.1 < share < 0.9


def test_ranges_without_words_are_left_out() -> None:
    found = language_features(from_expression("(aaa)*"), 3, [LengthRange(1, 3), LengthRange(4, 5)])
    assert [each.lengths.name for each in found.ranges] == ["1-3"]
    assert [each.summary for each in found.ranges[0].determined] == list(SUMMARIES)
    assert found.sides["ape"].verdict == "yes"
