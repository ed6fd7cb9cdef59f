"""What a bound is: its size, its inputs and its definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, inf, isinf, log2, log10
from typing import Any, Literal, TypeAlias

from longreach.errors import InputError, near_names

Number: TypeAlias = Fraction | float
"""An exact number; or infinity, which stands for a margin that limits nothing."""
LARGEST = 1023
"""log₂ of the largest number that is written with its digits."""
_LARGEST_EXACT = 4096
"""log₂ up to which powers are computed exactly."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number ≥ 0 by its logarithm, and exactly where that is known."""

    log2: float
    exact: Fraction | None = None

    @classmethod
    def of(cls, value: Fraction | int) -> Size:
        """An exact number.

        >>> Size.of(65536).log2, Size.of(0).log2
        (16.0, -inf)
        """
        value = Fraction(value)
        return cls(log2(value.numerator) - log2(value.denominator) if value else -inf, value)

    def power(self, exponent: Number) -> Size:
        """To the power of an exponent ≥ 0, exactly if it is a whole number and the result is not huge.

        >>> Size.of(2).power(Fraction(16)).number(), Size.of(2).power(Fraction(10**9)).number()
        (65536, None)
        """
        if not exponent:
            return Size.of(1)
        if self.exact is not None and isinstance(exponent, Fraction) and exponent.denominator == 1:
            bits = max(self.exact.numerator.bit_length(), self.exact.denominator.bit_length())
            if bits * exponent <= _LARGEST_EXACT:
                return Size.of(self.exact ** int(exponent))
        return Size(self.log2 * _float(exponent) if self.log2 else 0.0)

    def number(self) -> int | float | None:
        """For a document: whole numbers as such; None where it is too large to be written."""
        if self.log2 > LARGEST:
            return None
        if self.exact is not None:
            return self.exact.numerator if self.exact.denominator == 1 else float(self.exact)
        return float(2.0**self.log2)

    @property
    def logarithm(self) -> float | None:
        """For a document: log₂, or None of 0 and of infinity."""
        return None if isinf(self.log2) else self.log2

    def __str__(self) -> str:
        """Short, for people: digits up to a million, then powers of ten.

        >>> [str(Size.of(value)) for value in (8, 65536, 55_987_200)], str(Size(1e6))
        (['8', '65,536', '5.6 · 10^7'], '10^301,030')
        """
        number = self.number()
        if number is not None and number < 10**6:
            return f"{number:,}" if isinstance(number, int) else f"{number:,.4g}"
        if isinf(self.log2):
            return "beyond any number"
        tens = self.log2 / log2(10)
        if tens >= 10**15:
            return f"10^(10^{log10(tens):.1f})"
        if tens >= 1000:
            return f"10^{ceil(tens):,}"
        return f"{10 ** (tens - int(tens)):.1f} · 10^{int(tens)}"


def _float(value: Number) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


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
            raise InputError(f"--set: no quantity named {name!r}{known}")
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
        raise InputError(f"{place}: must be at least {quantity.least}, not {text}")
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


ERROR = "error"
"""How a missing ε is named among what is missing."""
Values: TypeAlias = Mapping[str, Number]


