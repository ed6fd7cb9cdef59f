"""The inference procedure on programs in order of size: training lengths, steps and N₀.

For n = 1, 2, 3, …: of all programs that match the target on every word of length at most t(n), take a
smallest one T_n, and compare it with the target on all words up to n. Theorem 7 speaks of any run; so
besides the run that takes the first smallest program it is said whether every smallest one is right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import numpy as np

from longreach.errors import Argument, Field, InputError, near_names
from longreach.theory.automata.samples import longest_within
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.crasp.program import Program
from longreach.theory.search.enumeration import Enumeration, Finisher
from longreach.theory.search.programs import core_of, readable
from longreach.theory.search.space import Family, WordTree, accepted_on
from longreach.theory.search.targets import ExamplesTarget, Target


@dataclass(frozen=True)
class Schedule:
    """A training length of Definition 22 of Huang et al.: t(n) ≤ n, without a bound.

    >>> SCHEDULES["half"](9), SCHEDULES["log"](9)
    (4, 3)
    """

    name: str
    formula: str
    rule: Callable[[int], int]

    def __call__(self, n: int) -> int:
        return self.rule(n)


SCHEDULES: Final[dict[str, Schedule]] = {
    each.name: each
    for each in (
        Schedule("half", "n/2", lambda n: n // 2),
        Schedule("full", "n", lambda n: n),
        Schedule("third", "n/3", lambda n: n // 3),
        Schedule("root", "√n", math.isqrt),
        Schedule("log", "log₂ n", lambda n: n.bit_length() - 1),
    )
}
"""By name; `half` is that of Definition 6."""


def schedule_named(name: str) -> Schedule:
    if name not in SCHEDULES:
        hint = near_names(name, SCHEDULES) or f"; expected {', '.join(SCHEDULES)}"
        raise InputError(f"no training length named {name!r}{hint}", place=Field("schedule"))
    return SCHEDULES[name]


def known_everywhere(target: Target) -> None:
    """Refuses examples: the procedure compares hypotheses with the target on all words."""
    if isinstance(target, ExamplesTarget):
        raise InputError(
            "examples leave most words open; expected a language, an acceptor or a function",
            place=Argument("target"),
        )


Model = TypeVar("Model")


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Hypothesis(Generic[Model]):
    """The simplest hypotheses for one training length."""

    trained_to: int
    at_least: int
    """Nothing simpler fits; the complexity where that is known."""
    complexity: int | None = None
    """R(T_n); None where none was found."""
    model: Model | None = None
    """The first of them."""
    wrong: tuple[int, ...] = ()
    """For each length how many words it gets wrong."""
    choices: int = 0
    """Simplest hypotheses that differ on some word that is compared."""
    most_wrong: tuple[int, ...] = ()
    """Up to each length how many words the worst of them gets wrong; empty where they were not told apart."""

    def step(self, n: int) -> InferenceStep:
        """T_n, if t(n) is this training length."""
        known = self.model is not None
        return InferenceStep(
            n=n,
            trained_to=self.trained_to,
            complexity=self.complexity,
            at_least=self.at_least,
            errors=sum(self.wrong[: n + 1]) if known else None,
            worst_errors=self.most_wrong[n] if known and n < len(self.most_wrong) else None,
            choices=self.choices,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class InferenceRun(Generic[Model]):
    """A run of the procedure, for any kind of hypotheses."""

    schedule: Schedule
    to: int
    hypotheses: tuple[Hypothesis[Model], ...]
    """For each training length."""
    stopped: str
    """Why complexities are missing; empty if none is."""

    @cached_property
    def steps(self) -> tuple[InferenceStep, ...]:
        by_length = {each.trained_to: each for each in self.hypotheses}
        return tuple(by_length[self.schedule(n)].step(n) for n in range(1, self.to + 1))

    @property
    def model(self) -> Model | None:
        """The last T_n."""
        return self.hypotheses[-1].model

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
        """Whether the complexity is known and the same over the second half of the lengths."""
        later = [step.complexity for step in self.steps if 2 * step.n > self.to]
        return None not in later and len(set(later)) == 1

    @property
    def aside(self) -> str:
        """What stands behind N₀."""
        return ""

    @property
    def beyond(self) -> str:
        return f"compared up to length {self.to}, not beyond"

    def words(self) -> list[str]:
        """N₀, the errors, why the search ended, and whether the last T_n is right, in lines."""
        first = f"N₀: none up to n = {self.to}"
        if self.n0 is not None:
            first = f"N₀ = {self.n0}: right from n = {self.n0 + 1} on, as far as n = {self.to}{self.aside}"
        total = "not known" if self.error_count is None else str(self.error_count)
        lines = [first, f"errors of all T_n together: {total}"]
        if self.stopped:
            lines.append(f"the search ended: {self.stopped}")
        if self.model is not None:
            right = f"right, {self.beyond}" if self.steps[-1].right else "wrong"
            lines.append(f"T_{self.to} is {right}:")
        return lines


TO = 10
MAX_SIZE = 9
SECONDS = 60.0
NODES = 2100
"""Words on which programs are told apart, at most."""
LISTED = 200
"""Smallest programs of which the errors are counted, at most."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Inference(InferenceRun[Program]):
    """A run of the procedure.

    >>> from longreach.theory.search.targets import target_of
    >>> run = infer(target_of(lambda word: word.count("1") >= word.count("0"), "01"), to=6)
    >>> [step.complexity for step in run.steps], run.n0, run.error_count
    ([1, 2, 2, 5, 5, 5], 3, 5)
    """

    family: Family
    compared_to: int
    """Smallest programs are told apart on words up to here."""
    proved: bool
    """Whether the last program is right on words of every length."""
    tried: int

    @property
    def n0_of_any(self) -> int | None:
        """The same where every smallest program is right, whichever is taken."""
        if self.compared_to < self.to:
            return None
        return self.right_from([None if s.worst_errors is None else s.worst_errors == 0 for s in self.steps])

    @property
    def program(self) -> Program | None:
        return self.model

    @property
    def aside(self) -> str:
        return "" if self.n0_of_any is None else f" ({self.n0_of_any} whichever smallest program is taken)"

    @property
    def beyond(self) -> str:
        return "proved for all lengths" if self.proved else super().beyond

    def document(self) -> dict[str, Any]:
        return {
            "class": self.family.class_name,
            "schedule": self.schedule.name,
            "to": self.to,
            "n0": self.n0,
            "n0_trained_to": self.n0_trained_to,
            "n0_of_any": self.n0_of_any,
            "errors": self.error_count,
            "bounded": self.bounded,
            "program": None if self.program is None else self.program.text,
            "proved": self.proved,
            "compared_to": self.compared_to,
            "stopped": self.stopped or None,
            "tried": self.tried,
            "steps": [asdict(step) for step in self.steps],
        }


