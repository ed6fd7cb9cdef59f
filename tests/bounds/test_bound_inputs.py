"""Quantities as they are typed."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest

from longreach.bounds.bound_inputs import QUANTITIES, BoundInputs, read_error, read_settings
from longreach.errors import InputError


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
