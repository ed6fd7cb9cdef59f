"""Two layers: the formula by hand and where margins limit nothing."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, log2

import pytest

from longreach.bounds.all_bounds import bounds
from longreach.bounds.bound_inputs import BoundInputs, read_settings


def value(settings: list[str], error: str) -> dict[str, float]:
    found = bounds(BoundInputs(values=read_settings(settings)), Fraction(error))
    return {each.definition.name: each.value.log2 for each in found.bounds}


@pytest.mark.parametrize(
    ("gamma_f", "gamma_g", "exponent"),
    [("1", "1", 3.0), ("inf", "inf", 3.0), ("0.25", "1", 4.0), ("1", "0.3", 1 / 0.3), ("0.5", "inf", 3.0)],
)
def test_by_hand(gamma_f: str, gamma_g: str, exponent: float) -> None:
    settings = ["C_f=2", "C_g=5", f"gamma_f={gamma_f}", f"gamma_g={gamma_g}"]
    assert isclose(value(settings, "0.1")["two-layer"], exponent * log2(50), rel_tol=1e-12)


def test_whole_exponents_are_exact() -> None:
    inputs = BoundInputs(values=read_settings(["C_f=2", "C_g=5", "gamma_f=0.25", "gamma_g=1"]))
    (found,) = bounds(inputs, Fraction(1, 10)).bounds
    assert found.value.number() == 50**4
    assert {name: size.number() for name, size in found.terms.items()} == {"base": 50, "exponent": 4}


def test_large_errors() -> None:
    settings = ["C_f=2", "C_g=2", "gamma_f=1", "gamma_g=1"]
    assert value(settings, "2")["two-layer"] == 0.0
    assert value(settings, "8")["two-layer"] == -6.0


def test_grams_are_mentioned_only_if_asked_for() -> None:
    assert value(["k=2"], "0.1") == {"in-context-kgram": pytest.approx(4 * log2(10))}
    found = bounds(BoundInputs(values=read_settings(["states=2"])))
    assert "in-context-kgram" not in {each.definition.name for each in found.not_applicable}
