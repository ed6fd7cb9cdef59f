"""Training within the minutes of a question: planned to fit, resumed where it was, ended at the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members, length_rule, trained_to
from longreach.answer.threshold_sweep import Sweep, sweep
from longreach.comparison.criterion import ByAccuracy
from longreach.comparison.measured_cell import MeasuredCell
from longreach.config.training import TrainConfig
from longreach.experiments.planning import START_SECONDS
from longreach.experiments.running import Watcher, check_runs, check_torch
from longreach.experiments.timed_training import TimedTraining, kept_share, largest_share
from longreach.forecast import Forecast
from longreach.verdicts.verdict import Answer

FIRST_PART = 0.6
"""Of the time: for the first training length, where others are to be tried as well."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What was measured, and what was not for want of time."""

    cells: tuple[MeasuredCell, ...] = ()
    """The first training length, by encoding."""
    lengths: tuple[MeasuredCell, ...] = ()
    """Other training lengths of one encoding."""
    share: float = 1.0
    """Of the setting's steps."""
    seconds_for_all: float | None = None
    """About what all steps of the setting would take, where they did not fit."""
    more_lengths: bool = False
    """Whether there was no time for other training lengths that would have been tried."""
    interrupted: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all that was planned has ended."""
        ended = all(cell.tally.runs == cell.planned for cell in (*self.cells, *self.lengths))
        return ended and not self.more_lengths


def measure(
    question: Question, forecast: Forecast, runs: Path, *, progress: Watcher | None = None
) -> Measurement:
    """Train what fits into the minutes, and count which runs work."""
    if not question.minutes:
        return Measurement()
    check_torch()
    check_runs(runs)
    training = TimedTraining(runs, question.minutes, progress=progress)
    return _Measuring(question, forecast, training).go()


class _Measuring:
    def __init__(self, question: Question, forecast: Forecast, training: TimedTraining) -> None:
        self.question, self.forecast, self.training = question, forecast, training
        self.criterion = ByAccuracy(forecast.task.chance)

    def go(self) -> Measurement:
        training, sweeping = self.training, self._may_work()
        share = self._share(FIRST_PART if sweeping else 1.0)
        first = first_members(self.question, share)
        for_all = None if share == 1.0 else training.seconds(first_members(self.question, 1.0))
        training.train(
            first,
            f"trained to {first[0].train_lengths.last}",
            "then other training lengths" if sweeping else "",
        )
        cells = MeasuredCell.of(first, training.results.values(), self.criterion)
        others = Sweep(cells=()) if training.interrupted else self._others(first, cells)
        return Measurement(
            cells=cells,
            lengths=tuple(cell for cell in others.cells if cell.tally.runs),
            share=share,
            seconds_for_all=for_all,
            more_lengths=others.stopped == "time",
            interrupted=training.interrupted,
        )

    # Which members

    def _may_work(self) -> bool:
        return any(self.forecast.expected(encoding) is not Answer.NO for encoding in self.question.encodings)

    def _share(self, part: float) -> float:
        """The share of steps: as in the plan that was made when the question was first asked."""
        path = self.training.runs / f"{self.question.file_stem}.plan.json"
        seconds = part * self.training.left - START_SECONDS
        return kept_share(
            path,
            self.question.document(),
            lambda: largest_share(
                lambda share: first_members(self.question, share), seconds, self.training.seconds
            ),
        )

    def _others(self, first: Sequence[TrainConfig], cells: Sequence[MeasuredCell]) -> Sweep:
        """Other training lengths: the encoding that works best, or could; as many as fit."""
        chosen = self._encoding(cells)
        if chosen is None:
            return Sweep(cells=())
        own = [member for member in first if member.encoding == chosen.encoding]
        return sweep(
            length_rule(own[0]),
            lambda length, seed: trained_to(own[seed], length),
            self.training,
            seeds=len(own),
            criterion=self.criterion,
            known={chosen.train_to: bool(chosen.tally.works)},
            only_what_fits=True,
        )

    def _encoding(self, cells: Sequence[MeasuredCell]) -> MeasuredCell | None:
        finished = [cell for cell in cells if cell.tally.runs == cell.planned]
        working = [cell for cell in finished if cell.tally.works]
        if working:
            return max(
                working,
                key=lambda cell: (self.forecast.expected(cell.encoding) is Answer.YES, cell.tally.work),
            )
        hopeful = [cell for cell in finished if self.forecast.expected(cell.encoding) is not Answer.NO]
        # Longer training inputs are no remedy for runs that did not learn the shorter ones.
        hopeful = [cell for cell in hopeful if 2 * cell.tally.learned >= cell.tally.runs]
        return max(hopeful, key=lambda cell: cell.tally.work, default=None)
