"""The quantities that bounds are computed from: their names, and how they are read from a command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf

from longreach.bounds.bound_size import Number
from longreach.errors import InputError, near_names

_LONGEST = 400  # characters of a number
_FARTHEST = Fraction(10**300)
"""Larger numbers, and smaller ones than its inverse, are refused: floating point ends there."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a quantity is and which values it can have."""

    about: str
    whole: bool = False
    least: int | None = None
    """The least value; None: any that is positive."""
    unlimited: bool = False
    """Whether `inf` is a value: a margin that limits nothing."""


QUANTITIES: dict[str, Quantity] = {
    "precision": Quantity("p, fractional bits of the attention weights", whole=True, least=0),
    "gamma": Quantity("γ, the logit margin of a model of one layer", unlimited=True),
    "L": Quantity("the largest ‖A‖_F ‖B‖_F ‖V E_s‖ of the two models"),
    "period": Quantity("Δ, the period of the positional encoding", whole=True, least=1),
    "alphabet": Quantity("|Σ|, the number of tokens", whole=True, least=1),
    "locality": Quantity("τ, the distance beyond which φ is zero", whole=True, least=0),
    "alpha0": Quantity("α₀, the least parameter of the Dirichlet prior"),
    "C_f": Quantity("C(f), the complexity of f, a model of two layers"),
    "C_g": Quantity("C(g), the complexity of g"),
    "gamma_f": Quantity("the positional margin of f", unlimited=True),
    "gamma_g": Quantity("the positional margin of g", unlimited=True),
    "delta": Quantity("δ, the error of the best sparse attention at every length"),
    "L_local": Quantity("the width of the window in which the planted tokens lie", whole=True, least=1),
    "train_length": Quantity("the longest training length, L of the theorem", whole=True, least=1),
    "test_length": Quantity("the test length, L̄ of the theorem", whole=True, least=1),
    "eta_train": Quantity("η at the training length, how unevenly places are covered"),
    "eta_test": Quantity("η at the test length"),
    "states": Quantity("n, the states of the automaton", whole=True, least=1),
    "T": Quantity("the largest number in a comparison of the program", whole=True, least=1),
    "K": Quantity("the heads of the first layer, of the restricted class of two layers", whole=True, least=1),
    "k": Quantity("the context of the in-context k-gram task", whole=True, least=1),
}
"""By the name that `--set` takes."""


@dataclass(frozen=True, kw_only=True)
class BoundInputs:
    """Quantities that are known, and of others why they are not."""

    values: Mapping[str, Number] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    """By quantity: why the model or task has none."""
    assumed: Mapping[str, str] = field(default_factory=dict)
    """By quantity: what was taken for granted when its value was found."""
    notes: tuple[str, ...] = ()
    """What else is to be said of the model or task."""

    def given(self, values: Mapping[str, Number]) -> BoundInputs:
        """The same with some quantities as the user says."""
        others = {name: reason for name, reason in self.absent.items() if name not in values}
        assumed = {name: text for name, text in self.assumed.items() if name not in values}
        return replace(self, values={**self.values, **values}, absent=others, assumed=assumed)


def read_settings(settings: Sequence[str]) -> dict[str, Number]:
    """The quantities of `--set name=value`, each at most once.

    >>> read_settings(["gamma=0.5", "period=3"])
    {'gamma': Fraction(1, 2), 'period': Fraction(3, 1)}
    """
    found: dict[str, Number] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--set: {setting!r}: expected name=value")
        if name not in QUANTITIES:
            known = near_names(name, QUANTITIES) or f"; the names are {', '.join(QUANTITIES)}"
            raise InputError(f"--set: no quantity is named {name!r}{known}")
        if name in found:
            raise InputError(f"--set: {name} is given twice")
        found[name] = _value(name, text.strip())
    return found


def read_error(text: str) -> Fraction:
    """ε > 0, exactly as it is written.

    >>> read_error("0.1"), read_error("1/8")
    (Fraction(1, 10), Fraction(1, 8))
    """
    return read_positive("--error", text)


def read_positive(place: str, text: str) -> Fraction:
    """A positive number."""
    value = _fraction(place, text)
    if value <= 0:
        raise InputError(f"{place}: {text} is not positive")
    return value


def _value(name: str, text: str) -> Number:
    quantity = QUANTITIES[name]
    place = f"--set: {name}"
    if quantity.unlimited and text in ("inf", "∞"):
        return inf
    if quantity.least is None:
        return read_positive(place, text)
    value = _fraction(place, text)
    if quantity.whole and value.denominator != 1:
        raise InputError(f"{place}: {text} is not a whole number")
    if value < quantity.least:
        raise InputError(f"{place}: {text} is less than {quantity.least}")
    return value


def _fraction(place: str, text: str) -> Fraction:
    exponent = text.lower().partition("e")[2].lstrip("+-")
    try:
        value = Fraction(text) if len(text) <= _LONGEST and len(exponent) <= 3 else None
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{place}: {text[:40]!r} is not a number") from None
    if value is None or (value and not 1 <= abs(value) * _FARTHEST <= _FARTHEST**2):
        raise InputError(f"{place}: {text[:40]} is not between 1e-300 and 1e300")
    return value
