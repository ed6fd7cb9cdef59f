"""Tests of `inspection.report`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.inspection import report as head_report
from longreach.inspection import report as model_inspection
from longreach.inspection.attention import softness
from longreach.inspection.models import OutsideModel, data_for
from longreach.inspection.positions import offset_variance
from longreach.inspection.report import Inspection, inspect_outside, inspect_subject, limit_summary
from longreach.inspection.trace import trace
from tests.helpers.inspected_models import StandIn, lively, small_config, small_subject


def _size(said: Inspection) -> int:
    matrix = said.heads[0].matrix
    assert matrix is not None
    return len(matrix)


def test_learned_positions() -> None:
    found = small_subject("ape", task="tomita-1")
    stages: list[str] = []
    said = inspect_subject(found, rows=6, inputs=4, stage=stages.append)
    document = said.document()
    json.dumps(document, allow_nan=False)
    assert [(each["layer"], each["head"]) for each in document["heads"]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for each in said.heads:
        assert each.matrix is not None
        assert each.offset_variance == offset_variance(each.matrix)
    assert said.heads[0].shift.window == found.trained_size == 11
    assert said.value_products == 16
    assert len(said.values) == 12
    assert [row.length for row in said.lengths] == [10, 20, 30, 50, 80]
    assert said.limit is not None
    assert document["limit_transformer"]["R_inf"]["parts"]["size"] == 2 + 2 + 9
    assert document["limit_transformer"]["R"]["total"] > 0
    assert said.failure is not None
    assert document["task"] == "tomita-1"
    assert len(stages) == 6


def test_weights_are_those_on_data() -> None:
    found = small_subject("ape")
    said = inspect_subject(found, rows=6, inputs=2, seed=3)
    tokens, _ = data_for(found, 10, 6, np.random.default_rng(3))
    weights = trace(found.parameters, found.config, tokens).weights[1][:, 0].double().numpy()
    assert said.heads[2].softness == softness(weights)


@pytest.mark.parametrize(("encoding", "limit"), [("nope", True), ("rope", False), ("t5", True)])
def test_other_encodings(encoding: str, limit: bool) -> None:
    said = inspect_subject(small_subject(encoding), rows=4, inputs=3)
    assert (said.limit is not None) == limit
    assert any("no limit transformer" in remark for remark in said.remarks) != limit
    data = "averaged over inputs" in said.products_from
    assert data == (encoding in ("nope", "rope"))
    # SOS is left out where logits are those of data: ten letters remain.
    assert _size(said) == (10 if data else 31)


def test_without_a_task() -> None:
    found = replace(small_subject("ape"), task=None, task_name=None, training=None, kind="checkpoint")
    said = inspect_subject(found, rows=4)
    assert any("random tokens" in remark for remark in said.remarks)
    assert (said.lengths, said.failure, said.construction) == ((), None, ())
    given = inspect_subject(found, tokens=np.array([[1, 2, 3], [3, 2, 1]]))
    assert not any("random tokens" in remark for remark in given.remarks)


def test_positions_that_training_never_reached_are_left_out() -> None:
    found = small_subject("ape")
    assert found.training is not None
    fixed = replace(found, training=found.training.model_copy(update={"offsets": "none"}))
    assert _size(inspect_subject(fixed, rows=4, inputs=2)) == 11
    assert limit_summary(found).positions.shape[1] == 8


def test_a_large_model_keeps_the_matrices_that_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    found = replace(small_subject("ape"), task=None, task_name=None, training=None, kind="gpt2")
    whole = inspect_subject(found, rows=4)
    monkeypatch.setattr(model_inspection, "MOST_ENTRIES", 1)
    monkeypatch.setattr(head_report, "MOST_DRAWN", 2)
    said = inspect_subject(found, rows=4)
    assert said.limit is None
    kept = [each.matrix is not None for each in said.heads]
    assert sum(kept) == 2
    for one, other in zip(said.heads, whole.heads, strict=True):
        assert one.offset_variance == other.offset_variance
        if one.matrix is not None:
            assert one.matrix == pytest.approx(other.matrix)


MODEL = OutsideModel(
    path=Path("tiny"), document={"model_type": "llama", "hidden_size": 8, "rope_theta": 1e4, "note": "x"}
)


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
