"""Tests of `theory.verdicts.basis`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from longreach.answers.forecast import forecast
from longreach.answers.verdicts import sides
from longreach.config.encodings import ENCODINGS, side_title
from longreach.tasks.catalog import TASKS
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.crasp.program import parse
from longreach.theory.verdicts.basis import program_basis
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, plainly, undecided
from tests.helpers.language_oracles import automata

FORBIDDEN = re.compile(
    r"C-RASP|idempotent|component|\bstate|monoid|semigroup|potential|limit transformer|induction head|"
    r"et al|arXiv|Corollary|automat|\bflow",
    re.IGNORECASE,
)
BASES = re.compile(
    r"proved|not known|program, (proved for all lengths|(checked|tried) to length \d+|the task itself|"
    r"argument of the literature)|decided, .*|argument, counted to length \d+|counted to length \d+"
)
NAMES = [
    *TASKS,
    "d-7",
    "regex:(a|b)*a(a|b)",
    "crasp:lib:dyck-1",
    "crasp:lib:tomita-4",
    "crasp:lib:copy-unique",
]


def check_words(verdict) -> None:
    text = verdict.clause
    assert 10 < len(text) < 120, text
    assert not FORBIDDEN.search(text), text
    assert "\n" not in text
    assert BASES.fullmatch(verdict.basis), verdict.basis
    assert (verdict.basis == "not known") == (verdict.trained is Answer.UNDECIDED)


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_said_in_plain_words(name) -> None:
    for verdict in forecast(name).sides.values():
        check_words(verdict)


@given(automata(6, "ab"))
def test_every_language_is_said_in_plain_words(automaton) -> None:
    for verdict in judge(automaton).sides.values():
        check_words(verdict)


def test_a_proof_is_claimed_only_where_the_certificate_is_valid() -> None:
    assert forecast("aa").sides["nope"].basis == "proved"
    assert forecast("parity").sides["ape"].basis == "proved"
    assert forecast("aa").sides["ape"].basis == "program, proved for all lengths"
    assert forecast("addition").sides["nope"].basis == "argument, counted to length 10"
    assert forecast("sort").sides["nope"].basis.startswith("program, tried to length")


def test_a_program_that_nothing_proves_is_checked_to_a_length() -> None:
    verdicts = judge(from_expression("(aab|bba)*"), Budget(seconds=1e-9))
    found = judge(from_expression("(aa)*"))
    assert found.ape.basis == "program, proved for all lengths"
    assert verdicts.nope.basis in {"not known", "decided, program not written"}


def test_undecided_is_not_known_and_says_why() -> None:
    verdict = undecided("C-RASP[∅]", "the reduction of copying needs long words (Huang et al., C.2)")
    assert verdict.trained.expectation == verdict.basis == "not known"
    assert verdict.clause == "no argument for or against it has been found"
    assert undecided("C-RASP[∅]", "nobody has asked").clause == "nobody has asked"


def test_every_encoding_has_a_title_of_its_own() -> None:
    titles = [side_title(key) for key in (*ENCODINGS, "local")]
    assert len(set(titles)) == len(titles)
    assert all(title.startswith("with") for title in titles)
    assert side_title("mine") == "with mine"


@pytest.mark.parametrize(
    ("reason", "plain"),
    [
        ("a single count is enough (Huang et al., E.2.2)", "a single count is enough"),
        ("the program uses local relations", None),
        ("an induction head: each symbol has one predecessor", None),
        ("x" * 200, None),
    ],
)
def test_citations_are_left_out_and_terms_refused(reason, plain) -> None:
    assert plainly(reason) == plain


class Claimed(RegularLanguage):
    """Somebody's own answers, beside an automaton that need not be theirs."""


def test_the_automaton_of_somebodys_code_is_its_own_word() -> None:
    task = Claimed("mine", from_expression("(aa)*"), "mine")
    ours, theirs = (sides(task, "my_tasks:mine", trusted)["ape"] for trusted in (True, False))
    assert ours.basis == "program, proved for all lengths"
    assert theirs.basis == "program, proved for all lengths, if its automaton is right"
    assert theirs.clause == ours.clause


def test_a_proof_ended_by_the_budget_is_no_proof() -> None:
    automaton = from_expression("(a(ab)*b)*")
    core = judge(automaton).nope.program.core
    assert program_basis(core, automaton, DEFAULT_BUDGET) == "program, proved for all lengths"
    assert program_basis(core, automaton, Budget(seconds=1e-9)) == "program, checked to length 12"


@pytest.mark.parametrize("text", ['#alphabet a b\nL = "a"', '#alphabet a b\nL = # "a" >= # "b"'])
def test_a_wrong_program_is_never_called_checked(text) -> None:
    assert program_basis(parse(text).core, from_expression("(ab)*"), DEFAULT_BUDGET) == "program, found wrong"


def test_a_predictor_is_proved_or_checked() -> None:
    automaton = from_expression("(a|ba)*b?")
    last = parse('#alphabet a b EOS\noutput "a" = true\noutput "b" = !"b"\noutput "EOS" = true').core
    assert program_basis(last, automaton, DEFAULT_BUDGET) == "program, proved for all lengths"
    assert program_basis(last, automaton, Budget(seconds=1e-9)).startswith("program, ")
    assert program_basis(last, from_expression("(a|b)*"), DEFAULT_BUDGET) == "program, found wrong"
