from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from longreach.errors import InputError
from longreach.tasks.modular_arithmetic import ModularArithmetic
from longreach.tasks.regular_answer import UNDEFINED
from tests.helpers.task_checks import assert_samples_are_right, least_share, statuses


def _literal(x: Sequence[str]) -> list[str]:
    """Two passes over a list: products first, then sums from the left."""
    work: list[str | int] = [int(token) if token.isdigit() else token for token in x]
    for operators in ("*", "+-"):
        place = 1
        while place < len(work):
            if work[place] in list(operators):
                left, operator, right = work[place - 1 : place + 2]
                assert isinstance(left, int)
                assert isinstance(right, int)
                value = left * right if operator == "*" else left + right if operator == "+" else left - right
                work[place - 1 : place + 2] = [value]
            else:
                place += 2
    (value,) = work
    assert isinstance(value, int)
    return [str(value % 5)]


def test_examples_of_the_authors() -> None:
    for text, value in (("1+2*3", "2"), ("1-1-1", "4"), ("0*1+4*3-2", "0")):
        assert ModularArithmetic().answer(list(text)) == (value, "EOS") == (*_literal(text), "EOS")


def test_samples() -> None:
    assert_samples_are_right(ModularArithmetic(), _literal)
    assert least_share(ModularArithmetic(), 41) > 0.12
    assert ModularArithmetic().lengths(1, 6).tolist() == [1, 3, 5]


def test_forecast() -> None:
    assert statuses("modular-arithmetic") == {"nope": ("no", "valid"), "ape": ("no", "valid")}


def test_the_automaton_knows_expressions() -> None:
    task = ModularArithmetic()
    for length in (1, 2, 3, 4):
        for word in product("014+-*", repeat=length):
            try:
                right = _literal(word)[0] if length % 2 and _is_expression(word) else UNDEFINED
            except (AssertionError, ValueError):
                right = UNDEFINED
            assert task.machine.class_of(word) == right
            if right == UNDEFINED:
                with pytest.raises(InputError, match="is no expression"):
                    task.answer(word)


def _is_expression(word: Sequence[str]) -> bool:
    return all(token.isdigit() == (place % 2 == 0) for place, token in enumerate(word))
