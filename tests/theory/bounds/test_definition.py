"""Quantities as they are typed, and numbers of any size against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isclose, log2

from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.bounds.definition import (
    QUANTITIES,
    BoundInputs,
    Size,
    read_settings,
)


def test_every_quantity_is_read() -> None:
    for name in QUANTITIES:
        assert read_settings([f"{name}=3"]) == {name: 3}


def test_numbers_are_exact() -> None:
    assert read_settings(["L=0.1", "alpha0=2/3", "C_f=1e-3", "gamma = inf"]) == {
        "L": Fraction(1, 10),
        "alpha0": Fraction(2, 3),
        "C_f": Fraction(1, 1000),
        "gamma": inf,
    }


def test_what_is_given_goes_first() -> None:
    known = BoundInputs(values={"T": Fraction(3)}, absent={"L": "none"}, assumed={"T": "found"})
    given = known.given({"L": Fraction(2), "T": Fraction(5)})
    assert given.values == {"T": 5, "L": 2}
    assert not given.absent
    assert not given.assumed


POSITIVE = st.fractions(Fraction(1, 1000), Fraction(1000))


@given(POSITIVE, st.integers(0, 40))
def test_whole_powers_are_exact(base: Fraction, exponent: int) -> None:
    assert Size.of(base).power(Fraction(exponent)).exact == base**exponent


@given(POSITIVE, st.fractions(0, 50))
def test_other_powers_by_logarithm(base: Fraction, exponent: Fraction) -> None:
    found = Size.of(base).power(exponent)
    assert isclose(found.log2, float(exponent) * log2(base), rel_tol=1e-9, abs_tol=1e-9)


def test_what_is_too_large_has_a_logarithm_alone() -> None:
    huge = Size.of(2).power(Fraction(10**9))
    assert huge.number() is None
    assert huge.logarithm == 1e9
    assert str(huge) == "10^301,029,996"
    assert Size.of(2).power(Fraction(1000)).number() == 2**1000
    assert Size.of(3).power(Fraction(1000)).number() is None  # exact, but beyond floating point


def test_the_ends() -> None:
    assert Size.of(0).number() == 0
    assert Size.of(0).logarithm is None
    assert Size(inf).number() is None
    assert str(Size(inf)) == "beyond any number"
    assert str(Size(1e300)) == "10^(10^299.5)"
    assert Size.of(2).power(Fraction(10**600)).log2 == inf
    assert Size.of(1).power(Fraction(10**9)).number() == 1
    assert Size.of(7).power(0.0).number() == 1
    assert [str(Size.of(value)) for value in (0, 999_999, 10**6, Fraction(1, 3))] == [
        "0", "999,999", "1.0 · 10^6", "0.3333",
    ]  # fmt: skip
