"""Pairs: tokens in any order, and what is no pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from longreach.bounds.simulation.finite_string import FiniteSimulation
from longreach.bounds.simulation.model_pair import ModelPair
from longreach.errors import InputError
from longreach.limit.compile.attention_averages import modp_task_model, simple_task_model
from longreach.limit.run.limit_to_finite import to_finite


def test_the_order_of_the_vocabulary_does_not_matter() -> None:
    f, g = simple_task_model(1.0), simple_task_model(2.0)
    order = [2, 3, 0, 1]
    turned = replace(g, vocabulary=tuple(g.vocabulary[i] for i in order), embedding=g.embedding[order])
    x = np.random.default_rng(0).integers(0, 3, 20_000)
    one, other = (FiniteSimulation(ModelPair(f, second), 8).string(x, 0.5) for second in (g, turned))
    assert one.z.tolist() == other.z.tolist()
    assert one.errors == other.errors
    assert one.errors.g > 0


def test_words_go_there_and_back() -> None:
    pair = ModelPair(modp_task_model(2), modp_task_model(3))
    assert pair.period == 6
    assert pair.decode(pair.encode("0110")) == list("0110")


def test_finite_transformers_are_refused() -> None:
    limit = modp_task_model(1)
    finite = to_finite(limit, 8)
    with pytest.raises(
        InputError, match="model: a finite transformer; simulation strings are about limit ones"
    ):
        ModelPair(finite, limit)
    with pytest.raises(InputError, match="against: a finite transformer"):
        ModelPair(limit, finite)
