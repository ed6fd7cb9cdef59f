"""What would help a task: remedies with their evidence, tried or not, and in words."""

from __future__ import annotations

import json
import math
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longreach.answers.forecast import Forecast, forecast
from longreach.answers.judge import Finding, MeasuredCell
from longreach.answers.remedies import (
    Remedy,
    StepSparsity,
    known_runs,
    measured_sparsity,
    program_needs,
    remedies,
)
from longreach.answers.sweep import Threshold
from longreach.answers.trials import AdviceQuestion, Trials, try_remedies
from longreach.config.encodings import side_title
from longreach.config.model import CellLabel
from longreach.runs.train import Watcher
from longreach.tasks.catalog import name_of_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.theory.names import TaskName
from longreach.theory.verdicts.basis import clause, rests_on
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted

# Advice in words, for the terminal, the page and notebooks.


ALIKE = 0.005
"""Accuracies that are shown as one."""
NOTHING_NEEDED = "Nothing is needed: theory expects it to work as it is, without positions."
NOTHING_KNOWN = (
    "No change is known that would help: neither another encoding, nor steps that depend on few tokens."
)


def title(found: TaskAdvice) -> str:
    """What the task is called."""
    name = TaskName(found.forecast.name)
    return found.forecast.task.name if name.is_session else name.expression


def as_it_is(found: TaskAdvice) -> list[tuple[str, str, str]]:
    """What is expected of the original: under which encoding, what, and why."""
    rows = []
    for key in ("nope", "ape"):
        side = found.forecast.sides[key]
        why = clause(side) if side.trained is Answer.UNDECIDED else f"{rests_on(side)}: {clause(side)}"
        rows.append((side_title(key), side.trained.expectation, why))
    return rows


def trial_ranges(found: TaskAdvice) -> tuple[LengthRange, ...]:
    """The ranges of lengths that were measured, the training range first."""
    known = {lengths for _, cell in found.tried for curve in cell.curves for lengths, _ in curve}
    return tuple(sorted(known, key=lambda lengths: (lengths.last, lengths.first)))


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


def time_words(seconds: float) -> str:
    """About how long, for people.

    >>> time_words(42), time_words(200)
    ('about 45 s', 'about 4 min')
    """
    return (
        f"about {math.ceil(seconds / 15) * 15} s" if seconds < 90 else f"about {math.ceil(seconds / 60)} min"
    )


def conclusion(found: TaskAdvice) -> str:
    """One sentence on what to do.

    >>> from longreach.answers.advice import advise
    >>> conclusion(advise("sort", minutes=0))
    'Nothing is needed: theory expects it to work as it is, without positions.'
    """
    trials = found.trials
    if not found.remedies:
        return NOTHING_KNOWN if found.is_needed else NOTHING_NEEDED
    if trials.working is not None:
        remedy, trial = trials.working
        tested = trial.tested.words
        original = trials.original
        beside = "" if original is None else f"; as it is, {original.words}"
        return f"{remedy.name} works: {trial.words} at lengths {tested}{beside}."
    finished = [(remedy, trial) for remedy, trial in trials.tried if trial.tally.works is False]
    if finished:
        names = ", ".join(_outcome(remedy.name, trial) for remedy, trial in finished)
        rest = [remedy.name for remedy in found.remedies if remedy not in trials.failed]
        left = f" Not tried: {', '.join(rest)}." if rest else ""
        return f"Tried, and not seen to work: {names}.{left}"
    first = found.remedies[0]
    if first.ground == "open":
        return f"Not tried yet: no theory speaks for a change; worth a try is {first.name}."
    return f"Not tried yet: the surest change is {first.name}."


def _outcome(name: str, trial: MeasuredCell) -> str:
    unlearned = trial.tally.runs - trial.tally.learned
    learned = "" if not unlearned else f", {unlearned} did not learn the training lengths"
    return f"{name} ({trial.words}{learned})"


def as_text(found: TaskAdvice) -> str:
    """Everything as plain text, a line each."""
    lines = [f"{found.forecast.name}   {found.forecast.task.about}"]
    lines += [f"  {label}: {says}; {why}" for label, says, why in as_it_is(found)]
    for remedy in found.remedies:
        known = found.in_study(remedy)
        lines.append(f"  {remedy.change}: {remedy.basis}{'' if known is None else f'; {known.words}'}")
    lines += [f"  {each.name}: {each.words}" for each in found.sparsity]
    return "\n".join([*lines, conclusion(found)])


# What `longreach study advice` found of tasks and their changes at the laptop scale, with the package.


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
        runs = counted(len(self.accuracy), "run")
        share = shares_words((min(self.accuracy), max(self.accuracy)))
        lengths = f"at length {self.length}, trained to {self.train_to}"
        return f"longreach study advice: right on {share} {lengths} ({runs})"

    def document(self) -> dict[str, Any]:
        """As JSON has it, beside the remedy's task and encoding."""
        return {"train_to": self.train_to, "length": self.length, "accuracy": list(self.accuracy)}


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
    """The file, a line for each."""
    lines = ",\n".join(json.dumps(asdict(each), ensure_ascii=False) for each in runs)
    return f"[\n{lines}\n]\n"


