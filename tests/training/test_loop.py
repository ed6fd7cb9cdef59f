"""Tests of `training.loop`."""

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

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.models.decoder import forward, initialise
from longreach.runs.resolve import resolve
from longreach.tasks.catalog import load_task
from longreach.training import checkpoint, evaluate, loop, stepping, steps
from longreach.training.batches import BLOCK, Batches, Streams, chunks
from longreach.training.job import run, run_group
from longreach.training.loop import groups, train, train_runs
from longreach.training.result import Evaluation, read_result
from longreach.training.run import Diverged, Report, Trained
from longreach.training.setup import decoder_of, network_of
from longreach.training.stepping import Alone, side_by_side
from longreach.training.steps import (
    Gradient,
    GradientByHand,
    State,
    step_numbers,
    update,
)
from tests.helpers.examples import slow


def tiny(**given: Any) -> RunConfig:
    fields = {
        "layers": 1, "heads": 1, "width": 16, "lr": 3e-3, "max_steps": 60, "evaluate_every": 20,
        "train_lengths": (1, 10), "test_lengths": ((11, 20),), "test_size": 100, "stop_early": True,
        "log_length": False,
    }  # fmt: skip
    return resolve(given.pop("task", "parity"), given.pop("encoding", "ape"), **{**fields, **given})


def same(one: Trained, other: Trained) -> bool:
    equal = all(torch.equal(value, other.parameters[name]) for name, value in one.parameters.items())
    return equal and one.rows == other.rows and one.steps == other.steps


@settings(max_examples=20)
@given(st.integers(0, 2 * BLOCK + 1), st.sampled_from(["parity", "sort", "d-2"]))
def test_batches_go_on_from_any_step(stop: int, task: str) -> None:
    config = tiny(task=task, batch=3)
    batches = Batches(config, Streams(5).data)
    for number in range(stop):
        batches.whole(number)
    state = batches.state(stop)
    wanted = [batches.whole(number) for number in range(stop, stop + BLOCK + 2)]
    again = Batches(config, Streams(5).data)
    again.restore(state)
    for number, batch in enumerate(wanted, start=stop):
        found = again.whole(number)
        for name in ("tokens", "targets", "mask", "position_ids", "sizes"):
            assert np.array_equal(getattr(found, name), getattr(batch, name))


def test_chunks_are_trimmed_and_keep_every_row() -> None:
    batch = Batches(tiny(task="sort"), Streams(3).data).whole(0)
    parts = list(chunks(batch, 4))
    widths = [chunk.tokens.shape[1] for chunk in parts]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]
    assert sum(len(chunk.tokens) for chunk in parts) == 64
    assert sum(float(chunk.weights.sum()) for chunk in parts) == pytest.approx(1.0)
    assert sum(int((chunk.weights > 0).sum()) for chunk in parts) == int(batch.mask.sum())


def test_update_is_adamw_with_clipping() -> None:
    config = tiny(weight_decay=0.1, warmup=3, clip=0.5)
    chance = torch.Generator().manual_seed(0)
    start = torch.randn(50, generator=chance)
    state = State.fresh(start.clone())
    reference = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.AdamW([reference], weight_decay=0.1)
    for number in range(10):
        gradient = torch.randn(50, generator=chance) * (0.01 if number % 2 else 1.0)
        reference.grad = gradient.clone()
        wanted = torch.nn.utils.clip_grad_norm_([reference], 0.5)
        optimizer.param_groups[0]["lr"] = steps.learning_rate(config, number)
        optimizer.step()
        norm = update(state.vector, state.first, state.second, gradient, step_numbers(config, number), config)
        assert norm.item() == pytest.approx(wanted.item())
        assert (state.vector - reference.detach()).abs().max() < 1e-6


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"task": "copy-unique", "width": 64, "layers": 2, "heads": 4},
        {"task": "tomita-5", "encoding": "nope", "heads": 2},
        {"encoding": "rope", "log_length": True},
        {"encoding": "sinusoidal", "layer_norm": False, "tied": False},
        {"penalty": 0.1},
    ],
    ids=str,
)
def test_steps_by_hand_have_the_losses_of_automatic_differentiation(change: dict[str, Any]) -> None:
    config = tiny(**change)
    by_hand, plain = (Alone(loop.start_run(config)) for _ in range(2))
    assert by_hand.by_hand is not None
    plain.by_hand = None
    for _ in range(BLOCK + 4):
        (mine, _), (theirs, _) = by_hand.step(), plain.step()
        assert mine.item() == pytest.approx(theirs.item(), abs=1e-4)
    one, other = (each.runs[0].state.vector for each in (by_hand, plain))
    assert (one - other).abs().max() < 1e-3


