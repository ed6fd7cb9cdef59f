"""The side `reach`: its answers, what it needs, and what verify derives of it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from longreach.answers.derive import Checked, check_statement
from longreach.answers.forecast import forecast
from longreach.answers.reach import language_reach
from longreach.answers.verify import own_subject, read_statements
from longreach.theory.architectures.check import check_architecture
from longreach.theory.architectures.classes import AC0
from longreach.theory.architectures.groups import Groups
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import OverBudget
from longreach.theory.certificates.check_no import Status
from longreach.theory.program_class import CLASSES, ENCODING_SIDES, PROGRAM_SIDES, SIDES
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import NOT_FOUND, PROVED, Answer
from tests.helpers.small_automata import small_automata


def checked(document: dict[str, Any]) -> list[Checked]:
    """What verify finds for the side."""
    (statement,) = read_statements(json.dumps(document), "file")
    found = check_statement(statement, own_subject(statement))
    return [each for each in found if each.place.startswith("reach")]


def test_the_classes_of_sides() -> None:
    assert {**SIDES, "reach": AC0.title} == CLASSES
    assert set(ENCODING_SIDES) == set(CLASSES) - {"local"}
    assert set(PROGRAM_SIDES) == set(ENCODING_SIDES) & set(SIDES)


EXPECTED = {
    "aa": ("yes", 2, 1),
    "012-0-2": ("yes", 1, 1),
    "tomita-1": ("yes", 1, 0),
    "regex:(a|bb)*": ("yes", 2, 1),
    "parity": ("no", None, None),
    "tomita-5": ("no", None, None),
    "word-problem:group=A5": ("no", None, None),
    "states:(a|b)*ab": ("yes", 1, 1),
    "sort": ("undecided", None, None),
    "copy-repeat": ("undecided", None, None),
}


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items())
def test_what_is_expected_and_what_it_needs(name: str, expected: tuple[str, int | None, int | None]) -> None:
    found = forecast(name)
    side, document = found.sides["reach"], found.document()
    answer, modulus, levels = expected
    assert side.trained.value == answer
    assert levels == (None if side.cascade is None else side.cascade.layers)
    assert found.expected("reach") is side.trained
    assert document["trained"]["reach"] == answer
    said = document["reach"]
    assert said["class"] == AC0.title
    own = "prediction_" if side.predicts else ""
    assert (said.get(f"{own}modulus"), said.get(f"{own}levels")) == (modulus, levels)
    assert all(each.finding.valid for each in checked(document))
    assert side.basis == ("not known" if answer == "undecided" else PROVED)


def test_programs_of_regular_languages_are_in_the_class() -> None:
    """A yes with learned positions is one here (Yang, Chiang and Angluin, arXiv 2310.13897)."""
    automata = [each for each in small_automata(3, "ab") if each.accepting]
    for automaton in random.Random(0).sample(automata, 60):
        known, side = judge(automaton), language_reach(automaton)
        assert side.answer is side.prediction.answer
        if Answer.YES in (known.ape.answer, known.ape.prediction.answer):
            assert side.answer is Answer.YES
        for ruling in (side.membership, side.prediction):
            assert check_architecture(ruling.proof.certificate).valid  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "side"), [("sort", "nope"), ("copy-unique", "ape")])
def test_where_no_automaton_answers_the_side_says_what_is_known(name: str, side: str) -> None:
    found = forecast(name)
    assert found.sides["reach"].clause.endswith(f"{found.sides[side].trained.expectation}")
    assert found.document()["reach"]["certificate"]["kind"] == "none"
    assert checked(found.document()) == []


def test_a_decision_needs_no_cascade(monkeypatch: pytest.MonkeyPatch) -> None:
    def spent(self: Any) -> None:
        raise OverBudget("spent")

    monkeypatch.setattr(Groups, "cascade", spent)
    side = language_reach(from_expression("(a|bb)*"), trained=True)
    assert (side.answer, side.cascade, side.basis) == (Answer.YES, None, NOT_FOUND)
    document = judge(from_expression("(a|bb)*")).document("regex:(a|bb)*", beside={"reach": side})
    (found,) = checked(document)
    assert found.finding.status is Status.CLAIMED
    monkeypatch.setattr(Groups, "stable_group", spent)
    assert language_reach(from_expression("(a|bb)*")).answer is Answer.UNDECIDED


def test_without_certificates_nothing_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Groups, "cascade", lambda self: pytest.fail("a cascade was sought"))
    found = language_reach(from_expression("(aa)*")).document(certificates=False)
    assert found["verdict"] == "yes"
    assert not found.keys() & {"levels", "modulus", "prediction_levels", "certificate"}


def test_a_certificate_stays_on_its_side() -> None:
    document = forecast("aa").document()
    cascade = document["reach"]["certificate"]
    document["nope"] |= {"verdict": "yes", "certificate": cascade, "prediction": "yes"}
    (statement,) = read_statements(json.dumps(document), "file")
    found = {each.place: each.finding for each in check_statement(statement, own_subject(statement))}
    assert found["nope"].status is Status.INVALID
    document = forecast("aa").document()
    document["reach"]["certificate"] = document["ape"]["certificate"]
    assert checked(document)[0].finding.status is Status.INVALID


def test_a_cascade_for_what_may_follow_says_nothing_of_membership_or_of_models() -> None:
    document = forecast("regex:(a|bb)*", model="decoder", model_options={"encoding": "reach"}).document()
    predicting, accepting = (document["reach"][f"{name}certificate"] for name in ("prediction_", ""))
    assert document["model"]["certificate"] == predicting
    document["reach"]["certificate"] = predicting
    assert checked(document)[0].finding.status is not Status.VALID
    document["model"]["certificate"] = accepting
    (statement,) = read_statements(json.dumps(document), "file")
    model = next(e for e in check_statement(statement, own_subject(statement)) if e.place == "model")
    assert model.finding.status is not Status.VALID


def test_options_of_heads_count() -> None:
    """A cascade may use a larger clock than is needed, for fewer levels."""
    found = forecast("regex:(cbc)*(c((a|c)(aa*b)*c?)?)?")
    cascade = found.sides["reach"].cascade
    assert cascade is not None
    assert cascade.modulus == 3
    names = {"reach(modulus=1)": "yes", "reach(modulus=3)": "yes", "reach(counting=1)": "yes"}
    assert {name: answer.value for name in names if (answer := found.expected(name))} == names


def test_the_screen_names_levels() -> None:
    clause = forecast("tomita-3").sides["reach"].clause
    assert clause == "what came last and the position modulo 2 determine what may follow (2 levels)"


def test_more_levels_than_the_usual_model_has_layers_are_said() -> None:
    clause = forecast("regex:(a|b)*abbab(a|b)*").sides["reach"].clause
    levels = "(needs 5 levels, the usual model has 2 layers)"
    assert clause == f"what came last determines what may follow {levels}"
