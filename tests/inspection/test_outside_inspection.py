"""Profiles of attention by distance, of a model that turns its queries and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.inspection.inspected_model import OutsideModel
from longreach.inspection.outside_inspection import inspect_outside
from tests.helpers.inspected_models import StandIn, lively, small_config

MODEL = OutsideModel(
    name="tiny", path=Path("tiny"), architecture="llama",
    document={"model_type": "llama", "hidden_size": 8, "rope_theta": 1e4, "note": "x"},
)  # fmt: skip


def test_one_token_again_and_again_leaves_the_distance_alone() -> None:
    """With equal tokens RoPE's logits depend on the distance: offset variance 0, if centring did not move it.

    Rows are centred over as many keys as they see, so that what is left is compared row by row.
    """
    config = small_config("rope", layers=1)
    module = StandIn(lively(config), config)
    found = inspect_outside(MODEL, tokens=np.full((2, 20), 3), module=module)
    assert [(head.layer, head.head) for head in found.heads] == [(0, 0), (0, 1)]
    for head in found.heads:
        matrix = head.matrix
        steps = [matrix[i, i - 1] - matrix[i, i] for i in range(1, 20)]
        assert steps == pytest.approx([steps[0]] * 19, abs=1e-4)
    assert found.document()["architecture"] == "llama"
    assert found.facts["hidden_size"] == 8
    assert "note" not in found.facts


def test_random_tokens_are_said() -> None:
    config = small_config("rope")
    found = inspect_outside(MODEL, module=StandIn(lively(config), config))
    assert any("random tokens" in remark for remark in found.remarks)
    assert len(found.heads[0].means) == config.positions
    short = small_config("rope", positions=1)
    with pytest.raises(InputError, match="reads 1 token"):
        inspect_outside(MODEL, module=StandIn(lively(short), short))
