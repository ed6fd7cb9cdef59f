"""Verdicts of learned automata. The oracle: what is decided of the language itself, by another way."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.forecast.learned_to_verdicts import learned_answer_sides, learned_language_sides, written
from longreach.languages.budget import Budget
from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.synthesis.answers_to_automaton import LearnedAutomaton
from longreach.tasks.regular_answer import UNDEFINED
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import Answer


def _machines(classes: list[str]) -> st.SearchStrategy[LabelledAutomaton]:
    row = st.lists(st.integers(0, 3), min_size=2, max_size=2)
    rows = st.lists(row, min_size=4, max_size=4)
    outputs = st.lists(st.sampled_from(classes), min_size=4, max_size=4)
    return st.builds(lambda rows, outputs: labelled("ab", rows, 0, outputs), rows, outputs)


def _learned(machine: LabelledAutomaton) -> LearnedAutomaton:
    return LearnedAutomaton(machine=machine, length=9, exhaustive=3, exact_states=5, asked=10)


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
    found = learned_answer_sides(
        _learned(machine),
        name="mine",
        keys=["nope", "ape"],
        every_word=True,
        first_token=False,
        budget=Budget(),
    )
    if len(machine.classes) == 1:
        assert found["nope"].answer is Answer.YES
        return
    known = judge(machine.language("in"))
    assert found["nope"].answer is known.nope.end_of_sequence
    assert found["ape"].answer is known.ape.answer


def test_only_a_yes_counts_on_some_words_and_only_a_no_of_the_first_token() -> None:
    odd = _learned(labelled("ab", [[1, 0], [0, 1]], 0, ["even", "odd"]))
    has_a = _learned(labelled("ab", [[1, 0], [1, 1]], 0, ["no", "yes"]))
    for learned, answer in ((odd, Answer.NO), (has_a, Answer.YES)):
        for every_word, first_token in product([False, True], repeat=2):
            found = learned_answer_sides(
                learned,
                name="mine",
                keys=["nope"],
                every_word=every_word,
                first_token=first_token,
                budget=Budget(),
            )
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
