"""Budgets: one deadline for whoever shares it, and sizes refused before they are taken."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from longreach.theory.automata.automaton import minimal
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.crasp.program import parse
from longreach.theory.decide.decisions import decide
from longreach.theory.decide.with_positions import Decision, decide_positional
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.prove.induction import prove, rightness
from longreach.theory.verdicts.judge import LanguageVerdicts, judge
from longreach.theory.verdicts.verdict import Answer
from longreach.theory.write.programs import acceptor


class Clock:
    """A clock that moves by a step whenever it is read."""

    def __init__(self, step: float = 1.0) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_time_runs_from_the_first_call_and_is_shared() -> None:
    budget = Budget(seconds=3, clock=Clock()).running()
    assert budget.running() is budget
    budget.check()
    budget.check()
    with pytest.raises(OverBudget, match="the budget of 3 s is spent"):
        [budget.check() for _ in range(3)]


def test_a_budget_whose_time_does_not_run_never_ends() -> None:
    Budget(seconds=0).check()


def test_sizes_are_refused_before_they_are_taken() -> None:
    Budget(bytes=100).reserve(100, "a table")
    with pytest.raises(OverBudget, match=r"a table needs 0\.000101 MB, more than the budget of 0\.0001 MB"):
        Budget(bytes=100).reserve(101, "a table")


def spent() -> Budget:
    return Budget(seconds=0.5, clock=Clock()).running()


def test_a_verdict_says_which_budget_ended_it() -> None:
    verdicts = judge(from_expression("(ab)*"), spent())
    for verdict in (verdicts.nope, verdicts.ape, verdicts.local):
        assert verdict.answer is Answer.UNDECIDED
        assert verdict.reason == "undecided within the budget: the budget of 0.5 s is spent"
    document = verdicts.document("x")
    assert document["nope"]["certificate"] == {"kind": "none", "reason": verdicts.nope.reason}


def test_a_verdict_that_needs_no_more_time_stays() -> None:
    # C-RASP[∅] is decided first; the rest may run out of time.
    plain = plain_analysis(from_expression("(aa)*"))
    both = decide_positional(from_expression("(aa)*"), plain, spent())
    assert both.periodic_local.answer is None
    assert both.local.exhausted == "the budget of 0.5 s is spent"


def test_a_program_that_is_not_written_says_why() -> None:
    answer = LanguageVerdicts(replace(decide(from_expression("(ab)*")), budget=spent())).nope
    assert answer.program is None
    assert answer.proof.not_written == "the budget of 0.5 s is spent"
    assert answer.document()["verdict"] == "yes"
    assert answer.certificate.reason == f"the program is not written: {answer.proof.not_written}"


def test_a_predictor_that_is_not_written_says_why() -> None:
    verdicts = LanguageVerdicts(replace(decide(from_expression("(ab)*")), budget=spent()))
    assert verdicts.predictors()["nope"] == "the budget of 0.5 s is spent"
    assert verdicts.nope.prediction.proof.program is None


def test_a_search_for_shorter_programs_keeps_what_it_has() -> None:
    analysis = decide(from_expression("(aa)*b(aa)*c")).ape.analysis
    assert analysis is not None
    whole, clock = acceptor(analysis), Clock()
    acceptor(analysis, Budget(seconds=1e9, clock=clock))
    # Just after the first program, long before the last.
    cut = acceptor(analysis, Budget(seconds=0.5 * clock.now, clock=Clock()))
    assert whole.core.size <= cut.core.size
    assert rightness(cut.core, analysis.extended.automaton).proved


def test_a_proof_that_ends_says_why() -> None:
    automaton = from_expression("(a(ab)*b)*")
    program = acceptor(plain_analysis(automaton))
    known = rightness(program.core, automaton, budget=spent())
    assert known.reason == "the budget of 0.5 s is spent"
    assert str(known).startswith("not proved (the budget of 0.5 s is spent): no difference")


def test_a_proof_counts_the_bytes_of_windows_before_it_takes_them() -> None:
    core = parse('#alphabet a b\nL = i % 2 == 0 || #[i-1000000] "a" >= 1', "far").core
    tracemalloc.start()
    attempt = prove(core, from_expression("((a|b)(a|b))*"), budget=Budget(bytes=10**7))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not attempt.proved
    assert "the table of control values needs" in attempt.reason
    assert peak < 3 * 10**7


def test_a_solver_that_gives_up_proves_nothing(monkeypatch) -> None:
    pytest.importorskip("z3")
    monkeypatch.setattr("longreach.theory.prove.step.SOLVER_STEPS", 1)
    automaton = from_expression("(a(ab)*b)*")
    attempt = prove(acceptor(plain_analysis(automaton)).core, automaton)
    assert not attempt.proved
    assert "z3 gave up" in attempt.reason


def test_counting_modulo_a_large_number_takes_little_memory() -> None:
    size = 300
    automaton = minimal("ab", [[(q + 1) % size, q] for q in range(size)], 0, {0})
    tracemalloc.start()
    verdicts = judge(automaton)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (verdicts.nope.answer, verdicts.ape.answer) == (Answer.NO, Answer.NO)
    assert peak < 6 * 10**7  # the cube of the size in machine integers is 2 · 10⁸


def test_a_small_class_lends_its_program_to_a_larger_one(monkeypatch) -> None:
    # As with (a|b)*a(a|b){9}, where the positions make the extended automaton too large.
    monkeypatch.setattr(
        "longreach.theory.decide.with_positions._periodic_local", lambda *_: Decision(True, smallest=False)
    )
    classes = judge(from_expression("(a|b)*a(a|b)")).sides
    assert classes["local"].program is not None
    assert classes["ape"].program is classes["local"].program
