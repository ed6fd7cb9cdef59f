"""Tests of `answers.trials`."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.answers.advice import (
    SAME,
    Trials,
    advise,
    original_encoding,
    original_members,
    remedy_members,
    try_remedies,
)
from longreach.answers.forecast import forecast
from longreach.answers.question import Question
from longreach.answers.remedies import remedies
from longreach.errors import InputError
from longreach.runs.resolve import resolve
from longreach.runs.train import Nobody
from longreach.tasks.lengths import LengthRange
from tests.helpers.made_up_training import replace_training


@pytest.mark.parametrize(
    "task", ["parity", "addition", "copy-repeat", "aa", "regex:(aa)*", "cycle-navigation"]
)
@pytest.mark.parametrize("share", [1.0, 0.25])
def test_side_by_side_only_the_change_differs(task: str, share: float) -> None:
    question, found = Question(task=task, seeds=2), remedies(forecast(task))
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
        member = remedy_members(Question(task="parity", seeds=1), remedy, 1.0)[0]
        assert member == resolve(remedy.task, remedy.encoding, scale="laptop")


def test_another_training_length() -> None:
    question = Question(task="copy-repeat", train_to=7)
    member = remedy_members(question, remedies(forecast("copy-repeat"))[0], 1.0)[0]
    assert [lengths.name for lengths in member.ranges] == ["1-7", "8-14", "15-21"]
    with pytest.raises(InputError, match="train_to: 4 is not above the shortest input"):
        remedy_members(Question(task="addition", train_to=4), remedies(forecast("addition"))[0], 1.0)


@pytest.mark.parametrize("given", [{"minutes": -1}, {"minutes": float("nan")}, {"seeds": 0}, {"train_to": 0}])
def test_bad_questions(given: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(given))}: "):
        Question(task="parity", **given)  # type: ignore[arg-type]


def test_questions_are_the_same_by_what_they_ask() -> None:
    first = Question(task="addition+index-hints+reversed")
    assert first.document() == Question(task="addition+reversed+index-hints").document()


# Remedies tried with made-up training: who is trained, in which order, and when it ends.


def _tried(task: str, runs: Path, minutes: float = 5.0, seeds: int = 2) -> Trials:
    known = forecast(task)
    question = Question(command="advise", task=task, minutes=minutes, seeds=seeds)
    return try_remedies(question, known, remedies(known), runs, progress=Nobody())


def test_no_minutes_no_trials(tmp_path: Path) -> None:
    assert _tried("parity", tmp_path, minutes=0) == Trials()
    assert _tried("sort", tmp_path) == Trials()
    assert list(tmp_path.iterdir()) == []


def test_a_remedy_that_works_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    found = _tried("copy-repeat", tmp_path)
    assert [[(each.encoding, each.seed) for each in members] for members in asked] == [
        [("ape", 0), ("coupled-local", 0), ("ape", 1), ("coupled-local", 1)]
    ]
    assert found.original is not None
    assert (found.original.tally.works, found.original.encoding) == (False, "ape")
    assert found.working is not None
    remedy, trial = found.working
    assert (remedy.encoding, trial.tally.work, found.failed, found.untried) == (
        "coupled-local",
        2,
        (),
        (),
    )
    lengths = trial.tested
    assert (trial.span(lengths), found.original.span(lengths)) == ((1.0, 1.0), (0.0, 0.0))
    assert trial.span(LengthRange(1000, 2000)) is None
    assert trial.document()["work"] == 2


def test_after_a_failure_comes_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: "index-hints" in member.task)
    found = _tried("copy-repeat", tmp_path)
    assert [members[-1].task for members in asked] == ["copy-repeat", "copy-repeat+index-hints"]
    assert [remedy.encoding for remedy in found.failed] == ["coupled-local"]
    assert found.working is not None
    assert found.working[0].task == "copy-repeat+index-hints"


def test_all_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: False)
    found = _tried("parity", tmp_path)
    assert found.working is None
    assert len(found.failed) == 2


def test_what_does_not_fit_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: False, seconds=10_000.0)
    found = _tried("copy-repeat", tmp_path, minutes=2, seeds=3)
    assert len(asked) == 1
    assert found.share < 1
    ((remedy, seconds),) = found.untried
    assert remedy.task == "copy-repeat+index-hints"
    assert seconds > 0


def test_the_plan_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: None, seconds=60.0)
    first = _tried("copy-repeat", tmp_path, minutes=2)
    asked = replace_training(monkeypatch, lambda member: True, seconds=0.0)
    again = _tried("copy-repeat", tmp_path, minutes=2)
    assert again.share == first.share < 1
    assert again.working is not None
    assert len(asked) == 1
    assert _tried("copy-repeat", tmp_path, minutes=2).working is not None
    assert len(asked) == 1  # everything is there


def test_an_interruption_keeps_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: False if member.seed == 0 else None, interrupt=True)
    found = _tried("copy-repeat", tmp_path)
    assert found.interrupted
    assert len(asked) == 1
    assert found.original is not None
    assert (found.original.tally.runs, found.original.planned) == (1, 2)


def test_a_remedy_without_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are 200 hints: inputs three times as long as 150 have none."""
    replace_training(monkeypatch, lambda member: False)
    found = advise("copy-repeat", runs=tmp_path, train_to=150)
    assert [remedy.name for remedy, _ in found.trials.refused] == ["copy-repeat+index-hints with ape"]