def test_schedules() -> None:
    config = tiny(lr=1.0, max_steps=100, warmup=10)
    assert [steps.learning_rate(config, number) for number in (0, 5, 10, 55)] == [0.0, 0.5, 1.0, 0.5]
    constant = tiny(lr=1.0, max_steps=100, warmup=10, schedule="constant")
    assert [steps.learning_rate(constant, number) for number in (5, 10, 99)] == [0.5, 1.0, 1.0]


def test_penalty_enters_the_loss_and_its_gradient() -> None:
    config, plain = tiny(penalty=10.0), tiny()
    network = network_of(config)
    vector = network.vector(initialise(decoder_of(config), 1)) * 5
    batch = Batches(config, Streams(0).data).whole(0)
    with_it = Gradient(network, config)(vector, chunks(batch, 1))
    without = Gradient(network, plain)(vector, chunks(batch, 1))
    named = network.named(vector)
    kq = named["layers.0.attention.key.weight"].T @ named["layers.0.attention.query.weight"]
    squares = (named["positions"] @ kq @ named["positions"].T).square().triu()
    n = len(squares)
    assert (with_it[0] - without[0]).item() == pytest.approx(
        10 * squares.sum().item() / (n * (n + 1) / 2), rel=1e-3
    )
    assert not torch.equal(with_it[1], without[1])


def test_same_seed_same_numbers_and_another_seed_others() -> None:
    assert same(train(tiny()), train(tiny()))
    one, other = train(tiny()), train(tiny(seed=1))
    assert not torch.equal(one.parameters["embedding"], other.parameters["embedding"])


def test_evaluation_does_not_change_training() -> None:
    often, rarely = train(tiny(evaluate_every=7)), train(tiny(evaluate_every=60, test_size=50))
    assert torch.equal(often.parameters["embedding"], rarely.parameters["embedding"])


class Killed(Exception):
    pass


def kill_after(stop: int) -> Report:
    """Ends training when the state of this step has been written."""

    def kill(done: int, row: Evaluation | None) -> None:
        if done == stop + 1:
            raise Killed

    return kill


def stopped(config: RunConfig, directory: Path, stop: int) -> Path:
    """The state that a run leaves when it is killed after a step."""
    with pytest.raises(Killed):
        train(config, directory, report=kill_after(stop), checkpoint_seconds=0)
    return directory / checkpoint.STATE


@pytest.mark.parametrize("stop", [1, 20, 33, 60])
def test_resumed_run_gives_the_numbers_of_an_uninterrupted_one(tmp_path: Path, stop: int) -> None:
    config = tiny()
    if stop < 60:
        stopped(config, tmp_path, stop)
    else:
        train(config, tmp_path, checkpoint_seconds=0)
    again = train(config, tmp_path)
    assert again.resumed == stop
    assert same(again, train(config))


def test_damaged_state_begins_anew(tmp_path: Path) -> None:
    config = tiny()
    train(config, tmp_path, checkpoint_seconds=0)
    path = tmp_path / checkpoint.STATE
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    again = train(config, tmp_path)
    assert again.resumed == 0
    assert same(again, train(config))
    path.write_bytes(content[:-100] + bytes([content[-100] ^ 1]) + content[-99:])
    assert train(config, tmp_path).resumed == 0


def test_stops_when_the_training_range_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    def right_from_the_second(vector: torch.Tensor, *_: object) -> float:
        calls.append(1)
        return 1.0 if len(calls) >= 2 else 0.5

    calls: list[int] = []
    monkeypatch.setattr(evaluate, "accuracy", right_from_the_second)
    trained = train(tiny())
    assert (trained.steps, trained.reached) == (40, True)
    assert [row.step for row in trained.rows] == [20, 40]
    assert set(trained.rows[-1].accuracy) == {"1-10", "11-20"} == set(trained.rows[-1].accuracy_random_offset)


def test_a_loss_that_is_not_a_number_is_reported_with_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: GradientByHand, *given: Any) -> tuple[torch.Tensor, torch.Tensor]:
        calls.append(1)
        loss, gradient = plain(self, *given)
        return (loss * math.nan if len(calls) == 25 else loss), gradient

    calls: list[int] = []
    plain = GradientByHand.__call__
    monkeypatch.setattr(GradientByHand, "__call__", broken)
    with pytest.raises(Diverged, match="the loss is nan at step 25") as caught:
        train(tiny())
    assert [row.step for row in caught.value.rows] == [20]


