"""What the inference procedure came to, whatever its hypotheses: T_n for n = 1, 2, 3, … and N₀."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longreach.errors import Argument, InputError
from longreach.synthesis.search_target import ExamplesTarget, Target
from longreach.synthesis.training_lengths import Schedule


def known_everywhere(target: Target) -> None:
    """Refuses examples: the procedure compares hypotheses with the target on all words."""
    if isinstance(target, ExamplesTarget):
        raise InputError(
            "examples leave most words open; expected a language, an acceptor or a function",
            place=Argument("target"),
        )


@dataclass(frozen=True, kw_only=True)
class InferenceStep:
    """T_n."""

    n: int
    trained_to: int
    """t(n)."""
    complexity: int | None
    at_least: int
    errors: int | None
    """Words of length at most n that T_n gets wrong; None where T_n was not found."""
    worst_errors: int | None
    """The same for the worst of the smallest hypotheses; None where they were not told apart."""
    choices: int

    @property
    def right(self) -> bool | None:
        return None if self.errors is None else self.errors == 0

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "n": self.n,
            "trained_to": self.trained_to,
            "complexity": self.complexity,
            "at_least": self.at_least,
            "errors": self.errors,
            "worst_errors": self.worst_errors,
            "choices": self.choices,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class InferenceRun:
    """A run of the procedure."""

    schedule: Schedule
    to: int
    steps: tuple[InferenceStep, ...]
    stopped: str
    """Why complexities are missing; empty if none is."""

    @property
    def n0(self) -> int | None:
        """The least N₀ such that T_n is right on all words up to n, for all n > N₀ that were tried."""
        return self.right_from([step.right for step in self.steps])

    def right_from(self, right: list[bool | None]) -> int | None:
        """The last n at which something is not right; None if that is the last of all."""
        last = max((step.n for step, good in zip(self.steps, right, strict=True) if not good), default=0)
        return None if last == self.to else last

    @property
    def n0_trained_to(self) -> int | None:
        """The training length from which on T_n is right: t(N₀ + 1)."""
        return None if self.n0 is None else self.schedule(self.n0 + 1)

    @property
    def error_count(self) -> int | None:
        """The errors of all T_n together (Definition 57), as far as n went; None where a T_n is missing."""
        errors = [step.errors for step in self.steps]
        return None if None in errors else sum(each for each in errors if each is not None)

    @property
    def bounded(self) -> bool:
        """Whether the complexity has stayed the same over the second half of the lengths, and is known
        there.
        """
        later = [step.complexity for step in self.steps if 2 * step.n > self.to]
        return None not in later and len(set(later)) == 1

    def summary(self, beside: str = "") -> list[str]:
        """N₀, the errors, and why the search ended, in lines; `beside` stands behind N₀."""
        first = f"N₀: none up to n = {self.to}"
        if self.n0 is not None:
            first = f"N₀ = {self.n0}: right from n = {self.n0 + 1} on, as far as n = {self.to}{beside}"
        total = "not known" if self.error_count is None else str(self.error_count)
        lines = [first, f"errors of all T_n together: {total}"]
        return [*lines, f"the search ended: {self.stopped}"] if self.stopped else lines
