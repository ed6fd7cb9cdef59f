"""Features of a run, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from longreach.errors import InputError
from longreach.inspection.inspected_model import batch_at
from longreach.inspection.run_features import FEATURES, beyond_training, run_features
from longreach.inspection.traced_forward import trace
from tests.helpers.inspected_models import small_subject


def test_they_are_what_they_say() -> None:
    found = small_subject("ape")
    said = run_features(found, rows=5, seed=2)
    assert set(said) == set(FEATURES)
    assert all(np.isfinite(value) for value in said.values())
    batch = batch_at(found, 10, 5, np.random.default_rng([2, 7]))
    outputs = trace(found.parameters, found.config, torch.from_numpy(batch.tokens)).outputs.double().numpy()
    two = np.sort(outputs, axis=-1)[..., -2:]
    margins = two[..., 1] - two[..., 0]
    assert said["margin"] == pytest.approx(margins.mean(), abs=1e-5)
    assert said["least margin"] == pytest.approx(margins.min(axis=1).mean(), abs=1e-5)


def test_without_positions_their_features_are_nothing() -> None:
    said = run_features(small_subject("nope"), rows=3)
    assert (said["window shift"], said["fit residual"], said["unlike its limit"]) == (0, 0, 0)
    assert said["offset variance"] == pytest.approx(-8)


def test_what_comes_beyond_training() -> None:
    row = beyond_training(small_subject("ape"), 30, rows=3)
    assert row is not None
    assert row.length == 30
    assert row.model is not None
    assert beyond_training(small_subject("rope"), 30) is None
    with pytest.raises(InputError, match="with its task"):
        run_features(replace(small_subject("ape"), task=None))