def test_learns_binary_majority() -> None:
    trained = train(tiny(task="binary-majority", max_steps=300, evaluate_every=50, test_size=500))
    assert trained.rows[-1].accuracy["1-10"] > 0.97
    assert trained.rows[-1].accuracy["11-20"] > 0.9
    assert trained.rows[-1].accuracy_random_offset["11-20"] > 0.9


def test_bfloat16_is_near_float32() -> None:
    exact, coarse = (train(tiny(dtype=dtype, max_steps=20)) for dtype in ("float32", "bfloat16"))
    assert exact.rows[-1].loss == pytest.approx(coarse.rows[-1].loss, rel=0.02)
    assert exact.rows[-1].loss != coarse.rows[-1].loss


def test_without_a_compiler_the_step_runs_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    trained = train(tiny(compile=True))
    assert not trained.compiled
    assert len(trained.notes) == 1
    assert "no C++ compiler" in trained.notes[0]
    assert same(trained, train(tiny()))


@slow("compiling takes half a minute")
@pytest.mark.skipif(steps.compiler() is None, reason="left out: needs a C++ compiler")
@pytest.mark.filterwarnings("ignore")
def test_a_compiled_step_is_the_same_step() -> None:
    config = tiny(compile=True, max_steps=20, penalty=0.1)
    trained, plain = train(config), train(tiny(compile=False, max_steps=20, penalty=0.1))
    assert trained.compiled
    assert trained.rows[-1].loss == pytest.approx(plain.rows[-1].loss, abs=1e-5)
    assert same(trained, train(config))
    shared = steps.compiled_step(config)
    assert steps.compiled_step(tiny(compile=True, seed=9, lr=1.0, penalty=0.1)) is shared
    assert steps.compiled_step(tiny(compile=True, width=8, penalty=0.1)) is not shared


def test_a_member_trains_on_when_it_is_told_to() -> None:
    given = {"max_steps": 120, "evaluate_every": 20, "train_lengths": (1, 1), "test_lengths": ((2, 2),)}
    stopped = train(resolve("tomita-1", "nope", lr=0.01, test_size=20, stop_early=True, **given))
    whole = train(resolve("tomita-1", "nope", lr=0.01, test_size=20, stop_early=False, **given))
    assert stopped.reached
    assert stopped.steps < 120
    assert whole.steps == 120
    assert [row.step for row in whole.rows] == [20, 40, 60, 80, 100, 120]
    assert whole.rows[: len(stopped.rows) - 1] == stopped.rows[:-1]


def test_logits_scaled_by_the_length_of_the_prefix() -> None:
    config = resolve("sort", "nope", train_lengths=(1, 6), log_length=True, layers=2, width=8)
    batch = Batches(config, Streams(0).data).whole(0)
    (chunk,) = chunks(batch, 1)
    named = initialise(decoder_of(config), 0)
    logits, _ = network_of(config).outputs(named, chunk.inputs)
    assert chunk.places is not None
    # What comes later must not matter: cut every row right after the place.
    for row, column in ((0, 0), (3, 1), (10, 0)):
        place = int(chunk.places[row, column])
        cut = chunk.tokens[row : row + 1, : place + 1]
        alone = forward(named, decoder_of(config), cut, lengths=torch.arange(1, place + 2)[None])[0, -1]
        assert torch.allclose(alone, logits[row, column], atol=1e-5)


@pytest.mark.parametrize(("task", "encoding"), [("tomita-5", "nope"), ("copy-unique", "ape")])
def test_packed_batches_are_the_batches(task: str, encoding: str) -> None:
    config = tiny(task=task, encoding=encoding, layers=2, heads=2)
    batches = Batches(config, Streams(0).data)
    for number in (0, 1, BLOCK):
        batch, packed = batches.whole(number), batches.packed(number)
        order = np.argsort(batch.sizes, kind="stable")
        present = np.arange(batch.tokens.shape[1]) < batch.sizes[order][:, None]
        assert packed.tokens.tolist() == batch.tokens[order][present].tolist()
        assert packed.ids.tolist() == batch.position_ids[order][present].tolist()
        assert packed.targets.tolist() == batch.targets[order][batch.mask[order]].tolist()
        assert sum(packed.rows) == len(batch)
        assert (packed.distinct is not None) == (encoding == "nope")


