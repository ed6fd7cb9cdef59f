from __future__ import annotations

import pytest

from longreach.crasp import parse
from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.program_to_basis import program_basis


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
