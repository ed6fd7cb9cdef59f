"""Expressions as data: sorts, arguments, and what Python may do with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longreach.errors import InputError
from longreach.theory.crasp.syntax import Expr, SortMismatch, conditional, count, position, token

P, Q, A, B = token("p"), token("q"), count("a"), count("b")


@pytest.mark.parametrize("use", [bool, lambda e: e and True, lambda e: not e, lambda e: 1 < e < 3])
def test_expressions_have_no_truth_value(use: Callable[[Expr], object]) -> None:
    with pytest.raises(TypeError, match=r"use &, \|, ~ instead of and, or, not"):
        use(A)


def test_expressions_can_be_keys() -> None:
    assert {P: 1, Q: 2}[Q] == 2
    assert len({A, B, A}) == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: A & P, "'&&' takes a Boolean on its left, not a count"),
        (lambda: P + 1, "'+' takes a count on its left, not a Boolean"),
        (lambda: P == Q, "to compare Booleans write p <=> q"),
        (lambda: A + True, "'+' takes a count on its right, not a Boolean"),
        (lambda: ~A, "'!' takes a Boolean, not a count"),
        (lambda: count(3), "'#' takes a Boolean, not a count"),
        (lambda: A * B, "'*' takes an integer and a count"),
        (lambda: conditional(P, Q, 1), "the first value must be a count, not a Boolean"),
    ],
)
def test_sorts_are_checked(build: Callable[[], Expr], message: str) -> None:
    with pytest.raises(SortMismatch) as caught:
        build()
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: token(""), "non-empty"),
        (lambda: count("a", -1), "looks back"),
        (lambda: count("a", 10**7), "at most 1000000"),
        (lambda: count("a", 1, before=True), "not both"),
        (lambda: position(0, 0), "at least 1"),
        (lambda: position(3, 3), "0 … 2"),
        (lambda: position(3), "0 … 2"),
    ],
)
def test_bad_arguments(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert message in caught.value.message
