"""Verdicts on languages, against the published table and on all small automata."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from longreach.theory.automata.automaton import minimal
from longreach.theory.automata.monoid import measure
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.language_oracles import all_minimal, random_automaton
from tests.theory.decide.test_decisions import answers_of_labels

# Huang et al., arXiv 2410.02140, Table 2: C-RASP[∅], C-RASP[periodic, local], star-free, dot-depth, AC⁰.
TABLE_2 = {
    "tomita-1": ("yes", "yes", True, "1", True),
    "tomita-2": ("yes", "yes", True, "1", True),
    "tomita-3": ("no", "no", False, None, True),
    "tomita-4": ("no", "yes", True, "1", True),
    "tomita-5": ("no", "no", False, None, False),
    "tomita-6": ("no", "no", False, None, False),
    "tomita-7": ("yes", "yes", True, "1", True),
    "d-2": ("yes", "yes", True, "2", True),
    "d-3": ("yes", "yes", True, "3", True),
    "d-4": ("yes", "yes", True, "4", True),
    "d-12": ("yes", "yes", True, "12", True),
    "parity-language": ("no", "no", False, None, False),
    "aa": ("no", "yes", False, None, True),
    "aaaa": ("no", "yes", False, None, True),
    "abab": ("no", "yes", False, None, True),
    "aa-bb-cc-dd-ee": ("yes", "yes", True, "1", True),
    "ab-d-bc": ("yes", "yes", True, "1", True),
    "012-0-2": ("no", "no", True, "2", True),
}


@pytest.mark.parametrize("name", list(TABLE_2))
def test_table_2(name) -> None:
    automaton = named_automaton(name)
    verdicts, measures = judge(automaton), measure(automaton)
    assert (
        verdicts.nope.answer,
        verdicts.ape.answer,
        measures.star_free,
        measures.dot_depth,
        measures.ac0,
    ) == TABLE_2[name]


@pytest.mark.parametrize(
    ("expression", "alphabet", "nope", "at_end", "ape", "local"),
    [
        ("(a|b)*b", "ab", "yes", "no", "yes", "yes"),
        ("(a|b|e)*be*", "abe", "no", "no", "no", "no"),
        (".*ab.*", "ab", "yes", "yes", "yes", "yes"),
        (".*ab.*", "abc", "no", "no", "yes", "yes"),
        ("a&b", "ab", "yes", "yes", "yes", "yes"),
        (".*", "ab", "yes", "yes", "yes", "yes"),
        ("()", "ab", "yes", "yes", "yes", "yes"),
        ("a*", "a", "yes", "yes", "yes", "yes"),
        ("(aa)*", "a", "no", "no", "yes", "no"),
        ("aaaaa", "a", "yes", "yes", "yes", "yes"),
        ("(a|b)*b(a|b)", "ab", "no", "no", "yes", "yes"),
    ],
)
def test_both_conventions(expression, alphabet, nope, at_end, ape, local) -> None:
    verdicts = judge(from_expression(expression, alphabet))
    assert (verdicts.nope.answer, verdicts.nope.at_end.answer) == (nope, at_end)
    assert (verdicts.ape.answer, verdicts.local.answer) == (ape, local)
    predicted = [side.prediction.answer for side in verdicts.sides.values()]
    assert [Answer.of(each) for each in answers_of_labels(verdicts.automaton)] == predicted
    for verdict in (verdicts.nope, verdicts.ape, verdicts.local):
        assert verdict.reason
        assert "\n" not in verdict.reason


def test_one_state_and_one_letter() -> None:
    for accepting in ([], [0]):
        assert judge(minimal("a", [[0]], 0, accepting)).nope.answer is Answer.YES


def test_a_sample_of_four_states() -> None:
    chance = random.Random(4)
    seen = set()
    while len(seen) < 150:
        automaton = random_automaton(4, "ab", chance, sink=chance.choice([0.0, 0.3]))
        if len(automaton) == 4:
            seen.add(automaton)
    for automaton in seen:
        decisions = judge(automaton).decisions
        for decision in (decisions.nope, decisions.ape, decisions.local):
            assert decision.answer is not None
            assert (decision.analysis is not None) == decision.answer
            assert (decision.refutation is None) == decision.answer


def test_counts_over_all_small_automata() -> None:
    answers = [judge(automaton) for states in (1, 2, 3) for automaton in all_minimal(states)]
    assert len(answers) == 1054
    counted = {
        "nope": sum(v.nope.answer is Answer.YES for v in answers),
        "at end": sum(v.nope.at_end.answer is Answer.YES for v in answers),
        "ape": sum(v.ape.answer is Answer.YES for v in answers),
        "local": sum(v.local.answer is Answer.YES for v in answers),
        "no": sum(v.ape.answer is Answer.NO for v in answers),
    }
    assert counted == {"nope": 108, "at end": 80, "ape": 246, "local": 156, "no": 808}


def test_numbers_of_a_yes() -> None:
    verdicts = judge(named_automaton("tomita-4"))
    ape = verdicts.ape
    assert (ape.proof.window, ape.proof.modulus, ape.proof.depth) == (2, 1, 0)
    assert verdicts.decisions.ape.membership.smallest
    assert ape.reason == "the last 2 letters determine the next state"
    nope = judge(named_automaton("d-3")).nope
    assert (nope.proof.window, nope.proof.modulus, nope.proof.depth) == (0, 1, 1)


def test_undecided_names_the_budget() -> None:
    verdicts = judge(named_automaton("abab"), Budget(monoid=5, samples=0))
    assert verdicts.ape.answer is Answer.UNDECIDED
    assert "more than 5 elements" in verdicts.ape.reason
    assert verdicts.ape.prediction.answer is Answer.UNDECIDED
    certificate = verdicts.ape.certificate
    assert certificate.kind == "none"
    assert "more than 5 elements" in certificate.reason


def test_a_certificate_beyond_the_budget() -> None:
    certificate = judge(named_automaton("aaaa"), Budget(certificate=3)).nope.certificate
    assert certificate.kind == "none"
    assert "budget" in certificate.reason


def test_imports_stay_light() -> None:
    code = (
        "import sys, longreach.theory.decide.decisions\n"
        "heavy = {'torch', 'matplotlib', 'automata', 'networkx', 'pydantic', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
