"""Programs that are searched for, from nothing but answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.forecast.synthesized_program import synthesized_program
from longreach.tasks.task import Task

Word = tuple[str, ...]


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def _more(x: Word) -> bool:
    return x.count("a") > x.count("b")


def _inputs(task: Task) -> dict[Word, Word]:
    return {x: task.answer(x) for size in range(1, 6) for x in product("ab", repeat=size)}


def test_a_function_with_two_answers() -> None:
    task = Task.from_function(_word, _more)
    found = synthesized_program(task, "nope", _inputs(task), left=lambda: 10.0)
    assert found is not None
    core = found.program.core
    assert core.is_predictor
    assert core.relations == ()
    assert found.longest == 60
    assert {token for token, _ in core.outputs} == {"yes", "no", "EOS"}


def test_a_predicate() -> None:
    found = synthesized_program(Task.from_predicate(_more, "ab"), "nope", {}, left=lambda: 10.0)
    assert found is not None
    assert not found.program.core.is_predictor
    assert found.program.accepts("aab")
    assert not found.program.accepts("ab")


@pytest.mark.parametrize("answer", [lambda x: x, lambda x: (x[0], x[0]), lambda x: x.count("a") * 10])
def test_answers_that_are_long_or_many_are_left_alone(answer: object) -> None:
    task = Task.from_function(_word, answer)  # type: ignore[arg-type]
    assert synthesized_program(task, "nope", _inputs(task), left=lambda: 10.0) is None


def test_no_time_no_program() -> None:
    task = Task.from_function(_word, _more)
    assert synthesized_program(task, "nope", _inputs(task), left=lambda: -1.0) is None
