"""Numbers of any size against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isclose, log2

from hypothesis import given
from hypothesis import strategies as st

from longreach.bounds.bound_size import Size, largest

POSITIVE = st.fractions(Fraction(1, 1000), Fraction(1000))


@given(POSITIVE, st.integers(0, 40))
def test_whole_powers_are_exact(base: Fraction, exponent: int) -> None:
    assert Size.of(base).power(Fraction(exponent)).exact == base**exponent


@given(POSITIVE, st.fractions(0, 50))
def test_other_powers_by_logarithm(base: Fraction, exponent: Fraction) -> None:
    found = Size.of(base).power(exponent)
    assert isclose(found.log2, float(exponent) * log2(base), rel_tol=1e-9, abs_tol=1e-9)


@given(POSITIVE, POSITIVE)
def test_products_and_the_largest(a: Fraction, b: Fraction) -> None:
    assert Size.of(a).times(Size.of(b)).exact == a * b
    assert largest(Size.of(a), Size.of(b)).exact in (a, b)
    assert largest(Size.of(a), Size.of(b)).log2 == max(Size.of(a).log2, Size.of(b).log2)


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
