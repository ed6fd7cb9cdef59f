"""Accuracy by length against the engine's own, and a limit transformer that goes on where the model ends."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.inspection.inspected_model import batch_at
from longreach.inspection.limit_runs import (
    accuracy_by_length,
    accuracy_of,
    answers_of,
    longest_size,
    tried_lengths,
)
from longreach.inspection.model_inspection import limit_summary
from longreach.models.transformer import forward
from tests.helpers.inspected_models import small_subject


@pytest.mark.parametrize("encoding", ["nope", "ape"])
def test_a_row_is_right_if_all_of_it_is(encoding: str) -> None:
    found = small_subject(encoding, seed=3)
    batch = batch_at(found, 9, 25, np.random.default_rng(0))
    said = forward(
        found.parameters, found.config, torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
    ).argmax(dim=-1)
    right = [
        all(said[row, at] == batch.targets[row, at] for at in range(batch.sizes[row]) if batch.mask[row, at])
        for row in range(25)
    ]
    assert accuracy_of(batch, answers_of(found)) == pytest.approx(np.mean(right))


def test_lengths_beyond_the_positions() -> None:
    found = small_subject("ape")
    assert longest_size(found) == found.config.positions
    assert longest_size(small_subject("rope")) is None
    rows = accuracy_by_length(found, [10, 30, 50], summary=limit_summary(found), rows=4)
    assert [row.length for row in rows] == [10, 30, 50]
    assert [row.model is None for row in rows] == [False, False, True]
    assert all(row.kept is not None and row.strict is not None for row in rows)
    assert found.task is not None
    assert tried_lengths(found.task, 10) == [10, 20, 30, 50, 80]


def test_a_model_without_positions_is_its_own_limit() -> None:
    found = small_subject("nope")
    for row in accuracy_by_length(found, [10, 60], summary=limit_summary(found), rows=8):
        assert row.kept == row.model
