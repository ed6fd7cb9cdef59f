from __future__ import annotations

import re

import pytest
from hypothesis import given

from longreach.config.encoding_table import ENCODINGS
from longreach.forecast import forecast
from longreach.forecast.evidence_to_verdicts import sides
from longreach.languages.budget import Budget
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.catalog import TASKS
from longreach.tasks.language_task import RegularLanguage
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.plain_words import clause, expectation, plainly, rests_on, side_title
from longreach.verdicts.verdict import Answer, undecided
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
    text = clause(verdict)
    assert 10 < len(text) < 120, text
    assert not FORBIDDEN.search(text), text
    assert "\n" not in text
    assert BASES.fullmatch(rests_on(verdict)), rests_on(verdict)
    assert (rests_on(verdict) == "not known") == (verdict.trained is Answer.UNDECIDED)


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_said_in_plain_words(name) -> None:
    for verdict in forecast(name).sides.values():
        check_words(verdict)


@given(automata(6, "ab"))
def test_every_language_is_said_in_plain_words(automaton) -> None:
    for verdict in judge(automaton).sides.values():
        check_words(verdict)


def test_a_proof_is_claimed_only_where_the_certificate_is_valid() -> None:
    assert rests_on(forecast("aa").sides["nope"]) == "proved"
    assert rests_on(forecast("parity").sides["ape"]) == "proved"
    assert rests_on(forecast("aa").sides["ape"]) == "program, proved for all lengths"
    assert rests_on(forecast("addition").sides["nope"]) == "argument, counted to length 10"
    assert rests_on(forecast("sort").sides["nope"]).startswith("program, tried to length")


def test_a_program_that_nothing_proves_is_checked_to_a_length() -> None:
    verdicts = judge(from_expression("(aab|bba)*"), Budget(seconds=1e-9))
    found = judge(from_expression("(aa)*"))
    assert rests_on(found.ape) == "program, proved for all lengths"
    assert rests_on(verdicts.nope) in {"not known", "decided, program not written"}


def test_undecided_is_not_known_and_says_why() -> None:
    verdict = undecided("C-RASP[∅]", "the reduction of copying needs long words (Huang et al., C.2)")
    assert expectation(verdict.trained) == rests_on(verdict) == "not known"
    assert clause(verdict) == "no argument for or against it has been found"
    assert clause(undecided("C-RASP[∅]", "nobody has asked")) == "nobody has asked"


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
    assert rests_on(ours) == "program, proved for all lengths"
    assert rests_on(theirs) == "program, proved for all lengths, if its automaton is right"
    assert clause(theirs) == clause(ours)
