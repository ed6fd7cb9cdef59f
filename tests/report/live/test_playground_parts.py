"""What the playground shows, held against the commands that say the same."""

from __future__ import annotations

import pytest

from longreach.errors import InputError
from longreach.forecast import forecast
from longreach.languages.decide.extended_automaton import Convention
from longreach.languages.decide.without_positions import plain_analysis, refutation
from longreach.languages.prove.proof_to_certificate import flow_certificate
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.report.live.playground_parts import PARTS, fooling_pair, part_of, potential_notes

EXPRESSIONS = ("(aa)*", "(ab|ba)*", "(a|b)*bb(a|b)*", "(a|ba)*b?", "a*b*")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_verdicts_are_those_of_the_forecast(expression: str) -> None:
    shown = part_of("verdicts", {"kind": "regex", "text": expression})
    known = forecast(f"regex:{expression}")
    for side in shown["sides"]:
        verdict = known.sides[side["encoding"]]
        assert (side["answer"], side["membership"]) == (verdict.trained.value, verdict.answer.value)


def test_a_trace_has_the_values_of_the_program() -> None:
    program = '#alphabet a b\nC = # "a"\nL = C >= 2'
    found = part_of("trace", {"kind": "program", "text": program, "word": "aba"})
    assert [row["values"] for row in found["rows"]] == [["1", "1", "2"], ["False", "False", "True"]]
    assert found["accepted"] is True
    empty = part_of("trace", {"kind": "program", "text": program, "word": ""})
    assert empty["tokens"] == []
    assert empty["accepted"] is False


def test_words_that_fool_differ_in_the_language_alone() -> None:
    for expression in ("(aa)*", "(b|ab*a)*", "(a|b)*(aa|bb)"):
        proof = refutation(plain_analysis(from_expression(expression)), Convention.LAST_LETTER, 100)
        if proof is None:
            continue
        pair = fooling_pair(flow_certificate(proof))
        assert pair is not None
        automaton = from_expression(expression)
        said = [automaton.run(tuple(word), 0) in automaton.accepting for word in pair["words"]]
        assert said == pair["inside"]
        assert said[0] != said[1]


def test_potentials_change_by_the_letter_alone() -> None:
    """Of a component without classes known before: one number per letter."""
    automaton = from_expression("(a(ab)*b)*")
    notes = {state: int(note) for state, note in potential_notes(automaton).items()}
    changes: dict[int, set[int]] = {}
    for state in notes:
        for letter, target in enumerate(automaton.transitions[state]):
            if target in notes:
                changes.setdefault(letter, set()).add(notes[target] - notes[state])
    assert {letter: len(found) for letter, found in changes.items()} == {0: 1, 1: 1}


def test_large_things_are_named_and_not_drawn() -> None:
    found = part_of("automaton", {"kind": "regex", "text": "(a{41})*"})
    assert found["svg"] is None
    assert "41" in found["note"]


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(InputError, match="no part is named 'x'"):
        part_of("x", {})
    assert "verdicts" in PARTS
