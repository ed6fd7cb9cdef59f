"""Tasks from two functions: layout, vocabulary, sizes, and what is said where a function is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.forecast.task_forecast import forecast
from longreach.tasks.evidence import Evidence, Split
from longreach.tasks.function_task import FunctionTask
from longreach.tasks.task import Task
from tests.helpers.task_checks import assert_samples_are_right


def letters(length: int, rng: np.random.Generator) -> list[str]:
    return ["abc"[k] for k in rng.integers(0, 3, length)]


def doubled(x: Sequence[str]) -> list[str]:
    """Every letter twice."""
    return [letter for letter in x for _ in range(2)]


def test_the_layout_and_what_is_found() -> None:
    task = Task.from_function(letters, doubled)
    assert (task.name, task.about) == ("doubled", "Every letter twice")
    assert task.symbols == ("a", "b", "c")
    assert [task.answer_size(n) for n in (1, 7, 150)] == [2, 14, 300]
    assert_samples_are_right(task, doubled)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (lambda x: x[-1], lambda x: [x[-1]]),
        (lambda x: "a" in x, lambda x: ["yes" if "a" in x else "no"]),
        (lambda x: len(x) % 3, lambda x: [str(len(x) % 3)]),
        (lambda x: [letter for letter in x if letter == "a"], lambda x: [s for s in x if s == "a"]),
    ],
)
def test_one_answer_and_many(answer: Callable[..., Any], right: Callable[..., Any]) -> None:
    task = Task.from_function(letters, answer, name="mine", about="mine")
    assert_samples_are_right(task, right)
    assert task.input_size(10) <= 22


def test_what_is_said_is_kept() -> None:
    task = Task.from_function(
        letters, doubled, tokens="cbax", least_length=2, has=lambda n: n % 2 == 0, longest_answer=300,
        chance=0.25,
    )  # fmt: skip
    assert task.tokens == ("PAD", "SOS", "EOS", "SEP", "c", "b", "a", "x")
    assert task.lengths(0, 7).tolist() == [2, 4, 6]
    assert (task.answer_size(2), task.chance) == (300, 0.25)
    assert Task.from_function(letters, doubled, longest_answer=lambda n: 2 * n).answer_size(4) == 8
    again = [task.sample([4, 6], np.random.default_rng(5)).tokens.tolist() for _ in range(2)]
    assert again[0] == again[1]


def short(length: int, rng: np.random.Generator) -> list[str]:
    return ["a"] * (length - 1)


def fails(x: object, rng: object = None) -> list[str]:
    raise KeyError("oh")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"draw": short}, "mine: short(3, rng) gives 2 tokens, not 3: a a"),
        ({"draw": fails}, "mine: fails(3, rng) fails: KeyError: 'oh'"),
        ({"draw": lambda n, rng: [7] * n}, "mine: draw(3, rng): 7 is of type int; tokens are strings"),
        ({"draw": lambda n, rng: None}, "mine: draw(3, rng) gives None; expected a list of tokens"),
        ({"draw": lambda n, rng: sys.exit(3)}, "mine: draw(3, rng) fails: SystemExit: 3"),
        ({"draw": lambda n, rng: ["a b"] * n}, "mine: draw(3, rng): the token 'a b' is empty or has a blank"),
        (
            {"draw": lambda n, rng: ["EOS"] * n},
            "mine: draw(3, rng): the token EOS is one that the task needs",
        ),
        ({"answer": fails}, "mine: fails(a a a) fails: KeyError: 'oh'"),
        (
            {"answer": lambda x: None},
            "mine: answer(a a a) gives None; expected a list of tokens, a string,",
        ),
        ({"answer": lambda x: 1.5}, "mine: answer(a a a) gives 1.5; expected a list of tokens, a string,"),
        ({"answer": lambda x: sys.exit(3)}, "mine: answer(a a a) fails: SystemExit: 3"),
        ({"answer": lambda x: [1.5]}, "mine: answer(a a a): 1.5 is of type float; tokens are strings"),
        ({"answer": lambda x: "z"}, "mine: answer(a a a) has 'z', which is not among the tokens a b; name"),
        (
            {"answer": lambda x: x * 9, "longest_answer": 4},
            "mine: answer(a a a) has 27 tokens, more than the 4",
        ),
    ],
)
def test_functions_that_do_not_fit(settings: dict[str, Any], message: str) -> None:
    usual = {"draw": lambda n, rng: ["a"] * n, "answer": lambda x: x[-1], "longest_answer": 1}
    given = {**usual, **settings}
    task = Task.from_function(given.pop("draw"), given.pop("answer"), name="mine", tokens=["a", "b"], **given)
    with pytest.raises(InputError) as caught:
        task.sample([3], np.random.default_rng(0))
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_guessing_where_long_inputs_have_no_answer() -> None:
    def first(x: Sequence[str]) -> str:
        if len(x) > 40:
            raise ValueError("too long")
        return x[0]

    assert 0.25 < Task.from_function(letters, first, tokens="abc", longest_answer=1).chance < 0.45
    with pytest.raises(InputError, match="fails: KeyError"):
        _ = Task.from_function(letters, fails, tokens="abc", longest_answer=1).chance


def test_bad_settings() -> None:
    with pytest.raises(InputError, match="mine: tokens: 'a' stands there twice"):
        Task.from_function(letters, doubled, name="mine", tokens=["a", "a"])
    with pytest.raises(InputError, match="mine: tokens: the token SOS is one that the task needs itself"):
        Task.from_function(letters, doubled, name="mine", tokens=["SOS"])
    with pytest.raises(InputError, match="least_length: -1 is below 0"):
        Task.from_function(letters, doubled, name="mine", least_length=-1)


def test_the_forecast_of_an_object() -> None:
    task = Task.from_function(letters, doubled)
    found = forecast(task)
    # Twice the word is a copy: what is measured of the answers says no, to a length.
    assert {side.answer.value for side in found.sides.values()} == {"no"}
    assert found.sides["ape"].checked_to is not None
    unasked = forecast(task, budget=0)
    assert {side.answer.value for side in unasked.sides.values()} == {"undecided"}
    assert unasked.sides["ape"].reason == "a Python function: a forecast looks for evidence in its answers"
    whole = Evidence("communication", None, "the word must be told", split=Split(("a", "b")))
    known = Task.from_function(letters, doubled, nope=whole, ape=whole)
    assert {side.answer.value for side in forecast(known).sides.values()} == {"no"}
    assert isinstance(known, FunctionTask)


def test_guessing_is_tried_where_nothing_is_said() -> None:
    """One and the same answer to all long inputs."""

    def bits(length: int, rng: np.random.Generator) -> list[str]:
        return ["01"[k] for k in rng.integers(0, 2, length)]

    assert 0.4 < Task.from_function(bits, lambda x: x[0] == "1").chance < 0.65
    assert Task.from_function(bits, lambda x: "1" in x).chance == 1.0
    assert Task.from_function(bits, lambda x: x).chance == 0.0
    assert Task.from_function(bits, lambda x: x[0], chance=0.25).chance == 0.25
