"""A question with its minutes → the runs that answer it.

First the same training length under every encoding, seeds in rounds, so that whatever is done at the end of
the time has something of everything; then other training lengths under the one that may work, one after the
other, all tested on the same long inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from longreach.answers.forecast import Forecast
from longreach.answers.judge import MeasuredCell, RunFailure
from longreach.answers.question import Measurement, Question
from longreach.answers.sweep import Doubling, Sweep
from longreach.config.reach import REACH
from longreach.config.run import RunConfig
from longreach.runs.cells import ByAccuracy
from longreach.runs.index import row_of
from longreach.runs.timed import TimedTraining, usual_member, with_share
from longreach.runs.train import Watcher, check_runs, check_torch
from longreach.tasks.catalog import load_argument
from longreach.tasks.lengths import LengthRange
from longreach.theory.verdicts.verdict import Answer

WITHIN = 10
"""The tenth part of the first training length: the answer need not be nearer."""


def first_members(question: Question, share: float) -> list[RunConfig]:
    """A member for each seed and encoding or other model, with this share of the setting's steps.

    >>> [member.encoding for member in first_members(Question(task="aa", seeds=2), 1.0)]
    ['nope', 'ape', 'nope', 'ape']
    >>> first_members(Question(task="aa"), 0.5)[0].max_steps
    500
    """
    lengths = question.train_lengths(question.task)
    usual = {
        encoding: _farther(
            usual_member(question.task, encoding, alphabet=question.alphabet, train_lengths=lengths)
        )
        for encoding in question.encodings
    }
    return [
        with_share(usual[encoding].with_seed(seed), share)
        for seed in range(question.seeds)
        for encoding in question.encodings
    ]


FAR = 10
"""Attention to the last match is tested to so many times the training length."""


def _farther(member: RunConfig) -> RunConfig:
    """With one test range more where the model is to reach it, and the task has such inputs.

    >>> [each.name for each in first_members(Question(task="aa", encodings=("reach",)), 1.0)[0].test_lengths]
    ['21-40', '41-60', '181-200']
    """
    last = member.train_lengths.last
    far = LengthRange((FAR - 1) * last + 1, FAR * last)
    task = load_argument(member.task, member.alphabet)
    if member.label.side != REACH or not task.has(np.arange(far.first, far.last + 1)).any():
        return member
    tests = [list(each) for each in (*member.test_lengths, far)]
    return RunConfig.read({**member.document(), "test_lengths": tests})


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


FIRST_PART = 0.6
"""Of the time: for the first training length, where others are to be tried as well."""


def measure(
    question: Question, forecast: Forecast, runs: Path, *, progress: Watcher | None = None
) -> Measurement:
    """Train what fits into the minutes, and count which runs work."""
    if not question.minutes:
        return Measurement()
    check_torch()
    training = TimedTraining(check_runs(runs), question.minutes, progress=progress)
    criterion = ByAccuracy(forecast.task.chance)
    may_work = any(forecast.expected(encoding) is not Answer.NO for encoding in question.encodings)
    share = training.share(
        f"{question.file_stem}.plan.json",
        question.document(),
        lambda share: first_members(question, share),
        FIRST_PART if may_work else 1.0,
    )
    first = first_members(question, share)
    for_all = None if share == 1.0 else training.seconds(first_members(question, 1.0))
    after = "then other training lengths" if may_work else ""
    training.train(first, f"trained to {first[0].train_lengths.last}", after)
    cells = MeasuredCell.of(first, training.outcomes(first), criterion)
    chosen, others = None if training.interrupted else _followed(forecast, cells), None
    if chosen is not None:
        own = [member for member in first if member.label.name == chosen.encoding]
        others = Sweep(
            rule=length_rule(own[0]),
            member_of=lambda length, seed: trained_to(own[seed], length),
            training=training,
            seeds=len(own),
            criterion=criterion,
            only_what_fits=True,
        ).run({chosen.train_to: bool(chosen.tally.works)})
    return Measurement(
        cells=cells,
        lengths=() if others is None else tuple(each for each in others.cells if each.tally.runs),
        share=share,
        seconds_for_all=for_all,
        more_lengths=others is not None and others.stopped == "time",
        lengths_failed=() if others is None else _failures(training, others),
        interrupted=training.interrupted,
    )


def _failures(training: TimedTraining, sweep: Sweep) -> tuple[RunFailure, ...]:
    failed = [training.failed[member.key] for member in sweep.waiting if member.key in training.failed]
    return tuple(RunFailure.of(row_of(result)) for result in failed)


def _followed(forecast: Forecast, cells: Sequence[MeasuredCell]) -> MeasuredCell | None:
    """The encoding whose other training lengths are tried: the one that works best, or could."""

    def is_expected(cell: MeasuredCell, answer: Answer) -> bool:
        return forecast.expected(cell.encoding) is answer

    finished = [cell for cell in cells if cell.is_whole]
    working = [cell for cell in finished if cell.tally.works]
    if working:
        return max(working, key=lambda cell: (is_expected(cell, Answer.YES), cell.tally.work))
    # Longer training inputs are no remedy for runs that did not learn the shorter ones.
    hopeful = [cell for cell in finished if cell.tally.is_learned and not is_expected(cell, Answer.NO)]
    return max(hopeful, key=lambda cell: cell.tally.work, default=None)
