"""What the runs of one configuration say about a forecast.

`longreach.runs.cells` says when runs work; here their counts meet what theory expects of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.cells import ByAccuracy, Cell, Criterion, Tally, range_shares
from longreach.runs.index import Row, row_of
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import NewAnswerError
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Result, range_number
from longreach.wording import counted

FindingState: TypeAlias = Literal["agrees", "contradicts", "not learned", "cannot be judged"]

MORE_TRAINING = "train for more steps, or a larger model"
OF_ALL_WORDS = "random inputs hide hard ones, and a forecast is about all: train on longer inputs"
WHICH_WORDS = (
    "A forecast is about all inputs, so probing words test it more fairly: a sure run also works on every "
    "loop, or kind, of them. Random words are what a model usually meets."
)
FEW_RUNS = 3
"""With fewer runs chance is a likely reason for anything."""


@dataclass(frozen=True)
class Finding:
    """What runs say of a forecast, in words."""

    state: FindingState
    words: str
    reasons: tuple[str, ...] = ()
    """Why it may be so, the likeliest first, each with what to try next."""


def judge_runs(forecast: Answer | None, tally: Tally, *, ability: bool = False) -> Finding:
    """What the runs say of a forecast; None where theory has none for the model.

    With `ability` the forecast is about what weights can do at every length, no promise about training.

    >>> judge_runs(Answer.NO, Tally(runs=3, learned=3, work=0)).words
    'the measured runs agree with the forecast: 0 of 3 runs work, as expected'
    >>> judge_runs(Answer.YES, Tally(runs=3, learned=3, work=1)).state
    'contradicts'
    >>> judge_runs(Answer.YES, Tally(runs=3, learned=3, work=1), ability=True).words
    'not found by training: 1 of 3 runs works, though the model can express it at every length'

    A forecast speaks of all words. Where runs work on random ones and fail on some loop, or kind, of probing
    words, nothing is judged:

    >>> judge_runs(Answer.YES, Tally(runs=3, learned=3, work=3, probed=3, sure=1)).words
    '3 of 3 runs work on random words; 1 of 3 sure, the others fail on some of the probing words'
    """
    if tally.works is None:
        return Finding("cannot be judged", f"cannot be judged: {tally.words}")
    if forecast is None:
        words = f"{tally.words}; theory has no forecast to compare it with"
        return Finding("cannot be judged", words, () if tally.works else _unfit(tally))
    if forecast == Answer.UNDECIDED:
        return Finding("cannot be judged", f"{tally.words}; the forecast is undecided")
    if tally.is_doubtful:
        words = (
            f"{tally.words} on random words; {tally.sure_words}, the others fail on some of the probing words"
        )
        return Finding("cannot be judged", words, (OF_ALL_WORDS, *_few(tally)))
    if ability:
        return _judge_ability(forecast, tally)
    expected = forecast.expectation
    if not tally.works and not tally.is_learned:
        words = f"not learned: {tally.learned_words}, and {tally.words} on longer inputs ({expected})"
        reasons = (f"not learned within the steps: {MORE_TRAINING}", *_few(tally))
        return Finding("not learned", words, reasons)
    agrees = tally.works is (forecast == Answer.YES)
    reasons = _reasons(forecast, tally)
    if tally.is_mixed:
        half = "at least half" if tally.works else "fewer than half"
        relation = "agrees with" if agrees else "contradicts"
        words = f"the measured runs are mixed: {tally.words}; {half}, which {relation} the forecast"
        return Finding("agrees" if agrees else "contradicts", f"{words} ({expected})", reasons)
    runs, ending = ("the measured run", "s") if tally.runs == 1 else ("the measured runs", "")
    if agrees:
        words = f"{runs} agree{ending} with the forecast: {tally.words}, as expected"
        return Finding("agrees", words, reasons)
    words = f"{runs} contradict{ending} the forecast: {tally.words}, {expected}"
    return Finding("contradicts", words, reasons)


def _judge_ability(forecast: Answer, tally: Tally) -> Finding:
    if (forecast == Answer.YES) is tally.works:
        can = "can express it" if tally.works else "cannot express it"
        return Finding("agrees", f"{tally.words}; in theory the model {can} at every length", _few(tally))
    if tally.works:
        words = f"{tally.words} at these lengths, though the model cannot express it at every length"
        return Finding("contradicts", words, _reasons(forecast, tally))
    words = f"not found by training: {tally.words}, though the model can express it at every length"
    return Finding("not learned", words, _reasons(forecast, tally))


def _reasons(forecast: Answer, tally: Tally) -> tuple[str, ...]:
    """Why runs may do what was not expected of them."""
    unexpected = tally.runs - tally.work if forecast == Answer.YES else tally.work
    if not unexpected:
        return ()
    found = []
    if forecast == Answer.NO:
        found.append("at these lengths a short window may already be enough: test on longer inputs")
    else:
        found += _unfit(tally)
        found.append("too few training lengths to tell the rule from others: train on longer inputs")
    return (*found, *_few(tally))


def _unfit(tally: Tally) -> tuple[str, ...]:
    missing = tally.runs - tally.learned
    return (f"{counted(missing, 'run')} did not fit the training range: {MORE_TRAINING}",) if missing else ()


def _few(tally: Tally) -> tuple[str, ...]:
    if tally.runs >= FEW_RUNS:
        return ()
    return (f"{'one seed' if tally.runs == 1 else f'{tally.runs} seeds'} only: train more seeds",)


# Runs of one configuration beside what was planned


_EXCEPTION = re.compile(r"(?:\w+\.)*(\w+): ")


@dataclass(frozen=True, kw_only=True)
class RunFailure:
    """A run that ended with an error.

    >>> row = Row(key="00", status="failed", seed=1, error="longreach.errors.InputError: no\\nTraceback")
    >>> RunFailure.of(row).words
    'seed 1 failed: no'
    """

    key: str
    seed: int | None
    reason: str
    """In one line."""
    is_new_answer: bool
    """Whether the task gave an answer that was never seen when its examples were drawn."""

    @classmethod
    def of(cls, row: Row) -> RunFailure:
        line = next(iter((row.error or "").splitlines()), "") or "no reason is known"
        raised = _EXCEPTION.match(line)
        kind = "" if raised is None else raised[1]
        known = kind in (InputError.__name__, NewAnswerError.__name__)  # whose names say nothing
        reason = line[raised.end() :] if raised is not None and known else line
        return cls(key=row.key, seed=row.seed, reason=reason, is_new_answer=kind == NewAnswerError.__name__)

    @property
    def words(self) -> str:
        return f"{'a run' if self.seed is None else f'seed {self.seed}'} failed: {self.reason}"

    @staticmethod
    def all_words(failures: Sequence[RunFailure]) -> str:
        """One clause for each reason; of new answers the first one stands for all."""
        alike: dict[str, list[RunFailure]] = {}
        for each in failures:
            alike.setdefault("" if each.is_new_answer else each.reason, []).append(each)
        return "; ".join(
            found[0].words + (f" (so did {counted(len(found) - 1, 'other run')})" if len(found) > 1 else "")
            for found in alike.values()
        )

    def document(self) -> dict[str, Any]:
        return {"key": self.key, "seed": self.seed, "reason": self.reason}


@dataclass(frozen=True, kw_only=True)
class MeasuredCell:
    """A cell on its longest inputs, as far as its planned runs have finished."""

    config: RunConfig
    """Of the first run."""
    cell: Cell
    criterion: Criterion
    planned: int

    @classmethod
    def of(
        cls, members: Iterable[RunConfig], results: Mapping[str, Result], criterion: Criterion
    ) -> tuple[MeasuredCell, ...]:
        """The cells of planned runs, in their order, with their results by key, failed ones included."""
        groups: dict[tuple[str, int], list[RunConfig]] = {}
        for member in members:
            groups.setdefault((member.label.name, member.train_lengths.last), []).append(member)
        found = []
        for group in groups.values():
            rows = [row_of(results[each.key]) for each in group if each.key in results]
            cell = Cell.of(group[0].document(), rows)
            found.append(cls(config=group[0], cell=cell, criterion=criterion, planned=len(group)))
        return tuple(found)

    @property
    def encoding(self) -> str:
        return self.config.label.name

    @property
    def train_to(self) -> int:
        return self.config.train_lengths.last

    @property
    def tested(self) -> LengthRange:
        return self.config.test_lengths[-1]

    @property
    def steps(self) -> int:
        return self.config.max_steps

    @property
    def keys(self) -> tuple[str, ...]:
        return self.cell.keys

    @cached_property
    def tally(self) -> Tally:
        return self.cell.count(self.criterion, self.tested)

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers by which runs were counted."""
        return self.cell.values(self.criterion, self.tested)

    @property
    def failed(self) -> tuple[RunFailure, ...]:
        """The runs that ended with an error; they count neither for nor against anything."""
        return tuple(RunFailure.of(row) for row in self.cell.rows if row.status == "failed")

    @property
    def unfinished(self) -> int:
        """How many of the planned runs have not ended."""
        return self.planned - self.tally.runs - len(self.failed)

    @property
    def is_whole(self) -> bool:
        """Whether all planned runs have finished, and none has failed."""
        return self.tally.runs == self.planned

    @property
    def notes(self) -> tuple[str, ...]:
        """What a count of runs that work leaves out."""
        unfit, failed = self.tally.unfit, len(self.failed)
        said = (
            (unfit, f"{unfit} {'does' if unfit == 1 else 'do'} not fit the training range"),
            (failed, f"{failed} failed"),
            (self.unfinished, f"{self.unfinished} not finished"),
        )
        return tuple(words for count, words in said if count)

    @property
    def words(self) -> str:
        """How many runs work, in a few words."""
        return ", ".join([self.tally.words, *(self.notes if self.tally.runs or self.failed else ())])

    @property
    def chances(self) -> dict[str, float]:
        """By range, what guessing reaches on the tests; empty where answers are numbers."""
        if not isinstance(self.criterion, ByAccuracy):
            return {}
        usual = self.criterion.chance
        return {each.name: round(self.cell.chance(each, usual), 4) for each in self.config.ranges}

    @property
    def in_short(self) -> str:
        """The same for a list of training lengths: `16: 3 of 3`."""
        return f"{self.train_to}: {self.tally.work} of {self.tally.runs}"

    @property
    def curves(self) -> tuple[tuple[tuple[LengthRange, float], ...], ...]:
        """Of each run the accuracy by range, the training range first."""
        return tuple(
            tuple(
                (lengths, row.accuracy[lengths.name])
                for lengths in self.config.ranges
                if lengths.name in row.accuracy
            )
            for row in self.cell.finished
        )

    def span(self, lengths: LengthRange) -> tuple[float, float] | None:
        """The worst and the best accuracy of a run at these lengths; None if none was measured."""
        shares = self.cell.values(ByAccuracy(0.0), lengths)
        return (min(shares), max(shares)) if shares else None

    @property
    def fails_uniformly(self) -> bool:
        """Whether at least half of the runs that work fail on inputs of the same lengths drawn uniformly."""
        name = range_number("uniform", self.tested.name)
        rows = [row for row in self.cell.finished if self.criterion.passes(row, self.tested)]
        known = [row.other for row in rows if name in row.other]
        chance = range_number("chance", name)
        wrong = [one for one in known if not ByAccuracy(one.get(chance, 0.0)).works(one[name])]
        return bool(known) and 2 * len(wrong) >= len(known)

    def _spans(self, shares_of: Callable[[Row], Mapping[str, float]]) -> dict[str, list[float]]:
        """By range, the accuracy of each finished run."""
        rows = [shares_of(row) for row in self.cell.finished]
        names = [lengths.name for lengths in self.config.ranges]
        found = {name: [row[name] for row in rows if name in row] for name in names}
        return {name: shares for name, shares in found.items() if shares}

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        lowest, highest = self.span(self.tested) or (None, None)
        return {
            "encoding": self.encoding,
            "train_to": self.train_to,
            "tested": self.tested.name,
            "runs": self.tally.runs,
            "work": self.tally.work,
            "learned": self.tally.learned,
            "unfit": self.tally.unfit,
            "planned": self.planned,
            "failed": [each.document() for each in self.failed],
            "chance": self.chances,
            "accuracy": self._spans(lambda row: row.accuracy),
            "accuracy_uniform": self._spans(lambda row: range_shares(row, "uniform")),
            "probing": self._spans(lambda row: range_shares(row, "probing")),
            "worst_loop": self._spans(lambda row: range_shares(row, "worst loop")),
            "flow": self._spans(lambda row: range_shares(row, "flow")),
            "probed": self.tally.probed,
            "sure": self.tally.sure,
            "steps": self.steps,
            "lowest": lowest,
            "highest": highest,
            "keys": list(self.keys),
        }
