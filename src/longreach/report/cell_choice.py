"""Which cells stand for a task and an encoding, and what they say about the forecast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from longreach.comparison.agreement import Budget, Observation, judge
from longreach.comparison.places import Place
from longreach.comparison.tally import Tally, judge_runs
from longreach.config.cell_label import CellLabel
from longreach.config.length_range import read_name
from longreach.report import runs_view as measured
from longreach.report.forecast_view import Known
from longreach.report.view import CellView, Group, Judgement
from longreach.results.cells import Cell
from longreach.results.schema import setting
from longreach.verdicts.verdict import Answer

Chosen: TypeAlias = Mapping[tuple[str, str], Cell]
"""By task and column of the matrix."""


def chosen_cells(found: Sequence[Cell]) -> dict[tuple[str, str], Cell]:
    """One cell per task and column of the matrix."""
    best: dict[tuple[str, str], Cell] = {}
    for cell in found:
        place = cell.task, measured.column_of(cell)
        if place not in best or measured.weight(cell) > measured.weight(best[place]):
            best[place] = cell
    return best


@dataclass(frozen=True)
class Judged:
    """What a cell says about the forecast."""

    state: Judgement
    """By the mean over its runs."""
    why: str
    by_runs: Judgement = "not counted"
    """By the share of its runs that work."""


def judgements(chosen: Chosen, known: Mapping[str, Known]) -> dict[tuple[str, str], Judged]:
    """What each chosen cell says about the forecast, by the rules of the studies."""
    found: dict[tuple[str, str], Judged] = {}
    observed: dict[tuple[str, str], Observation] = {}
    forecasts: dict[Place, Any] = {}
    for (task, column), cell in chosen.items():
        verdict = known[task].answer(cell.encoding)
        budget = _budget(cell.config)
        if not known[task].comparable or budget is None:
            why = "there is no forecast for the task" if budget else "its configuration says too little"
            found[task, column] = Judged("not counted", why)
            continue
        place = Place(task, cell.encoding, CellLabel.read(column).penalty)
        last = list(cell.accuracy.values())[-1].mean if len(cell.accuracy) > 1 else None
        tally = tally_of(cell, known[task].chance)
        work = 0 if tally is None else tally.work
        observed[task, column] = Observation(place, len(cell.finished), cell.learned, last, budget, work=work)
        forecasts[place] = verdict
    observations = list(observed.values())
    by_mean, by_runs = judge(observations, forecasts), judge(observations, forecasts, by_runs=True)
    for key, each in observed.items():
        one = by_mean[each.place]
        why = "there is no verdict for this encoding" if one.state == "no forecast" else one.reason
        found[key] = Judged(_state(one.state), why, _state(by_runs[each.place].state))
    return found


def _state(state: str) -> Judgement:
    states: dict[str, Judgement] = {
        "agrees": "agrees", "disagrees": "disagrees", "undecided": "undecided", "not run": "not measured",
    }  # fmt: skip
    return states.get(state, "not counted")


def _budget(config: Mapping[str, Any]) -> Budget | None:
    values = [setting(config, name) for name in ("max_steps", "batch", "layers", "width")]
    if all(isinstance(value, int) for value in values):
        return Budget(*values)
    return None


def tally_of(cell: Cell, chance: float | None) -> Tally | None:
    """The runs of a cell counted on its longest range; None if it was not tested, or chance is unknown."""
    longest = read_name(cell.ranges[-1]) if len(cell.ranges) > 1 else None
    if longest is None or chance is None or cell.ranges[-1] == measured.training_range(cell):
        return None
    return Tally.of(cell.rows, longest, chance)


def reasons(answer: str | None, tally: Tally | None) -> tuple[str, ...]:
    """Why runs may do what was not expected of them, each with what to try next."""
    if answer not in ("yes", "no") or tally is None:
        return ()
    return judge_runs(Answer(answer), tally).reasons


def by_training_range(shown: Iterable[tuple[Cell, CellView]]) -> tuple[Group, ...]:
    """The cells by the lengths that they were trained on; of several under one encoding that of most runs."""
    best: dict[tuple[str | None, str], tuple[Cell, CellView]] = {}
    for cell, view in shown:
        place = view.trained, view.encoding
        if place not in best or measured.weight(cell) > measured.weight(best[place][0]):
            best[place] = cell, view
    trained = sorted({trained for trained, _ in best}, key=_length_order)
    return tuple(
        Group(trained=name, cells=tuple(view for (own, _), (_, view) in best.items() if own == name))
        for name in trained
    )


def trained_order(cell: CellView) -> tuple[int, int]:
    """For sorting cells by the lengths that they were trained on."""
    return _length_order(cell.trained)


def _length_order(name: str | None) -> tuple[int, int]:
    lengths = read_name(name or "")
    return (-1, -1) if lengths is None else (lengths.last, lengths.first)
