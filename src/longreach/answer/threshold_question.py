"""From which training length: what is asked, checked, and the members that answer it.

The *target* is "3N" or a length L. The inputs that a model trained to N is tested on are those with lengths
in (2N, 3N], or in (2L/3, L]: the same lengths, where L is 3N.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import inf
from typing import Any, Literal, TypeAlias

import numpy as np

from longreach.answer.threshold_rule import Doubling, Grid, Strategy
from longreach.comparison.criterion import ByAccuracy, ByLoss, Criterion
from longreach.config.any_member import AnyMember
from longreach.config.length_range import LengthRange
from longreach.config.regression_name import FAMILIES, RegressionName
from longreach.config.scales import Scale
from longreach.errors import Argument, Field, InputError
from longreach.experiments.regression_members import resolve_regression
from longreach.experiments.resolve import resolve
from longreach.tasks.catalog import load_argument
from longreach.tasks.regression_catalog import load_regression
from longreach.tasks.regression_task import RegressionTask
from longreach.tasks.task import IntArray, Task
from longreach.tasks.task_to_name import file_name

Target: TypeAlias = int | Literal["3N"]

FIRST = 5
"""Where doubling begins: 5, 10, 20, 40. The laptop's own training length is 20."""
MOST = 40
"""The longest training length to try at 3N, unless another is given."""
LONGEST = 20_000
"""Of all lengths: attention over longer inputs does not fit into memory."""
CHOSEN_HERE = ("train_lengths", "test_lengths", "seed")


