"""Attended classes against attention itself, and the sensitivity against changes of attention."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.bounds.model_quantities import quantities
from longreach.bounds.simulation.attended_classes import attended, check_one_layer, class_counts, sensitivity
from longreach.bounds.simulation.model_pair import ModelPair
from longreach.errors import Argument, InputError
from longreach.limit.model import Head, Layer, Transformer
from longreach.limit.run.float_evaluator import attention
from longreach.limit.run.softmax_weights import RelativePrecision
from tests.helpers.one_layer_models import one_layer_model


@pytest.mark.parametrize("period", [1, 2, 3])
@pytest.mark.parametrize("locality", [None, 0, 2])
def test_attended_are_the_keys_with_weight(period: int, locality: int | None) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        pair = ModelPair(
            one_layer_model(rng, period=period, locality=locality), one_layer_model(rng, period=2)
        )
        x = rng.integers(0, 1 + seed % 3, int(rng.integers(8, 40))).astype(np.intp)
        middle = len(x) - pair.locality - 1
        counts = class_counts(pair, x, middle)
        for model in pair.models:
            # Bits so few that any margin makes attention hard.
            weights = attention(model, pair.decode(x), 0, 0, precision=RelativePrecision(0))[-1]
            wanted = np.zeros(counts.shape, dtype=np.bool_)
            for j in range(1, middle + 1):
                wanted[x[j - 1], j % pair.period] |= weights[j] > 0
            np.testing.assert_array_equal(
                attended(pair, model, x, counts, margin=quantities(model).logit_margin), wanted
            )


def test_outputs_change_no_more_than_the_sensitivity_says() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = one_layer_model(rng, period=2)
        pair = ModelPair(model, model)
        layer = model.layers[0]
        values = (model.embedding[:, None] + model.positions[None]).reshape(-1, model.width) @ layer.heads[
            0
        ].v.T
        one, other = rng.dirichlet(np.full(len(values), 0.3), 2)
        outputs = []
        for weights in (one, other):
            y = weights @ values
            outputs.append(model.unembedding @ (y + layer.out @ np.maximum(layer.a @ y + layer.b, 0)))
        most = sensitivity(pair, model) * np.abs(one - other).sum()
        assert np.linalg.norm(outputs[0] - outputs[1]) <= most + 1e-9


def test_two_heads_that_write_are_refused_and_silent_ones_are_not() -> None:
    model = one_layer_model(np.random.default_rng(0))
    (head,) = model.layers[0].heads
    silent = Head(head.kq, np.zeros_like(head.v))
    check_one_layer(_with(model, (head, silent)), Argument("model"))
    with pytest.raises(InputError, match="model: 2 heads that write; the theorem is about one head"):
        check_one_layer(_with(model, (head, head)), Argument("model"))
    with pytest.raises(InputError, match="model: 0 heads that write"):
        check_one_layer(_with(model, (silent,)), Argument("model"))


def _with(model: Transformer, heads: tuple[Head, ...]) -> Transformer:
    layer = model.layers[0]
    return Transformer(
        kind="limit",
        vocabulary=model.vocabulary,
        embedding=model.embedding,
        positions=model.positions,
        layers=(Layer(heads, layer.a, layer.b, layer.out, layer.heaviside),),
        unembedding=model.unembedding,
        read_out=model.read_out,
    )
