"""Tests of `tasks.arithmetic`."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.arithmetic import BooleanExpressions, Multiplication
from tests.helpers.enumeration import chi_square_is_usual
from tests.helpers.task_oracles import formula, multiplied

SYMBOLS = ("0", "1", "and", "or", "not")


def _formulas(length: int) -> list[tuple[str, ...]]:
    found = []
    for word in product(SYMBOLS, repeat=length):
        try:
            formula(word)
        except (AssertionError, IndexError):
            continue
        found.append(word)
    return found


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_formulas_are_uniform_given_their_operators(length: int) -> None:
    task, formulas = BooleanExpressions(), _formulas(length)
    size = 100 * len(formulas)
    batch = task.sample([length] * size, np.random.default_rng(0))
    found = Counter(tuple(task.decode(row.tolist())) for row in batch.tokens[:, 1 : 1 + length])
    assert set(found) == set(formulas)
    groups: dict[int, list[int]] = {}
    for word in formulas:
        groups.setdefault(sum(token in ("and", "or") for token in word), []).append(found[word])
    # The number of binary operators is uniform, and so are the formulas with each.
    assert sorted(groups) == list(range((length - 1) // 2 + 1))
    for counts in groups.values():
        assert abs(sum(counts) - size / len(groups)) < 5 * size**0.5
        assert chi_square_is_usual(counts, sum(counts) / len(counts))


def test_what_is_no_formula() -> None:
    task = BooleanExpressions()
    for word in (["and", "1"], ["1", "1"], [], ["xor", "1", "1"], ["not"]):
        with pytest.raises(InputError):
            task.answer(word)


def test_what_comes_next_is_said_for_all_lengths() -> None:
    task = BooleanExpressions()
    letters = {"a": ("not", "and", "1"), "b": ("and", "not", "0"), "c": ("or", "not", "0"), "d": "not"}
    automaton = task.continuation(letters, ("or", "0", "1", "SEP"), "1")
    assert automaton is not None
    for length in range(5):
        for word in product("abcd", repeat=length):
            x = [s for letter in word for s in ([letters[letter]] if letter == "d" else letters[letter])]
            assert automaton.accepts(word) == (formula([*x, "or", "0", "1"]) == ["1"])
    for letters, after in (
        ({"a": "and"}, ("1", "SEP")), ({"a": "1"}, ("1", "SEP")), ({"a": "not"}, ("SEP",)),
        ({"a": "not"}, ("1",)), ({"a": "not"}, ("1", "1", "SEP")), ({"a": "x"}, ("1", "SEP")),
    ):  # fmt: skip
        assert task.continuation(letters, after, "1") is None


def test_short_factors() -> None:
    words = ["".join(bits) for size in (1, 2, 3) for bits in product("01", repeat=size)]
    for first in words:
        for second in words:
            x = f"{first}*{second}="
            assert list(Multiplication().answer(x)[:-1]) == multiplied(x)


def test_lengths_of_factors_are_uniform() -> None:
    batch = Multiplication().sample([8] * 3000, np.random.default_rng(0))
    firsts = (batch.tokens[:, 1:9] == Multiplication().tokens.index("*")).argmax(axis=1)
    assert np.bincount(firsts, minlength=6)[1:6].min() > 500