@dataclass(frozen=True, kw_only=True)
class ThresholdQuestion:
    """A task, an encoding, a target, and how training lengths are chosen.

    >>> question = ThresholdQuestion(task="aa", to=60)
    >>> question.tested(8).name, question.tested(20).name, question.rule.most
    ('41-60', '41-60', 40)
    >>> ThresholdQuestion(task="aa").tested(8).name
    '17-24'
    """

    task: str
    alphabet: tuple[str, ...] | None = None
    encoding: str = "ape"
    to: int | None = None
    """The long length L; None: three times the training length."""
    seeds: int = 3
    most: int | None = None
    """The longest training length to try; None: just below the tested lengths, or `MOST` at 3N."""
    within: int = 1
    """How near to the least length: with 1 the length before it was measured as well."""
    lengths: tuple[int, ...] | None = None
    """Training lengths to measure, instead of a search."""
    scale: Scale = "laptop"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of training, where they are not those of the scale."""
    loss: float | None = None
    """Up to which a run works, where answers are numbers; None: that of the task's family."""

    def __post_init__(self) -> None:
        for name in ("seeds", "within", "most", "to"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{value} is less than 1", place=Field(name))
            if value is not None and value > LONGEST:
                raise InputError(f"{value} is more than {LONGEST}", place=Field(name))
        if self.lengths == ():
            raise InputError("none is given", place=Field("lengths"))
        if self.lengths is not None and not all(1 <= length <= LONGEST for length in self.lengths):
            raise InputError(f"not all are from 1 to {LONGEST}", place=Field("lengths"))
        if self.loss is not None and not self.has_numbers:
            raise InputError("goes with tasks whose answers are numbers", place=Field("loss"))
        if self.loss is not None and not 0 < self.loss < inf:
            raise InputError(f"{self.loss:g} is not a number above 0", place=Field("loss"))
        for name in CHOSEN_HERE:
            if name in self.settings:
                raise InputError("the search chooses these itself", place=Field(name))
        least = self.loaded.least_length
        if self.to is not None and self.to < least:
            reason = f"{self.to} is less than the shortest input, of length {least}"
            raise InputError(reason, place=Field("to"))
        if not self._possible:
            self._refuse()
        for length in self.lengths or ():
            if length not in self._possible:
                raise InputError(self._impossible(length), place=Field("lengths"))
        self.member(self.shortest, 0)  # what is wrong with the settings is said before anything trains

    def _refuse(self) -> None:
        least = self.loaded.least_length
        if self.to is not None:
            tested = self.tested(0)
            if not self._has(tested):
                reason = f"no input has a length from {tested.first} to {tested.last}"
                raise InputError(reason, place=Field("to"))
            reason = f"{self.to} leaves no training length between the shortest input, of length {least}, "
            reason += f"and the tested ones, {tested.first} to {tested.last}"
            raise InputError(reason, place=Field("to"))
        reason = f"no length from {least + 1} to {self.longest_asked} has inputs 2 to 3 times as long"
        raise InputError(reason, place=Argument("task") if self.most is None else Field("most"))

    def _impossible(self, length: int) -> str:
        return (
            f"{length} is not possible: lengths from {self.shortest} to {self._possible[-1]} are, "
            f"with inputs to train on below the tested ones"
        )

    @property
    def has_numbers(self) -> bool:
        """Whether answers are numbers."""
        return RegressionName.is_one(self.task)

    @cached_property
    def loaded(self) -> Task | RegressionTask:
        """The task itself."""
        return load_regression(self.task) if self.has_numbers else load_argument(self.task, self.alphabet)

    @cached_property
    def criterion(self) -> Criterion:
        """When a run works."""
        if isinstance(self.loaded, RegressionTask):
            return ByLoss(self.loss or FAMILIES[self.loaded.named.family].loss)
        return ByAccuracy(self.loaded.chance)

    @property
    def target(self) -> Target:
        """As documents have it."""
        return "3N" if self.to is None else self.to

    def tested(self, train_to: int) -> LengthRange:
        """The lengths that a model which is trained to a length is tested on."""
        if self.to is None:
            return LengthRange(2 * train_to + 1, 3 * train_to)
        return LengthRange(2 * self.to // 3 + 1, self.to)

    # Which training lengths

    @property
    def longest_asked(self) -> int:
        """The longest training length, whether or not it has inputs to be tested on."""
        if self.to is None:
            return max((self.most or MOST, *(self.lengths or ())))
        below = self.tested(0).first - 1
        return below if self.most is None else min(self.most, below)

    @cached_property
    def _possible(self) -> tuple[int, ...]:
        """The training lengths that have inputs to test on; of several stretches of them the longest."""
        lengths = range(self.loaded.least_length + 1, self.longest_asked + 1)
        if self.to is not None:
            return tuple(lengths) if self._has(self.tested(0)) else ()
        groups = groupby(lengths, self._has_tests)
        stretches: list[tuple[int, ...]] = [tuple(group) for has, group in groups if has]
        return max(stretches, key=len, default=())

    def _has_tests(self, train_to: int) -> bool:
        return self._has(self.tested(train_to))

    def _has(self, lengths: LengthRange) -> bool:
        """Whether there is an input with one of these lengths."""
        return bool(self._inputs[lengths.last] > self._inputs[lengths.first - 1])

    @cached_property
    def _inputs(self) -> IntArray:
        """By length, how many lengths up to it have inputs."""
        span = np.arange(1 + (3 * self.longest_asked if self.to is None else self.to), dtype=np.int64)
        return np.cumsum(self.loaded.has(span), dtype=np.int64)

    @property
    def shortest(self) -> int:
        """The shortest training length that can be tried."""
        return self._possible[0]

    @property
    def rule(self) -> Strategy:
        """How training lengths are chosen."""
        if self.lengths is not None:
            return Grid(lengths=tuple(dict.fromkeys(self.lengths)))
        return Doubling(
            first=FIRST, least=self.shortest, most=self._possible[-1], within=self.within, twice=True
        )

    def member(self, train_to: int, seed: int) -> AnyMember:
        """What is trained: at 3N the same as by `longreach train`, so that what is done there is done here.

        >>> question = ThresholdQuestion(task="aa")
        >>> question.member(20, 0).key == resolve("aa").key
        True
        """
        known: dict[int, AnyMember] = self._members
        if train_to not in known:
            make = resolve_regression if self.has_numbers else resolve
            known[train_to] = make(
                self.task, encoding=self.encoding, scale=self.scale, alphabet=self.alphabet,
                train_lengths=LengthRange(self.loaded.least_length, train_to),
                test_lengths=self._tests(train_to), **self.settings,
            )  # fmt: skip
        return known[train_to].with_seed(seed)

    @cached_property
    def _members(self) -> dict[int, AnyMember]:
        return {}

    def _tests(self, train_to: int) -> tuple[LengthRange, ...]:
        tested = self.tested(train_to)
        between = LengthRange(train_to + 1, 2 * train_to)
        return (between, tested) if self.to is None and self._has(between) else (tested,)

    @property
    def file_stem(self) -> str:
        """How files about it are called, without their endings.

        >>> ThresholdQuestion(task="aa", to=60).file_stem
        'threshold-aa-ape-60'
        """
        name = file_name(self.task, self.alphabet)
        return f"threshold-{name}-{self.encoding}-{self.target}"
