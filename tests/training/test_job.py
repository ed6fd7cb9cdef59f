"""Tests of `training.job`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import safetensors
import torch

from longreach.answers.forecast import forecast
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.execution.jobs import Job
from longreach.execution.local import LocalEngine
from longreach.runs.index import row_of
from longreach.runs.record import run_pending
from longreach.runs.resolve import resolve
from longreach.training import checkpoint
from longreach.training.job import FUNCTION, run, run_group
from longreach.training.log import LOG
from longreach.training.loop import groups, train, train_runs
from longreach.training.result import PROGRESS, RESULT, Diary, read_result
from longreach.training.run import Trained
from longreach.training.setup import decoder_of, model_of, on_task, task_of
from tests.helpers.refusals import refusal
from tests.training.test_loop import same, stopped, tiny

LEFT = [LOG, checkpoint.MODEL, RESULT]


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
        LOG,
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
    assert refusal(_member, test_tasks=(task,)) == message


def _not_probing(numbers: Iterable[str]) -> list[str]:
    """The names of numbers that are not about probing inputs."""
    return [name for name in numbers if "probing" not in name and not name.startswith("worst loop ")]


def test_numbers_of_further_tasks() -> None:
    member = _member(test_tasks=("sparse-parity:2-2", "sparse-parity:6-6"))
    result = run(member.document())
    assert result.final is not None
    names = ["6-8", "10-10", "20-20"]
    expected = [*(f"sparse-parity:2-2 at {name}" for name in names), "sparse-parity:6-6 at 20-20"]
    assert _not_probing(result.final.other) == expected
    assert list(result.final.accuracy) == names


def test_further_tasks_change_no_other_number() -> None:
    """Training, its own tests and the key are as without them."""
    plain, tested = _member(), _member(test_tasks=("sparse-parity:2-2",))
    assert "test_tasks" not in plain.document()
    assert plain.key != tested.key
    first, second = train(plain).rows[-1], train(tested).rows[-1]
    assert (first.loss, first.accuracy) == (second.loss, second.accuracy)
    assert not _not_probing(first.other)


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


def ppc(**given: Any) -> RunConfig:
    fields = {
        "train_lengths": (1, 4),
        "test_lengths": ((5, 6),),
        "lr": 1e-2,
        "max_steps": 60,
        "test_size": 50,
        "predict_ids": True,
        "max_position": 20,
    }
    return tiny(task="copy-repeat", **{**fields, **given})


@pytest.mark.parametrize("given", [{}, {"position_ids": "pose", "predict_ids": False}], ids=str)
def test_a_run_goes_on_where_it_was(tmp_path: Path, given: dict[str, Any]) -> None:
    config = ppc(**given)
    stopped(config, tmp_path, 33)
    resumed = train(config, tmp_path)
    assert resumed.resumed == 33
    assert same(resumed, train(config))


def test_the_result_tells_what_the_model_writes_on_its_own(tmp_path: Path) -> None:
    result = run(ppc().document(), tmp_path)
    assert result.final is not None
    assert result.config["predict_ids"] is True
    found = result.final.other
    assert set(_not_probing(found)) == {
        f"{kind} {span}" for kind in ("written right", "tokens written right") for span in ("1-4", "5-6")
    }
    for span, share in result.final.accuracy.items():
        assert found[f"written right {span}"] == pytest.approx(share, abs=0.021)
        assert found[f"tokens written right {span}"] >= found[f"written right {span}"]
    assert row_of(result).encoding == "ape+coupled+predicted"


def test_members_that_predict_ids_train_side_by_side() -> None:
    configs = [ppc(seed=seed, max_steps=20) for seed in range(2)]
    ended = dict(train_runs(configs))
    for place, config in enumerate(configs):
        mine = ended[place]
        assert isinstance(mine, Trained)
        alone = train(config)
        assert mine.rows[-1].loss == pytest.approx(alone.rows[-1].loss, rel=1e-3)
        for name, value in alone.parameters.items():
            assert torch.allclose(mine.parameters[name], value, atol=2e-3), name


def test_nothing_is_written_where_ids_are_not_predicted() -> None:
    trained = train(ppc(predict_ids=False, max_steps=2))
    assert set(_not_probing(trained.rows[-1].other)) == {"length given 1-4", "length given 5-6"}
    assert "generate" not in trained.seconds


TASK = "regex:(a|ba)*b?"


def test_a_language_outside_the_class_whose_words_are_predicted_at_three_times_the_length() -> None:
    side = forecast(TASK).sides["nope"]
    assert (side.answer, side.trained) == ("no", "yes")
    lengths = {"train_lengths": (1, 20), "test_lengths": ((21, 40), (41, 60))}
    config = tiny(task=TASK, encoding="nope", max_steps=100, test_size=200, **lengths)
    trained = train(config)
    assert trained.rows[-1].accuracy["41-60"] >= 0.99
