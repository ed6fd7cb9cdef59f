"""F_α: the shortest input that tells two apart, against trying all inputs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.synthesis.threshold_functions import (
    accepts_threshold,
    approaching,
    threshold_program,
    told_apart,
)

ALPHAS = st.fractions(0, 3, max_denominator=7)


@given(ALPHAS, ALPHAS)
def test_no_shorter_input_tells_them_apart(first: Fraction, second: Fraction) -> None:
    if first == second:
        return
    found = told_apart(first, second)
    differing = [
        length
        for length in range(found.length + 1)
        for ones in range(length + 1)
        if accepts_threshold(first, "1" * ones + "0" * (length - ones))
        != accepts_threshold(second, "1" * ones + "0" * (length - ones))
    ]
    assert min(differing) == found.length


def test_the_length_grows_as_thresholds_approach() -> None:
    lengths = [pair.length for pair in approaching(Fraction(1, 3), 8)]
    assert lengths == sorted(lengths)
    assert lengths[-1] > 10 * lengths[0]


@given(st.fractions(0, 3, max_denominator=5), st.text("01", max_size=9))
def test_programs_compute_it(alpha: Fraction, word: str) -> None:
    assert threshold_program(alpha).accepts(list(word)) == accepts_threshold(alpha, word)


def test_equal_thresholds_are_refused() -> None:
    with pytest.raises(InputError, match="two different numbers"):
        told_apart(Fraction(1, 2), Fraction(2, 4))
