"""Proofs for all lengths: found for right programs, never for wrong ones."""

from __future__ import annotations

import pytest

from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.prove import induction
from longreach.theory.prove.induction import prove
from longreach.theory.write.programs import acceptor
from tests.helpers.small_automata import small_automata

HAND_WRITTEN = [
    "tomita-1", "tomita-2", "tomita-4", "tomita-7", "aa", "aaaa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc", "d-2",
    "d-3", "d-12",
]  # fmt: skip


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_library_programs_are_proved(name: str) -> None:
    assert prove(load(name).core, named_automaton(name)).proved


PROVABLE = [
    n for n in NAMED_LANGUAGES if decide_positional(named_automaton(n)).periodic_local.analysis is not None
]


@pytest.mark.parametrize("name", PROVABLE)
def test_generated_programs_are_proved(name: str) -> None:
    automaton = named_automaton(name)
    analysis = decide_positional(automaton).periodic_local.analysis
    assert analysis is not None
    assert prove(acceptor(analysis).core, automaton).proved


def test_both_ways_of_proof_agree_on_small_automata() -> None:
    proved = 0
    for automaton in small_automata(2, "ab"):
        analysis = decide_positional(automaton).periodic_local.analysis
        if analysis is not None:
            core = acceptor(analysis).core
            fast, slow = prove(core, automaton), prove(core, automaton, always_z3=True)
            assert fast.proved
            assert slow.proved
            proved += 1
    assert proved == 14


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        # Each agrees with the language on short words only.
        ('P = # "a" <= 9', "a*"),
        ('C = # "a" - # "b"\nP = C == 0 && # (C < 0) == 0 && # (C > 6) == 0', "(a" * 6 + "(ab)*" + "b)*" * 6),
        ('P = i % 2 == 0 && # "a" <= 20', "(aa)*"),
        ('P = # "a" - # "b" >= 0 - 30', "(a|b)*"),
        ('P = 3 * # "a" != 2 * # "b" + 71', "(a|b)*"),
    ],
)  # fmt: skip
def test_wrong_programs_are_never_proved(text: str, expression: str) -> None:
    core = parse(f"#alphabet {' '.join(sorted(set(expression) & set('ab')))}\n{text}").core
    assert not prove(core, from_expression(expression)).proved


def test_a_difference_on_a_short_word_is_said() -> None:
    result = prove(load("d-3").core, named_automaton("d-2"))
    assert (result.proved, result.reason) == (False, "the program and the language differ on a short word")
    result = prove(parse('#alphabet a\nP = # "a" >= 1').core, from_expression("a*"))
    assert result.reason == "the program and the language differ on the empty word"


def test_predictors_are_refused() -> None:
    with pytest.raises(InputError, match="predictor"):
        prove(load("sort-10").core, named_automaton("aa"))


def test_without_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction.importlib.util, "find_spec", lambda name: None)
    assert prove(load("tomita-4").core, named_automaton("tomita-4")).proved
    with pytest.raises(MissingExtra, match="'smt'"):
        prove(load("d-2").core, named_automaton("d-2"))
