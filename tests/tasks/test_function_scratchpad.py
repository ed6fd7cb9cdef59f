from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.changed_task import changed_task
from longreach.tasks.function_scratchpad import written
from longreach.tasks.task import Task
from tests.helpers.task_checks import assert_samples_are_right


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return [str(bit) for bit in rng.integers(0, 2, length)]


def _total(x: tuple[str, ...]) -> int:
    return sum(map(int, x)) % 3


def _totals(x: tuple[str, ...]) -> list[str]:
    return [f"s{total % 3}" for total in accumulate(map(int, x))]


def test_steps_then_the_answer() -> None:
    task = changed_task(Task.from_function(_bits, _total, name="modulo-3", steps=_totals), ["scratchpad"])
    assert task.name == "modulo-3+scratchpad"
    assert set(task.tokens) >= {"s0", "s1", "s2", "0", "1", "2"}

    def oracle(x: list[str]) -> list[str]:
        ones = [x[: end + 1].count("1") for end in range(len(x))]
        return [*(f"s{count % 3}" for count in ones), str(ones[-1] % 3)]

    assert_samples_are_right(task, oracle)


def test_a_task_without_steps_says_what_is_missing() -> None:
    with pytest.raises(InputError, match=r"modulo-3\+scratchpad: say which steps"):
        changed_task(Task.from_function(_bits, _total, name="modulo-3"), ["scratchpad"])


def test_steps_that_fail_are_named() -> None:
    def broken(x: tuple[str, ...]) -> list[str]:
        raise ValueError("no steps today")

    task = changed_task(Task.from_function(_bits, _total, name="mine", steps=broken), ["scratchpad"])
    with pytest.raises(InputError, match=r"broken\(.*\) fails: ValueError: no steps today"):
        task.answer(("0", "1"))


def test_what_functions_may_give() -> None:
    assert written("ab") == ("ab",)
    assert written(False) == ("no",)
    assert written(np.array(["a"])) == ("a",)
