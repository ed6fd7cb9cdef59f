"""Bounds of tasks: by automaton, by program, by the compiled program."""

from __future__ import annotations

import pytest

from longreach.bounds.length_complexity import NO_BOUND
from longreach.forecast import forecast
from longreach.forecast.task_bounds import bound_lines, bounds_note, task_bounds, task_subject


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
        "there is no program: none exists, and it is expected to fail"
    )
    sort = forecast("sort")
    subject = task_subject(sort.task, sort.sides)
    assert subject.quantities is None
    assert "are not compiled" in subject.inputs.absent["L"]
    counting_nothing = forecast("aa")
    subject = task_subject(counting_nothing.task, counting_nothing.sides)
    assert "it counts nothing" in subject.inputs.absent["L"]
