"""Certificates of compiled models: wrong models are found out, and nothing fails up to the proved length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from longreach.theory.crasp.library import load
from longreach.theory.limit.certificate import certify, first_failure, verify
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.margins import provable_length
from longreach.theory.limit.model import Transformer
from longreach.theory.limit.rounding import FORMATS, Format, rounded_states
from tests.helpers import limit_reference as reference
from tests.helpers.limit_programs import table

SMALL = [name for name, core in table().items() if core.size <= 60 and core.alphabet]


def broken(model: Transformer, bias: float) -> Transformer:
    """The model with another bias in the last unit of its first layer."""
    first, *rest = model.layers
    b = first.b.copy()
    b[-1] += bias
    return replace(model, layers=(replace(first, b=b), *rest))


def test_a_wrong_model_is_found_out() -> None:
    core = load("contains-ab").core
    report = verify(broken(compile_program(core), -1.0), core, length=3)
    assert report.disagreement is not None
    found = report.disagreement
    assert len(found.word) <= 3
    assert found.expected != found.found


@pytest.mark.parametrize("name", ["dyck-1", "tomita-4", "window", "induction-all", "periodic"])
def test_in_float64_it_is_the_plain_evaluator(name: str) -> None:
    model = compile_program(table()[name])
    rng = np.random.default_rng(5)
    word = rng.choice(model.vocabulary[1:], size=50).tolist()
    found = rounded_states(model, model.encode(word)[None], FORMATS["float64"])[0]
    np.testing.assert_allclose(found, reference.states(model, word), rtol=0, atol=1e-12)


def test_rounding_is_that_of_the_hardware() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=1000) * 2.0 ** rng.integers(-20, 20, size=1000)
    rounded = FORMATS["float32"].round(values)
    assert (rounded == values.astype(np.float32).astype(np.float64)).all()
    spacing = 2.0 ** (np.frexp(values)[1] - 8)
    assert (np.abs(FORMATS["bfloat16"].round(values) - values) <= spacing / 2).all()


@pytest.mark.parametrize(
    "digits", [12, *(pytest.param(digits, marks=pytest.mark.slow) for digits in (8, 16))]
)
@pytest.mark.parametrize("name", SMALL)
def test_nothing_fails_up_to_the_proved_length(name: str, digits: int) -> None:
    core, kind = table()[name], Format("toy", digits)
    model = compile_program(core)
    proved = provable_length(model, core, kind)
    if proved > 0:
        assert first_failure(model, core, kind, min(proved, 1000), samples=3) is None


def test_more_digits_prove_more() -> None:
    for name in ("majority", "dyck-1", "tomita-4", "window", "large constant"):
        core = table()[name]
        model = compile_program(core)
        lengths = [
            provable_length(model, core, Format("toy", digits)) for digits in (6, 8, 11, 16, 24, 37, 52)
        ]
        assert lengths == sorted(lengths)
        assert lengths[-1] > 10**4


def test_majority_fails_soon_after_in_bfloat16() -> None:
    core = load("majority").core
    *_, found = certify(compile_program(core), core)
    assert found.dtype == "bfloat16"
    assert found.searched is not None
    assert found.failure is not None
    assert 10 < found.proved < len(found.failure) <= found.searched
    # The shortest word that fails is wrong at its end.
    model = compile_program(core)
    state = rounded_states(model, model.encode(found.failure)[None], FORMATS["bfloat16"])
    right = found.failure.count("1") >= found.failure.count("0")
    assert state[0, -1, model.coordinates["M"]] != right
