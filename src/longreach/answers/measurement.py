"""A question with its minutes → the runs that answer it.

First the same training length under every encoding, seeds in rounds, so that whatever is done at the end of
the time has something of everything; then other training lengths under the one that may work, one after the
other, all tested on the same long inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach.answers.forecast import Forecast
from longreach.answers.judge import MeasuredCell
from longreach.answers.question import Measurement, Question
from longreach.answers.sweep import Doubling, Sweep, sweep
from longreach.config.run import RunConfig
from longreach.runs.cells import ByAccuracy
from longreach.runs.timed import TimedTraining, usual_member, with_share
from longreach.runs.train import Watcher, check_runs, check_torch
from longreach.tasks.lengths import LengthRange
from longreach.theory.verdicts.verdict import Answer

# Which members answer a question within its minutes: the laptop's setting, with fewer steps where needed.


WITHIN = 10
"""The tenth part of the first training length: the answer need not be nearer."""


def first_members(question: Question, share: float) -> list[RunConfig]:
    """A member for each seed and encoding, with this share of the setting's steps.

    >>> [member.encoding for member in first_members(Question(task="aa", seeds=2), 1.0)]
    ['nope', 'ape', 'nope', 'ape']
    >>> first_members(Question(task="aa"), 0.5)[0].max_steps
    500
    """
    return [
        _member(question, encoding, seed, share)
        for seed in range(question.seeds)
        for encoding in question.encodings
    ]


def _member(question: Question, encoding: str, seed: int, share: float) -> RunConfig:
    usual = usual_member(
        question.task,
        encoding,
        alphabet=question.alphabet,
        seed=seed,
        train_lengths=question.train_lengths(question.task),
    )
    return with_share(usual, share)


def length_rule(member: RunConfig) -> Doubling:
    """Which training lengths to try besides a member's own: shorter ones where it works, else longer ones.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> rule = length_rule(member)
    >>> rule.next_lengths({20: True}), rule.next_lengths({20: False})
    ((10,), (40,))
    """
    own, tested = member.train_lengths, member.test_lengths[-1]
    within = max(1, own.last // WITHIN)
    return Doubling(first=own.last, least=own.first + 1, most=tested.first - 1, within=within, twice=False)


def trained_to(member: RunConfig, length: int) -> RunConfig:
    """The same member trained to another length, and tested on the longest of the same inputs.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> [each.name for each in trained_to(member, 8).ranges]
    ['2-8', '41-60']
    """
    lengths = LengthRange(member.train_lengths.first, length)
    given = {"train_lengths": list(lengths), "test_lengths": [list(member.test_lengths[-1])]}
    return RunConfig.read({**member.document(), **given})


# Training within the minutes of a question: planned to fit, resumed where it was, ended at the time.


FIRST_PART = 0.6
"""Of the time: for the first training length, where others are to be tried as well."""


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
        question = self.question
        return self.training.share(
            f"{question.file_stem}.plan.json",
            question.document(),
            lambda share: first_members(question, share),
            part,
        )

    def _others(self, first: Sequence[RunConfig], cells: Sequence[MeasuredCell]) -> Sweep:
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
        finished = [cell for cell in cells if cell.is_whole]
        working = [cell for cell in finished if cell.tally.works]
        if working:
            return max(
                working,
                key=lambda cell: (self.forecast.expected(cell.encoding) is Answer.YES, cell.tally.work),
            )
        hopeful = [cell for cell in finished if self.forecast.expected(cell.encoding) is not Answer.NO]
        # Longer training inputs are no remedy for runs that did not learn the shorter ones.
        hopeful = [cell for cell in hopeful if cell.tally.is_learned]
        return max(hopeful, key=lambda cell: cell.tally.work, default=None)
