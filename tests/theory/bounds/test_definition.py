"""Tests of `theory.bounds.definition`."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isclose, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.bounds.definition import (
    QUANTITIES,
    BoundInputs,
    Size,
    read_error,
    read_settings,
)

# Quantities as they are typed.


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


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("gama=1", "--set: no quantity is named 'gama'; did you mean 'gamma'"),
        ("zzz=1", "--set: no quantity is named 'zzz'; the names are precision, gamma"),
        ("gamma", "--set: 'gamma': expected name=value"),
        ("gamma=", "--set: gamma: '' is not a number"),
        ("gamma=0", "--set: gamma: 0 is not positive"),
        ("gamma=-1", "--set: gamma: -1 is not positive"),
        ("gamma=nan", "--set: gamma: 'nan' is not a number"),
        ("gamma=1/0", "--set: gamma: '1/0' is not a number"),
        ("L=inf", "--set: L: 'inf' is not a number"),
        ("L=1e999999999", "--set: L: 1e999999999 is not between 1e-300 and 1e300"),
        ("L=1e301", "--set: L: 1e301 is not between 1e-300 and 1e300"),
        ("L=1e-301", "--set: L: 1e-301 is not between 1e-300 and 1e300"),
        ("period=0", "--set: period: 0 is less than 1"),
        ("period=1.5", "--set: period: 1.5 is not a whole number"),
        ("locality=-1", "--set: locality: -1 is less than 0"),
        ("states=0", "--set: states: 0 is less than 1"),
    ],
)
def test_bad_settings(setting: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_settings([setting])
    assert error.value.message.startswith(message)


def test_no_quantity_twice() -> None:
    with pytest.raises(InputError, match="--set: L is given twice"):
        read_settings(["L=1", "L=2"])


@pytest.mark.parametrize("text", ["0", "-0.1", "abc", "", "nan", "inf", "1e99999"])
def test_bad_errors(text: str) -> None:
    with pytest.raises(InputError, match=r"--error: "):
        read_error(text)


def test_what_is_given_goes_first() -> None:
    known = BoundInputs(values={"T": Fraction(3)}, absent={"L": "none"}, assumed={"T": "found"})
    given = known.given({"L": Fraction(2), "T": Fraction(5)})
    assert given.values == {"T": 5, "L": 2}
    assert not given.absent
    assert not given.assumed


# Numbers of any size against exact arithmetic.


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
