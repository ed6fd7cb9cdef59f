"""Where compiled programs attend, against their own attention weights."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.crasp import parse
from longreach.inspection.program_attention import compiled_construction, matches, wanted_keys
from longreach.limit.compile.program_to_limit import compile_program
from longreach.limit.run.float_evaluator import attention
from longreach.tasks.catalog import load_task

PROGRAM = '#alphabet a b\nL = exists ("b" && #[i-1] "b" >= 1)'


def test_wanted_keys_are_those_of_the_largest_weight() -> None:
    model = compile_program(parse(PROGRAM).core)
    word = list("abbab")
    found = wanted_keys(model, word)
    assert set(found) == {(n, h) for n, layer in enumerate(model.layers) for h in range(len(layer.heads))}
    for (layer, head), wanted in found.items():
        weights = attention(model, word, layer, head)
        for row, keys in zip(weights, wanted, strict=True):
            assert keys.tolist() == [bool(each) for each in np.isclose(row, row.max()) & (row > 0)]


def test_the_trained_head_that_does_the_same_is_found() -> None:
    model = compile_program(parse(PROGRAM).core)
    words = [list("abbab"), list("bbaab")]
    wanted = [wanted_keys(model, word) for word in words]
    place = next(key for key, value in wanted[0].items() if value.sum() < 21)
    hard = np.stack([each[place] / each[place].sum(axis=1, keepdims=True) for each in wanted])
    even = np.broadcast_to(np.tri(6) / np.arange(1, 7)[:, None], (2, 6, 6))
    found = matches(model, words, {(0, 0): even, (0, 1): hard})
    match = next(each for each in found if (each.program_layer, each.program_head) == place)
    assert (match.layer, match.head) == (0, 1)
    assert match.does == "1 back"
    assert (match.hardness.mass, match.hardness.distance) == pytest.approx((1, 0))
    all_of_them = [each for each in found if each.does == "all positions"]
    assert all((each.layer, each.head) == (0, 0) for each in all_of_them)


def test_constructions() -> None:
    for name, there in (("tomita-1", True), ("sort", False), ("regex:(ab)*", True)):
        assert (compiled_construction(load_task(name), name) is not None) == there
