"""Extended automata: what a program sees of the past."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.automata.named import named_automaton
from longreach.theory.decide.views import analyse, extend, settled_states
from longreach.theory.decide.without_positions import plain_analysis
from tests.helpers.language_oracles import automata, words


@given(automata(states=4), st.integers(0, 3), st.integers(1, 3))
def test_states_show_the_window_and_the_position(automaton, window, modulus) -> None:
    extended = extend(automaton, window, modulus)
    assert extended is not None
    for word in words("ab", 5):
        state = 0
        for token in word:
            state = extended.transitions[state][automaton.letter_index[token]]
        seen = extended.states[state]
        assert seen.state == automaton.run(word)
        first = {letter: group[0] for group in automaton.alike.values() for letter in group}
        letters = tuple(first[automaton.letter_index[token]] for token in word)
        assert seen.window == (letters[-window:] if window else ())
        assert seen.residue == len(word) % modulus


def test_settled_states_stay_as_they_are() -> None:
    automaton = named_automaton("tomita-4")
    settled = settled_states(plain_analysis(automaton))
    assert settled == {3}
    small, large = (extend(automaton, 3, 2, settled=s) for s in (settled, frozenset()))
    assert small is not None
    assert large is not None
    assert len(small.states) < len(large.states)
    assert [(s.state, s.residue) for s in small.states if s.window is None] == [(3, None)]
    assert analyse(small).holds() == analyse(large).holds()


@given(automata(states=5), st.integers(0, 2), st.integers(1, 2))
def test_settled_states_change_no_answer(automaton, window, modulus) -> None:
    settled = settled_states(plain_analysis(automaton))
    answers = []
    for kept in (settled, frozenset()):
        extended = extend(automaton, window, modulus, settled=kept)
        assert extended is not None
        answers.append(analyse(extended, complete=False).holds())
    assert answers[0] == answers[1]


def test_the_limit_is_kept() -> None:
    assert extend(named_automaton("tomita-4"), 5, 1, limit=20) is None


def test_classes_determine_successors() -> None:
    chance = random.Random(0)
    extended = extend(named_automaton("tomita-4"), 2, 1)
    assert extended is not None
    analysis = analyse(extended, complete=False)
    assert analysis.holds()
    for component in analysis.components:
        classes = component.refinement.after(component.rounds or 0)
        for _ in range(20):
            u, v = (chance.randrange(len(component.states)) for _ in range(2))
            if classes[u] == classes[v]:
                left, right = (extended.states[component.states[w]] for w in (u, v))
                assert left.window == right.window
                rows = extended.automaton.transitions
                assert rows[left.state] == rows[right.state]
