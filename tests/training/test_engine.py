from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.config.training import TrainConfig
from longreach.experiments.resolve import resolve
from longreach.models.transformer import forward, initialise
from longreach.results.schema import Evaluation
from longreach.training import checkpoint, engine, member, step
from longreach.training import compiled_step as compiled
from longreach.training.batches import BLOCK, Batches, Streams, chunks
from longreach.training.engine import Diverged, Trained, train
from longreach.training.shape import decoder_of
from longreach.training.step import (
    GradientByHand,
    Layout,
    State,
    chunk_outputs,
    loss_and_gradient,
    step_numbers,
    update,
)
from tests.helpers.examples import slow


def tiny(**given: Any) -> TrainConfig:
    fields = {
        "layers": 1, "heads": 1, "width": 16, "lr": 3e-3, "max_steps": 60, "evaluate_every": 20,
        "train_lengths": (1, 10), "test_lengths": ((11, 20),), "test_size": 100, "stop_early": True,
        "log_length": False,
    }  # fmt: skip
    return resolve(given.pop("task", "parity"), given.pop("encoding", "ape"), **{**fields, **given})


def same(one: Trained, other: Trained) -> bool:
    equal = all(torch.equal(value, other.parameters[name]) for name, value in one.parameters.items())
    return equal and one.rows == other.rows and one.steps == other.steps


@pytest.mark.parametrize("task", ["parity", "copy-unique", "addition", "tomita-5"])
@pytest.mark.parametrize("encoding", ["ape", "rope", "randomized"])
def test_chunks_have_the_gradient_of_the_whole_batch(task: str, encoding: str) -> None:
    config = tiny(
        task=task, encoding=encoding, layers=2, train_lengths=(4, 15), test_lengths=((16, 20),), penalty=0.0
    )
    layout = Layout(decoder_of(config))
    vector = layout.vector(initialise(decoder_of(config), 1))
    batch = Batches(config, Streams(0).data).whole(0)

    leaf = vector.clone().requires_grad_()
    tokens, ids = torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
    logits = forward(layout.named(leaf), decoder_of(config), tokens, ids)
    mask = torch.from_numpy(batch.mask)
    plain = F.cross_entropy(logits[mask], torch.from_numpy(batch.targets)[mask])
    (wanted,) = torch.autograd.grad(plain, leaf)

    for parts in (1, 3, 8):
        loss, gradient = loss_and_gradient(vector, layout, config, chunks(batch, parts))
        assert loss.item() == pytest.approx(plain.item(), abs=1e-6)
        assert (gradient - wanted).abs().max() < 1e-6


def test_chunks_of_a_fixed_shape_have_the_same_gradient() -> None:
    config = tiny(task="addition", train_lengths=(4, 15))
    layout = Layout(decoder_of(config))
    vector = layout.vector(initialise(decoder_of(config), 1))
    shape = compiled.fixed_shape(config)
    batches = Batches(config, Streams(0).data, shape)
    for number in range(20):
        free, fixed = batches.whole(number), batches.fixed(number)
        assert fixed.tokens.shape == (64, shape[0])
        assert fixed.targets.shape == (64, shape[1])
        parts = [[fixed], chunks(free, 4)]
        one, other = (loss_and_gradient(vector, layout, config, each)[1] for each in parts)
        assert (one - other).abs().max() < 1e-6


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
        optimizer.param_groups[0]["lr"] = step.learning_rate(config, number)
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
    runs = [engine._Run(config, None, None, 1e9) for _ in range(2)]
    assert runs[0].by_hand is not None
    runs[1].by_hand = None
    for _ in range(BLOCK + 4):
        losses = []
        for run in runs:
            run._step()
            losses.append(run.member.losses[0])
            run.member.losses = 0.0, 0
        assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    one, other = (run.member.state.vector for run in runs)
    assert (one - other).abs().max() < 1e-3


def test_schedules() -> None:
    config = tiny(lr=1.0, max_steps=100, warmup=10)
    assert [step.learning_rate(config, number) for number in (0, 5, 10, 55)] == [0.0, 0.5, 1.0, 0.5]
    constant = tiny(lr=1.0, max_steps=100, warmup=10, schedule="constant")
    assert [step.learning_rate(constant, number) for number in (5, 10, 99)] == [0.5, 1.0, 1.0]


def test_penalty_enters_the_loss_and_its_gradient() -> None:
    config, plain = tiny(penalty=10.0), tiny()
    layout = Layout(decoder_of(config))
    vector = layout.vector(initialise(decoder_of(config), 1)) * 5
    batch = Batches(config, Streams(0).data).whole(0)
    with_it = loss_and_gradient(vector, layout, config, chunks(batch, 1))
    without = loss_and_gradient(vector, layout, plain, chunks(batch, 1))
    named = layout.named(vector)
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


@pytest.mark.parametrize("stop", [1, 20, 33, 60])
def test_resumed_run_gives_the_numbers_of_an_uninterrupted_one(tmp_path: Path, stop: int) -> None:
    def kill(done: int, row: Evaluation | None) -> None:
        if done == stop + 1:
            raise Killed

    config = tiny()
    if stop < 60:
        with pytest.raises(Killed):
            train(config, tmp_path, report=kill, checkpoint_seconds=0)
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
    monkeypatch.setattr(member, "accuracy", right_from_the_second)
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


@pytest.mark.parametrize("encoding", ["nope", "sinusoidal", "rope", "alibi", "t5", "fire", "randomized"])
def test_every_encoding_trains(encoding: str) -> None:
    trained = train(tiny(task="tomita-5", encoding=encoding, heads=2, max_steps=5, test_size=20))
    assert math.isfinite(trained.rows[-1].loss or math.nan)


def test_bfloat16_is_near_float32() -> None:
    exact, coarse = (train(tiny(dtype=dtype, max_steps=20)) for dtype in ("float32", "bfloat16"))
    assert exact.rows[-1].loss == pytest.approx(coarse.rows[-1].loss, rel=0.02)
    assert exact.rows[-1].loss != coarse.rows[-1].loss


def test_streams_are_apart() -> None:
    one, other = Streams(4), Streams(4)
    one.evaluation.random(1000)
    assert np.array_equal(one.data.random(10), other.data.random(10))
    assert Streams(4).initial != Streams(5).initial


def test_without_a_compiler_the_step_runs_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    trained = train(tiny(compile=True))
    assert not trained.compiled
    assert len(trained.notes) == 1
    assert "no C++ compiler" in trained.notes[0]
    assert same(trained, train(tiny()))


@slow("compiling takes half a minute")
@pytest.mark.skipif(compiled.compiler() is None, reason="left out: needs a C++ compiler")
@pytest.mark.filterwarnings("ignore")
def test_a_compiled_step_is_the_same_step() -> None:
    config = tiny(compile=True, max_steps=20, penalty=0.1)
    trained, plain = train(config), train(tiny(compile=False, max_steps=20, penalty=0.1))
    assert trained.compiled
    assert trained.rows[-1].loss == pytest.approx(plain.rows[-1].loss, abs=1e-5)
    assert same(trained, train(config))
    shared = compiled.compiled_step(config)
    assert compiled.compiled_step(tiny(compile=True, seed=9, lr=1.0, penalty=0.1)) is shared
    assert compiled.compiled_step(tiny(compile=True, width=8, penalty=0.1)) is not shared


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
    logits, _ = chunk_outputs(named, decoder_of(config), chunk)
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
