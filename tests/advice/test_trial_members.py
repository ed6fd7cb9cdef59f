from __future__ import annotations

import pytest

from longreach.advice.task_to_remedies import remedies
from longreach.advice.trial_members import (
    SAME,
    AdviceQuestion,
    original_encoding,
    original_members,
    remedy_members,
)
from longreach.errors import InputError
from longreach.experiments.resolve import resolve
from longreach.forecast import forecast


@pytest.mark.parametrize(
    "task", ["parity", "addition", "copy-repeat", "aa", "regex:(aa)*", "cycle-navigation"]
)
@pytest.mark.parametrize("share", [1.0, 0.25])
def test_side_by_side_only_the_change_differs(task: str, share: float) -> None:
    question, found = AdviceQuestion(task=task, seeds=2), remedies(forecast(task))
    changed = remedy_members(question, found[0], share)
    plain = original_members(question, original_encoding(found, forecast(task).stored), changed[0])
    assert [member.seed for member in plain] == [member.seed for member in changed] == [0, 1]
    for one, other in zip(plain, changed, strict=True):
        assert all(getattr(one, name) == getattr(other, name) for name in SAME)
        assert one.train_lengths.last == other.train_lengths.last
        assert one.test_lengths == other.test_lengths
        assert (one.task, one.encoding) != (other.task, other.encoding)
    assert plain[0].test_lengths[-1].last == 3 * plain[0].train_lengths.last


def test_all_steps_are_the_members_of_the_laptop() -> None:
    found = remedies(forecast("parity"))
    for remedy in found:
        member = remedy_members(AdviceQuestion(task="parity", seeds=1), remedy, 1.0)[0]
        assert member == resolve(remedy.task, remedy.encoding, scale="laptop")


def test_another_training_length() -> None:
    question = AdviceQuestion(task="copy-repeat", train_to=7)
    member = remedy_members(question, remedies(forecast("copy-repeat"))[0], 1.0)[0]
    assert [lengths.name for lengths in member.ranges] == ["1-7", "8-14", "15-21"]
    with pytest.raises(InputError, match="train_to: 4 is not above the shortest input"):
        remedy_members(AdviceQuestion(task="addition", train_to=4), remedies(forecast("addition"))[0], 1.0)


@pytest.mark.parametrize("given", [{"minutes": -1}, {"minutes": float("nan")}, {"seeds": 0}, {"train_to": 0}])
def test_bad_questions(given: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(given))}: "):
        AdviceQuestion(task="parity", **given)  # type: ignore[arg-type]


def test_questions_are_the_same_by_what_they_ask() -> None:
    first = AdviceQuestion(task="addition+index-hints+reversed")
    assert first.document() == AdviceQuestion(task="addition+reversed+index-hints").document()
