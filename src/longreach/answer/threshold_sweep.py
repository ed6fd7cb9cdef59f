"""A sweep over training lengths: members are trained as a rule asks for them, and counted length by length.

A length *works* when at least half of its seeds do. Seeds are trained only until that is decided, and no more
lengths are tried upwards once no run is good on its own training lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.answer.threshold_rule import Strategy, decided, more_seeds
from longreach.comparison.criterion import Criterion
from longreach.comparison.measured_cell import MeasuredCell
from longreach.config.any_member import AnyMember
from longreach.experiments.planning import START_SECONDS
from longreach.experiments.timed_training import TimedTraining

Stop: TypeAlias = Literal["time", "interrupted", "failed", "not learned"]
"""Why a sweep ended before its rule did: with "not learned" no more would have helped."""
MemberOf: TypeAlias = Callable[[int, int], AnyMember]
"""The member of a training length and a seed."""


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What was measured."""

    cells: tuple[MeasuredCell, ...]
    """A training length each, in the order in which they were tried."""
    stopped: Stop | None = None
    waiting: tuple[AnyMember, ...] = ()
    """What was asked for next and is not done."""


def sweep(
    rule: Strategy,
    member_of: MemberOf,
    training: TimedTraining,
    *,
    seeds: int,
    criterion: Criterion,
    known: Mapping[int, bool] | None = None,
    every_seed: bool = False,
    only_what_fits: bool = False,
) -> Sweep:
    """Measure the lengths that the rule asks for, given those that are known already.

    With `every_seed` all seeds are trained at every length; with `only_what_fits` nothing is begun that would
    not end in time.
    """
    return _Sweeping(rule, member_of, training, seeds, criterion, every_seed, only_what_fits).go(known or {})


class _Sweeping:
    def __init__(
        self,
        rule: Strategy,
        member_of: MemberOf,
        training: TimedTraining,
        seeds: int,
        criterion: Criterion,
        every_seed: bool,
        only_what_fits: bool,
    ) -> None:
        self.rule, self.member_of, self.training = rule, member_of, training
        self.seeds, self.criterion = seeds, criterion
        self.every_seed, self.only_what_fits = every_seed, only_what_fits
        self.asked: dict[int, list[AnyMember]] = {}

    def go(self, known: Mapping[int, bool]) -> Sweep:
        known, hopeless = dict(known), set[int]()
        stopped: Stop | None = None
        while stopped is None and (lengths := self.rule.next_lengths(known, hopeless)):
            stopped = self._measure(lengths)
            for length in lengths:
                cell = self._cell(length)
                answer = decided(cell.tally.work, cell.tally.runs - cell.tally.work, self.seeds)
                if answer is not None:
                    known[length] = answer
                    hopeless |= {length} if self._is_hopeless(length) else set()
        if stopped is None and known and not known[max(known)] and max(known) in hopeless:
            stopped = "not learned"
        members = [member for asked in self.asked.values() for member in asked]
        return Sweep(
            cells=tuple(self._cell(length) for length in self.asked),
            stopped=stopped,
            waiting=tuple(member for member in members if self.training.done(member) is None),
        )

    def _measure(self, lengths: Sequence[int]) -> Stop | None:
        """Rounds of as many seeds as may decide each length, until all are decided."""
        while True:
            new = [(length, self._more(length)) for length in lengths]
            if not any(members for _, members in new):
                return None
            for length, members in new:
                self.asked.setdefault(length, []).extend(members)
            wanted = [member for _, members in new for member in members]
            stopped = self._train(wanted, [length for length, members in new if members])
            if stopped is not None:
                return stopped

    def _more(self, length: int) -> list[AnyMember]:
        tally, first = self._cell(length).tally, len(self.asked.get(length, ()))
        count = more_seeds(tally.work, tally.runs - tally.work, self.seeds)
        last = self.seeds if self.every_seed else first + count
        return [self.member_of(length, seed) for seed in range(first, last)]

    def _train(self, members: Sequence[AnyMember], lengths: Sequence[int]) -> Stop | None:
        training = self.training
        waiting = [member for member in members if training.done(member) is None]
        if waiting and not training.is_over:
            if self.only_what_fits and training.seconds(waiting) > training.left - START_SECONDS:
                return "time"
            training.train(members, f"trained to {', '.join(map(str, lengths))}")
        if all(training.done(member) is not None for member in members):
            return None
        if training.interrupted:
            return "interrupted"
        return "failed" if any(member.key in training.failed for member in members) else "time"

    def _cell(self, length: int) -> MeasuredCell:
        members = self.asked.get(length) or [self.member_of(length, 0)]
        results = [found for each in self.asked.get(length, ()) if (found := self.training.done(each))]
        return MeasuredCell.of(members, results, self.criterion)[0]

    def _is_hopeless(self, length: int) -> bool:
        """Whether no run is good on the lengths that it was trained on."""
        results = [self.training.done(member) for member in self.asked.get(length, ())]
        trained = self.member_of(length, 0).train_lengths
        values = [self.criterion.value(each.final, trained) for each in results if each and each.final]
        return bool(values) and not any(value is not None and self.criterion.works(value) for value in values)
