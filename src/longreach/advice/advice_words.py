"""Advice in words, for the terminal, the page and notebooks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from longreach.config.length_range import LengthRange
from longreach.config.task_name import TaskName
from longreach.verdicts.plain_words import clause, rests_on, side_title
from longreach.verdicts.verdict import Answer

if TYPE_CHECKING:
    from longreach.advice.task_advice import TaskAdvice
    from longreach.advice.trials import Trial

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


def trial_name(trial: Trial) -> str:
    """The task and its encoding."""
    return f"{TaskName(TaskName(trial.task).short).expression} with {trial.encoding}"


def trial_ranges(found: TaskAdvice) -> tuple[LengthRange, ...]:
    """The ranges of lengths that were measured, the training range first."""
    original = found.trials.original
    trials = [trial for _, trial in found.trials.tried] + ([] if original is None else [original])
    known = {lengths for trial in trials for curve in trial.curves for lengths, _ in curve}
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

    >>> from longreach.advice import advise
    >>> conclusion(advise("sort", minutes=0))
    'Nothing is needed: theory expects it to work as it is, without positions.'
    """
    trials = found.trials
    if not found.remedies:
        return NOTHING_KNOWN if found.is_needed else NOTHING_NEEDED
    if trials.working is not None:
        remedy, trial = trials.working
        tested = trial.cell.tested.words
        original = trials.original
        beside = "" if original is None else f"; as it is, {original.cell.words}"
        return f"{remedy.name} works: {trial.cell.words} at lengths {tested}{beside}."
    finished = [(remedy, trial) for remedy, trial in trials.tried if trial.works is False]
    if finished:
        names = ", ".join(_outcome(remedy.name, trial) for remedy, trial in finished)
        rest = [remedy.name for remedy in found.remedies if remedy not in trials.failed]
        left = f" Not tried: {', '.join(rest)}." if rest else ""
        return f"Tried, and not seen to work: {names}.{left}"
    first = found.remedies[0]
    if first.ground == "open":
        return f"Not tried yet: no theory speaks for a change; worth a try is {first.name}."
    return f"Not tried yet: the surest change is {first.name}."


def _outcome(name: str, trial: Trial) -> str:
    unlearned = trial.cell.tally.runs - trial.cell.tally.learned
    learned = "" if not unlearned else f", {unlearned} did not learn the training lengths"
    return f"{name} ({trial.cell.words}{learned})"


def as_text(found: TaskAdvice) -> str:
    """Everything as plain text, a line each."""
    lines = [f"{found.forecast.name}   {found.forecast.task.about}"]
    lines += [f"  {label}: {says}; {why}" for label, says, why in as_it_is(found)]
    for remedy in found.remedies:
        known = found.in_study(remedy)
        lines.append(f"  {remedy.change}: {remedy.basis}{'' if known is None else f'; {known.words}'}")
    lines += [f"  {each.name}: {each.words}" for each in found.sparsity]
    return "\n".join([*lines, conclusion(found)])
