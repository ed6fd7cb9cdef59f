"""Tests of `training.job`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import safetensors

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.execution.jobs import Job
from longreach.execution.local import LocalEngine
from longreach.runs.record import run_pending
from longreach.runs.resolve import resolve
from longreach.training import checkpoint
from longreach.training.job import FUNCTION, run, run_group
from longreach.training.loop import groups
from longreach.training.result import PROGRESS, RESULT, Diary, read_result
from longreach.training.setup import decoder_of, model_of, task_of
from tests.training.test_loop import tiny

LEFT = [checkpoint.MODEL, RESULT]


def test_result(tmp_path: Path) -> None:
    config = tiny()
    result = run(config.document(), tmp_path / config.key)
    assert (result.status, result.seed, result.device) == ("done", 0, "cpu")
    assert result.final is not None
    assert result.final.steps == result.rows[-1].step
    assert set(result.final.accuracy) == {"1-10", "11-20"}
    assert [row.step for row in result.rows] == [20, 40, 60]
    assert {"prepare", "train", "evaluate"} <= set(result.timings.parts)
    assert sorted(path.name for path in (tmp_path / config.key).iterdir()) == LEFT
    assert read_result(tmp_path, config.key) == result
    parameters, shape = checkpoint.load_model(tmp_path / config.key / checkpoint.MODEL)
    assert shape == decoder_of(config)
    assert parameters["embedding"].shape == (len(task_of(config).tokens), 16)


def test_the_baseline_guesses_and_leaves_its_model(tmp_path: Path) -> None:
    config = tiny(encoding="mlp", layers=2, max_steps=200, evaluate_every=100)
    result = run(config.document(), tmp_path / config.key)
    assert result.final is not None
    # Parity is decided by all tokens; the one before the answer tells nothing.
    assert all(0.3 < share < 0.7 for share in result.final.accuracy.values())
    assert result.final.accuracy == result.final.accuracy_random_offset
    parameters, shape = checkpoint.load_model(tmp_path / config.key / checkpoint.MODEL)
    assert shape == model_of(config)
    assert sorted(parameters) == ["embedding", "in.bias", "in.weight", "out.bias", "out.weight"]
    members = [tiny(encoding="mlp", layers=2, max_steps=200, evaluate_every=100, seed=s) for s in (0, 1)]
    together = run_group({"members": [member.document() for member in members]})
    assert together[0]["final"]["accuracy"] == result.final.accuracy


def test_the_same_numbers_alone_and_beside_others(tmp_path: Path) -> None:
    configs = [tiny(seed=seed) for seed in range(3)]
    jobs = [Job.of(FUNCTION, config.document()) for config in configs]
    together = {result.key: result for result in run_pending(jobs, tmp_path, LocalEngine(workers=2))}
    for config in configs:
        alone = run(config.document())
        assert alone.final is not None
        assert together[config.key].rows == alone.rows


def test_diverging_member_has_failed(tmp_path: Path) -> None:
    result = run(tiny(lr=1e30).document(), tmp_path)
    assert (result.status, result.error is not None) == ("failed", True)
    assert result.final is not None
    assert result.final.steps < 60
    assert str(result.error).endswith(f"at step {result.final.steps}")


def test_killed_process_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    config = tiny(max_steps=500, evaluate_every=200, task="copy-repeat")
    code = (
        "import json, sys; from pathlib import Path; from longreach.training.loop import train\n"
        "from longreach.config.run import RunConfig as RunConfig\n"
        "train(RunConfig.read(json.loads(sys.argv[1])), Path(sys.argv[2]), checkpoint_seconds=0.05)"
    )
    command = [sys.executable, "-c", code, json.dumps(config.document()), str(tmp_path)]
    process = subprocess.Popen(command)
    limit = time.monotonic() + 60
    while not (tmp_path / checkpoint.STATE).exists() and time.monotonic() < limit:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    (tmp_path / f".{checkpoint.STATE}.0123.tmp").write_bytes(b"half")  # as a kill during a write leaves it
    resumed = run(config.document(), tmp_path)
    assert resumed.final is not None
    assert int(str(resumed.final.details["resumed"])) > 0
    assert resumed.rows == run(config.document()).rows
    assert sorted(path.name for path in tmp_path.iterdir()) == LEFT


def test_diary(tmp_path: Path) -> None:
    diary = Diary(tmp_path / "member")
    diary(3, None)
    diary(4, None)  # too soon
    assert json.loads((tmp_path / "member" / PROGRESS).read_text(encoding="utf-8")) == {"step": 3}


def _small(task: str = "simple-task", seed: int = 0, **given: object) -> RunConfig:
    return resolve(task, scale="smoke", seed=seed, **given)


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
    results = run_group({"members": [member.document() for member in members]}, tmp_path)
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
    made = groups([_small(task) for task in tasks], 2)
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
