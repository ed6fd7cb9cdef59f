""""""

from __future__ import annotations

import pytest

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.resolve import resolve
from longreach.training.job import run
from longreach.training.loop import train
from longreach.training.setup import model_of, on_task, task_of

TINY = {
    "layers": 1, "heads": 1, "width": 8, "max_steps": 2, "test_size": 6, "evaluate_every": 2,
    "train_lengths": (6, 8), "test_lengths": ((10, 10), (20, 20)),
}  # fmt: skip


def _member(**given: object) -> RunConfig:
    return resolve("sparse-parity:2", "nope", **TINY | given)


def test_another_task_is_tested_where_it_has_inputs() -> None:
    member = _member(test_tasks=("sparse-parity:6-6",))
    other = on_task(member, "sparse-parity:6-6")
    assert [lengths.name for lengths in other.ranges] == ["20-20"]
    assert task_of(other).name == "sparse-parity:6-6"
    assert model_of(other) == model_of(member)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("sort", "test_tasks: sort has other tokens than sparse-parity:2"),
        ("sparse-parity:40-40", "test_tasks: sparse-parity:40-40: no input has a length in any range"),
        ("sparse-parity:0", "test_tasks: sparse-parity: k: 0 is not in 1 to 200"),
    ],
)
def test_tasks_that_do_not_fit_are_refused(task: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _member(test_tasks=(task,))
    assert str(caught.value) == message


def test_numbers_of_further_tasks() -> None:
    member = _member(test_tasks=("sparse-parity:2-2", "sparse-parity:6-6"))
    result = run(member.document())
    assert result.final is not None
    names = ["6-8", "10-10", "20-20"]
    expected = [*(f"sparse-parity:2-2 at {name}" for name in names), "sparse-parity:6-6 at 20-20"]
    assert list(result.final.other) == expected
    assert list(result.final.accuracy) == names


def test_further_tasks_change_no_other_number() -> None:
    """Training, its own tests and the key are as without them."""
    plain, tested = _member(), _member(test_tasks=("sparse-parity:2-2",))
    assert "test_tasks" not in plain.document()
    assert plain.key != tested.key
    first, second = train(plain).rows[-1], train(tested).rows[-1]
    assert (first.loss, first.accuracy) == (second.loss, second.accuracy)
    assert not first.other


def test_a_task_that_is_its_own_test() -> None:
    """The same task drawn again: a model that says one thing is right where that is the answer."""
    member = _member(test_tasks=("sparse-parity:2",), test_size=400)
    row = train(member).rows[-1]
    again = row.other["sparse-parity:2 at 20-20"]
    assert abs(again - row.accuracy["20-20"]) < 0.15  # four standard deviations of 400 draws


def test_ids_that_depend_on_the_input_are_looked_at_before_training() -> None:
    """The bits of a sum have as many ids as the longer operand, and one more: of 14 tokens at most 12."""
    given = {"train_lengths": (4, 10), "test_lengths": ((11, 14),), "position_ids": "coupled"}
    assert resolve("addition", "ape", max_position=13, **given).max_position == 13
    with pytest.raises(InputError, match="max_position"):
        resolve("addition", "ape", max_position=11, **given)
