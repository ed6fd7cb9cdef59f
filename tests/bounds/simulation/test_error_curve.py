"""Errors against lengths."""

from __future__ import annotations

import numpy as np

from longreach.bounds.simulation.error_curve import error_figure, finite_curve, infinite_curve
from longreach.bounds.simulation.finite_string import FiniteSimulation
from longreach.bounds.simulation.infinite_string import InfiniteSimulation
from longreach.bounds.simulation.model_pair import ModelPair
from longreach.limit.compile.attention_averages import simple_task_model
from longreach.limit.compile.hand_built import induction_head


def test_one_layer() -> None:
    pair = ModelPair(simple_task_model(), simple_task_model(2.0))
    x = np.random.default_rng(0).integers(0, 3, 30_000)
    rows = finite_curve(FiniteSimulation(pair, 8), x)
    lengths = [row.length for row in rows]
    assert len(rows) >= 5
    assert lengths == sorted(lengths)
    assert all(max(row.errors.f, row.errors.g) <= row.promised for row in rows)
    (axis,) = error_figure(rows, "title", pair=True).axes
    assert len(axis.lines) == 3


def test_two_layers() -> None:
    pair = ModelPair(induction_head("ab"), induction_head("ab"))
    x = np.random.default_rng(0).integers(0, 2, 5_000)
    rows = infinite_curve(InfiniteSimulation(pair), x, points=4)
    assert len(rows) == 4
    assert all(row.statistics is not None and max(row.statistics) <= row.promised for row in rows)
    (axis,) = error_figure(rows, "title", pair=False).axes
    assert len(axis.lines) == 5
    assert infinite_curve(InfiniteSimulation(pair), x[:300]) == []
