"""What `longreach ask` suggests: remedies of theory beside what runs say of them, and what runs suggest.

Runs come from the results, or from `longreach study advice`, whose numbers come with the package.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.answers.odds import odds_words
from longreach.answers.remedies import Remedy, remedies
from longreach.config.encodings import side_title
from longreach.config.model import CellLabel
from longreach.runs.cells import ByAccuracy, cells
from longreach.runs.index import read_index
from longreach.tasks.lengths import read_name
from longreach.theory.names import TaskName
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted, percent

if TYPE_CHECKING:
    from longreach.answers.ask import ThreeAnswers

ALIKE = 0.005
"""Accuracies that are shown as one."""
KEPT = Path(__file__).with_name("study_runs.json")
"""Written by `python tools/advice_study_runs.py` from the study's own document."""


@dataclass(frozen=True, kw_only=True)
class StudyRuns:
    """The runs of one task under one encoding, at the longest length that was tested."""

    task: str
    encoding: str
    train_to: int
    length: int
    accuracy: tuple[float, ...]
    """Of each run the share of whole inputs that are right."""

    @property
    def words(self) -> str:
        """One clause.

        >>> StudyRuns(task="a", encoding="ape", train_to=12, length=36, accuracy=(1.0, 1.0, 0.5)).words
        'longreach study advice: right on 50.0–100.0 % at length 36, trained to 12 (3 runs)'
        """
        return f"longreach study advice: {self.result}"

    @property
    def result(self) -> str:
        """What its runs did, in a clause."""
        runs = counted(len(self.accuracy), "run")
        share = shares_words((min(self.accuracy), max(self.accuracy)))
        lengths = f"at length {self.length}, trained to {self.train_to}"
        return f"right on {share} {lengths} ({runs})"

    def document(self) -> dict[str, Any]:
        """As JSON has it, beside the remedy's task and encoding."""
        return {"train_to": self.train_to, "length": self.length, "accuracy": list(self.accuracy)}


def shares_words(span: tuple[float, float] | None) -> str:
    """One accuracy where all runs do the same, else the worst and the best.

    >>> shares_words((0.5, 0.5)), shares_words((0.0, 0.987)), shares_words(None)
    ('50.0 %', '0.0–98.7 %', '')
    """
    if span is None:
        return ""
    low, high = span
    if high - low <= ALIKE:
        return f"{100 * (low + high) / 2:.1f} %"
    return f"{100 * low:.1f}–{100 * high:.1f} %"


def study_runs(task: str, encoding: str) -> StudyRuns | None:
    """What the study has of a task, by its stored name; None: it was not tried.

    >>> study_runs("sort", "nope") is None
    True
    """
    return _kept().get((task, encoding))


def runs_of_study(document: Mapping[str, Any]) -> list[StudyRuns]:
    """What is kept of the study's JSON document: the last length of each curve."""
    found = []
    for curve in document["curves"]:
        last = curve["points"][-1]["length"]
        found.append(
            StudyRuns(
                task=curve["task"],
                encoding=CellLabel.of(curve["config"]).name,
                train_to=curve["train_lengths"][1],
                length=last,
                accuracy=tuple(round(run["accuracy"][str(last)], 4) for run in curve["runs"]),
            )
        )
    return found


def kept_text(runs: list[StudyRuns]) -> str:
    lines = ",\n".join(json.dumps(asdict(each), ensure_ascii=False) for each in runs)
    return f"[\n{lines}\n]\n"


@cache
def _kept() -> dict[tuple[str, str], StudyRuns]:
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    found = [StudyRuns(**{**row, "accuracy": tuple(row["accuracy"])}) for row in rows]
    return {(each.task, each.encoding): each for each in found}


def known_runs(remedy: Remedy, runs: Path | None, chance: float) -> str | None:
    """How many runs of a remedy work on their longest inputs, of the setting that works best; None: none.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> known_runs(remedies(forecast("parity"))[0], None, 0.0) is None
    True
    """
    if runs is None or not runs.is_dir():
        return None
    with read_index(runs) as index:
        found = cells(index.rows(task=remedy.task, encoding=remedy.label, status="done"))
    measured = [(cell, read_name(cell.ranges[-1])) for cell in found if cell.ranges]
    counts = [(cell.count(ByAccuracy(chance), longest), longest) for cell, longest in measured if longest]
    finished = [(tally, longest) for tally, longest in counts if tally.runs]
    if not finished:
        return None
    best, longest = max(finished, key=lambda count: (count[0].work / count[0].runs, count[0].runs))
    return f"{best.words} at {longest.words}"


# What theory and runs suggest together


TRY_MINUTES = 5.0
"""That `longreach advise` takes unless told otherwise."""


def suggestions(found: ThreeAnswers) -> Iterator[Remedy]:
    """What would help, the surest first; nothing where everything works already or nothing is known.

    Where no encoding helps, it is the surest of the changes that `longreach advise` tries.
    """
    refuted = [
        cell.encoding for cell in found.measurement.cells if any(each.is_new_answer for each in cell.failed)
    ]
    yield from _of_theory(found)
    threshold, more_steps = found.threshold, _more_steps(found)
    # Else every length that was tried works, or none.
    if threshold is not None and threshold.start is not None and not threshold.is_open_below:
        tested = "longer inputs" if threshold.tested is None else f"inputs of {threshold.tested.words}"
        change, basis = f"training to {threshold.start} or more", f"measured on {tested}"
        yield Remedy(change=change, basis=basis, measured=threshold.counts)
    for cell in found.measurement.cells:
        # Choosing among seeds is a remedy that needs no theory.
        if cell.tally.is_mixed and found.answer_of(cell.encoding) is not None:
            change = f"{CellLabel.read(cell.encoding).words}: train several seeds and keep one that works"
            basis = "results vary by seed"
            yield Remedy(change=change, basis=basis, measured=cell.words)
    if refuted:
        basis = "a run met an answer that no example had"
        yield Remedy(change="draw inputs of every answer, and name all tokens: tokens=[…]", basis=basis)
    for encoding, finding in found.findings.items():
        # More steps say the same as "not learned", and how.
        if encoding in refuted:
            continue
        if finding.state == "contradicts" or (finding.state == "not learned" and more_steps is None):
            for reason in finding.reasons[:1]:
                why, _, change = reason.partition(": ")
                yield Remedy(change=f"{side_title(encoding)}: {change or why}", basis=why)
    if more_steps is not None:
        yield more_steps


