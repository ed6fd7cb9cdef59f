"""Answer classes: verdicts against those of each class; certificates against the checks of documents."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.config.task_name import AUTOMATON
from longreach.forecast.claims import read_statements
from longreach.forecast.task_forecast import forecast
from longreach.forecast.verification import check_claims, own_subject
from longreach.languages.regular.automaton_documents import write_automaton
from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.verdicts.automaton_to_verdicts import judge


@st.composite
def machines(draw: st.DrawFn) -> LabelledAutomaton:
    states = draw(st.integers(2, 4))
    row = st.lists(st.integers(0, states - 1), min_size=2, max_size=2)
    rows = draw(st.lists(row, min_size=states, max_size=states))
    outputs = draw(st.lists(st.sampled_from("xyz"), min_size=states, max_size=states))
    return labelled("ab", rows, 0, outputs)


def _statuses(document: dict[str, object]) -> dict[str, str]:
    (statement,) = read_statements(json.dumps(document), "mine.json")
    return {
        claim.place: finding.status.value
        for claim, finding in check_claims(statement, own_subject(statement))
    }


@settings(deadline=None, max_examples=25)
@given(machines())
def test_yes_exactly_where_every_class_is_yes(machine: LabelledAutomaton) -> None:
    name = AUTOMATON + write_automaton(machine)
    found = forecast(name)
    for key, side in found.sides.items():
        answers = {judge(machine.language(label)).sides[key].answer.value for label in machine.classes}
        assert side.answer.value == (
            "no" if "no" in answers else "yes" if answers == {"yes"} else "undecided"
        )
    statuses = _statuses(found.document())
    assert statuses
    assert set(statuses.values()) == {"valid"}


@settings(deadline=None, max_examples=25)
@given(machines())
def test_the_program_says_the_class_of_every_word(machine: LabelledAutomaton) -> None:
    for side in forecast(AUTOMATON + write_automaton(machine)).sides.values():
        if side.program is not None:
            for word in product("ab", repeat=7):
                said = side.program.predicts(word)
                assert said == [[machine.class_of(word[: end + 1])] for end in range(7)]


MOD3 = labelled("ab", [[1, 0], [2, 1], [0, 2]], 0, ["zero", "one", "two"])


def test_a_no_names_the_class() -> None:
    side = forecast(AUTOMATON + write_automaton(MOD3)).sides["ape"]
    assert side.reason.startswith("the class 'zero' is out of reach")
    document = side.certificate.model_dump(mode="json", by_alias=True)
    assert document["kind"] == "reduction"
    assert document["reduction"]["token"] == "zero"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"token": "one"}, "invalid"),
        ({"letters": {"a": "b", "b": "a"}}, "invalid"),
        ({"letters": {"a": ["a", "b"], "b": "b"}}, "invalid"),
        ({"letters": {"a": ["a", "b"], "b": ["b", "b"]}}, "valid"),
        ({"letters": {"a": [], "b": "b"}}, "invalid"),
        ({"after": ["b"]}, "valid"),
        ({"after": ["a"]}, "invalid"),
    ],
)
def test_changed_reductions(change: dict[str, object], status: str) -> None:
    name = AUTOMATON + write_automaton(MOD3)
    document = forecast(name).document()
    document["ape"]["certificate"]["reduction"] |= change
    assert _statuses(document)["ape"] == status


def test_positions_modulo_a_number_need_letters_of_one_size() -> None:
    name = AUTOMATON + write_automaton(MOD3)
    document = forecast(name).document()
    for key in ("nope", "ape", "local"):
        document[key]["certificate"]["reduction"]["letters"] = {"a": ["a", "b"], "b": "b"}
    assert _statuses(document) == {"nope": "valid", "ape": "invalid", "local": "valid"}
