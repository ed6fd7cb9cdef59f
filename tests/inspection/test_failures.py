"""Failures that are made on purpose, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from longreach.inspection.failures import analyse_failure, mending_tokens
from longreach.inspection.limit import LengthRow
from longreach.inspection.models import batch_at
from longreach.inspection.positions import PositionProduct, by_distance
from longreach.inspection.trace import trace
from tests.helpers.inspected_models import small_subject


def _rows(*shares: float) -> list[LengthRow]:
    return [LengthRow(length=10 * (n + 1), model=share) for n, share in enumerate(shares)]


def test_the_first_length_of_failure() -> None:
    found = small_subject("ape")
    said = analyse_failure(found, _rows(1.0, 0.9, 0.2), level=0.5, inputs=6)
    assert (said.learned, said.fails_at, said.trained_to) == (True, 30, 10)
    works = analyse_failure(found, _rows(1.0, 1.0, 1.0), level=0.5, inputs=6)
    assert (works.fails_at, works.first_errors, works.by_place) == (None, None, ())
    assert not analyse_failure(found, _rows(0.1, 0.1, 0.0), level=0.5, inputs=6).learned


def test_first_errors_are_those_of_the_outputs() -> None:
    """Place by place, from the model's outputs."""
    found = small_subject("ape", seed=1)
    said = analyse_failure(found, _rows(1.0, 0.0, 0.0), level=0.5, inputs=12, seed=5)
    batch = batch_at(found, 20, 12, np.random.default_rng([5, 20]))
    outputs = trace(found.parameters, found.config, torch.from_numpy(batch.tokens)).outputs.argmax(-1).numpy()
    first = []
    for row in range(12):
        wrong = [at for at in range(21) if batch.mask[row, at] and outputs[row, at] != batch.targets[row, at]]
        first += wrong[:1]
    errors = said.first_errors
    assert errors is not None
    assert (errors.wrong, errors.rows) == (len(first), 12)
    assert errors.places == (min(first), sorted(first)[len(first) // 2], max(first))
    assert errors.example_place == min(first)
    assert sum(kind.times for kind in errors.kinds) <= len(first)
    assert all(kind.target != kind.said for kind in errors.kinds)
    total = sum(share for _, share in said.by_place)
    assert total > 0
    assert [offset for offset, _ in said.by_offset] == [0, 5, 10, 15, 20]
    assert said.document()["fails_at"] == 20


def test_tokens_without_which_the_answer_is_right() -> None:
    """Each is tried by removing it from the input, at the same positions."""
    found = small_subject("ape", seed=2)
    batch = batch_at(found, 12, 6, np.random.default_rng(0))
    place, row = 7, 3
    said = {each.place for each in mending_tokens(found, batch, row, place)}
    wanted = set()
    for gone in range(place):
        left = [at for at in range(place + 1) if at != gone]
        outputs = trace(
            found.parameters, found.config, torch.from_numpy(batch.tokens[row : row + 1, left]),
            torch.tensor([left]),
        ).outputs  # fmt: skip
        if int(outputs[0, -1].argmax()) == batch.targets[row, place]:
            wanted.add(gone)
    assert said == wanted


def test_functions_that_act_only_beyond_training() -> None:
    found = small_subject("ape")
    size = found.trained_size
    assert size == 11
    quiet, late = np.zeros(30), np.zeros(30)
    late[20] = 4.0
    early = late.copy()
    early[3] = 4.0
    products = [
        PositionProduct(0, number, by_distance(values, 30))
        for number, values in enumerate((quiet, late, early))
    ]
    said = analyse_failure(found, _rows(1.0, 1.0), level=0.5, products=products, inputs=4).beyond
    assert [(each.name, each.distance) for each in said] == [("layer 0 head 1", 20)]
    assert said[0].beyond == pytest.approx(4)


def test_encodings_without_a_table_have_no_offsets() -> None:
    found = replace(small_subject("nope"), remarks=())
    assert analyse_failure(found, _rows(1.0), level=0.5, inputs=4).by_offset == ()
