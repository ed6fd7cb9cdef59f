"""What would help: the encoding, window or modulus under which the forecast is yes, and what was measured."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longreach.advice.remedy_runs import known_runs
from longreach.advice.study_runs import study_runs
from longreach.advice.task_to_remedies import program_needs, remedies
from longreach.advice.trial_members import AdviceQuestion
from longreach.answer.threshold_curve import Threshold
from longreach.comparison.measured_cell import MeasuredCell
from longreach.comparison.tally import Finding
from longreach.config.task_name import TaskName
from longreach.forecast import Forecast
from longreach.verdicts.plain_words import side_title
from longreach.verdicts.verdict import Answer

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

    >>> from longreach.forecast import forecast
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
