"""Training within the minutes of a question: planned to fit, resumed where it was, ended at the time."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.answer.measured_cell import MeasuredCell
from longreach.answer.question import Question
from longreach.answer.question_to_members import (
    SHARES,
    first_members,
    in_rounds,
    largest_share,
    other_lengths,
    trained_to,
)
from longreach.config.training import TrainConfig
from longreach.execution.environment import cores
from longreach.experiments.planning import seconds_of, together
from longreach.experiments.running import Nobody, Watcher, check_runs, check_torch, train_pending
from longreach.forecast import Forecast
from longreach.results.atomic import ResultError, write_atomically
from longreach.results.files import read_result
from longreach.results.schema import Result
from longreach.verdicts.verdict import Answer

START_SECONDS = 6.0
"""What worker processes take to start and to load what they need."""
MARGIN = 1.15
"""Evaluations and what else a few steps do not show."""
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
    interrupted: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all that was planned has ended."""
        return all(cell.tally.runs == cell.planned for cell in (*self.cells, *self.lengths))


def measure(
    question: Question, forecast: Forecast, runs: Path, *, progress: Watcher | None = None
) -> Measurement:
    """Train what fits into the minutes, and count which runs work."""
    if not question.minutes:
        return Measurement()
    check_torch()
    check_runs(runs)
    return _Measuring(question, forecast, runs, progress or Nobody()).go()


class _Measuring:
    def __init__(self, question: Question, forecast: Forecast, runs: Path, progress: Watcher) -> None:
        self.question, self.forecast, self.runs, self.progress = question, forecast, runs, progress
        self.deadline = time.monotonic() + 60 * question.minutes
        self.chance = forecast.task.chance
        self.results: dict[str, Result] = {}
        self.interrupted = False

    def go(self) -> Measurement:
        sweeping = self._may_work()
        share = self._share(FIRST_PART if sweeping else 1.0)
        first = first_members(self.question, share)
        for_all = None if share == 1.0 else self._seconds(first_members(self.question, 1.0))
        self._train(
            first,
            f"trained to {first[0].train_lengths.last}",
            "then other training lengths" if sweeping else "",
        )
        cells = MeasuredCell.of(first, self.results.values(), self.chance)
        others = [] if self.interrupted else self._others(first, cells)
        if others:
            self._train(others, "at other training lengths")
        return Measurement(
            cells=cells,
            lengths=MeasuredCell.of(others, self.results.values(), self.chance),
            share=share,
            seconds_for_all=for_all,
            interrupted=self.interrupted,
        )

    # Which members

    def _answer(self, encoding: str) -> Answer | None:
        side = self.forecast.sides.get(encoding)
        return None if side is None else side.trained

    def _may_work(self) -> bool:
        return any(self._answer(encoding) is not Answer.NO for encoding in self.question.encodings)

    def _share(self, part: float) -> float:
        """The share of steps: as in the plan that was made when the question was first asked."""
        path = self.runs / f"{self.question.file_stem}.plan.json"
        asked = self.question.document()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["question"] == asked and found["share"] in SHARES:
                return float(found["share"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # no plan, or a damaged one
        seconds = part * (self.deadline - time.monotonic()) - START_SECONDS
        share = largest_share(self.question, seconds, self._seconds)
        self.runs.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"question": asked, "share": share}, indent=1).encode())
        return share

    def _seconds(self, members: Sequence[TrainConfig]) -> float:
        """How long the members that are not done take on this machine."""
        waiting = [member for member in members if self._done(member) is None]
        times = list(seconds_of(waiting).values())
        return MARGIN * together(times, cores()) if times else 0.0

    def _done(self, member: TrainConfig) -> Result | None:
        if member.key not in self.results:
            try:
                found = read_result(self.runs, member.key)
            except ResultError:
                return None
            if found.status != "done":
                return None
            self.results[member.key] = found
        return self.results[member.key]

    def _others(self, first: Sequence[TrainConfig], cells: Sequence[MeasuredCell]) -> list[TrainConfig]:
        """Members at other training lengths: the encoding that works best, or could; as many as fit."""
        chosen = self._encoding(cells)
        if chosen is None:
            return []
        own = [member for member in first if member.encoding == chosen.encoding]
        lengths = list(other_lengths(own[0], works=bool(chosen.tally.works)))
        left = self.deadline - time.monotonic() - START_SECONDS
        while lengths:
            members = in_rounds([trained_to(member, length) for member in own] for length in lengths)
            if self._seconds(members) <= left or len(lengths) == 1:
                return members if self._seconds(members) <= left or self._seconds(members[:1]) <= left else []
            lengths.pop()
        return []

    def _encoding(self, cells: Sequence[MeasuredCell]) -> MeasuredCell | None:
        finished = [cell for cell in cells if cell.tally.runs == cell.planned]
        working = [cell for cell in finished if cell.tally.works]
        if working:
            return max(working, key=lambda cell: (self._answer(cell.encoding) is Answer.YES, cell.tally.work))
        hopeful = [cell for cell in finished if self._answer(cell.encoding) is not Answer.NO]
        # Longer training inputs are no remedy for runs that did not learn the shorter ones.
        hopeful = [cell for cell in hopeful if 2 * cell.tally.learned >= cell.tally.runs]
        return max(hopeful, key=lambda cell: cell.tally.work, default=None)

    # Training

    def _train(self, members: Sequence[TrainConfig], what: str, after: str = "") -> None:
        waiting = [member for member in members if self._done(member) is None]
        if not waiting or self.interrupted or time.monotonic() >= self.deadline:
            return
        seconds = min(self._seconds(waiting), self.deadline - time.monotonic())
        self.progress.say(_plan(waiting, seconds, what, after))
        try:
            train_pending(members, self.runs, progress=self.progress, deadline=self.deadline)
        except KeyboardInterrupt:
            self.interrupted = True
        for member in members:
            self._done(member)


def _plan(waiting: Sequence[TrainConfig], seconds: float, what: str, after: str) -> str:
    count = f"{len(waiting)} run{'' if len(waiting) == 1 else 's'}"
    about = f"{math.ceil(seconds / 5) * 5} seconds" if seconds < 90 else f"{seconds / 60:.1f} minutes"
    steps = f"{waiting[0].max_steps:,} steps each"
    then = f", {after}" if after else ""
    return f"measuring {count} {what}, {steps}: about {about}{then}; Ctrl-C ends it with what there is"
