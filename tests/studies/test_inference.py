"""Tests of `studies.inference`."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.inference import (
    CASES,
    InferenceCase,
    approaching,
    inferred,
    threshold_program,
    told_apart,
)

# The study of the inference procedure, at its smallest.


def test_targets_in_the_class_are_found_and_others_are_not() -> None:
    rows = [inferred(case, "smoke") for case in CASES if case.target != "lib:dyck-1"]
    found = {(row.target, row.run.family.name, row.run.schedule.name): row.run for row in rows}
    assert found["lib:majority", "empty", "half"].n0 == 3
    assert found["aa", "periodic", "half"].n0 == 1
    assert all(found[name, "empty", "half"].n0 is None for name in ("parity-language", "sigma-be", "aa"))
    assert inferred(InferenceCase("aa", "periodic", longest=4), "laptop").run.to == 4
    slow = found["parity-language", "empty", "log"]
    assert all(step.errors for step in slow.steps)
    bounds = {row.target: row.automaton_bound for row in rows}
    assert (bounds["parity-language"], bounds["lib:majority"]) == (2, None)
    assert "parity-language, C-RASP[∅], t(n) = n/2" in {row.title for row in rows}


# F_α: the shortest input that tells two apart, against trying all inputs.


def accepts_threshold(alpha: Fraction, word: str) -> bool:
    """F_α: α times the ones is at least the zeros."""
    return alpha * word.count("1") >= word.count("0")


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
