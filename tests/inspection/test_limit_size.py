"""R of a model and R_∞ of its limit transformer, part by part."""

from __future__ import annotations

import pytest

from longreach.inspection.folded_norms import fold
from longreach.inspection.limit_size import BITS, size_of
from longreach.inspection.model_inspection import limit_summary
from longreach.inspection.trained_to_limit import to_transformer
from longreach.limit.measure.norms import limit_regularizer
from tests.helpers.inspected_models import small_subject


def test_numbers_of_the_theory() -> None:
    found = small_subject("ape")
    summary = limit_summary(found)
    model = fold(found.parameters, found.config, summary.scales)
    said = size_of(summary, found, model)
    assert (said.width, said.units) == (9, 4 * 8 * 16 + 1)
    assert said.limit is not None
    assert said.finite is not None
    plain = limit_regularizer(to_transformer(summary, found.parameters))
    assert said.limit.largest == pytest.approx(plain.largest, abs=1e-6)
    assert said.limit.relations == pytest.approx(plain.relations, abs=1e-4)
    assert said.limit.precision <= BITS
    assert said.finite.size == {"layers": 2, "heads": 2}
    assert said.finite.groups["positions"] > 0
    assert size_of(limit_summary(small_subject("nope")), small_subject("nope"), model).finite is not None
