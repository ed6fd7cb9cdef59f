from __future__ import annotations

from hypothesis import given

from longreach.crasp import Program, parse
from longreach.crasp.equal import equal
from longreach.crasp.readable import tidy_statements
from tests.helpers.crasp_strategies import programs


@given(programs())
def test_tidying_preserves_meaning(program: Program) -> None:
    tidied = tidy_statements(program)
    assert len(tidied.statements) <= len(program.statements)
    alphabet = program.core.alphabet[:2] or ("a",)
    assert equal(program.core, tidied.core, 4, alphabet).equal


def test_tidying_keeps_what_is_used_twice() -> None:
    text = 'A = # ("a" && # "b" >= 3) + # "b"\nB = # "c"\nP = A >= 1\nL = A >= 2 || P'
    assert tidy_statements(parse(text)).text == 'A = # ("a" && # "b" >= 3) + # "b"\nL = A >= 2 || A >= 1'
