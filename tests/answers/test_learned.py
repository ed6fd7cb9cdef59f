"""Tests of `answers.learned`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.answers.learned import (
    found_verdict,
    learned_answer_sides,
    learned_language_sides,
    library_program,
    synthesized_program,
    written,
)
from longreach.tasks.catalog import load_task
from longreach.tasks.layouts import UNDEFINED
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import LabelledAutomaton, labelled
from longreach.theory.automata.learn import LearnedAutomaton
from longreach.theory.budget import Budget
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, Verdict
from tests.helpers.anonymous_tasks import anonymous

# Programs of the library for tasks that nobody can see into.


@pytest.mark.parametrize(
    ("name", "program"),
    [("binary-majority", "binary-majority"), ("count", "count-unary"), ("parity", None)],
)
def test_the_program_that_is_right_is_found(name: str, program: str | None) -> None:
    found = library_program(anonymous(load_task(name)), left=lambda: 1.0)
    assert (found.source if found else None) == (f"program {program} of the library" if program else None)


def test_relations_decide_for_which_side_it_counts() -> None:
    found = library_program(anonymous(load_task("binary-majority-interleave")), left=lambda: 1.0)
    assert found is not None
    assert found_verdict(found, name="mine", key="nope") is None
    verdict = found_verdict(found, name="mine", key="ape")
    assert verdict is not None
    assert verdict.checked_to == found.longest == 60
    assert verdict.program is not None


def test_membership_is_said_by_an_acceptor_and_nothing_else() -> None:
    majority = Task.from_predicate(lambda word: 2 * word.count("1") >= len(word), "01")
    found = library_program(majority, left=lambda: 1.0)
    assert found is not None
    assert not found.program.core.is_predictor
    other = Task.from_predicate(lambda word: 3 * word.count("1") >= len(word), "01")
    assert library_program(other, left=lambda: 1.0) is None
    assert library_program(majority, left=lambda: -1.0) is None


def test_a_rare_language_is_not_taken_for_another_rare_one() -> None:
    def other(word: tuple[str, ...]) -> bool:
        n = len(word) // 4
        return word == ("a",) * n + ("b",) * 2 * n + ("c",) * n

    assert library_program(Task.from_predicate(other, "abc"), left=lambda: 1.0) is None
    assert library_program(Task.from_predicate(lambda word: False, "ab"), left=lambda: 1.0) is None


# Verdicts of learned automata. The oracle: what is decided of the language itself, by another way.


def _machines(classes: list[str]) -> st.SearchStrategy[LabelledAutomaton]:
    row = st.lists(st.integers(0, 3), min_size=2, max_size=2)
    rows = st.lists(row, min_size=4, max_size=4)
    outputs = st.lists(st.sampled_from(classes), min_size=4, max_size=4)
    return st.builds(lambda rows, outputs: labelled("ab", rows, 0, outputs), rows, outputs)


def _learned(machine: LabelledAutomaton) -> LearnedAutomaton:
    return LearnedAutomaton(machine=machine, length=9, exhaustive=3, exact_states=5, asked=10)


def _sides(learned: LearnedAutomaton, keys: list[str], **given: bool) -> dict[str, Verdict]:
    return learned_answer_sides(learned, name="mine", keys=keys, budget=Budget(), **given)


@given(_machines(["x", "y z", UNDEFINED]))
@settings(max_examples=40, deadline=None)
def test_what_is_written_is_the_input_and_its_class(machine: LabelledAutomaton) -> None:
    automaton = written(machine)
    for size in range(4):
        for x in product("ab", repeat=size):
            for y in ("x", "y z", "y", "x x", ""):
                if set(y.split()) <= set(automaton.alphabet):
                    said = automaton.accepts(("SOS", *x, "SEP", *y.split()))
                    assert said == (machine.class_of(x) == y)
            assert not automaton.accepts(("SOS", *x))


@given(_machines(["in", "out"]))
@settings(max_examples=25, deadline=None)
def test_an_answer_after_the_input_is_membership_read_after_the_last_letter(
    machine: LabelledAutomaton,
) -> None:
    found = _sides(_learned(machine), ["nope", "ape"], every_word=True, first_token=False)
    if len(machine.classes) == 1:
        assert found["nope"].answer is Answer.YES
        return
    known = judge(machine.language("in"))
    assert found["nope"].answer is known.nope.at_end.answer
    assert found["ape"].answer is known.ape.answer


def test_only_a_yes_counts_on_some_words_and_only_a_no_of_the_first_token() -> None:
    odd = _learned(labelled("ab", [[1, 0], [0, 1]], 0, ["even", "odd"]))
    has_a = _learned(labelled("ab", [[1, 0], [1, 1]], 0, ["no", "yes"]))
    for learned, answer in ((odd, Answer.NO), (has_a, Answer.YES)):
        for every_word, first_token in product([False, True], repeat=2):
            found = _sides(learned, ["nope"], every_word=every_word, first_token=first_token)
            counts = answer is Answer.NO if first_token else every_word or answer is Answer.YES
            assert set(found) == ({"nope"} if counts else set())
            assert all(verdict.answer is answer for verdict in found.values())


def test_the_certificates_say_to_which_length() -> None:
    even = _learned(labelled("a", [[1], [0]], 0, ["in", "out"]))
    found = learned_language_sides(even, "in", name="mine", predicts=True, budget=Budget())
    assert [found[key].certificate.kind for key in ("nope", "ape")] == ["learned-flow", "learned-program"]
    document = found["nope"].document()
    assert document["checked_to"] == document["certificate"]["learned_to"] == 9
    assert found["nope"].trained_proof.basis == "automaton with 2 states, learned to length 9"


# Programs that are searched for, from nothing but answers.


Word = tuple[str, ...]


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def _more(x: Word) -> bool:
    return x.count("a") > x.count("b")


def _inputs(task: Task) -> dict[Word, Word]:
    return {x: task.answer(x) for size in range(1, 6) for x in product("ab", repeat=size)}


def test_a_function_with_two_answers() -> None:
    task = Task.from_function(_word, _more)
    found = synthesized_program(task, "nope", _inputs(task), left=lambda: 10.0)
    assert found is not None
    core = found.program.core
    assert core.is_predictor
    assert core.relations == ()
    assert found.longest == 60
    assert {token for token, _ in core.outputs} == {"yes", "no", "EOS"}


def test_a_predicate() -> None:
    found = synthesized_program(Task.from_predicate(_more, "ab"), "nope", {}, left=lambda: 10.0)
    assert found is not None
    assert not found.program.core.is_predictor
    assert found.program.accepts("aab")
    assert not found.program.accepts("ab")


@pytest.mark.parametrize("answer", [lambda x: x, lambda x: (x[0], x[0]), lambda x: x.count("a") * 10])
def test_answers_that_are_long_or_many_are_left_alone(answer: object) -> None:
    task = Task.from_function(_word, answer)  # type: ignore[arg-type]
    assert synthesized_program(task, "nope", _inputs(task), left=lambda: 10.0) is None


def test_no_time_no_program() -> None:
    task = Task.from_function(_word, _more)
    assert synthesized_program(task, "nope", _inputs(task), left=lambda: -1.0) is None
