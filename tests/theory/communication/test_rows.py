"""Rows from answers. Oracles: the definition, pair by pair, and the exact count of the whole matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.theory.communication.complexity import measure
from longreach.theory.communication.problems import problem
from longreach.theory.communication.rows import (
    Cut,
    DrawnPairs,
    MeasuredRows,
    SpreadRows,
    inputs_to_follow,
    is_followed,
    is_linear,
    rows_of_function,
    rows_of_inputs,
    told_apart,
)

Word = tuple[str, ...]
LENGTH = 4


@given(
    st.dictionaries(st.tuples(*[st.sampled_from("ab")] * LENGTH), st.integers(0, 2), min_size=1),
    st.integers(1, 4),
)
@settings(deadline=None)
def test_any_two_are_told_apart_by_an_end_that_both_have(inputs: dict[Word, int], cut: int) -> None:
    count, starts = told_apart(inputs, cut)
    assert count == len(starts) >= 1
    for first, second in combinations(starts, 2):
        ends = [word[cut:] for word in inputs if word[:cut] == first and (*second, *word[cut:]) in inputs]
        assert any(inputs[*first, *end] != inputs[*second, *end] for end in ends)


@given(st.lists(st.integers(0, 1), min_size=16, max_size=16), st.integers(1, 3))
@settings(deadline=None)
def test_of_a_whole_matrix_they_are_the_distinct_rows(answers: list[int], cut: int) -> None:
    inputs = dict(zip(product("ab", repeat=LENGTH), answers, strict=True))
    ends = list(product("ab", repeat=LENGTH - cut))
    rows = {tuple(inputs[*start, *end] for end in ends) for start in product("ab", repeat=cut)}
    assert told_apart(inputs, cut)[0] == len(rows)


def _balanced(word: Word) -> bool:
    stack: list[str] = []
    for letter in word:
        if letter in "([":
            stack.append(letter)
        elif not stack or stack.pop() + letter not in ("()", "[]"):
            return False
    return not stack


FUNCTIONS: dict[str, tuple[Callable[[Word], Hashable], str, bool]] = {
    "copy": (lambda w: w, "ab", True),
    "equality": (lambda w: w[: len(w) // 2] == w[len(w) // 2 :], "ab", True),
    "dyck-2": (_balanced, "([)]", True),
    "reverse of three letters": (lambda w: w[::-1], "abc", True),
    "dyck-1": (_balanced, "()", False),
    "majority": (lambda w: 2 * w.count("a") >= len(w), "ab", False),
    "parity": (lambda w: w.count("a") % 2, "ab", False),
    "mode": (lambda w: max(sorted(set(w)), key=w.count), "abc", False),
    "sorting": (lambda w: tuple(sorted(w)), "abcdef", False),
    "last letters": (lambda w: w[-3:], "ab", False),
    "constant": (lambda w: "x", "a", False),
    "equality over three letters": (lambda w: w[: len(w) // 2] == w[len(w) // 2 :], "abc", True),
    "increment": (lambda w: bin(int("".join(w), 2) + 1), "01", True),
    "rotate": (lambda w: (*w[1:], *w[:1]), "ab", True),
    "inner product": (
        lambda w: sum(a == b == "b" for a, b in zip(w, w[len(w) // 2 :], strict=False)) % 2, "ab", True,
    ),
    "first half above the second": (lambda w: w[: len(w) // 2] > w[len(w) // 2 :], "ab", True),
    "every second letter": (lambda w: w[::2], "ab", True),
    "every second letter from the second on": (lambda w: w[1::2], "ab", True),
    "every fourth letter": (lambda w: w[::4], "ab", False),
}  # fmt: skip
WINDOWS: dict[str, tuple[Callable[[Word], Hashable], str]] = {
    "first 8": (lambda w: w[:8], "ab"),
    "last 8": (lambda w: w[-8:], "ab"),
    "first 8 of four letters": (lambda w: w[:8], "abcd"),
    "last 30": (lambda w: w[-30:], "ab"),
    "first 20 and last 20": (lambda w: w[:20] + w[-20:], "ab"),
    "first 7 = last 7": (lambda w: w[:7] == w[-7:], "ab"),
    "first 7 = last 7 backwards": (lambda w: w[:7] == w[-7:][::-1], "abc"),
    "first 25 = last 25": (lambda w: w[:25] == w[-25:], "ab"),
    "every second of the first 16": (lambda w: w[:16:2], "ab"),
    "the 12 in the middle": (lambda w: w[max(0, len(w) // 2 - 6) : len(w) // 2 + 6], "ab"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_linear_growth_is_linear(name: str) -> None:
    answer, letters, linear = FUNCTIONS[name]
    found = rows_of_function(answer, letters)
    assert found is not None
    assert found.exhaustive
    assert found.linear == linear
    assert found.bits == tuple(map(math.log2, found.rows))


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_look_linear_and_are_not(name: str) -> None:
    """Up to the window all letters count; with letters free all over a long word, most do not."""
    answer, letters = WINDOWS[name]
    found = rows_of_function(answer, letters)
    assert found is not None
    assert not found.linear
    if found.grows:
        last = found.followed[-1]
        assert isinstance(last, SpreadRows)
        assert last.length >= 3 * found.lengths[-1]
        assert math.log2(last.rows) < 0.8 * last.free


def test_long_words_are_filled_in_spread_places() -> None:
    spread = SpreadRows(length=10, free=2, alice=("a",), bob=("c", "d"), mirrored=True, rows=4)
    words = list(spread.words(Cut(alice=("a", "b"), bob=("c", "d"), size=None)))
    assert len(words) == len({*words}) == 16
    assert {word[place] for word in words for place in range(10) if place not in (2, 7)} == {"a"}
    assert {word[19 - place] for word in words for place in (1, 3, 5, 9)} == {"d"}
    assert all({word[19 - place] for word in words} == {"c", "d"} for place in (2, 7))


def test_a_function_of_short_words_is_not_followed() -> None:
    def answer(word: Word) -> Word:
        if len(word) > 15:
            raise InputError("too long")
        return word

    found = rows_of_function(answer, "ab")
    assert found is not None
    assert found.grows
    assert not found.linear


@pytest.mark.parametrize(
    ("far", "good"),
    [
        (SpreadRows(length=100, free=8, alice=("a",), bob=(), mirrored=False, rows=200), True),
        (SpreadRows(length=100, free=8, alice=("a",), bob=(), mirrored=False, rows=50), False),
        (SpreadRows(length=100, free=4, alice=("a",), bob=(), mirrored=False, rows=16), False),
        (SpreadRows(length=16, free=8, alice=("a",), bob=(), mirrored=False, rows=256), False),
        (DrawnPairs(length=40, inputs=inputs_to_follow([8.0]), same=0), True),
        (DrawnPairs(length=40, inputs=inputs_to_follow([8.0]), same=3), False),
        (DrawnPairs(length=40, inputs=400, same=0), False),
    ],
)
def test_what_follows_eight_bits_of_eight_letters(far: SpreadRows | DrawnPairs, good: bool) -> None:
    assert is_followed(range(1, 9), [float(n) for n in range(1, 9)], [far]) == good


@pytest.mark.parametrize("name", ["binary-majority", "dyck-1", "equality"])
def test_rows_are_those_that_are_counted_exactly(name: str) -> None:
    """Half and half over two letters, as `communicate` counts them."""
    mine = {"binary-majority": "majority", "dyck-1": "dyck-1", "equality": "equality"}[name]
    answer, letters, _ = FUNCTIONS[mine]
    found = rows_of_function(answer, letters)
    assert found is not None
    assert found.cut.size is None
    assert found.rows == measure(problem(name), 6).rows


def _drawn(name: str, count: int) -> MeasuredRows | None:
    task, rng = load_task(name), np.random.default_rng(0)
    inputs: dict[int, dict[Word, Hashable]] = {}
    for length in task.lengths(task.least_length, task.least_length + 6).tolist():
        batch = task.sample([length] * count, rng)
        words = {tuple(task.decode(row[1 : 1 + length].tolist())) for row in batch.tokens}
        inputs[length] = {word: task.answer(word) for word in words}
    return rows_of_inputs(inputs)


@pytest.mark.parametrize(
    ("name", "linear"),
    [
        ("addition", True),
        ("copy-repeat", True),
        ("binary-majority", False),
        ("majority", False),
        ("sort", False),
        ("copy-unique", False),
        ("bucket-sort", False),
    ],
)
def test_drawn_inputs_of_the_benchmark(name: str, linear: bool) -> None:
    found = _drawn(name, 4000 if linear else 700)
    assert found is not None
    assert not found.exhaustive
    assert found.grows == linear
    assert not found.linear  # drawn inputs are followed by who can draw longer ones


def test_few_lengths_and_few_symbols_are_no_reason() -> None:
    assert is_linear(range(1, 7), range(1, 7), 2)
    assert not is_linear(range(1, 6), range(1, 6), 2)
    assert not is_linear(range(1, 7), range(1, 7), 6)
    assert not is_linear([8, 9, 10], [8, 9, 10], 2)


@pytest.mark.parametrize("power", [1, 2, 3, 4, 6])
def test_powers_of_the_length_are_not_linear(power: int) -> None:
    lengths = range(1, 11)
    assert not is_linear(lengths, [power * math.log2(n + 1) for n in lengths], 2)


def test_nothing_is_measured_of_no_inputs() -> None:
    assert rows_of_inputs({}) is None
    assert rows_of_inputs({3: {}}) is None
