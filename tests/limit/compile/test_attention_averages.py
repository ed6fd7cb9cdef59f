"""SimpleTask and ModPTask against their definitions."""

from __future__ import annotations

from math import sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.limit.compile.attention_averages import modp_task_model, simple_task_model
from longreach.limit.run import exact_evaluator as exact
from longreach.limit.run.float_evaluator import run
from longreach.limit.run.softmax_weights import RelativePrecision

HARD = RelativePrecision(4)  # from |x| = 2 on


def _simple_task(word: str, omega: float) -> float:
    """sin(ω · average of +1 for a zero, −1 for a one), by definition."""
    zeros, ones = word.count("0"), word.count("1")
    return sin(omega * (zeros - ones) / max(zeros + ones, 1))


def _modp_task(word: str, period: int, residue: int) -> float:
    """The average of the bits at the places of one residue, by definition."""
    bits = [int(token) for place, token in enumerate(word, 1) if place % period == residue]
    return sum(bits) / len(bits)


@pytest.mark.parametrize("omega", [0.5, 1.0, 8.0])
def test_simple_task_is_within_its_tolerance_of_the_definition(omega: float) -> None:
    model = simple_task_model(omega)
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("012"), size)) for size in rng.integers(1, 60, 40)] + ["2", "222", ""]
    for word, output in zip(words, run(model, words, precision=HARD), strict=True):
        assert abs(output[-1, 0] - _simple_task(word, omega)) <= 1e-3


def test_simple_task_attends_exactly() -> None:
    """The attended difference is the rational number of the definition."""
    model = simple_task_model()
    found = exact.run(model, "0010212", streams=True, precision=HARD)
    assert found.exact
    difference = found.streams[1][-1][model.coordinates["difference"]]
    assert difference * 5 == 3 - 2


def test_norms_of_simple_task_grow_with_the_frequency_as_said() -> None:
    for omega in (4.0, 8.0, 16.0):
        layer = simple_task_model(omega).layers[0]
        norm = np.linalg.norm(layer.a) * np.linalg.norm(layer.out)
        # Twice the variation of the slope on [0, 1], which begins with ω: between ω² and 2ω² here.
        assert omega**2 < norm < 2 * omega**2


@given(st.integers(1, 6).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p - 1))), st.data())
def test_modp_task_is_exact(parameters: tuple[int, int], data: st.DataObject) -> None:
    period, residue = parameters
    word = data.draw(st.text("01", min_size=period, max_size=30))
    output = run(modp_task_model(period, residue), [word], precision=HARD)[0]
    assert output[-1, 0] == pytest.approx(_modp_task(word, period, residue), abs=1e-12)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: simple_task_model(0.0), "omega 0"),
        (lambda: simple_task_model(1.0, 2.0), "tolerance 2"),
        (lambda: modp_task_model(0), "period 0"),
        (lambda: modp_task_model(3, 3), "residue 3: a number from 0 to 2"),
    ],
)
def test_impossible_parameters_are_refused(build: object, reason: str) -> None:
    assert callable(build)
    with pytest.raises(InputError, match=reason):
        build()
