"""Members side by side against the same members alone."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.config.training import TrainConfig
from longreach.errors import InputError
from longreach.results.files import read_result
from longreach.results.schema import Evaluation
from longreach.tasks.catalog import load_task
from longreach.training import checkpoint, ensemble
from longreach.training.batches import Batches, Streams, chunks
from longreach.training.engine import train
from longreach.training.ensemble import groups, side_by_side, train_members
from longreach.training.job import run, run_members
from longreach.training.member import Diverged, Member, Trained
from longreach.training.shape import decoder_of
from tests.training.test_engine import Killed, tiny


def together(configs: Sequence[TrainConfig], **options: Any) -> list[Trained]:
    ended = dict(train_members(configs, **options))
    assert sorted(ended) == list(range(len(configs)))
    for end in ended.values():
        assert isinstance(end, Trained)
    return [end for _, end in sorted(ended.items()) if isinstance(end, Trained)]


def losses(configs: Sequence[TrainConfig]) -> list[list[float]]:
    """The loss of every step: evaluations stand after each."""
    return [[row.loss or math.nan for row in each.rows] for each in together(configs)]


# They add the same to all logits of a query: their gradients are rounding, which Adam makes large.
WITHOUT_EFFECT = ("key.bias", "fire.out.bias")


def near(one: Trained, other: Trained, tolerance: float = 1e-4) -> bool:
    """Whether both are the same member up to rounding."""
    if one.steps != other.steps or len(one.rows) != len(other.rows):
        return False
    pairs = [(mine.loss, yours.loss) for mine, yours in zip(one.rows, other.rows, strict=True)]
    names = [name for name in one.parameters if not name.endswith(WITHOUT_EFFECT)]
    apart = [float((one.parameters[name] - other.parameters[name]).abs().max()) for name in names]
    return max(apart) < tolerance and all(a == pytest.approx(b, abs=tolerance) for a, b in pairs)


VARIANTS: dict[str, dict[str, Any]] = {
    "ape": {},
    "nope": {"encoding": "nope", "task": "tomita-5"},
    "sinusoidal": {"encoding": "sinusoidal"},
    "rope": {"encoding": "rope", "layers": 2, "heads": 2},
    "alibi": {"encoding": "alibi", "task": "sort", "heads": 2},
    "t5": {"encoding": "t5", "task": "copy-repeat"},
    "fire": {"encoding": "fire", "heads": 2},
    "randomized": {"encoding": "randomized", "task": "addition"},
    "penalty": {"penalty": 0.1},
    "log-length": {"log_length": True, "encoding": "nope", "task": "sort"},
    "no norm, untied": {"layer_norm": False, "tied": False},
    "chunks": {"width": 64, "task": "copy-unique", "batch": 16},
    "no offsets": {"offsets": "none", "warmup": 5, "schedule": "constant"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_numbers_of_members_alone(name: str) -> None:
    fixed = {
        "max_steps": 30, "evaluate_every": 1, "test_size": 10, "stop_early": False,
        "train_lengths": (4, 10), **VARIANTS[name],
    }  # fmt: skip
    members = [tiny(seed=0, **fixed), tiny(seed=1, **{**fixed, "lr": 1e-3}), tiny(seed=2, **fixed)]
    for config, found in zip(members, together(members), strict=True):
        alone = train(config)
        assert len(found.rows) == 30
        assert near(found, alone)


def test_bfloat16_is_near_the_member_alone() -> None:
    members = [tiny(seed=seed, dtype="bfloat16", max_steps=10, evaluate_every=1) for seed in range(2)]
    for config, found in zip(members, together(members), strict=True):
        alone = train(config)
        assert found.rows[-1].loss == pytest.approx(alone.rows[-1].loss, rel=0.01)
    (exact,) = losses([tiny(max_steps=10, evaluate_every=1)])
    assert exact != [row.loss for row in together(members)[0].rows]


def test_members_differ_in_lengths_steps_schedule_penalty_and_task_parameters() -> None:
    ranges = {"test_lengths": ((21, 30),), "test_size": 20}
    members = [
        tiny(train_lengths=(1, 20), **ranges),
        tiny(train_lengths=(1, 4), seed=3, max_steps=25, evaluate_every=10, **ranges),
        tiny(train_lengths=(3, 9), seed=4, penalty=0.5, schedule="constant", warmup=3, **ranges),
        tiny(train_lengths=(2, 2), offsets="none", penalty=0.01, test_size=7, test_lengths=((30, 30),)),
    ]
    for config, found in zip(members, together(members), strict=True):
        assert near(found, train(config), 2e-4)
        assert set(found.rows[-1].accuracy_random_offset) == set(found.rows[-1].accuracy)


def test_without_learned_positions_models_of_any_length_are_alike() -> None:
    members = [tiny(encoding="nope", test_lengths=((11, last),), max_steps=20) for last in (20, 40)]
    assert decoder_of(members[0]).positions != decoder_of(members[1]).positions
    for config, found in zip(members, together(members), strict=True):
        assert near(found, train(config))


shared = st.fixed_dictionaries(
    {
        "task": st.sampled_from(["parity", "majority", "tomita-1", "sort"]),
        "encoding": st.sampled_from(["ape", "nope", "rope", "alibi"]),
        "layers": st.integers(1, 2),
        "heads": st.sampled_from([1, 2]),
        "width": st.sampled_from([4, 8, 64]),
        "batch": st.integers(1, 6),
    }
)
own = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**62),
        "lr": st.sampled_from([1e-4, 1e-3]),
        "max_steps": st.integers(1, 6),
        "train_lengths": st.tuples(st.integers(1, 3), st.integers(3, 8)),
        "evaluate_every": st.integers(1, 4),
    }
)


@settings(max_examples=15, deadline=None)
@given(alike=shared, each=st.lists(own, min_size=1, max_size=4, unique_by=lambda fields: fields["seed"]))
def test_random_groups(alike: dict[str, Any], each: list[dict[str, Any]]) -> None:
    members = [tiny(**alike, **fields, test_size=5, test_lengths=((9, 12),)) for fields in each]
    for config, found in zip(members, together(members), strict=True):
        assert near(found, train(config))


def test_the_same_numbers_twice_and_whoever_is_beside() -> None:
    members = [tiny(seed=seed) for seed in range(3)]
    one, again = together(members), together(members)
    for mine, yours in zip(one, again, strict=True):
        assert mine.rows == yours.rows
        assert all(torch.equal(mine.parameters[name], yours.parameters[name]) for name in mine.parameters)
    other = together([tiny(seed=9, lr=0.1, train_lengths=(1, 3), test_lengths=((4, 20),)), members[1]])
    assert near(one[1], other[1])


@pytest.mark.parametrize("lr", [1e30, 1e15])
def test_a_member_that_diverges_fails_alone(lr: float) -> None:
    members = [tiny(seed=0), tiny(seed=1, lr=lr), tiny(seed=2)]
    ended = dict(train_members(members))
    with pytest.raises(Diverged) as alone:
        train(members[1])
    failed = ended[1]
    assert isinstance(failed, Diverged)
    assert str(failed) == str(alone.value)
    for place in (0, 2):
        found = ended[place]
        assert isinstance(found, Trained)
        assert near(found, train(members[place]))


def test_a_member_that_is_right_leaves_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"train_lengths": (1, 1), "test_lengths": ((2, 2),), "task": "tomita-1", "encoding": "nope"}
    easy = tiny(**given, lr=0.01, max_steps=120, test_size=20)
    slow = tiny(**given, lr=1e-9, max_steps=120, test_size=20, seed=1)
    drawn = []
    draw = Member.draw
    monkeypatch.setattr(Member, "draw", lambda self: drawn.append(self.config.seed) or draw(self))
    ends = list(train_members([slow, easy]))
    assert [place for place, _ in ends] == [1, 0]
    first, last = (end for _, end in ends)
    assert isinstance(first, Trained)
    assert isinstance(last, Trained)
    assert first.reached
    assert not last.reached
    assert first.steps < last.steps == 120
    assert drawn.count(easy.seed) == first.steps
    assert drawn.count(slow.seed) == 120
    monkeypatch.undo()
    assert near(first, train(easy))


def test_shapes_that_differ_are_refused() -> None:
    for fields, message in [
        ({"width": 8}, "members 0 and 1 cannot be stacked: width is 16 and 8"),
        ({"task": "sort"}, "vocabulary is "),
        ({"test_lengths": ((11, 30),)}, "positions is "),
        ({"batch": 3}, "batch is 64 and 3"),
        ({"weight_decay": 0.5}, "weight_decay is 0.01 and 0.5"),
        ({"dtype": "bfloat16"}, "dtype is float32 and bfloat16"),
        ({}, "one stands twice"),
    ]:
        with pytest.raises(InputError, match=message):
            train_members([tiny(), tiny(**fields)])


def test_groups() -> None:
    members = [tiny(seed=seed, width=8 + 8 * (seed % 2)) for seed in range(9)]
    made = groups(members, 4)
    assert sorted(len(group) for group in made) == [2, 3, 4]
    assert {config.key for group in made for config in group} == {config.key for config in members}
    assert all(len({config.width for config in group}) == 1 for group in made)
    assert groups([], 4) == []


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("task", ["sort", "tomita-5", "addition"])
def test_chunks_hold_the_rows_of_every_member(task: str, parts: int) -> None:
    configs = [tiny(task=task, train_lengths=(4, 4 + 3 * k), test_lengths=((14, 15),)) for k in range(3)]
    batches = [Batches(config, Streams(k).data).whole(0) for k, config in enumerate(configs)]
    stacked = list(side_by_side(batches, parts))
    for k, batch in enumerate(batches):
        alone = list(chunks(batch, parts))
        assert len(stacked) == len(alone)
        assert sum(float(chunk.weights[k].sum()) for chunk in stacked) == pytest.approx(1.0)
        for chunk, own_chunk in zip(stacked, alone, strict=True):
            rows, width = own_chunk.tokens.shape
            assert torch.equal(chunk.tokens[k, :, :width], own_chunk.tokens)
            assert not chunk.tokens[k, :, width:].any()
            assert torch.equal(supervised(chunk, k), supervised(own_chunk, None))
            assert len(chunk.tokens[k]) == rows


def supervised(chunk: Any, member: int | None) -> torch.Tensor:
    """Row, place and target of everything that counts."""
    targets, weights, places = (
        value if member is None or value is None else value[member]
        for value in (chunk.targets, chunk.weights, chunk.places)
    )
    if places is None:
        places = torch.arange(targets.shape[1]).expand_as(targets)
    rows = torch.arange(len(targets))[:, None].expand_as(targets)
    return torch.stack([rows, places, targets], dim=-1)[weights > 0]


@pytest.mark.parametrize("stop", [1, 33])
def test_an_ensemble_goes_on_where_it_was(tmp_path: Path, stop: int) -> None:
    def kill(done: int, row: Evaluation | None) -> None:
        if done == stop + 1:
            raise Killed

    members = [tiny(seed=seed) for seed in range(3)]
    directories = [tmp_path / config.key for config in members]
    with pytest.raises(Killed):
        together(members, directories=directories, reports=[None, kill, None], checkpoint_seconds=0)
    uninterrupted = together(members)
    # Alone, beside another one, and all together.
    moved = {}
    for config in members:
        path = tmp_path / config.key / checkpoint.STATE
        moved[path] = path.read_bytes()
    alone = train(members[0], directories[0])
    assert alone.resumed == stop
    assert near(alone, uninterrupted[0])
    mixed = [tiny(seed=8), members[1]]
    beside = together(mixed, directories=[None, directories[1]])[1]
    assert beside.resumed == stop
    assert near(beside, uninterrupted[1])
    for path, content in moved.items():
        path.write_bytes(content)
    for found, whole in zip(together(members, directories=directories), uninterrupted, strict=True):
        assert found.resumed == stop
        assert found.rows == whole.rows  # to the last bit, as nobody came or went
        assert all(torch.equal(found.parameters[name], whole.parameters[name]) for name in found.parameters)


def test_members_at_different_steps(tmp_path: Path) -> None:
    def kill(done: int, row: Evaluation | None) -> None:
        if done == 31:
            raise Killed

    late, new = tiny(seed=0), tiny(seed=1)
    with pytest.raises(Killed):
        train(late, tmp_path, report=kill, checkpoint_seconds=0)
    found = together([new, late], directories=[None, tmp_path])
    assert [each.resumed for each in found] == [0, 30]
    assert near(found[0], train(new))
    assert near(found[1], train(late))


def test_results_are_those_of_single_runs(tmp_path: Path) -> None:
    members = [tiny(seed=0), tiny(seed=1, lr=1e30), tiny(seed=2)]
    documents = [config.document() for config in members]
    results = run_members({"members": documents, "device": "cpu"}, tmp_path)
    assert [result["status"] for result in results] == ["done", "failed", "done"]
    for config, document in zip(members, results, strict=True):
        found, alone = read_result(tmp_path, config.key), run(config.document())
        assert json.loads(found.model_dump_json()) == document
        assert (found.key, found.config, found.error) == (alone.key, alone.config, alone.error)
        assert (found.device, found.seed) == ("cpu", config.seed)
        assert [row.step for row in found.rows] == [row.step for row in alone.rows]
        files = sorted(path.name for path in (tmp_path / config.key).iterdir())
        assert files == (["model.safetensors", "result.json"] if found.status == "done" else ["result.json"])
    # A group that is run again after a kill takes what is done as it is.
    before = (tmp_path / members[0].key / "result.json").stat().st_mtime_ns
    again = run_members({"members": documents}, tmp_path)
    assert again[0] == results[0]
    assert (tmp_path / members[0].key / "result.json").stat().st_mtime_ns == before


KILLED = """
import json, os, signal, sys
from pathlib import Path
from longreach.training import checkpoint, job

