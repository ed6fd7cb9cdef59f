"""The answer to a question: forecast, measurement, threshold, advice, and a judgement of the forecast."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from longreach.answer.measurement import Measurement
from longreach.answer.question import Question
from longreach.answer.threshold_curve import Threshold
from longreach.answer.what_helps import Advice, advice
from longreach.comparison.measured_cell import MeasuredCell
from longreach.comparison.tally import Finding, Tally, judge_runs
from longreach.forecast import Forecast
from longreach.forecast.odds_of_task import USUAL_LENGTH, TaskOdds
from longreach.verdicts.verdict import Answer

Judgement: TypeAlias = Literal["agrees", "contradicts", "cannot be judged"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreeAnswers:
    """Will it work on longer inputs, from which training length on, and what would help."""

    question: Question
    forecast: Forecast
    measurement: Measurement
    seconds: float
    """That the answer took."""
    runs: Path | None = None
    """Where the results lie, which may know more than this question measured."""

    @cached_property
    def threshold(self) -> Threshold | None:
        """From which training length on runs work; None where it was not measured."""
        return Threshold.of(self.measurement.cells, self.measurement.lengths)

    @cached_property
    def findings(self) -> dict[str, Finding]:
        """By encoding: what its runs say of the forecast."""
        cells = self.measurement.cells
        found = {}
        for cell in cells:
            finding = judge_runs(self.answer_of(cell.encoding), cell.tally)
            others = [each.tally for each in cells if each.encoding != cell.encoding]
            answer = self.answer_of(cell.encoding)
            if finding.state == "not learned" and answer is Answer.NO:
                finding = _with_others(finding, cell.tally, others)
            if answer is Answer.YES and (longer := self.works_later(cell)) is not None:
                finding = _from_a_length_on(finding, cell, longer)
            found[cell.encoding] = finding
        return found

    def works_later(self, cell: MeasuredCell) -> MeasuredCell | None:
        """Of runs that do not work, the longer training length from which on they do, if one was found."""
        threshold = self.threshold
        if cell.tally.works or threshold is None or threshold.encoding != cell.encoding:
            return None
        return next((each for each in threshold.cells if each.train_to == threshold.start), None)

    def answer_of(self, encoding: str) -> Answer | None:
        """The forecast for what is trained; None where theory has none for the encoding."""
        return self.forecast.expected(encoding)

    @cached_property
    def advice(self) -> tuple[Advice, ...]:
        """What would help; empty where nothing is known."""
        return advice(
            self.forecast,
            self.measurement.cells,
            self.threshold,
            self.findings,
            self.question.encodings,
            more_steps=self._more_steps(),
            runs=self.runs,
        )

    def _more_steps(self) -> Advice | None:
        """More minutes, where there was time for a part of the steps and runs that may work did not learn."""
        measurement = self.measurement
        unlearned = [cell.encoding for cell in measurement.cells if cell.tally.learned < cell.tally.runs]
        # A no that agrees has failed as expected, whether it was learned or not.
        states = {self.findings[each].state for each in unlearned if self.answer_of(each) is Answer.NO}
        others = any(self.answer_of(each) is not Answer.NO for each in unlearned)
        if measurement.seconds_for_all is None or not (others or "not learned" in states):
            return None
        # The other half of the time is for other training lengths.
        minutes = max(math.ceil(measurement.seconds_for_all / 30), math.floor(self.question.minutes) + 1)
        basis = f"the minutes were enough for {measurement.share:.0%} of the usual steps"
        return Advice(change=f"more steps: --minutes {minutes}", basis=basis)

    @property
    def odds_length(self) -> int:
        """The training length of the odds: the one that is measured, or was asked for."""
        measured = next((cell.train_to for cell in self.measurement.cells), None)
        return self.question.train_to or measured or USUAL_LENGTH

    @cached_property
    def odds(self) -> TaskOdds:
        """The odds that one run works, from the census; without rows where it has nothing comparable."""
        return self.forecast.odds(self.odds_length)

    @property
    def judgement(self) -> Judgement:
        """What all runs together say of the forecast: one contradiction is one."""
        states = {finding.state for finding in self.findings.values()}
        if "contradicts" in states:
            return "contradicts"
        return "agrees" if "agrees" in states else "cannot be judged"

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` prints it."""
        measurement = self.measurement
        return {
            "task": self.forecast.name,
            "forecast": self.forecast.document(),
            "measured": [cell.document() for cell in (*measurement.cells, *measurement.lengths)],
            "threshold": None if self.threshold is None else self.threshold.document(),
            "odds": self.odds.document(),
            "odds_note": self.odds.reason,
            "advice": [each.document() for each in self.advice],
            "judgement": self.judgement,
            "judgements": {
                encoding: {"state": each.state, "words": each.words, "reasons": list(each.reasons)}
                for encoding, each in self.findings.items()
            },
            "minutes": self.question.minutes,
            "seeds": self.question.seeds,
            "share_of_steps": measurement.share,
            "whole": measurement.is_whole,
            "interrupted": measurement.interrupted,
            "seconds": round(self.seconds, 1),
        }

    def __repr__(self) -> str:
        from longreach.answer.answers_to_words import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from longreach.answer.answers_to_words import as_html

        return as_html(self)


def _from_a_length_on(finding: Finding, cell: MeasuredCell, longer: MeasuredCell) -> Finding:
    """A yes that fails at first and works at a longer training length: theory says "from some length on"."""
    words = (
        f"the measured runs agree with the forecast from training length {longer.train_to} on: "
        f"trained to {cell.train_to} {cell.tally.words}, trained to {longer.train_to} {longer.tally.words}"
    )
    return Finding("agrees", words, finding.reasons)


def _with_others(finding: Finding, tally: Tally, others: list[Tally]) -> Finding:
    """A no that fails and was not learned: it counts where another encoding was, in the same steps."""
    if not any(other.runs and 2 * other.learned >= other.runs for other in others):
        return finding
    words = (
        f"the measured runs agree with the forecast: {tally.words}, as expected; "
        "the same steps were enough under another encoding"
    )
    return Finding("agrees", words)
