"""A whole inspection of small models: what it says fits together, and is JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from longreach.inspection import head_report, model_inspection
from longreach.inspection.attention_hardness import softness
from longreach.inspection.inspected_model import data_for
from longreach.inspection.model_inspection import Inspection, inspect_subject, limit_summary
from longreach.inspection.offset_variance import offset_variance
from longreach.inspection.traced_forward import trace
from tests.helpers.inspected_models import small_subject


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
