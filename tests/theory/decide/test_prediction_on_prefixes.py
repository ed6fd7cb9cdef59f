"""Prediction on prefixes of words, against its criterion read literally and against brute force."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import Finding, check_certificate
from longreach.theory.certificates.check_yes import check_predictor, legal_symbols
from longreach.theory.crasp.evaluate import predictions
from longreach.theory.crasp.words import encode
from longreach.theory.decide.decisions import on_prefixes
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.names import END
from longreach.theory.prove.induction import prove_announcer
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer
from longreach.theory.write.programs import predictor
from tests.helpers.boolean_operations import WORDS, matching, operations
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import (
    all_minimal,
    automata,
    legal,
    predictable,
    random_automaton,
    stable,
    words,
)
from tests.theory.verdicts.test_judge import TABLE_2

SMALL = [automaton for states in (1, 2, 3) for automaton in all_minimal(states)]


def flips(automaton: Automaton) -> bool:
    plain = plain_analysis(automaton)
    return plain.holds() != on_prefixes(plain).holds()


def right_on_prefixes(program, automaton: Automaton, length: int) -> bool:
    """By definition, after every word that can be completed."""
    labels = legal(automaton)
    inside = [word for word in words(automaton.alphabet, length) if automaton.run(word) in labels]
    said = predictions(program.core, [encode(program.core, list(word)) for word in inside])
    symbols = (*automaton.alphabet, END)
    return all(
        set(each[-1]) == {s for s, good in zip(symbols, labels[automaton.run(word)], strict=True) if good}
        for word, each in zip(inside, said, strict=True)
        if word
    )


def test_the_criterion_on_all_small_automata() -> None:
    for automaton in SMALL:
        plain = plain_analysis(automaton)
        found = on_prefixes(plain).holds()
        assert found == predictable(automaton)
        assert found >= plain.holds()


def test_which_small_languages_are_easier_to_predict() -> None:
    easier = [automaton for automaton in SMALL if flips(automaton)]
    assert (len(SMALL), len(easier)) == (1054, 12)
    assert from_expression("(a|ba)*b?") in easier
    # No b after a b, no a after an a, and the same from the second letter on, with each way to end.
    shapes = {automaton.transitions for automaton in easier}
    assert len(shapes) == 4
    for automaton in easier:
        verdicts = judge(automaton)
        assert (verdicts.nope.answer, verdicts.nope.prediction.answer) == ("no", "yes")
        assert (verdicts.local.answer, verdicts.local.proof.window) == ("yes", 1)


@pytest.mark.parametrize("name", list(TABLE_2))
def test_no_language_of_the_benchmark_is_easier_to_predict(name) -> None:
    verdicts = judge(named_automaton(name))
    for verdict in (verdicts.nope, verdicts.ape, verdicts.local):
        assert verdict.prediction.answer is verdict.answer is verdict.prediction_everywhere


@pytest.mark.parametrize(("every", "wanted"), [(3, None), pytest.param(1, 120, marks=pytest.mark.slow)])
def test_predictors_of_all_small_automata(every: int, wanted: int | None) -> None:
    written = 0
    for automaton in SMALL[::every]:
        prefixes = on_prefixes(plain_analysis(automaton))
        if prefixes.holds():
            program = predictor(prefixes)
            assert not program.core.relations
            assert right_on_prefixes(program, automaton, 5)
            assert check_predictor(program.core, automaton).valid
            written += 1
    assert written == wanted if wanted is not None else written > 20


def test_the_easier_ones_to_length_ten_and_with_both_kinds_of_proof() -> None:
    for automaton in filter(flips, SMALL):
        program = predictor(on_prefixes(plain_analysis(automaton)))
        assert right_on_prefixes(program, automaton, 10)
        assert prove_announcer(program.core, automaton, legal_symbols(automaton), always_z3=True).proved


def test_every_no_has_a_certificate_for_both() -> None:
    refuted = 0
    for automaton in SMALL[::6]:
        verdict = judge(automaton).nope
        if verdict.prediction.answer is Answer.NO:
            certificate = verdict.certificate
            assert certificate.prediction
            assert check_certificate(certificate) is None
            refuted += 1
    assert refuted > 120


def labelled(automaton: Automaton) -> tuple[np.ndarray, list[np.ndarray]]:
    """Which beginnings of the words count, and the label of each symbol there."""
    states = np.zeros((len(WORDS), len(WORDS[0])), dtype=int)
    state = np.zeros(len(WORDS), dtype=int)
    for place in range(len(WORDS[0])):
        letter = np.array([automaton.letter_index[word[place]] for word in WORDS])
        state = states[:, place] = automaton.table[state, letter]
    labels = legal(automaton)
    where = np.isin(states, list(labels))
    size = len(automaton.alphabet) + 1
    return where, [np.isin(states, [q for q in labels if labels[q][k]]) for k in range(size)]


def test_no_small_program_predicts_what_is_refuted() -> None:
    tables = operations()
    assert len(tables) > 3000
    refuted = easier = 0
    for automaton in SMALL:
        if len(legal(automaton)) == len(automaton) or not legal(automaton):
            continue  # all words are prefixes: the same question as membership
        expected = predictable(automaton)
        if expected and not flips(automaton):
            continue
        where, labels = labelled(automaton)
        assert all(matching(tables, label, where) for label in labels) == expected, automaton
        easier += expected
        refuted += not expected
    assert (refuted, easier) == (28, 12)


def test_window_and_modulus_are_the_smallest() -> None:
    chance = random.Random(7)
    smaller = 0
    tried = SMALL[::40] + [random_automaton(4, "ab", chance, sink=0.4) for _ in range(60)]
    for automaton in [*tried, named_automaton("tomita-4"), from_expression("(ab|ba)*c", "abc")]:
        verdicts = judge(automaton)
        for verdict, length in ((verdicts.ape, stable(automaton)[0]), (verdicts.local, 1)):
            if verdict.prediction.answer is not Answer.YES:
                continue
            window, modulus = verdict.prediction.proof.window, verdict.prediction.proof.modulus
            assert window is not None
            moduli = [m for m in range(1, length + 1) if length % m == 0]
            literal = next((r, m) for r in range(5) for m in moduli if predictable(automaton, r, m))
            assert (window, modulus) == literal
            assert window <= (verdict.proof.window or 0) <= window + 1
            smaller += (window, modulus) != (verdict.proof.window, verdict.proof.modulus)
    assert smaller >= 4


def test_one_letter_more_turns_a_predictor_into_an_acceptor() -> None:
    """Proposition 7 on programs: no letter that was not predicted, and the end predicted."""
    for automaton in [*filter(flips, SMALL), *map(named_automaton, ("tomita-4", "aa", "abab", "d-3"))]:
        program = judge(automaton).sides["ape"].prediction.proof.program
        assert program is not None
        first = legal(automaton)[0]
        inside = [word for word in words(automaton.alphabet, 6) if word]
        said = predictions(program.core, [encode(program.core, list(word)) for word in inside])
        for word, each in zip(inside, said, strict=True):
            start = [token for token, good in zip(automaton.alphabet, first, strict=False) if good]
            before = [start, *each[:-1]]
            wrong = any(letter not in legal_then for letter, legal_then in zip(word, before, strict=True))
            assert (not wrong and END in each[-1]) == automaton.accepts(word)


@settings(deadline=None, max_examples=at_most(60))
@given(automata(states=6), st.data())
def test_random_automata(automaton, data) -> None:
    verdicts = judge(automaton)
    assert (verdicts.nope.prediction.answer is Answer.YES) == predictable(automaton)
    for verdict in (verdicts.nope, verdicts.ape, verdicts.local):
        assert verdict.prediction_everywhere is verdict.answer
        if verdict.answer is Answer.YES:
            assert verdict.prediction.answer is Answer.YES
    if verdicts.nope.prediction.answer is Answer.YES:
        assert verdicts.local.answer is Answer.YES
        assert (verdicts.local.proof.window or 0) <= 1
    for verdict in (verdicts.ape, verdicts.local):
        assert verdict.prediction.answer is verdict.answer
    answer = verdicts.sides[data.draw(st.sampled_from(["nope", "ape", "local"]))]
    if answer.prediction.proof.program is not None:
        assert right_on_prefixes(answer.prediction.proof.program, automaton, 6)
        core = answer.prediction.proof.program.core
        assert core.locality <= (answer.prediction.proof.window or 0)
        assert (answer.prediction.proof.modulus or 1) % core.modulus == 0


@pytest.mark.parametrize(
    ("expression", "alphabet", "member", "predicted"),
    [
        ("(a|ba)*b?", "ab", "no", "yes"),
        ("(a|ba)*b?", "abc", "no", "yes"),
        ("(ab|ac)*", "abc", "yes", "yes"),
        ("(a|b|e)*be*", "abe", "no", "no"),
        ("((a|ba)*b?c)*", "abc", "no", "yes"),
        ("(aa)*", "a", "no", "no"),
        ("(aab)*", "ab", "yes", "yes"),
        ("(a|b)*a(a|b)", "ab", "no", "no"),
        ("a&b", "ab", "yes", "yes"),
        ("()", "ab", "yes", "yes"),
    ],
)
def test_languages(expression, alphabet, member, predicted) -> None:
    automaton = from_expression(expression, alphabet)
    nope = judge(automaton).nope
    assert (nope.answer, nope.prediction.answer) == (member, predicted)
    assert predictable(automaton) == (predicted == "yes")


def test_where_every_word_is_a_prefix_both_programs_are_written() -> None:
    verdicts = judge(from_expression("(a|b)*a(a|b)"))
    answer, decision = verdicts.ape, verdicts.decisions.ape
    assert answer.program is not None
    assert answer.prediction.proof.program is not None
    assert not answer.program.core.is_predictor
    assert answer.prediction.proof.program.core.is_predictor
    assert decision.predicted.analysis is decision.analysis


def test_wrong_predictors_are_found() -> None:
    automaton = from_expression("(a|ba)*b?")
    other = predictor(on_prefixes(plain_analysis(from_expression("(a|ba)*b"))))
    assert check_predictor(other.core, automaton) == Finding.invalid("after ε it predicts a b, not a b EOS")
    assert not prove_announcer(other.core, automaton, legal_symbols(automaton)).proved
