"""Tests of `models.counting`."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.models.counting import (
    CountBatch,
    CountTransformer,
    KGramBatch,
    KGramTransformer,
    RegressionShape,
)
from longreach.tasks.numbers import Counts, CountTask, RegressionTask, Words, load_regression
from tests.helpers.literal_regression import literal_output, literal_streams

MEMBERS = 3
CASES = [("simple-task:omega=2", False), ("simple-task:omega=2", True), ("modp-task:p=3,k=2", False),
         ("modp-task:p=4,k=1", True), ("modp-task:p=1", False)]  # fmt: skip


def _made(name: str, log_length: bool) -> tuple[CountTransformer, torch.Tensor, list[Words], CountBatch]:
    task, rng = load_regression(name), np.random.default_rng(7)
    assert isinstance(task, CountTask)
    shape = RegressionShape(
        symbols=task.symbols,
        outputs=1,
        layers=1,
        width=4,
        hidden=8,
        period=task.period,
        log_length=log_length,
    )
    vectors = torch.stack([shape.initial(rng) for _ in range(MEMBERS)]).double()
    vectors += 0.1 * torch.from_numpy(rng.standard_normal(vectors.shape))  # biases, too
    words = [task.words(rng.integers(task.least_length, 9, 6), rng) for _ in range(MEMBERS)]
    return CountTransformer(shape), vectors, words, _batch([task.counted(each) for each in words])


def _batch(members: list[Counts]) -> CountBatch:
    counts = np.stack([each.counts for each in members])
    last, targets = (np.stack([getattr(each, name) for each in members]) for name in ("last", "targets"))
    return CountBatch(
        torch.from_numpy(counts).double(), torch.from_numpy(last), torch.from_numpy(targets[..., 0])
    )


@pytest.mark.parametrize(("name", "log_length"), CASES)
def test_outputs_are_those_of_the_transformer_on_tokens(name: str, log_length: bool) -> None:
    model, vectors, words, batch = _made(name, log_length)
    found = model.outputs(vectors, batch)
    for member, own in enumerate(words):
        named = model.shape.named(vectors[member])
        for row, (tokens, length) in enumerate(zip(own.tokens, own.lengths, strict=True)):
            right = literal_output(named, model.shape, tokens[:length].tolist())
            assert found[member, row].item() == pytest.approx(right.item(), abs=1e-10)


@pytest.mark.parametrize(("name", "log_length"), CASES)
def test_attention_is_that_of_the_transformer_on_tokens(name: str, log_length: bool) -> None:
    model, vectors, words, batch = _made(name, log_length)
    found = model.attention(vectors, batch)
    task, (own, *_) = load_regression(name), words
    for row, (tokens, length) in enumerate(zip(own.tokens, own.lengths, strict=True)):
        _, maps = literal_streams(model.shape.named(vectors[0]), model.shape, tokens[:length].tolist())
        kinds = tokens[:length] + task.symbols * (np.arange(1, length + 1) % task.period)
        assert found[0, row, kinds].numpy() == pytest.approx(maps[0][-1].numpy(), abs=1e-6)


@pytest.mark.parametrize(("name", "log_length"), CASES)
def test_the_gradient_is_that_of_autograd(name: str, log_length: bool) -> None:
    model, vectors, _, batch = _made(name, log_length)
    leaf = vectors.clone().requires_grad_()
    losses = model.losses(leaf, batch)
    (right,) = torch.autograd.grad(losses.sum(), leaf)
    found, gradient = model.gradient(vectors, batch)
    assert torch.allclose(found, losses.detach())
    assert torch.allclose(gradient, right, atol=1e-12)
    assert bool((right.abs().sum(1) > 0).all())


def test_members_do_not_see_each_other() -> None:
    model, vectors, _, batch = _made("simple-task", log_length=False)
    before = model.gradient(vectors, batch)[1]
    vectors[1] += 1.0
    after = model.gradient(vectors, batch)[1]
    assert torch.equal(before[[0, 2]], after[[0, 2]])
    assert not torch.equal(before[1], after[1])


def _sequences(task: RegressionTask, words: Words) -> KGramBatch:
    return KGramBatch.of(
        words.tokens,
        words.lengths,
        targets=words.targets,
        symbols=task.symbols,
        locality=task.locality,
    )


@pytest.mark.parametrize(("symbols", "order"), [(2, 1), (3, 2), (2, 3), (25, 1)])
def test_two_layers_are_those_of_the_transformer_on_tokens(symbols: int, order: int) -> None:
    task, rng = load_regression(f"in-context-kgram:S={symbols},k={order}"), np.random.default_rng(5)
    shape = RegressionShape(
        symbols=symbols, outputs=symbols, layers=2, width=4, hidden=6, locality=task.locality
    )
    vector = shape.initial(rng).double()
    vector += 0.3 * torch.from_numpy(rng.standard_normal(vector.shape))
    words = task.words(np.array([task.least_length, 9, 5, 12]), rng)
    batch = _sequences(task, words)
    # Positions that have seen the same are computed once, unless there are too many symbols to tell.
    assert (len(batch.tokens) < len(batch.row)) == (symbols < 25)
    found = KGramTransformer(shape).outputs(vector, batch)
    for row, (tokens, length) in enumerate(zip(words.tokens, words.lengths, strict=True)):
        right = literal_output(shape.named(vector), shape, tokens[:length].tolist())
        assert found[row].numpy() == pytest.approx(right.numpy(), abs=1e-9)


def test_the_loss_is_the_mean_squared_distance() -> None:
    task, rng = load_regression("in-context-kgram:S=3,k=1"), np.random.default_rng(6)
    shape = RegressionShape(symbols=3, outputs=3, layers=2, width=4, hidden=6, locality=1)
    vector, words = shape.initial(rng), task.words(rng.integers(2, 20, 50), rng)
    model, batch = KGramTransformer(shape), _sequences(task, words)
    loss, gradient = model.gradient(vector, batch)
    distances = ((model.outputs(vector, batch).double().numpy() - words.targets) ** 2).sum(axis=1)
    assert loss.item() == pytest.approx(distances.mean(), rel=1e-5)
    step = 1e-3 * gradient / gradient.norm()
    fall = model.losses(vector - step, batch) - loss
    assert fall.item() == pytest.approx(-1e-3 * gradient.norm().item(), rel=0.05)