def together(configs: Sequence[RunConfig], **options: Any) -> list[Trained]:
    ended = dict(train_runs(configs, **options))
    assert sorted(ended) == list(range(len(configs)))
    for end in ended.values():
        assert isinstance(end, Trained)
    return [end for _, end in sorted(ended.items()) if isinstance(end, Trained)]


def losses(configs: Sequence[RunConfig]) -> list[list[float]]:
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
    members = [
        tiny(seed=0, **fixed),
        tiny(seed=1, **{**fixed, "lr": 1e-3}),
        tiny(seed=2, **fixed),
    ]
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
    ended = dict(train_runs(members))
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
    draw = stepping._next_batch
    monkeypatch.setattr(stepping, "_next_batch", lambda run: drawn.append(run.config.seed) or draw(run))
    ends = list(train_runs([slow, easy]))
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
        ({"width": 8}, "runs 0 and 1 cannot be stacked: width is 16 and 8"),
        ({"task": "sort"}, "vocabulary is "),
        ({"test_lengths": ((11, 30),)}, "positions is "),
        ({"batch": 3}, "batch is 64 and 3"),
        ({"weight_decay": 0.5}, "weight_decay is 0.01 and 0.5"),
        ({"dtype": "bfloat16"}, "dtype is float32 and bfloat16"),
        ({}, "one is listed twice"),
    ]:
        with pytest.raises(InputError, match=message):
            train_runs([tiny(), tiny(**fields)])


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
    members = [tiny(seed=seed) for seed in range(3)]
    directories = [tmp_path / config.key for config in members]
    reports = [None, kill_after(stop), None]
    with pytest.raises(Killed):
        together(members, directories=directories, reports=reports, checkpoint_seconds=0)
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
    late, new = tiny(seed=0), tiny(seed=1)
    stopped(late, tmp_path, 30)
    found = together([new, late], directories=[None, tmp_path])
    assert [each.resumed for each in found] == [0, 30]
    assert near(found[0], train(new))
    assert near(found[1], train(late))


def test_results_are_those_of_single_runs(tmp_path: Path) -> None:
    members = [tiny(seed=0), tiny(seed=1, lr=1e30), tiny(seed=2)]
    documents = [config.document() for config in members]
    results = run_group({"members": documents, "device": "cpu"}, tmp_path)
    assert [result["status"] for result in results] == ["done", "failed", "done"]
    for config, document in zip(members, results, strict=True):
        found, alone = read_result(tmp_path, config.key), run(config.document())
        assert json.loads(found.model_dump_json()) == document
        assert (found.key, found.config, found.error) == (alone.key, alone.config, alone.error)
        assert (found.device, found.seed) == ("cpu", config.seed)
        assert [row.step for row in found.rows] == [row.step for row in alone.rows]
        files = sorted(path.name for path in (tmp_path / config.key).iterdir())
        log = ["log.csv"] if found.rows else []
        assert files == [*log, *(["model.safetensors"] if found.status == "done" else []), "result.json"]
    # A group that is run again after a kill takes what is done as it is.
    before = (tmp_path / members[0].key / "result.json").stat().st_mtime_ns
    again = run_group({"members": documents}, tmp_path)
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
job.run_group(json.loads(sys.argv[1]), Path(sys.argv[2]), checkpoint_seconds=0)
"""


def test_a_group_that_is_killed_while_it_writes_goes_on(tmp_path: Path) -> None:
    members = [tiny(seed=seed) for seed in range(3)]
    config = {"members": [each.document() for each in members]}
    command = [sys.executable, "-c", KILLED, json.dumps(config), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    results = run_group(config, tmp_path)
    assert [result["final"]["details"]["resumed"] for result in results] == [21, 21, 20]
    for each, result in zip(members, results, strict=True):
        alone = run(each.document())
        assert [row["step"] for row in result["rows"]] == [row.step for row in alone.rows]
        for row, wanted in zip(result["rows"], alone.rows, strict=True):
            assert row["loss"] == pytest.approx(wanted.loss, abs=1e-4)


def test_compiling_is_left_out_and_said() -> None:
    found = together([tiny(seed=seed, compile=True, max_steps=5) for seed in range(2)])
    assert [each.notes for each in found] == [(loop.NOT_COMPILED,)] * 2
    assert not found[0].compiled


def test_losses_that_are_read_late_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    members = [tiny(seed=0), tiny(seed=1, lr=1e30), tiny(seed=2, max_steps=31)]
    at_once = dict(train_runs(members))
    monkeypatch.setattr(loop, "steps_between_reads", lambda device: 7)
    late = dict(train_runs(members))
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
