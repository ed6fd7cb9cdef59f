"""T of programs: the largest number that a comparison needs, and the programs that have none."""

from __future__ import annotations

from fractions import Fraction

import pytest

from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.length_complexity import NO_BOUND
from longreach.bounds.program_inputs import automaton_inputs, program_inputs, together
from longreach.crasp import parse


@pytest.mark.parametrize(
    ("text", "largest"),
    [
        ('P = # "a" >= # "b"', 1),
        ('P = # "a" >= 5', 5),
        ('P = 3 * # "a" >= 7 * # "b" + 2', 7),
        ('P = # "a" >= 2 && 4 * # "b" >= # true', 4),
    ],
)
def test_the_largest_number(text: str, largest: int) -> None:
    inputs = program_inputs(parse(f"#alphabet a b\n{text}").core)
    assert inputs.values == {"T": largest}
    assert not inputs.notes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('#alphabet a b\nP = "a"', "the program counts nothing"),
        ('#alphabet a b c\nP = # "a" >= # "b"', "the program reads 3 letters, and O(T²) is shown for 2"),
        (
            '#alphabet a b\nP = #[i-1] "a" >= 1',
            "the program is in C-RASP[local], and O(T²) is shown without relations of positions",
        ),
    ],
)
def test_programs_outside_the_class(text: str, reason: str) -> None:
    assert program_inputs(parse(text).core).absent == {"T": reason}


def test_deeper_programs_have_no_computable_bound() -> None:
    inputs = program_inputs(parse('#alphabet a b\nC = # (# "a" >= # "b")\nP = C >= 1').core)
    assert inputs.absent == {"T": "the program has counting depth 2"}
    assert inputs.notes == (NO_BOUND,)


def test_a_predictor_does_not_read_its_end() -> None:
    text = '#alphabet a b EOS\noutput "a" = true\noutput "b" = # "a" >= 2\noutput "EOS" = true'
    assert program_inputs(parse(text).core).values == {"T": 2}


def test_values_count_more_than_reasons() -> None:
    said = BoundInputs(absent={"states": "none", "T": "none"}, notes=("a", "b"))
    both = together(automaton_inputs(3), said, said)
    assert both.values == {"states": Fraction(3)}
    assert both.absent == {"T": "none"}
    assert both.notes == ("a", "b")
