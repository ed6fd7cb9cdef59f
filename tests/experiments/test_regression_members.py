from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longreach.config.any_member import AnyMember
from longreach.config.regression import RegressionConfig
from longreach.errors import InputError
from longreach.experiments import engine_maker, plan, stacked_maker, train
from longreach.experiments.regression_members import resolve_regression
from longreach.experiments.resolve import resolve


def test_scales() -> None:
    paper = resolve_regression("simple-task:omega=4", scale="paper")
    assert (paper.batch, paper.max_steps, paper.train_lengths.name) == (1024, 100_000, "1-50")
    assert resolve_regression("modp-task:p=8").train_lengths.name == "8-20"
    assert resolve_regression("modp-task:p=64").train_lengths.name == "64-128"
    assert resolve_regression("in-context-kgram:S=3,k=2").batch == 128
    assert resolve_regression("simple-task", log_length=True).key != resolve_regression("simple-task").key


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"task": "simple-tusk"}, "task: no task with numbers as answers is named 'simple-tusk'"),
        ({"penalty": 1.0}, "penalty: does not go with simple-task:omega=1, whose answers are numbers"),
        ({"batch": 0}, "batch: 0 is less than 1"),
        ({"layers": 3}, "layers: simple-task has 1, not 3"),
        ({"train_lengths": (5, 3)}, "train_lengths: 5:3 has no length, the first is above the last"),
        ({"train_lengths": (0, 3)}, "train_lengths: 0:3: simple-task:omega=1 has sequences of at least 1"),
        ({"test_lengths": ((9, 9), (9, 9))}, "test_lengths: the range 9:9 stands twice"),
        ({"task": "in-context-kgram", "log_length": True}, "log_length: goes with models of one layer"),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    task = str(given.pop("task", "simple-task"))
    with pytest.raises(InputError) as error:
        resolve_regression(task, **given)
    assert str(error.value).startswith(message)


def test_a_document_is_read_back() -> None:
    config = resolve_regression("modp-task:p=5,k=2", seed=3)
    assert RegressionConfig.read(config.document()) == config
    assert config.with_seed(3).key == config.key
    with pytest.raises(InputError, match="target_los: no such option; did you mean 'target_loss'"):
        RegressionConfig.read({**config.document(), "target_los": 1.0})


@pytest.mark.slow
def test_both_kinds_of_members_are_planned_and_trained_together(tmp_path: Path) -> None:
    numbers = [resolve_regression("simple-task", scale="smoke", seed=seed) for seed in range(2)]
    tokens = resolve("binary-majority", scale="smoke", max_steps=3)
    members: list[AnyMember] = [numbers[0], tokens, numbers[1]]
    make = stacked_maker(engine_maker("local", tmp_path), "cpu", 2)
    planned = plan(members, tmp_path, engine=make)
    assert planned.plan.pending == 3
    assert planned.seconds_at_most is not None
    results = train(members, tmp_path, engine=make)
    assert [result.status for result in results] == ["done"] * 3
    assert [bool(result.final and result.final.accuracy) for result in results] == [False, True, False]
    assert all((tmp_path / member.key / "model.safetensors").exists() for member in members)
    assert plan(members, tmp_path).plan.pending == 0