@dataclass(frozen=True)
class Term:
    """One term of a formula; it is computed as soon as its own quantities are there."""

    needs: tuple[str, ...]
    """Names of quantities; `ERROR` stands for ε."""
    rule: Callable[..., Size]
    """Of these quantities, in this order; None stands for one that does not matter."""

    def compute(self, values: Values) -> Size:
        return self.rule(*map(values.get, self.needs))


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A bound of the literature."""

    name: str
    terms: Mapping[str, Term]
    combine: Callable[[Mapping[str, Size]], Size] = lambda terms: max(
        terms.values(), key=lambda size: size.log2
    )
    formula: str
    says: str
    """One sentence in plain words."""
    answer: str
    """The same with its number: {value}, {error} and the quantities by name stand for theirs."""
    source: str
    assumes: tuple[str, ...]
    constants: str
    """What is unknown of its constants."""
    up_to_constants: bool = True
    gives: Literal["training length", "error"] = "training length"
    refusal: Callable[[Values], str | None] = lambda values: None
    """Why it says nothing of these quantities, which are all there."""
    extra: bool = False
    """Mentioned only if a quantity of its own is there."""

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for term in self.terms.values() for name in term.needs))


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A bound with its number."""

    definition: Definition
    value: Size
    terms: Mapping[str, Size]
    inputs: Mapping[str, Number]
    assumes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What it says, with its numbers.

        >>> from longreach.theory.bounds.theorems import AUTOMATON
        >>> apply(AUTOMATON, BoundInputs(values=read_settings(["states=4"])), None).sentence
        'Length 6 is enough for a learner that returns the smallest automaton which fits all words to ...'
        """
        numbers = {name: f"{_plain(value)}" for name, value in self.inputs.items()}
        return self.definition.answer.format(value=self.value, **numbers)

    def document(self) -> dict[str, Any]:
        """As `longreach bound --json` prints it; null where a number is too large, log₂ beside it."""
        about = self.definition
        return {
            "name": about.name,
            "value": self.value.number(),
            "log2": self.value.logarithm,
            "terms": {name: size.number() for name, size in self.terms.items()},
            "log2_terms": {name: size.logarithm for name, size in self.terms.items()},
            "gives": about.gives,
            "formula": about.formula,
            "says": about.says,
            "inputs": {name: _plain(value) for name, value in self.inputs.items()},
            "assumes": list(self.assumes),
            "up_to_constants": about.up_to_constants,
            "constants": about.constants,
            "source": about.source,
        }


@dataclass(frozen=True, kw_only=True)
class NotApplicable:
    """A bound that was not computed."""

    definition: Definition
    missing: tuple[str, ...]
    """Names of quantities, or what else is missing."""
    why: Mapping[str, str] = field(default_factory=dict)
    """By quantity, where more is known than that it was not given."""
    terms: Mapping[str, Size] = field(default_factory=dict)
    """The terms that can be computed all the same."""

    def document(self) -> dict[str, Any]:
        """As `longreach bound --json` prints it."""
        return {
            "name": self.definition.name,
            "missing": list(self.missing),
            "why": dict(self.why),
            "terms": {name: size.number() for name, size in self.terms.items()},
            "log2_terms": {name: size.logarithm for name, size in self.terms.items()},
            "formula": self.definition.formula,
            "source": self.definition.source,
        }


def apply(definition: Definition, inputs: BoundInputs, error: Fraction | None) -> Bound | NotApplicable:
    """The bound's number, or what is missing."""
    values: dict[str, Number] = dict(inputs.values)
    if error is not None:
        values[ERROR] = error
    terms = {
        name: term.compute(values)
        for name, term in definition.terms.items()
        if not _missing(term.needs, values)
    }
    missing = _missing(definition.needs, values)
    if missing:
        why = {name: inputs.absent[name] for name in missing if name in inputs.absent}
        return NotApplicable(definition=definition, missing=missing, why=why, terms=terms)
    refusal = definition.refusal(values)
    if refusal is not None:
        return NotApplicable(definition=definition, missing=(refusal,))
    read = {name: values[name] for name in definition.needs if name in values}
    taken = tuple(dict.fromkeys(inputs.assumed[name] for name in read if name in inputs.assumed))
    return Bound(
        definition=definition,
        value=definition.combine(terms),
        terms=terms,
        inputs=read,
        assumes=definition.assumes + taken,
    )


def _missing(needs: tuple[str, ...], values: Values) -> tuple[str, ...]:
    """Where all logits are equal, the precision does not matter."""
    needless = {"precision"} if values.get("gamma") == inf else set()
    return tuple(name for name in needs if name not in values and name not in needless)


def _plain(value: Number) -> int | float | str:
    if isinstance(value, float):
        return "inf"
    if value.denominator == 1:
        return value.numerator
    return float(value)
