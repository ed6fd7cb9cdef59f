from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members, length_rule, trained_to
from longreach.errors import Field, InputError
from longreach.experiments.resolve import resolve
from longreach.experiments.timed_training import LEAST_STEPS, SHARES, largest_share

TASKS = ("aa", "parity", "sort", "addition", "copy-repeat", "012-0-2", "regex:(a|b)*abb", "crasp:lib:dyck-1")


@pytest.mark.parametrize("task", TASKS)
def test_all_steps_are_the_members_of_the_laptop(task: str) -> None:
    """What `longreach train` has done is done here too."""
    members = first_members(Question(task=task, seeds=2), 1.0)
    wanted = [
        resolve(task, encoding, scale="laptop", seed=seed) for seed in (0, 1) for encoding in ("nope", "ape")
    ]
    assert [member.key for member in members] == [member.key for member in wanted]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("share", SHARES[1:])
def test_fewer_steps_change_nothing_else(task: str, share: float) -> None:
    whole = first_members(Question(task=task, seeds=1), 1.0)
    for member, full in zip(first_members(Question(task=task, seeds=1), share), whole, strict=True):
        assert LEAST_STEPS <= member.max_steps < full.max_steps
        assert abs(member.max_steps - share * full.max_steps) <= max(50, LEAST_STEPS)
        changed = {"max_steps", "evaluate_every", "warmup"}
        first, second = member.document(), full.document()
        assert {name for name in first if first[name] != second[name]} <= changed


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("works", [True, False])
def test_other_lengths_are_tested_on_the_same_long_inputs(task: str, works: bool) -> None:
    for member in first_members(Question(task=task, seeds=1), 0.5):
        known = {member.train_lengths.last: works}
        rule = length_rule(member)
        while lengths := rule.next_lengths(known):
            (length,) = lengths
            known[length] = works
            other = trained_to(member, length)
            assert (length < member.train_lengths.last) == works
            assert other.train_lengths == (member.train_lengths.first, length)
            assert other.test_lengths == (member.test_lengths[-1],)
            assert length < other.test_lengths[0].first
            assert (other.max_steps, other.seed) == (member.max_steps, member.seed)


@given(st.floats(1, 100_000))
def test_the_share_is_the_largest_that_fits(seconds: float) -> None:
    question = Question(task="binary-majority", seeds=1)
    share = largest_share(
        lambda share: first_members(question, share),
        seconds,
        lambda members: sum(each.max_steps for each in members),
    )
    fitting = [
        each for each in SHARES if sum(one.max_steps for one in first_members(question, each)) <= seconds
    ]
    assert share == max(fitting, default=SHARES[-1])


def test_too_short_inputs_name_what_can_be_chosen() -> None:
    for question in (Question(task="regex:a|ab"), Question(task="sort", train_to=100)):
        with pytest.raises(InputError, match=r"no input has a length in \d+:\d+, the longest") as caught:
            first_members(question, 1.0)
        assert caught.value.place == Field("train_to")
