"""Notes below the states of a drawing."""

from __future__ import annotations

from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.report.live.potential_notes import potential_notes


def test_potentials_change_by_the_letter_alone() -> None:
    """Of a component without classes known before: one number per letter."""
    automaton = from_expression("(a(ab)*b)*")
    notes = {state: int(note) for state, note in potential_notes(automaton).below.items()}
    changes: dict[int, set[int]] = {}
    for state in notes:
        for letter, target in enumerate(automaton.transitions[state]):
            if target in notes:
                changes.setdefault(letter, set()).add(notes[target] - notes[state])
    assert {letter: len(found) for letter, found in changes.items()} == {0: 1, 1: 1}


def test_a_large_class_has_a_letter_and_a_legend() -> None:
    notes = potential_notes(from_expression("(a|b)*a(a|b)(a|b)(a|b)(a|b)"))
    assert len(notes.below) == 32
    assert max(map(len, notes.below.values())) <= 6
    together = sorted(state for states in notes.classes.values() for state in states)
    lettered = sorted(state for state, note in notes.below.items() if note[-1].isalpha())
    assert together == lettered
    assert "0–31" in notes.legend
