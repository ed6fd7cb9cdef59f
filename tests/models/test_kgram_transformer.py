from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.models.kgram_transformer import KGramBatch, KGramTransformer
from longreach.models.regression_shape import RegressionShape
from longreach.tasks.regression_catalog import load_regression
from longreach.tasks.regression_task import RegressionTask, Words
from tests.helpers.literal_regression import literal_output


def _batch(task: RegressionTask, words: Words) -> KGramBatch:
    return KGramBatch.of(
        words.tokens,
        words.lengths,
        targets=words.targets,
        symbols=task.symbols,
        locality=task.locality,
    )


@pytest.mark.parametrize(("symbols", "order"), [(2, 1), (3, 2), (2, 3), (25, 1)])
def test_outputs_are_those_of_the_transformer_on_tokens(symbols: int, order: int) -> None:
    task, rng = load_regression(f"in-context-kgram:S={symbols},k={order}"), np.random.default_rng(5)
    shape = RegressionShape(
        symbols=symbols, outputs=symbols, layers=2, width=4, hidden=6, locality=task.locality
    )
    vector = shape.initial(rng).double()
    vector += 0.3 * torch.from_numpy(rng.standard_normal(vector.shape))
    words = task.words(np.array([task.least_length, 9, 5, 12]), rng)
    batch = _batch(task, words)
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
    model, batch = KGramTransformer(shape), _batch(task, words)
    loss, gradient = model.gradient(vector, batch)
    distances = ((model.outputs(vector, batch).double().numpy() - words.targets) ** 2).sum(axis=1)
    assert loss.item() == pytest.approx(distances.mean(), rel=1e-5)
    step = 1e-3 * gradient / gradient.norm()
    fall = model.losses(vector - step, batch) - loss
    assert fall.item() == pytest.approx(-1e-3 * gradient.norm().item(), rel=0.05)