save, saved = checkpoint.save, []

def save_and_die(*arguments):
    save(*arguments)
    saved.append(1)
    if len(saved) == 62:
        os.kill(os.getpid(), signal.SIGKILL)

checkpoint.save = save_and_die
job.run_members(json.loads(sys.argv[1]), Path(sys.argv[2]), checkpoint_seconds=0)
"""


def test_a_group_that_is_killed_while_it_writes_goes_on(tmp_path: Path) -> None:
    members = [tiny(seed=seed) for seed in range(3)]
    config = {"members": [each.document() for each in members]}
    command = [sys.executable, "-c", KILLED, json.dumps(config), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    results = run_members(config, tmp_path)
    assert [result["final"]["details"]["resumed"] for result in results] == [21, 21, 20]
    for each, result in zip(members, results, strict=True):
        alone = run(each.document())
        assert [row["step"] for row in result["rows"]] == [row.step for row in alone.rows]
        for row, wanted in zip(result["rows"], alone.rows, strict=True):
            assert row["loss"] == pytest.approx(wanted.loss, abs=1e-4)


def test_compiling_is_left_out_and_said() -> None:
    found = together([tiny(seed=seed, compile=True, max_steps=5) for seed in range(2)])
    assert [each.notes for each in found] == [(ensemble.NOT_COMPILED,)] * 2
    assert not found[0].compiled


def test_losses_that_are_read_late_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    members = [tiny(seed=0), tiny(seed=1, lr=1e30), tiny(seed=2, max_steps=31)]
    at_once = dict(train_members(members))
    monkeypatch.setattr(ensemble, "steps_between_reads", lambda device: 7)
    late = dict(train_members(members))
    assert str(late[1]) == str(at_once[1])
    for place in (0, 2):
        mine, yours = at_once[place], late[place]
        assert isinstance(mine, Trained)
        assert isinstance(yours, Trained)
        assert near(mine, yours)


def test_the_seconds_of_a_member_are_its_share() -> None:
    members = [tiny(seed=seed, max_steps=20) for seed in range(4)]
    start = time.perf_counter()
    found = together(members)
    whole = time.perf_counter() - start
    assert 0 < sum(each.seconds["train"] for each in found) <= whole
    assert len({each.seconds["train"] for each in found}) == 1


def test_wide_arrays_are_not_cut() -> None:
    task, rng = load_task("sort"), np.random.default_rng(0)
    (chunk,) = side_by_side([task.sample([2], rng), task.sample([5], rng)], 1)
    assert chunk.tokens.shape == (2, 1, 12)
    assert int((chunk.weights[0] > 0).sum()) == 3
    assert int((chunk.weights[1] > 0).sum()) == 6
