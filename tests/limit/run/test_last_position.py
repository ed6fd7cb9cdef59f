"""The last output alone equals the last of all outputs."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.limit.run.float_evaluator import Precision, run
from longreach.limit.run.last_position import last_output
from longreach.limit.run.softmax_weights import RelativePrecision
from tests.helpers.small_models import random_words, small_model


@pytest.mark.parametrize("precision", ["own", None, 3, RelativePrecision(4), "infinite"])
def test_equal_to_the_last_of_all_outputs(precision: Precision) -> None:
    for seed in range(12):
        for phi in ("none", "local", "general"):
            model = small_model(
                seed, "limit", phi=phi, precision=None, integer=seed % 2 == 0, layers=1 + seed % 2
            )
            if phi == "general" and len(model.layers) == 1:
                continue  # one layer is run class by class, which a φ of any reach does not allow
            for word in [*random_words(seed, 2, 30), "", "a"]:
                wanted = run(model, [word], precision=precision)[0][-1]
                found = last_output(model, model.encode(word), precision=precision)
                np.testing.assert_allclose(found, wanted, atol=1e-9)
