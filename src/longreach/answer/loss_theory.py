"""What theory says of a training length where answers are numbers: a limit transformer and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longreach.comparison.loss_bounds import LossBound, bounds_of

WORDS = "expected to work from some length on: a limit transformer computes it (longreach bound {task})"
CONSTANTS = "bounds are for ε = √loss with their unknown constants taken as 1"
NO_NORM = "bounds of one layer need L of trained models that reach the loss"


@dataclass(frozen=True, kw_only=True)
class LossTheory:
    """The bounds for a loss; those of one layer with L of the runs at the length that was found."""

    task: str
    bounds: tuple[LossBound, ...]

    @classmethod
    def of(cls, task: str, loss: float, norm: float | None) -> LossTheory:
        """From L, the Lipschitz constant times norms; None where no run has one.

        >>> found = LossTheory.of("in-context-kgram:S=2,k=2", 0.01, None)
        >>> found.bounds_words(100, or_less=False)
        ('10,000 = ε^{−Θ(k²)}, up to constants, bound / measured = 1e+02: in-context-kgram',)
        """
        return cls(task=task, bounds=bounds_of(task, norm, loss))

    @property
    def words(self) -> str:
        """What is expected."""
        return WORDS.format(task=self.task)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not known."""
        return (CONSTANTS,) if self.bounds else (NO_NORM,)

    def bounds_words(self, measured: int | None, *, or_less: bool) -> tuple[str, ...]:
        """The bounds beside what was measured, a line each."""
        return tuple(_words(each, measured, or_less=or_less) for each in self.bounds)

    def document(self, measured: int | None) -> dict[str, Any]:
        """As `longreach threshold --json` has it."""
        return {
            "verdict": None,
            "words": self.words,
            "bounds": [
                {
                    "name": each.name, "formula": each.formula, "value": each.value.number(),
                    "log2": each.value.logarithm, "up_to_constants": True,
                    "bound_by_measured": each.ratio(measured),
                }
                for each in self.bounds
            ],
            "inference": None,
            "notes": list(self.notes),
        }  # fmt: skip


def _words(bound: LossBound, measured: int | None, *, or_less: bool) -> str:
    ratio = bound.ratio(measured)
    loose = "" if ratio is None else f", bound / measured {'≥' if or_less else '='} {ratio:.2g}"
    return f"{bound.value} = {bound.formula}, up to constants{loose}: {bound.name}"
