"""Every bound, asked of the same quantities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from longreach.bounds.bound_definition import Bound, Definition, NotApplicable, apply
from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.finite_precision import AVERAGE, WORKSHOP, WORST_CASE
from longreach.bounds.infinite_precision import IN_CONTEXT_GRAMS, TWO_LAYER
from longreach.bounds.length_complexity import AUTOMATON, DEPTH_ONE, RESTRICTED
from longreach.bounds.planted_bound import PLANTED

DEFINITIONS: tuple[Definition, ...] = (
    WORST_CASE,
    WORKSHOP,
    AVERAGE,
    TWO_LAYER,
    IN_CONTEXT_GRAMS,
    PLANTED,
    AUTOMATON,
    DEPTH_ONE,
    RESTRICTED,
)


@dataclass(frozen=True, kw_only=True)
class BoundsFound:
    """The bounds that apply, those that do not, and what is to be said besides."""

    bounds: tuple[Bound, ...]
    not_applicable: tuple[NotApplicable, ...]
    notes: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """As `longreach bound --json` prints it."""
        return {
            "bounds": [bound.document() for bound in self.bounds],
            "not_applicable": [each.document() for each in self.not_applicable],
            "notes": list(self.notes),
        }


def bounds(
    inputs: BoundInputs, error: Fraction | None = None, definitions: Iterable[Definition] = DEFINITIONS
) -> BoundsFound:
    """Compute what can be computed; `error` is ε.

    >>> from longreach.bounds.bound_inputs import read_settings
    >>> found = bounds(BoundInputs(values=read_settings(["states=5", "alpha0=2"])), Fraction(1, 10))
    >>> [(bound.definition.name, bound.value.number()) for bound in found.bounds]
    [('one-layer-average', 1000), ('automaton', 8)]
    """
    asked = [each for each in definitions if not each.extra or _own(each, inputs)]
    answers = [apply(each, inputs, error) for each in asked]
    return BoundsFound(
        bounds=tuple(each for each in answers if isinstance(each, Bound)),
        not_applicable=tuple(each for each in answers if isinstance(each, NotApplicable)),
        notes=inputs.notes,
    )


def _own(definition: Definition, inputs: BoundInputs) -> bool:
    """Whether a quantity is there that no other bound reads."""
    others = {name for each in DEFINITIONS if each is not definition for name in each.needs}
    return any(name in inputs.values for name in definition.needs if name not in others)
