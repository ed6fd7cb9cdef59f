"""Runs that learn numbers: their loop, their batches, and what is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from longreach.config.run import RunConfig
from longreach.models.counting import CountBatch, CountTransformer
from longreach.tasks.numbers import CountTask, load_regression
from longreach.training.checkpoint import STATE
from longreach.training.loop import start_run, train, train_runs
from longreach.training.numbers import NumberModels, count_batch, draw_tests
from longreach.training.run import Diverged, Trained
from longreach.training.setup import counting_of
from longreach.training.stepping import StackedNumbers
from longreach.training.steps import adam
from tests.training.test_loop import same, stopped

TASKS = ["simple-task:omega=2", "modp-task:p=2,k=1", "in-context-kgram:S=2,k=1"]


def small(task: str = "simple-task:omega=1", **given: Any) -> RunConfig:
    fields = {
        "width": 4, "hidden": 8, "batch": 16, "max_steps": 30, "test_size": 20, "evaluate_every": 10,
        "train_lengths": (2, 8), "test_lengths": ((12, 12), (20, 24)),
    }  # fmt: skip
    return RunConfig.read({"task": task, **fields, **given})


@pytest.mark.parametrize("task", TASKS)
def test_a_member_learns_and_says_its_losses(task: str) -> None:
    found = train(small(task, max_steps=150, width=8, hidden=32, lr=0.05))
    assert found.steps == 150
    assert not found.reached
    losses = [row.loss for row in found.rows]
    assert [row.step for row in found.rows] == list(range(10, 160, 10))
    assert losses[-1] is not None
    assert losses[0] is not None
    assert losses[-1] < losses[0] / 2
    assert {"loss 2-8", "loss 12-12", "loss 20-24"} <= found.final.other.keys()
    assert ("L" in found.final.other) == ("kgram" not in task)


def test_it_stops_at_the_loss() -> None:
    config = small(max_steps=3000, target_loss=0.05, lr=0.03)
    found = train(config)
    assert found.reached
    assert found.final.loss is not None
    assert found.final.loss < 0.05
    assert found.steps < 3000
    assert found.rows[-1].step == found.steps


@pytest.mark.parametrize("task", TASKS)
def test_a_killed_run_goes_on_with_the_same_numbers(task: str, tmp_path: Path) -> None:
    config = small(task)
    whole = train(config)
    stopped(config, tmp_path, 16)
    again = train(config, tmp_path)
    assert again.resumed == 16
    assert again.final.other == whole.final.other
    assert same(again, whole)


def test_the_state_of_another_run_is_not_used(tmp_path: Path) -> None:
    other = start_run(small(seed=1), tmp_path)
    StackedNumbers([other]).step()
    other.count(1, 1.0)
    other.save()
    found = train(small(seed=2), tmp_path)
    assert found.resumed == 0
    assert "the state of another configuration" in found.notes[0]
    (tmp_path / STATE).write_bytes(b"nonsense")
    assert "not a model, or damaged" in train(small(seed=1), tmp_path).notes[0]


def test_members_side_by_side_are_as_if_alone() -> None:
    configs = [small(seed=0), small(seed=1, train_lengths=(2, 5), max_steps=20), small("simple-task:omega=3")]
    together = dict(train_runs(configs))
    assert list(together) == [1, 0, 2]
    for place, config in enumerate(configs):
        alone, found = train(config), together[place]
        assert isinstance(found, Trained)
        assert found.steps == alone.steps
        assert found.final.other == pytest.approx(alone.final.other, rel=1e-3)


def test_one_that_diverges_fails_alone() -> None:
    configs = [small(seed=0, lr=1e30), small(seed=1)]
    found = dict(train_runs(configs))
    assert isinstance(found[0], Diverged)
    assert isinstance(found[1], Trained)
    assert found[1].steps == 30


def test_adam_is_that_of_torch() -> None:
    rng = np.random.default_rng(0)
    start, slopes = (torch.from_numpy(rng.standard_normal((2, 5))).float() for _ in range(2))
    rates = torch.tensor([[0.1, 0.1, 0.01, 0.01, 0.01]] * 2)
    mine, first, second = start.clone(), torch.zeros(2, 5), torch.zeros(2, 5)
    groups = [torch.nn.Parameter(start[:, :2].clone()), torch.nn.Parameter(start[:, 2:].clone())]
    optimizer = torch.optim.Adam([{"params": groups[0], "lr": 0.1}, {"params": groups[1], "lr": 0.01}])
    for step in range(5):
        slope = slopes * (step + 1)
        groups[0].grad, groups[1].grad = slope[:, :2].clone(), slope[:, 2:].clone()
        optimizer.step()
        bias, scale = 1 / (1 - 0.9 ** (step + 1)), (1 - 0.999 ** (step + 1)) ** -0.5
        adam(mine, first, second, slope, rates * bias, torch.full((2, 1), scale))
    assert torch.allclose(mine, torch.cat([each.detach() for each in groups], dim=1), atol=1e-6)


def test_rates_and_initial_values_are_those_of_mup() -> None:
    shape = counting_of(small("modp-task:p=3,k=1", width=64, hidden=128))
    rates = shape.named(shape.rates(0.01))
    for name, rate in rates.items():
        own = 0.01 if name in ("embedding", "positions") else 0.01 / 64
        assert rate.unique().tolist() == pytest.approx([own]), name
    start = shape.named(shape.initial(np.random.default_rng(0)))
    spread = {name: value.std().item() for name, value in start.items()}
    wanted = {"0.key": 1 / 8, "0.value": 1 / 8, "0.in": 1 / 8, "0.out": 128**-0.5, "output": 1 / 64}
    for name, deviation in {"embedding": 1.0, "positions": 1.0, **wanted}.items():
        assert spread[name] == pytest.approx(deviation, rel=0.25), name
    assert not start["0.in_bias"].any()


def test_tests_are_the_same_in_every_call_and_of_their_range() -> None:
    config = small(test_size=50)
    one, other = (list(draw_tests(config, 2)) for _ in range(2))
    assert sum(map(len, one)) == 50
    assert all(24 >= length >= 20 for part in one for length in part.lengths.tolist())
    model = NumberModels(counting_of(config))
    vector = torch.zeros(1, counting_of(config).size)
    assert torch.equal(model.losses(vector, one), model.losses(vector, other))
    targets = count_batch(one, once=False).targets
    assert model.losses(vector, one).item() == pytest.approx(targets.square().mean().item())


@pytest.mark.parametrize("task", ["simple-task:omega=3", "modp-task:p=2,k=1", "modp-task:p=30,k=0"])
def test_rows_that_stand_once_give_the_loss_and_the_gradient_of_all_rows(task: str) -> None:
    """Short sequences repeat; with a period of 30 no whole number tells the rows apart."""
    known, rng = load_regression(task), np.random.default_rng(3)
    assert isinstance(known, CountTask)
    least = known.least_length
    shape = counting_of(small(task, train_lengths=(least, least + 6), test_lengths=((64, 64),)))
    drawn = [known.draw(rng.integers(least, least + size, 64), rng) for size in (2, 6)]
    vectors = torch.stack([shape.initial(rng) for _ in drawn]).double()
    whole, once = (_doubled(count_batch(drawn, once=each)) for each in (False, True))
    assert (once.shares > 0).sum() < 128 or task.startswith("modp-task:p=30")
    model = CountTransformer(shape)
    for found, right in zip(model.gradient(vectors, once), model.gradient(vectors, whole), strict=True):
        assert torch.allclose(found, right, atol=1e-7)
    assert torch.allclose(model.losses(vectors, once), model.losses(vectors, whole), atol=1e-7)


def _doubled(batch: CountBatch) -> CountBatch:
    for name in ("targets", "shares", "log_counts", "log_length", "last"):
        setattr(batch, name, getattr(batch, name).double())
    return batch
