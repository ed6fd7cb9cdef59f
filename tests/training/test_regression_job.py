from __future__ import annotations

import json
from pathlib import Path

import pytest
import safetensors

from longreach.config.regression import RegressionConfig
from longreach.errors import InputError
from longreach.experiments.regression_members import resolve_regression
from longreach.results.files import read_result
from longreach.training.job import run_members
from longreach.training.regression_job import regression_groups, run


def _small(task: str = "simple-task", seed: int = 0, **given: object) -> RegressionConfig:
    return resolve_regression(task, scale="smoke", seed=seed, **given)


def test_a_result_and_a_model_are_left(tmp_path: Path) -> None:
    config = _small("modp-task:p=2,k=1")
    result = run(config.document(), tmp_path / config.key)
    assert read_result(tmp_path, config.key) == result
    assert result.final is not None
    assert result.final.details["stopped"] == "the step budget"
    assert sorted(path.name for path in (tmp_path / config.key).iterdir()) == [
        "model.safetensors",
        "result.json",
    ]
    with safetensors.safe_open(tmp_path / config.key / "model.safetensors", framework="np") as file:
        shape = json.loads(file.metadata()["regression"])
        assert (shape["symbols"], shape["period"], file.get_tensor("positions").shape) == (2, 2, (2, 4))


def test_a_group_trains_what_is_not_done(tmp_path: Path) -> None:
    members = [_small(seed=seed) for seed in range(3)]
    first = run(members[1].document(), tmp_path / members[1].key)
    results = run_members({"members": [member.document() for member in members]}, tmp_path)
    assert [result["key"] for result in results] == [member.key for member in members]
    assert results[1]["timings"]["started"] == json.loads(first.model_dump_json())["timings"]["started"]


def test_one_that_diverges_is_a_failed_result(tmp_path: Path) -> None:
    config = _small(lr=1e30)
    result = run(config.document(), tmp_path / config.key)
    assert result.status == "failed"
    assert result.error is not None
    assert result.error.startswith("the loss is ")


def test_groups_have_one_shape() -> None:
    tasks = [
        "simple-task:omega=1",
        "modp-task:p=2",
        "simple-task:omega=2",
        "simple-task:omega=3",
        "modp-task:p=3",
    ]
    made = regression_groups([_small(task).document() for task in tasks], 2)
    names = [[config.task.partition(",")[0] for config in group] for group in made]
    assert names == [
        ["simple-task:omega=1", "simple-task:omega=2"],
        ["simple-task:omega=3"],
        ["modp-task:p=2"],
        ["modp-task:p=3"],
    ]


def test_lengths_are_checked_where_a_document_is_read() -> None:
    document = {**_small("modp-task:p=5").document(), "train_lengths": [2, 9]}
    with pytest.raises(InputError, match="train_lengths: 2:9: modp-task:p=5,k=0 has sequences of at least 5"):
        run(document)
