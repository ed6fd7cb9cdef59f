""""""

from __future__ import annotations

from hypothesis import given, settings

from longreach.theory.decide.decisions import label_answers, labels
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.decide.without_positions import plain_analysis
from tests.helpers.language_oracles import all_of, automata, words


@given(automata(states=5))
def test_labels_are_the_legal_next_symbols(automaton) -> None:
    languages = labels(automaton)
    assert [label.token for label in languages] == ["a", "b", None]
    reach = len(automaton)
    for word in words("ab", 3):
        for label in languages:
            if label.token is None:
                legal = automaton.accepts(word)
            else:
                legal = any(automaton.accepts((*word, label.token, *rest)) for rest in words("ab", reach))
            assert label.language.accepts(word) == legal


@settings(deadline=None)
@given(automata(states=5))
def test_prediction_is_as_hard_as_membership(automaton) -> None:
    """The class is closed under quotients, and the end label is the language itself."""
    answers = label_answers(automaton)
    both = decide_positional(automaton)
    assert all_of([a.plain for a in answers]) == plain_analysis(automaton).holds()
    assert all_of([a.periodic_local for a in answers]) == both.periodic_local.answer
    assert all_of([a.local for a in answers]) == both.local.answer