@cache
def _kept() -> dict[tuple[str, str], StudyRuns]:
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    found = [StudyRuns(**{**row, "accuracy": tuple(row["accuracy"])}) for row in rows]
    return {(each.task, each.encoding): each for each in found}


# All that is known of what would help a task: remedies, their sparsity, and what trying them showed.


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskAdvice:
    """Remedies of a task, the surest first, measured as far as there was time."""

    question: AdviceQuestion
    forecast: Forecast
    remedies: tuple[Remedy, ...]
    sparsity: tuple[StepSparsity, ...]
    """Of the original, then of the changed tasks, each once."""
    trials: Trials
    seconds: float

    @property
    def is_needed(self) -> bool:
        """Whether theory does not expect the task to work without positions, as it is."""
        return self.forecast.sides["nope"].trained is not Answer.YES

    @property
    def best(self) -> Remedy | None:
        """The one that works when it is tried, or else the surest that was not seen to fail."""
        if self.trials.working is not None:
            return self.trials.working[0]
        return next((each for each in self.remedies if each not in self.trials.failed), None)

    @property
    def tried(self) -> tuple[tuple[str, MeasuredCell], ...]:
        """The runs of the original and of the remedies that were tried, with their names."""
        original, trials = self.trials.original, self.trials.tried
        found = [] if original is None else [(self.question.task, original)]
        found += [(remedy.task, cell) for remedy, cell in trials]
        return tuple(
            (f"{TaskName(TaskName(task).short).expression} with {cell.encoding}", cell)
            for task, cell in found
        )

    def in_study(self, remedy: Remedy) -> StudyRuns | None:
        """What `longreach study advice` found of a remedy."""
        return study_runs(remedy.task, remedy.label)

    def document(self) -> dict[str, Any]:
        """As `longreach advise --json` prints it."""
        trials = self.trials
        measured = dict(trials.tried)
        waiting = dict(trials.untried)
        sparsity = {(each.task, each.coupled): each.document() for each in self.sparsity}
        return {
            "task": self.forecast.name,
            "about": self.forecast.task.about,
            "trained": {key: side.trained.value for key, side in self.forecast.sides.items()},
            "original": None if trials.original is None else _trial(self.question.task, trials.original),
            "original_sparsity": sparsity.get((self.forecast.stored, False)),
            "advice": [
                {
                    **remedy.document(),
                    "sparsity": sparsity.get((remedy.task, remedy.is_coupled)),
                    "study": None if (known := self.in_study(remedy)) is None else known.document(),
                    "measured": _trial(remedy.task, measured[remedy]) if remedy in measured else None,
                    "works": measured[remedy].tally.works if remedy in measured else None,
                    "seconds_to_try": waiting.get(remedy),
                }
                for remedy in self.remedies
            ],
            "best": None if self.best is None else self.best.name,
            "conclusion": conclusion(self),
            "minutes": self.question.minutes,
            "seeds": self.question.seeds,
            "share_of_steps": trials.share,
            "interrupted": trials.interrupted,
            "seconds": round(self.seconds, 1),
        }

    def __repr__(self) -> str:
        return as_text(self)


def _trial(task: str, cell: MeasuredCell) -> dict[str, Any]:
    accuracy = [{lengths.name: share for lengths, share in curve} for curve in cell.curves]
    return {"task": task, **cell.document(), "accuracy": accuracy}


# A task in, advice out.


def advise(
    task: str | Task,
    alphabet: Sequence[str] | None = None,
    *,
    minutes: float = 5.0,
    seeds: int = 2,
    train_to: int | None = None,
    runs: str | Path = "runs",
    progress: Watcher | None = None,
) -> TaskAdvice:
    """What would help a task, and whether it does when tried within the minutes.

    >>> found = advise("copy-repeat", minutes=0)
    >>> [each.encoding for each in found.remedies], found.trials.tried
    (['coupled-local', 'ape'], ())
    """
    started = time.monotonic()
    name, letters = name_of_task(task, alphabet)
    question = AdviceQuestion(task=name, alphabet=letters, minutes=minutes, seeds=seeds, train_to=train_to)
    known = forecast(name, letters)
    found = remedies(known)
    sparsity = measured_sparsity(known, found, letters)
    tried = try_remedies(question, known, found, Path(runs), progress=progress)
    return TaskAdvice(
        question=question,
        forecast=known,
        remedies=found,
        sparsity=sparsity,
        trials=tried,
        seconds=time.monotonic() - started,
    )


# What would help: the encoding, window or modulus under which the forecast is yes, and what was measured.


