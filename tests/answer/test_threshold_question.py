from __future__ import annotations

import numpy as np
import pytest

from longreach.answer.threshold_question import ThresholdQuestion
from longreach.answer.threshold_rule import Doubling, Grid
from longreach.config.length_range import LengthRange
from longreach.errors import InputError
from longreach.experiments.resolve import resolve


@pytest.mark.parametrize("task", ["aa", "sort", "regex:(a|b)*abb", "addition", "crasp:lib:dyck-1"])
def test_at_three_times_the_members_are_those_of_train(task: str) -> None:
    question = ThresholdQuestion(task=task, encoding="nope")
    usual = resolve(task, "nope")
    assert question.member(usual.train_lengths.last, 0).key == usual.key


@pytest.mark.parametrize("length", [30, 31, 32, 60, 100])
def test_a_fixed_length_is_tested_in_its_upper_third(length: int) -> None:
    question = ThresholdQuestion(task="sort", to=length)
    tested = question.tested(1)
    lengths = [each for each in range(1, length + 1) if 3 * each > 2 * length]
    assert tested == (lengths[0], lengths[-1])
    rule = question.rule
    assert isinstance(rule, Doubling)
    assert rule.most == tested.first - 1
    for train_to in (rule.least, rule.most):
        member = question.member(train_to, 1)
        assert (member.train_lengths, member.test_lengths) == (LengthRange(1, train_to), (tested,))
    if length % 3 == 0:
        assert tested == ThresholdQuestion(task="sort").tested(length // 3)


def test_every_length_that_may_be_tried_has_inputs() -> None:
    question = ThresholdQuestion(task="regex:(aaaaaaa)*")
    rule, task = question.rule, question.loaded
    assert isinstance(rule, Doubling)
    for length in range(rule.least, rule.most + 1):
        for lengths in question.member(length, 0).ranges:
            assert task.has(np.arange(lengths.first, lengths.last + 1)).any()


def test_lengths_that_are_given_are_taken_once() -> None:
    rule = ThresholdQuestion(task="aa", lengths=(10, 5, 10)).rule
    assert rule == Grid(lengths=(10, 5))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": 0}, "seeds: 0 is less than 1"),
        ({"within": 0}, "within: 0 is less than 1"),
        ({"most": -2}, "most: -2 is less than 1"),
        ({"to": 0}, "to: 0 is less than 1"),
        ({"to": 10**9}, "to: 1000000000 is more than 20000"),
        ({"lengths": (5, 10**9)}, "lengths: not all are from 1 to 20000"),
        ({"lengths": ()}, "lengths: none is given"),
        ({"lengths": (0,)}, "lengths: not all are from 1 to 20000"),
        ({"to": 1}, "to: 1 is less than the shortest input, of length 2"),
        ({"to": 3}, "to: no input has a length from 3 to 3"),
        ({"to": 4}, "to: 4 leaves no training length between the shortest input, of length 2, "),
        ({"most": 2}, "most: no length from 3 to 2 has inputs 2 to 3 times as long"),
        ({"to": 60, "lengths": (5, 50)}, "lengths: 50 is not possible: lengths from 3 to 40 are"),
        ({"lengths": (1,)}, "lengths: 1 is not possible"),
        ({"encoding": "ropes"}, "encoding: unknown encoding 'ropes'"),
        ({"settings": {"width": 7}}, "width: 7 is not a multiple of 4 heads"),
        ({"task": "regex:a|bb"}, "task: no length from 2 to 40 has inputs 2 to 3 times as long"),
        ({"task": "aaa"}, "task: no task is named 'aaa'"),
    ],
)
def test_bad_input(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        ThresholdQuestion(**{"task": "aa", **given})  # type: ignore[arg-type]
    assert str(error.value).startswith(message)
