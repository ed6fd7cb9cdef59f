"""Tests of `answers.bounds`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longreach.answers.bound_subject import task_subject
from longreach.answers.bounds import bound_lines, bounds_note, bounds_of, task_bounds
from longreach.answers.forecast import forecast
from longreach.answers.threshold import threshold
from longreach.config.run import RunConfig
from longreach.runs import timed as timed_training
from longreach.tasks.names import NUMBER_FAMILIES, example
from longreach.theory.bounds.theorems import NO_BOUND
from longreach.training.result import Final, Result, Timings, range_number, write_result

# From which training length on, where answers are numbers: by the loss instead of the accuracy.


Losses = Callable[[RunConfig], tuple[float, float]]
"""On the lengths of training, and on longer ones."""


def _replace_training(monkeypatch: pytest.MonkeyPatch, losses: Losses) -> list[tuple[int, int]]:
    asked: list[tuple[int, int]] = []

    def train(members: Sequence[RunConfig], runs: Path, **_: Any) -> dict[str, Any]:
        for member in members:
            asked.append((member.train_lengths.last, member.seed))
            first, longer = losses(member)
            values = [first, *[longer] * len(member.test_lengths)]
            names = [range_number("loss", each.name) for each in member.ranges]
            other = dict(zip(names, values, strict=True)) | {"L": 2.0 + member.seed}
            write_result(
                runs,
                Result(
                    key=member.key, config=member.document(), seed=member.seed, status="done", code="0",
                    packages={}, timings=Timings(started="2026-01-31T12:00:00Z", seconds=1.0),
                    final=Final(steps=10, reached=True, other=other),
                ),
            )  # fmt: skip
        return {}

    monkeypatch.setattr(timed_training, "train_pending", train)
    monkeypatch.setattr(timed_training, "seconds_of", lambda members: dict.fromkeys(members, 0.0))
    return asked


def test_it_finds_the_length_from_which_on_the_loss_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _replace_training(monkeypatch, lambda member: (0.0, 0.08 / member.train_lengths.last))
    found = threshold("simple-task:omega=2", to=90, runs=tmp_path)
    assert found.threshold == 8
    assert [length for length, seed in asked if seed == 0] == [5, 10, 20, 40, 7, 8]
    assert (found.words, found.question.encoding, found.title) == ("from 8 on", "nope", "simple-task:omega=2")
    document = found.document()
    assert document["loss"] == 0.01
    assert document["points"][0]["loss"] == [0.016, 0.016]
    assert document["points"][0]["accuracy"] == []
    assert document["points"][0]["tested"] == "61-90"


def test_another_loss_gives_another_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _replace_training(monkeypatch, lambda member: (0.0, 0.08 / member.train_lengths.last))
    assert threshold("simple-task", to=90, loss=0.005, runs=tmp_path).threshold == 16


def test_bounds_have_the_largest_norm_of_the_runs_at_the_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _replace_training(monkeypatch, lambda member: (0.0, 0.08 / member.train_lengths.last))
    found = threshold("modp-task:p=3", loss=0.01, runs=tmp_path)
    assert (found.threshold, found.norm) == (8, 3.0)
    wanted = bounds_of("modp-task:p=3,k=0", 3.0, 0.01)
    assert [each["value"] for each in found.document()["theory"]["bounds"]] == [
        each.value.number() for each in wanted
    ]
    assert found.document()["theory"]["bounds"][0]["bound_by_measured"] is None  # its constants are unknown
    assert all("up to constants: " in line for line in found.bounds_words)
    assert "half right" not in found.sentence


def test_it_gives_up_where_training_lengths_are_not_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _replace_training(monkeypatch, lambda member: (0.5, 0.5))
    found = threshold("in-context-kgram", runs=tmp_path)
    assert (found.threshold, found.stopped) == (None, "not learned")
    assert asked == [(5, 0), (5, 1)]
    assert "good on its own training lengths" in found.remarks[0]


@pytest.mark.parametrize("family", NUMBER_FAMILIES)
def test_every_family_is_trained_for_real(tmp_path: Path, family: str) -> None:
    found = threshold(example(family), lengths=[4], seeds=1, scale="smoke", minutes=None, runs=tmp_path)
    (cell,) = found.cells
    assert (cell.train_to, cell.tested.name, cell.tally.runs) == (4, "9-12", 1)
    assert cell.values[0] > 0
    assert found.document()["loss"] == NUMBER_FAMILIES[family].loss
    assert "squared error" in found.plot().get_ylabel()
    assert f"{cell.values[0]:.2g}" in found._repr_html_()


# Bounds of tasks: by automaton, by program, by the compiled program.


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("tomita-4", {"automaton": 6}),
        ("regex:(a|b)*a(a|b)*", {"automaton": 2, "depth-one": 1}),
        ("crasp:lib:majority", {"depth-one": 1}),
        ("dyck-1", {}),
        ("addition", {}),
    ],
)
def test_bounds_without_a_model(task: str, expected: dict[str, int]) -> None:
    found = forecast(task).bounds
    assert {each.definition.name: each.value.number() for each in found.bounds} == expected


def test_what_is_said() -> None:
    tomita, dyck, addition = (forecast(name).bounds for name in ("tomita-4", "dyck-1", "addition"))
    assert bound_lines(tomita) == ["6 (automaton: 2n − 2)"]
    assert bound_lines(dyck) == [NO_BOUND]
    assert bound_lines(forecast("crasp:lib:majority").bounds) == ["O(T²) with T = 1 (depth-one)"]
    assert bound_lines(addition) == []
    assert "simplest function" in bounds_note(tomita)
    assert NO_BOUND in bounds_note(dyck)
    assert bounds_note(addition).startswith("no bound on the training length is known without a model")


def test_the_compiled_program() -> None:
    found = forecast("crasp:lib:majority")
    subject = task_subject(found.task, found.sides, precision=8)
    assert subject.quantities is not None
    assert subject.quantities["layers"] == 1
    assert subject.inputs.values["precision"] == 8
    assert task_bounds(found.task, found.sides).bounds


def test_tasks_without_a_model() -> None:
    addition = forecast("addition")
    assert task_subject(addition.task, addition.sides).inputs.absent["L"] == (
        "no program exists: it is expected to fail"
    )
    sort = forecast("sort")
    subject = task_subject(sort.task, sort.sides)
    assert subject.quantities is None
    assert "are not compiled" in subject.inputs.absent["L"]
    counting_nothing = forecast("aa")
    subject = task_subject(counting_nothing.task, counting_nothing.sides)
    assert "it counts nothing" in subject.inputs.absent["L"]
