"""Tests of `tasks.flow_words`: words of the certificate of a no, against the certificate and the language."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from longreach.tasks.catalog import load_task
from longreach.tasks.flow_words import certificate_sample, refuted
from longreach.tasks.lengths import LengthRange
from longreach.tasks.pumped import inputs_of
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import check_certificate, flow_prediction_problem
from longreach.theory.certificates.from_proofs import flow_certificate

NO = (
    "(b|ab*a)*", "(a|bb)*", "(aa)*", "(a|b)*bb(a|b)*", "(a|bba)*(b?|bb)", "(a(b|a(aa)*b)|b(a|bb*a)b)*b",
    "c((b|c(a|c))((a|b)(a|c))*cc)*a",
)  # fmt: skip
YES = ("(ab)*", "(a|ba)*b?", "a*b*", "(ab|ba)*")


@pytest.mark.parametrize("expression", YES)
def test_a_yes_has_none(expression: str) -> None:
    task = load_task(f"regex:{expression}")
    assert refuted(from_expression(expression)) is None
    assert certificate_sample(task, LengthRange(20, 30), 10, np.random.default_rng(0)) is None


@pytest.mark.parametrize("expression", NO)
def test_the_proof_is_one_about_prediction(expression: str) -> None:
    """By the checker, which did not find it."""
    proof = refuted(from_expression(expression))
    assert proof is not None
    certificate = flow_certificate(proof)
    assert check_certificate(certificate) is None
    assert flow_prediction_problem(certificate) is None


@pytest.mark.parametrize("expression", NO)
def test_words_come_through_both_states_of_the_pair_behind_loops(expression: str) -> None:
    task, lengths = load_task(f"regex:{expression}"), LengthRange(20, 33)
    assert isinstance(task, RegularLanguage)
    found = certificate_sample(task, lengths, 80, np.random.default_rng(0))
    assert found is not None
    automaton, proof = task.automaton, refuted(task.automaton)
    assert proof is not None
    fooling = proof.fooling
    base = automaton.run(fooling.before)
    turns = (fooling.first, fooling.second)
    assert [automaton.run(turn, base) for turn in turns] == list(proof.pair)
    assert np.bincount(found.loops).tolist() == [40, 40]
    assert proof.letter is not None
    told = automaton.alphabet[proof.letter]
    for row, word in enumerate(inputs_of(task, found.batch)):
        assert lengths.first <= len(word) <= lengths.last
        assert automaton.run(word) in automaton.accepting
        said = task.decode(found.batch.targets[row][found.batch.mask[row]].tolist())
        assert tuple(said) == task.answer(word)
        # Some beginning is `before`, a product of the loops, the turn, and the letter that tells.
        turn = (*turns[found.loops[row]], told)
        places = [
            end
            for end in _products(word, len(fooling.before), fooling.loops)
            if word[: len(fooling.before)] == fooling.before and word[end : end + len(turn)] == turn
        ]
        assert places
        assert max(places) >= len(word) // 2


def _products(word: tuple[str, ...], begin: int, loops: tuple[tuple[str, ...], ...]) -> set[int]:
    """Where products of loops end that begin there."""
    ends, border = {begin}, [begin]
    while border:
        place = border.pop()
        for loop in loops:
            end = place + len(loop)
            if word[place:end] == loop and end not in ends:
                ends.add(end)
                border.append(end)
    return ends


def test_half_of_the_words_have_their_loops_in_blocks() -> None:
    task = load_task("regex:(b|ab*a)*")
    found = certificate_sample(task, LengthRange(20, 20), 40, np.random.default_rng(0))
    assert found is not None
    for row, word in enumerate(inputs_of(task, found.batch)):
        changes = sum(one != other for one, other in itertools.pairwise(word))
        if found.kinds[row] == 1:
            assert changes <= 3


def test_large_automata_and_short_lengths_have_none() -> None:
    states = [[(place + 1) % 70, place] for place in range(70)]
    document = {"alphabet": ["a", "b"], "transitions": states, "accepting": [0]}
    task = load_task("dfa:" + str(document).replace("'", '"'))
    assert certificate_sample(task, LengthRange(150, 160), 4, np.random.default_rng(0)) is None
    short = load_task("regex:c((b|c(a|c))((a|b)(a|c))*cc)*a")
    assert certificate_sample(short, LengthRange(2, 2), 4, np.random.default_rng(0)) is None


def test_other_tasks_have_none() -> None:
    for name in ("sort", "parity", "dyck-1", "states:(a|bb)*"):
        task = load_task(name)
        assert certificate_sample(task, LengthRange(20, 30), 4, np.random.default_rng(0)) is None