NO_WHOLE_PERIOD = (
    "; the usual frequencies of RoPE and of sinusoidal positions have no whole period, and no run with them "
    "works on (aa)*, (aaaa)* and (abab)* in longreach study encodings"
)


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One change, why, and whether it was tried."""

    change: str
    basis: str
    measured: str | None = None

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return asdict(self)


def advice(
    forecast: Forecast,
    cells: Sequence[MeasuredCell],
    threshold: Threshold | None,
    findings: Mapping[str, Finding],
    asked: Sequence[str],
    *,
    more_steps: Advice | None = None,
    runs: Path | None = None,
) -> tuple[Advice, ...]:
    """What would help, the surest first; nothing where everything works already or nothing is known.

    >>> from longreach.answers.forecast import forecast
    >>> [each.change for each in advice(forecast("aa"), (), None, {}, ("nope", "ape"))][0]
    'learned positions (APE) instead of none'

    Where no encoding helps, it is the surest of the changes that `longreach advise` tries; `runs` has what
    was measured of it.
    """
    counted = {cell.encoding: cell for cell in cells}
    return (
        *_encodings(forecast, counted),
        *_form(forecast, runs),
        *_longer(threshold),
        *_seeds(forecast, cells, findings),
        *_reasons(findings, asked, more_steps),
        *(() if more_steps is None else (more_steps,)),
    )


def _encodings(forecast: Forecast, counted: Mapping[str, MeasuredCell]) -> list[Advice]:
    nope, ape = forecast.sides["nope"], forecast.sides["ape"]
    if nope.trained is Answer.YES or ape.trained is not Answer.YES:
        return []
    window, modulus = ape.trained_needs
    tried = [
        f"{side_title(key)}: {counted[key].words}"
        for key in ("nope", "ape")
        if key in counted and counted[key].tally.runs
    ]
    basis = program_needs(window, modulus)
    found = [
        Advice(
            change="learned positions (APE) instead of none", basis=basis, measured="; ".join(tried) or None
        )
    ]
    if window == 0 and modulus is not None:
        found.append(_other(f"positions with a whole period of {modulus}", basis, NO_WHOLE_PERIOD))
    elif window is not None and modulus == 1:
        change = f"positions that single out the last {window + 1} symbols, such as ALiBi"
        found.append(_other(change, basis))
    return found


def _form(forecast: Forecast, runs: Path | None) -> list[Advice]:
    """Another form of the task, where no encoding is known to help."""
    if forecast.sides["ape"].trained is Answer.YES:
        return []
    found = remedies(forecast)
    if not found:
        return []
    # Changed forms ask for many tokens, which nobody guesses.
    chances = [forecast.task.chance if remedy.task == forecast.stored else 0.0 for remedy in found]
    known = [(each, known_runs(each, runs, chance)) for each, chance in zip(found, chances, strict=True)]
    best, measured = next((pair for pair in known if pair[1] is not None), known[0])
    said = best.plain or best.basis
    if measured is not None:
        return [Advice(change=best.change, basis=said, measured=f"measured: {measured}")]
    tries = f"longreach advise {shlex.quote(forecast.name)} tries it in {AdviceQuestion.minutes:g} minutes"
    kept = study_runs(best.task, best.label)
    said = said if kept is None else f"{said}; {kept.words}"
    basis = said if TaskName(forecast.name).is_session else f"{said}; {tries}"
    return [Advice(change=best.change, basis=basis)]


def _other(change: str, basis: str, note: str = "") -> Advice:
    return Advice(change=change, basis=f"{basis}, which these can tell; by theory, not tried here{note}")


def _longer(threshold: Threshold | None) -> list[Advice]:
    if threshold is None or threshold.start is None or threshold.is_open_below:
        return []  # every length that was tried works, or none
    tested = "longer inputs" if threshold.tested is None else f"inputs of {threshold.tested.words}"
    return [
        Advice(
            change=f"training to {threshold.start} or more",
            basis=f"measured on {tested}",
            measured=threshold.counts,
        )
    ]


def _seeds(
    forecast: Forecast, cells: Sequence[MeasuredCell], findings: Mapping[str, Finding]
) -> list[Advice]:
    """Some runs work and others do not: choosing among seeds is a remedy that needs no theory."""
    return [
        Advice(
            change=f"{side_title(cell.encoding)}: several seeds, one of which works on longer inputs",
            basis="runs that differ in their seed only do different things",
            measured=cell.words,
        )
        for cell in cells
        if cell.tally.is_mixed and forecast.sides.get(cell.encoding) is not None
    ]


def _reasons(
    findings: Mapping[str, Finding], asked: Sequence[str], more_steps: Advice | None
) -> list[Advice]:
    """What the runs that did not do what was expected of them suggest."""
    found: list[Advice] = []
    for encoding in asked:
        finding = findings.get(encoding)
        if finding is None or finding.state not in ("contradicts", "not learned"):
            continue
        if finding.state == "not learned" and more_steps is not None:
            continue  # it says the same, and how
        for reason in finding.reasons[:1]:
            why, _, change = reason.partition(": ")
            found.append(Advice(change=f"{side_title(encoding)}: {change or why}", basis=why))
    return found
