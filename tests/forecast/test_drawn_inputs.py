"""Which words are inputs, as far as drawing tells."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.forecast.black_box_to_verdicts import black_box_sides
from longreach.forecast.drawn_inputs import draw_inputs, every_word_to
from longreach.tasks.catalog import load_task
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import Task


@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("parity", True),
        ("copy-repeat", True),
        ("addition", False),
        ("binary-majority", False),
        ("binary-majority-interleave", False),
        ("sort", False),
        ("majority", False),
    ],
)
def test_tasks_of_the_benchmark(name: str, every: bool) -> None:
    task = load_task(name)
    assert isinstance(task, SequenceTask)
    drawn = draw_inputs(task, left=lambda: 1.0)
    assert (every_word_to(task, drawn) > 0) == every
    for words in drawn.inputs.values():
        for x, y in list(words.items())[:20]:
            assert task.answer(x) == y


def test_without_time_little_is_drawn() -> None:
    task = load_task("parity")
    assert isinstance(task, SequenceTask)
    assert list(draw_inputs(task, left=lambda: -1.0).inputs) == [1]


def test_a_rare_word_is_waited_for_and_a_missing_one_is_not_an_input() -> None:
    def rare(length: int, rng: np.random.Generator) -> list[str]:
        return ["ab"[k] for k in (rng.random(length) < 0.3).astype(int)]

    def without_bb(length: int, rng: np.random.Generator) -> list[str]:
        return list("".join("ab"[k] for k in rng.integers(0, 2, length)).replace("bb", "ab"))

    for draw, every in ((rare, True), (without_bb, False)):
        task = Task.from_function(draw, lambda x: "a")
        assert (every_word_to(task, draw_inputs(task, left=lambda: 1.0)) > 0) == every


def test_an_input_with_two_answers_is_no_function() -> None:
    def word(length: int, rng: np.random.Generator) -> list[str]:
        return ["ab"[k] for k in rng.integers(0, 2, length)]

    turns = itertools.cycle("abb")
    task = Task.from_function(word, lambda x: next(turns), name="by turns", tokens="ab", longest_answer=1)
    with pytest.raises(InputError, match=r"^by turns: [ab] has different answers, [ab] EOS and [ab] EOS$"):
        draw_inputs(task, left=lambda: 1.0)
    found = black_box_sides(task, "mine", ["nope", "ape"], seconds=1.0)
    assert {verdict.answer.value for verdict in found.values()} == {"undecided"}
    assert "has different answers" in found["nope"].reason
