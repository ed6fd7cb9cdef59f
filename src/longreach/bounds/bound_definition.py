"""What a bound is: terms from quantities and ε, their combination, and all that must be said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any, Literal, TypeAlias

from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.bound_size import Number, Size

ERROR = "error"
"""How a missing ε is named among what is missing."""
Values: TypeAlias = Mapping[str, Number]


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term of a formula; it is computed as soon as its own quantities are there."""

    needs: tuple[str, ...]
    """Names of quantities; `ERROR` stands for ε."""
    compute: Callable[[Values], Size]
    """From the quantities, ε among them under the name `ERROR`."""


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A bound of the literature."""

    name: str
    terms: Mapping[str, Term]
    combine: Callable[[Mapping[str, Size]], Size]
    formula: str
    says: str
    """One sentence in plain words."""
    source: str
    assumes: tuple[str, ...]
    constants: str
    """What is unknown of its constants."""
    up_to_constants: bool
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