def infer(
    target: Target,
    *,
    family: Family | None = None,
    schedule: Schedule = SCHEDULES["half"],
    to: int = TO,
    max_size: int = MAX_SIZE,
    seconds: float = SECONDS,
    bytes: int = 1 << 30,
) -> Inference:
    """Run the procedure for n = 1, …, `to`."""
    known_everywhere(target)
    family = Family() if family is None else family
    budget = Budget(seconds=seconds, bytes=bytes).running()
    longest = max(schedule(n) for n in range(1, to + 1))
    told_apart = max(1, longest, longest_within(len(target.alphabet), NODES, to))
    enumeration = Enumeration(WordTree.of(target.alphabet, length=told_apart), family, budget)
    whole = WordTree.of(target.alphabet, length=to)
    run = _Run(target, enumeration, whole, max_size)
    hypotheses = tuple(run.hypotheses(range(schedule(1), longest + 1)))
    last = hypotheses[-1].model
    check = None if last is None else target.check(last.core, replace(budget, seconds=5.0, ends=None))
    return Inference(
        schedule=schedule,
        family=family,
        to=to,
        hypotheses=hypotheses,
        compared_to=enumeration.tree.longest,
        proved=check is not None and check.proved,
        stopped=run.stopped,
        tried=enumeration.candidates,
    )


class _Run:
    """The smallest programs for one training length after another."""

    def __init__(self, target: Target, enumeration: Enumeration, whole: WordTree, max_size: int) -> None:
        self._target, self._enumeration, self._max_size = target, enumeration, max_size
        self._whole, self._wanted = whole, target.labels(whole)[0]
        self.stopped = ""

    def hypotheses(self, lengths: range) -> Iterator[Hypothesis[Program]]:
        """Whatever matches longer words matches shorter ones, so complexities do not fall."""
        size = 1
        for length in lengths:
            found = self._smallest(length, size)
            size = found.at_least
            yield found

    def _smallest(self, length: int, size: int) -> Hypothesis[Program]:
        tree, behaviours = self._enumeration.tree, self._enumeration.behaviours
        said = self._target.labels(tree)[0]
        known = tree.lengths <= length
        packed = tree.pack(np.stack([said & known, known]))
        finisher = Finisher(behaviours, packed[0], packed[1])
        try:
            while size <= self._max_size:
                found = list(self._enumeration.matching(size, finisher))
                if found:
                    core = core_of(found[0], behaviours)
                    rows = behaviours.bits[[each.behaviour for each in found[:LISTED]]]
                    wrong = np.add.accumulate(tree.per_length(tree.unpack(rows) != said), axis=1)
                    differs = accepted_on(core, self._whole) != self._wanted
                    return Hypothesis(
                        trained_to=length,
                        complexity=size,
                        at_least=size,
                        model=readable(core),
                        wrong=tuple(self._whole.per_length(differs).tolist()),
                        choices=len(found),
                        most_wrong=tuple(wrong.max(axis=0).tolist()),
                    )
                size += 1
            self.stopped = self.stopped or f"none up to size {self._max_size}"
        except OverBudget as spent:
            self.stopped = self.stopped or f"{spent} after size {size - 1}"
        return Hypothesis(trained_to=length, at_least=size)
