"""Tests of `answers.verdicts`."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.answers.derive import check_statement
from longreach.answers.forecast import forecast
from longreach.answers.reach import language_reach
from longreach.answers.structured import state_sides
from longreach.answers.verify import own_subject, read_statements
from longreach.tasks.regular import StateTask
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, labelled
from longreach.theory.automata.files import write_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.evaluate import predictions
from longreach.theory.crasp.words import encode
from longreach.theory.names import AUTOMATON
from longreach.theory.program_class import CLASSES
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.boolean_operations import WORDS, matching, operations, operations_after
from tests.helpers.language_oracles import all_minimal, automata, live, plain_membership, predictable, words

# Answer classes: verdicts against those of each class; certificates against the checks of documents.


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
        each.place: each.finding.status.value for each in check_statement(statement, own_subject(statement))
    }


@settings(deadline=None, max_examples=25)
@given(machines())
def test_yes_exactly_where_every_class_is_yes(machine: LabelledAutomaton) -> None:
    name = AUTOMATON + write_automaton(machine)
    found = forecast(name)
    classes = [machine.language(label) for label in machine.classes]
    known = [{**judge(each).sides, "reach": language_reach(each)} for each in classes]
    assert set(found.sides) == set(CLASSES)
    for key, side in found.sides.items():
        answers = {sides[key].answer.value for sides in known}
        assert side.answer.value == (
            "no" if "no" in answers else "yes" if answers == {"yes"} else "undecided"
        )
    statuses = _statuses(found.document())
    assert statuses == dict.fromkeys(CLASSES, "valid")


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
    assert document["reach"]["certificate"]["kind"] == "stable-group"
    assert _statuses(document) == {"nope": "valid", "ape": "invalid", "local": "valid", "reach": "valid"}
    document["reach"]["certificate"]["steady"] = ["b", "b"]
    assert _statuses(document)["reach"] == "invalid"


# Forecasts of state prediction: against the criterion read literally, brute force, and programs that run.


SMALL = [automaton for states in (1, 2, 3) for automaton in all_minimal(states) if automaton.accepting]


def task_of(automaton: Automaton, after: bool) -> StateTask:
    return StateTask("mine", automaton, after=after)


def literal(automaton: Automaton, after: bool) -> bool:
    """Without relations: which states must not look alike, read off the definitions."""
    return plain_membership(automaton)[1] if after else predictable(automaton)


@pytest.mark.parametrize("after", [False, True])
def test_the_criterion_on_small_automata(after) -> None:
    found = [state_sides(task_of(each, after), "mine")["nope"].answer is Answer.YES for each in SMALL[::12]]
    assert found == [literal(each, after) for each in SMALL[::12]]
    assert 5 < sum(found) < len(found) - 5


@pytest.mark.parametrize("after", [False, True])
def test_small_programs_say_the_states_exactly_where_the_verdict_is_yes(after) -> None:
    """Brute force: for every state some operation has its value after all prefixes, or for one none has."""
    tables = operations_after() if after else operations()
    tried = yes = 0
    for automaton in SMALL:
        if len(automaton) != 3 or len(live(automaton)) != 2:
            continue
        where, labels = labelled_states_to_verdicts(automaton)
        expected = literal(automaton, after)
        assert all(matching(tables, label, where) for label in labels) == expected, automaton
        tried, yes = tried + 1, yes + expected
    assert tried > 40
    assert 10 < yes < tried - 10


def labelled_states_to_verdicts(automaton: Automaton) -> tuple[np.ndarray, list[np.ndarray]]:
    """Which beginnings of words over two letters are prefixes of the language, and where each state is."""
    states = np.zeros((len(WORDS), len(WORDS[0])), dtype=int)
    state = np.zeros(len(WORDS), dtype=int)
    for place in range(len(WORDS[0])):
        letter = np.array([automaton.letter_index[word[place]] for word in WORDS])
        state = states[:, place] = automaton.table[state, letter]
    alive = sorted(live(automaton))
    return np.isin(states, alive), [states == q for q in alive]


@settings(deadline=None, max_examples=40)
@given(automata(states=5))
def test_random_automata(automaton) -> None:
    if not automaton.accepting:
        return
    language = judge(automaton)
    for after in (False, True):
        task = task_of(automaton, after)
        sides = state_sides(task, "mine")
        assert (sides["nope"].answer is Answer.YES) == literal(automaton, after)
        assert sides["nope"].at_end.answer == language.nope.at_end.answer
        for key in ("ape", "local"):  # a program that looks back sees the letter before SEP
            assert sides[key].answer is language.sides[key].prediction.answer
        for key in ("nope", "ape"):
            program = sides[key].program
            if program is not None:
                assert says_the_states(program, task)


def says_the_states(program, task: StateTask) -> bool:
    """By definition, after every prefix of a word of the language."""
    alive = live(task.language)
    inside = [word for word in words(task.letters, 6) if word and task.language.run(word) in alive]
    said = predictions(program.core, [encode(program.core, list(task.read(word))) for word in inside])
    return all(each[-1] == [f"q{task.language.run(word)}"] for word, each in zip(inside, said, strict=True))


@pytest.mark.parametrize(
    ("expression", "at", "after", "ape", "reach"),
    [
        ("(c|b(a)*)*", "yes", "no", "yes", "yes"),  # the last letter decides
        ("(a(ab)*b)*", "yes", "yes", "yes", "yes"),
        ("(aa)*", "no", "no", "yes", "yes"),
        ("b*(ab*ab*)*", "no", "no", "no", "no"),
        ("acabcc(c)*", "yes", "yes", "yes", "yes"),
        ("(a|b|c)*ac*", "no", "no", "no", "yes"),  # the last of two letters, however long ago
    ],
)
def test_languages(expression, at, after, ape, reach) -> None:
    for prefix, right in (("states:", at), ("states-after:", after)):
        found = forecast(prefix + expression)
        assert (found.nope.answer.value, found.ape.answer.value) == (right, ape)
        assert found.sides["reach"].answer.value == reach
        assert found.sides["reach"].certificate.kind == {"yes": "cascade", "no": "stable-group"}[reach]
        document = json.dumps(found.document())
        statement = read_statements(document, "mine.json")[0]
        found_sides = check_statement(statement, own_subject(statement))
        assert {each.place for each in found_sides} == set(CLASSES)
        assert all(each.finding.valid for each in found_sides), found_sides


def test_a_program_that_says_another_state_is_found() -> None:
    document = forecast("states:(ab)*").document()
    program = document["nope"]["certificate"]["program"]
    assert program.count('output "q1"') == 1
    swapped = program.replace('"q0"', '"Q"').replace('"q1"', '"q0"').replace('"Q"', '"q1"')
    document["nope"]["certificate"]["program"] = swapped
    statement = read_statements(json.dumps(document), "mine.json")[0]
    found = {each.place: each.finding for each in check_statement(statement, own_subject(statement))}
    assert not found["nope"].valid


def test_a_flow_about_membership_alone_is_not_enough() -> None:
    """(a|ba)*b? has no program for membership, and one for the states on its words."""
    language = judge(from_expression("(a|ba)*b?")).nope
    assert (language.answer, language.prediction.answer) == ("no", "yes")
    document = forecast("states:(a|ba)*b?").document()
    assert document["nope"]["verdict"] == "yes"
    flow = language.certificate.model_dump(mode="json", by_alias=True)
    side = {"verdict": "no", "class": "C-RASP[∅]", "certificate": flow}
    kept = {key: value for key, value in document.items() if key not in ("ape", "local", "reach", "trained")}
    statement = read_statements(json.dumps(kept | {"nope": side}), "mine.json")[0]
    (checked,) = check_statement(statement, own_subject(statement))
    assert checked.finding.problem == "verdict: no certificate proves 'no'"


def test_what_programs_say_in_plain_words() -> None:
    found = forecast("states-after:(a|b)*b")
    assert found.predict("ab") == ("q1",)
    assert found.nope.proof.clause == 'counts alone cannot tell whether a long word ends in one more "a"'
    assert found.document()["states"] == 2
    assert "the state" in (forecast("states:(ab|bba)*").ape.proof.clause or "")