def _of_theory(found: ThreeAnswers) -> tuple[Remedy, ...]:
    """The encodings that help, with their runs; else the form of the task that was measured, or is surest."""
    forecast, asked = found.forecast, found.question.encodings
    if forecast.expected("nope") is Answer.YES:
        return () if _needs_nothing_more(found) else (_no_positions(found),)
    known = remedies(forecast)
    names = [each.encoding for each in known if each.ground == "program"]
    if len(asked) == 1 and asked[0] in names:  # what is asked about is no advice, nor what is less sure
        known = known[: names.index(asked[0])]
    if not known:
        return ()
    encodings = _encodings(found, [each for each in known if each.ground == "program"])
    if forecast.expected("ape") is Answer.YES:
        return encodings
    known = tuple(each for each in known if each.ground != "program")
    if not known:
        return encodings
    # Changed forms ask for many tokens, which nobody guesses.
    chances = [forecast.task.chance if remedy.task == forecast.stored else 0.0 for remedy in known]
    runs = [known_runs(each, found.runs, chance) for each, chance in zip(known, chances, strict=True)]
    pairs = list(zip(known, runs, strict=True))
    best, measured = next((pair for pair in pairs if pair[1] is not None), pairs[0])
    said = best.plain or best.basis
    if measured is not None:
        return *encodings, replace(best, basis=said, measured=f"measured: {measured}")
    kept = study_runs(best.task, best.label)
    said = said if kept is None else f"{said}; {kept.words}"
    if not TaskName(forecast.name).is_session:
        name = shlex.quote(TaskName(forecast.name).argument)
        said += f"; longreach ask {name} --try trains it in {TRY_MINUTES:g} minutes"
    return *encodings, replace(best, basis=said)


def _needs_nothing_more(found: ThreeAnswers) -> bool:
    """Whether a decoder without positions is asked about, or everything is expected to work."""
    asked = found.question.encodings
    return "nope" in asked or all(found.answer_of(each) is Answer.YES for each in asked)


def _no_positions(found: ThreeAnswers) -> Remedy:
    side, task = found.forecast.sides["nope"], found.forecast.stored
    basis = f"{side.trained.expectation}: {side.clause} ({side.basis})"
    return Remedy(change="no positions (NoPE)", basis=basis, task=task, encoding="nope", ground="program")


def _encodings(found: ThreeAnswers, known: Sequence[Remedy]) -> tuple[Remedy, ...]:
    """Other encodings: first what works most often in the runs at hand, then as theory has them."""
    cells = {cell.encoding: cell for cell in found.measurement.cells if cell.tally.runs}
    odds = found.odds.at(SHOWN_RATIO)

    def share(remedy: Remedy) -> float:
        cell = cells.get(remedy.encoding)
        return 0.5 if cell is None else cell.tally.work / cell.tally.runs

    def with_odds(remedy: Remedy) -> str:
        row, said = odds.get(remedy.encoding), remedy.plain or remedy.basis
        if row is None:
            return said
        return f"{said}; odds {odds_words(row.odds)} at {row.tested.words}, trained to {row.trained_to}"

    tried = "; ".join(
        f"{side_title(name)}: {cell.words} at {cell.tested.words}"
        for name, cell in cells.items()
        if found.forecast.expected(name) is not None
    )

    def change(remedy: Remedy) -> str:
        cell = cells.get(remedy.encoding)
        times = 0 if cell is None or not cell.tally.works else cell.tested.last // cell.train_to
        return remedy.change + (f": works to {times} times the training length" if times >= FAR else "")

    ordered = sorted(known, key=share, reverse=True)
    return tuple(
        replace(each, change=change(each), basis=with_odds(each), measured=None if place else tried or None)
        for place, each in enumerate(ordered)
    )


FAR = 10
"""From so many times the training length on, reaching it is said."""
SHOWN_RATIO = 3
"""Odds are shown for three times the training length, as most of what is measured is."""


def _more_steps(found: ThreeAnswers) -> Remedy | None:
    """More minutes, where there was time for a part of the steps and runs that may work did not learn."""
    measurement = found.measurement
    unlearned = [cell.encoding for cell in measurement.cells if cell.tally.learned < cell.tally.runs]
    # A no that agrees has failed as expected, whether it was learned or not.
    may_help = any(
        found.answer_of(each) is not Answer.NO or found.findings[each].state == "not learned"
        for each in unlearned
    )
    if measurement.seconds_for_all is None or not may_help:
        return None
    # The other half of the time is for other training lengths.
    minutes = max(math.ceil(measurement.seconds_for_all / 30), math.floor(found.question.minutes) + 1)
    basis = f"there was time for {percent(measurement.share, 0)} of the usual steps"
    return Remedy(change=f"more steps: --minutes {minutes}", basis=basis)
