"""One layer: the formulas by hand, their growth, their edges, and where attention becomes hard."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.bounds.all_bounds import bounds
from longreach.bounds.bound_definition import Bound, NotApplicable
from longreach.bounds.bound_inputs import BoundInputs, read_settings

EXAMPLE = ["precision=8", "gamma=0.5", "L=2", "period=3", "alphabet=2", "locality=1"]


def asked(settings: list[str], error: Fraction | None) -> dict[str, Bound | NotApplicable]:
    found = bounds(BoundInputs(values=read_settings(settings)), error)
    return {each.definition.name: each for each in (*found.bounds, *found.not_applicable)}


def bound(settings: list[str], name: str, error: Fraction = Fraction(1, 10)) -> Bound:
    found = asked(settings, error)[name]
    assert isinstance(found, Bound)
    return found


def test_by_hand() -> None:
    """2^{8 / ½} = 2^16; 2² · 3⁷ · 2⁶ · 1² / 0.1² = 4 · 2187 · 64 · 100; 1 · 3 · 2² / 0.1² = 1200."""
    worst = bound(EXAMPLE, "one-layer-worst-case")
    assert {name: size.number() for name, size in worst.terms.items()} == {
        "hard": 65536,
        "resolution": 55_987_200,
    }
    assert worst.value.number() == 55_987_200
    workshop = bound(EXAMPLE, "one-layer-workshop")
    assert {name: size.number() for name, size in workshop.terms.items()} == {
        "hard": 65536,
        "resolution": 1200,
    }
    assert workshop.value.number() == 65536
    assert worst.definition.up_to_constants
    assert "heuristic" in workshop.assumes[0]


NUMBERS = st.fractions(Fraction(1, 50), 50)
WHOLE = st.integers(1, 12)


@given(st.integers(0, 40), NUMBERS, NUMBERS, WHOLE, WHOLE, st.integers(0, 9), NUMBERS)
def test_against_floating_point(
    p: int, gamma: Fraction, norm: Fraction, period: int, letters: int, window: int, error: Fraction
) -> None:
    settings = [
        f"precision={p}", f"gamma={gamma}", f"L={norm}", f"period={period}", f"alphabet={letters}",
        f"locality={window}",
    ]  # fmt: skip
    tau, length = max(window, 1), float(norm)
    worst = max(p / float(gamma), np.log2(length**2 * period**7 * letters**6 * tau**2 / float(error) ** 2))
    workshop = max(p / float(gamma), np.log2(tau * period * length**2 / float(error) ** 2))
    for name, expected in (("one-layer-worst-case", worst), ("one-layer-workshop", workshop)):
        assert isclose(bound(settings, name, error).value.log2, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_smaller_errors_and_larger_models_need_longer_training() -> None:
    usual = bound(EXAMPLE, "one-layer-worst-case").value.log2
    assert bound(EXAMPLE, "one-layer-worst-case", Fraction(1, 100)).value.log2 > usual
    for name, larger in (("L", 3), ("period", 4), ("alphabet", 3), ("locality", 2)):
        others = [setting for setting in EXAMPLE if not setting.startswith(f"{name}=")]
        assert bound([*others, f"{name}={larger}"], "one-layer-worst-case").value.log2 > usual


def test_errors_from_one_on_need_hard_attention_alone() -> None:
    assert bound(EXAMPLE, "one-layer-worst-case", Fraction(10**6)).value.number() == 65536


def test_equal_logits_need_no_precision() -> None:
    settings = ["gamma=inf", *EXAMPLE[2:]]
    found = bound(settings, "one-layer-workshop")
    assert found.terms["hard"].number() == 1
    assert found.value.number() == 1200


def test_no_locality_counts_as_one() -> None:
    settings = [*EXAMPLE[:5], "locality=0"]
    assert bound(settings, "one-layer-worst-case").value.number() == 55_987_200


def test_the_second_term_alone_where_the_margin_is_missing() -> None:
    found = asked(EXAMPLE[2:], Fraction(1, 10))["one-layer-worst-case"]
    assert isinstance(found, NotApplicable)
    assert found.missing == ("precision", "gamma")
    assert found.terms["resolution"].number() == 55_987_200


def test_without_an_error_nothing_is_made_up() -> None:
    found = asked(EXAMPLE, None)["one-layer-worst-case"]
    assert isinstance(found, NotApplicable)
    assert found.missing == ("error",)
    assert found.terms["hard"].number() == 65536


def test_the_average() -> None:
    found = bound(["alpha0=1"], "one-layer-average")
    assert found.value.number() == 10**4
    number = found.terms["error"].number()
    assert number is not None
    assert isclose(number, sqrt(0.1))
    assert isclose(bound(["alpha0=0.3"], "one-layer-average").value.log2, (2 + 2 / 0.3) * np.log2(10))


@pytest.mark.parametrize("precision", [0, 1, 4, 8])
@pytest.mark.parametrize("gamma", [0.5, 1.0, 1.75])
def test_from_there_on_attention_is_hard(precision: int, gamma: float) -> None:
    """A weight is |x|^{−gap}; at most 2^{−p} it is rounded to 0, and one step before it need not be."""
    found = bound([f"precision={precision}", f"gamma={gamma}", *EXAMPLE[2:]], "one-layer-workshop")
    length = found.terms["hard"].number()
    assert length is not None
    assert np.all(np.ceil(length) ** -np.arange(gamma, 4, 0.25) <= 2.0**-precision * (1 + 1e-12))
    if length > 2:
        assert (0.9 * length) ** -gamma > 2.0**-precision
